/*
 * What async-profiler's converter does to samples beside naming them: categories
 * (--classify) and thinning out (--grain). Its results are the reference of both.
 */
#include <stdlib.h>

#include "formats/jfr_part.h"

/* How a frame ran, as the rules for categories tell it apart. */
enum ran { INTERPRETED, COMPILED, COMPILED_C1, INLINED, NATIVE, CXX, KERNEL };

struct frame_view {
	struct str name;
	enum ran ran;
};

static struct frame_view
view(const struct jfr_reader *r, uint32_t packed)
{
	const struct jfr_chunk *c = &r->c;
	uint32_t id = c->frame_of[packed] - 1;
	struct frame_view v = { .name = r->sink->frames->at[FRAME_INDEX(id)].name };

	switch (c->type[packed & JFR_TYPE_UNKNOWN].class) {
	case CLASS_NATIVE:
		v.ran = NATIVE;
		break;
	case CLASS_CXX:
		v.ran = CXX;
		break;
	case CLASS_KERNEL:
		v.ran = KERNEL;
		break;
	default:
		switch (c->type[packed & JFR_TYPE_UNKNOWN].kind) {
		case KIND_INTERPRETED:
			v.ran = INTERPRETED;
			break;
		case KIND_INLINED:
			v.ran = INLINED;
			break;
		case KIND_C1:
			v.ran = COMPILED_C1;
			break;
		default:
			v.ran = COMPILED;
			break;
		}
	}
	/* A line behind the name is none of it. */
	if (r->opts->names.line || r->opts->names.bci) {
		const char *end =
		        memrchr(v.name.p, r->opts->names.line ? ':' : '@', v.name.n);

		if (end && end > v.name.p && end[-1] != ':')
			v.name.n = (size_t)(end - v.name.p);
	}
	return v;
}

static bool
ends(struct str s, const char *with)
{
	size_t n = strlen(with);

	return s.n >= n && memcmp(s.p + s.n - n, with, n) == 0;
}

static bool
contains(struct str s, const char *what)
{
	return s.n && memmem(s.p, s.n, what, strlen(what));
}

/* Threads of the JVM itself, by the frames at the root. */
static const char *
by_root(const struct jfr_reader *r, const uint32_t *ids, uint32_t n)
{
	const char *found = NULL;

	for (uint32_t i = 0; i < n; i++) {
		struct frame_view f = view(r, ids[i]);

		if (f.ran == NATIVE)
			continue;
		if (f.ran != CXX)
			break;
		if (str_eq(f.name, STR("CompileBroker::compiler_thread_loop")))
			return "[jit]";
		if (str_eq(f.name, STR("GCTaskThread::run")) ||
		    str_eq(f.name, STR("WorkerThread::run")))
			return "[gc]";
		if (str_eq(f.name, STR("java_start")) ||
		    str_eq(f.name, STR("thread_native_entry")))
			found = "[vm]";
	}
	return found;
}

/* Work of the JVM for a Java frame, by names from the leaf on. */
static const char *
by_leaf(const struct jfr_reader *r, const uint32_t *ids, uint32_t n)
{
	enum how { WHOLE, BEGINS, ENDS };
	static const struct {
		const char *text;
		enum how how;
		const char *category;
	} rules[] = {
		{ "Verifier::verify", WHOLE, "[class_verify]" },
		{ "InstanceKlass::initialize", BEGINS, "[class_init]" },
		{ "LinkResolver::", BEGINS, "[class_resolve]" },
		{ "InterpreterRuntime::resolve", BEGINS, "[class_resolve]" },
		{ "SystemDictionary::resolve", BEGINS, "[class_resolve]" },
		{ "ClassLoader.loadClass", ENDS, "[class_load]" },
		{ "LambdaMetafactory.metafactory", ENDS, "[lambda_init]" },
		{ "LambdaMetafactory.altMetafactory", ENDS, "[lambda_init]" },
		{ "table stub", ENDS, "[vtable_stubs]" },
		{ "Interpreter", WHOLE, "[Interpreter]" },
	};

	for (uint32_t i = n; i-- > 0;) {
		struct frame_view f = view(r, ids[i]);

		for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
			struct str text = str_of(rules[k].text);

			if (rules[k].how == WHOLE            ? str_eq(f.name, text)
			            : rules[k].how == BEGINS ? str_starts(f.name, text)
			                                     : ends(f.name, text.p))
				return rules[k].category;
		}
		if (str_starts(f.name, STR("I2C/C2I")))
			return i && view(r, ids[i - 1]).ran == INTERPRETED
			        ? "[Interpreter]"
			        : "[c2i_adapter]";
	}
	return NULL;
}

static bool
enters_the_vm(struct str name)
{
	static const char *const begin[] = { "JVM_", "Unsafe_", "MHN_", "jni_" };
	static const char *const whole[] = { "call_stub", "deoptimization",
		                             "unknown_Java", "not_walkable_Java",
		                             "InlineCacheBuffer" };

	for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
		if (str_starts(name, str_of(begin[i])))
			return true;
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		if (str_eq(name, str_of(whole[i])))
			return true;
	return false;
}

/* By how the Java frame ran that is nearest to the leaf, and by what it called. */
static const char *
by_frame(const struct jfr_reader *r, const uint32_t *ids, uint32_t n)
{
	bool in_java = true;

	for (uint32_t i = n; i-- > 0;) {
		struct frame_view f = view(r, ids[i]);

		switch (f.ran) {
		case INTERPRETED:
			return in_java ? "[Interpreter]" : "[native]";
		case COMPILED:
			return in_java ? "[c2_comp]" : "[native]";
		case COMPILED_C1:
			return in_java ? "[c1_comp]" : "[native]";
		case INLINED:
			in_java = true;
			break;
		case NATIVE:
			if (enters_the_vm(f.name))
				return "[vm]";
			if (!ends(f.name, "_arraycopy") &&
			    !contains(f.name, "pthread_cond"))
				in_java = false;
			break;
		case CXX:
			if (str_starts(f.name, STR("Runtime1::")))
				return "[c1_comp]";
			break;
		case KERNEL:
			break;
		}
	}
	return "[native]";
}

const char *
jfr_category(struct jfr_reader *r, const struct jfr_stack *s)
{
	const uint32_t *ids = r->c.ids + s->at;
	const char *found = by_root(r, ids, s->n);

	if (!found)
		found = by_leaf(r, ids, s->n);
	return found ? found : by_frame(r, ids, s->n);
}

/* ---- thinning out ---- */

/* A place in the converter's table, whose order decides which samples are kept. */
struct thin {
	uint32_t group; /* + 1; 0: free */
	int64_t count;
};

/* Its hash of a sample; numbers wrap at 32 bits. */
static uint32_t
thin_hash(const struct jfr_reader *r, const struct jfr_group *g)
{
	uint32_t stack = (uint32_t)r->c.stacks[g->stack].key;
	uint32_t h = stack;

	if (g->source == SRC_TLAB || g->source == SRC_OUTSIDE ||
	    g->source == SRC_SAMPLE || g->source == SRC_LIVE)
		h = (uint32_t)g->class * 127 + stack + (g->state ? 17 : 0);
	else if (g->source == SRC_MONITOR || g->source == SRC_PARK)
		h = (uint32_t)g->class * 127 + stack;
	return r->nasked ? h + (uint32_t)g->thread * 31 : h;
}

/*
 * To it these are one, of whatever event type: a sampled allocation and one outside of
 * TLABs, if class and stack are the same.
 */
static bool
thin_same(const struct jfr_reader *r, const struct jfr_group *a,
          const struct jfr_group *b)
{
	return a->stack == b->stack && a->class == b->class &&
	        (!r->nasked || a->thread == b->thread) &&
	        (!a->class || a->state == b->state);
}

static void
thin_put(const struct jfr_reader *r, struct thin *table, size_t mask, struct thin t)
{
	size_t i = thin_hash(r, &r->c.groups[t.group - 1]) & mask;

	while (table[i].group)
		i = (i + 1) & mask;
	table[i] = t;
}

void
jfr_coarsen(struct jfr_reader *r)
{
	struct jfr_chunk *c = &r->c;
	size_t mask = 1023, n = 0;
	struct thin *table = xcalloc(mask + 1, sizeof *table);
	double rest = 0, grain = r->opts->grain;

	for (uint32_t k = 0; k < c->ngroups; k++) {
		struct jfr_group *g = &c->groups[k];
		size_t i = thin_hash(r, g) & mask;

		if (!(jfr_kinds_of(r, g->source, g->state) & r->wanted))
			continue;
		while (table[i].group &&
		       !thin_same(r, &c->groups[table[i].group - 1], g))
			i = (i + 1) & mask;
		if (table[i].group) {
			struct jfr_group *to = &c->groups[table[i].group - 1];

			/* Sums that exceed 64 bits are theirs, wrapped. */
			table[i].count = (int64_t)((uint64_t)table[i].count +
			                           (uint64_t)g->count);
			to->value = (int64_t)((uint64_t)to->value + (uint64_t)g->value);
			g->count = g->value = 0;
			continue;
		}
		table[i] = (struct thin){ k + 1, g->count };
		if (++n * 2 > mask + 1) {
			struct thin *more = xcalloc((mask + 1) * 2, sizeof *more);

			for (size_t j = 0; j <= mask; j++)
				if (table[j].group)
					thin_put(r, more, mask * 2 + 1, table[j]);
			free(table);
			table = more;
			mask = mask * 2 + 1;
		}
	}
	for (size_t i = 0; i <= mask; i++) {
		struct jfr_group *g =
		        table[i].group ? &c->groups[table[i].group - 1] : NULL;
		double share;
		int64_t kept;

		if (!g || !table[i].count)
			continue;
		share = (double)table[i].count / grain;
		kept = jfr_whole(share);
		rest += share - (double)kept;
		if (rest >= 1) {
			rest -= 1;
			kept += kept < INT64_MAX;
		}
		g->value = jfr_whole((double)g->value *
		                     ((double)kept / (double)table[i].count));
		g->count = kept;
	}
	free(table);
	/* What is left of the others is nothing. */
	n = 0;
	for (size_t i = 0; i < c->ngroups; i++)
		if (c->groups[i].count)
			c->groups[n++] = c->groups[i];
	c->ngroups = n;
}
