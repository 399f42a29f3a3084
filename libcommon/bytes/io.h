/*
 * Where bytes come from and go to. A source is a file, standard input or memory; gzip
 * (several members) and zstd are found by their first bytes and inflated on the way,
 * under a limit that holds while inflating. A sink is standard output, a file that
 * appears whole or not at all, or a buffer.
 */
#ifndef IO_H
#define IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/progress.h"
#include "base/str.h"

struct source;

struct source_opts {
	uint64_t limit;  /* uncompressed bytes; 0: none */
	uint64_t offset; /* what the first byte is called: of a part of a file */
	struct warn warn;
	struct progress progress; /* of what is read from a descriptor */
};

/* Open a file, "-" being standard input. opts may be NULL. */
bool source_open(struct source **, const char *path, const struct source_opts *,
                 struct err *);
/* Bytes in memory, which must outlive the source. */
struct source *source_mem(const char *name, struct str bytes,
                          const struct source_opts *);
/* The path as given, for messages. */
const char *source_name(const struct source *);
/*
 * See at least n bytes from the current position if there are so many; *out is all
 * that is at hand and stays valid until the next call. Short only at the end. On
 * failure (false) *out holds what could still be had. 8 zero bytes follow the view.
 */
bool source_peek(struct source *, size_t n, struct str *out, struct err *);
/* Step over n bytes that have been seen. */
void source_skip(struct source *, size_t n);
/* See all the rest. */
bool source_all(struct source *, struct str *out, struct err *);
/* Uncompressed offset of the current position. */
uint64_t source_offset(const struct source *);
/* Bytes read so far, as they are in the file: packed, if it is. */
uint64_t source_taken(const struct source *);
/* "gzip", "zstd" or NULL: what the input was packed with, once peeked. */
const char *source_packed(const struct source *);
/* Whether the input can be read again from its start: a file or memory. */
bool source_can_rewind(const struct source *);
bool source_rewind(struct source *, struct err *);
void source_close(struct source *);

struct sink;

/*
 * path NULL or "-": standard output. A named regular file is written beside its place
 * and renamed by sink_close; links are followed, and the mode of an old file stays.
 */
bool sink_open(struct sink **, const char *path, struct err *);
/* Append to a buffer, which must outlive the sink. */
struct sink *sink_buf(struct buf *);
/* Errors stick: after the first, writes do nothing and return false. */
bool sink_write(struct sink *, const void *, size_t n);
bool sink_str(struct sink *, struct str);
bool sink_printf(struct sink *, const char *fmt, ...)
        __attribute__((format(printf, 2, 3)));
/* Room for n <= 4096 bytes to be written in place, then sink_fill with what was used.
 */
char *sink_room(struct sink *, size_t n);
void sink_fill(struct sink *, size_t used);
/* Pass on what is held back (between documents). */
bool sink_flush(struct sink *);
/* Finish: flush, check, rename. False with the first error. Frees the sink. */
bool sink_close(struct sink *, struct err *);
/* Give up: the named file keeps its old content. NULL is fine. */
void sink_discard(struct sink *);

#endif
