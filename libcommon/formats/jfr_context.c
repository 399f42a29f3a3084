/*
 * Labels of contexts as Grafana's agent writes them beside a recording:
 *
 *	LabelsSnapshot	{ map<int64, Context> contexts = 1; map<int64, string> strings =
 *2 } Context		{ map<int64, int64> labels = 1 }
 *
 * of which keys and values are numbers of strings. On the wire a map is a field per
 * entry, with the key as field 1 and the value as field 2.
 */
#include <stdlib.h>

#include "bytes/utf8.h"
#include "formats/jfr_part.h"

enum { WIRE_VARINT = 0, WIRE_BYTES = 2 };

struct pair {
	uint64_t context, key, value; /* numbers of strings */
};

struct jfr_contexts {
	struct arena text;
	struct map string_at; /* number to index + 1 */
	struct str *strings;
	size_t nstrings, cstrings;
	struct pair *pairs; /* by context, then as they came */
	size_t npairs, cpairs;
};

/* An entry of a map: its key, and what it leads to. */
struct entry {
	uint64_t key, number;
	struct cur bytes;
};

static bool
read_entry(struct cur c, struct entry *out, struct err *e)
{
	struct pb_field f;

	*out = (struct entry){ 0 };
	while (cur_left(&c)) {
		if (!cur_field(&c, &f, e))
			return false;
		if (f.number == 1 && f.wire == WIRE_VARINT)
			out->key = f.value;
		else if (f.number == 2 && f.wire == WIRE_VARINT)
			out->number = f.value;
		else if (f.number == 2 && f.wire == WIRE_BYTES)
			out->bytes = f.bytes;
	}
	return true;
}

static bool
read_context(struct jfr_contexts *x, const struct entry *context, struct err *e)
{
	struct cur c = context->bytes;
	struct pb_field f;
	struct entry label;

	while (cur_left(&c)) {
		if (!cur_field(&c, &f, e))
			return false;
		if (f.number != 1 || f.wire != WIRE_BYTES)
			continue;
		if (!read_entry(f.bytes, &label, e))
			return false;
		x->pairs = xgrow(x->pairs, &x->cpairs, x->npairs + 1, sizeof *x->pairs);
		x->pairs[x->npairs++] =
		        (struct pair){ context->key, label.key, label.number };
	}
	return true;
}

static bool
read_snapshot(struct jfr_contexts *x, struct cur c, struct err *e)
{
	struct pb_field f;
	struct entry entry;

	while (cur_left(&c)) {
		if (!cur_field(&c, &f, e))
			return false;
		if (f.wire != WIRE_BYTES || f.number > 2)
			continue;
		if (!read_entry(f.bytes, &entry, e))
			return false;
		if (f.number == 1) {
			if (!read_context(x, &entry, e))
				return false;
			continue;
		}
		x->strings = xgrow(x->strings, &x->cstrings, x->nstrings + 1,
		                   sizeof *x->strings);
		x->strings[x->nstrings++] = arena_str(
		        &x->text, utf8_clean(&x->text, cur_str(&entry.bytes), NULL));
		*map_put(&x->string_at, entry.key, NULL) = (uint32_t)x->nstrings;
	}
	return true;
}

static int
pair_cmp(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->context != y->context)
		return (x->context > y->context) - (x->context < y->context);
	if (x->key != y->key)
		return (x->key > y->key) - (x->key < y->key);
	return (x->value > y->value) - (x->value < y->value);
}

struct jfr_contexts *
jfr_contexts_of(struct str bytes, struct err *e)
{
	struct jfr_contexts *x = xcalloc(1, sizeof *x);

	if (!read_snapshot(x, cur_of(bytes), e)) {
		jfr_contexts_free(x);
		return NULL;
	}
	if (x->npairs)
		qsort(x->pairs, x->npairs, sizeof *x->pairs, pair_cmp);
	return x;
}

struct jfr_contexts *
jfr_contexts_read(const char *path, struct err *e)
{
	struct jfr_contexts *x = NULL;
	struct source *s;
	struct str all;

	if (source_open(&s, path, NULL, e)) {
		if (source_all(s, &all, e))
			x = jfr_contexts_of(all, e);
		source_close(s);
	}
	if (!x)
		err_in(e, path);
	return x;
}

struct str
jfr_context_string(const struct jfr_contexts *x, uint64_t id)
{
	const uint32_t *at = map_get(&x->string_at, id);

	return at ? x->strings[*at - 1] : (struct str){ 0 };
}

struct str
jfr_context_label(const struct jfr_contexts *x, uint64_t id, struct str key)
{
	size_t lo = 0, hi = x->npairs;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (x->pairs[mid].context < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < x->npairs && x->pairs[lo].context == id; lo++)
		if (jfr_same_name(jfr_context_string(x, x->pairs[lo].key), key))
			return jfr_context_string(x, x->pairs[lo].value);
	return (struct str){ 0 };
}

void
jfr_contexts_free(struct jfr_contexts *x)
{
	if (!x)
		return;
	arena_clear(&x->text);
	map_clear(&x->string_at);
	free(x->strings);
	free(x->pairs);
	free(x);
}
