/*
 * What all programs share at the edge: name, messages, statuses, the last flush.
 * Used by cmd/ alone.
 */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/progress.h"

/* The one table of exit statuses. */
enum {
	EXIT_OK = 0,
	EXIT_NO = 1,      /* the answer is no */
	EXIT_TROUBLE = 2, /* usage, broken input, failed write */
	EXIT_PART = 3,    /* done in part or undecided */
	EXIT_BUSY = 75    /* a remote or the store is busy */
};

/*
 * First call of main. Keeps descriptors 0 to 2 from being taken by files, and argv[0],
 * which getopt prints, from being a path.
 */
void cli_init(const char *program, char **argv);
/* -q: no warnings. */
void cli_quiet(void);
/* prog: warning: text */
void cli_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* prog: text, for what -v tells. */
void cli_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* cli_warn as the callback of readers; ctx counts, if a size_t pointer. */
struct warn cli_warner(size_t *count);
/* cli_note as a callback. */
struct warn cli_noter(void);
/*
 * Shows progress on standard error, in one line that is written over: from the second
 * second on, five times a second at most, and erased before anything else is said.
 * PROGRESS_AUTO: if that is a terminal, and the program not quiet.
 */
struct progress cli_progress(enum progress_when, bool is_quiet);
/*
 * The operands, or "-" where there are none. Says so where standard input is a
 * terminal, for nobody types a profile.
 */
char **cli_inputs(char **operands);
/*
 * From now on SIGINT and SIGTERM do not end the program but make a descriptor readable,
 * which is returned; -1 if there is none.
 */
int cli_stop_fd(void);
/* Print the synopsis, after getopt or cli_bad said what was wrong. Returns 2. */
int cli_usage(const char *synopsis);
/* Say what is wrong with the command line. */
void cli_bad(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Print the error. Returns 2, or 75 for a remote. */
int cli_fail(const struct err *);
/* -h and -V: print the help text or "name version". Returns the status. */
int cli_about(int option, const char *help);
/*
 * What ends a program before its work: c is 0 for nothing, -1 for the error, or what
 * getopt gave for help, version or a wrong option. Returns the status, or -1: go on.
 */
int cli_options(int c, const struct err *, const char *synopsis, const char *help);
/* Flush and check standard output. Returns status, or 2 if the write failed. */
int cli_finish(int status);
/* An option's number, or false after saying what is wrong with it. */
bool cli_size(const char *option, const char *text, uint64_t *out);

#endif
