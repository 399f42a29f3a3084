/*
 * Trees to bytes: the formats of -o. The tree stream in both encodings takes any
 * number of documents; text and profiles of others take what they can hold.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "bytes/io.h"
#include "tree/tree.h"

enum output_format {
	OUTPUT_JSON,       /* NDJSON */
	OUTPUT_PB,         /* protobuf records */
	OUTPUT_FOLDED,     /* folded text: one document, one sample type */
	OUTPUT_TOP,        /* a table of functions, for each document */
	OUTPUT_PPROF,      /* gzip'd profile.proto: one document */
	OUTPUT_NESTED,     /* SkyWalking's pprof FrameTree, a line each */
	OUTPUT_NESTED_JFR, /* its JFR FrameTree, a line each */
	OUTPUT_D3          /* d3-flame-graph, a line each */
};

struct output_opts {
	enum output_format format;
	const char *type;   /* -t; NULL: all where several fit, else the default */
	bool annotate;      /* folded: all kinds, not kernel alone */
	bool escape;        /* folded: \; \\ \n, which loses nothing */
	bool drop_negative; /* where a format cannot hold them */
	size_t rows;        /* of top; 0: all */
	bool cumulative;    /* top sorted by total */
	struct warn warn;
};

/* The names that -o takes, for help: "json, pb, ...". */
extern const char output_formats[];
bool output_format(const char *name, enum output_format *out);
/* Whether a format is bytes that no terminal should get. */
bool output_binary(enum output_format);
/*
 * Write documents. With -t, trees lose their other sample types, and documents without
 * that type are left out and cleared, if there are others.
 */
bool output_trees(struct tree *, size_t n, const struct output_opts *, struct sink *,
                  struct err *);

/* One format each, for a sample type. */
bool folded_write(const struct tree *, uint32_t type, const struct output_opts *,
                  struct sink *, struct err *);
bool top_write(const struct tree *, uint32_t type, const struct output_opts *,
               struct sink *, struct err *);
bool pprof_write(const struct tree *, struct sink *, struct err *);
enum nested_shape { NESTED_PPROF, NESTED_JFR, NESTED_D3 };
bool nested_write(const struct tree *, uint32_t type, enum nested_shape, struct sink *,
                  struct err *);

#endif
