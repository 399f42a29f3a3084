#include "bytes/utf8.h"

static size_t
ascii_run(const char *p, size_t n)
{
	size_t i = 0;
	uint64_t w;

	for (; i + 8 <= n; i += 8) {
		memcpy(&w, p + i, 8);
		if (w & 0x8080808080808080U)
			break;
	}
	while (i < n && !(p[i] & 0x80))
		i++;
	return i;
}

/*
 * Length of the sequence at p; 0 if it is bad. *used is then the length of its longest
 * prefix that could begin a good one (at least 1), which one U+FFFD replaces.
 */
static size_t
take(const unsigned char *p, size_t n, uint32_t *cp, size_t *used)
{
	unsigned char lo = 0x80, hi = 0xbf;
	size_t len;
	uint32_t v;

	*used = 1;
	if (p[0] < 0x80) {
		*cp = p[0];
		return 1;
	}
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	len = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	v = p[0] & (0x7fU >> len);
	if (p[0] == 0xe0)
		lo = 0xa0;
	else if (p[0] == 0xed)
		hi = 0x9f;
	else if (p[0] == 0xf0)
		lo = 0x90;
	else if (p[0] == 0xf4)
		hi = 0x8f;
	for (size_t i = 1; i < len; i++) {
		if (i >= n || p[i] < lo || p[i] > hi)
			return 0;
		v = v << 6 | (p[i] & 0x3fU);
		*used = i + 1;
		lo = 0x80;
		hi = 0xbf;
	}
	*cp = v;
	return len;
}

size_t
utf8_next(const char *p, size_t n, uint32_t *cp)
{
	size_t used;

	return take((const unsigned char *)p, n, cp, &used);
}

bool
utf8_valid(struct str s)
{
	uint32_t cp;

	for (size_t i = 0; i < s.n;) {
		size_t len = ascii_run(s.p + i, s.n - i);

		if ((i += len) == s.n)
			break;
		if (!(len = utf8_next(s.p + i, s.n - i, &cp)))
			return false;
		i += len;
	}
	return true;
}

void
utf8_put(struct buf *b, uint32_t cp)
{
	char *p = buf_room(b, 4);
	size_t n;

	if (cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000))
		cp = 0xfffd;
	if (cp < 0x80) {
		p[0] = (char)cp;
		n = 1;
	} else if (cp < 0x800) {
		p[0] = (char)(0xc0 | cp >> 6);
		p[1] = (char)(0x80 | (cp & 0x3f));
		n = 2;
	} else if (cp < 0x10000) {
		p[0] = (char)(0xe0 | cp >> 12);
		p[1] = (char)(0x80 | (cp >> 6 & 0x3f));
		p[2] = (char)(0x80 | (cp & 0x3f));
		n = 3;
	} else {
		p[0] = (char)(0xf0 | cp >> 18);
		p[1] = (char)(0x80 | (cp >> 12 & 0x3f));
		p[2] = (char)(0x80 | (cp >> 6 & 0x3f));
		p[3] = (char)(0x80 | (cp & 0x3f));
		n = 4;
	}
	b->n += n;
}

struct str
utf8_clean(struct arena *a, struct str s, size_t *bad)
{
	struct buf b = { 0 };
	struct str out;

	if (utf8_valid(s))
		return s;
	if (bad)
		++*bad;
	for (size_t i = 0; i < s.n;) {
		size_t used;
		uint32_t cp;

		if (!take((const unsigned char *)s.p + i, s.n - i, &cp, &used))
			cp = 0xfffd;
		utf8_put(&b, cp);
		i += used;
	}
	out = arena_str(a, buf_view(&b));
	buf_clear(&b);
	return out;
}
