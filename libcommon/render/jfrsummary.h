/* The summary of a recording, for people and for programs. */
#ifndef JFRSUMMARY_H
#define JFRSUMMARY_H

#include "bytes/io.h"
#include "formats/jfr_summary.h"

/* Lines for a terminal: long texts are cut, and nothing can steer it. */
void jfrsummary_text(const struct jfr_summary *, const char *file, struct sink *);
/* One line of JSON with all there is. */
void jfrsummary_json(const struct jfr_summary *, const char *file, struct sink *);

#endif
