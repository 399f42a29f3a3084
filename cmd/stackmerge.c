/* stackmerge - merge stacks and trees of any origin into trees. */
#include <stdlib.h>

#include "base/cli.h"
#include "base/num.h"
#include "render/filter.h"

enum { OPT_EVENT = FILTER_OWN, OPT_TYPE, OPT_SCALE, OPT_UNESCAPE, OPT_COMMENTS };

static const char synopsis[] =
        "stackmerge [-i FORMAT] [-o FORMAT] [-t TYPE] [--by LABEL] "
        "[options] [file ...]";
static const char help[] =
        "usage: stackmerge [options] [file ...]\n"
        "Merge stacks and call trees: one tree for each event and sample types.\n"
        "Inputs: tree streams, folded text, pprof, JFR; plain, gzip'd or zstd'd.\n"
        "\n"
        "  -e, --only EVENT,... write the documents of these events alone\n"
        "      --event EVENT    what folded text counts (label event)\n"
        "      --type NAME/UNIT its sample type (samples/count)\n"
        "      --scale N        multiply its counts, then round\n"
        "      --unescape       read \\; \\\\ \\s \\n in its names\n"
        "      --no-comments    its lines that begin with # are stacks\n" FILTER_HELP
        "\n"
        "example: stackmerge --by service a.ndjson b.pb c.folded | flamesvg > x.svg\n";

static bool
own_option(void *ctx, struct filter *f, int c, char *arg, struct err *e)
{
	struct folded_opts *o = &f->input.folded;

	(void)ctx;
	switch (c) {
	case 'e':
		f->events = arg;
		return true;
	case OPT_EVENT:
		o->event = f->input.pprof.event = arg;
		return true;
	case OPT_TYPE:
		o->type = arg;
		return true;
	case OPT_SCALE:
		return (num_size(arg, &o->scale) && o->scale && o->scale >> 32 == 0) ||
		        err_set(e, ERR_USAGE, "--scale: '%.40s' is not 1 to 2^32", arg);
	case OPT_UNESCAPE:
		return o->unescape = true;
	default:
		return o->comments = true;
	}
}

static int
run(struct filter *f, char **files)
{
	struct err e = { 0 };

	f->input.warn = cli_warner(NULL);
	f->input.progress = cli_progress(f->progress, f->quiet);
	f->note = cli_noter();
	if (!filter_open(f, &e))
		return cli_fail(&e);
	for (; *files; files++) {
		if (filter_read(f, *files, &e))
			continue;
		cli_fail(&e);
		if (!f->keep_going)
			return EXIT_TROUBLE;
		e = (struct err){ 0 };
	}
	if (!filter_write(f, &e) || !filter_close(f, &e))
		return cli_fail(&e);
	return filter_status(f);
}

int
main(int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "only", required_argument, NULL, 'e' },
		{ "event", required_argument, NULL, OPT_EVENT },
		{ "type", required_argument, NULL, OPT_TYPE },
		{ "scale", required_argument, NULL, OPT_SCALE },
		{ "unescape", no_argument, NULL, OPT_UNESCAPE },
		{ "no-comments", no_argument, NULL, OPT_COMMENTS },
		FILTER_LONG,
		{ 0 },
	};
	struct err e = { 0 };
	struct filter f;
	int c, status;

	cli_init("stackmerge", argv);
	filter_init(&f);
	c = filter_options(&f, argc, argv, "e:" FILTER_SHORT, longopts, own_option,
	                   NULL, &e);
	if (f.quiet)
		cli_quiet();
	status = cli_options(c, &e, synopsis, help);
	if (status < 0)
		status = run(&f, cli_inputs(argv + optind));
	filter_clear(&f);
	return cli_finish(status);
}
