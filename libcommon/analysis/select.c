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
	uint32_t *ids;
	size_t cids;
	uint64_t came, passed;
};

static bool
begin(struct stack_sink *sink, const struct meta *m, uint32_t *series, struct err *e)
{
	struct select *s = (struct select *)sink;

	return s->to->begin(s->to, m, series, e);
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
push(struct stack_sink *sink, uint32_t series, const struct stack *stack, struct err *e)
{
	struct select *s = (struct select *)sink;
	struct stack k = *stack;
	bool focus = !s->have[FOCUS], ignore = false;
	size_t n = 0;

	s->came++;
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
	if (n != k.depth) {
		k.frames = s->ids;
		k.depth = n;
		k.hash = 0;
	}
	return s->to->push(s->to, series, &k, e);
}

bool
select_wanted(const struct select_opts *o)
{
	return o->focus || o->ignore || o->hide || o->show;
}

struct select *
select_new(const struct select_opts *o, struct stack_sink *to, struct err *e)
{
	const char *pattern[NPATTERNS] = { o->focus, o->ignore, o->hide, o->show };
	static const char *const name[NPATTERNS] = { "focus", "ignore", "hide",
		                                     "show" };
	struct select *s = xcalloc(1, sizeof *s);
	char why[96];
	int rc;

	s->to = to;
	s->sink = (struct stack_sink){
		.frames = to->frames, .begin = begin, .push = push, .end = end
	};
	s->sink.labels = to->labels;
	for (int i = 0; i < NPATTERNS; i++) {
		if (!pattern[i])
			continue;
		rc = regcomp(&s->re[i], pattern[i], REG_EXTENDED | REG_NOSUB);
		if (rc) {
			regerror(rc, &s->re[i], why, sizeof why);
			err_set(e, ERR_USAGE, "--%s '%.80s': %s", name[i], pattern[i],
			        why);
			select_free(s);
			return NULL;
		}
		s->have[i] = true;
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
	free(s->verdict);
	free(s->ids);
	free(s);
}
