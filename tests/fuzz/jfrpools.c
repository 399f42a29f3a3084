/*
 * Chunks that are well formed but for what the input says: its bytes choose pools,
 * keys, texts, frames and events, and here and there a count or a size that is a lie.
 */
#include "../unit/jfrwrite.h"
#include "jfrcheck.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

struct script {
	const uint8_t *p, *end;
};

static unsigned
next(struct script *s)
{
	return s->p < s->end ? *s->p++ : 0;
}

/* A key: most are of few, so that things meet. */
static uint64_t
key(struct script *s)
{
	unsigned v = next(s);
	uint64_t wide;

	if (v < 240)
		return v & 15;
	wide = (uint64_t)next(s) << 56 | (uint64_t)next(s) << 24 | next(s);
	return v & 1 ? wide : ~wide;
}

/* As many as said, or a lie. */
static uint64_t
count(struct script *s, uint64_t n)
{
	unsigned v = next(s);

	return v < 250 ? n : n + v - 252;
}

static void
text(struct jw *w, struct script *s)
{
	static const char *const known[] = {
		"java/lang/Thread",  "run",           "Kernel",
		"JIT compiled",      "STATE_DEFAULT", "STATE_RUNNABLE",
		"x/L$$Lambda$5/0x0", "[[Lb;"
	};
	unsigned form = next(s), n;

	if (form < 128) {
		jw_text(w, known[form & 7], 3 + (form >> 3) % 3);
		return;
	}
	buf_char(&w->b, (char)(form & 7));
	if ((form & 7) < 2)
		return;
	if ((form & 7) == 2) {
		jw_var(w, key(s));
		return;
	}
	n = next(s) & 15;
	jw_var(w, count(s, n));
	while (n--)
		if ((form & 7) == 4)
			jw_var(w, (uint64_t)next(s) << 8 | next(s));
		else
			buf_char(&w->b, (char)next(s));
}

static void
stacks(struct jw *w, struct script *s)
{
	unsigned n = next(s) & 7;

	jw_pool(w, T_STACK, count(s, n));
	while (n--) {
		unsigned frames = next(s) & 31;

		jw_var(w, key(s));
		buf_char(&w->b, (char)(next(s) & 1));
		jw_var(w, count(s, frames));
		while (frames--) {
			jw_var(w, key(s));
			jw_var(w, next(s) < 200 ? 7 : UINT64_MAX);
			jw_var(w, next(s));
			jw_var(w, key(s));
			if (w->native_frames)
				jw_var(w, key(s));
		}
	}
}

/* A pool of a type by the fields that the writer's metadata give it. */
static void
pool(struct jw *w, struct script *s)
{
	static const uint8_t simple[] = { T_SYMBOL,    T_FRAME_TYPE,       T_STATE,
		                          T_STRING,    T_GC_NAME,          T_GC_CAUSE,
		                          T_ATTRIBUTE, T_VM_OPERATION_TYPE };
	unsigned which = next(s), n;

	if (which < 80) {
		stacks(w, s);
		return;
	}
	n = next(s) & 7;
	if (which < 120) {
		jw_pool(w, T_METHOD, count(s, n));
		while (n--)
			jw_method(w, key(s), key(s), key(s));
	} else if (which < 150) {
		jw_pool(w, T_CLASS, count(s, n));
		while (n--)
			jw_class_constant(w, key(s), key(s));
	} else if (which < 170) {
		jw_pool(w, T_THREAD, count(s, n));
		while (n--) {
			jw_var(w, key(s));
			text(w, s);
			jw_var(w, key(s));
			text(w, s);
			jw_var(w, key(s));
		}
	} else if (which < 172) {
		jw_pool(w, key(s), count(s, n)); /* of any type, or none */
	} else {
		jw_pool(w, simple[which & 7], count(s, n));
		while (n--) {
			jw_var(w, key(s));
			text(w, s);
		}
	}
}

static void
event(struct jw *w, struct script *s)
{
	unsigned type = T_EXECUTION + next(s) % (T_STEP - T_EXECUTION + 2);
	unsigned n = 3 + next(s) % 6;
	size_t at = w->b.n;

	jw_event(w, type);
	jw_var(w, (uint64_t)next(s) << (next(s) & 31));
	while (n--) {
		unsigned what = next(s);

		if (what < 220)
			jw_var(w, what & 15);
		else if (what < 240)
			text(w, s);
		else
			jw_var(w, key(s));
	}
	jw_event_end(w);
	if (next(s) > 252)
		jw_padded(w->b.p + at, next(s), w->size_bytes);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct script s = { data, data + (size < 4096 ? size : 4096) };
	struct jw w = { 0 };
	unsigned chunks = 1 + (next(&s) & 1);

	while (chunks--) {
		unsigned flags = next(&s), checkpoints = 1 + (next(&s) & 3);

		w = (struct jw){ .b = w.b,
			         .size_bytes = flags & 1 ? 4 : 5,
			         .native_frames = flags & 2,
			         .contexts = flags & 4,
			         .datadog = true,
			         .extra = flags & 8,
			         .old_names = flags & 16 };
		jw_chunk(&w);
		while (checkpoints--) {
			unsigned events = next(&s) & 15, pools = next(&s) & 7;

			while (events--)
				event(&w, &s);
			jw_checkpoint(&w, pools);
			while (pools--)
				pool(&w, &s);
			jw_event_end(&w);
		}
		jw_chunk_end(&w);
		if (flags & 32)
			jw_be(w.b.p + w.chunk + 8 * (1 + (next(&s) & 7)), key(&s), 8);
	}
	jfr_check((const uint8_t *)w.b.p, w.b.n);
	buf_clear(&w.b);
	return 0;
}
