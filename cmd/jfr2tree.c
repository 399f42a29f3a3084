/* jfr2tree - Java Flight Recorder files to call trees. */
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cli.h"
#include "formats/jfr_follow.h"
#include "formats/jfr_summary.h"
#include "render/filter.h"
#include "render/jfrconv.h"
#include "render/jfrsummary.h"

enum { OPT_NAMES = FILTER_OWN, OPT_STACKLESS, OPT_SUMMARY, OPT_FOLLOW };

static const char synopsis[] = "jfr2tree [-e KIND,...] [-g GRANULARITY] [-o FORMAT] "
                               "[-t TYPE] [--names NAMES] [options] [file ...]";
static const char help[] =
        "usage: jfr2tree [options] [file ...]\n"
        "Turn Java Flight Recorder files (JDK, async-profiler; also gzip'd or zstd'd) "
        "into\n"
        "call trees, one for each kind of profile that is in a file.\n"
        "\n"
        "  -e, --event KINDS    cpu, wall, alloc, live, lock; exec, cputime\n"
        "  -g, --granularity G  function, line, module\n"
        "      --names NAMES    ours or jfrconv (with -o folded, one kind)\n"
        "      --stackless      keep samples without a stack, as a frame\n"
        "      --follow DIR     chunks of a running JVM as they come, or of a FILE\n"
        "      --summary        what is in a recording, as text (or -o "
        "json)\n" FILTER_HELP "\n"
        "example: jfr2tree -e cpu recording.jfr | flamesvg > cpu.svg\n";

/* What else there is to do than to convert. */
struct mode {
	bool summary;
	const char *follow; /* NULL: read files that are there */
	struct jfr_held held;
};

/* "cpu, wall", into the buffer. */
static const char *
kind_names(unsigned kinds, struct buf *b)
{
	b->n = 0;
	for (int k = 0; k < JFR_KINDS; k++)
		if (kinds & JFR_KIND(k))
			buf_printf(b, "%s%s", b->n ? ", " : "", jfr_kind_name[k]);
	buf_char(b, '\0');
	return b->p;
}

static bool
take_kinds(struct jfr_opts *o, const char *arg, struct err *e)
{
	for (const char *p = arg;; p++) {
		size_t n = strcspn(p, ",");
		enum jfr_kind kind;

		if (!jfr_kind((struct str){ p, n }, &kind))
			return err_set(
			        e, ERR_USAGE,
			        "-e: no kind '%.*s'; there are cpu, wall, alloc, "
			        "live, lock, exec, cputime",
			        n > 40 ? 40 : (int)n, p);
		o->kinds |= JFR_KIND(kind);
		p += n;
		if (!*p)
			return true;
	}
}

static bool
take_granularity(struct jfr_opts *o, const char *arg, struct err *e)
{
	if (strcmp(arg, "function") == 0)
		o->identity = 0;
	else if (strcmp(arg, "line") == 0)
		o->identity = ID_LINE;
	else if (strcmp(arg, "module") == 0)
		o->identity = ID_MODULE;
	else
		return err_set(e, ERR_USAGE,
		               "-g: no granularity '%.40s'; there are function, line, "
		               "module",
		               arg);
	return true;
}

static bool
own_option(void *ctx, struct filter *f, int c, char *arg, struct err *e)
{
	struct jfr_opts *o = &f->input.jfr;
	struct mode *mode = ctx;

	switch (c) {
	case 'e':
		return take_kinds(o, arg, e);
	case 'g':
		return take_granularity(o, arg, e);
	case OPT_NAMES:
		o->jfrconv = strcmp(arg, "jfrconv") == 0;
		return o->jfrconv || strcmp(arg, "ours") == 0 ||
		        err_set(e, ERR_USAGE,
		                "--names: no names '%.40s'; there are ours, jfrconv",
		                arg);
	case OPT_FOLLOW:
		mode->follow = arg;
		return true;
	case OPT_SUMMARY:
		return mode->summary = true;
	default:
		return o->keep_stackless = true;
	}
}

/* What fits jfrconv's lines, which know one kind and no lines of source. */
static bool
check(const struct filter *f, struct err *e)
{
	if (!f->input.jfr.jfrconv)
		return true;
	if (f->output.format != OUTPUT_FOLDED)
		return err_set(e, ERR_USAGE, "--names jfrconv needs -o folded");
	if (f->input.jfr.identity)
		return err_set(e, ERR_USAGE,
		               "--names jfrconv goes with -g function only");
	return true;
}

/* An answer that lacks something explains itself. */
static void
explain(struct filter *f, const char *file, const struct jfr_stats *s)
{
	unsigned asked = f->input.jfr.kinds;
	unsigned missing = asked ? asked & ~s->given : s->given ? 0 : JFR_USUAL;
	struct buf a = { 0 }, b = { 0 };

	if (s->twice & s->given & JFR_KIND(JFR_CPU))
		cli_warn("%s: cpu adds up ExecutionSample and CPUTimeSample, which saw "
		         "the "
		         "same time (-e cputime: the latter alone)",
		         file);
	if (s->twice & s->given & JFR_KIND(JFR_ALLOC))
		cli_warn("%s: alloc adds up ObjectAllocationSample and the TLAB "
		         "events, which "
		         "saw the same objects",
		         file);
	if (s->lost)
		cli_warn("%s: the recorder lost %llu bytes of events", file,
		         (unsigned long long)s->lost);
	if (missing) {
		unsigned others = s->found & ~missing;

		f->partial = true;
		kind_names(missing, &a);
		if (missing & s->found)
			cli_warn("%s: no stacks of %s", file, a.p);
		else if (others)
			cli_warn("%s: no %s; the recording has %s", file, a.p,
			         kind_names(others, &b));
		else
			cli_warn("%s: no %s, nor any other kind", file, a.p);
	}
	if (f->verbose) {
		cli_note("%s: %llu chunks, %llu events; %llu samples without a stack, "
		         "%llu "
		         "methods without a name",
		         file, (unsigned long long)s->chunks,
		         (unsigned long long)s->events,
		         (unsigned long long)s->stackless,
		         (unsigned long long)s->nameless);
		if (s->lost_cpu)
			cli_note("%s: the recorder lost %llu CPU time samples", file,
			         (unsigned long long)s->lost_cpu);
		if (s->assumed)
			cli_note("%s: time of %s by a default interval, as none is "
			         "given",
			         file, kind_names(s->assumed, &b));
	}
	buf_clear(&a);
	buf_clear(&b);
}

static bool
write_jfrconv(struct filter *f, struct err *e)
{
	struct tree *trees;
	uint32_t type;
	size_t n;
	bool ok = true;

	if (!filter_finish(f, &trees, &n, e))
		return false;
	if (n > 1)
		ok = err_set(e, ERR_USAGE,
		             "--names jfrconv takes one kind; name it with -e");
	else if (n == 1)
		ok = meta_type(&trees[0].meta, f->output.type, &type, e) &&
		        jfrconv_write(&trees[0], type, f->sink, e);
	for (size_t i = 0; i < n; i++)
		tree_clear(&trees[i]);
	free(trees);
	return ok;
}

static bool
convert(struct filter *f, const char *file, struct jfr_stats *stats, struct err *e)
{
	*stats = (struct jfr_stats){ 0 };
	if (!filter_read(f, file, e)) {
		if (!f->keep_going)
			return false;
		cli_fail(e);
		*e = (struct err){ 0 };
	} else if (stats->chunks) {
		explain(f, file, stats);
	}
	return f->input.jfr.jfrconv ? write_jfrconv(f, e) : filter_write(f, e);
}

static int
run(struct filter *f, char **files, struct jfr_stats *stats)
{
	struct err e = { 0 };

	f->input.warn = cli_warner(NULL);
	f->input.progress = cli_progress(f->progress, f->quiet);
	f->note = cli_noter();
	f->input.jfr_stats = stats;
	f->group.kinds_apart = f->input.jfr.jfrconv;
	if (!check(f, &e) || !filter_open(f, &e))
		return cli_fail(&e);
	for (; *files; files++)
		if (!convert(f, *files, stats, &e))
			return cli_fail(&e);
	if (!filter_close(f, &e))
		return cli_fail(&e);
	return filter_status(f);
}

static bool
summary_of(struct filter *f, const char *file, struct err *e)
{
	struct source_opts so = { .warn = f->input.warn,
		                  .progress = f->input.progress };
	struct jfr_summary s;
	struct source *in;
	bool ok;

	if (!source_open(&in, file, &so, e))
		return false;
	ok = jfr_summary_read(in, &s, e);
	source_close(in);
	if (!ok)
		return false;
	if (f->format_named) {
		jfrsummary_json(&s, file, f->sink);
	} else {
		sink_write(f->sink, "\n", f->inputs > f->failed);
		jfrsummary_text(&s, file, f->sink);
	}
	f->partial = f->partial || s.damages;
	jfr_summary_clear(&s);
	return true;
}

static int
summarise(struct filter *f, char **files)
{
	struct err e = { 0 };

	f->input.warn = cli_warner(NULL);
	f->input.progress = cli_progress(f->progress, f->quiet);
	if (f->format_named && f->output.format != OUTPUT_JSON) {
		cli_bad("--summary is text, or -o json");
		return EXIT_TROUBLE;
	}
	if (!filter_open(f, &e))
		return cli_fail(&e);
	for (; *files; files++) {
		bool ok = summary_of(f, *files, &e);

		if (!ok && !f->keep_going)
			return cli_fail(&e);
		if (!ok)
			cli_fail(&e);
		e = (struct err){ 0 };
		f->inputs++;
		f->failed += !ok;
		f->partial = f->partial || !ok;
	}
	return filter_close(f, &e) ? filter_status(f) : cli_fail(&e);
}

/* What goes on can only be written as it comes. */
static bool
check_follow(const struct filter *f, const struct mode *mode, char **files,
             struct err *e)
{
	if (*files)
		return err_set(e, ERR_USAGE,
		               "--follow takes no other files, such as '%.60s'",
		               *files);
	if (mode->summary)
		return err_set(e, ERR_USAGE, "--follow makes no --summary");
	if (f->input.format != INPUT_AUTO && f->input.format != INPUT_JFR)
		return err_set(e, ERR_USAGE, "--follow takes recordings alone, no -i");
	if (f->out_path && strcmp(f->out_path, "-") != 0)
		return err_set(e, ERR_USAGE,
		               "--follow writes as chunks come; a file of -O appears "
		               "at the end");
	if (f->output.format == OUTPUT_FOLDED || f->output.format == OUTPUT_PPROF)
		return err_set(e, ERR_USAGE,
		               "--follow writes a document for each chunk; -o folded "
		               "and -o pprof hold one");
	return true;
}

/* What all chunks were, for explain(). */
static void
sum_up(struct jfr_stats *all, const struct jfr_stats *s)
{
	all->chunks += s->chunks;
	all->events += s->events;
	all->bytes += s->bytes;
	all->found |= s->found;
	all->given |= s->given;
	all->stackless += s->stackless;
	all->nameless += s->nameless;
	all->unknown += s->unknown;
	all->lost += s->lost;
	all->lost_cpu += s->lost_cpu;
	all->assumed |= s->assumed;
	all->twice |= s->twice;
}

/* The documents of one chunk. A chunk that is bad is told, and no reason to end. */
static bool
convert_chunk(struct filter *f, const struct jfr_followed *c, struct err *e)
{
	struct source_opts so = { .offset = c->at, .warn = f->input.warn };
	struct source *in = source_mem(c->name, c->bytes, &so);
	bool ok = filter_read_source(f, in, e);

	source_close(in);
	if (!ok && !f->keep_going)
		return false;
	if (!ok)
		cli_fail(e);
	*e = (struct err){ 0 };
	return filter_write(f, e);
}

static int
follow(struct filter *f, struct mode *mode, char **files, struct jfr_stats *stats)
{
	struct jfr_stats all = { 0 };
	struct jfr_follow *w = NULL;
	enum jfr_follow_what what;
	struct jfr_followed chunk;
	struct err e = { 0 };
	bool ok;

	f->input.warn = cli_warner(NULL);
	f->input.progress = cli_progress(f->progress, f->quiet);
	f->note = cli_noter();
	f->input.jfr_stats = stats;
	f->input.jfr.held = &mode->held;
	f->keep_going = !f->strict;
	if (!check(f, &e) || !check_follow(f, mode, files, &e) || !filter_open(f, &e))
		return cli_fail(&e);
	ok = jfr_follow_open(&w, mode->follow, cli_stop_fd(), STDOUT_FILENO, &e);
	while (ok && (what = jfr_follow_next(w, &chunk, &e)) != FOLLOW_END) {
		*stats = (struct jfr_stats){ 0 };
		if (what == FOLLOW_CHUNK)
			ok = convert_chunk(f, &chunk, &e);
		else if ((ok = f->keep_going))
			cli_fail(&e);
		if (!ok)
			break;
		e = (struct err){ 0 };
		f->inputs += what == FOLLOW_BAD;
		f->failed += what == FOLLOW_BAD;
		f->partial = f->partial || what == FOLLOW_BAD;
		sum_up(&all, stats);
		if (!sink_flush(f->sink))
			break; /* filter_close says why */
	}
	jfr_follow_close(w);
	if (!ok)
		return cli_fail(&e);
	if (all.chunks)
		explain(f, mode->follow, &all);
	return filter_close(f, &e) ? filter_status(f) : cli_fail(&e);
}

int
main(int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "event", required_argument, NULL, 'e' },
		{ "granularity", required_argument, NULL, 'g' },
		{ "names", required_argument, NULL, OPT_NAMES },
		{ "stackless", no_argument, NULL, OPT_STACKLESS },
		{ "follow", required_argument, NULL, OPT_FOLLOW },
		{ "summary", no_argument, NULL, OPT_SUMMARY },
		FILTER_LONG,
		{ 0 },
	};
	struct mode mode = { 0 };
	struct err e = { 0 };
	struct jfr_stats stats;
	struct filter f;
	int c, status;

	cli_init("jfr2tree", argv);
	filter_init(&f);
	c = filter_options(&f, argc, argv, "e:g:" FILTER_SHORT, longopts, own_option,
	                   &mode, &e);
	if (f.quiet)
		cli_quiet();
	status = cli_options(c, &e, synopsis, help);
	if (status < 0 && mode.follow)
		status = follow(&f, &mode, argv + optind, &stats);
	else if (status < 0 && mode.summary)
		status = summarise(&f, cli_inputs(argv + optind));
	else if (status < 0)
		status = run(&f, cli_inputs(argv + optind), &stats);
	filter_clear(&f);
	return cli_finish(status);
}
