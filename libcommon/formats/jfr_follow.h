/*
 * Chunks of a recording that goes on: of the repository of a running JVM, a folder in
 * which each chunk is a file that is removed some time after it is complete, or of a
 * file that grows by whole chunks. Each chunk is given once, when it is complete, in
 * the order in which they begin. What was seen is held open, so that nothing is lost
 * that is removed meanwhile.
 */
#ifndef JFR_FOLLOW_H
#define JFR_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct jfr_follow;

struct jfr_followed {
	const char *name; /* of the file */
	uint64_t at;      /* where in the file it begins */
	struct str bytes;
	bool unfinished; /* there will be no more of it */
};

enum jfr_follow_what {
	FOLLOW_CHUNK,
	FOLLOW_BAD, /* a file has what is no chunk; the error says so. Others may follow
	             */
	FOLLOW_END
};

/*
 * path is a repository, a folder that holds one, or a file. Two descriptors end the
 * following: stop if it can be read, pipe if nobody reads it any more; either may be
 * -1.
 */
bool jfr_follow_open(struct jfr_follow **, const char *path, int stop, int pipe_fd,
                     struct err *);
/*
 * Wait for the next chunk, which is valid until the next call. The end is: the last
 * chunk of the recording has come; the folder or file is gone, or the JVM that the
 * folder is named after (if it cannot be seen, when it has not flushed for half a
 * minute): then unfinished chunks are given as well; or a descriptor.
 */
enum jfr_follow_what jfr_follow_next(struct jfr_follow *, struct jfr_followed *,
                                     struct err *);
void jfr_follow_close(struct jfr_follow *);

#endif
