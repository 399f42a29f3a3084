/*
 * The tree stream in both encodings; man/flamepipe-tree.5 defines it. Reading goes
 * record by record; what came before a broken record has been delivered.
 */
#ifndef TREEFILE_H
#define TREEFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "bytes/io.h"
#include "tree/tree.h"

/* A profile that is not a tree yet, with what its sender knows about it. */
struct envelope {
	struct label *labels;
	size_t nlabels;
	int64_t start_ns, end_ns;
	struct str task_id, format, data;
	struct arena arena;
};

void envelope_clear(struct envelope *);

enum treefile_kind { TREEFILE_END, TREEFILE_TREE, TREEFILE_ENVELOPE };

struct treefile {
	struct source *source;
	uint64_t max_record; /* 0: CAP_RECORD */
	uint64_t record;     /* of the last one, from 1 */
};

/* Whether bytes at the start of an input look like a tree stream. */
bool treefile_sniff(struct str head);
/*
 * The next record, JSON or protobuf: *what says which of tree and envelope was filled
 * (both must be empty). Errors name input, record and byte.
 */
bool treefile_next(struct treefile *, enum treefile_kind *what, struct tree *,
                   struct envelope *, struct err *);
/* One line of JSON. Failed writes stick in the sink. */
void treefile_json(const struct tree *, struct sink *);
/* One protobuf record with its magic and length. */
bool treefile_pb(const struct tree *, struct sink *, struct err *);
bool treefile_envelope(const struct envelope *, struct sink *, struct err *);

#endif
