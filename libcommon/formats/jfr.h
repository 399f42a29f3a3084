/*
 * Java Flight Recorder files, from JDK 9 to 25 and from async-profiler, to weighted
 * stacks. Chunk by chunk: memory follows the largest chunk, so gzip, pipes and files
 * are all the same. Everything is found by the names in the chunk's own metadata, never
 * by number or position. Each kind of profile is a series of two values, the count
 * first.
 */
#ifndef JFR_H
#define JFR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "bytes/io.h"
#include "tree/stack.h"

/* In the order in which they are given out. */
enum jfr_kind {
	JFR_CPU,
	JFR_WALL,
	JFR_ALLOC,
	JFR_LIVE,
	JFR_LOCK,
	JFR_EXEC, /* execution samples of every sort: what jfrconv takes by default */
	JFR_CPUTIME, /* CPUTimeSample alone */
	JFR_KINDS
};

#define JFR_KIND(kind) (1U << (kind))
/* What is given without being asked for. */
#define JFR_USUAL                                                                      \
	(JFR_KIND(JFR_CPU) | JFR_KIND(JFR_WALL) | JFR_KIND(JFR_ALLOC) |                \
	 JFR_KIND(JFR_LIVE) | JFR_KIND(JFR_LOCK))

extern const char *const jfr_kind_name[JFR_KINDS];

/*
 * What async-profiler says in the first chunk of a recording and means for all: kept by
 * who reads chunk by chunk, from one jfr_read to the next. All-zero before the first.
 */
struct jfr_held {
	bool known;
	int64_t ap_interval, ap_wall, jdk_period, jdk_native_period;
	char ap_event[512];
	size_t event_len;
};

struct jfr_opts {
	/*
	 * JFR_KIND bits; 0: the usual ones. Wall asked for by name is made of the
	 * JDK's execution samples too, which know no other wall clock.
	 */
	unsigned kinds;
	bool jfrconv;        /* names and classes of frames as jfrconv has them */
	bool keep_stackless; /* samples without a stack stay, under JFR_NO_STACK */
	bool strict;         /* damage is an error */
	unsigned identity;   /* ID_LINE, ID_MODULE */
	struct warn warn;
	/* Settings of the chunks before; NULL: the input is whole. */
	struct jfr_held *held;
};

#define JFR_NO_STACK "[no stack trace]"

struct jfr_stats {
	uint64_t chunks, events, bytes;
	unsigned found;     /* JFR_KIND bits of what is there, asked for or not */
	unsigned given;     /* those that became a series */
	uint64_t stackless; /* samples whose stack is missing */
	uint64_t nameless;  /* frames whose method is missing */
	uint64_t unknown;   /* events of a type that the metadata lack */
	uint64_t lost;      /* bytes that the recorder itself says it lost */
	uint64_t lost_cpu;  /* CPU time samples that it says it lost */
	unsigned assumed;   /* JFR_KIND bits: the sampling interval is a default */
	unsigned twice; /* JFR_KIND bits: sampled in two ways at once, so twice there */
	bool partial;   /* something was damaged or unfinished */
};

/* Whether bytes at the start of an input are a recording's. */
bool jfr_sniff(struct str head);
/* The kind of that name, or false. */
bool jfr_kind(struct str name, enum jfr_kind *out);
/*
 * Read a recording into the sink, one series a kind. Stacks carry the labels thread and
 * tid if the sink looks at labels. A damaged or unfinished recording
 * is read as far as it goes: a warning, and stats->partial.
 */
bool jfr_read(struct source *, const struct jfr_opts *, struct stack_sink *,
              struct jfr_stats *, struct err *);

#endif
