/*
 * From one chunk to the next. A chunk begins with
 *
 *	0	4	"FLR\0"
 *	4	2 2	version, major and minor	all of it big-endian
 *	8	8	size of the chunk with this header
 *	16	8	offset of the last checkpoint in the chunk
 *	24	8	offset of the metadata
 *	32	8 8	start in ns since 1970, duration in ns
 *	48	8	start in ticks
 *	56	8	ticks a second
 *	64	4	features; in 2.1 generation, 0, flags; last bit: varints
 *
 * and says where the next one begins. Where that cannot be believed, the next header
 * that can is looked for. Since pools and metadata may stand behind the events that
 * need them, a chunk is looked at as a whole, and no more than one is in memory.
 */
#include <stdarg.h>

#include "formats/jfr_part.h"

bool
jfr_sniff(struct str head)
{
	return head.n >= 4 && memcmp(head.p, "FLR\0", 4) == 0;
}

bool
jfr_damaged(struct jfr_walk *w, uint64_t at, uint64_t bytes, struct err *e,
            const char *fmt, ...)
{
	char text[sizeof w->damage.text];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (w->strict && bytes)
		return err_at(e, ERR_FORMAT, at, "%s; %llu bytes ignored", text,
		              (unsigned long long)bytes);
	if (w->strict)
		return err_at(e, ERR_FORMAT, at, "%s", text);
	if (!w->damage.places++) {
		w->damage.at = at;
		memcpy(w->damage.text, text, sizeof text);
	}
	w->damage.bytes += bytes;
	return true;
}

static uint64_t
be(const unsigned char *p, size_t n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | *p++;
	return v;
}

void
jfr_header_read(struct jfr_header *h, const unsigned char *p, uint64_t at)
{
	*h = (struct jfr_header){
		.at = at,
		.major = (unsigned)be(p + 4, 2),
		.minor = (unsigned)be(p + 6, 2),
		.size = be(p + 8, 8),
		.pools = be(p + 16, 8),
		.meta = be(p + 24, 8),
		.start_ns = be(p + 32, 8),
		.duration_ns = be(p + 40, 8),
		.start_ticks = be(p + 48, 8),
		.ticks_per_s = be(p + 56, 8),
		.compressed = p[67] & 1,
	};
	if (h->major > 2 || (h->major == 2 && h->minor >= 1)) {
		h->generation = p[64];
		h->final = p[67] & 2;
	}
}

/* Why a chunk cannot be read whatever follows; NULL if nothing is against it. */
static const char *
refusal(const struct jfr_header *h, char *text, size_t size)
{
	if (h->major == 0)
		snprintf(text, size,
		         "Oracle JDK 7/8 commercial recording (v0.%u) is not supported",
		         h->minor);
	else if (h->major > 2)
		snprintf(text, size, "JFR version %u.%u is not supported", h->major,
		         h->minor);
	else if (!h->compressed)
		snprintf(text, size,
		         "chunk with uncompressed integers is not supported");
	else if (h->size < JFR_HEADER || !h->meta || !h->pools)
		snprintf(text, size, "unfinished chunk");
	else if (h->meta >= h->size || h->pools >= h->size)
		snprintf(text, size, "chunk header with offsets beyond the chunk");
	else
		return NULL;
	return text;
}

/* A header in the middle of something: all of it must be likely. */
static bool
plausible(const unsigned char *p)
{
	struct jfr_header h;
	char text[80];

	jfr_header_read(&h, p, 0);
	return !refusal(&h, text, sizeof text) && h.minor < 16 && h.ticks_per_s &&
	        h.meta >= JFR_HEADER && h.pools >= JFR_HEADER;
}

/* Of metadata: every type has a name, and no name is that long. */
enum { LEAST_STRINGS = 8, LONG_STRING = 512 };

/*
 * Whether a chunk can begin at p, of which n bytes are there: its metadata must be. The
 * JVM puts copies of the header into the chunk's checkpoints, which differ in that.
 */
static bool
begins_here(const unsigned char *p, size_t n)
{
	struct jfr_header h;
	struct cur c;
	uint64_t size, type, strings, v;

	if (n < JFR_HEADER || !plausible(p))
		return false;
	jfr_header_read(&h, p, 0);
	if (h.meta >= n)
		return false;
	c = (struct cur){ .p = p + h.meta, .end = p + n, .base = p };
	if (!jfr_var(&c, &size) || !jfr_var(&c, &type) || type != 0 || size <= 2 ||
	    size > h.size - h.meta)
		return false;
	/* Time, duration, id, and how many strings; of the first few as much as is
	 * there. */
	for (int i = 0; i < 3; i++)
		if (!jfr_var(&c, &v))
			return false;
	if (!jfr_var(&c, &strings) || strings < LEAST_STRINGS || strings > size)
		return false;
	for (unsigned i = 0; i < LEAST_STRINGS && cur_left(&c) > LONG_STRING; i++)
		if (*c.p > 5 || *c.p == 2 || !jfr_skip_text(&c))
			return false;
	return true;
}

/* Where in the view the next chunk begins, from an offset on; its end if nowhere. */
static size_t
next_chunk(struct str view, size_t from)
{
	const char *hit;

	while (view.n >= JFR_HEADER && from <= view.n - JFR_HEADER &&
	       (hit = memmem(view.p + from, view.n - from, "FLR\0", 4))) {
		from = (size_t)(hit - view.p);
		if (begins_here((const unsigned char *)hit, view.n - from))
			return from;
		from++;
	}
	return view.n;
}

/* Whether a chunk begins that far from where the source is; what it takes is read. */
static bool
is_chunk(struct source *s, size_t at)
{
	struct err ignored = { 0 };
	struct jfr_header h;
	struct str view;

	source_peek(s, at + JFR_HEADER, &view, &ignored);
	if (view.n < at + JFR_HEADER || !plausible((const unsigned char *)view.p + at))
		return false;
	jfr_header_read(&h, (const unsigned char *)view.p + at, 0);
	if (h.meta < SIZE_MAX / 2 - at)
		source_peek(s, at + (size_t)h.meta + (size_t)4 * LONG_STRING, &view,
		            &ignored);
	return begins_here((const unsigned char *)view.p + at, view.n - at);
}

/*
 * Go on to where the next chunk begins, or to the end of the input; *skipped has the
 * bytes on the way. What is wrong with the source is the end of it.
 */
static void
seek_chunk(struct source *s, uint64_t *skipped)
{
	struct err ignored = { 0 };
	struct str view;
	const char *hit;
	size_t from = 1, to; /* not where we are */

	*skipped = 0;
	for (;;) {
		bool ok = source_peek(s, from + JFR_HEADER, &view, &ignored);

		if (view.n < from + JFR_HEADER || !ok) {
			/* Of a source that failed, this is what could be had. */
			to = view.n;
			*skipped += to;
			source_skip(s, to);
			if (!to)
				return;
			from = 0;
			continue;
		}
		to = view.n - JFR_HEADER + 1;
		hit = memmem(view.p + from, to - from + 3, "FLR\0", 4);
		if (hit)
			to = (size_t)(hit - view.p);
		*skipped += to;
		source_skip(s, to);
		from = hit != NULL;
		if (hit && is_chunk(s, 0))
			return;
	}
}

/* Leave out what stands here, up to the next chunk. */
static bool
leave_out(struct jfr_walk *w, const char *why, struct err *e)
{
	uint64_t at = source_offset(w->in), skipped;

	seek_chunk(w->in, &skipped);
	/* Behind a chunk that is being written comes what is not flushed. */
	if (w->flushing)
		return true;
	return jfr_damaged(w, at, skipped, e, "%s", why);
}

/* The source itself is damaged: a packed one, say. */
static bool
source_failed(struct jfr_walk *w, struct err *e)
{
	char text[sizeof e->text];
	uint64_t at = e->has_offset ? e->offset : source_offset(w->in), skipped;

	if (e->kind != ERR_FORMAT || w->strict || !w->chunks)
		return false;
	memcpy(text, e->text, sizeof text);
	*e = (struct err){ 0 };
	seek_chunk(w->in, &skipped);
	return jfr_damaged(w, at, skipped, e, "%s", text);
}

/*
 * A chunk whose end is not in the view, which has all the rest. Another may begin
 * within it, where a size is wrong or two damaged files were joined.
 */
static bool
cut_short(struct jfr_walk *w, struct str view, bool *taken, struct err *e)
{
	struct jfr_header *h = &w->h;
	uint64_t size = h->size, left = w->rescue ? next_chunk(view, 1) : view.n;
	char text[120];

	*taken = false;
	snprintf(text, sizeof text, "chunk of %llu bytes is cut short",
	         (unsigned long long)size);
	if (!w->rescue || h->meta >= left)
		return leave_out(w, text, e);
	if (h->pools >= left)
		h->pools = 0;
	h->size = left;
	h->cut = *taken = true;
	return jfr_damaged(w, h->at, left < view.n ? 0 : size - left, e, "%s", text);
}

/*
 * Look at what stands here. *taken: a chunk that can be read; *more: there is more to
 * be looked at.
 */
static bool
look(struct jfr_walk *w, bool *taken, bool *more, struct err *e)
{
	struct jfr_header *h = &w->h;
	uint64_t at = source_offset(w->in);
	struct str view;
	char text[120];
	const char *why;
	bool ok;

	*taken = *more = false;
	ok = source_peek(w->in, JFR_HEADER, &view, e);
	if (view.n < JFR_HEADER && !ok)
		return source_failed(w, e);
	if (view.n == 0)
		return at ? true : err_set(e, ERR_FORMAT, "empty input");
	*more = true;
	if (view.n < 4 || memcmp(view.p, "FLR", 4) != 0) {
		if (!at)
			return err_at(e, ERR_FORMAT, 0, "not a JFR file");
		return leave_out(w, "no chunk begins here", e);
	}
	if (view.n < JFR_HEADER)
		return leave_out(w, "chunk header is cut short", e);
	jfr_header_read(h, (const unsigned char *)view.p, at);
	w->flushing = false;
	if ((why = refusal(h, text, sizeof text)))
		return leave_out(w, why, e);
	ok = source_peek(w->in, h->size > SIZE_MAX ? SIZE_MAX : (size_t)h->size, &view,
	                 e);
	if (view.n < h->size) {
		if (!ok && !w->rescue)
			return source_failed(w, e);
		*e = (struct err){ 0 };
		if (!cut_short(w, view, taken, e))
			return false;
		if (!*taken)
			return true;
	}
	*e = (struct err){ 0 };
	w->base = (const unsigned char *)view.p;
	w->flushing = h->generation && h->generation != 255;
	return *taken = true;
}

bool
jfr_walk_cut(struct jfr_walk *w)
{
	const size_t size = (size_t)w->h.size;
	struct err ignored = { 0 };
	struct str view;
	const char *hit;
	size_t at = 1;

	for (;; at++) {
		source_peek(w->in, size, &view, &ignored);
		w->base = (const unsigned char *)view.p;
		if (at + 4 > size || view.n < size ||
		    !(hit = memmem(view.p + at, size - at, "FLR\0", 4)))
			return false;
		at = (size_t)(hit - view.p);
		if (is_chunk(w->in, at))
			break;
	}
	source_peek(w->in, size, &view, &ignored);
	w->base = (const unsigned char *)view.p;
	w->h.size = at;
	w->h.cut = true;
	w->flushing = false;
	if (w->h.pools >= at)
		w->h.pools = 0;
	return true;
}

bool
jfr_walk_next(struct jfr_walk *w, bool *taken, struct err *e)
{
	bool more = true;

	if (w->taken) {
		source_skip(w->in, (size_t)w->h.size);
		w->taken = false;
		if (w->flushing &&
		    !jfr_damaged(w, w->h.at, 0, e,
		                 "chunk was still being written; read up to its last "
		                 "flush"))
			return false;
	}
	while (more && !w->taken)
		if (!look(w, &w->taken, &more, e))
			return false;
	*taken = w->taken;
	return true;
}

bool
jfr_walk_end(struct jfr_walk *w, struct err *e)
{
	const struct jfr_damage *d = &w->damage;
	char more[64] = "", bytes[48] = "";

	if (!w->chunks) {
		if (d->places)
			return err_at(e, ERR_FORMAT, d->at, "%s", d->text);
		return err_set(e, ERR_FORMAT, "no chunk could be read");
	}
	if (!d->places)
		return true;
	if (d->places > 1)
		snprintf(more, sizeof more, ", and %llu more places",
		         (unsigned long long)d->places - 1);
	if (d->bytes)
		snprintf(bytes, sizeof bytes, "; %llu bytes ignored",
		         (unsigned long long)d->bytes);
	warn_say(&w->warn, "%s: byte %llu: %s%s%s", w->input, (unsigned long long)d->at,
	         d->text, more, bytes);
	return true;
}
