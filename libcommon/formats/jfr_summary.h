/*
 * What is in a recording, without its stacks: who wrote it where and when, with which
 * settings, which events and how many, what was lost and what is damaged. One pass over
 * the chunks that looks at the heads of events and into a few; constants are walked
 * only if a text that is wanted is one. Texts are UTF-8, but may hold control
 * characters.
 */
#ifndef JFR_SUMMARY_H
#define JFR_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "bytes/io.h"
#include "formats/jfr.h"

/* Who wrote a chunk. */
enum jfr_producer {
	JFR_BY_JDK,
	JFR_BY_ASYNC_PROFILER,
	JFR_BY_GRAFANA, /* its fork of async-profiler */
	JFR_BY_DATADOG,
	JFR_PRODUCERS
};

extern const char *const jfr_producer_name[JFR_PRODUCERS];

struct jfr_summary_chunk {
	uint64_t at, bytes;
	unsigned major, minor;
	int64_t start_ns, duration_ns; /* 0: not known */
	uint64_t events;               /* metadata and checkpoints among them */
	enum jfr_producer by;
	enum jfr_chunk_state { JFR_COMPLETE, JFR_UNFINISHED, JFR_CUT } state;
};

/* As the JDK's own tool counts: all bytes of the events, metadata and checkpoints too.
 */
struct jfr_summary_type {
	struct str name;
	uint64_t count, bytes;
	bool constants; /* some are in a chunk whose constants are there, too */
};

struct jfr_summary_jvm {
	struct str name, version, jvm_arguments, java_arguments;
	int64_t start_ns, pid;
	uint64_t chunks;
};

/* What a recorder was told: of an event type, or of all. The last value holds. Those of
 * one thing stand together. */
struct jfr_summary_setting {
	struct str of, name, value; /* of: "jdk.ThreadPark", "async-profiler" */
};

struct jfr_summary {
	const char *packed; /* with what; NULL: not at all */
	uint64_t bytes;     /* unpacked, all that was read */
	uint64_t packed_bytes;
	struct jfr_summary_chunk *chunks;
	size_t nchunks, cap_chunks;
	struct jfr_summary_type *types; /* by bytes, the most first */
	size_t ntypes, cap_types;
	uint64_t unknown, unknown_bytes; /* events of types that the metadata lack */
	uint64_t unread;                 /* bytes behind the last event understood */
	struct jfr_summary_jvm *jvms;    /* in the order of their first chunks */
	size_t njvms, cap_jvms;
	struct str os, cpu;
	int64_t sockets, cores, threads; /* 0: not known */
	unsigned by;                     /* 1 << enum jfr_producer */
	struct str profiler_version;     /* of async-profiler and relatives */
	struct jfr_summary_setting *settings;
	size_t nsettings, cap_settings;
	int64_t stack_depth; /* 0: not said */

	/* Chunks may leave gaps, and overlap if they are of several recordings. */
	int64_t start_ns, end_ns, covered_ns;
	uint64_t gaps, overlaps;
	int64_t gap_ns, overlap_ns;

	uint64_t lost, lost_cpu; /* as in struct jfr_stats */
	uint64_t kinds;          /* JFR_KIND bits of what could be had */

	uint64_t damages, damaged_bytes, damaged_at; /* places; the first of them */
	struct str damage;                           /* what it is */

	struct arena text;
};

/*
 * Read all of a recording. Damage is no failure, if there is a chunk that can be read;
 * cut chunks are summed up as far as they go.
 */
bool jfr_summary_read(struct source *, struct jfr_summary *, struct err *);
void jfr_summary_clear(struct jfr_summary *);
/* The kinds that can be made of the event types, where their stacks are there. */
uint64_t jfr_kinds_of_types(const struct jfr_summary *);
/* The value of a setting, or empty. */
struct str jfr_summary_setting(const struct jfr_summary *, const char *of,
                               const char *name);

#endif
