/* Test anything protocol: ok(condition) for each check, done() at the end of main. */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>
#include <stdio.h>

static int tap_count, tap_failed;

static inline bool
tap_ok(bool good, const char *file, int line, const char *what)
{
	tap_count++;
	tap_failed += !good;
	printf("%sok %d - %s\n", good ? "" : "not ", tap_count, what);
	if (!good)
		fprintf(stderr, "# %s:%d: failed: %s\n", file, line, what);
	return good;
}

#define ok(condition) tap_ok((condition), __FILE__, __LINE__, #condition)
/* The same with a name of its own, for rows of a table. */
#define ok_named(condition, name) tap_ok((condition), __FILE__, __LINE__, (name))

static inline int
done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed ? 1 : 0;
}

#endif
