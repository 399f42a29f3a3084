/*
 * Lines: to jfrconv, frames that were interpreted, inlined, compiled by C1 or by C2 are
 * one node, which counts how much of its total came in the first three ways. Here they
 * are siblings of different kind; they are joined from the root down, and each adds its
 * total to the counter of its kind.
 */
#include "render/jfrconv.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/num.h"
#include "render/filter.h"

struct node {
	uint32_t parent, frame;
	int64_t self, total;
	int64_t by_kind[KIND_COUNT];
};

/* The joined nodes, parents before children; node 0 is the root. */
static bool
join(const struct tree *t, uint32_t type, struct node **out, uint32_t *n, struct err *e)
{
	uint32_t *joined = xmalloc((size_t)t->n * sizeof *joined);
	int64_t *total = xmalloc((size_t)t->n * sizeof *total);
	struct map at = { 0 };
	struct node *nodes = NULL;
	size_t cap = 0;
	bool ok = tree_totals(t, type, total, e);

	*n = 0;
	for (uint32_t i = 0; ok && i < t->n; i++) {
		uint32_t parent = i ? joined[t->parent[i]] : 0;
		uint8_t kind = t->kind ? t->kind[i] : KIND_NONE;
		struct node *node;
		bool fresh = true;
		uint32_t *index = NULL;

		if (i)
			index = map_put(&at, (uint64_t)parent << 32 | t->frame[i],
			                &fresh);
		if (fresh) {
			nodes = xgrow(nodes, &cap, (size_t)*n + 1, sizeof *nodes);
			nodes[*n] =
			        (struct node){ .parent = parent, .frame = t->frame[i] };
			if (index)
				*index = *n;
			joined[i] = (*n)++;
		} else {
			joined[i] = *index;
		}
		node = &nodes[joined[i]];
		/* Parts of a total that did not overflow do so only with signs mixed.
		 */
		ok = num_add_i64(node->self, t->self[type][i], &node->self) &&
		        num_add_i64(node->total, total[i], &node->total) &&
		        num_add_i64(node->by_kind[kind], total[i],
		                    &node->by_kind[kind]);
		if (!ok)
			err_set(e, ERR_LIMIT, "the total of a frame exceeds 64 bits");
	}
	free(joined);
	free(total);
	map_clear(&at);
	*out = nodes;
	return ok;
}

static const char *
suffix(const struct node *n, struct str name, enum frame_class class)
{
	num_i128 total = n->total;

	/* Its categories are frames that run in a way of their own. */
	if (class == CLASS_LABEL && str_eq(name, STR("[c1_comp]")))
		return "_[1]";
	if (class == CLASS_LABEL &&
	    (str_eq(name, STR("[c2_comp]")) || str_eq(name, STR("[c2i_adapter]"))))
		return "_[i]";
	if (class == CLASS_KERNEL)
		return "_[k]";
	if (class != CLASS_MANAGED)
		return "";
	if ((num_i128)n->by_kind[KIND_INLINED] * 3 >= total)
		return "_[i]";
	if ((num_i128)n->by_kind[KIND_C1] * 2 >= total)
		return "_[1]";
	if ((num_i128)n->by_kind[KIND_INTERPRETED] * 2 >= total)
		return "_[0]";
	return "_[j]";
}

static bool
write_line(const struct tree *t, const struct node *nodes, uint32_t leaf,
           uint32_t **path, size_t *cap, struct sink *out)
{
	size_t depth = 0;

	for (uint32_t i = leaf; i; i = nodes[i].parent) {
		*path = xgrow(*path, cap, depth + 1, sizeof **path);
		(*path)[depth++] = i;
	}
	while (depth--) {
		const struct node *n = &nodes[(*path)[depth]];
		const struct frame *f = &t->frames[n->frame];

		if (!sink_str(out, f->name) ||
		    !sink_str(out, str_of(suffix(n, f->name, f->class))) ||
		    (depth && !sink_write(out, ";", 1)))
			return false;
	}
	return sink_printf(out, " %lld\n", (long long)nodes[leaf].self);
}

bool
jfrconv_write(const struct tree *t, uint32_t type, double min_width, struct sink *out,
              struct err *e)
{
	struct node *nodes;
	uint32_t *path = NULL, n;
	size_t cap = 0;
	bool ok = join(t, type, &nodes, &n, e);
	int64_t least =
	        ok && n ? (int64_t)((double)nodes[0].total * min_width / 100) : 0;

	/* What cannot be written is known to the sink. */
	for (uint32_t i = 1; ok && i < n; i++)
		if (nodes[i].self > 0 && nodes[i].total >= least &&
		    !write_line(t, nodes, i, &path, &cap, out))
			break;
	free(path);
	free(nodes);
	return ok;
}

/* ---- its options ---- */

enum jc {
	JC_CPU,
	JC_CPU_TIME,
	JC_WALL,
	JC_ALLOC,
	JC_LIVE,
	JC_NATIVEMEM,
	JC_LEAK,
	JC_TAIL,
	JC_LOCK,
	JC_NATIVELOCK,
	JC_TRACE,
	JC_THREADS,
	JC_STATE,
	JC_CLASSIFY,
	JC_TOTAL,
	JC_LINES,
	JC_BCI,
	JC_SIMPLE,
	JC_NORM,
	JC_DOT,
	JC_FROM,
	JC_TO,
	JC_LATENCY,
	JC_TAG,
	JC_INCLUDE,
	JC_EXCLUDE,
	JC_MINWIDTH,
	JC_GRAIN,
	JC_SKIP,
	JC_REVERSE,
	JC_OUTPUT,
	JC_OPTIONS
};

static const struct {
	const char *name, *letter;
	bool takes; /* an argument */
} options[JC_OPTIONS] = {
	[JC_CPU] = { "--cpu", NULL, false },
	[JC_CPU_TIME] = { "--cpu-time", NULL, false },
	[JC_WALL] = { "--wall", NULL, false },
	[JC_ALLOC] = { "--alloc", NULL, false },
	[JC_LIVE] = { "--live", NULL, false },
	[JC_NATIVEMEM] = { "--nativemem", NULL, false },
	[JC_LEAK] = { "--leak", NULL, false },
	[JC_TAIL] = { "--tail", NULL, true },
	[JC_LOCK] = { "--lock", NULL, false },
	[JC_NATIVELOCK] = { "--nativelock", NULL, false },
	[JC_TRACE] = { "--trace", NULL, false },
	[JC_THREADS] = { "--threads", "-t", false },
	[JC_STATE] = { "--state", "-s", true },
	[JC_CLASSIFY] = { "--classify", NULL, false },
	[JC_TOTAL] = { "--total", NULL, false },
	[JC_LINES] = { "--lines", NULL, false },
	[JC_BCI] = { "--bci", NULL, false },
	[JC_SIMPLE] = { "--simple", NULL, false },
	[JC_NORM] = { "--norm", NULL, false },
	[JC_DOT] = { "--dot", NULL, false },
	[JC_FROM] = { "--from", NULL, true },
	[JC_TO] = { "--to", NULL, true },
	[JC_LATENCY] = { "--latency", NULL, true },
	[JC_TAG] = { "--tag", NULL, true },
	[JC_INCLUDE] = { "--include", "-I", true },
	[JC_EXCLUDE] = { "--exclude", "-X", true },
	[JC_MINWIDTH] = { "--minwidth", NULL, true },
	[JC_GRAIN] = { "--grain", NULL, true },
	[JC_SKIP] = { "--skip", NULL, true },
	[JC_REVERSE] = { "--reverse", "-r", false },
	[JC_OUTPUT] = { "--output", "-o", true },
};

/*
 * Milliseconds: negative from the end, small ones from the start, 0 no limit at all;
 * else a moment.
 */
static bool
take_time(const char *arg, bool *have, struct when *out, struct err *e)
{
	const int64_t absolute_ms = INT64_C(1500000000000), ms = 1000000;
	int64_t v;

	*have = true;
	if (!num_i64(str_of(arg), &v))
		return when_parse(arg, when_now(), out, e);
	*have = v != 0;
	*out = (struct when){ v < 0                     ? WHEN_FROM_END
		                      : v < absolute_ms ? WHEN_FROM_START
		                                        : WHEN_ABSOLUTE,
		              num_muldiv(v, ms, 1) };
	return true;
}

static bool
take_number(const char *option, const char *arg, double *out, struct err *e)
{
	return num_frac(arg, out) ||
	        err_set(e, ERR_USAGE, "%s: '%.40s' is not a number", option, arg);
}

/* A pattern that has to match all of a name. */
static const char *
whole(struct buf *b, const char *pattern)
{
	b->n = 0;
	buf_printf(b, "^(%s)$", pattern);
	buf_char(b, '\0');
	return b->p;
}

static bool
take_argument(struct jfrconv *j, enum jc o, const char *arg, struct filter *f,
              struct err *e)
{
	struct jfr_opts *jfr = &f->input.jfr;
	int64_t ms;

	switch (o) {
	case JC_OUTPUT:
		return strcmp(arg, "collapsed") == 0 ||
		        err_set(e, ERR_USAGE, "--jfrconv: -o is collapsed, not '%.40s'",
		                arg);
	case JC_TAIL:
		return take_number("--tail", arg, &jfr->leak_tail, e);
	case JC_STATE:
		jfr->states = arg;
		return true;
	case JC_FROM:
		return take_time(arg, &jfr->from, &jfr->from_time, e);
	case JC_TO:
		return take_time(arg, &jfr->to, &jfr->to_time, e);
	case JC_LATENCY:
		jfr->spans = true;
		if (num_i64(str_of(arg), &ms)) {
			jfr->span_ns = num_muldiv(ms, 1000000, 1);
			return true;
		}
		return num_duration(arg, &jfr->span_ns) ||
		        err_set(e, ERR_USAGE, "--latency: '%.40s' is no duration", arg);
	case JC_TAG:
		jfr->spans = true;
		jfr->tag = arg;
		return true;
	case JC_INCLUDE:
		f->select.focus = whole(&j->include, arg);
		return true;
	case JC_EXCLUDE:
		f->select.ignore = whole(&j->exclude, arg);
		return true;
	case JC_MINWIDTH:
		return take_number("--minwidth", arg, &j->min_width, e);
	case JC_GRAIN:
		return take_number("--grain", arg, &jfr->grain, e);
	default:
		if (!num_i64(str_of(arg), &ms) || ms < 0)
			return err_set(e, ERR_USAGE, "--skip: '%.40s' is not a number",
			               arg);
		f->select.skip = (size_t)ms;
		return true;
	}
}

/* The kind of profile: the first in its order of those that are named. */
static enum jfr_kind
kind_of(const bool *on)
{
	static const struct {
		enum jc option;
		enum jfr_kind kind;
	} order[] = {
		{ JC_NATIVEMEM, JFR_MALLOC }, { JC_NATIVELOCK, JFR_NATIVELOCK },
		{ JC_LIVE, JFR_LIVE },        { JC_ALLOC, JFR_ALLOC },
		{ JC_LOCK, JFR_LOCK },        { JC_TRACE, JFR_TRACE },
		{ JC_CPU, JFR_CPU },          { JC_WALL, JFR_WALL },
		{ JC_CPU_TIME, JFR_CPUTIME },
	};

	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		if (on[order[i].option])
			return order[i].kind == JFR_MALLOC && on[JC_LEAK]
			        ? JFR_LEAK
			        : order[i].kind;
	return JFR_EXEC;
}

/* The next word of the text, which may stand in quotes; NULL at its end. */
static char *
next_word(char **text)
{
	char *word, *end, quote;

	while (**text == ' ' || **text == '\t' || **text == '\n')
		++*text;
	if (!**text)
		return NULL;
	quote = **text;
	if (quote == '\'' || quote == '"')
		++*text;
	else
		quote = '\0';
	word = *text;
	end = quote ? strchr(word, quote) : word + strcspn(word, " \t\n");
	if (!end)
		end = word + strlen(word);
	*text = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

/*
 * What would not give its lines. Of leaks, the names of threads are those of the end
 * there, and frees without a stack take part in thinning out.
 */
static bool
goes_together(const bool *on, enum jfr_kind kind, struct err *e)
{
	static const enum jc not_of_leaks[] = { JC_THREADS, JC_GRAIN, JC_LATENCY,
		                                JC_TAG };

	for (size_t i = 0; i < sizeof not_of_leaks / sizeof *not_of_leaks; i++)
		if (kind == JFR_LEAK && on[not_of_leaks[i]])
			return err_set(e, ERR_USAGE,
			               "--jfrconv: --leak goes without %s",
			               options[not_of_leaks[i]].name);
	return kind != JFR_MALLOC || !on[JC_GRAIN] ||
	        err_set(e, ERR_USAGE, "--jfrconv: --nativemem goes without --grain");
}

bool
jfrconv_options(struct jfrconv *j, const char *text, struct filter *f, struct err *e)
{
	struct jfr_opts *jfr = &f->input.jfr;
	bool on[JC_OPTIONS] = { false };
	enum jfr_kind kind;
	char *at, *word;

	buf_printf(&j->words, "%s", text);
	buf_char(&j->words, '\0');
	at = j->words.p;
	while ((word = next_word(&at))) {
		int o = 0;
		char *arg;

		while (o < JC_OPTIONS && strcmp(word, options[o].name) != 0 &&
		       (!options[o].letter || strcmp(word, options[o].letter) != 0))
			o++;
		if (o == JC_OPTIONS)
			return err_set(
			        e, ERR_USAGE,
			        "--jfrconv: '%.40s' is none of jfrconv's options "
			        "for recordings and text",
			        word);
		on[o] = true;
		if (!options[o].takes)
			continue;
		arg = next_word(&at);
		if (!arg)
			return err_set(e, ERR_USAGE, "--jfrconv: %s needs an argument",
			               options[o].name);
		if (!take_argument(j, (enum jc)o, arg, f, e))
			return false;
	}
	kind = kind_of(on);
	if (!goes_together(on, kind, e))
		return false;
	jfr->kinds = JFR_KIND(kind);
	jfr->both = jfr->end_so_far = true;
	jfr->names = (struct jfr_naming){ .jfrconv = true,
		                          .dot = on[JC_DOT],
		                          .norm = on[JC_NORM],
		                          .simple = on[JC_SIMPLE],
		                          .line = on[JC_LINES],
		                          .bci = on[JC_BCI] };
	f->output.format = OUTPUT_FOLDED;
	/* Of time on the CPU it has the samples alone. */
	f->output.type = on[JC_TOTAL] && kind != JFR_EXEC && kind != JFR_CPU &&
	                kind != JFR_WALL && kind != JFR_CPUTIME
	        ? "1"
	        : "0";
	/* Both are frames like any other to patterns and --skip. */
	if (on[JC_THREADS])
		j->above[f->select.nabove++] = "thread";
	if (on[JC_CLASSIFY])
		j->above[f->select.nabove++] = "category";
	f->select.above = j->above;
	/* The thread alone stays at the root, and only if nothing is skipped. */
	f->select.reverse = on[JC_REVERSE];
	f->select.stay = on[JC_THREADS] && !f->select.skip;
	return true;
}

void
jfrconv_clear(struct jfrconv *j)
{
	buf_clear(&j->include);
	buf_clear(&j->exclude);
	buf_clear(&j->words);
}
