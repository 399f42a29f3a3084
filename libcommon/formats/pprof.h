/*
 * pprof profiles: profile.proto (package perftools.profiles), uncompressed as the
 * source gives it. The bytes are walked where they lie: tables first, for writers put
 * the strings last, then the samples straight into the sink.
 */
#ifndef PPROF_H
#define PPROF_H

#include <stdbool.h>
#include <stdint.h>

#include "bytes/io.h"
#include "tree/stack.h"

/* What a frame is. */
enum granularity {
	BY_FUNCTION,
	BY_FILEFUNCTION, /* function and file */
	BY_LINE,         /* function, file, line */
	BY_FILE,         /* the file alone */
	BY_ADDRESS       /* function, file, line, module, address */
};

/* Find a granularity by name: function, filefunction, line, file, address. */
bool granularity_named(const char *name, enum granularity *out);

struct pprof_opts {
	enum granularity granularity;
	const char *event; /* NULL: by the sample types and the file's name */
	bool no_inlines;   /* of inlined calls keep the function that holds the code */
	bool all_frames;   /* do not apply the profile's own drop_frames */
	struct warn warn;
};

/* Errors name the field and the byte. */
bool pprof_read(struct source *, const struct pprof_opts *, struct stack_sink *,
                struct err *);
/* Whether bytes could begin a profile: fields 1 to 15 with the right wire types. */
bool pprof_sniff(struct str head);

#endif
