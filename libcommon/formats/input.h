/*
 * One opener for all inputs: tree streams of both encodings, envelopes, and profiles of
 * every known format, plain or packed, told apart by their first bytes.
 */
#ifndef INPUT_H
#define INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "formats/folded.h"
#include "formats/jfr.h"
#include "formats/pprof.h"
#include "tree/stack.h"
#include "tree/tree.h"

enum input_format { INPUT_AUTO, INPUT_TREE, INPUT_FOLDED, INPUT_PPROF, INPUT_JFR };

/* The names that -i takes, for help. */
extern const char input_formats[];
bool input_format(const char *name, enum input_format *out);

struct input_opts {
	enum input_format format;
	uint64_t max_record; /* of tree streams; 0: CAP_RECORD */
	struct warn warn;
	struct progress progress;
	struct folded_opts folded;
	struct pprof_opts pprof;
	struct jfr_opts jfr;
	struct jfr_stats *jfr_stats; /* of the last recording; may be NULL */
	/* Whole documents of tree streams go here, if set, else through the sink. */
	bool (*take)(void *ctx, struct tree *, struct err *);
	void *ctx;
};

/*
 * Read all of an input ("-": standard input) into the sink. *partial is set if
 * something of it could not be used.
 */
bool input_read(const char *path, const struct input_opts *, struct stack_sink *,
                bool *partial, struct err *);
/* The same of a source that is open, and stays so. */
bool input_read_source(struct source *, const struct input_opts *, struct stack_sink *,
                       bool *partial, struct err *);

#endif
