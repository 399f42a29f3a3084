/* flamesvg - draw call trees as an interactive SVG flame graph. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/caps.h"
#include "base/cli.h"
#include "base/num.h"
#include "bytes/utf8.h"
#include "render/filter.h"
#include "render/svg.h"

enum {
	OPT_TITLE = FILTER_OWN,
	OPT_SUBTITLE,
	OPT_WIDTH,
	OPT_FLAME,
	OPT_THEME,
	OPT_COLOUR,
	OPT_MIN_WIDTH,
	OPT_MAX_FRAMES,
	OPT_NO_SCRIPT,
	OPT_EMBED
};

static const char synopsis[] = "flamesvg [-e EVENT] [-t TYPE] [-O FILE] [--title TEXT] "
                               "[options] [file ...]";
static const char help[] =
        "usage: flamesvg [options] [file ...]\n"
        "Draw call trees and profiles as one self-contained, interactive SVG.\n"
        "\n"
        "  -i, --input FORMAT    what the inputs are (default: by content)\n"
        "  -e, --event EVENT     draw the documents of this event alone\n"
        "  -t, --sample-type T   show T first: TYPE, TYPE/UNIT, /UNIT, UNIT, an index\n"
        "  -O, --output FILE     write there, not to standard output\n"
        "      --title TEXT      (default: from the labels)\n"
        "      --subtitle TEXT   first of the facts beside the title\n"
        "      --width N         fit labels for N pixels where no script runs (1000)\n"
        "      --flame           root at the bottom\n"
        "      --theme THEME     light or dark alone (default: as the reader's "
        "screen)\n"
        "      --colour BY       name, kind or package\n"
        "      --min-width PCT   run narrower frames together (0.05)\n"
        "      --max-frames N    keep the N widest frames of a document (20000)\n"
        "      --no-script       neither script nor data\n"
        "      --embed           tiny, for pages: twelve levels, one line of text\n"
        "      --focus RE        keep stacks with a frame that matches\n"
        "      --ignore RE       drop stacks with a frame that matches\n"
        "      --hide RE         take matching frames out\n"
        "      --show RE         keep matching frames alone\n"
        "      --max-record N    refuse longer records of tree streams (1G)\n"
        "      --strict          a damaged input is an error, not status 3\n"
        "      --progress WHEN   say how far reading is: auto, always, never\n"
        "  -q, --quiet           no warnings\n"
        "  -v, --verbose         say what was drawn\n"
        "  -h, --help            show this help\n"
        "  -V, --version         show the version\n"
        "\n"
        "example: flamesvg -O cpu.svg --title 'checkout, 14:00' cpu.pb.gz\n";

/* Whole documents, before those that belong together are merged. */
struct docs {
	struct filter f;
	struct svg_opts svg;
	const char *event;
	struct arena text; /* options put right */
	struct tree *at;
	size_t n, cap;
};

static bool
word(const char *option, const char *arg, const char *const *words, unsigned *out,
     struct err *e)
{
	for (unsigned i = 1; words[i]; i++)
		if (strcmp(arg, words[i]) == 0) {
			*out = i;
			return true;
		}
	return err_set(e, ERR_USAGE, "--%s: '%.40s' is none of %s", option, arg,
	               words[0]);
}

static bool
number(const char *option, const char *arg, uint64_t max, uint64_t *out, struct err *e)
{
	return (num_u64(str_of(arg), out) && *out <= max) ||
	        err_set(e, ERR_USAGE, "--%s: '%.40s' is not a number up to %llu",
	                option, arg, (unsigned long long)max);
}

static bool
own_option(void *ctx, struct filter *f, int c, char *arg, struct err *e)
{
	static const char *const themes[] = { "light, dark", "light", "dark", NULL };
	static const char *const colours[] = { "name, kind, package", "name", "kind",
		                               "package", NULL };
	struct docs *d = ctx;
	struct svg_opts *o = &d->svg;
	uint64_t v = 0;
	unsigned w = 0;
	bool ok = true;

	(void)f;
	switch (c) {
	case 'e':
		d->event = arg;
		break;
	case OPT_TITLE:
		o->title = utf8_clean(&d->text, str_of(arg), NULL);
		break;
	case OPT_SUBTITLE:
		o->subtitle = utf8_clean(&d->text, str_of(arg), NULL);
		break;
	case OPT_WIDTH:
		ok = number("width", arg, 100000, &v, e);
		o->width = (unsigned)v;
		break;
	case OPT_FLAME:
		o->flame = true;
		break;
	case OPT_THEME:
		ok = word("theme", arg, themes, &w, e);
		o->theme = (enum svg_theme)w;
		break;
	case OPT_COLOUR:
		ok = word("colour", arg, colours, &w, e);
		o->colour = (enum svg_colour)w;
		break;
	case OPT_MIN_WIDTH:
		ok = (num_frac(arg, &o->min_width) && o->min_width <= 100) ||
		        err_set(e, ERR_USAGE,
		                "--min-width: '%.40s' is not a percentage", arg);
		break;
	case OPT_MAX_FRAMES:
		ok = number("max-frames", arg, UINT32_MAX / 4, &v, e);
		o->max_frames = (uint32_t)v;
		break;
	case OPT_NO_SCRIPT:
		o->no_script = true;
		break;
	default:
		o->embed = true;
		break;
	}
	return ok;
}

static void
add(struct docs *d, struct tree *t)
{
	d->at = xgrow(d->at, &d->cap, d->n + 1, sizeof *d->at);
	d->at[d->n++] = *t;
	*t = (struct tree){ 0 };
}

/* What the filter holds becomes documents. */
static bool
collect(struct docs *d, struct err *e)
{
	struct tree *trees;
	size_t n;

	if (!filter_finish(&d->f, &trees, &n, e))
		return false;
	for (size_t i = 0; i < n; i++)
		add(d, &trees[i]);
	free(trees);
	return true;
}

/* The stacks of one document that are selected, as documents. */
static bool
select_from(struct docs *d, const struct tree *t, struct err *e)
{
	struct group_opts o = { .warn = d->f.input.warn };
	struct groups *g = groups_new(&o);
	struct select *s = select_new(&d->f.select, groups_sink(g), e);
	struct tree *trees = NULL;
	uint64_t came;
	size_t n = 0;
	bool ok =
	        s && tree_push(t, select_sink(s), e) && groups_finish(g, &trees, &n, e);

	for (size_t i = 0; i < n; i++)
		add(d, &trees[i]);
	if (ok) {
		d->f.passed += select_passed(s, &came);
		d->f.came += came;
	}
	free(trees);
	select_free(s);
	groups_free(g);
	return ok;
}

/* A document of a tree stream. Selected from, it must not meet those of other labels.
 */
static bool
take(void *ctx, struct tree *t, struct err *e)
{
	struct docs *d = ctx;

	if (!select_wanted(&d->f.select)) {
		add(d, t);
		return true;
	}
	if (t->sides)
		return err_set(e, ERR_USAGE,
		               "a differential document cannot be selected from: "
		               "select before flamediff");
	return select_from(d, t, e);
}

static bool
read_all(struct docs *d, char **files, struct err *e)
{
	for (; *files; files++) {
		/* A new set of groups is a new filter, which wants its own documents.
		 */
		d->f.input.take = take;
		d->f.input.ctx = d;
		if (!filter_read(&d->f, *files, e) || !collect(d, e))
			return false;
	}
	return true;
}

/* Documents that agree in event, sample types and all labels become one. */
static bool
merge(struct docs *d, struct err *e)
{
	struct group_opts o = { .warn = d->f.input.warn };
	const char **keys = NULL;
	struct intern seen = { 0 };
	struct groups *g;
	size_t cap = 0;
	bool ok = true;

	for (size_t i = 0; i < d->n; i++)
		for (size_t k = 0; k < d->at[i].meta.nlabels; k++)
			intern_id(&seen, d->at[i].meta.labels[k].key);
	/* Each of them is asked of each document. */
	if (seen.n > CAP_LABELS) {
		intern_clear(&seen);
		return err_set(e, ERR_LIMIT,
		               "the documents have more than %u different labels",
		               CAP_LABELS);
	}
	for (size_t k = 0; k < seen.n; k++) {
		if (str_eq(seen.str[k], STR("event")))
			continue;
		keys = xgrow(keys, &cap, o.nby + 1, sizeof *keys);
		keys[o.nby++] = seen.str[k].p;
	}
	o.by = keys;
	g = groups_new(&o);
	for (size_t i = 0; i < d->n && ok; i++)
		ok = groups_take(g, &d->at[i], e);
	for (size_t i = 0; i < d->n; i++)
		tree_clear(&d->at[i]);
	free(d->at);
	d->at = NULL;
	d->n = d->cap = 0;
	ok = ok && groups_finish(g, &d->at, &d->n, e);
	d->cap = d->n;
	groups_free(g);
	free(keys);
	intern_clear(&seen);
	return ok;
}

static struct str
event_of(const struct tree *t)
{
	return label_get(t->meta.labels, t->meta.nlabels, STR("event"));
}

/* What people look at first. */
static unsigned
rank_of(const struct tree *t)
{
	static const char *const first[] = { "cpu", "wall", "alloc", "lock" };
	unsigned i = 0;

	while (i < 4 && !str_eq(event_of(t), str_of(first[i])))
		i++;
	return i;
}

static void
drop(struct docs *d, size_t i)
{
	tree_clear(&d->at[i]);
	memmove(&d->at[i], &d->at[i + 1], (d->n - i - 1) * sizeof *d->at);
	d->n--;
}

/* Stable: the canonical order stays within a rank. */
static void
put_in_order(struct docs *d, const bool *has_type)
{
	struct tree *out = xcalloc(d->n ? d->n : 1, sizeof *out);
	size_t n = 0;

	/* With -t, documents that have the type stand before those that do not. */
	for (int without = 0; without < 2; without++)
		for (unsigned rank = 0; rank <= 4; rank++)
			for (size_t i = 0; i < d->n; i++)
				if (rank_of(&d->at[i]) == rank &&
				    has_type[i] == !without)
					out[n++] = d->at[i];
	free(d->at);
	d->at = out;
}

/* -e and -t: which documents, and what each shows first. */
static bool
choose(struct docs *d, struct err *e)
{
	const char *type = d->f.output.type;
	bool *has_type, any = false;
	struct err no = { 0 };

	for (size_t i = d->n; d->event && i-- > 0;)
		if (!str_eq(event_of(&d->at[i]), str_of(d->event)))
			drop(d, i);
	if (d->event && d->n == 0)
		return err_set(e, ERR_FORMAT, "no document of event '%.60s'", d->event);
	has_type = xcalloc(d->n ? d->n : 1, sizeof *has_type);
	for (size_t i = 0; i < d->n; i++) {
		uint32_t shown;

		has_type[i] = meta_type(&d->at[i].meta, type, &shown, &no);
		if (has_type[i] && type)
			d->at[i].meta.shown = shown;
		any |= has_type[i];
	}
	put_in_order(d, has_type);
	free(has_type);
	if (type && d->n && !any) {
		*e = no;
		return false;
	}
	return true;
}

/* Where nothing can switch, the documents behind the first are not seen. */
static void
say_hidden(const struct docs *d)
{
	struct buf names = { 0 };

	if (d->n < 2 || !(d->svg.no_script || d->svg.embed))
		return;
	for (size_t i = 1; i < d->n; i++) {
		struct str event = event_of(&d->at[i]);

		if (names.n)
			buf_str(&names, STR(", "));
		buf_str(&names, event.n ? event : STR("without event"));
	}
	cli_warn("%zu more document%s (%.*s) need script to be seen", d->n - 1,
	         d->n == 2 ? "" : "s", (int)names.n, names.p);
	buf_clear(&names);
}

static void
say_drawn(const struct docs *d)
{
	for (size_t i = 0; i < d->n; i++) {
		struct str event = event_of(&d->at[i]);

		cli_note("%.*s%s%u nodes, sample types: %u", (int)event.n, event.p,
		         event.n ? ": " : "", (unsigned)d->at[i].n,
		         (unsigned)d->at[i].meta.ntypes);
	}
}

static int
run(struct docs *d, char **files)
{
	struct err e = { 0 };
	int status;

	d->f.input.warn = cli_warner(NULL);
	d->f.input.progress = cli_progress(d->f.progress, d->f.quiet);
	if (!filter_open(&d->f, &e) || !read_all(d, files, &e) || !merge(d, &e) ||
	    !choose(d, &e))
		return cli_fail(&e);
	say_hidden(d);
	if (!svg_render(d->at, d->n, &d->svg, d->f.sink, &e) ||
	    !filter_close(&d->f, &e))
		return cli_fail(&e);
	status = filter_status(&d->f);
	if (d->n == 0 || svg_empty(&d->at[0])) {
		cli_warn("no samples to draw");
		status = EXIT_PART;
	}
	if (d->f.verbose)
		say_drawn(d);
	return status;
}

static void
clear(struct docs *d)
{
	for (size_t i = 0; i < d->n; i++)
		tree_clear(&d->at[i]);
	free(d->at);
	arena_clear(&d->text);
	filter_clear(&d->f);
}

int
main(int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "event", required_argument, NULL, 'e' },
		{ "title", required_argument, NULL, OPT_TITLE },
		{ "subtitle", required_argument, NULL, OPT_SUBTITLE },
		{ "width", required_argument, NULL, OPT_WIDTH },
		{ "flame", no_argument, NULL, OPT_FLAME },
		{ "theme", required_argument, NULL, OPT_THEME },
		{ "colour", required_argument, NULL, OPT_COLOUR },
		{ "min-width", required_argument, NULL, OPT_MIN_WIDTH },
		{ "max-frames", required_argument, NULL, OPT_MAX_FRAMES },
		{ "no-script", no_argument, NULL, OPT_NO_SCRIPT },
		{ "embed", no_argument, NULL, OPT_EMBED },
		FILTER_LONG_SELECT,
		FILTER_LONG_COMMON,
		{ 0 },
	};
	struct docs d = { .svg = svg_defaults };
	struct err e = { 0 };
	int c, status;

	cli_init("flamesvg", argv);
	filter_init(&d.f);
	c = filter_options(&d.f, argc, argv, "i:e:t:O:qvhV", longopts, own_option, &d,
	                   &e);
	if (d.f.quiet)
		cli_quiet();
	status = cli_options(c, &e, synopsis, help);
	if (status < 0)
		status = run(&d, cli_inputs(argv + optind));
	clear(&d);
	return cli_finish(status);
}
