/*
 * Moments as people write them, in one grammar for all programs:
 *
 *	2026-11-30T14:05:09.25Z		RFC 3339: T or a blank, Z or +hh:mm; without
 *	2026-11-30 14:05		a zone local time; seconds may be missing
 *	14:05, 14:05:30.5		local time, on the day of the recording
 *	1796047509.25			Unix time: up to 11 digits s, then ms (14),
 *	1796047509250			us (17), ns (20); a fraction of seconds alone
 *	now, now-1h, now+5m
 *	+2s, -1m30s			from the start or the end of a recording
 */
#ifndef WHEN_H
#define WHEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum when_base { WHEN_ABSOLUTE, WHEN_CLOCK, WHEN_FROM_START, WHEN_FROM_END };

struct when {
	enum when_base base;
	int64_t ns; /* since 1970 (clock: of today), or from the start or end (negative)
	             */
};

/* The clock of the system, ns since 1970. */
int64_t when_now(void);
/*
 * Parse all of the text. The error names the text, what is wrong with it and what there
 * is; the caller says which option it was for: err_in(e, "--from").
 */
bool when_parse(const char *, int64_t now_ns, struct when *, struct err *);
/*
 * The moment for a recording of that start and end; stays within 64 bits. Of a clock
 * time the first within the recording, else that of the day on which it starts.
 */
int64_t when_resolve(struct when, int64_t start_ns, int64_t end_ns);
/*
 * "2026-11-30T14:05:09.250Z", and in local time "2026-11-30 15:05:09.250+01:00", which
 * when_parse takes: to the millisecond before. Into buf of WHEN_TEXT bytes; returns
 * buf.
 */
enum { WHEN_TEXT = 48 };
const char *when_utc(char *buf, int64_t ns);
const char *when_local(char *buf, int64_t ns);

#endif
