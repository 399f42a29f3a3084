/* pprof2tree - pprof profiles to call trees. */
#include <stdlib.h>

#include "base/cli.h"
#include "render/filter.h"

enum { OPT_EVENT = FILTER_OWN, OPT_NO_INLINES, OPT_ALL_FRAMES, OPT_MERGE };

static const char synopsis[] = "pprof2tree [-g GRANULARITY] [-o FORMAT] [-t TYPE] "
                               "[--by LABEL] [options] [file ...]";
static const char help[] =
        "usage: pprof2tree [options] [file ...]\n"
        "Turn pprof profiles (raw, gzip'd, zstd'd) into call trees, one for each "
        "input.\n"
        "\n"
        "  -g, --granularity G  function, filefunction, line, file, address\n"
        "      --event EVENT    cpu, heap, block, mutex ... (default: by its types)\n"
        "      --no-inlines     leave inlined calls out\n"
        "      --all-frames     do not apply the profile's drop_frames\n"
        "      --merge          one tree of all inputs\n" FILTER_HELP "\n"
        "example: pprof2tree -t inuse_space heap.pb.gz | flamesvg > heap.svg\n";

struct own {
	bool merge;
};

static bool
own_option(void *ctx, struct filter *f, int c, char *arg, struct err *e)
{
	struct pprof_opts *o = &f->input.pprof;
	struct own *own = ctx;

	switch (c) {
	case 'g':
		return granularity_named(arg, &o->granularity) ||
		        err_set(e, ERR_USAGE,
		                "-g: no granularity '%.40s'; there are function, "
		                "filefunction, line, file, address",
		                arg);
	case OPT_EVENT:
		o->event = arg;
		return true;
	case OPT_NO_INLINES:
		return o->no_inlines = true;
	case OPT_ALL_FRAMES:
		return o->all_frames = true;
	default:
		return own->merge = true;
	}
}

static int
run(struct filter *f, char **files, const struct own *own)
{
	struct err e = { 0 };

	f->input.warn = cli_warner(NULL);
	f->input.progress = cli_progress(f->progress, f->quiet);
	f->note = cli_noter();
	/* Trees pass, as everywhere; everything else is a profile, or says what it is.
	 */
	if (!filter_open(f, &e))
		return cli_fail(&e);
	for (; *files; files++) {
		if (!filter_read(f, *files, &e)) {
			cli_fail(&e);
			if (!f->keep_going)
				return EXIT_TROUBLE;
			e = (struct err){ 0 };
		}
		if (!own->merge && !filter_write(f, &e))
			return cli_fail(&e);
	}
	if ((own->merge && !filter_write(f, &e)) || !filter_close(f, &e))
		return cli_fail(&e);
	return filter_status(f);
}

int
main(int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "granularity", required_argument, NULL, 'g' },
		{ "event", required_argument, NULL, OPT_EVENT },
		{ "no-inlines", no_argument, NULL, OPT_NO_INLINES },
		{ "all-frames", no_argument, NULL, OPT_ALL_FRAMES },
		{ "merge", no_argument, NULL, OPT_MERGE },
		FILTER_LONG,
		{ 0 },
	};
	struct err e = { 0 };
	struct own own = { 0 };
	struct filter f;
	int c, status;

	cli_init("pprof2tree", argv);
	filter_init(&f);
	c = filter_options(&f, argc, argv, "g:" FILTER_SHORT, longopts, own_option,
	                   &own, &e);
	if (f.quiet)
		cli_quiet();
	status = cli_options(c, &e, synopsis, help);
	if (status < 0)
		status = run(&f, cli_inputs(argv + optind), &own);
	filter_clear(&f);
	return cli_finish(status);
}
