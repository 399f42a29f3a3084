/*
 * Numbers for people: three significant digits and a unit that fits. Decimal points
 * whatever the locale.
 */
#ifndef QUANTITY_H
#define QUANTITY_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/*
 * "1.23 s", "75.0 MiB", "1 234": nanoseconds, microseconds, milliseconds, seconds and
 * bytes are scaled, all else is counted. Into buf of at least 48 bytes; returns buf.
 */
const char *quantity(char *buf, int64_t value, struct str unit);
/*
 * The same for a value that was multiplied, rounded: of what is counted, fractions
 * below 1000 keep one decimal. Into buf of at least 48 bytes; returns buf.
 */
const char *quantity_real(char *buf, double value, struct str unit);
/* "12.3 %", "1.23 %", "<0.01 %", "0 %", "100 %". Into buf of at least 16 bytes. */
const char *percent(char *buf, double part, double whole);

#endif
