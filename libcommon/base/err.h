/*
 * Errors as values: a function that can fail returns bool and fills the caller's
 * struct err. Only programs print. Nothing is allocated on the way.
 */
#ifndef ERR_H
#define ERR_H

#include <stdbool.h>
#include <stdint.h>

enum err_kind { ERR_NONE, ERR_USAGE, ERR_IO, ERR_FORMAT, ERR_LIMIT, ERR_REMOTE };

struct err {
	enum err_kind kind;
	bool has_offset;
	uint64_t offset;  /* byte in the uncompressed input */
	uint64_t record;  /* record or line, from 1; 0: not known */
	const char *unit; /* what record counts: "record", "line" */
	char file[192];
	char text[256];
};

/* Record a failure. Both return false, so: return err_at(e, ...); */
bool err_set(struct err *, enum err_kind, const char *fmt, ...)
        __attribute__((format(printf, 3, 4)));
bool err_at(struct err *, enum err_kind, uint64_t offset, const char *fmt, ...)
        __attribute__((format(printf, 4, 5)));
/* The failure of a system call: "what: strerror(errno)". Returns false. */
bool err_sys(struct err *, const char *what);
/* Name the input, unless a deeper layer already did. Returns false. */
bool err_in(struct err *, const char *file);
/* Names in a message may hold anything: what a terminal would obey becomes '?'. */
void err_tame(char *text);
/* Say which record or line, unless a deeper layer already did. Returns false. */
bool err_record(struct err *, const char *unit, uint64_t record);
/* The whole message without the program's name, into buf; returns buf. */
const char *err_text(const struct err *, char *buf, size_t size);

/*
 * Warnings are collected by who reads and printed by the program: a callback and what
 * it needs. A zero struct swallows them.
 */
struct warn {
	void (*say)(void *ctx, const char *text);
	void *ctx;
};
void warn_say(const struct warn *, const char *fmt, ...)
        __attribute__((format(printf, 2, 3)));

#endif
