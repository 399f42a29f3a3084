/* Text and numbers as people read them. Integers throughout: no locale, no rounding
 * that differs between machines. flame_label.js writes the same forms. */
#include "render/svg_parts.h"

#include <time.h>

#include "base/num.h"
#include "bytes/utf8.h"

#define THIN "\xe2\x80\xaf" /* narrow no-break space */
#define MINUS "\xe2\x88\x92"
#define UNKNOWN "\xef\xbf\xbd"

void
svg_escape(struct buf *out, struct str s)
{
	size_t start = 0;

	if (s.n == 0)
		return;
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		const char *as = NULL;
		size_t len = 1;

		if (c == '&')
			as = "&amp;";
		else if (c == '<')
			as = "&lt;";
		else if (c == '>')
			as = "&gt;";
		else if (c == '"')
			as = "&quot;";
		else if (c == '\'')
			as = "&#39;";
		else if (c < 0x20 && c != '\t' && c != '\n')
			as = UNKNOWN;
		else if (c == 0xef && s.n - i >= 3 &&
		         (unsigned char)s.p[i + 1] == 0xbf &&
		         (unsigned char)s.p[i + 2] >= 0xbe)
			as = UNKNOWN, len = 3; /* U+FFFE and U+FFFF */
		if (!as)
			continue;
		buf_put(out, s.p + start, i - start);
		buf_str(out, str_of(as));
		start = i + len;
		i = start - 1;
	}
	buf_put(out, s.p + start, s.n - start);
}

void
svg_fixed(struct buf *out, int64_t hundredths)
{
	int64_t part = hundredths % 100;

	if (hundredths < 0) {
		buf_char(out, '-');
		svg_fixed(out, -hundredths);
		return;
	}
	buf_int(out, hundredths / 100);
	if (part == 0)
		return;
	buf_char(out, '.');
	buf_char(out, (char)('0' + part / 10));
	if (part % 10)
		buf_char(out, (char)('0' + part % 10));
}

/* Magnitude of any int64, also of the least. */
static uint64_t
magnitude(int64_t v)
{
	return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

static void
put_groups(struct buf *out, uint64_t v)
{
	char digits[24];
	int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)v);

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			buf_str(out, STR(THIN));
		buf_char(out, digits[i]);
	}
}

void
svg_count(struct buf *out, int64_t v)
{
	if (v < 0)
		buf_str(out, STR(MINUS));
	put_groups(out, magnitude(v));
}

/* v / unit rounded to three significant digits, whole numbers in full. */
static void
put_three(struct buf *out, uint64_t v, uint64_t unit)
{
	num_u128 r = ((num_u128)v * 100 + unit / 2) / unit;
	unsigned decimals = 2;

	if (r >= 1000) {
		r = ((num_u128)v * 10 + unit / 2) / unit;
		decimals = 1;
	}
	if (decimals == 1 && r >= 1000) {
		put_groups(out, (uint64_t)(((num_u128)v + unit / 2) / unit));
		return;
	}
	unsigned scale = decimals == 2 ? 100 : 10;

	buf_printf(out, "%u.%0*u", (unsigned)r / scale, (int)decimals,
	           (unsigned)r % scale);
}

struct step {
	uint64_t size;
	const char *name;
};

static void
put_stepped(struct buf *out, uint64_t v, const struct step *steps, size_t n)
{
	size_t k = n - 1;

	/* The greatest unit that the rounded number reaches. */
	while (k > 0 && (num_u128)v * 2000 < (num_u128)steps[k].size * 1999)
		k--;
	if (steps[k].size == 1)
		put_groups(out, v);
	else
		put_three(out, v, steps[k].size);
	buf_str(out, STR(THIN));
	buf_str(out, str_of(steps[k].name));
}

void
svg_value(struct buf *out, int64_t v, struct str unit)
{
	static const struct step time[] = {
		{ 1, "ns" },
		{ 1000, "\xc2\xb5s" },
		{ 1000000, "ms" },
		{ 1000000000, "s" },
	};
	static const struct step bytes[] = {
		{ 1, "B" },
		{ 1ULL << 10, "KiB" },
		{ 1ULL << 20, "MiB" },
		{ 1ULL << 30, "GiB" },
		{ 1ULL << 40, "TiB" },
		{ 1ULL << 50, "PiB" },
		{ 1ULL << 60, "EiB" },
	};
	static const struct {
		struct str name;
		unsigned from; /* its place in time */
	} times[] = {
		{ { "nanoseconds", 11 }, 0 },
		{ { "microseconds", 12 }, 1 },
		{ { "milliseconds", 12 }, 2 },
		{ { "seconds", 7 }, 3 },
	};
	uint64_t m = magnitude(v);

	if (v < 0)
		buf_str(out, STR(MINUS));
	if (m == 0) {
		buf_char(out, '0');
		return;
	}
	for (size_t i = 0; i < 4; i++) {
		struct step in[4];
		size_t n = 0;

		if (!str_eq(unit, times[i].name))
			continue;
		for (size_t k = times[i].from; k < 4; k++, n++)
			in[n] = (struct step){ time[k].size / time[times[i].from].size,
				               time[k].name };
		put_stepped(out, m, in, n);
		return;
	}
	if (str_eq(unit, STR("bytes"))) {
		put_stepped(out, m, bytes, sizeof bytes / sizeof *bytes);
		return;
	}
	put_groups(out, m);
	if (unit.n && !str_eq(unit, STR("count"))) {
		buf_str(out, STR(THIN));
		buf_str(out, unit);
	}
}

void
svg_percent(struct buf *out, int64_t part, int64_t whole)
{
	uint64_t p = magnitude(part), w = magnitude(whole);
	uint64_t fine, coarse;

	if (p > w)
		p = w;
	if (part < 0 && p)
		buf_str(out, STR(MINUS));
	if (p == 0) {
		buf_str(out, STR("0" THIN "%"));
		return;
	}
	fine = (uint64_t)(((num_u128)p * 20000 + w) / ((num_u128)w * 2));
	coarse = (uint64_t)(((num_u128)p * 2000 + w) / ((num_u128)w * 2));
	if ((num_u128)p * 10000 < w)
		buf_str(out, STR("<0.01"));
	else if (fine < 1000)
		buf_printf(out, "%u.%02u", (unsigned)fine / 100, (unsigned)fine % 100);
	else if (coarse < 1000)
		buf_printf(out, "%u.%u", (unsigned)coarse / 10, (unsigned)coarse % 10);
	else
		buf_str(out, STR("100"));
	buf_str(out, STR(THIN "%"));
}

static bool
utc(int64_t ns, struct tm *tm)
{
	time_t t = (time_t)(ns / 1000000000 - (ns % 1000000000 < 0));

	return gmtime_r(&t, tm) != NULL;
}

static void
put_date(struct buf *out, const struct tm *tm)
{
	buf_printf(out, "%04d-%02d-%02d ", tm->tm_year + 1900, tm->tm_mon + 1,
	           tm->tm_mday);
}

static void
put_clock(struct buf *out, const struct tm *tm)
{
	buf_printf(out, "%02d:%02d:%02d", tm->tm_hour, tm->tm_min, tm->tm_sec);
}

void
svg_window(struct buf *out, int64_t start_ns, int64_t end_ns)
{
	struct tm a, b;
	bool has_a = start_ns && utc(start_ns, &a), has_b = end_ns && utc(end_ns, &b);

	if (!has_a && !has_b)
		return;
	/* A snapshot has one moment. */
	has_b = has_b && !(has_a && start_ns / 1000000000 == end_ns / 1000000000);
	if (has_a) {
		put_date(out, &a);
		put_clock(out, &a);
	}
	if (has_b) {
		buf_str(out, has_a ? STR(" \xe2\x80\x93 ") : STR("until "));
		if (!has_a || a.tm_yday != b.tm_yday || a.tm_year != b.tm_year)
			put_date(out, &b);
		put_clock(out, &b);
	}
	buf_str(out, STR(" UTC"));
}
