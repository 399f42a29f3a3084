#include "formats/folded.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/caps.h"
#include "base/num.h"
#include "bytes/utf8.h"

enum { LOOK = 1 << 18, CACHE = 16384 };

/* A frame as it stands in text, and its id: most frames repeat. */
struct cached {
	uint64_t hash;
	struct str text;
	uint32_t id;
};

struct reader {
	const struct folded_opts *o;
	struct folded_stats *st;
	struct stack_sink *to;
	uint32_t series;
	struct arena scratch, names;
	struct cached *cache;
	/* The stack before this one: its text, where its frames end, their ids. */
	struct buf last;
	uint32_t *ids;
	size_t *ends;
	uint64_t *hashes; /* hashes[d]: of the first d ids */
	size_t cids, cends, chashes, depth;
	uint64_t line, line_offset;
};

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* [-]digits[.digits][e[+-]digits] times scale, rounded half to even. */
static bool
parse_count(struct str s, uint64_t scale, int64_t *out, bool *rounded)
{
	uint64_t mantissa = 0, exponent = 0;
	int64_t point = 0;
	bool digits = false, dot = false, down = false, lost = false;
	bool minus = s.n && s.p[0] == '-';
	num_u128 v, ten = 1, rest;
	size_t i = minus;

	for (; i < s.n && (is_digit(s.p[i]) || (s.p[i] == '.' && !dot)); i++) {
		if (s.p[i] == '.') {
			dot = true;
			continue;
		}
		digits = true;
		if (mantissa > (UINT64_MAX - 9) / 10) {
			if (!dot)
				return false;
			lost = lost || s.p[i] != '0'; /* beyond 19 places */
			continue;
		}
		mantissa = mantissa * 10 + (uint64_t)(s.p[i] - '0');
		point -= dot;
	}
	if (!digits)
		return false;
	if (i < s.n && (s.p[i] | 32) == 'e') {
		i++;
		if (i < s.n && (s.p[i] == '-' || s.p[i] == '+'))
			down = s.p[i++] == '-';
		if (!num_u64((struct str){ s.p + i, s.n - i }, &exponent) ||
		    exponent > 1000)
			return false;
		point += down ? -(int64_t)exponent : (int64_t)exponent;
		i = s.n;
	}
	if (i < s.n)
		return false;
	v = (num_u128)mantissa * scale;
	for (; point > 0 && v; point--)
		if ((v *= 10) > (num_u128)INT64_MAX + 1)
			return false;
	for (; point < 0 && ten <= v * 2; point++)
		ten *= 10;
	if (point < 0) { /* far below one half */
		lost = lost || v;
		v = 0;
	} else {
		rest = v % ten;
		v /= ten;
		if (rest * 2 > ten || (rest * 2 == ten && (lost || v % 2)))
			v++;
		lost = lost || rest;
	}
	if (v > (num_u128)INT64_MAX + minus)
		return false;
	*rounded = lost;
	*out = minus ? (int64_t)(0 - (uint64_t)v) : (int64_t)v;
	return true;
}

/* Split "stack count"; false if the line does not end in a count. */
static bool
split(struct str line, struct str *stack, struct str *count)
{
	size_t end = line.n, from;

	for (from = end; from && !is_blank(line.p[from - 1]); from--)
		;
	if (!from)
		return false; /* no blank at all */
	*count = (struct str){ line.p + from, end - from };
	while (from && is_blank(line.p[from - 1]))
		from--;
	*stack = (struct str){ line.p, from };
	return true;
}

static enum frame_kind
annotation(struct str *name, enum frame_class *class)
{
	enum frame_kind kind = KIND_NONE;

	*class = CLASS_NONE;
	if (name->n < 4 || name->p[name->n - 1] != ']' ||
	    memcmp(name->p + name->n - 4, "_[", 2) != 0)
		return KIND_NONE;
	switch (name->p[name->n - 2]) {
	case 'k':
		*class = CLASS_KERNEL;
		break;
	case 'j':
		kind = KIND_JIT;
		break;
	case 'i':
		kind = KIND_INLINED;
		break;
	case '0':
		kind = KIND_INTERPRETED;
		break;
	case '1':
		kind = KIND_C1;
		break;
	default:
		return KIND_NONE;
	}
	name->n -= 4;
	return kind;
}

static struct str
unescaped(struct arena *a, struct str s)
{
	char *p = arena_alloc(a, s.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i], next = (char)(i + 1 < s.n ? s.p[i + 1] : 0);

		if (c == '\\' && (next == ';' || next == '\\'))
			c = next;
		else if (c == '\\' && next == 's')
			c = ' ';
		else if (c == '\\' && next == 'n')
			c = '\n';
		else
			next = '\0';
		i += next != '\0';
		p[n++] = c;
	}
	return (struct str){ p, n };
}

static uint32_t
frame_id(struct reader *r, struct str text)
{
	uint64_t hash = hash_bytes(text.p, text.n, 0);
	struct cached *c = &r->cache[hash % CACHE];
	enum frame_class class = CLASS_NONE;
	enum frame_kind kind = KIND_NONE;
	struct str name = text;

	if (!text.n)
		r->st->empty_frames++;
	if (c->text.p && c->hash == hash && str_eq(c->text, text))
		return c->id;
	if (!r->o->plain)
		kind = annotation(&name, &class);
	if (r->o->unescape)
		name = unescaped(&r->scratch, name);
	c->hash = hash;
	c->id = FRAME_ID(frames_name(r->to->frames, name, class), kind);
	/* The table keeps the name; the text with its annotation stands behind it. */
	c->text = name.n == text.n && !r->o->unescape
	        ? r->to->frames->at[FRAME_INDEX(c->id)].name
	        : arena_str(&r->names, text);
	return c->id;
}

/* Frames of the stack before that this one begins with. */
static size_t
shared(const struct reader *r, struct str stack)
{
	size_t max = stack.n < r->last.n ? stack.n : r->last.n, same = 0;
	size_t lo = 0, hi = r->depth;
	uint64_t x, y;

	for (; same + 8 <= max; same += 8) {
		memcpy(&x, r->last.p + same, 8);
		memcpy(&y, stack.p + same, 8);
		if (x != y)
			break;
	}
	while (same < max && r->last.p[same] == stack.p[same])
		same++;
	/* A frame is shared if the ';' behind it is. */
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (r->ends[mid] < same)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static size_t
next_semicolon(const struct reader *r, struct str s, size_t from)
{
	const char *p;

	for (size_t at = from;; at++) {
		p = at < s.n ? memchr(s.p + at, ';', s.n - at) : NULL;
		if (!p)
			return s.n;
		at = (size_t)(p - s.p);
		if (!r->o->unescape)
			return at;
		/* Escaped if an odd number of backslashes stands before it. */
		size_t back = at;
		while (back > from && s.p[back - 1] == '\\')
			back--;
		if ((at - back) % 2 == 0)
			return at;
	}
}

static bool
take_stack(struct reader *r, struct str stack, int64_t value, struct err *e)
{
	size_t d = shared(r, stack), at;
	struct stack s;

	at = d ? r->ends[d - 1] + 1 : 0;
	if (!r->cids) { /* room for the hash of the root */
		r->hashes = xgrow(r->hashes, &r->chashes, 1, sizeof *r->hashes);
		r->hashes[0] = STACK_HASH;
	}
	while (at <= stack.n && stack.n) {
		size_t end = next_semicolon(r, stack, at);

		if (d >= CAP_DEPTH)
			return err_set(e, ERR_LIMIT, "a stack of more than %zu frames",
			               CAP_DEPTH);
		r->ids = xgrow(r->ids, &r->cids, d + 1, sizeof *r->ids);
		r->ends = xgrow(r->ends, &r->cends, d + 1, sizeof *r->ends);
		r->hashes = xgrow(r->hashes, &r->chashes, d + 2, sizeof *r->hashes);
		r->ids[d] = frame_id(r, (struct str){ stack.p + at, end - at });
		r->ends[d] = end;
		r->hashes[d + 1] = stack_hash_step(r->hashes[d], r->ids[d]);
		d++;
		at = end + 1;
	}
	r->depth = d;
	r->last.n = 0;
	buf_str(&r->last, stack);
	s = (struct stack){
		.frames = r->ids, .depth = d, .values = &value, .hash = r->hashes[d]
	};
	return r->to->push(r->to, r->series, &s, e);
}

static bool
is_ascii(struct str s)
{
	uint64_t w, high = 0;
	size_t i = 0;

	for (; i + 8 <= s.n; i += 8) {
		memcpy(&w, s.p + i, 8);
		high |= w;
	}
	for (; i < s.n; i++)
		high |= (unsigned char)s.p[i];
	return !(high & 0x8080808080808080U);
}

static bool
take_line(struct reader *r, struct str line, struct err *e)
{
	struct str stack, count;
	int64_t value = 0;
	bool rounded = false;

	if (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	while (line.n && is_blank(line.p[line.n - 1]))
		line.n--;
	if (!line.n || (line.p[0] == '#' && !r->o->comments))
		return true;
	if (!split(line, &stack, &count) ||
	    !parse_count(count, r->o->scale ? r->o->scale : 1, &value, &rounded)) {
		if (!r->st->rejected++)
			r->st->first_line = r->line;
		return true;
	}
	if (!is_ascii(stack))
		stack = utf8_clean(&r->scratch, stack, &r->st->bad_utf8);
	r->st->accepted++;
	r->st->rounded += rounded;
	if (!take_stack(r, stack, value, e))
		return false;
	if (r->scratch.total > 1 << 20)
		arena_clear(&r->scratch);
	return true;
}

static bool
read_lines(struct reader *r, struct source *in, struct err *e)
{
	size_t want = LOOK;
	struct str view;

	for (;;) {
		size_t at = 0;
		bool last;

		if (!source_peek(in, want, &view, e))
			return false;
		last = view.n < want;
		want = LOOK;
		while (at < view.n) {
			const char *nl = memchr(view.p + at, '\n', view.n - at);
			size_t end = nl ? (size_t)(nl - view.p) : view.n;

			if (!nl && !last)
				break;
			r->line++;
			r->line_offset = source_offset(in) + at;
			if (!take_line(r, (struct str){ view.p + at, end - at }, e)) {
				err_record(e, "line", r->line);
				return false;
			}
			at = end + (nl != NULL);
		}
		if (last)
			return true;
		if (!at) { /* one line longer than all that was seen */
			want = view.n * 2;
			if (view.n > CAP_RECORD)
				return err_at(e, ERR_LIMIT, source_offset(in),
				              "a line of more than 1 GiB");
		}
		source_skip(in, at);
	}
}

static void
report(const struct reader *r, const char *name)
{
	const struct folded_stats *st = r->st;
	const struct warn *w = &r->o->warn;

	if (st->rejected)
		warn_say(w,
		         "%s: %llu of %llu lines are not \"stack count\", first line "
		         "%llu",
		         name, (unsigned long long)st->rejected,
		         (unsigned long long)st->rejected + st->accepted,
		         (unsigned long long)st->first_line);
	if (st->rounded)
		warn_say(w, "%s: %llu counts with fractions were rounded (--scale)",
		         name, (unsigned long long)st->rounded);
	if (st->empty_frames)
		warn_say(w, "%s: %llu frames without a name", name,
		         (unsigned long long)st->empty_frames);
	if (st->bad_utf8)
		warn_say(w, "%s: %zu lines were not UTF-8", name, st->bad_utf8);
}

bool
folded_read(struct source *in, const struct folded_opts *o, struct stack_sink *to,
            struct folded_stats *st, struct err *e)
{
	struct sample_type type = { .type = STR("samples"), .unit = STR("count") };
	struct label event = { STR("event"), str_of(o->event) };
	struct meta m = { .types = &type,
		          .ntypes = 1,
		          .shown = NO_TYPE,
		          .labels = &event,
		          .nlabels = o->event ? 1 : 0,
		          .profiles = 1 };
	struct reader r = { .o = o, .st = st, .to = to };
	const char *slash = o->type ? strchr(o->type, '/') : NULL;
	bool ok;

	if (o->type) {
		type.type = str_of(o->type);
		type.unit = STR("count");
	}
	if (slash) {
		type.type.n = (size_t)(slash - o->type);
		type.unit = str_of(slash + 1);
	}
	*st = (struct folded_stats){ 0 };
	r.cache = xcalloc(CACHE, sizeof *r.cache);
	ok = to->begin(to, &m, &r.series, e) && read_lines(&r, in, e);
	if (ok && st->rejected && !st->accepted) {
		err_set(e, ERR_FORMAT, "expected \"stack count\"");
		ok = err_record(e, "line", st->first_line);
	}
	ok = ok && to->end(to, r.series, &m, e);
	if (ok)
		report(&r, source_name(in));
	else
		err_in(e, source_name(in));
	free(r.cache);
	free(r.ids);
	free(r.ends);
	free(r.hashes);
	buf_clear(&r.last);
	arena_clear(&r.scratch);
	arena_clear(&r.names);
	return ok;
}

bool
folded_sniff(struct str head)
{
	size_t good = 0, bad = 0;

	for (size_t at = 0; at < head.n;) {
		const char *nl = memchr(head.p + at, '\n', head.n - at);
		size_t end = nl ? (size_t)(nl - head.p) : head.n;
		struct str line = { head.p + at, end - at }, stack, count;
		bool rounded, fits;
		int64_t value;

		at = end + 1;
		if (line.n && line.p[line.n - 1] == '\r')
			line.n--;
		while (line.n && is_blank(line.p[line.n - 1]))
			line.n--;
		if (!line.n || line.p[0] == '#')
			continue;
		if (memchr(line.p, 0, line.n))
			return false;
		fits = split(line, &stack, &count) &&
		        parse_count(count, 1, &value, &rounded);
		/* A last line that the view cuts says nothing. */
		good += fits;
		bad += !fits && nl;
	}
	return good > 0 && good >= bad;
}
