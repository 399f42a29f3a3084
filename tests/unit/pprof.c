/* Profiles read by the walker and by protobuf-c must agree, stack by stack. */
#include <dirent.h>
#include <stdlib.h>

#include "tap.h"

#include "base/buf.h"
#include "base/map.h"
#include "bytes/io.h"
#include "formats/pprof.h"

#include "profile.pb-c.h"

typedef Perftools__Profiles__Profile Pb;
typedef Perftools__Profiles__Location PbLocation;
typedef Perftools__Profiles__Function PbFunction;

/* Stacks as text with their sums: what both ways come down to. */
struct sums {
	struct intern text;
	int64_t *v; /* 4 a stack */
	size_t cap;
	struct buf line;
};

static void
add(struct sums *s, const int64_t *v, size_t n)
{
	uint32_t id = intern_id(&s->text, buf_view(&s->line));
	size_t old = s->cap;

	s->v = xgrow(s->v, &s->cap, 4UL * (id + 1UL), sizeof *s->v);
	memset(s->v + old, 0, (s->cap - old) * sizeof *s->v);
	for (size_t i = 0; i < n && i < 4; i++)
		s->v[4UL * id + i] += v[i];
}

static bool
equal(const struct sums *a, const struct sums *b)
{
	if (a->text.n != b->text.n)
		return false;
	for (uint32_t i = 0; i < a->text.n; i++) {
		uint32_t k = intern_find(&b->text, a->text.str[i]);

		if (k == UINT32_MAX || memcmp(a->v + 4UL * i, b->v + 4UL * k, 32) != 0)
			return false;
	}
	return true;
}

static void
clear(struct sums *s)
{
	intern_clear(&s->text);
	free(s->v);
	buf_clear(&s->line);
}

/* ---- the walker ---- */

struct collect {
	struct stack_sink sink;
	struct frames frames;
	struct sums *s;
	uint32_t ntypes;
};

static bool
begin(struct stack_sink *k, const struct meta *m, uint32_t *series, struct err *e)
{
	(void)e;
	*series = 0;
	((struct collect *)k)->ntypes = m->ntypes;
	return true;
}

static bool
end(struct stack_sink *k, uint32_t series, const struct meta *m, struct err *e)
{
	(void)k;
	(void)series;
	(void)m;
	(void)e;
	return true;
}

static bool
push(struct stack_sink *k, uint32_t series, const struct stack *st, struct err *e)
{
	struct collect *c = (struct collect *)k;

	(void)series;
	(void)e;
	c->s->line.n = 0;
	for (size_t i = 0; i < st->depth; i++) {
		const struct frame *f = &c->frames.at[FRAME_INDEX(st->frames[i])];

		buf_char(&c->s->line, ';');
		buf_str(&c->s->line, f->name);
		buf_printf(&c->s->line, " %lld", (long long)f->line);
	}
	for (size_t i = 0; i < st->nlabels; i++) {
		buf_char(&c->s->line, '|');
		buf_str(&c->s->line, st->labels[i].key);
		buf_char(&c->s->line, '=');
		buf_str(&c->s->line, st->labels[i].value);
	}
	add(c->s, st->values, c->ntypes);
	return true;
}

/* ---- protobuf-c ---- */

static const PbLocation *
location(const Pb *p, uint64_t id)
{
	for (size_t i = 0; i < p->n_location; i++)
		if (p->location[(i + id - 1) % p->n_location]->id == id)
			return p->location[(i + id - 1) % p->n_location];
	return NULL;
}

static const PbFunction *
function(const Pb *p, uint64_t id)
{
	for (size_t i = 0; i < p->n_function; i++)
		if (p->function[(i + id - 1) % p->n_function]->id == id)
			return p->function[(i + id - 1) % p->n_function];
	return NULL;
}

static void
second_opinion(const Pb *p, struct sums *s)
{
	for (size_t i = 0; i < p->n_sample; i++) {
		const Perftools__Profiles__Sample *x = p->sample[i];

		s->line.n = 0;
		for (size_t k = x->n_location_id; k-- > 0;) {
			const PbLocation *l = location(p, x->location_id[k]);

			for (size_t j = l->n_line; j-- > 0;) {
				const PbFunction *f =
				        function(p, l->line[j]->function_id);

				buf_printf(&s->line, ";%s %lld",
				           p->string_table[f->name],
				           (long long)l->line[j]->line);
			}
		}
		for (size_t k = 0; k < x->n_label; k++) {
			const Perftools__Profiles__Label *b = x->label[k];

			buf_printf(&s->line, "|%s=", p->string_table[b->key]);
			if (b->str)
				buf_printf(&s->line, "%s", p->string_table[b->str]);
			else
				buf_printf(&s->line, "%lld", (long long)b->num);
		}
		add(s, x->value, x->n_value);
	}
}

static void
compare(const char *path)
{
	struct sums ours = { 0 }, theirs = { 0 };
	struct collect c = { .s = &ours };
	struct pprof_opts o = { .granularity = BY_LINE, .all_frames = true };
	struct source *in;
	struct err e = { 0 };
	struct str raw;
	char text[512];
	Pb *p;

	c.sink = (struct stack_sink){ .frames = &c.frames,
		                      .labels = true,
		                      .begin = begin,
		                      .push = push,
		                      .end = end };
	if (!ok_named(source_open(&in, path, NULL, &e), path))
		return;
	if (!ok_named(pprof_read(in, &o, &c.sink, &e), path))
		fprintf(stderr, "# %s\n", err_text(&e, text, sizeof text));
	source_close(in);
	source_open(&in, path, NULL, &e);
	source_all(in, &raw, &e);
	p = perftools__profiles__profile__unpack(NULL, raw.n, (const uint8_t *)raw.p);
	source_close(in);
	if (ok_named(p != NULL, path)) {
		second_opinion(p, &theirs);
		perftools__profiles__profile__free_unpacked(p, NULL);
	}
	ok_named(ours.text.n > 0 && equal(&ours, &theirs), path);
	clear(&ours);
	clear(&theirs);
	frames_clear(&c.frames);
}

int
main(void)
{
	static const char *const names[] = {
		"cpu",
		"cpu-a",
		"heap",
		"block",
		"mutex",
		"goroutine",
		"threadcreate",
		"block.delta3s",
		"goroutine.delta3s",
		"edge/ok-order-go",
		"edge/ok-mixed-packed-split",
		"edge/ok-sparse-ids",
		"edge/ok-huge-ids",
		"edge/ok-labels",
	};
	char path[256];

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		snprintf(path, sizeof path, "tests/fixtures/pprof/%s.pb.gz", names[i]);
		compare(path);
	}
	return done();
}
