/*
 * From constants to texts: strings in their encodings, names of frames and classes,
 * labels of threads.
 */
#include "formats/jfr_part.h"

#include <stdlib.h>

#include "base/num.h"
#include "bytes/utf8.h"

/* UTF-16 units or modified UTF-8 with its pairs of surrogates, put together. */
static void
put_unit(struct buf *b, uint32_t *high, uint32_t unit)
{
	if (*high && unit >= 0xdc00 && unit < 0xe000) {
		utf8_put(b, 0x10000 + ((*high - 0xd800) << 10) + (unit - 0xdc00));
		*high = 0;
		return;
	}
	if (*high)
		utf8_put(b, 0xfffd);
	*high = 0;
	if (unit >= 0xd800 && unit < 0xdc00)
		*high = unit;
	else
		utf8_put(b, unit);
}

/* What the JVM calls UTF-8: NUL as c0 80, surrogates of three bytes each. */
static struct str
modified_utf8(struct jfr_chunk *c, struct str s)
{
	struct buf b = { 0 };
	struct str out;

	if (utf8_valid(s))
		return s;
	for (size_t i = 0; i < s.n;) {
		const unsigned char *p = (const unsigned char *)s.p + i;
		size_t left = s.n - i;

		if (left >= 2 && p[0] == 0xc0 && p[1] == 0x80) {
			buf_char(&b, 0);
			i += 2;
		} else if (left >= 6 && p[0] == 0xed && (p[1] & 0xf0) == 0xa0 &&
		           (p[2] & 0xc0) == 0x80 && p[3] == 0xed &&
		           (p[4] & 0xf0) == 0xb0 && (p[5] & 0xc0) == 0x80) {
			utf8_put(&b,
			         0x10000 +
			                 ((p[1] & 0xfU) << 16 | (p[2] & 0x3fU) << 10 |
			                  (p[4] & 0xfU) << 6 | (p[5] & 0x3fU)));
			i += 6;
		} else {
			buf_char(&b, s.p[i++]);
		}
	}
	out = utf8_clean(&c->text, buf_view(&b), NULL);
	if (out.p == b.p)
		out = arena_str(&c->text, out);
	buf_clear(&b);
	return out;
}

bool
jfr_names_spent(const struct jfr_chunk *c)
{
	return c->spelt > JFR_MAX_NAMES + JFR_EXPAND * c->h.size;
}

static struct str
text_at(struct jfr_chunk *c, uint64_t at)
{
	struct cur cur = { .p = c->base + at,
		           .end = c->base + c->h.size,
		           .base = c->base };
	struct buf b = { 0 };
	struct str out;
	uint32_t high = 0;
	uint64_t n, v;
	unsigned form = *cur.p++;

	if (form < 2 || form > 5 || !jfr_var(&cur, &n) || n > cur_left(&cur) ||
	    n > JFR_MAX_TEXT || jfr_names_spent(c))
		return (struct str){ 0 };
	/* A text stands once, but each name that it is part of has all of it. */
	c->spelt += n;
	if (form == 3)
		return modified_utf8(c, (struct str){ (const char *)cur.p, (size_t)n });
	for (uint64_t i = 0; i < n; i++) {
		if (form == 5)
			v = *cur.p++;
		else if (!jfr_var(&cur, &v))
			break;
		put_unit(&b, &high, (uint32_t)(v & 0xffff));
	}
	if (high)
		utf8_put(&b, 0xfffd);
	out = arena_str(&c->text, buf_view(&b));
	buf_clear(&b);
	return out;
}

struct str
jfr_text(struct jfr_chunk *c, struct jfr_val v)
{
	const struct jfr_symbol *s;
	struct cur ref;

	/* A reference leads to a text that is none itself. */
	for (int hop = 0; hop < 2; hop++) {
		if (v.form == JFR_TEXT_AT) {
			if (c->base[v.v] != 2)
				return text_at(c, v.v);
			ref = (struct cur){ .p = c->base + v.v + 1,
				            .end = c->base + c->h.size };
			if (!jfr_var(&ref, &v.v))
				break;
			v.form = JFR_TEXT_KEY;
		}
		if (v.form != JFR_TEXT_KEY ||
		    !(s = jfr_pool_get(&c->pool[ROLE_STRING], v.v)))
			break;
		v = s->text;
	}
	return (struct str){ 0 };
}

struct str
jfr_symbol_text(struct jfr_chunk *c, uint64_t key)
{
	const struct jfr_symbol *s = jfr_pool_get(&c->pool[ROLE_SYMBOL], key);

	return s ? jfr_text(c, s->text) : (struct str){ 0 };
}

static struct str
class_text(struct jfr_chunk *c, uint64_t key)
{
	const struct jfr_class *class = jfr_pool_get(&c->pool[ROLE_CLASS], key);

	return class ? jfr_symbol_text(c, class->name) : (struct str){ 0 };
}

/*
 * Packages with dots. A slash before a digit does not part packages: it begins the
 * address of a hidden class.
 */
static void
put_dotted(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		bool digit = i + 1 < s.n && s.p[i + 1] >= '0' && s.p[i + 1] <= '9';

		if (s.p[i] == '/' && !digit)
			buf_char(b, '.');
		else
			buf_char(b, s.p[i]);
	}
}

/* Without the number behind a hidden class, and the address before that. */
static struct str
without_number(struct str s)
{
	enum { ADDRESS = 19 }; /* +0x and 16 digits */

	for (size_t i = s.n >= 2 ? s.n - 2 : 0; i > 0; i--) {
		if (s.p[i] != '/' && s.p[i] != '.')
			continue;
		if (s.p[i + 1] < '0' || s.p[i + 1] > '9')
			break;
		s.n = i;
		if (i > ADDRESS && s.p[i - ADDRESS] == '+' &&
		    s.p[i - ADDRESS + 1] == '0')
			s.n = i - ADDRESS;
		break;
	}
	return s;
}

/* Without the package. */
static struct str
without_package(struct str s)
{
	for (size_t i = s.n >= 2 ? s.n - 2 : 0; i > 0; i--)
		if (s.p[i] == '/' && (s.p[i + 1] < '0' || s.p[i + 1] > '9')) {
			s.p += i + 1;
			s.n -= i + 1;
			break;
		}
	return s;
}

/* A class as it stands in a frame's name; type: as a class by itself. */
static void
put_class_name(struct buf *b, struct str s, const struct jfr_naming *names, bool type)
{
	if (!names->jfrconv) {
		put_dotted(b, s);
		return;
	}
	if (names->norm)
		s = without_number(s);
	if (names->simple)
		s = without_package(s);
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '/' && (type || names->dot))
			buf_char(b, '.');
		else
			buf_char(b, s.p[i]);
}

enum jfr_constructor
jfr_constructor(struct jfr_chunk *c, uint32_t packed)
{
	const struct jfr_site *site = &c->sites[packed >> JFR_TYPE_BITS];
	const struct jfr_method *m = jfr_pool_get(&c->pool[ROLE_METHOD], site->key);
	struct str class;

	if (site->native || !m || !str_eq(jfr_symbol_text(c, m->name), STR("<init>")))
		return CONSTRUCTOR_OTHER;
	class = class_text(c, m->class);
	if (str_eq(class, STR("java/lang/Error")))
		return CONSTRUCTOR_ERROR;
	return str_eq(class, STR("java/lang/Throwable")) ? CONSTRUCTOR_THROWABLE
	                                                 : CONSTRUCTOR_OTHER;
}

static bool
intern_frame(struct jfr_reader *r, const struct frame *f, enum frame_kind kind,
             uint32_t *id, struct err *e)
{
	uint32_t index;

	if (r->sink->frames->n >= CAP_FRAMES)
		return err_set(e, ERR_LIMIT, "more than %u different frames",
		               CAP_FRAMES);
	index = frames_index(r->sink->frames, f);
	*id = FRAME_ID(index, kind);
	return true;
}

/* The text of a method: class, dot, name, as far as they are known. */
static void
method_name(struct jfr_reader *r, const struct jfr_method *m, bool native)
{
	struct jfr_chunk *c = &r->c;
	struct str class = { 0 }, name = jfr_symbol_text(c, m->name);

	if (!native)
		class = class_text(c, m->class);
	put_class_name(&c->name, class, &r->opts->names, false);
	if (class.n && name.n)
		buf_char(&c->name, '.');
	buf_str(&c->name, name);
}

bool
jfr_frame(struct jfr_reader *r, uint32_t packed, uint32_t *id, struct err *e)
{
	struct jfr_chunk *c = &r->c;
	const struct jfr_site *site = &c->sites[packed >> JFR_TYPE_BITS];
	unsigned type = packed & JFR_TYPE_UNKNOWN;
	bool native = c->type[type].native || site->native;
	const struct jfr_naming *names = &r->opts->names;
	struct frame f = { .class = (enum frame_class)c->type[type].class };
	const struct jfr_method *m;
	const struct jfr_symbol *s;

	c->name.n = 0;
	if (site->native) {
		s = jfr_pool_get(&c->pool[ROLE_NATIVE], site->key);
		if (s)
			buf_str(&c->name, jfr_text(c, s->text));
		f.class = CLASS_NATIVE;
	} else if ((m = jfr_pool_get(&c->pool[ROLE_METHOD], site->key))) {
		method_name(r, m, native);
		if (native && (r->opts->identity & ID_MODULE))
			f.module = class_text(c, m->class);
	}
	if (!c->name.n) {
		buf_str(&c->name, STR("unknown"));
		r->stats->nameless++;
	}
	if (site->line & JFR_IS_BCI) {
		if (site->line != JFR_IS_BCI)
			buf_printf(&c->name, "@%u", site->line & ~JFR_IS_BCI);
	} else if (!names->line) {
		f.line = site->line;
	} else if (site->line) {
		buf_printf(&c->name, ":%u", site->line);
	}
	f.name = buf_view(&c->name);
	if (f.class == CLASS_NATIVE && !native && !names->jfrconv)
		f.class = CLASS_MANAGED;
	return intern_frame(r, &f, (enum frame_kind)c->type[type].kind, id, e);
}

/* [[Ljava/lang/String; is java.lang.String[][]. */
static void
put_class(struct buf *b, struct str s, const struct jfr_naming *names)
{
	static const struct {
		char letter;
		const char *name;
	} prims[] = {
		{ 'B', "byte" }, { 'C', "char" }, { 'D', "double" }, { 'F', "float" },
		{ 'I', "int" },  { 'J', "long" }, { 'S', "short" },  { 'Z', "boolean" },
	};
	size_t dims = 0;

	while (s.n && s.p[0] == '[') {
		dims++;
		s.p++;
		s.n--;
	}
	if (dims && s.n >= 2 && s.p[0] == 'L') {
		s.p++;
		s.n -= s.p[s.n - 2] == ';' ? 2 : 1;
	} else if (dims && s.n == 1) {
		for (size_t i = 0; i < sizeof prims / sizeof *prims; i++)
			if (s.p[0] == prims[i].letter) {
				s = str_of(prims[i].name);
				break;
			}
	}
	put_class_name(b, s, names, true);
	while (dims--)
		buf_str(b, STR("[]"));
}

static bool
class_frame(struct jfr_reader *r, uint64_t key, bool outside, uint32_t *id,
            struct err *e)
{
	struct jfr_chunk *c = &r->c;
	struct str text = class_text(c, key);
	struct frame f = { .class = CLASS_TYPE };

	c->name.n = 0;
	if (text.n)
		put_class(&c->name, text, &r->opts->names);
	else
		buf_str(&c->name,
		        r->opts->names.jfrconv ? STR("null") : STR("unknown"));
	f.name = buf_view(&c->name);
	/* jfrconv tells by the sort of frame whether the object was in a TLAB. */
	if (r->opts->names.jfrconv) {
		f.class = outside ? CLASS_KERNEL : CLASS_MANAGED;
		return intern_frame(r, &f, outside ? KIND_NONE : KIND_INLINED, id, e);
	}
	return intern_frame(r, &f, KIND_NONE, id, e);
}

bool
jfr_class_frame(struct jfr_reader *r, uint64_t key, bool outside, uint32_t *id,
                struct err *e)
{
	size_t i = (size_t)((key ^ outside) * 0x9e3779b97f4a7c15U >> 40) %
	        JFR_CLASS_FRAMES;
	struct jfr_class_frame *known = &r->c.class_frame[i];

	if (known->id && known->key == key && known->outside == outside) {
		*id = known->id - 1;
		return true;
	}
	if (!class_frame(r, key, outside, id, e))
		return false;
	*known = (struct jfr_class_frame){ key, *id + 1, outside };
	return true;
}

static struct str
keep_text(struct jfr_chunk *c, struct buf *b)
{
	return arena_str(&c->text, buf_view(b));
}

struct str
jfr_class_text(struct jfr_reader *r, uint64_t key)
{
	struct jfr_chunk *c = &r->c;
	struct str text = class_text(c, key);

	if (!text.n)
		return (struct str){ 0 };
	c->name.n = 0;
	put_class(&c->name, text, &r->opts->names);
	return keep_text(c, &c->name);
}

struct str
jfr_state_text(struct jfr_chunk *c, uint64_t key)
{
	const struct jfr_symbol *s = jfr_pool_get(&c->pool[ROLE_STATE], key);
	struct str text = s ? jfr_text(c, s->text) : (struct str){ 0 };

	if (str_starts(text, STR("STATE_"))) {
		text.p += 6;
		text.n -= 6;
	}
	c->name.n = 0;
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] >= 'A' && text.p[i] <= 'Z')
			buf_char(&c->name, (char)(text.p[i] | 0x20));
		else
			buf_char(&c->name, text.p[i]);
	return text.n ? keep_text(c, &c->name) : text;
}

const struct jfr_thread *
jfr_thread(struct jfr_reader *r, uint64_t key)
{
	struct jfr_chunk *c = &r->c;
	struct jfr_thread *t = jfr_pool_get(&c->pool[ROLE_THREAD], key);
	bool jfrconv = r->opts->names.jfrconv;
	struct str name = { 0 };

	if (!t && jfrconv && key) {
		/* To them a thread is its key, whether it is known or not. */
		t = jfr_pool_add(&c->pool[ROLE_THREAD], key);
	}
	if (!t || t->label.p)
		return t;
	c->name.n = 0;
	name = jfr_text(c, t->java_name);
	if (!name.n)
		name = jfr_text(c, t->os_name);
	if (jfrconv && !str_starts(name, STR("[tid="))) {
		buf_char(&c->name, '[');
		buf_str(&c->name, name);
		buf_printf(&c->name, "%stid=%lld]", name.n ? " " : "", (long long)key);
	} else if (name.n) {
		buf_str(&c->name, name);
	} else if (t->tid) {
		buf_printf(&c->name, "[tid=%lld]", (long long)t->tid);
	} else {
		/* A virtual thread without a name. */
		buf_printf(&c->name, "[java tid=%lld]", (long long)t->java_tid);
	}
	t->label = keep_text(c, &c->name);
	/* To the system a virtual thread is none. */
	c->name.n = 0;
	buf_int(&c->name, (int64_t)t->tid);
	if (t->tid)
		t->tid_label = keep_text(c, &c->name);
	c->name.n = 0;
	buf_int(&c->name, (int64_t)t->java_tid);
	t->java_label = keep_text(c, &c->name);
	return t;
}

bool
jfr_same_name(struct str a, struct str b)
{
	size_t i = 0, k = 0;

	for (;;) {
		while (i < a.n && (a.p[i] == '_' || a.p[i] == ' '))
			i++;
		while (k < b.n && (b.p[k] == '_' || b.p[k] == ' '))
			k++;
		if (i == a.n || k == b.n)
			return i == a.n && k == b.n;
		if ((a.p[i] | 0x20) != (b.p[k] | 0x20))
			return false;
		i++;
		k++;
	}
}

/* A number that identifies something is no label where it is 0. */
static bool
is_id(struct str field)
{
	return field.n >= 2 && (field.p[field.n - 2] | 0x20) == 'i' &&
	        (field.p[field.n - 1] | 0x20) == 'd';
}

static struct str
number_text(struct jfr_reader *r, const struct jfr_field *f, struct jfr_val v,
            struct str label)
{
	struct jfr_chunk *c = &r->c;
	double d;

	c->name.n = 0;
	if (v.form == JFR_REAL) {
		memcpy(&d, &v.v, sizeof d);
		buf_printf(&c->name, "%.6g", d);
	} else if (is_id(f->name) && !v.v) {
		return (struct str){ 0 };
	} else if (str_eq(label, STR("profile_id"))) {
		/* As Pyroscope shows it. */
		buf_printf(&c->name, "%016llx", (unsigned long long)v.v);
	} else if (f->is_unsigned || str_eq(f->name, STR("spanId")) ||
	           str_eq(f->name, STR("localRootSpanId"))) {
		buf_printf(&c->name, "%llu", (unsigned long long)v.v);
	} else if (f->type != UINT32_MAX &&
	           str_eq(c->meta.types[f->type].name, STR("boolean"))) {
		buf_str(&c->name, v.v ? STR("true") : STR("false"));
	} else if (f->unit && f->timestamp) {
		buf_int(&c->name, jfr_moment(c, (int64_t)v.v, f->unit));
	} else {
		buf_int(&c->name, jfr_ns(c, (int64_t)v.v, f->unit));
	}
	return keep_text(c, &c->name);
}

struct str
jfr_carried_text(struct jfr_reader *r, const struct jfr_carried *carried,
                 struct jfr_val v, struct str label)
{
	struct jfr_chunk *c = &r->c;
	const struct jfr_field *f;
	const struct jfr_thread *t;
	const struct jfr_method *m;
	const struct jfr_symbol *s;
	unsigned role;

	if (carried->field == UINT32_MAX || carried->slot == EV_COUNT)
		return (struct str){ 0 };
	f = &c->meta.fields[carried->field];
	if (v.form == JFR_TEXT_AT || v.form == JFR_TEXT_KEY)
		return jfr_text(c, v);
	if (!f->pool || f->type == UINT32_MAX) {
		if (r->opts->contexts && str_eq(f->name, STR("spanName")))
			return jfr_context_string(r->opts->contexts, v.v);
		return number_text(r, f, v, label);
	}
	role = c->role_of[f->type];
	if (role == ROLE_CLASS + 1)
		return jfr_class_text(r, v.v);
	if (role == ROLE_STATE + 1)
		return jfr_state_text(c, v.v);
	if (role == ROLE_SYMBOL + 1)
		return jfr_symbol_text(c, v.v);
	if (role == ROLE_METHOD + 1 && (m = jfr_pool_get(&c->pool[ROLE_METHOD], v.v))) {
		c->name.n = 0;
		method_name(r, m, false);
		return keep_text(c, &c->name);
	}
	if (role == ROLE_THREAD + 1) {
		t = jfr_thread(r, v.v);
		return t ? t->label : (struct str){ 0 };
	}
	if (role <= ROLE_EXTRA || role > ROLE_POOLS)
		return (struct str){ 0 };
	s = jfr_pool_get(&c->pool[role - 1], v.v);
	return s ? jfr_text(c, s->text) : (struct str){ 0 };
}
