#include "bytes/json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/caps.h"
#include "base/num.h"
#include "bytes/utf8.h"

static void
before(struct json_out *w)
{
	if (w->comma)
		sink_write(w->sink, ",", 1);
	w->comma = true;
}

void
json_obj(struct json_out *w)
{
	before(w);
	sink_write(w->sink, "{", 1);
	w->comma = false;
}

void
json_obj_end(struct json_out *w)
{
	sink_write(w->sink, "}", 1);
	w->comma = true;
}

void
json_arr(struct json_out *w)
{
	before(w);
	sink_write(w->sink, "[", 1);
	w->comma = false;
}

void
json_arr_end(struct json_out *w)
{
	sink_write(w->sink, "]", 1);
	w->comma = true;
}

void
json_key(struct json_out *w, const char *key)
{
	before(w);
	sink_write(w->sink, "\"", 1);
	sink_write(w->sink, key, strlen(key));
	sink_write(w->sink, "\":", 2);
	w->comma = false;
}

static void
put_text(struct sink *s, struct str v)
{
	size_t from = 0, i = 0;
	char esc[8];
	uint32_t cp;

	sink_write(s, "\"", 1);
	while (i < v.n) {
		unsigned char c = (unsigned char)v.p[i];
		size_t len = 1;
		const char *as = NULL;

		if (c == '"' || c == '\\') {
			snprintf(esc, sizeof esc, "\\%c", c);
			as = esc;
		} else if (c == '\n') {
			as = "\\n";
		} else if (c == '\t') {
			as = "\\t";
		} else if (c < 0x20 || c == 0x7f) {
			snprintf(esc, sizeof esc, "\\u%04x", c);
			as = esc;
		} else if (c >= 0x80) {
			len = utf8_next(v.p + i, v.n - i, &cp);
			if (!len) {
				len = 1;
				as = "\xef\xbf\xbd";
			}
		}
		if (as) {
			sink_write(s, v.p + from, i - from);
			sink_write(s, as, strlen(as));
			from = i + len;
		}
		i += len;
	}
	if (from < v.n)
		sink_write(s, v.p + from, v.n - from);
	sink_write(s, "\"", 1);
}

void
json_key_str(struct json_out *w, struct str key)
{
	before(w);
	put_text(w->sink, key);
	sink_write(w->sink, ":", 1);
	w->comma = false;
}

void
json_str(struct json_out *w, struct str v)
{
	before(w);
	put_text(w->sink, v);
}

void
json_key_text(struct json_out *w, const char *key, struct str v)
{
	if (!v.n)
		return;
	json_key(w, key);
	json_str(w, v);
}

void
json_int(struct json_out *w, int64_t v)
{
	char *p;

	before(w);
	p = sink_room(w->sink, 24);
	sink_fill(w->sink, (size_t)(num_put(p, v) - p));
}

void
json_num(struct json_out *w, double v)
{
	char text[40];

	before(w);
	if (!isfinite(v)) {
		sink_write(w->sink, "null", 4);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	sink_write(w->sink, text, strlen(text));
}

void
json_bool(struct json_out *w, bool v)
{
	before(w);
	sink_write(w->sink, v ? "true" : "false", v ? 4 : 5);
}

void
json_ints(struct json_out *w, const int64_t *v, size_t n)
{
	json_arr(w);
	for (size_t i = 0; i < n; i++) {
		char *p = sink_room(w->sink, 24), *q = p;

		if (i)
			*q++ = ',';
		q = num_put(q, v[i]);
		sink_fill(w->sink, (size_t)(q - p));
	}
	json_arr_end(w);
}

void
json_u32s(struct json_out *w, const uint32_t *v, size_t n)
{
	json_arr(w);
	for (size_t i = 0; i < n; i++) {
		char *p = sink_room(w->sink, 24), *q = p;

		if (i)
			*q++ = ',';
		q = num_put(q, v[i]);
		sink_fill(w->sink, (size_t)(q - p));
	}
	json_arr_end(w);
}

/* What may come next. A value is always possible but where a key or comma is due. */
enum expect {
	VALUE,        /* at the top, or after a key, or after a comma in an array */
	FIRST_VALUE,  /* after [ */
	FIRST_KEY,    /* after { */
	NEXT_KEY,     /* after a comma in an object */
	COMMA_OR_END, /* after a value */
	DONE          /* after the top-level value */
};

static enum json_tok
bad(struct json_in *j, struct err *e, const char *what)
{
	err_at(e, ERR_FORMAT, cur_offset(&j->c), "%s", what);
	return TOK_BAD;
}

static bool
in_object(const struct json_in *j)
{
	return j->depth && j->open.p[j->depth - 1];
}

static void
after_value(struct json_in *j)
{
	j->expect = j->depth ? COMMA_OR_END : DONE;
}

static enum json_tok
open_one(struct json_in *j, bool object, struct err *e)
{
	if (j->depth == CAP_JSON_DEPTH)
		return bad(j, e, "more than 4096 levels of nesting");
	j->c.p++;
	j->open.n = j->depth;
	buf_char(&j->open, (char)object);
	j->depth++;
	j->expect = object ? FIRST_KEY : FIRST_VALUE;
	return object ? TOK_OBJ : TOK_ARR;
}

static enum json_tok
close_one(struct json_in *j, bool object, struct err *e)
{
	if (!j->depth || in_object(j) != object || j->expect == VALUE ||
	    j->expect == NEXT_KEY)
		return bad(j, e, "closing bracket out of place");
	j->c.p++;
	j->depth--;
	after_value(j);
	return object ? TOK_OBJ_END : TOK_ARR_END;
}

static bool
hex4(struct json_in *j, const unsigned char *p, uint32_t *out)
{
	*out = 0;
	if (j->c.end - p < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		unsigned c = p[i], d;

		if (c >= '0' && c <= '9')
			d = c - '0';
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			d = (c | 32) - 'a' + 10;
		else
			return false;
		*out = *out << 4 | d;
	}
	return true;
}

/* The text with escapes, from q on; what came before is in j->text. */
static bool
unescape(struct json_in *j, const unsigned char *q, struct err *e)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *known;
	uint32_t cp, low;

	while (q < j->c.end && *q != '"') {
		if (*q < 0x20)
			goto fail;
		if (*q != '\\') {
			buf_char(&j->text, (char)*q++);
			continue;
		}
		if (++q == j->c.end)
			goto fail;
		if (*q == 'u') {
			if (!hex4(j, ++q, &cp))
				goto fail;
			q += 4;
			if (cp >= 0xd800 && cp < 0xdc00 && j->c.end - q >= 6 &&
			    q[0] == '\\' && q[1] == 'u' && hex4(j, q + 2, &low) &&
			    low >= 0xdc00 && low < 0xe000) {
				cp = 0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00);
				q += 6;
			}
			utf8_put(&j->text, cp);
			continue;
		}
		known = memchr(from, *q, sizeof from - 1);
		if (!known)
			goto fail;
		buf_char(&j->text, to[known - from]);
		q++;
	}
	if (q == j->c.end)
		goto fail;
	j->c.p = q + 1;
	j->str = buf_view(&j->text);
	return true;
fail:
	bad(j, e, "string not well formed");
	return false;
}

static bool
string(struct json_in *j, struct err *e)
{
	const unsigned char *q = j->c.p + 1;

	j->text.n = 0;
	while (q < j->c.end && *q != '"' && *q != '\\' && *q >= 0x20)
		q++;
	if (q == j->c.end) {
		bad(j, e, "string without end");
		return false;
	}
	if (*q == '"') {
		j->str = (struct str){ (const char *)j->c.p + 1,
			               (size_t)(q - j->c.p - 1) };
		j->c.p = q + 1;
	} else {
		buf_put(&j->text, j->c.p + 1, (size_t)(q - j->c.p - 1));
		if (!unescape(j, q, e))
			return false;
	}
	if (!utf8_valid(j->str)) {
		err_at(e, ERR_FORMAT, j->at, "string is not UTF-8");
		return false;
	}
	return true;
}

static bool
is_digit(unsigned char c)
{
	return c >= '0' && c <= '9';
}

/* -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)? */
static enum json_tok
number(struct json_in *j, struct err *e)
{
	const unsigned char *p = j->c.p, *q = p, *digits;
	bool whole = true;
	char text[400];

	if (q < j->c.end && *q == '-')
		q++;
	digits = q;
	while (q < j->c.end && is_digit(*q))
		q++;
	if (q == digits || (*digits == '0' && q - digits > 1))
		return bad(j, e, "not a JSON value");
	if (q < j->c.end && *q == '.') {
		whole = false;
		digits = ++q;
		while (q < j->c.end && is_digit(*q))
			q++;
		if (q == digits)
			return bad(j, e, "number not well formed");
	}
	if (q < j->c.end && (*q | 32) == 'e') {
		whole = false;
		q++;
		if (q < j->c.end && (*q == '+' || *q == '-'))
			q++;
		digits = q;
		while (q < j->c.end && is_digit(*q))
			q++;
		if (q == digits)
			return bad(j, e, "number not well formed");
	}
	j->c.p = q;
	after_value(j);
	if (whole && num_i64((struct str){ (const char *)p, (size_t)(q - p) }, &j->i))
		return TOK_INT;
	if ((size_t)(q - p) >= sizeof text)
		return bad(j, e, "number too long");
	memcpy(text, p, (size_t)(q - p));
	text[q - p] = '\0';
	j->num = strtod(text, NULL);
	/* Some writers turn great integers into 1.7e+18: whole numbers are integers. */
	if (fabs(j->num) < 0x1p63 && j->num == trunc(j->num)) {
		j->i = (int64_t)j->num;
		return TOK_INT;
	}
	return TOK_NUM;
}

static bool
word(struct json_in *j, const char *w)
{
	size_t n = strlen(w);

	if (cur_left(&j->c) < n || memcmp(j->c.p, w, n) != 0)
		return false;
	j->c.p += n;
	after_value(j);
	return true;
}

static void
space(struct json_in *j)
{
	while (j->c.p < j->c.end &&
	       (*j->c.p == ' ' || *j->c.p == '\n' || *j->c.p == '\r' ||
	        *j->c.p == '\t'))
		j->c.p++;
}

static enum json_tok
key(struct json_in *j, struct err *e)
{
	if (!string(j, e))
		return TOK_BAD;
	space(j);
	if (j->c.p == j->c.end || *j->c.p != ':')
		return bad(j, e, "colon expected after a key");
	j->c.p++;
	j->expect = VALUE;
	return TOK_KEY;
}

enum json_tok
json_next(struct json_in *j, struct err *e)
{
	unsigned char c;

	space(j);
	j->at = cur_offset(&j->c);
	if (j->c.p == j->c.end)
		return j->expect == DONE ? TOK_EOF : bad(j, e, "ends too early");
	c = *j->c.p;
	if (j->expect == DONE)
		return bad(j, e, "more after the end of the value");
	if (j->expect == COMMA_OR_END && c == ',') {
		j->c.p++;
		j->expect = in_object(j) ? NEXT_KEY : VALUE;
		return json_next(j, e); /* once: a second comma fails below */
	}
	if (c == '}' || c == ']')
		return close_one(j, c == '}', e);
	if (j->expect == COMMA_OR_END)
		return bad(j, e, "comma or closing bracket expected");
	if (j->expect == FIRST_KEY || j->expect == NEXT_KEY)
		return c == '"' ? key(j, e) : bad(j, e, "key expected");
	if (c == '{' || c == '[')
		return open_one(j, c == '{', e);
	if (c == '"') {
		if (!string(j, e))
			return TOK_BAD;
		after_value(j);
		return TOK_STR;
	}
	if (word(j, "null"))
		return TOK_NULL;
	if (word(j, "true")) {
		j->i = 1;
		return TOK_BOOL;
	}
	if (word(j, "false")) {
		j->i = 0;
		return TOK_BOOL;
	}
	return number(j, e);
}

bool
json_skip(struct json_in *j, struct err *e)
{
	size_t depth = j->depth;

	do {
		enum json_tok t = json_next(j, e);

		if (t == TOK_BAD || t == TOK_EOF)
			return false;
	} while (j->depth > depth);
	return true;
}

bool
json_want(struct json_in *j, enum json_tok want, const char *what, struct err *e)
{
	enum json_tok t = json_next(j, e);

	if (t == want)
		return true;
	if (t != TOK_BAD)
		err_at(e, ERR_FORMAT, j->at, "%s expected", what);
	return false;
}

bool
json_read_ints(struct json_in *j, int64_t **p, size_t *n, size_t *cap, struct err *e)
{
	for (;;) {
		enum json_tok t = json_next(j, e);

		/* Most columns are runs of small numbers: take those here. */
		if (t == TOK_INT) {
			*p = xgrow(*p, cap, *n + 1, sizeof **p);
			(*p)[(*n)++] = j->i;
			while (j->c.end - j->c.p > 20 && *j->c.p == ',' &&
			       is_digit(j->c.p[1]) && j->c.p[1] != '0') {
				const unsigned char *q = j->c.p + 1;
				int64_t v = 0;

				for (; is_digit(*q) && q - j->c.p < 18; q++)
					v = v * 10 + (*q - '0');
				if (*q != ',' && *q != ']')
					break;
				*p = xgrow(*p, cap, *n + 1, sizeof **p);
				(*p)[(*n)++] = v;
				j->c.p = q;
			}
			continue;
		}
		if (t == TOK_ARR_END)
			return true;
		if (t != TOK_BAD)
			err_at(e, ERR_FORMAT, j->at, "integer expected");
		return false;
	}
}

void
json_in_clear(struct json_in *j)
{
	buf_clear(&j->text);
	buf_clear(&j->open);
}

size_t
json_extent(struct json_scan *s, struct str t)
{
	for (; s->at < t.n; s->at++) {
		char c = t.p[s->at];

		if (s->escape) {
			s->escape = false;
		} else if (s->text) {
			if (c == '\\')
				s->escape = true;
			else if (c == '"')
				s->text = false;
		} else if (c == '"') {
			s->text = true;
		} else if (c == '{' || c == '[') {
			s->depth++;
		} else if ((c == '}' || c == ']') && --s->depth == 0) {
			return ++s->at;
		}
	}
	return 0;
}
