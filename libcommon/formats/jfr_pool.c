/*
 * Constants stand in checkpoint events:
 *
 *	size, type 1, time, duration	varints
 *	delta				varint, to the checkpoint before (negative)
 *	flags				byte
 *	number of pools			varint
 *	pool = type, count, count times: key, value of the type
 *
 * The pools of all checkpoints of a chunk are one; the first value of a key is kept, as
 * others say the same. A pool has no length: what is in the way must be walked. Nearly
 * all bytes are stacks:
 *
 *	jdk.types.StackTrace = truncated, count, frames (leaf first)
 *	frame = method, line, bytecode index, type	as the metadata have it
 */
#include "formats/jfr_part.h"

#include <stdlib.h>
#include <strings.h>

#include "base/num.h"
#include "bytes/utf8.h"

/* Slots of constants. */
enum { K_A, K_B, K_C, K_D };
/* Slots of frames. */
enum { FR_METHOD, FR_LINE, FR_TYPE, FR_BCI, FR_NATIVE, FR_COUNT };
/* Slot of stacks. */
enum { ST_TRUNCATED };

enum { CACHE_BITS = 12, CACHE = 1 << CACHE_BITS };
/* Bytes: a chunk is larger than caches are, and the processor looks no further than a
 * page. */
enum { AHEAD = 2048 };
/* Of a frame of four short numbers. */
enum { FRAME_BYTES = 20 };
/* Sites that have a place in a packed frame. */
#define MAX_SITES ((size_t)1 << SITE_BITS)

static const struct {
	const char *type;
	size_t size;
	struct jfr_bind bind[4];
} roles[ROLE_EXTRA] = {
	[ROLE_SYMBOL] = { "jdk.types.Symbol",
	                  sizeof(struct jfr_symbol),
	                  { { "string", K_A } } },
	[ROLE_CLASS] = { "java.lang.Class",
	                 sizeof(struct jfr_class),
	                 { { "name", K_A } } },
	[ROLE_METHOD] = { "jdk.types.Method",
	                  sizeof(struct jfr_method),
	                  { { "type", K_A }, { "name", K_B } } },
	[ROLE_THREAD] = { "java.lang.Thread",
	                  sizeof(struct jfr_thread),
	                  { { "osThreadId", K_A },
	                    { "javaThreadId", K_B },
	                    { "osName", K_C },
	                    { "javaName", K_D } } },
	[ROLE_FRAME_TYPE] = { "jdk.types.FrameType",
	                      sizeof(struct jfr_symbol),
	                      { { "description", K_A } } },
	[ROLE_STATE] = { "jdk.types.ThreadState",
	                 sizeof(struct jfr_symbol),
	                 { { "name", K_A } } },
	[ROLE_STRING] = { "java.lang.String",
	                  sizeof(struct jfr_symbol),
	                  { { "", K_A } } },
	[ROLE_NATIVE] = { NULL, sizeof(struct jfr_symbol), { { "name", K_A } } },
	/* ROLE_EXTRA and on: as ROLE_NATIVE. */
};

/*
 * The same few methods come again and again: small tables before the maps. The first
 * has but a word for a method, so that it stays in the nearest cache: the key above
 * the site, all ones if free. Keys of more than QUICK_BITS, lines and native functions
 * are served by the other.
 */
struct jfr_cached {
	uint64_t quick[CACHE];
	struct {
		uint64_t method, native;
		uint32_t line;
		uint32_t site; /* + 1; 0: free */
	} full[CACHE];
};

enum { SITE_BITS = 28, QUICK_BITS = 64 - SITE_BITS };
#define QUICK_KEYS (((uint64_t)1 << QUICK_BITS) - 1)

void
jfr_renew(struct map *m)
{
	/* Small chunks after a large one must not pay for its size each time. */
	if (m->n * 64 < m->mask)
		map_clear(m);
	else
		map_reset(m);
}

void *
jfr_pool_get(const struct jfr_pool *p, uint64_t key)
{
	const uint32_t *i = map_get(&p->at, key);
	char *entry;

	if (!i || *i >= p->n)
		return NULL;
	/* A checkpoint that was given up may have left the index of another. */
	entry = (char *)p->entry + *i * p->size;
	return memcmp(entry, &key, sizeof key) == 0 ? entry : NULL;
}

void *
jfr_pool_add(struct jfr_pool *p, uint64_t key)
{
	uint32_t *i;
	char *entry;

	if (jfr_pool_get(p, key) || p->n == UINT32_MAX)
		return NULL;
	i = map_put(&p->at, key, NULL);
	*i = (uint32_t)p->n;
	p->entry = xgrow(p->entry, &p->cap, p->n + 1, p->size);
	entry = (char *)p->entry + p->n++ * p->size;
	memset(entry, 0, p->size);
	memcpy(entry, &key, sizeof key);
	return entry;
}

/* The name of a simple type's only text is not always the same. */
static const char *
only_text(const struct jfr_meta *m, uint32_t type, char *name, size_t size)
{
	const struct jfr_type *t = &m->types[type];

	for (uint32_t i = 0; i < t->nfields; i++) {
		const struct jfr_field *f = &m->fields[t->fields + i];

		if (f->type != UINT32_MAX && m->types[f->type].prim == PRIM_TEXT &&
		    !f->array && f->name.n && f->name.n < size) {
			memcpy(name, f->name.p, f->name.n);
			name[f->name.n] = '\0';
			return name;
		}
	}
	return NULL;
}

static bool
bind_role(struct jfr_chunk *c, enum jfr_role role, uint32_t type, struct err *e)
{
	struct jfr_bind bind[4] = { 0 };
	char name[64];
	size_t n = 0;

	if (role >= ROLE_EXTRA)
		bind[n++] = (struct jfr_bind){ "name", K_A };
	while (role < ROLE_EXTRA && n < 4 && roles[role].bind[n].field) {
		bind[n] = roles[role].bind[n];
		n++;
	}
	if (c->pool[role].size == sizeof(struct jfr_symbol) &&
	    c->meta.types[type].prim == PRIM_NONE &&
	    !jfr_meta_field(&c->meta, type, bind[0].field))
		bind[0].field = only_text(&c->meta, type, name, sizeof name);
	if (!bind[0].field)
		n = 0;
	c->role_of[type] = (uint8_t)(role + 1);
	return jfr_compile(&c->meta, type, 0, UINT32_MAX, bind, n, &c->value[role], e);
}

/*
 * Newer JVMs have frames without a method, of native functions, in a field whose name
 * is not settled: it is the one that refers to a pool and is neither method nor type.
 */
static const struct jfr_field *
native_field(const struct jfr_meta *m, uint32_t frame)
{
	const struct jfr_type *t = &m->types[frame];

	for (uint32_t i = 0; i < t->nfields; i++) {
		const struct jfr_field *f = &m->fields[t->fields + i];

		if (f->pool && !f->array && f->type != UINT32_MAX &&
		    !str_eq(f->name, STR("method")) && !str_eq(f->name, STR("type")))
			return f;
	}
	return NULL;
}

/* Stacks are read by a loop of their own: before the frames, each frame, and after. */
static bool
bind_stacks(struct jfr_reader *r, struct err *e)
{
	struct jfr_chunk *c = &r->c;
	static const struct jfr_bind head[] = { { "truncated", ST_TRUNCATED } };
	struct jfr_bind bind[FR_COUNT] = { { "method", FR_METHOD },
		                           { "lineNumber", FR_LINE },
		                           { "type", FR_TYPE } };
	uint32_t type = jfr_meta_type(&c->meta, "jdk.types.StackTrace"), frame, at;
	const struct jfr_field *frames, *native;
	char name[64];
	size_t n = 3;

	if (r->opts->names.bci)
		bind[n++] = (struct jfr_bind){ "bytecodeIndex", FR_BCI };
	c->stack_bound = false;
	if (type == UINT32_MAX)
		return true;
	frames = jfr_meta_field(&c->meta, type, "frames");
	if (!frames || !frames->array || frames->pool || frames->type == UINT32_MAX)
		return true;
	frame = frames->type;
	at = (uint32_t)(frames - c->meta.fields) - c->meta.types[type].fields;
	native = native_field(&c->meta, frame);
	c->has_native = native && native->name.n && native->name.n < sizeof name;
	if (c->has_native) {
		memcpy(name, native->name.p, native->name.n);
		name[native->name.n] = '\0';
		bind[n++] = (struct jfr_bind){ name, FR_NATIVE };
		if (!c->role_of[native->type] &&
		    !bind_role(c, ROLE_NATIVE, native->type, e))
			return false;
	}
	c->role_of[type] = ROLE_STACK + 1;
	c->stack_bound = true;
	if (!jfr_compile(&c->meta, type, 0, at, head, 1, &c->stack_head, e) ||
	    !jfr_compile(&c->meta, type, at + 1, UINT32_MAX, head, 1, &c->stack_tail,
	                 e) ||
	    !jfr_compile(&c->meta, frame, 0, UINT32_MAX, bind, n, &c->frame, e))
		return false;
	/* The usual frame: method, line, bytecode index, type, all of them varints. */
	c->plain_frames = false;
	if (c->frame.n == 4 && !c->has_native) {
		const struct jfr_op *op = &c->meta.ops[c->frame.at];

		c->plain_frames = op[0].code == OP_GET && op[0].slot == FR_METHOD &&
		        op[1].code == OP_GET32 && op[1].slot == FR_LINE &&
		        op[2].code == OP_VAR && op[2].n == 1 && op[3].code == OP_GET &&
		        op[3].slot == FR_TYPE;
	}
	return true;
}

bool
jfr_bind_pools(struct jfr_reader *r, struct err *e)
{
	struct jfr_chunk *c = &r->c;
	size_t n = c->meta.ntypes + 1;

	c->role_of = xgrow(c->role_of, &c->cap_role_of, n, 1);
	c->skip = xgrow(c->skip, &c->cap_skip, n, sizeof *c->skip);
	c->have_skip = xgrow(c->have_skip, &c->cap_have_skip, n, sizeof *c->have_skip);
	memset(c->role_of, 0, n);
	memset(c->have_skip, 0, n * sizeof *c->have_skip);
	for (int role = 0; role < ROLE_POOLS; role++) {
		const char *name = role < ROLE_EXTRA ? roles[role].type : NULL;
		uint32_t type = name ? jfr_meta_type(&c->meta, name) : UINT32_MAX;

		c->pool[role].size = role < ROLE_EXTRA ? roles[role].size
		                                       : sizeof(struct jfr_symbol);
		c->pool[role].n = 0;
		jfr_renew(&c->pool[role].at);
		if (type != UINT32_MAX && !bind_role(c, (enum jfr_role)role, type, e))
			return false;
	}
	for (unsigned i = 0; i < c->nextra; i++)
		if (!c->role_of[c->extra_type[i]] &&
		    !bind_role(c, (enum jfr_role)(ROLE_EXTRA + (int)i),
		               c->extra_type[i], e))
			return false;
	return bind_stacks(r, e);
}

/* The number of a method or native function: what a site is without its line. */
static uint32_t
number_of(struct jfr_chunk *c, uint64_t method, uint64_t native)
{
	bool fresh;
	uint32_t *n = native ? map_put(&c->native_at, native, &fresh)
	                     : map_put(&c->method_at, method, &fresh);

	if (fresh)
		*n = c->nnumbers++;
	return *n;
}

static uint32_t
site_slow(struct jfr_chunk *c, uint64_t method, uint64_t native, uint32_t line)
{
	uint64_t key = (uint64_t)number_of(c, method, native) << 32 | line;
	bool fresh;
	uint32_t *site = map_put(&c->site_at, key, &fresh);

	if (fresh) {
		*site = (uint32_t)c->nsites;
		c->sites =
		        xgrow(c->sites, &c->cap_sites, c->nsites + 1, sizeof *c->sites);
		c->sites[c->nsites++] = (struct jfr_site){
			.key = native ? native : method,
			.line = line,
			.native = native != 0,
		};
	}
	return *site;
}

static inline size_t
cache_slot(uint64_t key)
{
	return (size_t)(key * 0x9e3779b97f4a7c15U >> (64 - CACHE_BITS));
}

static uint32_t
site_of(struct jfr_chunk *c, uint64_t method, uint64_t native, uint32_t line)
{
	size_t i = cache_slot(method ^ native ^ (uint64_t)line << 40);
	struct jfr_cached *k = c->cache;

	if (!k->full[i].site || k->full[i].method != method ||
	    k->full[i].line != line || k->full[i].native != native) {
		k->full[i].method = method;
		k->full[i].native = native;
		k->full[i].line = line;
		k->full[i].site = site_slow(c, method, native, line) + 1;
	}
	return k->full[i].site - 1;
}

/* The same for a method alone. */
static inline uint32_t
site_of_method(struct jfr_chunk *c, uint64_t method)
{
	uint64_t *k = &c->cache->quick[cache_slot(method)];

	if (method >= QUICK_KEYS)
		return site_of(c, method, 0, 0);
	if (*k >> SITE_BITS != method)
		*k = method << SITE_BITS | site_slow(c, method, 0, 0);
	return (uint32_t)(*k & (MAX_SITES - 1));
}

static inline uint32_t
pack(uint32_t site, uint64_t type)
{
	return site << JFR_TYPE_BITS |
	        (uint32_t)(type < JFR_TYPE_UNKNOWN ? type : JFR_TYPE_UNKNOWN);
}

/*
 * A number of up to five bytes, one by one: how long the numbers of frames are repeats
 * so much that a processor foresees it. NULL for a longer one.
 */
static inline const unsigned char *
short_var(const unsigned char *p, uint64_t *v)
{
	uint64_t w = p[0];

	if (w < 0x80) {
		*v = w;
		return p + 1;
	}
	w = (w & 0x7f) | (uint64_t)p[1] << 7;
	if (p[1] < 0x80) {
		*v = w;
		return p + 2;
	}
	w = (w & 0x3fff) | (uint64_t)p[2] << 14;
	if (p[2] < 0x80) {
		*v = w;
		return p + 3;
	}
	w = (w & 0x1fffff) | (uint64_t)p[3] << 21;
	if (p[3] < 0x80) {
		*v = w;
		return p + 4;
	}
	*v = (w & 0xfffffff) | (uint64_t)p[4] << 28;
	return p[4] < 0x80 ? p + 5 : NULL;
}

/* A frame of four varints of which line and bytecode index do not matter. */
static inline bool
plain_frame(struct cur *c, uint64_t *method, uint64_t *type)
{
	const unsigned char *p = c->p;
	uint64_t skipped;

	__builtin_prefetch(p + AHEAD);
	if (cur_left(c) >= FRAME_BYTES && (p = short_var(p, method)) &&
	    (p = short_var(p, &skipped)) && (p = short_var(p, &skipped)) &&
	    (p = short_var(p, type))) {
		c->p = p;
		return true;
	}
	return jfr_var(c, method) && jfr_var(c, &skipped) && jfr_var(c, &skipped) &&
	        jfr_var(c, type);
}

/* n frames, leaf first, into ids, root first. */
static bool
read_frames(struct jfr_reader *r, struct cur *cur, size_t n, uint32_t *ids)
{
	struct jfr_chunk *c = &r->c;
	const struct jfr_naming *names = &r->opts->names;
	bool lines = names->line || names->bci || (r->opts->identity & ID_LINE);
	struct cur p = *cur;

	for (size_t i = n; i-- > 0;) {
		struct jfr_val v[FR_COUNT];
		uint64_t method, type;
		uint32_t line = 0;

		if (c->plain_frames && !lines) {
			if (!plain_frame(&p, &method, &type))
				return false;
			ids[i] = pack(site_of_method(c, method), type);
			continue;
		}
		memset(v, 0, sizeof v);
		if (!jfr_run(&c->meta, c->frame, &p, c->base, v))
			return false;
		if (lines && (int32_t)(uint32_t)v[FR_LINE].v > 0)
			line = (uint32_t)v[FR_LINE].v;
		/* Of both they keep 16 bits, where -1 is a line. */
		if (names->line)
			line = (uint32_t)v[FR_LINE].v & 0xffff;
		if (names->bci && (!names->line || !line))
			line = ((uint32_t)v[FR_BCI].v & 0xffff) | JFR_IS_BCI;
		ids[i] = pack(site_of(c, v[FR_METHOD].v,
		                      v[FR_METHOD].v ? 0 : v[FR_NATIVE].v, line),
		              v[FR_TYPE].v);
	}
	*cur = p;
	return true;
}

/* Of the 64 bytes at p, those that end a number; all of them from end on. */
static inline uint64_t
endings(const unsigned char *p, const unsigned char *end)
{
	size_t n = end - p < 64 ? (size_t)(end - p) : 64;
	uint64_t m = n < 64 ? ~(uint64_t)0 << n : 0;

	for (size_t i = 0; i < n; i += 8) {
		uint64_t last = (~jfr_word(p + i) & JFR_HIGH) >> 7;

		/* The bits, 8 apart, next to each other. */
		m |= (last * 0x0102040810204080U >> 56) << i;
	}
	return m;
}

/*
 * Step over varints by the bytes that end one, 64 at a time. Not where eight bytes on
 * end go on: then a ninth belongs to the number, whatever it is.
 */
static bool
skip_plain(struct cur *cur, size_t n)
{
	const unsigned char *p = cur->p;
	size_t before = 0; /* bytes that go on, up to p */

	while (n) {
		uint64_t ends = endings(p, cur->end), going = ~ends, sums, seen = 0;
		unsigned at = 0;

		__builtin_prefetch(p + AHEAD);
		going &= going >> 1;
		going &= going >> 2;
		if ((going & going >> 4) || !ends ||
		    before + (size_t)__builtin_ctzll(ends) >= 8)
			return false;
		/* How many end in each byte's eight, and in all up to these. */
		sums = ends - (ends >> 1 & 0x5555555555555555U);
		sums = (sums & 0x3333333333333333U) + (sums >> 2 & 0x3333333333333333U);
		sums = ((sums + (sums >> 4)) & 0x0f0f0f0f0f0f0f0fU) *
		        0x0101010101010101U;
		if (sums >> 56 < n) {
			n -= sums >> 56;
			before = (size_t)__builtin_clzll(ends);
			p += 64;
			if (p > cur->end)
				return false;
			continue;
		}
		/* The eight where the last one ends, and the bit in them. */
		for (; (sums & 0xff) < n; sums >>= 8) {
			seen = sums & 0xff;
			at += 8;
		}
		ends >>= at;
		for (n -= seen; n > 1; n--)
			ends &= ends - 1;
		p += at + (size_t)__builtin_ctzll(ends) + 1;
		n = 0;
	}
	if (p > cur->end)
		return false;
	cur->p = p;
	return true;
}

static bool
skip_frames(struct jfr_chunk *c, struct cur *cur, size_t n)
{
	struct jfr_val v[FR_COUNT];

	if (c->plain_frames && skip_plain(cur, 4 * n))
		return true;
	for (size_t i = 0; i < n; i++)
		if (!jfr_run(&c->meta, c->frame, cur, c->base, v))
			return false;
	return true;
}

static bool
read_stack(struct jfr_reader *r, struct cur *cur, uint64_t key)
{
	struct jfr_chunk *c = &r->c;
	const uint32_t *wanted = map_get(&c->stack_at, key);
	struct jfr_stack *s = wanted ? &c->stacks[*wanted] : NULL;
	struct jfr_val v[1] = { 0 };
	uint64_t n;

	if (!jfr_run(&c->meta, c->stack_head, cur, c->base, v) || !jfr_var(cur, &n) ||
	    n > cur_left(cur) || n > CAP_DEPTH || c->nsites + n > MAX_SITES)
		return false;
	if (s && !s->found) {
		c->ids = xgrow(c->ids, &c->cap_ids, c->nids + (size_t)n + 1,
		               sizeof *c->ids);
		if (!read_frames(r, cur, (size_t)n, c->ids + c->nids))
			return false;
	} else if (!skip_frames(c, cur, (size_t)n)) {
		return false;
	}
	if (!jfr_run(&c->meta, c->stack_tail, cur, c->base, v))
		return false;
	if (s && !s->found) {
		s->found = true;
		s->truncated = v[ST_TRUNCATED].v != 0;
		s->at = c->nids;
		s->n = (uint32_t)n;
		c->nids += (size_t)n;
		c->decoded = xgrow(c->decoded, &c->cap_decoded, c->ndecoded + 1,
		                   sizeof *c->decoded);
		c->decoded[c->ndecoded++] = *wanted;
	}
	return true;
}

static void
keep(struct jfr_pool *p, enum jfr_role role, uint64_t key, const struct jfr_val *v)
{
	void *entry = jfr_pool_add(p, key);

	if (!entry)
		return;
	switch (role) {
	case ROLE_CLASS:
		((struct jfr_class *)entry)->name = v[K_A].v;
		break;
	case ROLE_METHOD:
		((struct jfr_method *)entry)->class = v[K_A].v;
		((struct jfr_method *)entry)->name = v[K_B].v;
		break;
	case ROLE_THREAD: {
		struct jfr_thread *t = entry;

		t->tid = v[K_A].v;
		t->java_tid = v[K_B].v;
		t->os_name = v[K_C];
		t->java_name = v[K_D];
		break;
	}
	default:
		((struct jfr_symbol *)entry)->text = v[K_A];
		break;
	}
}

/* The constants of one type. False if they do not fit it. */
static bool
read_pool(struct jfr_reader *r, struct cur *cur)
{
	struct jfr_chunk *c = &r->c;
	struct err e = { 0 };
	uint64_t id, count, key;
	const uint32_t *type;
	unsigned role;

	if (!jfr_var(cur, &id) || !jfr_var(cur, &count) || count > cur_left(cur) ||
	    !(type = map_get(&c->meta.by_id, id)))
		return false;
	role = c->role_of[*type];
	if (role == ROLE_STACK + 1) {
		while (count--)
			if (!jfr_var(cur, &key) || !read_stack(r, cur, key))
				return false;
		return true;
	}
	if (role == ROLE_THREAD + 1 && !r->need_threads)
		role = 0;
	if (!role && !c->have_skip[*type]) {
		if (!jfr_compile(&c->meta, *type, 0, UINT32_MAX, NULL, 0,
		                 &c->skip[*type], &e))
			return false;
		c->have_skip[*type] = true;
	}
	while (count--) {
		struct jfr_val v[4];

		memset(v, 0, sizeof v);
		if (!jfr_var(cur, &key) ||
		    !jfr_run(&c->meta, role ? c->value[role - 1] : c->skip[*type], cur,
		             c->base, v))
			return false;
		if (role)
			keep(&c->pool[role - 1], (enum jfr_role)(role - 1), key, v);
	}
	return true;
}

/* Take back what a checkpoint gave that turned out to be garbage. */
static void
take_back(struct jfr_chunk *c, const size_t *pools, size_t decoded, size_t ids)
{
	for (int role = 0; role < ROLE_POOLS; role++)
		c->pool[role].n = pools[role];
	while (c->ndecoded > decoded)
		c->stacks[c->decoded[--c->ndecoded]].found = false;
	c->nids = ids;
}

/* All pools of a checkpoint, or nothing of them. */
static bool
read_checkpoint(struct jfr_reader *r, uint64_t at)
{
	struct jfr_chunk *c = &r->c;
	struct cur all = { .p = c->base + at,
		           .end = c->base + c->h.size,
		           .base = c->base };
	struct cur cur;
	size_t pools[ROLE_POOLS], decoded = c->ndecoded, ids = c->nids;
	uint64_t size, type, v, n;

	for (int role = 0; role < ROLE_POOLS; role++)
		pools[role] = c->pool[role].n;
	if (!jfr_event_head(&all, &cur, &size, &type) || !jfr_var(&cur, &v) ||
	    !jfr_var(&cur, &v) || !jfr_var(&cur, &v) || !cur_left(&cur))
		return false;
	cur.p++; /* flags */
	if (!jfr_var(&cur, &n))
		return false;
	while (n--)
		if (!read_pool(r, &cur)) {
			take_back(c, pools, decoded, ids);
			return false;
		}
	/* Bytes left over are somebody's addition. */
	return true;
}

/* Whether a state's name, without STATE_, begins with one of a list. */
static bool
in_list(struct str name, const char *list)
{
	if (str_starts(name, STR("STATE_"))) {
		name.p += 6;
		name.n -= 6;
	}
	for (const char *end; *list; list = *end ? end + 1 : end) {
		size_t n;

		end = strchrnul(list, ',');
		n = (size_t)(end - list);
		if (n && n <= name.n && strncasecmp(name.p, list, n) == 0)
			return true;
	}
	return false;
}

static void
learn_types(struct jfr_reader *r)
{
	struct jfr_chunk *c = &r->c;
	static const struct {
		const char *text;
		uint8_t class, kind;
	} known[] = {
		{ "Interpreted", CLASS_MANAGED, KIND_INTERPRETED },
		{ "JIT compiled", CLASS_MANAGED, KIND_JIT },
		{ "Inlined", CLASS_MANAGED, KIND_INLINED },
		{ "C1 compiled", CLASS_MANAGED, KIND_C1 },
		{ "Native", CLASS_NATIVE, KIND_NONE },
		{ "C++", CLASS_CXX, KIND_NONE },
		{ "Kernel", CLASS_KERNEL, KIND_NONE },
	};
	const struct jfr_pool *types = &c->pool[ROLE_FRAME_TYPE];
	struct jfr_pool *states = &c->pool[ROLE_STATE];

	c->ap = c->has_default = false;
	for (int i = 0; i < 16; i++) {
		c->type[i].class = CLASS_MANAGED;
		c->type[i].kind = KIND_NONE;
		c->type[i].native = false;
	}
	for (size_t i = 0; i < types->n; i++) {
		const struct jfr_symbol *s =
		        (const struct jfr_symbol *)types->entry + i;
		struct str text = jfr_text(c, s->text);

		if (str_eq(text, STR("Kernel")))
			c->ap = true;
		for (size_t k = 0; k < sizeof known / sizeof *known; k++)
			if (s->key < JFR_TYPE_UNKNOWN &&
			    str_eq(text, str_of(known[k].text))) {
				c->type[s->key].class = known[k].class;
				c->type[s->key].kind = known[k].kind;
			}
	}
	for (size_t i = 0; i < states->n; i++) {
		struct jfr_symbol *s = (struct jfr_symbol *)states->entry + i;
		struct str text = jfr_text(c, s->text);

		s->sleeping = str_eq(text, STR("STATE_SLEEPING"));
		s->chosen = r->opts->states && in_list(text, r->opts->states);
		r->stats->state_found = r->stats->state_found || s->chosen;
		if (str_eq(text, STR("STATE_DEFAULT"))) {
			c->ap = c->has_default = true;
			c->default_state = s->key;
		}
	}
	/* To the JDK a native frame is a Java method without Java code. */
	for (int i = 0; i < 16; i++)
		c->type[i].native = c->type[i].class == CLASS_CXX ||
		        c->type[i].class == CLASS_KERNEL ||
		        (c->type[i].class == CLASS_NATIVE && c->ap);
}

bool
jfr_pools(struct jfr_reader *r, struct err *e)
{
	struct jfr_chunk *c = &r->c;

	if (!c->cache)
		c->cache = xcalloc(1, sizeof *c->cache);
	else if (c->nsites)
		memset(c->cache->full, 0, sizeof c->cache->full);
	memset(c->cache->quick, 0xff, sizeof c->cache->quick);
	c->nids = c->ndecoded = c->nsites = 0;
	c->nnumbers = 0;
	jfr_renew(&c->method_at);
	jfr_renew(&c->native_at);
	jfr_renew(&c->site_at);
	for (size_t i = 0; i < c->ncheckpoints; i++) {
		if (read_checkpoint(r, c->checkpoints[i]))
			continue;
		if (!jfr_damaged(&r->walk, c->h.at + c->checkpoints[i], 0, e,
		                 "constants do not fit their types and are left out"))
			return false;
	}
	learn_types(r);
	return true;
}
