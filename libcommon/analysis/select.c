#include "analysis/select.h"

#include <regex.h>
#include <stdlib.h>

#include "base/arena.h"

enum { FOCUS, IGNORE, HIDE, SHOW, NPATTERNS };

enum { KNOWN = 1 << NPATTERNS }; /* beside a bit for each pattern that matches */

struct select {
	struct stack_sink sink, *to;
	regex_t re[NPATTERNS];
	bool have[NPATTERNS];
	unsigned char *verdict; /* by frame */
	size_t cap;
	uint32_t *all, *ids; /* of a stack, and of what is left of it */
	size_t call, cids;
	uint64_t came, passed;
	const struct select_opts *o;
	/* Labels: their patterns, what the sink before wants, and those of series. */
	regex_t *label;
	size_t nlabel; /* compiled */
	struct str *want;
	struct meta *meta; /* by series; labels alone */
	struct arena *arena;
	size_t nmeta, cmeta, carena;
};

static bool
begin(struct stack_sink *sink, const struct meta *m, uint32_t *series, struct err *e)
{
	struct select *s = (struct select *)sink;
	size_t old = s->nmeta;

	if (!s->to->begin(s->to, m, series, e))
		return false;
	if (!s->o->nlabels && !s->o->nabove)
		return true;
	if (*series >= s->nmeta) {
		s->nmeta = *series + 1UL;
		s->meta = xgrow(s->meta, &s->cmeta, s->nmeta, sizeof *s->meta);
		s->arena = xgrow(s->arena, &s->carena, s->nmeta, sizeof *s->arena);
		memset(s->arena + old, 0, (s->nmeta - old) * sizeof *s->arena);
	}
	arena_clear(&s->arena[*series]);
	meta_copy(&s->meta[*series], m, &s->arena[*series]);
	return true;
}

static bool
end(struct stack_sink *sink, uint32_t series, const struct meta *m, struct err *e)
{
	struct select *s = (struct select *)sink;

	return s->to->end(s->to, series, m, e);
}

static bool
matches(const regex_t *re, struct str text)
{
	regmatch_t all = { .rm_so = 0, .rm_eo = (regoff_t)text.n };

	return text.p && regexec(re, text.p, 1, &all, REG_STARTEND) == 0;
}

static unsigned
verdict(struct select *s, uint32_t index)
{
	const struct frame *f = &s->to->frames->at[index];
	size_t old = s->cap;
	unsigned v = KNOWN;

	if (index >= s->cap) {
		s->verdict = xgrow(s->verdict, &s->cap, index + 1UL, 1);
		memset(s->verdict + old, 0, s->cap - old);
	}
	if (s->verdict[index])
		return s->verdict[index];
	for (unsigned i = 0; i < NPATTERNS; i++)
		if (s->have[i] &&
		    (matches(&s->re[i], f->name) ||
		     (f->file.n && matches(&s->re[i], f->file)) ||
		     (f->module.n && matches(&s->re[i], f->module))))
			v |= 1U << i;
	s->verdict[index] = (unsigned char)v;
	return v;
}

static bool
labels_match(const struct select *s, uint32_t series, const struct stack *k)
{
	for (size_t i = 0; i < s->o->nlabels; i++) {
		struct str key = str_of(s->o->labels[i].key);

		if (!matches(&s->label[i], stack_label(k, &s->meta[series], key)))
			return false;
	}
	return true;
}

/* The frames of the stack below those that labels become. */
static size_t
put_above(struct select *s, uint32_t series, const struct stack *k)
{
	size_t n = s->o->nabove;

	s->all = xgrow(s->all, &s->call, k->depth + n, sizeof *s->all);
	for (size_t i = 0; i < n; i++) {
		const char *key = s->o->above[i];
		struct str v = stack_label(k, &s->meta[series], str_of(key));

		s->all[i] = stack_label_frame(s->to->frames, key, v);
	}
	if (k->depth)
		memcpy(s->all + n, k->frames, k->depth * sizeof *s->all);
	return k->depth + n;
}

/* Away from the root, and turned round. */
static size_t
turn(const struct select *s, uint32_t *ids, size_t n)
{
	size_t skip = s->o->skip < n ? s->o->skip : n, lo = s->o->stay, hi;

	n -= skip;
	memmove(ids, ids + skip, n * sizeof *ids);
	if (s->o->reverse)
		for (hi = n; lo + 1 < hi; lo++) {
			uint32_t id = ids[lo];

			ids[lo] = ids[--hi];
			ids[hi] = id;
		}
	return n;
}

static bool
push(struct stack_sink *sink, uint32_t series, const struct stack *stack, struct err *e)
{
	struct select *s = (struct select *)sink;
	struct stack k = *stack;
	bool focus = !s->have[FOCUS], ignore = false;
	size_t n = 0;

	s->came++;
	if (!labels_match(s, series, &k))
		return true;
	if (s->o->nabove) {
		k.depth = put_above(s, series, stack);
		k.frames = s->all;
		k.hash = 0;
	}
	s->ids = xgrow(s->ids, &s->cids, k.depth + 1, sizeof *s->ids);
	for (size_t i = 0; i < k.depth; i++) {
		unsigned v = verdict(s, FRAME_INDEX(k.frames[i]));

		focus = focus || (v & 1U << FOCUS);
		ignore = ignore || (v & 1U << IGNORE);
		if (!(v & 1U << HIDE) && (!s->have[SHOW] || (v & 1U << SHOW)))
			s->ids[n++] = k.frames[i];
	}
	if (!focus || ignore || (n == 0 && (k.depth || s->have[SHOW])))
		return true;
	s->passed++;
	if (s->o->skip || s->o->reverse)
		n = turn(s, s->ids, n);
	if (n != k.depth || s->o->reverse) {
		k.frames = s->ids;
		k.depth = n;
		k.hash = 0;
	}
	return s->to->push(s->to, series, &k, e);
}

bool
select_wanted(const struct select_opts *o)
{
	return o->focus || o->ignore || o->hide || o->show || o->nlabels || o->nabove ||
	        o->skip || o->reverse;
}

static void
want_label(struct select *s, const char *name)
{
	struct str key = str_of(name);
	size_t k = 0;

	while (k < s->sink.nwant && !str_eq(s->want[k], key))
		k++;
	s->want[k] = key;
	s->sink.nwant += k == s->sink.nwant;
}

/* What comes after wants its labels, and so do the patterns and the frames above. */
static void
want_labels(struct select *s)
{
	const struct select_opts *o = s->o;
	size_t n = s->to->nwant;

	s->sink.labels = s->to->labels || o->nlabels || o->nabove;
	if (s->to->labels && !n) /* all */
		return;
	s->want = xcalloc(n + o->nlabels + o->nabove, sizeof *s->want);
	if (n)
		memcpy(s->want, s->to->want, n * sizeof *s->want);
	s->sink.want = s->want;
	s->sink.nwant = n;
	for (size_t i = 0; i < o->nlabels; i++)
		want_label(s, o->labels[i].key);
	for (size_t i = 0; i < o->nabove; i++)
		want_label(s, o->above[i]);
}

static bool
compile(regex_t *re, const char *what, const char *pattern, struct err *e)
{
	char why[96];
	int rc = regcomp(re, pattern, REG_EXTENDED | REG_NOSUB);

	if (!rc)
		return true;
	regerror(rc, re, why, sizeof why);
	return err_set(e, ERR_USAGE, "%.80s '%.80s': %s", what, pattern, why);
}

struct select *
select_new(const struct select_opts *o, struct stack_sink *to, struct err *e)
{
	const char *pattern[NPATTERNS] = { o->focus, o->ignore, o->hide, o->show };
	static const char *const name[NPATTERNS] = { "--focus", "--ignore", "--hide",
		                                     "--show" };
	struct select *s = xcalloc(1, sizeof *s);
	s->to = to;
	s->sink = (struct stack_sink){
		.frames = to->frames, .begin = begin, .push = push, .end = end
	};
	s->o = o;
	want_labels(s);
	for (int i = 0; i < NPATTERNS; i++) {
		if (!pattern[i])
			continue;
		s->have[i] = compile(&s->re[i], name[i], pattern[i], e);
		if (!s->have[i]) {
			select_free(s);
			return NULL;
		}
	}
	s->label = xcalloc(o->nlabels, sizeof *s->label);
	for (; s->nlabel < o->nlabels; s->nlabel++) {
		const struct select_label *l = &o->labels[s->nlabel];

		if (!compile(&s->label[s->nlabel], l->key, l->regex, e)) {
			select_free(s);
			return NULL;
		}
	}
	return s;
}

struct stack_sink *
select_sink(struct select *s)
{
	return &s->sink;
}

uint64_t
select_passed(const struct select *s, uint64_t *came)
{
	*came = s->came;
	return s->passed;
}

void
select_free(struct select *s)
{
	if (!s)
		return;
	for (int i = 0; i < NPATTERNS; i++)
		if (s->have[i])
			regfree(&s->re[i]);
	for (size_t i = 0; i < s->nlabel; i++)
		regfree(&s->label[i]);
	free(s->label);
	free(s->want);
	for (size_t i = 0; i < s->nmeta; i++)
		arena_clear(&s->arena[i]);
	free(s->arena);
	free(s->meta);
	free(s->verdict);
	free(s->all);
	free(s->ids);
	free(s);
}
