/*
 * Profile: 1 sample_type {1 type, 2 unit}, 2 sample {1 location_id leaf first, 2 value,
 * 3 label {1 key, 2 str, 3 num, 4 num_unit}}, 3 mapping {1 id, 2 start, 3 limit,
 * 4 offset, 5 filename, ...}, 4 location {1 id, 2 mapping_id, 3 address, 4 line
 * {1 function_id, 2 line} innermost first, 5 is_folded}, 5 function {1 id, 2 name,
 * 3 system_name, 4 filename, 5 start_line}, 6 string_table, 7 drop_frames,
 * 8 keep_frames, 9 time_nanos, 10 duration_nanos, 11 period_type, 12 period,
 * 13 comment, 14 default_sample_type, 15 doc_url.
 *
 * Texts are string_table indices. Repeated numbers come packed or not, or both.
 */
#include "formats/pprof.h"

#include <regex.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/caps.h"
#include "base/map.h"
#include "base/num.h"
#include "bytes/cur.h"
#include "bytes/utf8.h"

struct mapping {
	uint64_t id, start, offset;
	uint64_t filename;
	uint64_t at; /* where it stands, for messages */
	struct str module;
	enum frame_class class;
};

struct function {
	uint64_t id, name, filename;
	uint64_t at;
};

struct location {
	uint64_t id, mapping_id, address;
	struct cur body; /* to find its lines again */
	uint64_t at;
	/* Its frames, root first, in reader.ids; pruned from the leaf by drop_frames.
	 */
	size_t first;
	uint32_t n, keep; /* frames, and how many stay when a drop cuts here */
	bool drops;
};

/* Ids are any numbers, in most files 1 to N. */
struct table {
	struct map sparse;
	uint32_t *dense; /* index + 1 by id, for ids up to ndense */
	size_t ndense;
};

struct reader {
	const struct pprof_opts *o;
	struct stack_sink *to;
	const char *name;
	struct arena arena;
	struct cur all;
	struct str *strings;
	size_t nstrings, cstrings, bad_utf8;
	struct mapping *mappings;
	size_t nmappings, cmappings;
	struct function *functions;
	size_t nfunctions, cfunctions;
	struct location *locations;
	size_t nlocations, clocations;
	struct table by_mapping, by_function, by_location;
	struct {
		uint64_t type, unit, at;
	} types[CAP_TYPES], period_type;
	uint32_t ntypes;
	uint64_t period, drop, keep, shown, drop_at, shown_at, period_at;
	int64_t time, duration;
	bool period_set;
	/* Whether this may be several profiles run together. */
	size_t empty_strings;
	uint32_t *ids; /* frames of locations */
	size_t nids, cids;
	/* One sample. */
	uint64_t *locs;
	size_t nlocs, clocs;
	int64_t *values;
	size_t nvalues, cvalues;
	struct label *labels;
	size_t nlabels, clabels;
	struct arena label_text;
	uint32_t *stack;
	size_t cstack;
	struct meta meta;
	uint32_t series;
	uint64_t unknown_functions, unknown_mappings;
};

static const struct {
	const char *name;
	enum granularity granularity;
} granularities[] = {
	{ "function", BY_FUNCTION },
	{ "functions", BY_FUNCTION },
	{ "filefunction", BY_FILEFUNCTION },
	{ "filefunctions", BY_FILEFUNCTION },
	{ "line", BY_LINE },
	{ "lines", BY_LINE },
	{ "file", BY_FILE },
	{ "files", BY_FILE },
	{ "address", BY_ADDRESS },
	{ "addresses", BY_ADDRESS },
};

bool
granularity_named(const char *name, enum granularity *out)
{
	for (size_t i = 0; i < sizeof granularities / sizeof granularities[0]; i++)
		if (strcmp(name, granularities[i].name) == 0) {
			*out = granularities[i].granularity;
			return true;
		}
	return false;
}

/* ---- tables ---- */

static bool
table_put(struct table *t, uint64_t id, size_t index, uint64_t at, const char *what,
          struct err *e)
{
	bool fresh;
	uint32_t *v;

	v = id <= t->ndense ? &t->dense[id - 1] : map_put(&t->sparse, id, &fresh);
	if (*v)
		return err_at(e, ERR_FORMAT, at, "two %ss have the id %llu", what,
		              (unsigned long long)id);
	*v = (uint32_t)index + 1;
	return true;
}

static bool
table_get(const struct table *t, uint64_t id, uint32_t *out)
{
	const uint32_t *v = !id   ? NULL
	        : id <= t->ndense ? &t->dense[id - 1]
	                          : map_get(&t->sparse, id);

	if (!v || !*v)
		return false;
	*out = *v - 1;
	return true;
}

static void
table_room(struct table *t, size_t n)
{
	t->ndense = n + 16;
	t->dense = xcalloc(t->ndense, sizeof *t->dense);
}

static void
table_clear(struct table *t)
{
	map_clear(&t->sparse);
	free(t->dense);
}

/* ---- the first pass ---- */

/* A scalar field of the wrong wire type is not skipped: the rest would be nonsense. */
static bool
want(const struct pb_field *f, unsigned wire, const char *what, struct err *e)
{
	return f->wire == wire ||
	        err_at(e, ERR_FORMAT, f->offset,
	               "field %u of %s has wire type %u, not %u", f->number, what,
	               f->wire, wire);
}

static bool
read_value_type(struct cur c, uint64_t *type, uint64_t *unit, struct err *e)
{
	struct pb_field f;

	*type = *unit = 0;
	while (cur_left(&c)) {
		if (!cur_field(&c, &f, e))
			return false;
		if (f.number > 2)
			continue;
		if (!want(&f, 0, "a sample type", e))
			return false;
		*(f.number == 1 ? type : unit) = f.value;
	}
	return true;
}

/* Said before anything is kept: parts without a field are two bytes each. */
static bool
has_id(uint64_t id, uint64_t at, const char *what, struct err *e)
{
	return id || err_at(e, ERR_FORMAT, at, "a %s has the reserved id 0", what);
}

static bool
read_mapping(struct reader *r, struct cur c, uint64_t at, struct err *e)
{
	struct mapping m = { .at = at };
	struct pb_field f;

	while (cur_left(&c)) {
		if (!cur_field(&c, &f, e))
			return false;
		if (f.number <= 10 && !want(&f, 0, "a mapping", e))
			return false;
		if (f.number == 1)
			m.id = f.value;
		else if (f.number == 2)
			m.start = f.value;
		else if (f.number == 4)
			m.offset = f.value;
		else if (f.number == 5)
			m.filename = f.value;
	}
	if (!has_id(m.id, at, "mapping", e))
		return false;
	r->mappings = xgrow(r->mappings, &r->cmappings, r->nmappings + 1,
	                    sizeof *r->mappings);
	r->mappings[r->nmappings++] = m;
	return true;
}

static bool
read_function(struct reader *r, struct cur c, uint64_t at, struct err *e)
{
	struct function fn = { .at = at };
	struct pb_field f;

	while (cur_left(&c)) {
		if (!cur_field(&c, &f, e))
			return false;
		if (f.number <= 5 && !want(&f, 0, "a function", e))
			return false;
		if (f.number == 1)
			fn.id = f.value;
		else if (f.number == 2)
			fn.name = f.value;
		else if (f.number == 4)
			fn.filename = f.value;
	}
	if (!has_id(fn.id, at, "function", e))
		return false;
	r->functions = xgrow(r->functions, &r->cfunctions, r->nfunctions + 1,
	                     sizeof *r->functions);
	r->functions[r->nfunctions++] = fn;
	return true;
}

static bool
read_location(struct reader *r, struct cur c, uint64_t at, struct err *e)
{
	struct location l = { .at = at, .body = c };
	struct pb_field f;

	while (cur_left(&c)) {
		if (!cur_field(&c, &f, e))
			return false;
		if (f.number <= 5 && !want(&f, f.number == 4 ? 2 : 0, "a location", e))
			return false;
		if (f.number == 1)
			l.id = f.value;
		else if (f.number == 2)
			l.mapping_id = f.value;
		else if (f.number == 3)
			l.address = f.value;
	}
	if (!has_id(l.id, at, "location", e))
		return false;
	r->locations = xgrow(r->locations, &r->clocations, r->nlocations + 1,
	                     sizeof *r->locations);
	r->locations[r->nlocations++] = l;
	return true;
}

static bool
joined(const struct pb_field *f, struct err *e)
{
	return err_at(
	        e, ERR_FORMAT, f->offset,
	        "a second profile begins here: several were joined into one file; "
	        "give them as separate inputs");
}

static bool
read_string(struct reader *r, const struct pb_field *f, struct err *e)
{
	struct str s = cur_str(&f->bytes);

	if (!s.n)
		r->empty_strings++;
	if (!r->nstrings && s.n)
		return err_at(e, ERR_FORMAT, f->offset, "string 0 is not empty");
	r->strings =
	        xgrow(r->strings, &r->cstrings, r->nstrings + 1, sizeof *r->strings);
	r->strings[r->nstrings++] = s;
	return true;
}

static bool
read_type(struct reader *r, const struct pb_field *f, struct err *e)
{
	if (r->empty_strings > 1 && r->ntypes)
		return joined(f, e);
	if (r->ntypes == CAP_TYPES)
		return err_at(e, ERR_LIMIT, f->offset, "more than %u sample types",
		              CAP_TYPES);
	r->types[r->ntypes].at = f->offset;
	if (!read_value_type(f->bytes, &r->types[r->ntypes].type,
	                     &r->types[r->ntypes].unit, e))
		return false;
	r->ntypes++;
	return true;
}

/* Numbers of the profile itself. */
static bool
read_number(struct reader *r, const struct pb_field *f, struct err *e)
{
	if (!want(f, 0, "the profile", e))
		return false;
	switch (f->number) {
	case 7:
		r->drop = f->value;
		r->drop_at = f->offset;
		break;
	case 8:
		r->keep = f->value;
		r->drop_at = f->offset;
		break;
	case 9:
		if (r->time)
			return joined(f, e);
		r->time = (int64_t)f->value;
		break;
	case 10:
		r->duration = (int64_t)f->value;
		break;
	case 12:
		if (r->period_set && r->empty_strings > 1)
			return joined(f, e);
		r->period_set = true;
		r->period = f->value;
		break;
	default:
		r->shown = f->value;
		r->shown_at = f->offset;
	}
	return true;
}

static bool
read_tables(struct reader *r, struct err *e)
{
	struct cur c = r->all;
	struct pb_field f;

	while (cur_left(&c)) {
		bool ok = true;

		if (!cur_field(&c, &f, e))
			return false;
		switch (f.number) {
		case 1:
			ok = want(&f, 2, "the profile", e) && read_type(r, &f, e);
			break;
		case 2:
			ok = want(&f, 2, "the profile", e);
			break;
		case 3:
			ok = want(&f, 2, "the profile", e) &&
			        read_mapping(r, f.bytes, f.offset, e);
			break;
		case 4:
			ok = want(&f, 2, "the profile", e) &&
			        read_location(r, f.bytes, f.offset, e);
			break;
		case 5:
			ok = want(&f, 2, "the profile", e) &&
			        read_function(r, f.bytes, f.offset, e);
			break;
		case 6:
			ok = want(&f, 2, "the profile", e) && read_string(r, &f, e);
			break;
		case 11:
			r->period_at = f.offset;
			ok = want(&f, 2, "the profile", e) &&
			        read_value_type(f.bytes, &r->period_type.type,
			                        &r->period_type.unit, e);
			break;
		case 7:
		case 8:
		case 9:
		case 10:
		case 12:
		case 14:
			ok = read_number(r, &f, e);
			break;
		default:
			break;
		}
		if (!ok)
			return false;
	}
	return true;
}

/* ---- names ---- */

static bool
text(const struct reader *r, uint64_t index, uint64_t at, const char *what,
     struct str *out, struct err *e)
{
	if (!index && !r->nstrings) {
		*out = (struct str){ "", 0 };
		return true;
	}
	if (index >= r->nstrings)
		return err_at(e, ERR_FORMAT, at, "%s names string %lld of %zu", what,
		              (long long)index, r->nstrings);
	*out = r->strings[index];
	return true;
}

static struct str
basename_of(struct str path)
{
	const char *slash = path.n ? memrchr(path.p, '/', path.n) : NULL;

	if (!slash)
		return path;
	return (struct str){ slash + 1, path.n - (size_t)(slash + 1 - path.p) };
}

static bool
index_tables(struct reader *r, struct err *e)
{
	struct str s;

	for (size_t i = 0; i < r->nstrings; i++)
		r->strings[i] = utf8_clean(&r->arena, r->strings[i], &r->bad_utf8);
	table_room(&r->by_mapping, r->nmappings);
	table_room(&r->by_function, r->nfunctions);
	table_room(&r->by_location, r->nlocations);
	for (size_t i = 0; i < r->nmappings; i++) {
		struct mapping *m = &r->mappings[i];

		if (!table_put(&r->by_mapping, m->id, i, m->at, "mapping", e) ||
		    !text(r, m->filename, m->at, "a mapping", &m->module, e))
			return false;
		if (str_starts(m->module, STR("[kernel")))
			m->class = CLASS_KERNEL;
	}
	for (size_t i = 0; i < r->nfunctions; i++) {
		const struct function *f = &r->functions[i];

		if (!table_put(&r->by_function, f->id, i, f->at, "function", e) ||
		    !text(r, f->name, f->at, "a function", &s, e) ||
		    !text(r, f->filename, f->at, "a function", &s, e))
			return false;
	}
	for (size_t i = 0; i < r->nlocations; i++)
		if (!table_put(&r->by_location, r->locations[i].id, i,
		               r->locations[i].at, "location", e))
			return false;
	return true;
}

/* google/pprof's simplified name: no leading '.', nothing from the first '(' on. */
static struct str
simplified(struct str name)
{
	static const struct str keep[] = { { "(anonymous namespace)", 21 },
		                           { "operator()", 10 } };
	size_t i = 0;

	if (name.n && name.p[0] == '.')
		name = (struct str){ name.p + 1, name.n - 1 };
	for (; i < name.n; i++) {
		struct str rest = { name.p + i, name.n - i };

		if (str_starts(rest, keep[0]))
			i += keep[0].n - 1;
		else if (i >= 8 &&
		         str_starts((struct str){ name.p + i - 8, rest.n + 8 },
		                    keep[1]))
			i++;
		else if (name.p[i] == '(')
			break;
	}
	name.n = i;
	return name;
}

/* drop_frames and keep_frames: patterns that match a whole simplified name. */
struct drops {
	regex_t drop, keep;
	bool have_drop, have_keep;
};

/*
 * The C library compiles and matches by recursion and in more than linear time, and the
 * pattern is the sender's: what real ones are made of (names, '|', groups, a few
 * operators) is taken, and nothing that repeats by number or refers back.
 */
static bool
tame(struct str s)
{
	size_t depth = 0, operators = 0;

	if (s.n > CAP_PATTERN)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		switch (s.p[i]) {
		case '\\':
			if (++i < s.n && s.p[i] >= '0' && s.p[i] <= '9')
				return false;
			break;
		case '(':
			if (++depth > CAP_PATTERN_DEPTH)
				return false;
			break;
		case ')':
			depth -= depth > 0;
			break;
		case '*':
		case '+':
		case '?':
			if (++operators > CAP_PATTERN_OPERATORS)
				return false;
			break;
		case '{':
		case '\0':
			return false;
		}
	}
	return true;
}

static bool
compile(const struct reader *r, uint64_t index, regex_t *re, bool *have, struct err *e)
{
	struct str s = STR("");
	char *pattern;
	size_t n;

	*have = false;
	if (!index)
		return true;
	if (!text(r, index, r->drop_at, "drop_frames", &s, e))
		return false;
	n = s.n + 8;
	pattern = xmalloc(n);
	snprintf(pattern, n, "^(%.*s)$", (int)s.n, s.p);
	*have = tame(s) && regcomp(re, pattern, REG_EXTENDED | REG_NOSUB) == 0;
	free(pattern);
	if (!*have)
		warn_say(&r->o->warn,
		         "%s: drop_frames or keep_frames is not understood "
		         "and not applied",
		         r->name);
	return true;
}

static bool
whole_match(const regex_t *re, struct str s)
{
	regmatch_t all = { .rm_so = 0, .rm_eo = (regoff_t)s.n };

	return regexec(re, s.p ? s.p : "", 1, &all, REG_STARTEND) == 0;
}

static bool
dropped(const struct drops *d, struct str name)
{
	if (!d->have_drop)
		return false;
	name = simplified(name);
	return name.n && whole_match(&d->drop, name) &&
	        !(d->have_keep && whole_match(&d->keep, name));
}

static uint32_t
add_frame(struct reader *r, const struct mapping *m, const struct function *f,
          const struct location *l, uint64_t line)
{
	enum granularity g = r->o->granularity;
	struct frame x = { .class = m ? m->class : CLASS_NONE };
	char *name;

	if (f && r->strings[f->name].n) {
		x.name = r->strings[f->name];
		x.file = r->strings[f->filename];
		x.line = (int64_t)line > 0 ? (int64_t)line : 0;
	} else if (m && m->module.n) {
		struct str base = basename_of(m->module);

		name = arena_alloc(&r->arena, base.n + 3);
		name[0] = '[';
		memcpy(name + 1, base.p, base.n);
		name[base.n + 1] = ']';
		x.name = (struct str){ name, base.n + 2 };
	} else {
		x.name = STR("<unknown>");
	}
	if (g == BY_FILE && f && x.file.n)
		x.name = x.file;
	if (g == BY_FUNCTION || g == BY_FILE)
		x.file = (struct str){ 0 };
	if (g != BY_LINE && g != BY_ADDRESS)
		x.line = 0;
	if (g == BY_ADDRESS) {
		x.address = l->address;
		x.module = m ? m->module : (struct str){ 0 };
	}
	return FRAME_ID(frames_index(r->to->frames, &x), 0);
}

static bool
name_location(struct reader *r, struct location *l, const struct drops *d,
              struct err *e)
{
	const struct mapping *m = NULL;
	struct cur c = l->body;
	struct pb_field f;
	uint32_t index;

	if (l->mapping_id && table_get(&r->by_mapping, l->mapping_id, &index))
		m = &r->mappings[index];
	else if (l->mapping_id && r->nmappings)
		r->unknown_mappings++; /* without any, as some writers have it, all is
		                          well */
	l->first = r->nids;
	while (cur_left(&c)) {
		const struct function *fn = NULL;
		uint64_t function = 0, line = 0;
		struct pb_field lf;

		if (!cur_field(&c, &f, e))
			return false;
		if (f.number != 4)
			continue;
		if (r->nids - l->first == CAP_INLINES)
			return err_at(e, ERR_LIMIT, f.offset,
			              "a location with more than %u lines",
			              CAP_INLINES);
		while (cur_left(&f.bytes)) {
			if (!cur_field(&f.bytes, &lf, e))
				return false;
			if (lf.number <= 3 && !want(&lf, 0, "a line", e))
				return false;
			if (lf.number == 1)
				function = lf.value;
			else if (lf.number == 2)
				line = lf.value;
		}
		if (table_get(&r->by_function, function, &index))
			fn = &r->functions[index];
		else
			r->unknown_functions++;
		r->ids = xgrow(r->ids, &r->cids, r->nids + 1, sizeof *r->ids);
		r->ids[r->nids++] = add_frame(r, m, fn, l, line);
		if (fn && dropped(d, r->strings[fn->name])) {
			/* The outer lines, which come after it, stay. */
			l->drops = true;
			l->keep = (uint32_t)(r->nids - l->first);
		}
	}
	l->n = (uint32_t)(r->nids - l->first);
	if (!l->n) {
		r->ids = xgrow(r->ids, &r->cids, r->nids + 1, sizeof *r->ids);
		r->ids[r->nids++] = add_frame(r, m, NULL, l, 0);
		l->n = 1;
	}
	l->keep = l->drops ? l->n - l->keep : l->n;
	if (r->o->no_inlines && l->n > 1) {
		l->first += l->n - 1;
		l->n = 1;
		l->keep = l->keep ? 1 : 0;
	}
	/* Root first from here on. */
	for (size_t i = 0; i < l->n / 2; i++) {
		uint32_t t = r->ids[l->first + i];

		r->ids[l->first + i] = r->ids[l->first + l->n - 1 - i];
		r->ids[l->first + l->n - 1 - i] = t;
	}
	return true;
}

static bool
name_locations(struct reader *r, struct err *e)
{
	struct drops d = { 0 };
	bool ok = true;

	if (!r->o->all_frames)
		ok = compile(r, r->drop, &d.drop, &d.have_drop, e) &&
		        compile(r, r->keep, &d.keep, &d.have_keep, e);
	for (size_t i = 0; i < r->nlocations && ok; i++)
		ok = name_location(r, &r->locations[i], &d, e);
	if (d.have_drop)
		regfree(&d.drop);
	if (d.have_keep)
		regfree(&d.keep);
	return ok;
}

/* ---- samples ---- */

static bool
read_numbers(const struct pb_field *f, bool (*take)(struct reader *, uint64_t),
             struct reader *r, const char *what, struct err *e)
{
	struct cur c = f->bytes;
	uint64_t v;

	if (f->wire == 0)
		return take(r, f->value);
	if (!want(f, 2, what, e))
		return false;
	while (cur_left(&c)) {
		if (!cur_varint(&c, &v, e))
			return false;
		take(r, v);
	}
	return true;
}

static bool
take_location(struct reader *r, uint64_t id)
{
	r->locs = xgrow(r->locs, &r->clocs, r->nlocs + 1, sizeof *r->locs);
	r->locs[r->nlocs++] = id;
	return true;
}

static bool
take_value(struct reader *r, uint64_t v)
{
	r->values = xgrow(r->values, &r->cvalues, r->nvalues + 1, sizeof *r->values);
	r->values[r->nvalues++] = (int64_t)v;
	return true;
}

static bool
read_label(struct reader *r, struct cur c, uint64_t at, struct err *e)
{
	uint64_t v[5] = { 0 };
	struct label *l;
	struct pb_field f;

	while (cur_left(&c)) {
		if (!cur_field(&c, &f, e))
			return false;
		if (f.number > 4)
			continue;
		if (!want(&f, 0, "a label", e))
			return false;
		v[f.number] = f.value;
	}
	if (r->nlabels == CAP_LABELS)
		return err_at(e, ERR_LIMIT, at, "a sample with more than %u labels",
		              CAP_LABELS);
	r->labels = xgrow(r->labels, &r->clabels, r->nlabels + 1, sizeof *r->labels);
	l = &r->labels[r->nlabels++];
	if (!text(r, v[1], at, "a label", &l->key, e) ||
	    !text(r, v[2], at, "a label", &l->value, e))
		return false;
	if (!v[2]) { /* a number, of which 0 is one */
		char *p = arena_alloc(&r->label_text, 24);

		l->value = (struct str){ p, (size_t)(num_put(p, (int64_t)v[3]) - p) };
	}
	return true;
}

/* Leaf-first locations to root-first frames. */
static bool
expand(struct reader *r, uint64_t at, size_t *depth, struct err *e)
{
	size_t n = 0;
	bool user = false;

	for (size_t i = r->nlocs; i-- > 0;) {
		const struct location *l;
		uint32_t index, take;

		if (!table_get(&r->by_location, r->locs[i], &index))
			return err_at(
			        e, ERR_FORMAT, at,
			        "a sample names location %llu, which is not defined",
			        (unsigned long long)r->locs[i]);
		l = &r->locations[index];
		/* What is at the root never goes, lest a stack be emptied. */
		user = user || !l->drops;
		take = user || l->keep ? l->keep : l->n;
		if (n + take > CAP_DEPTH)
			return err_at(e, ERR_LIMIT, at,
			              "a stack of more than %zu frames", CAP_DEPTH);
		if (n + take > r->cstack)
			r->stack =
			        xgrow(r->stack, &r->cstack, n + take, sizeof *r->stack);
		for (uint32_t k = 0; k < take; k++)
			r->stack[n++] = r->ids[l->first + k];
		if (user && l->drops)
			break;
	}
	*depth = n;
	return true;
}

static bool
read_sample(struct reader *r, struct cur c, uint64_t at, struct err *e)
{
	struct stack s = { 0 };
	struct pb_field f;

	r->nlocs = r->nvalues = r->nlabels = 0;
	while (cur_left(&c)) {
		bool ok = true;

		if (!cur_field(&c, &f, e))
			return false;
		if (f.number == 1)
			ok = read_numbers(&f, take_location, r, "a sample", e);
		else if (f.number == 2)
			ok = read_numbers(&f, take_value, r, "a sample", e);
		else if (f.number == 3)
			ok = want(&f, 2, "a sample", e) &&
			        (!r->to->labels || read_label(r, f.bytes, f.offset, e));
		if (!ok)
			return false;
	}
	if (r->nvalues != r->ntypes)
		return err_at(e, ERR_FORMAT, at,
		              "a sample has %zu values for %u sample types", r->nvalues,
		              r->ntypes);
	if (!expand(r, at, &s.depth, e))
		return false;
	s.frames = r->stack;
	s.values = r->values;
	s.labels = r->labels;
	s.nlabels = r->nlabels;
	if (!r->to->push(r->to, r->series, &s, e))
		return false;
	if (r->label_text.total)
		arena_clear(&r->label_text);
	return true;
}

static bool
read_samples(struct reader *r, struct err *e)
{
	struct cur c = r->all;
	struct pb_field f;

	while (cur_left(&c)) {
		if (!cur_field(&c, &f, e))
			return false;
		if (f.number == 2 && !read_sample(r, f.bytes, f.offset, e))
			return false;
	}
	return true;
}

/* ---- what stands above ---- */

static bool
is_gauge(struct str type)
{
	return str_starts(type, STR("inuse_")) || str_eq(type, STR("goroutine")) ||
	        str_eq(type, STR("goroutines")) || str_eq(type, STR("threadcreate"));
}

/* The event by the sample types; which of block and mutex only the file's name tells.
 */
static struct str
event_of(const struct reader *r, const struct sample_type *types)
{
	static const struct {
		const char *type, *event;
	} known[] = {
		{ "cpu", "cpu" },
		{ "wall", "wall" },
		{ "alloc_space", "heap" },
		{ "inuse_space", "heap" },
		{ "alloc_objects", "heap" },
		{ "inuse_objects", "heap" },
		{ "space", "heap" },
		{ "goroutine", "goroutine" },
		{ "threadcreate", "threadcreate" },
	};
	struct str name = basename_of(str_of(r->name));

	for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
		for (uint32_t i = 0; i < r->ntypes; i++)
			if (str_eq(types[i].type, str_of(known[k].type)))
				return str_of(known[k].event);
	for (uint32_t i = 0; i < r->ntypes; i++) {
		if (!str_eq(types[i].type, STR("contentions")) &&
		    !str_eq(types[i].type, STR("delay")))
			continue;
		if (memmem(name.p, name.n, "block", 5))
			return STR("block");
		return memmem(name.p, name.n, "mutex", 5) ? STR("mutex")
		                                          : STR("contention");
	}
	return (struct str){ 0 };
}

static unsigned
identity_of(enum granularity g)
{
	return g == BY_LINE            ? ID_FILE | ID_LINE
	        : g == BY_FILEFUNCTION ? ID_FILE
	        : g == BY_ADDRESS      ? ID_ALL
	                               : 0U;
}

static bool
make_meta(struct reader *r, struct err *e)
{
	struct meta *m = &r->meta;
	struct str event, shown;

	m->ntypes = r->ntypes;
	m->types = arena_calloc(&r->arena, r->ntypes, sizeof *m->types);
	for (uint32_t i = 0; i < r->ntypes; i++) {
		struct sample_type *t = &m->types[i];

		if (!text(r, r->types[i].type, r->types[i].at, "a sample type",
		          &t->type, e) ||
		    !text(r, r->types[i].unit, r->types[i].at, "a sample type",
		          &t->unit, e))
			return false;
		t->agg = is_gauge(t->type) ? AGG_GAUGE : AGG_SUM;
	}
	if (!text(r, r->period_type.type, r->period_at, "period_type",
	          &m->period_type.type, e) ||
	    !text(r, r->period_type.unit, r->period_at, "period_type",
	          &m->period_type.unit, e) ||
	    !text(r, r->shown, r->shown_at, "default_sample_type", &shown, e))
		return false;
	m->shown = NO_TYPE;
	for (uint32_t i = 0; i < r->ntypes && shown.n; i++)
		if (str_eq(m->types[i].type, shown))
			m->shown = i;
	event = r->o->event ? str_of(r->o->event) : event_of(r, m->types);
	if (event.n)
		meta_label(m, STR("event"), event, &r->arena);
	m->period = (int64_t)r->period;
	m->start_ns = r->time;
	m->duration_ns = r->duration > 0 ? r->duration : 0;
	if (r->time && !num_add_i64(r->time, m->duration_ns, &m->end_ns))
		m->end_ns = r->time;
	m->profiles = 1;
	m->identity = identity_of(r->o->granularity);
	return true;
}

static void
report(const struct reader *r)
{
	const struct warn *w = &r->o->warn;

	if (r->bad_utf8)
		warn_say(w, "%s: %zu strings are not UTF-8", r->name, r->bad_utf8);
	if (r->unknown_functions)
		warn_say(w, "%s: %llu lines name functions that are not defined",
		         r->name, (unsigned long long)r->unknown_functions);
	if (r->unknown_mappings)
		warn_say(w, "%s: %llu locations name mappings that are not defined",
		         r->name, (unsigned long long)r->unknown_mappings);
}

static bool
read_profile(struct reader *r, struct str bytes, struct err *e)
{
	if (!bytes.n)
		return err_set(e, ERR_FORMAT, "empty input");
	r->all = cur_of(bytes);
	if (!read_tables(r, e))
		return false;
	if (!r->ntypes)
		return err_set(e, ERR_FORMAT, "no sample types: not a pprof profile");
	if (!index_tables(r, e) || !make_meta(r, e) || !name_locations(r, e))
		return false;
	if (!r->to->begin(r->to, &r->meta, &r->series, e) || !read_samples(r, e) ||
	    !r->to->end(r->to, r->series, &r->meta, e))
		return false;
	report(r);
	return true;
}

bool
pprof_read(struct source *in, const struct pprof_opts *o, struct stack_sink *to,
           struct err *e)
{
	struct reader *r = xcalloc(1, sizeof *r);
	struct str bytes;
	bool ok;

	r->o = o;
	r->to = to;
	r->name = source_name(in);
	ok = source_all(in, &bytes, e) && read_profile(r, bytes, e);
	if (!ok)
		err_in(e, r->name);
	table_clear(&r->by_mapping);
	table_clear(&r->by_function);
	table_clear(&r->by_location);
	free(r->strings);
	free(r->mappings);
	free(r->functions);
	free(r->locations);
	free(r->ids);
	free(r->locs);
	free(r->values);
	free(r->labels);
	free(r->stack);
	arena_clear(&r->label_text);
	arena_clear(&r->arena);
	free(r);
	return ok;
}

bool
pprof_sniff(struct str head)
{
	struct cur c = cur_of(head);
	uint64_t tag, len;

	for (int fields = 0; fields < 8; fields++) {
		if (!cur_left(&c))
			return fields > 0;
		if (!cur_varint(&c, &tag, NULL) || tag >> 3 < 1 || tag >> 3 > 15)
			return false;
		switch (tag >> 3) {
		case 7:
		case 8:
		case 9:
		case 10:
		case 12:
		case 14:
		case 15:
			if ((tag & 7) != 0 || !cur_varint(&c, &len, NULL))
				return false;
			break;
		default: /* comments come packed or not */
			if ((tag & 7) != 2 && tag != (13 << 3))
				return false;
			if (!cur_varint(&c, &len, NULL))
				return false;
			if ((tag & 7) == 2 && !cur_skip(&c, len, NULL))
				return true; /* longer than what is seen */
		}
	}
	return true;
}
