/*
 * Java Flight Recorder files, from JDK 9 to 25 and from async-profiler, to weighted
 * stacks. Chunk by chunk: memory follows the largest chunk, so gzip, pipes and files
 * are all the same. Everything is found by the names in the chunk's own metadata, never
 * by number or position. Each kind of profile is a series of its own, the count of
 * samples first.
 */
#ifndef JFR_H
#define JFR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/when.h"
#include "bytes/io.h"
#include "tree/stack.h"

/* What an event can be a sample of; jfr_kind_info says more of each. */
enum jfr_kind {
	JFR_CPU,
	JFR_WALL,
	JFR_ALLOC,
	JFR_LIVE,
	JFR_LOCK,
	JFR_SOCKET,
	JFR_FILE,
	JFR_EXCEPTION,
	JFR_MALLOC,
	JFR_NATIVELOCK,
	JFR_TRACE,
	JFR_GC,
	JFR_USUAL_KINDS, /* those before are given without being asked for */
	JFR_NATIVE = JFR_USUAL_KINDS,
	JFR_ALLOC_TLAB,
	JFR_ALLOC_OUTSIDE,
	JFR_ALLOC_SAMPLE,
	JFR_OLD,
	JFR_MONITOR,
	JFR_PARK,
	JFR_WAIT,
	JFR_SLEEP,
	JFR_LEAK,
	JFR_SAFEPOINT,
	JFR_EXEC,    /* execution samples of every sort: jfrconv's default */
	JFR_CPUTIME, /* CPUTimeSample alone */
	/* The five trees of SkyWalking, of one value each. */
	JFR_OAP_EXEC,
	JFR_OAP_TLAB,
	JFR_OAP_OUTSIDE,
	JFR_OAP_LOCK,
	JFR_OAP_LIVE,
	JFR_KINDS,
	JFR_MAX_CUSTOM = 16, /* event types that the caller names, behind these */
	JFR_ALL_KINDS = JFR_KINDS + JFR_MAX_CUSTOM
};

#define JFR_KIND(kind) (UINT64_C(1) << (kind))
#define JFR_USUAL (JFR_KIND(JFR_USUAL_KINDS) - 1)
#define JFR_OAP                                                                        \
	(JFR_KIND(JFR_OAP_EXEC) | JFR_KIND(JFR_OAP_TLAB) | JFR_KIND(JFR_OAP_OUTSIDE) | \
	 JFR_KIND(JFR_OAP_LOCK) | JFR_KIND(JFR_OAP_LIVE))

/* The name of a kind, which is the label event of its series. */
const char *jfr_kind_name(enum jfr_kind);
/* The kind of that name, or false. Those of SkyWalking have none here. */
bool jfr_kind(struct str name, enum jfr_kind *out);
/* "cpu, wall, ..." of all that jfr_kind knows. */
void jfr_kind_list(uint64_t kinds, struct buf *);

/* An event type that has stacks, and the field that is its measure (NULL: none). */
struct jfr_custom {
	const char *type, *value;
};

/* How frames are called, where not our way. */
struct jfr_naming {
	bool jfrconv; /* names, classes and sorts of frames as jfrconv has them; with
	                 it: */
	bool dot, norm,
	        simple; /* classes dotted; numbers of hidden ones and packages cut */
	bool line, bci; /* name:line, name@bci */
};

/*
 * What async-profiler says in the first chunk of a recording and means for all: kept by
 * who reads chunk by chunk, from one jfr_read to the next. All-zero before the first.
 */
struct jfr_held {
	bool known;
	int64_t ap_interval, ap_wall, jdk_period, jdk_native_period, dd_interval,
	        dd_wall;
	char ap_event[512];
	size_t event_len;
};

struct jfr_opts {
	/*
	 * JFR_KIND bits; 0: the usual ones, if there are no custom ones. Wall asked for
	 * by name is made of the JDK's execution samples too, which know no other wall
	 * clock.
	 */
	uint64_t kinds;
	const struct jfr_custom *custom;
	size_t ncustom;
	struct jfr_naming names;
	unsigned identity;   /* ID_LINE, ID_MODULE */
	bool both;           /* of events that saw the same, take both */
	bool keep_stackless; /* samples without a stack stay, under JFR_NO_STACK */
	bool show_cut; /* stacks cut at the recorder's limit begin with JFR_TRUNCATED */
	bool times;    /* each event by itself, with time and thread */
	bool strict;   /* damage is an error */
	bool ahead;    /* a thread decodes the next chunk; the same is read */
	bool rescue;   /* take what can be had of a chunk that is cut short */

	/* What is taken; from and to both belong to the window. */
	bool from, to;
	struct when from_time, to_time;
	bool end_so_far;    /* the end is that of the chunks up to each, as jfrconv's */
	const char *states; /* "runnable,sleeping": beginnings of names of states */
	int64_t min_duration_ns; /* of events that have one */
	/* Samples within spans of their thread, as long at least, with this tag. */
	bool spans;
	int64_t span_ns;
	const char *tag; /* NULL: any */
	/* Labels of contexts, as Grafana's agent writes beside the recording. */
	struct jfr_contexts *contexts; /* the caller frees */
	double leak_tail; /* part of the time at whose end mallocs are no leaks yet */
	double grain;     /* jfrconv's: of so many samples one is kept; 0: all */
	struct warn warn;
	/* Settings of the chunks before; NULL: the input is whole. */
	struct jfr_held *held;
};

#define JFR_NO_STACK "[no stack trace]"
#define JFR_TRUNCATED "[truncated]"

struct jfr_stats {
	uint64_t chunks, events, bytes;
	uint64_t found;     /* JFR_KIND bits of what is there, asked for or not */
	uint64_t given;     /* those that became a series */
	uint64_t stackless; /* samples whose stack is missing */
	uint64_t nameless;  /* frames whose method is missing */
	uint64_t too_large; /* samples left out, as a sum would exceed 64 bits */
	uint64_t unknown;   /* events of a type that the metadata lack */
	uint64_t lost;      /* bytes that the recorder itself says it lost */
	uint64_t lost_cpu;  /* CPU time samples that it says it lost */
	uint64_t assumed;   /* JFR_KIND bits: the sampling interval is a default */
	int64_t interval_ns[JFR_KINDS]; /* a sample's, where time is estimated by it */
	/* JFR_KIND bits: sampled in two ways at once; one of them was taken, or both.
	 */
	uint64_t twice;
	/* Samples that selection left out. */
	uint64_t out_of_window, too_short, no_span, no_state;
	uint64_t spans;   /* that were found */
	bool state_found; /* a state that was asked for is in the recording */
	bool partial;     /* something was damaged or unfinished */
};

/* Whether bytes at the start of an input are a recording's. */
bool jfr_sniff(struct str head);
/*
 * Read a recording into the sink, one series a kind. Stacks carry the labels that the
 * sink looks at: thread and tid, state, class, category (jfr_category), event_type,
 * tag, the fields of the event by their names, and those of its context. A damaged or
 * unfinished recording is read as far as it goes: a warning, and stats->partial.
 * Spans and times that count from the end need two passes: what cannot be read twice is
 * held in memory for them.
 */
bool jfr_read(struct source *, const struct jfr_opts *, struct stack_sink *,
              struct jfr_stats *, struct err *);

/* Contexts from a LabelsSnapshot (jfr_context.c), packed or not. NULL on failure. */
struct jfr_contexts *jfr_contexts_read(const char *path, struct err *);
struct jfr_contexts *jfr_contexts_of(struct str, struct err *);
void jfr_contexts_free(struct jfr_contexts *);

#endif
