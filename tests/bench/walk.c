/*
 * walk - what a recording costs before anything is made of it: every event is touched,
 * every constant stepped over and every frame of every stack decoded, as the metadata
 * of each chunk say. No tree, no names, no checks: the input is trusted, for make bench
 * recorded it. This is the floor that bench.sh measures jfr2tree against.
 */
#include <endian.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/str.h"

enum { HEADER = 68, IDS = 1 << 16, MAX_OPS = 1 << 14, FRAME = 4 };

enum code { VARINTS, BYTES, TEXT, REPEAT }; /* the n ops that follow, a count times */

struct op {
	enum code code;
	uint32_t n;
};

struct field {
	struct str name;
	uint32_t type;
	bool pool, array;
};

struct type {
	struct str name;
	struct field *fields;
	size_t n, cap;
	size_t at, end; /* the program over a value; at == end: not made yet */
};

struct frame {
	uint64_t method, rest;
};

struct walk {
	struct type *types; /* by id */
	uint32_t *ids;      /* of types */
	size_t nids, cap_ids;
	struct op ops[MAX_OPS];
	size_t nops;
	struct arena names;
	struct str *strings;
	size_t nstrings, cap;
	/* The stack's ops before its frames and after them. */
	size_t frames, frames_end;
	uint32_t stack;
	struct frame *frame;
	size_t cap_frame;
	uint64_t chunks, largest, events, constants, stacks, frames_seen, sum;
};

static _Noreturn void
fail(const char *what)
{
	fprintf(stderr, "walk: %s\n", what);
	exit(2);
}

/* Seven bits a byte, least significant first; the ninth byte has eight. */
static inline uint64_t
varint(const unsigned char **p)
{
	const unsigned char *q = *p;
	uint64_t v = *q++;

	if (v >= 0x80) {
		v &= 0x7f;
		for (unsigned shift = 7; shift < 56; shift += 7) {
			uint64_t byte = *q++;

			v |= (byte & 0x7f) << shift;
			if (byte < 0x80) {
				*p = q;
				return v;
			}
		}
		v |= (uint64_t)*q++ << 56;
	}
	*p = q;
	return v;
}

static uint64_t
be64(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return be64toh(v);
}

static const unsigned char *
step_text(const unsigned char *p)
{
	unsigned form = *p++;
	uint64_t n = form < 2 ? 0 : varint(&p);

	if (form == 3 || form == 5)
		return p + n;
	while (form == 4 && n--)
		varint(&p);
	return p;
}

/* A string of the metadata, where all that matters is ASCII. */
static struct str
text(struct arena *a, const unsigned char **p)
{
	const unsigned char *q = *p + 1;
	unsigned form = **p;
	size_t n = form < 3 ? 0 : (size_t)varint(&q);
	char *s = arena_alloc(a, n);

	for (size_t i = 0; i < n; i++)
		s[i] = (char)(form == 4 ? varint(&q) : *q++);
	*p = step_text(*p);
	return (struct str){ s, n };
}

/* ---- metadata ---- */

static uint32_t
number(struct str s)
{
	uint32_t v = 0;

	for (size_t i = 0; i < s.n; i++)
		v = v * 10 + (uint32_t)(s.p[i] - '0');
	if (v >= IDS)
		fail("a type id that is too large");
	return v;
}

static void
read_metadata(struct walk *w, const unsigned char *p)
{
	struct type *type = NULL;

	for (; w->nids; w->nids--) {
		type = &w->types[w->ids[w->nids - 1]];
		free(type->fields);
		*type = (struct type){ 0 };
	}
	type = NULL;
	arena_clear(&w->names);
	w->nops = 0;
	for (int i = 0; i < 5; i++) /* size, type, time, duration, id */
		varint(&p);
	w->nstrings = (size_t)varint(&p);
	w->strings = xgrow(w->strings, &w->cap, w->nstrings, sizeof *w->strings);
	for (size_t i = 0; i < w->nstrings; i++)
		w->strings[i] = text(&w->names, &p);
	/* Elements in preorder: a field belongs to the class before it. */
	for (uint64_t left = 1; left; left--) {
		struct str what = w->strings[varint(&p)], name = { 0 }, id = { 0 };
		struct str class = { 0 };
		bool pool = false, array = false;

		for (uint64_t n = varint(&p); n; n--) {
			struct str key = w->strings[varint(&p)];
			struct str value = w->strings[varint(&p)];

			if (str_eq(key, STR("name")))
				name = value;
			else if (str_eq(key, STR("id")))
				id = value;
			else if (str_eq(key, STR("class")))
				class = value;
			else if (str_eq(key, STR("constantPool")))
				pool = str_eq(value, STR("true"));
			else if (str_eq(key, STR("dimension")))
				array = !str_eq(value, STR("0"));
		}
		left += varint(&p);
		if (str_eq(what, STR("class"))) {
			w->ids =
			        xgrow(w->ids, &w->cap_ids, w->nids + 1, sizeof *w->ids);
			w->ids[w->nids] = number(id);
			type = &w->types[w->ids[w->nids++]];
			type->name = name;
			if (str_eq(name, STR("jdk.types.StackTrace")))
				w->stack = w->ids[w->nids - 1];
		} else if (type && str_eq(what, STR("field"))) {
			type->fields = xgrow(type->fields, &type->cap, type->n + 1,
			                     sizeof *type->fields);
			type->fields[type->n++] =
			        (struct field){ name, number(class), pool, array };
		}
	}
}

static void
emit(struct walk *w, enum code code, uint32_t n)
{
	if (w->nops == MAX_OPS)
		fail("types that are too large");
	w->ops[w->nops++] = (struct op){ code, n };
}

static bool
integer(struct str name)
{
	return str_eq(name, STR("long")) || str_eq(name, STR("int")) ||
	        str_eq(name, STR("short")) || str_eq(name, STR("char"));
}

static void compile_value(struct walk *w, uint32_t id);

static void
compile_fields(struct walk *w, const struct field *f, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t loop = w->nops;

		if (f[i].array)
			emit(w, REPEAT, 0);
		if (f[i].pool)
			emit(w, VARINTS, 1);
		else
			compile_value(w, f[i].type);
		if (f[i].array)
			w->ops[loop].n = (uint32_t)(w->nops - loop - 1);
	}
}

/* Types nest a few deep at most. */
static void
compile_value(struct walk *w, uint32_t id)
{
	const struct type *t = &w->types[id];

	if (integer(t->name))
		emit(w, VARINTS, 1);
	else if (str_eq(t->name, STR("byte")) || str_eq(t->name, STR("boolean")))
		emit(w, BYTES, 1);
	else if (str_eq(t->name, STR("float")))
		emit(w, BYTES, 4);
	else if (str_eq(t->name, STR("double")))
		emit(w, BYTES, 8);
	else if (str_eq(t->name, STR("java.lang.String")))
		emit(w, TEXT, 1);
	else
		compile_fields(w, t->fields, t->n);
}

/* Find the stacks, and the frames in them: numbers, as many as we are ready for. */
static void
compile_stack(struct walk *w)
{
	const struct type *t = &w->types[w->stack], *frame;
	size_t at = 0;

	while (at < t->n && !str_eq(t->fields[at].name, STR("frames")))
		at++;
	if (at == t->n || !t->fields[at].array || t->fields[at].pool)
		fail("stacks without frames");
	frame = &w->types[t->fields[at].type];
	for (size_t i = 0; i < frame->n; i++)
		if (frame->fields[i].array ||
		    !(frame->fields[i].pool ||
		      integer(w->types[frame->fields[i].type].name)))
			fail("frames of another shape");
	if (frame->n != FRAME)
		fail("frames of another shape");
	w->nops = 0;
	compile_fields(w, t->fields, at);
	w->frames = w->nops;
	compile_fields(w, t->fields + at + 1, t->n - at - 1);
	w->frames_end = w->nops;
}

/* ---- values ---- */

static const unsigned char *
step(const struct op *op, const struct op *end, const unsigned char *p)
{
	uint64_t n;

	for (; op < end; op++) {
		switch (op->code) {
		case VARINTS:
			for (uint32_t i = 0; i < op->n; i++)
				varint(&p);
			break;
		case BYTES:
			p += op->n;
			break;
		case TEXT:
			p = step_text(p);
			break;
		case REPEAT:
			for (n = varint(&p); n; n--)
				p = step(op + 1, op + 1 + op->n, p);
			op += op->n;
			break;
		}
	}
	return p;
}

static const unsigned char *
step_stack(struct walk *w, const unsigned char *p)
{
	size_t n;

	p = step(w->ops, w->ops + w->frames, p);
	n = (size_t)varint(&p);
	w->frame = xgrow(w->frame, &w->cap_frame, n, sizeof *w->frame);
	for (size_t i = 0; i < n; i++) {
		struct frame f = { .method = varint(&p) };

		for (int k = 1; k < FRAME; k++)
			f.rest = f.rest << 16 ^ varint(&p);
		w->frame[i] = f;
	}
	if (n)
		w->sum ^= w->frame[0].method ^ w->frame[n - 1].rest;
	w->stacks++;
	w->frames_seen += n;
	return step(w->ops + w->frames, w->ops + w->frames_end, p);
}

static void
read_checkpoint(struct walk *w, const unsigned char *p, const unsigned char *end)
{
	varint(&p); /* time, duration, delta, flags */
	varint(&p);
	varint(&p);
	p++;
	for (uint64_t pools = varint(&p); pools; pools--) {
		uint32_t id = (uint32_t)varint(&p);
		struct type *t = &w->types[id];
		uint64_t n = varint(&p);

		if (t->at == t->end) {
			t->at = w->nops;
			compile_value(w, id);
			t->end = w->nops;
		}
		w->constants += n;
		while (n--) {
			w->sum ^= varint(&p);
			p = id == w->stack ? step_stack(w, p)
			                   : step(w->ops + t->at, w->ops + t->end, p);
		}
	}
	if (p > end)
		fail("a checkpoint does not fit the metadata");
}

static void
read_chunk(struct walk *w, const unsigned char *base)
{
	uint64_t size = be64(base + 8), length;

	read_metadata(w, base + be64(base + 24));
	compile_stack(w);
	for (const unsigned char *p = base + HEADER; p < base + size; p += length) {
		const unsigned char *q = p;
		uint64_t type;

		length = varint(&q);
		type = varint(&q);
		if (!length)
			fail("an event without a length");
		if (type == 1) {
			read_checkpoint(w, q, p + length);
		} else if (type) {
			w->events++;
			w->sum ^= varint(&q);
		}
	}
	w->chunks++;
	if (size > w->largest)
		w->largest = size;
}

int
main(int argc, char **argv)
{
	static struct walk w;
	const unsigned char *base;
	struct stat st;
	int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0 || fstat(fd, &st) < 0)
		fail("usage: walk recording");
	base = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd,
	            0);
	if (base == MAP_FAILED)
		fail("cannot map the recording");
	w.types = xcalloc(IDS, sizeof *w.types);
	for (uint64_t at = 0; at + HEADER <= (uint64_t)st.st_size;) {
		if (memcmp(base + at, "FLR\0", 4) != 0 || !be64(base + at + 8))
			fail("no chunk where one should begin");
		read_chunk(&w, base + at);
		at += be64(base + at + 8);
	}
	printf("chunks=%llu largest=%llu events=%llu constants=%llu stacks=%llu "
	       "frames=%llu sum=%llx\n",
	       (unsigned long long)w.chunks, (unsigned long long)w.largest,
	       (unsigned long long)w.events, (unsigned long long)w.constants,
	       (unsigned long long)w.stacks, (unsigned long long)w.frames_seen,
	       (unsigned long long)w.sum);
	return 0;
}
