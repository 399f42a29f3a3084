/*
 * What the programs that make or pass trees have in common: inputs of any format,
 * selection, grouping, output, and the options for these. A program's table of options
 * begins with its own and ends with FILTER_LONG.
 */
#ifndef FILTER_H
#define FILTER_H

#include <getopt.h>
#include <stdbool.h>

#include "analysis/select.h"
#include "base/err.h"
#include "bytes/io.h"
#include "formats/input.h"
#include "render/output.h"
#include "tree/group.h"

/* Values of long options without a letter; a program's own begin at FILTER_OWN. */
enum {
	FILTER_BY = 256,
	FILTER_UNDER,
	FILTER_LABEL,
	FILTER_FOCUS,
	FILTER_IGNORE,
	FILTER_HIDE,
	FILTER_SHOW,
	FILTER_STRICT,
	FILTER_KEEP_GOING,
	FILTER_ROWS,
	FILTER_CUMULATIVE,
	FILTER_ANNOTATE,
	FILTER_ESCAPE,
	FILTER_DROP_NEGATIVE,
	FILTER_MAX_GROUPS,
	FILTER_MAX_RECORD,
	FILTER_PROGRESS,
	FILTER_OWN
};

/* Pieces of tables of options, for programs that take a part of them. */
#define FILTER_LONG_SELECT                                                             \
	{ "focus", required_argument, NULL, FILTER_FOCUS },                            \
	        { "ignore", required_argument, NULL, FILTER_IGNORE },                  \
	        { "hide", required_argument, NULL, FILTER_HIDE },                      \
	{                                                                              \
		"show", required_argument, NULL, FILTER_SHOW                           \
	}
#define FILTER_LONG_GROUP                                                              \
	{ "by", required_argument, NULL, FILTER_BY },                                  \
	        { "under", required_argument, NULL, FILTER_UNDER },                    \
	        { "label", required_argument, NULL, FILTER_LABEL },                    \
	        { "max-groups", required_argument, NULL, FILTER_MAX_GROUPS },          \
	{                                                                              \
		"keep-going", no_argument, NULL, FILTER_KEEP_GOING                     \
	}
#define FILTER_LONG_COMMON                                                             \
	{ "input", required_argument, NULL, 'i' },                                     \
	        { "output", required_argument, NULL, 'O' },                            \
	        { "sample-type", required_argument, NULL, 't' },                       \
	        { "max-record", required_argument, NULL, FILTER_MAX_RECORD },          \
	        { "strict", no_argument, NULL, FILTER_STRICT },                        \
	        { "progress", required_argument, NULL, FILTER_PROGRESS },              \
	        { "quiet", no_argument, NULL, 'q' },                                   \
	        { "verbose", no_argument, NULL, 'v' },                                 \
	        { "help", no_argument, NULL, 'h' },                                    \
	{                                                                              \
		"version", no_argument, NULL, 'V'                                      \
	}

#define FILTER_SHORT "i:o:O:t:qvhV"
#define FILTER_LONG                                                                    \
	FILTER_LONG_SELECT, FILTER_LONG_GROUP, FILTER_LONG_COMMON,                     \
	        { "format", required_argument, NULL, 'o' },                            \
	        { "rows", required_argument, NULL, FILTER_ROWS },                      \
	        { "cumulative", no_argument, NULL, FILTER_CUMULATIVE },                \
	        { "annotate", no_argument, NULL, FILTER_ANNOTATE },                    \
	        { "escape", no_argument, NULL, FILTER_ESCAPE },                        \
	{                                                                              \
		"drop-negative", no_argument, NULL, FILTER_DROP_NEGATIVE               \
	}

/* The same for help texts. */
#define FILTER_HELP_SELECT                                                             \
	"      --focus RE       keep stacks with a frame that matches\n"               \
	"      --ignore RE      drop stacks with a frame that matches\n"               \
	"      --hide RE        take matching frames out\n"                            \
	"      --show RE        keep matching frames alone\n"
#define FILTER_HELP                                                                    \
	"  -i, --input FORMAT   tree, folded, pprof, jfr (default: by content)\n"      \
	"  -o, --format FORMAT  json, pb, folded, top, pprof, nested, nested-jfr, "    \
	"d3\n"                                                                         \
	"  -O, --output FILE    write there, not to standard output\n"                 \
	"  -t, --sample-type T  T is TYPE, TYPE/UNIT, /UNIT, UNIT or an index\n"       \
	"      --by LABEL       one document for each value (repeat for more)\n"       \
	"      --under LABEL    its values as frames below the root (repeat)\n"        \
	"      --label K=V      set a label on every document "                        \
	"(repeat)\n" FILTER_HELP_SELECT                                                \
	"      --rows N         lines of -o top (50; 0: all)\n"                        \
	"      --cumulative     -o top by total\n"                                     \
	"      --annotate       -o folded: _[j] _[i] _[1] _[0], not _[k] alone\n"      \
	"      --escape         -o folded: \\; for a semicolon in a name, not :\n"     \
	"      --drop-negative  leave negative values out where they cannot be\n"      \
	"      --max-groups N   refuse more documents (10000)\n"                       \
	"      --max-record N   refuse longer records of tree streams (1G)\n"          \
	"      --strict         a damaged input is an error, not status 3\n"           \
	"      --keep-going     name broken inputs, go on, status 3\n"                 \
	"      --progress WHEN  say how far reading is: auto, always, never\n"         \
	"  -q, --quiet          no warnings\n"                                         \
	"  -v, --verbose        say what was read\n"                                   \
	"  -h, --help           show this help\n"                                      \
	"  -V, --version        show the version\n"

struct filter {
	struct input_opts input;
	struct group_opts group, later; /* later: of what was grouped input by input */
	struct select_opts select;
	struct output_opts output;
	const char *out_path;
	struct warn note; /* told what was written, if verbose */
	enum progress_when progress;
	const char *events; /* documents of these alone, "cpu,wall"; NULL: all */
	bool strict, keep_going, quiet, verbose;
	bool format_named; /* there was an -o */
	/* State, and storage of repeated options. */
	bool partial;            /* something could not be used: status 3 */
	uint64_t came, passed;   /* stacks before and behind selection */
	size_t documents, nodes; /* written */
	size_t inputs, failed;   /* with keep_going */
	struct groups *groups;
	struct select *sel;
	struct sink *sink;
	const char **by, **under;
	struct label *add;
	size_t cby, cunder, cadd;
};

/* Defaults: NDJSON, 50 rows. */
void filter_init(struct filter *);
enum filter_took { FILTER_NOT_MINE, FILTER_TOOK, FILTER_BAD };
/* Take an option that is ours; FILTER_BAD with an error. */
enum filter_took filter_option(struct filter *, int c, char *arg, struct err *);
/*
 * Go through a command line: what is ours goes to filter_option, the rest to own.
 * Returns 0; 'h', 'V', or '?' where getopt has said what is wrong; or -1 with an error.
 */
typedef bool filter_own(void *ctx, struct filter *, int c, char *arg, struct err *);
int filter_options(struct filter *, int argc, char **argv, const char *letters,
                   const struct option *, filter_own *own, void *ctx, struct err *);
/* Open the output and the first set of groups. */
bool filter_open(struct filter *, struct err *);
/* Where readers push. */
struct stack_sink *filter_sink(struct filter *);
/*
 * Read an input into the groups. With keep_going, nothing of a failed input is taken,
 * and the caller may go on: the status becomes 3. Where good inputs do not go together,
 * keep_going is false afterwards.
 */
bool filter_read(struct filter *, const char *path, struct err *);
/* The same of a source that is open, and stays so. */
bool filter_read_source(struct filter *, struct source *, struct err *);
/* The documents of what was read so far; then start anew. The caller frees. */
bool filter_finish(struct filter *, struct tree **out, size_t *n, struct err *);
/* Write the documents of what was read so far; then start anew. */
bool filter_write(struct filter *, struct err *);
/*
 * Close the output; the named file appears. Warns where a selection let nothing pass.
 */
bool filter_close(struct filter *, struct err *);
/* The status when all went well: 0, or 3 (strict: 2) where something was missing. */
int filter_status(const struct filter *);
/* Free everything; an output not closed is given up. */
void filter_clear(struct filter *);

#endif
