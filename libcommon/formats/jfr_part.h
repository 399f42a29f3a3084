/*
 * What the files of the JFR reader share; nobody else includes it. jfr_chunk.c finds
 * the chunks, each of which is read in this order: metadata (jfr_meta.c) into programs
 * that step over values and pick bound fields, events (jfr_event.c) into groups by
 * stack, pools (jfr_pool.c) into the stacks that the events want, then stacks into the
 * sink (jfr.c), with the names of jfr_name.c.
 */
#ifndef JFR_PART_H
#define JFR_PART_H

#include <endian.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/caps.h"
#include "base/map.h"
#include "bytes/cur.h"
#include "formats/jfr.h"

enum {
	JFR_HEADER = 68,
	JFR_MAX_TYPES = 1 << 16,
	JFR_MAX_OPS = 1 << 20, /* and fields stepped over to make them */
	JFR_MAX_NESTING = 16,  /* structs within structs */
	JFR_MAX_ELEMENTS = 64, /* metadata elements within each other */
	JFR_MAX_TEXT = 1 << 20,
	JFR_MAX_SETTINGS = 1 << 16,
	JFR_SMALL_ID = 4096,     /* type ids that a table serves */
	JFR_MAX_READINGS = 4096, /* event types that are read */
	JFR_TYPE_BITS = 4,       /* of a packed frame */
	JFR_TYPE_UNKNOWN = 15,
	JFR_CLASS_FRAMES = 512
};
#define JFR_NO_TYPE UINT32_MAX
/* Frames that a chunk's events may expand to, and as many for each of its bytes. */
#define JFR_MAX_FRAMES ((uint64_t)1 << 28)
#define JFR_EXPAND 64U
/* Bytes of text that a chunk's names may come to, and JFR_EXPAND for each of its bytes.
 */
#define JFR_MAX_NAMES ((uint64_t)1 << 28)

struct jfr_header {
	uint64_t at; /* offset of the chunk in the input */
	uint64_t size, pools, meta;
	uint64_t start_ns, duration_ns, start_ticks, ticks_per_s;
	unsigned major, minor;
	uint8_t generation;
	bool compressed;
	bool final; /* the last of its recording */
	bool cut;   /* its end is missing; size is what there is */
};

/* What is wrong with the input. */
struct jfr_damage {
	uint64_t places, bytes; /* how many, and what was left out */
	uint64_t at;            /* the first */
	char text[200];
};

/* The way from chunk to chunk; the caller sets the first five. */
struct jfr_walk {
	struct source *in;
	const char *input;
	bool strict; /* damage is an error */
	bool rescue; /* chunks whose end is missing are taken, too */
	struct warn warn;

	struct jfr_header h;       /* of the chunk at hand */
	const unsigned char *base; /* where it is in memory */
	uint64_t chunks;           /* that could be used: the caller counts */
	struct jfr_damage damage;
	bool taken, flushing;
};

/* The JFR_HEADER bytes at p, which stand at that offset of the input. */
void jfr_header_read(struct jfr_header *, const unsigned char *p, uint64_t at);
/* Go on to the next chunk; *taken is false at the end of the input. */
bool jfr_walk_next(struct jfr_walk *, bool *taken, struct err *);
/* Warn of the damage; an error if no chunk could be used. */
bool jfr_walk_end(struct jfr_walk *, struct err *);
/*
 * Where damage was met within the chunk at hand: another chunk may begin in it, whose
 * start was joined to what is left of this one. If so, the one at hand ends there. Its
 * bytes may have moved.
 */
bool jfr_walk_cut(struct jfr_walk *);
/* Note damage, and how many bytes it cost; with strict an error. */
bool jfr_damaged(struct jfr_walk *, uint64_t at, uint64_t bytes, struct err *,
                 const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/*
 * Base 128 in at most nine bytes, least significant first; the ninth has 8 bits. Up to
 * eight are taken as one word: lengths follow no pattern that branches could learn.
 * Reads beyond c->end before it looks, which the 8 bytes of padding behind a source's
 * view (and the rest of the chunk) allow.
 */
#define JFR_HIGH 0x8080808080808080U

static inline uint64_t
jfr_word(const unsigned char *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof w);
	return le64toh(w);
}

/* Seven bits of each byte of a word, closed up. */
static inline uint64_t
jfr_close_up(uint64_t w)
{
	w = (w & 0x007f007f007f007fU) | (w & 0x7f007f007f007f00U) >> 1;
	w = (w & 0x00003fff00003fffU) | (w & 0x3fff00003fff0000U) >> 2;
	return (w & 0x0fffffffU) | (w & 0x0fffffff00000000U) >> 4;
}

static inline bool
jfr_var(struct cur *c, uint64_t *v)
{
	const unsigned char *p = c->p;
	uint64_t w, last;
	size_t n;

	if (p[0] < 0x80) {
		if (p >= c->end)
			return false;
		*v = p[0];
		c->p = p + 1;
		return true;
	}
	w = jfr_word(p);
	last = ~w & JFR_HIGH;
	if (last) {
		n = ((size_t)__builtin_ctzll(last) >> 3) + 1;
		/* All bits up to the lowest of last. */
		w = jfr_close_up(w & (last ^ (last - 1)));
	} else {
		n = 9;
		if (cur_left(c) < n)
			return false;
		w = jfr_close_up(w) | (uint64_t)p[8] << 56;
	}
	if (n > cur_left(c))
		return false;
	*v = w;
	c->p = p + n;
	return true;
}

/* A value as the file has it: a number, or text that is read when it is needed. */
enum jfr_form { JFR_NUMBER, JFR_REAL, JFR_TEXT_AT, JFR_TEXT_KEY };

struct jfr_val {
	/* The number; bits of a double; offset of the text in the chunk; its key. */
	uint64_t v;
	enum jfr_form form;
};

/* One step of a program over bytes. */
enum jfr_code {
	OP_VAR,   /* n varints */
	OP_RAW,   /* n bytes */
	OP_TEXT,  /* a string */
	OP_ARRAY, /* a count, then that often the n steps that follow */
	OP_GET,   /* a varint into the slot */
	OP_GET32, /* the same, a signed 32-bit number */
	OP_GET16,
	OP_GETU32, /* the same, unsigned */
	OP_GETU16,
	OP_GET8, /* a byte into the slot */
	OP_GETU8,
	OP_GETFLOAT,
	OP_GETDOUBLE,
	OP_GETTEXT,
	OP_GETKEY, /* a varint that is the key of a string */
	OP_BAD     /* a type that the metadata do not define */
};

struct jfr_op {
	uint32_t n;
	uint8_t code, slot;
};

struct jfr_prog {
	uint32_t at, n; /* in ops */
};

/* A field to pick: its value goes into the slot. */
struct jfr_bind {
	const char *field;
	uint8_t slot;
};

enum jfr_prim {
	PRIM_NONE, /* a struct */
	PRIM_LONG,
	PRIM_INT,
	PRIM_SHORT,
	PRIM_CHAR,
	PRIM_BYTE,
	PRIM_BOOLEAN,
	PRIM_FLOAT,
	PRIM_DOUBLE,
	PRIM_TEXT
};

enum jfr_unit {
	UNIT_NONE,
	UNIT_TICKS,
	UNIT_NS,
	UNIT_US,
	UNIT_MS,
	UNIT_S,
	UNIT_BYTES,
	UNIT_BITS
};

struct jfr_field {
	struct str name;
	uint64_t type_id;
	uint32_t type; /* index, or UINT32_MAX */
	bool pool, array;
	bool timestamp;  /* a moment, not a span */
	bool contextual; /* it says what the thread was at */
	bool is_unsigned;
	enum jfr_unit unit;
};

struct jfr_type {
	struct str name;
	uint64_t id;
	uint32_t fields, nfields; /* range of fields */
	enum jfr_prim prim;
};

struct jfr_meta {
	struct jfr_type *types;
	struct jfr_field *fields;
	struct jfr_op *ops;
	size_t ntypes, nfields, nops, cap_types, cap_fields, cap_ops;
	size_t nsteps;    /* fields that were compiled; many may be one step */
	struct map by_id; /* type id to index */
	struct arena text;
};

/* Parse the metadata event at c, which starts at its size. */
bool jfr_meta_read(struct jfr_meta *, struct cur c, struct err *);
void jfr_meta_reset(struct jfr_meta *);
void jfr_meta_clear(struct jfr_meta *);
/* The index of a type by name, or UINT32_MAX. */
uint32_t jfr_meta_type(const struct jfr_meta *, const char *name);
/* The field of that name, or NULL. */
const struct jfr_field *jfr_meta_field(const struct jfr_meta *, uint32_t type,
                                       const char *name);
/*
 * The program over a value of the type, or over its fields first to last - 1; bound
 * fields are those at the top. False if it is too large.
 */
bool jfr_compile(struct jfr_meta *, uint32_t type, uint32_t first, uint32_t last,
                 const struct jfr_bind *, size_t nbind, struct jfr_prog *,
                 struct err *);
/* Whether the field's value can be picked: no array, no struct. */
bool jfr_can_pick(const struct jfr_meta *, const struct jfr_field *);
/* Run a program. False if the bytes do not suffice. base is where the chunk begins. */
bool jfr_run(const struct jfr_meta *, struct jfr_prog, struct cur *,
             const unsigned char *base, struct jfr_val *slots);

/* Constants of one sort: structs that begin with their key. */
struct jfr_pool {
	struct map at;
	void *entry;
	size_t size, n, cap;
};

struct jfr_symbol { /* also enumerators, strings, native functions */
	uint64_t key;
	struct jfr_val text;
	/* Of a thread state: */
	bool sleeping;
	bool chosen; /* it is asked for */
};

struct jfr_class {
	uint64_t key, name;
};

struct jfr_method {
	uint64_t key, class, name;
};

struct jfr_thread {
	uint64_t key, tid, java_tid;
	struct jfr_val os_name, java_name;
	struct str label, tid_label, java_label; /* made when first asked for */
};

/* The pools that are kept, by the type of their values. */
enum jfr_role {
	ROLE_SYMBOL,
	ROLE_CLASS,
	ROLE_METHOD,
	ROLE_THREAD,
	ROLE_FRAME_TYPE,
	ROLE_STATE,
	ROLE_STRING,
	ROLE_NATIVE, /* functions of frames that have no method */
	ROLE_EXTRA,  /* and so many for fields of events that are made text */
	ROLE_POOLS = ROLE_EXTRA + 16,
	ROLE_STACK = ROLE_POOLS,
	ROLE_COUNT
};

/* A stack that events want. */
struct jfr_stack {
	uint64_t key;
	size_t at;       /* its frames in chunk->ids, root first */
	uint32_t n;      /* how many */
	uint32_t groups; /* first of its groups; UINT32_MAX: none */
	bool found, truncated;
};

/* Where a frame came from: a method or native function, and perhaps a line or, marked,
 * an index into its bytecode. */
#define JFR_IS_BCI (1U << 31)

struct jfr_site {
	uint64_t key;
	uint32_t line;
	bool native; /* key is of ROLE_NATIVE */
};

/* Event types that are read. */
enum jfr_source {
	SRC_EXECUTION,
	SRC_NATIVE,
	SRC_CPUTIME,
	SRC_WALL,
	SRC_DD_EXECUTION,
	SRC_DD_METHOD,
	SRC_TLAB,
	SRC_OUTSIDE,
	SRC_SAMPLE,
	SRC_DD_OBJECT,
	SRC_LIVE,
	SRC_DD_LIVE,
	SRC_OLD,
	SRC_MONITOR,
	SRC_PARK,
	SRC_WAIT,
	SRC_SLEEP,
	SRC_SOCKET_READ,
	SRC_SOCKET_WRITE,
	SRC_FILE_READ,
	SRC_FILE_WRITE,
	SRC_FILE_FORCE,
	SRC_EXCEPTION,
	SRC_ERROR,
	SRC_MALLOC,
	SRC_DD_MALLOC,
	SRC_FREE,
	SRC_NATIVELOCK,
	SRC_TRACE,
	SRC_GC,
	SRC_VM_OPERATION,
	SRC_SAFEPOINT,
	SRC_CUSTOM,
	SRC_SAMPLES = SRC_CUSTOM + JFR_MAX_CUSTOM, /* those before are samples */
	SRC_SETTING = SRC_SAMPLES,
	SRC_LOSS,
	SRC_LOST_CPU,
	SRC_DD_CONFIG,
	SRC_SPANS, /* those from here say what a thread was at */
	SRC_SPAN = SRC_SPANS,
	SRC_WINDOW,
	SRC_TRACED,   /* SRC_TRACE as a span */
	SRC_ENDPOINT, /* the name of a trace, by the span at its root */
	SRC_CONTEXT,
	SRC_COUNT
};

enum { JFR_MAX_LABELS = 24, JFR_MAX_PATH = 2 };

/* Slots of events. */
enum {
	EV_STACK,
	EV_THREAD,
	EV_STATE,
	EV_CLASS,
	EV_VALUE,
	EV_OTHER, /* what else the value depends on; the name of a setting */
	EV_EXTRA, /* a second measure: bytes of input and output */
	EV_TIME,
	EV_DURATION,
	EV_FIELD, /* and so many more that are carried along */
	EV_COUNT = EV_FIELD + JFR_MAX_LABELS + JFR_MAX_PATH
};

/* A field whose value goes with the sample: into a label or the path. */
struct jfr_carried {
	uint32_t field; /* index of the metadata's; UINT32_MAX: it has none */
	uint8_t slot;
	uint8_t extra; /* + 1: its pool, if none of the usual */
};

/* How an event type is read in this chunk; several types may have one name. */
struct jfr_reading {
	enum jfr_source source;
	bool wanted, has_state;
	bool real;     /* the value is a real number */
	uint32_t next; /* of the same event type, + 1 */
	struct jfr_prog prog;
	enum jfr_unit unit, extra_unit;
	bool has_value;
	uint8_t duration; /* slot, or EV_COUNT */
	enum jfr_unit duration_unit, time_unit;
	uint32_t ncarried;
	struct jfr_carried carried[JFR_MAX_PATH + JFR_MAX_LABELS];
};

/* Events that agree in everything that is asked for. */
struct jfr_group {
	uint64_t class, thread, state;
	int64_t time_ns;
	uint32_t stack; /* index in chunk->stacks */
	uint32_t next;  /* of the same stack */
	uint32_t set;   /* of carried values, + 1; 0: none */
	uint32_t reading;
	enum jfr_source source;
	int64_t count, value, extra;
	double real; /* the value, where it is a real number */
};

/* A block of native memory that is taken or given back. */
struct jfr_malloc {
	uint64_t address;
	uint64_t order;
	bool given_back;
	struct jfr_group group; /* what the event says else */
};

/* An interval of a thread in which it was at something. */
struct jfr_span {
	uint64_t tid;
	int64_t start_ns, end_ns;
	uint32_t parent; /* + 1: the one that is open where this one begins; 0: none */
	const struct label *labels;
	size_t nlabels;
	bool context; /* not chosen by --latency and the like */
};

/* The same as it stands in the chunk. */
struct jfr_span_event {
	uint32_t reading;
	enum jfr_source source;
	uint64_t thread;
	int64_t start_ns, end_ns;
	uint32_t set;
};

/* A label that the sink looks at. */
struct jfr_want {
	struct str name;
	enum {
		WANT_THREAD,
		WANT_TID,
		WANT_JAVA_TID,
		WANT_STATE,
		WANT_CLASS,
		WANT_CATEGORY,
		WANT_EVENT_TYPE,
		WANT_FIELD
	} what;
};

struct jfr_setting {
	uint64_t id;
	struct jfr_val name, value;
};

/* The frame of an allocated or locked class. */
struct jfr_class_frame {
	uint64_t key;
	uint32_t id; /* + 1; 0: free */
	bool outside;
};

/* Everything of one chunk; the memory is kept for the next. */
struct jfr_chunk {
	struct jfr_header h;
	const unsigned char *base;
	unsigned char
	        *copy; /* of its bytes, where the source goes on before it is done */
	size_t cap_copy;
	struct jfr_meta meta;

	/* Events. */
	uint32_t *reading_of; /* by type index: the first + 1, or 0 */
	size_t cap_reading_of;
	uint32_t reading_at[JFR_SMALL_ID]; /* by type id: the same, or JFR_NO_TYPE */
	struct jfr_reading *reading;
	size_t nreadings, cap_readings;
	uint64_t seen[SRC_COUNT];
	uint32_t extra_type[ROLE_POOLS - ROLE_EXTRA]; /* types of those pools */
	unsigned nextra;
	struct jfr_val *sets; /* of carried values, set_size each */
	size_t nsets, cap_sets, set_size;
	uint32_t *set_at; /* hash table: index + 1 */
	size_t set_mask;
	struct intern texts;  /* as they are encoded */
	uint64_t *text_first; /* where each stands first */
	size_t cap_text_first;
	struct jfr_malloc *mallocs;
	size_t nmallocs, cap_mallocs;
	int64_t dd_interval, dd_wall; /* ns, as stated in this chunk; 0: not */
	bool errors_twice;            /* the JVM noted errors in two constructors */
	struct jfr_span_event *spans;
	size_t nspans, cap_spans;
	uint64_t states[16]; /* of execution samples */
	size_t nstates;
	struct map stack_at; /* stack key to index */
	struct jfr_stack *stacks;
	size_t nstacks, cap_stacks;
	struct jfr_group *groups;
	size_t ngroups, cap_groups;
	uint32_t *group_at; /* hash table: index + 1 */
	size_t group_mask;
	struct jfr_setting *settings;
	size_t nsettings, cap_settings;
	uint64_t *checkpoints; /* offsets */
	size_t ncheckpoints, cap_checkpoints;
	struct map checkpoint_at;

	/* Pools. */
	uint8_t *role_of; /* by type index: enum jfr_role + 1, or 0 */
	size_t cap_role_of;
	struct jfr_prog *skip; /* by type index */
	bool *have_skip;
	size_t cap_skip, cap_have_skip;
	struct jfr_prog value[ROLE_COUNT];
	struct jfr_prog stack_head, stack_tail, frame;
	bool stack_bound; /* the three programs are there */
	bool has_native;
	bool plain_frames; /* frames are the usual four varints */
	struct jfr_pool pool[ROLE_POOLS];
	uint32_t *ids; /* frames of stacks: site << 4 | frame type */
	size_t nids, cap_ids;
	uint32_t *decoded; /* stacks in the order in which they were found */
	size_t ndecoded, cap_decoded;
	struct jfr_site *sites;
	size_t nsites, cap_sites;
	struct map method_at; /* method key to number */
	struct map native_at; /* native function's key to number */
	struct map site_at;   /* number and line to site */
	uint32_t nnumbers;
	struct jfr_cached *cache;

	/* Names. */
	bool ap;                /* written by async-profiler or a relative of it */
	bool has_default;       /* it has a state for samples of the CPU engine */
	uint64_t default_state; /* which is this one */
	struct {
		uint8_t class, kind;
		bool native; /* code outside Java: the class is a library */
	} type[16];          /* what frame types mean, by key; 15: unknown */
	uint32_t *frame_of;  /* by frame of ids: frame id + 1; 0: not yet */
	size_t cap_frame_of;
	struct jfr_class_frame class_frame[JFR_CLASS_FRAMES];
	struct buf name;
	uint64_t spelt;    /* bytes of text that were looked at and put together */
	struct arena text; /* labels, strings put right */
};

struct jfr_reader {
	const struct jfr_opts *opts;
	struct stack_sink *sink;
	struct jfr_stats *stats;
	struct jfr_walk walk;
	uint64_t wanted; /* JFR_KIND bits */
	struct jfr_chunk c;

	/* What is asked for. */
	struct jfr_want want[JFR_MAX_LABELS];
	uint32_t nwant;
	uint32_t nasked; /* of these, the first are labels of stacks */
	/* Those that are the ids of the context and of the root span; UINT32_MAX: none.
	 */
	uint32_t context_at, root_at;
	bool by_thread, by_state; /* groups are told apart by these */
	bool each;                /* every event is a group of its own */
	bool need_threads;
	bool survey; /* the first of two passes: spans and the window alone */
	bool window;
	int64_t from_ns, to_ns; /* both within */
	int64_t start_ns;       /* of the recording; by the first pass */

	/* Spans in order of thread and start; found by the first pass. */
	struct jfr_span *spans;
	size_t nspans, cap_spans;

	/* Endpoints by root span; found by the first pass. */
	struct map root_at_name; /* to index + 1 */
	struct str *root_name;
	size_t nroots, cap_roots;

	/* Settings hold on until a later chunk changes them. */
	int64_t ap_interval, ap_wall; /* ns; 0: default, -1: not said */
	struct str ap_event;
	int64_t jdk_period, jdk_native_period; /* ns; 0: not said */
	int64_t dd_interval, dd_wall;          /* the same */
	struct arena text;
};

/* Threads that the system knows by number, and those that Java alone does. */
static inline uint64_t
jfr_thread_number(const struct jfr_thread *t)
{
	return t->tid ? t->tid : t->java_tid | (uint64_t)1 << 63;
}

/* What goes to the sink (jfr_push.c). The reader is another's, and outlives it. */
struct jfr_push;
struct jfr_push *jfr_push_new(struct jfr_reader *);
void jfr_push_free(struct jfr_push *);
/* The reader's chunk. */
bool jfr_push_chunk(struct jfr_push *, struct err *);
/* What is known at the end alone, and the end of all series. */
bool jfr_push_end(struct jfr_push *, int64_t start_ns, int64_t end_ns,
                  int64_t duration_ns, struct err *);

/* Which event types and pools the metadata have, and their programs. */
bool jfr_bind_events(struct jfr_reader *, struct err *);
bool jfr_bind_pools(struct jfr_reader *, struct err *);
/* The pass over the chunk: groups, settings, offsets of checkpoints. */
bool jfr_events(struct jfr_reader *, struct err *);
/* Size and type of the event at c; event is what follows, up to its end. */
bool jfr_event_head(const struct cur *c, struct cur *event, uint64_t *size,
                    uint64_t *type);
/* The name of a source's event type. */
const char *jfr_source_type(const struct jfr_reader *, enum jfr_source);
/* The kinds that events of a type can be of. */
uint64_t jfr_kinds_of_type(struct str name);
/* Whether its stack is a path made of fields; how many they are. */
unsigned jfr_source_path(enum jfr_source);
/* Keep one of so many samples, in the way of jfrconv's --grain. */
void jfr_coarsen(struct jfr_reader *);
/* A real number as an integer, within 64 bits; what is no number is 0. */
int64_t jfr_whole(double);
/* A moment in ticks or other units of this chunk in ns since 1970. */
int64_t jfr_moment(const struct jfr_chunk *, int64_t value, enum jfr_unit);
/* Group lists by stack. */
void jfr_link_groups(struct jfr_chunk *);
/* All checkpoints: constants, and the frames of wanted stacks. */
bool jfr_pools(struct jfr_reader *, struct err *);
/* Whether async-profiler took a sample of that state by CPU time. */
bool jfr_on_cpu(const struct jfr_reader *, uint64_t state);
/* The kinds that events of this source and state belong to. */
uint64_t jfr_kinds_of(const struct jfr_reader *, enum jfr_source, uint64_t state);

/* Forget the keys; the memory too, if it was not needed of late. */
void jfr_renew(struct map *);
void *jfr_pool_get(const struct jfr_pool *, uint64_t key);
/* Room for a constant, or NULL if the key is there. */
void *jfr_pool_add(struct jfr_pool *, uint64_t key);
/* More names than the chunk may have; jfr_text gives nothing any more. */
bool jfr_names_spent(const struct jfr_chunk *);
/* The text as UTF-8: a view of the chunk, or in the chunk's arena. */
struct str jfr_text(struct jfr_chunk *, struct jfr_val);
struct str jfr_symbol_text(struct jfr_chunk *, uint64_t key);
/* The frame id of a frame as it stands in c->ids. */
bool jfr_frame(struct jfr_reader *, uint32_t packed, uint32_t *id, struct err *);
/* Whose constructor a frame is, as it stands in c->ids. */
enum jfr_constructor { CONSTRUCTOR_OTHER, CONSTRUCTOR_ERROR, CONSTRUCTOR_THROWABLE };
enum jfr_constructor jfr_constructor(struct jfr_chunk *, uint32_t packed);
/* The frame of an allocated or locked class; outside: not in a TLAB. */
bool jfr_class_frame(struct jfr_reader *, uint64_t key, bool outside, uint32_t *id,
                     struct err *);
/* traceId, trace_id and "trace id" are one name. */
bool jfr_same_name(struct str, struct str);
/* A thread's texts; NULL if it is not known and has none. */
const struct jfr_thread *jfr_thread(struct jfr_reader *, uint64_t key);
/* The text of a carried value: a view of the chunk, or in its arena; p NULL: none. */
struct str jfr_carried_text(struct jfr_reader *, const struct jfr_carried *,
                            struct jfr_val, struct str label);
/* The name of a state, without STATE_, in lower case. */
struct str jfr_state_text(struct jfr_chunk *, uint64_t key);
/* The name of a class as it stands for a type: java.lang.Object[]. */
struct str jfr_class_text(struct jfr_reader *, uint64_t key);
/* What a stack of async-profiler was doing, by the names of its frames: "[gc]". */
const char *jfr_category(struct jfr_reader *, const struct jfr_stack *);
/* The value of a context's label, or p NULL. */
struct str jfr_context_label(const struct jfr_contexts *, uint64_t id, struct str key);
struct str jfr_context_string(const struct jfr_contexts *, uint64_t id);
/* A span in ticks and other units of this chunk in nanoseconds; bits in bytes. */
int64_t jfr_ns(const struct jfr_chunk *, int64_t value, enum jfr_unit);

/* Length of the string at c (encoding byte first), or false. */
bool jfr_skip_text(struct cur *);

#endif
