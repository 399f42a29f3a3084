#include "render/filter.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/num.h"

void
filter_init(struct filter *f)
{
	*f = (struct filter){ .output = { .rows = 50 } };
}

static bool
number(const char *option, const char *arg, uint64_t *out, struct err *e)
{
	return num_size(arg, out) ||
	        err_set(e, ERR_USAGE, "--%s: '%.60s' is not a number", option, arg);
}

static bool
add_label(struct filter *f, char *arg, struct err *e)
{
	char *eq = strchr(arg, '=');

	if (!eq || eq == arg)
		return err_set(e, ERR_USAGE, "--label: '%.60s' is not KEY=VALUE", arg);
	f->add = xgrow(f->add, &f->cadd, f->group.nadd + 1, sizeof *f->add);
	f->add[f->group.nadd++] =
	        (struct label){ { arg, (size_t)(eq - arg) }, str_of(eq + 1) };
	return true;
}

static bool
take_progress(struct filter *f, const char *arg, struct err *e)
{
	static const char *const words[] = { [PROGRESS_AUTO] = "auto",
		                             [PROGRESS_NEVER] = "never",
		                             [PROGRESS_ALWAYS] = "always" };

	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(arg, words[i]) == 0) {
			f->progress = (enum progress_when)i;
			return true;
		}
	return err_set(e, ERR_USAGE,
	               "--progress: '%.40s' is none of auto, always, never", arg);
}

static void
add_text(const char ***list, size_t *cap, size_t *n, const char *arg)
{
	*list = xgrow(*list, cap, *n + 1, sizeof **list);
	(*list)[(*n)++] = arg;
}

enum filter_took
filter_option(struct filter *f, int c, char *arg, struct err *e)
{
	uint64_t v = 0;
	bool ok = true;

	switch (c) {
	case 'i':
		ok = input_format(arg, &f->input.format) ||
		        err_set(e, ERR_USAGE, "-i: no format '%.40s'; there are %s",
		                arg, input_formats);
		break;
	case 'o':
		f->format_named = true;
		ok = output_format(arg, &f->output.format) ||
		        err_set(e, ERR_USAGE, "-o: no format '%.40s'; there are %s",
		                arg, output_formats);
		break;
	case 'O':
		f->out_path = arg;
		break;
	case 't':
		f->output.type = arg;
		break;
	case 'q':
		f->quiet = true;
		break;
	case 'v':
		f->verbose = true;
		break;
	case FILTER_BY:
	case FILTER_UNDER:
		if (!*arg) {
			ok = err_set(e, ERR_USAGE, "--%s: a label has a name",
			             c == FILTER_BY ? "by" : "under");
			break;
		}
		if (c == FILTER_UNDER)
			add_text(&f->under, &f->cunder, &f->group.nunder, arg);
		else
			add_text(&f->by, &f->cby, &f->group.nby, arg);
		break;
	case FILTER_LABEL:
		ok = add_label(f, arg, e);
		break;
	case FILTER_FOCUS:
		f->select.focus = arg;
		break;
	case FILTER_IGNORE:
		f->select.ignore = arg;
		break;
	case FILTER_HIDE:
		f->select.hide = arg;
		break;
	case FILTER_SHOW:
		f->select.show = arg;
		break;
	case FILTER_STRICT:
		f->strict = true;
		break;
	case FILTER_KEEP_GOING:
		f->keep_going = true;
		break;
	case FILTER_ROWS:
		ok = number("rows", arg, &v, e);
		f->output.rows = (size_t)v;
		break;
	case FILTER_CUMULATIVE:
		f->output.cumulative = true;
		break;
	case FILTER_ANNOTATE:
		f->output.annotate = true;
		break;
	case FILTER_ESCAPE:
		f->output.escape = true;
		break;
	case FILTER_DROP_NEGATIVE:
		f->output.drop_negative = true;
		break;
	case FILTER_MAX_GROUPS:
		ok = number("max-groups", arg, &v, e);
		f->group.max_groups = (size_t)v;
		break;
	case FILTER_MAX_RECORD:
		ok = number("max-record", arg, &v, e);
		f->input.max_record = v;
		break;
	case FILTER_PROGRESS:
		ok = take_progress(f, arg, e);
		break;
	default:
		return FILTER_NOT_MINE;
	}
	return ok ? FILTER_TOOK : FILTER_BAD;
}

int
filter_options(struct filter *f, int argc, char **argv, const char *letters,
               const struct option *options, filter_own *own, void *ctx, struct err *e)
{
	int c;

	while ((c = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		enum filter_took took;

		if (c == 'h' || c == 'V' || c == '?')
			return c;
		took = filter_option(f, c, optarg, e);
		if (took == FILTER_BAD ||
		    (took == FILTER_NOT_MINE && !own(ctx, f, c, optarg, e)))
			return -1;
	}
	return 0;
}

static bool
take(void *ctx, struct tree *t, struct err *e)
{
	struct filter *f = ctx;

	return groups_take(f->groups, t, e);
}

static bool
begin(struct filter *f, struct err *e)
{
	f->group.by = f->by;
	f->group.under = f->under;
	f->group.add = f->add;
	f->group.warn = f->input.warn;
	f->later = f->group;
	f->later.nunder = 0;
	f->later.series_apart = false;
	f->groups = groups_new(f->keep_going ? &f->later : &f->group);
	f->input.ctx = f;
	f->input.take = take;
	if (!select_wanted(&f->select))
		return true;
	/* Documents must be taken apart for their stacks to be selected. */
	f->input.take = NULL;
	f->sel = select_new(&f->select, groups_sink(f->groups), e);
	return f->sel != NULL;
}

bool
filter_open(struct filter *f, struct err *e)
{
	bool terminal = (!f->out_path || strcmp(f->out_path, "-") == 0) &&
	        isatty(STDOUT_FILENO);

	if (terminal && output_binary(f->output.format))
		return err_set(
		        e, ERR_USAGE,
		        "-o: this format is not for a terminal (-O FILE, or a pipe)");
	f->output.warn = f->input.warn;
	f->input.folded.warn = f->input.warn;
	f->input.pprof.warn = f->input.warn;
	f->input.jfr.warn = f->input.warn;
	f->input.jfr.strict = f->strict;
	return begin(f, e) && sink_open(&f->sink, f->out_path, e);
}

struct stack_sink *
filter_sink(struct filter *f)
{
	return f->sel ? select_sink(f->sel) : groups_sink(f->groups);
}

/* Behind the selection: count what passed, and begin anew. */
static bool
renew(struct filter *f, struct err *e)
{
	uint64_t came, passed;

	if (f->sel) {
		passed = select_passed(f->sel, &came);
		f->came += came;
		f->passed += passed;
	}
	select_free(f->sel);
	groups_free(f->groups);
	f->sel = NULL;
	f->groups = NULL;
	return begin(f, e);
}

/* Read the source, or what is at the path, into the groups. */
static bool
read_input(struct filter *f, const char *path, struct source *in, struct err *e)
{
	bool partial = false;

	if (!(in ? input_read_source(in, &f->input, filter_sink(f), &partial, e)
	         : input_read(path, &f->input, filter_sink(f), &partial, e)))
		return false;
	if (partial && f->strict) {
		err_set(e, ERR_FORMAT, "not all of it could be used (--strict)");
		return err_in(e, path);
	}
	f->partial = f->partial || partial;
	return true;
}

/*
 * Read into groups of its own, and take their documents only if all went well. They
 * are taken as they came, each by itself: what merges with what, and which of several
 * gauges counts, is seen where all inputs are together.
 */
static bool
read_apart(struct filter *f, const char *path, struct source *in, struct err *e)
{
	struct groups *all = f->groups;
	struct select *sel = f->sel;
	struct tree *trees = NULL;
	size_t n = 0;
	bool ok;

	f->groups = NULL;
	f->sel = NULL;
	f->keep_going = false;
	f->group.series_apart = true;
	ok = begin(f, e) && read_input(f, path, in, e) &&
	        groups_finish(f->groups, &trees, &n, e) && renew(f, e);
	f->keep_going = true;
	f->group.series_apart = false;
	select_free(f->sel);
	groups_free(f->groups);
	f->groups = all;
	f->sel = sel;
	for (size_t i = 0; i < n; i++) {
		/* What does not merge is half taken, and cannot be taken out again. */
		if (ok && !groups_take(all, &trees[i], e))
			ok = f->keep_going = false;
		tree_clear(&trees[i]);
	}
	free(trees);
	f->partial = f->partial || !ok;
	f->inputs++;
	f->failed += !ok;
	return ok || err_in(e, path);
}

bool
filter_read(struct filter *f, const char *path, struct err *e)
{
	return f->keep_going ? read_apart(f, path, NULL, e)
	                     : read_input(f, path, NULL, e);
}

bool
filter_read_source(struct filter *f, struct source *in, struct err *e)
{
	return f->keep_going ? read_apart(f, source_name(in), in, e)
	                     : read_input(f, source_name(in), in, e);
}

/* Whether list, "cpu,wall", names the event. */
static bool
listed(const char *list, struct str event)
{
	for (const char *end; *list; list = *end ? end + 1 : end) {
		end = strchrnul(list, ',');
		if (str_eq((struct str){ list, (size_t)(end - list) }, event))
			return true;
	}
	return false;
}

static void
choose_events(struct filter *f, struct tree *t, size_t *n)
{
	struct str event;
	size_t kept = 0;

	if (!f->events)
		return;
	for (size_t i = 0; i < *n; i++) {
		event = label_get(t[i].meta.labels, t[i].meta.nlabels, STR("event"));
		if (listed(f->events, event))
			t[kept++] = t[i];
		else
			tree_clear(&t[i]);
	}
	if (*n && !kept) {
		f->partial = true;
		warn_say(&f->input.warn, "no document of %s", f->events);
	}
	*n = kept;
}

bool
filter_finish(struct filter *f, struct tree **out, size_t *n, struct err *e)
{
	if (!groups_finish(f->groups, out, n, e) || !renew(f, e))
		return false;
	choose_events(f, *out, n);
	return true;
}

bool
filter_write(struct filter *f, struct err *e)
{
	struct tree *trees;
	size_t n;
	bool ok;

	if (!filter_finish(f, &trees, &n, e))
		return false;
	/* One behind the other they are no profile, and none can be taken back. */
	if (f->output.format == OUTPUT_PPROF && f->documents && n)
		ok = err_set(e, ERR_USAGE,
		             "-o pprof holds one document; merge several inputs with "
		             "stackmerge");
	else
		ok = output_trees(trees, n, &f->output, f->sink, e);
	for (size_t i = 0; i < n; i++) {
		f->documents += trees[i].n > 0;
		f->nodes += trees[i].n;
		tree_clear(&trees[i]);
	}
	free(trees);
	return ok;
}

bool
filter_close(struct filter *f, struct err *e)
{
	struct sink *s = f->sink;

	if (f->inputs && f->failed == f->inputs)
		return err_set(e, ERR_FORMAT, "no input could be used");
	f->sink = NULL;
	if (!sink_close(s, e))
		return false;
	if (f->verbose)
		warn_say(&f->note, "%zu documents, %zu nodes", f->documents, f->nodes);
	if (f->came && !f->passed)
		warn_say(&f->input.warn, "no stack matches the selection");
	return true;
}

int
filter_status(const struct filter *f)
{
	bool part = f->partial || (f->came && !f->passed);

	return !part ? 0 : f->strict ? 2 : 3;
}

void
filter_clear(struct filter *f)
{
	sink_discard(f->sink);
	select_free(f->sel);
	groups_free(f->groups);
	free(f->by);
	free(f->under);
	free(f->add);
	*f = (struct filter){ 0 };
}
