/*
 * The metadata event, which describes every type of the chunk:
 *
 *	size, type 0, start, duration, id		varints
 *	number of strings, strings
 *	element = name, number of (key, value), them, number of children, children
 *
 * with names, keys and values as indices of strings. Elements of interest:
 *
 *	root / metadata / class (name, id)
 *		field (name, class, constantPool, dimension)
 *			annotation (class, value)
 *
 * A value has the bytes of its type's fields in order, structs inline, so each type is
 * compiled to steps: runs of varints, raw bytes, strings, arrays.
 */
#include "formats/jfr_part.h"

#include <stdlib.h>

#include "base/num.h"
#include "bytes/utf8.h"

struct strings {
	struct str *at;
	size_t n;
};

/* An open element. */
struct element {
	enum { EL_OTHER, EL_METADATA, EL_CLASS, EL_FIELD } what;
	uint64_t children; /* still to come */
	size_t index;      /* of the type or field */
};

/* An annotation of a field; its class may be defined later. */
struct field_note {
	size_t field;
	uint64_t class;
	enum jfr_unit unit; /* which its text names, or none */
};

struct attrs {
	struct str name, id, class, pool, dimension, value;
};

static bool
cut(const struct cur *c, struct err *e)
{
	return err_at(e, ERR_FORMAT, cur_offset(c), "metadata are cut short");
}

bool
jfr_skip_text(struct cur *c)
{
	uint64_t n, v;

	if (!cur_left(c))
		return false;
	switch (*c->p++) {
	case 0:
	case 1:
		return true;
	case 2:
		return jfr_var(c, &v);
	case 3:
	case 5:
		if (!jfr_var(c, &n) || n > cur_left(c))
			return false;
		c->p += n;
		return true;
	case 4:
		if (!jfr_var(c, &n) || n > cur_left(c))
			return false;
		while (n--)
			if (!jfr_var(c, &v))
				return false;
		return true;
	default:
		return false;
	}
}

/* A string of the table; the encodings of jfr_skip_text but the pool's. */
static bool
read_string(struct jfr_meta *m, struct cur *c, struct str *out, struct err *e)
{
	struct cur start = *c;
	struct buf b = { 0 };
	uint64_t n, v;
	unsigned form;

	*out = (struct str){ 0 };
	if (!cur_left(c))
		return cut(c, e);
	form = *c->p++;
	if (form < 2)
		return true;
	if (form > 5 || form == 2)
		return err_at(e, ERR_FORMAT, cur_offset(&start),
		              "string encoding %u in the metadata", form);
	if (!jfr_var(c, &n) || n > cur_left(c))
		return cut(&start, e);
	if (form == 3) {
		*out = (struct str){ (const char *)c->p, (size_t)n };
		c->p += n;
		return true;
	}
	for (uint64_t i = 0; i < n; i++) {
		if (form == 5) {
			v = *c->p++;
		} else if (!jfr_var(c, &v)) {
			buf_clear(&b);
			return cut(&start, e);
		}
		utf8_put(&b, (uint32_t)(v & 0xffff));
	}
	*out = arena_str(&m->text, buf_view(&b));
	buf_clear(&b);
	return true;
}

static bool
read_strings(struct jfr_meta *m, struct cur *c, struct strings *s, struct err *e)
{
	uint64_t n;

	/* A string takes a byte, so the claimed number is bounded by the bytes. */
	if (!jfr_var(c, &n) || n > cur_left(c))
		return cut(c, e);
	s->n = (size_t)n;
	s->at = arena_calloc(&m->text, s->n + 1, sizeof *s->at);
	for (size_t i = 0; i < s->n; i++)
		if (!read_string(m, c, &s->at[i], e))
			return false;
	return true;
}

static bool
read_index(const struct strings *s, struct cur *c, struct str *out, struct err *e)
{
	struct cur start = *c;
	uint64_t i;

	if (!jfr_var(c, &i))
		return cut(c, e);
	if (i >= s->n)
		return err_at(e, ERR_FORMAT, cur_offset(&start),
		              "metadata name string %llu, of %zu",
		              (unsigned long long)i, s->n);
	*out = s->at[i];
	return true;
}

static bool
read_attrs(const struct strings *s, struct cur *c, struct attrs *a, struct err *e)
{
	uint64_t n;

	*a = (struct attrs){ 0 };
	if (!jfr_var(c, &n))
		return cut(c, e);
	while (n--) {
		struct str key = { 0 }, value = { 0 };

		if (!read_index(s, c, &key, e) || !read_index(s, c, &value, e))
			return false;
		if (str_eq(key, STR("name")))
			a->name = value;
		else if (str_eq(key, STR("id")))
			a->id = value;
		else if (str_eq(key, STR("class")))
			a->class = value;
		else if (str_eq(key, STR("constantPool")))
			a->pool = value;
		else if (str_eq(key, STR("dimension")))
			a->dimension = value;
		else if (str_eq(key, STR("value")))
			a->value = value;
	}
	return true;
}

static enum jfr_prim
prim_of(struct str name)
{
	static const struct {
		const char *name;
		enum jfr_prim prim;
	} prims[] = {
		{ "long", PRIM_LONG },
		{ "int", PRIM_INT },
		{ "short", PRIM_SHORT },
		{ "char", PRIM_CHAR },
		{ "byte", PRIM_BYTE },
		{ "boolean", PRIM_BOOLEAN },
		{ "float", PRIM_FLOAT },
		{ "double", PRIM_DOUBLE },
		{ "java.lang.String", PRIM_TEXT },
	};

	for (size_t i = 0; i < sizeof prims / sizeof *prims; i++)
		if (str_eq(name, str_of(prims[i].name)))
			return prims[i].prim;
	return PRIM_NONE;
}

static enum jfr_unit
unit_of(struct str text)
{
	static const struct {
		const char *text;
		enum jfr_unit unit;
	} units[] = {
		{ "TICKS", UNIT_TICKS },     { "NANOSECONDS", UNIT_NS },
		{ "MICROSECONDS", UNIT_US }, { "MILLISECONDS", UNIT_MS },
		{ "SECONDS", UNIT_S },       { "MILLISECONDS_SINCE_EPOCH", UNIT_MS },
		{ "BYTES", UNIT_BYTES },     { "NANOSECONDS_SINCE_EPOCH", UNIT_NS },
		{ "BITS", UNIT_BITS },       { "SECONDS_SINCE_EPOCH", UNIT_S },
	};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (str_eq(text, str_of(units[i].text)))
			return units[i].unit;
	return UNIT_NONE;
}

/* JDK 9 and 10 call the types of today com.oracle.jfr.types.X and com.oracle.jdk.X. */
static struct str
modern_name(struct jfr_meta *m, struct str name)
{
	static const struct {
		const char *old, *new;
	} prefixes[] = {
		{ "com.oracle.jfr.types.", "jdk.types." },
		{ "com.oracle.jfr.", "jdk.jfr." },
		{ "com.oracle.jdk.", "jdk." },
	};

	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
		struct str old = str_of(prefixes[i].old);
		struct str new = str_of(prefixes[i].new);
		char *p;

		if (!str_starts(name, old))
			continue;
		p = arena_alloc(&m->text, name.n - old.n + new.n);
		memcpy(p, new.p, new.n);
		memcpy(p + new.n, name.p + old.n, name.n - old.n);
		return (struct str){ p, name.n - old.n + new.n };
	}
	return name;
}

static bool
add_type(struct jfr_meta *m, const struct attrs *a, uint64_t at, struct err *e)
{
	uint64_t id;
	bool fresh;
	uint32_t *index;

	if (!num_u64(a->id, &id))
		return err_at(e, ERR_FORMAT, at, "a type of the metadata has no id");
	if (m->ntypes == JFR_MAX_TYPES)
		return err_at(e, ERR_LIMIT, at, "more than %d types", JFR_MAX_TYPES);
	m->types = xgrow(m->types, &m->cap_types, m->ntypes + 1, sizeof *m->types);
	m->types[m->ntypes] = (struct jfr_type){
		.name = modern_name(m, a->name),
		.id = id,
		.fields = (uint32_t)m->nfields,
		.prim = prim_of(a->name),
	};
	index = map_put(&m->by_id, id, &fresh);
	*index = (uint32_t)m->ntypes++;
	return true;
}

static bool
add_field(struct jfr_meta *m, const struct attrs *a, uint64_t at, struct err *e)
{
	uint64_t type;

	if (!num_u64(a->class, &type))
		return err_at(e, ERR_FORMAT, at, "a field of the metadata has no type");
	m->fields = xgrow(m->fields, &m->cap_fields, m->nfields + 1, sizeof *m->fields);
	m->fields[m->nfields++] = (struct jfr_field){
		.name = a->name,
		.type_id = type,
		.pool = str_eq(a->pool, STR("true")),
		.array = a->dimension.n && !str_eq(a->dimension, STR("0")),
	};
	m->types[m->ntypes - 1].nfields++;
	return true;
}

/* Elements one after the other, with a list of those that are open. */
static bool
read_elements(struct jfr_meta *m, const struct strings *s, struct cur *c,
              struct field_note **notes, size_t *nnotes, struct err *e)
{
	struct element open[JFR_MAX_ELEMENTS];
	size_t depth = 0, cap = 0;

	do {
		const struct element *parent = depth ? &open[depth - 1] : NULL;
		uint64_t at = cur_offset(c);
		struct element new = { EL_OTHER, 0, 0 };
		struct attrs a = { 0 };
		struct str what = { 0 };

		if (!read_index(s, c, &what, e) || !read_attrs(s, c, &a, e))
			return false;
		if (!jfr_var(c, &new.children))
			return cut(c, e);
		if (parent && depth == 1 && str_eq(what, STR("metadata"))) {
			new.what = EL_METADATA;
		} else if (parent && parent->what == EL_METADATA &&
		           str_eq(what, STR("class"))) {
			new.what = EL_CLASS;
			if (!add_type(m, &a, at, e))
				return false;
		} else if (parent && parent->what == EL_CLASS &&
		           str_eq(what, STR("field"))) {
			new.what = EL_FIELD;
			if (!add_field(m, &a, at, e))
				return false;
		} else if (parent && parent->what == EL_FIELD &&
		           str_eq(what, STR("annotation"))) {
			struct field_note note = { m->nfields - 1, 0,
				                   unit_of(a.value) };

			if (num_u64(a.class, &note.class)) {
				*notes = xgrow(*notes, &cap, *nnotes + 1, sizeof note);
				(*notes)[(*nnotes)++] = note;
			}
		}
		if (parent)
			open[depth - 1].children--;
		if (new.children) {
			if (depth == JFR_MAX_ELEMENTS)
				return err_at(e, ERR_LIMIT, at,
				              "metadata nested deeper than %d",
				              JFR_MAX_ELEMENTS);
			open[depth++] = new;
		}
		while (depth && !open[depth - 1].children)
			depth--;
	} while (depth);
	return true;
}

/* References between types, which may point forward. */
static void
resolve(struct jfr_meta *m, const struct field_note *notes, size_t nnotes)
{
	for (size_t i = 0; i < m->nfields; i++) {
		const uint32_t *type = map_get(&m->by_id, m->fields[i].type_id);

		m->fields[i].type = type ? *type : UINT32_MAX;
	}
	for (size_t i = 0; i < nnotes; i++) {
		const uint32_t *type = map_get(&m->by_id, notes[i].class);
		struct jfr_field *f = &m->fields[notes[i].field];
		struct str name;

		if (!type)
			continue;
		name = m->types[*type].name;
		if (str_eq(name, STR("jdk.jfr.Timestamp")))
			f->timestamp = true;
		else if (str_eq(name, STR("jdk.jfr.Contextual")))
			f->contextual = true;
		else if (str_eq(name, STR("jdk.jfr.Unsigned")))
			f->is_unsigned = true;
		else if (!str_eq(name, STR("jdk.jfr.Timespan")) &&
		         !str_eq(name, STR("jdk.jfr.DataAmount")))
			continue;
		if (notes[i].unit)
			f->unit = notes[i].unit;
	}
}

bool
jfr_meta_read(struct jfr_meta *m, struct cur c, struct err *e)
{
	struct field_note *notes = NULL;
	struct strings strings = { 0 };
	struct cur event = c;
	uint64_t size, type, v;
	size_t nnotes = 0;
	bool ok;

	jfr_meta_reset(m);
	if (!jfr_var(&event, &size) || !jfr_var(&event, &type))
		return cut(&c, e);
	if (type != 0)
		return err_at(e, ERR_FORMAT, cur_offset(&c), "no metadata here");
	if (size > cur_left(&c) || c.p + size < event.p)
		return err_at(e, ERR_FORMAT, cur_offset(&c),
		              "metadata of %llu bytes, %zu left",
		              (unsigned long long)size, cur_left(&c));
	event.end = c.p + size;
	for (int i = 0; i < 3; i++)
		if (!jfr_var(&event, &v))
			return cut(&event, e);
	ok = read_strings(m, &event, &strings, e) &&
	        read_elements(m, &strings, &event, &notes, &nnotes, e);
	if (ok)
		resolve(m, notes, nnotes);
	free(notes);
	return ok;
}

void
jfr_meta_reset(struct jfr_meta *m)
{
	m->ntypes = m->nfields = m->nops = m->nsteps = 0;
	jfr_renew(&m->by_id);
	arena_clear(&m->text);
}

void
jfr_meta_clear(struct jfr_meta *m)
{
	free(m->types);
	free(m->fields);
	free(m->ops);
	map_clear(&m->by_id);
	arena_clear(&m->text);
	*m = (struct jfr_meta){ 0 };
}

uint32_t
jfr_meta_type(const struct jfr_meta *m, const char *name)
{
	/* The last of a name, as with ids. */
	for (size_t i = m->ntypes; i-- > 0;)
		if (str_eq(m->types[i].name, str_of(name)))
			return (uint32_t)i;
	return UINT32_MAX;
}

const struct jfr_field *
jfr_meta_field(const struct jfr_meta *m, uint32_t type, const char *name)
{
	const struct jfr_type *t = &m->types[type];

	for (uint32_t i = 0; i < t->nfields; i++)
		if (str_eq(m->fields[t->fields + i].name, str_of(name)))
			return &m->fields[t->fields + i];
	return NULL;
}

static bool
types_too_large(struct err *e)
{
	return err_set(e, ERR_LIMIT, "the types of the metadata are too large");
}

static bool
emit(struct jfr_meta *m, enum jfr_code code, uint32_t n, uint8_t slot, size_t barrier,
     struct err *e)
{
	struct jfr_op *last = m->nops > barrier ? &m->ops[m->nops - 1] : NULL;

	if (last && (code == OP_VAR || code == OP_RAW) && last->code == code) {
		last->n += n;
		return true;
	}
	if (m->nops == JFR_MAX_OPS)
		return types_too_large(e);
	m->ops = xgrow(m->ops, &m->cap_ops, m->nops + 1, sizeof *m->ops);
	m->ops[m->nops++] = (struct jfr_op){ n, (uint8_t)code, slot };
	return true;
}

static bool
emit_prim(struct jfr_meta *m, enum jfr_prim prim, size_t barrier, struct err *e)
{
	switch (prim) {
	case PRIM_LONG:
	case PRIM_INT:
	case PRIM_SHORT:
	case PRIM_CHAR:
		return emit(m, OP_VAR, 1, 0, barrier, e);
	case PRIM_BYTE:
	case PRIM_BOOLEAN:
		return emit(m, OP_RAW, 1, 0, barrier, e);
	case PRIM_FLOAT:
		return emit(m, OP_RAW, 4, 0, barrier, e);
	case PRIM_DOUBLE:
		return emit(m, OP_RAW, 8, 0, barrier, e);
	default:
		return emit(m, OP_TEXT, 1, 0, barrier, e);
	}
}

/* The step that picks a field, or OP_VAR if it is nothing that can be picked. */
static enum jfr_code
pick(const struct jfr_meta *m, const struct jfr_field *f)
{
	enum jfr_prim prim = f->type == UINT32_MAX ? PRIM_NONE : m->types[f->type].prim;

	if (f->array)
		return OP_VAR;
	if (f->pool)
		return prim == PRIM_TEXT ? OP_GETKEY : OP_GET;
	switch (prim) {
	case PRIM_LONG:
		return OP_GET;
	case PRIM_INT:
		return f->is_unsigned ? OP_GETU32 : OP_GET32;
	case PRIM_SHORT:
		return f->is_unsigned ? OP_GETU16 : OP_GET16;
	case PRIM_CHAR:
		return OP_GETU16;
	case PRIM_BYTE:
		return f->is_unsigned ? OP_GETU8 : OP_GET8;
	case PRIM_BOOLEAN:
		return OP_GETU8;
	case PRIM_FLOAT:
		return OP_GETFLOAT;
	case PRIM_DOUBLE:
		return OP_GETDOUBLE;
	case PRIM_TEXT:
		return OP_GETTEXT;
	default:
		return OP_VAR;
	}
}

static const struct jfr_bind *
bound(const struct jfr_field *f, const struct jfr_bind *bind, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(f->name, str_of(bind[i].field)))
			return &bind[i];
	return NULL;
}

bool
jfr_can_pick(const struct jfr_meta *m, const struct jfr_field *f)
{
	return pick(m, f) != OP_VAR;
}

bool
jfr_compile(struct jfr_meta *m, uint32_t type, uint32_t first, uint32_t last,
            const struct jfr_bind *bind, size_t nbind, struct jfr_prog *out,
            struct err *e)
{
	/* Structs within structs; array is the step whose n is to be filled in. */
	struct {
		uint32_t at, end;
		size_t array;
	} open[JFR_MAX_NESTING];
	const struct jfr_type *t = &m->types[type];
	size_t depth = 1, start = m->nops, barrier = start;

	if (last > t->nfields)
		last = t->nfields;
	open[0].at = t->fields + first;
	open[0].end = t->fields + last;
	open[0].array = SIZE_MAX;
	if (t->prim != PRIM_NONE) {
		/* A pool of plain strings; any bind is for the value itself. */
		if (nbind && t->prim == PRIM_TEXT) {
			if (!emit(m, OP_GETTEXT, 1, bind->slot, barrier, e))
				return false;
		} else if (!emit_prim(m, t->prim, barrier, e)) {
			return false;
		}
		depth = 0;
	}
	while (depth) {
		const struct jfr_field *f;
		const struct jfr_bind *b = NULL;
		size_t array = SIZE_MAX;

		if (open[depth - 1].at == open[depth - 1].end) {
			array = open[--depth].array;
			if (array != SIZE_MAX) {
				m->ops[array].n = (uint32_t)(m->nops - array - 1);
				barrier = m->nops;
			}
			continue;
		}
		/* Structs within structs multiply, whether they make steps or not. */
		if (m->nsteps++ == JFR_MAX_OPS)
			return types_too_large(e);
		f = &m->fields[open[depth - 1].at++];
		if (depth == 1)
			b = bound(f, bind, nbind);
		if (b && pick(m, f) != OP_VAR) {
			if (!emit(m, pick(m, f), 1, b->slot, barrier, e))
				return false;
			continue;
		}
		if (f->array) {
			array = m->nops;
			if (!emit(m, OP_ARRAY, 0, 0, barrier, e))
				return false;
			barrier = m->nops;
		}
		if (f->pool) {
			if (!emit(m, OP_VAR, 1, 0, barrier, e))
				return false;
		} else if (f->type == UINT32_MAX) {
			if (!emit(m, OP_BAD, 0, 0, barrier, e))
				return false;
		} else if (m->types[f->type].prim != PRIM_NONE) {
			if (!emit_prim(m, m->types[f->type].prim, barrier, e))
				return false;
		} else {
			if (depth == JFR_MAX_NESTING)
				return err_set(e, ERR_LIMIT,
				               "types nested deeper than %d",
				               JFR_MAX_NESTING);
			t = &m->types[f->type];
			open[depth].at = t->fields;
			open[depth].end = t->fields + t->nfields;
			open[depth++].array = array;
			continue;
		}
		if (array != SIZE_MAX) {
			m->ops[array].n = (uint32_t)(m->nops - array - 1);
			barrier = m->nops;
		}
	}
	*out = (struct jfr_prog){ (uint32_t)start, (uint32_t)(m->nops - start) };
	return true;
}

static bool
skip_vars(struct cur *c, uint64_t n)
{
	uint64_t v;

	if (n > cur_left(c))
		return false;
	while (n--)
		if (!jfr_var(c, &v))
			return false;
	return true;
}

static bool
skip_raw(struct cur *c, uint64_t n)
{
	if (n > cur_left(c))
		return false;
	c->p += n;
	return true;
}

/* A float or double, as the bits of a double. */
static bool
get_real(struct cur *c, struct jfr_val *slot, size_t n)
{
	uint64_t bits = 0;
	uint32_t half;
	float single;
	double d;

	if (cur_left(c) < n)
		return false;
	for (size_t i = 0; i < n; i++)
		bits = bits << 8 | *c->p++;
	if (n == 4) {
		half = (uint32_t)bits;
		memcpy(&single, &half, sizeof single);
		d = (double)single;
		memcpy(&bits, &d, sizeof bits);
	}
	*slot = (struct jfr_val){ bits, JFR_REAL };
	return true;
}

/* One step that is not an array. */
static bool
step(const struct jfr_op *op, struct cur *c, const unsigned char *base,
     struct jfr_val *slots)
{
	struct jfr_val *slot = &slots[op->slot];

	switch (op->code) {
	case OP_VAR:
		return skip_vars(c, op->n);
	case OP_RAW:
		return skip_raw(c, op->n);
	case OP_TEXT:
		return jfr_skip_text(c);
	case OP_GET:
		slot->form = JFR_NUMBER;
		return jfr_var(c, &slot->v);
	case OP_GET32:
		slot->form = JFR_NUMBER;
		if (!jfr_var(c, &slot->v))
			return false;
		slot->v = (uint64_t)(int64_t)(int32_t)(uint32_t)slot->v;
		return true;
	case OP_GET16:
		slot->form = JFR_NUMBER;
		if (!jfr_var(c, &slot->v))
			return false;
		slot->v = (uint64_t)(int64_t)(int16_t)(uint16_t)slot->v;
		return true;
	case OP_GETU32:
		slot->form = JFR_NUMBER;
		if (!jfr_var(c, &slot->v))
			return false;
		slot->v &= UINT32_MAX;
		return true;
	case OP_GETU16:
		slot->form = JFR_NUMBER;
		if (!jfr_var(c, &slot->v))
			return false;
		slot->v &= UINT16_MAX;
		return true;
	case OP_GETFLOAT:
		return get_real(c, slot, 4);
	case OP_GETDOUBLE:
		return get_real(c, slot, 8);
	case OP_GET8:
		if (!cur_left(c))
			return false;
		*slot = (struct jfr_val){ (uint64_t)(int64_t)(int8_t)*c->p++,
			                  JFR_NUMBER };
		return true;
	case OP_GETU8:
		if (!cur_left(c))
			return false;
		*slot = (struct jfr_val){ *c->p++, JFR_NUMBER };
		return true;
	case OP_GETTEXT:
		*slot = (struct jfr_val){ (uint64_t)(c->p - base), JFR_TEXT_AT };
		return jfr_skip_text(c);
	case OP_GETKEY:
		slot->form = JFR_TEXT_KEY;
		return jfr_var(c, &slot->v);
	default:
		return false;
	}
}

bool
jfr_run(const struct jfr_meta *m, struct jfr_prog prog, struct cur *c,
        const unsigned char *base, struct jfr_val *slots)
{
	struct {
		uint32_t at, end;
		uint64_t left; /* repetitions after this one */
	} open[JFR_MAX_NESTING + 1];
	uint32_t at = prog.at, end = prog.at + prog.n;
	size_t depth = 0;

	for (;;) {
		const struct jfr_op *op;
		uint64_t n;

		if (at == end) {
			if (!depth)
				return true;
			if (open[depth - 1].left) {
				open[depth - 1].left--;
				at = open[depth - 1].at;
				continue;
			}
			depth--;
			end = depth ? open[depth - 1].end : prog.at + prog.n;
			continue;
		}
		op = &m->ops[at++];
		if (op->code != OP_ARRAY) {
			if (!step(op, c, base, slots))
				return false;
			continue;
		}
		/* Nothing says how many elements there may be but the bytes left. */
		if (!jfr_var(c, &n) || n > cur_left(c))
			return false;
		if (n == 0 || op->n == 0) {
			at += op->n;
		} else if (op->n == 1 && op[1].code == OP_VAR) {
			uint64_t all;

			if (__builtin_mul_overflow(n, op[1].n, &all) ||
			    !skip_vars(c, all))
				return false;
			at++;
		} else if (op->n == 1 && op[1].code == OP_RAW) {
			uint64_t all;

			if (__builtin_mul_overflow(n, op[1].n, &all) ||
			    !skip_raw(c, all))
				return false;
			at++;
		} else {
			open[depth].at = at;
			open[depth].end = at + op->n;
			open[depth++].left = n - 1;
			end = at + op->n;
		}
	}
}
