#include "base/when.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/num.h"

#define SECOND INT64_C(1000000000)

/* What is left of the text. */
struct scan {
	const char *p;
	const char *why; /* what is wrong, once something is */
};

int64_t
when_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * SECOND + t.tv_nsec;
}

static time_t
second_of(int64_t ns)
{
	return ns / SECOND - (ns % SECOND < 0);
}

static bool
digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
wrong(struct scan *s, const char *why)
{
	if (!s->why)
		s->why = why;
	return false;
}

static bool
take(struct scan *s, const char *any)
{
	if (!*s->p || !strchr(any, *s->p))
		return false;
	s->p++;
	return true;
}

/* Exactly so many digits, of a number from min to max. */
static bool
field(struct scan *s, int digits, int min, int max, int *out, const char *why)
{
	int v = 0;

	for (int i = 0; i < digits; i++) {
		if (!digit(*s->p))
			return wrong(s, NULL);
		v = v * 10 + (*s->p++ - '0');
	}
	if (digit(*s->p))
		return wrong(s, NULL);
	*out = v;
	return (v >= min && v <= max) || wrong(s, why);
}

/* ".25" in ns; nothing is 0. */
static bool
fraction(struct scan *s, int64_t *ns)
{
	int64_t unit = SECOND;

	*ns = 0;
	if (!take(s, "."))
		return true;
	if (!digit(*s->p))
		return wrong(s, NULL);
	for (; digit(*s->p); s->p++) {
		unit /= 10;
		if (!unit)
			return wrong(s, "a fraction has up to nine digits");
		*ns += (*s->p - '0') * unit;
	}
	return true;
}

/* hh:mm[:ss[.fraction]] */
static bool
clock_time(struct scan *s, struct tm *tm, int64_t *ns)
{
	*ns = 0;
	if (!field(s, 2, 0, 23, &tm->tm_hour, "hours go to 23") || !take(s, ":") ||
	    !field(s, 2, 0, 59, &tm->tm_min, "minutes go to 59"))
		return false;
	if (!take(s, ":"))
		return true;
	/* 60 is a leap second: the next minute, as Unix time has it. */
	return field(s, 2, 0, 60, &tm->tm_sec, "seconds go to 59") && fraction(s, ns);
}

static int
days_of(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return days[month - 1] + (month == 2 && leap);
}

/* What local time calls so; the first of two, where clocks are set back. */
static bool
local(struct scan *s, const struct tm *tm, time_t *out)
{
	bool found = false;

	for (int dst = 0; dst <= 1; dst++) {
		struct tm try = *tm, back;
		time_t t;

		try.tm_isdst = dst;
		t = mktime(&try);
		/* 23:59:60 is another minute, and that is right. */
		if (!localtime_r(&t, &back) || back.tm_isdst != dst ||
		    (tm->tm_sec < 60 &&
		     (back.tm_min != tm->tm_min || back.tm_hour != tm->tm_hour)))
			continue;
		if (!found || t < *out)
			*out = t;
		found = true;
	}
	return found || wrong(s, "clocks here skip this time");
}

static bool
together(struct scan *s, int64_t seconds, int64_t ns, int64_t *out)
{
	int64_t v;

	/* Before 1970 the fraction counts from a second that may not fit alone. */
	if (seconds < 0 && ns) {
		seconds++;
		ns -= SECOND;
	}
	if (__builtin_mul_overflow(seconds, SECOND, &v) || !num_add_i64(v, ns, out))
		return wrong(s, "times go from 1677 to 2262");
	return true;
}

/* yyyy-mm-dd, then the time and perhaps a zone. */
static bool
date_time(struct scan *s, int64_t *out)
{
	struct tm tm = { 0 };
	int year, month, hour, minute;
	int64_t ns, seconds;
	time_t t;
	bool minus;

	if (!field(s, 4, 0, 9999, &year, NULL) || !take(s, "-") ||
	    !field(s, 2, 1, 12, &month, "months go from 01 to 12") || !take(s, "-") ||
	    !field(s, 2, 1, days_of(year, month), &tm.tm_mday,
	           "the month has no such day"))
		return false;
	if (!*s->p)
		return wrong(s, "a date needs a time");
	if (!take(s, "Tt ") || !clock_time(s, &tm, &ns))
		return false;
	tm.tm_year = year - 1900;
	tm.tm_mon = month - 1;
	if (take(s, "Zz"))
		return together(s, timegm(&tm), ns, out);
	if (!*s->p)
		return local(s, &tm, &t) && together(s, t, ns, out);
	minus = *s->p == '-';
	if (!take(s, "+-") || !field(s, 2, 0, 23, &hour, "zones go to 23:59") ||
	    !take(s, ":") || !field(s, 2, 0, 59, &minute, "zones go to 23:59"))
		return false;
	seconds = hour * 3600 + minute * 60;
	return together(s, timegm(&tm) + (minus ? seconds : -seconds), ns, out);
}

static bool
today(struct scan *s, int64_t now_ns, int64_t *out)
{
	time_t now = second_of(now_ns), t;
	struct tm tm;
	int64_t ns;

	if (!localtime_r(&now, &tm))
		return wrong(s, NULL);
	tm.tm_sec = 0;
	return clock_time(s, &tm, &ns) && local(s, &tm, &t) && together(s, t, ns, out);
}

static bool
unix_time(struct scan *s, int64_t *out)
{
	static const struct {
		size_t digits;
		int64_t ns;
	} units[] = { { 11, SECOND }, { 14, 1000000 }, { 17, 1000 }, { 20, 1 } };
	const char *begin = s->p;
	size_t n, i = 0;
	int64_t v, ns;

	while (digit(*s->p))
		s->p++;
	n = (size_t)(s->p - begin);
	while (i < 4 && n > units[i].digits)
		i++;
	if (i == 4)
		return wrong(s, "Unix time has up to 20 digits");
	if (*s->p == '.' && n < 9)
		return wrong(s, "a duration needs a unit and a sign");
	if (*s->p == '.' && i > 0)
		return wrong(s, "a fraction goes with seconds alone");
	if (!fraction(s, &ns))
		return false;
	if (!num_i64((struct str){ begin, n }, &v) ||
	    __builtin_mul_overflow(v, units[i].ns, &v) || !num_add_i64(v, ns, out))
		return wrong(s, "times go from 1677 to 2262");
	return true;
}

/* A sign and a duration, all of the rest. */
static bool
offset(struct scan *s, int64_t *out)
{
	bool minus = *s->p == '-';

	if (!take(s, "+-"))
		return false;
	if (!num_duration(s->p, out))
		return wrong(s, "durations are 1h30m, 1.5s, 20ms, 10us, 7ns or 1d");
	if (minus)
		*out = -*out;
	s->p += strlen(s->p);
	return true;
}

static bool
parse(struct scan *s, int64_t now_ns, struct when *w)
{
	int64_t d = 0;

	*w = (struct when){ WHEN_ABSOLUTE, 0 };
	if (*s->p == '+' || *s->p == '-') {
		w->base = *s->p == '+' ? WHEN_FROM_START : WHEN_FROM_END;
		return offset(s, &w->ns);
	}
	if (strncmp(s->p, "now", 3) == 0) {
		s->p += 3;
		if (*s->p && !offset(s, &d))
			return false;
		return num_add_i64(now_ns, d, &w->ns) ||
		        wrong(s, "times go from 1677 to 2262");
	}
	/* What follows the first digits tells the three others apart. */
	switch (s->p[strspn(s->p, "0123456789")]) {
	case '-':
		return date_time(s, &w->ns);
	case ':':
		w->base = WHEN_CLOCK;
		return today(s, now_ns, &w->ns);
	default:
		return digit(*s->p) && unix_time(s, &w->ns);
	}
}

bool
when_parse(const char *text, int64_t now_ns, struct when *w, struct err *e)
{
	struct scan s = { .p = text };

	if (parse(&s, now_ns, w) && !*s.p)
		return true;
	return err_set(e, ERR_USAGE,
	               "no time '%.40s'%s%s%s; there are 2026-11-30T14:05:09Z, 14:05, "
	               "Unix time in s, ms, us or ns, now-1h, and +2s or -2s from the "
	               "start or end",
	               text, s.why ? " (" : "", s.why ? s.why : "", s.why ? ")" : "");
}

/* When clocks show the time of one moment some days after the day of another. */
static bool
same_clock(int64_t time_ns, int64_t day_ns, int days, int64_t *out)
{
	time_t time = second_of(time_ns), day = second_of(day_ns);
	struct tm tm, date;
	struct scan s = { 0 };

	if (!localtime_r(&time, &tm) || !localtime_r(&day, &date))
		return false;
	date.tm_mday += days;
	date.tm_hour = tm.tm_hour;
	date.tm_min = tm.tm_min;
	date.tm_sec = tm.tm_sec;
	date.tm_isdst = -1;
	return together(&s, mktime(&date), time_ns - time * SECOND, out);
}

static int64_t
resolve_clock(int64_t ns, int64_t start_ns, int64_t end_ns)
{
	int64_t v, first = ns;

	for (int day = 0; day <= 1; day++) {
		if (!same_clock(ns, start_ns, day, &v))
			break;
		if (v >= start_ns && v <= end_ns)
			return v;
		if (!day)
			first = v;
	}
	return first;
}

int64_t
when_resolve(struct when w, int64_t start_ns, int64_t end_ns)
{
	int64_t from, v;

	if (w.base == WHEN_ABSOLUTE)
		return w.ns;
	if (w.base == WHEN_CLOCK)
		return resolve_clock(w.ns, start_ns, end_ns);
	from = w.base == WHEN_FROM_START ? start_ns : end_ns;
	if (num_add_i64(from, w.ns, &v))
		return v;
	return w.ns < 0 ? INT64_MIN : INT64_MAX;
}

/* Date and time up to the milliseconds; T or a blank between them. */
static size_t
put(char *buf, const struct tm *tm, char between, int64_t ns)
{
	int64_t ms = (ns % SECOND + (ns % SECOND < 0 ? SECOND : 0)) / 1000000;

	return (size_t)snprintf(buf, WHEN_TEXT, "%04d-%02d-%02d%c%02d:%02d:%02d.%03d",
	                        tm->tm_year + 1900, tm->tm_mon + 1, tm->tm_mday,
	                        between, tm->tm_hour, tm->tm_min, tm->tm_sec, (int)ms);
}

const char *
when_utc(char *buf, int64_t ns)
{
	time_t t = second_of(ns);
	struct tm tm = { 0 };

	gmtime_r(&t, &tm);
	snprintf(buf + put(buf, &tm, 'T', ns), 2, "Z");
	return buf;
}

const char *
when_local(char *buf, int64_t ns)
{
	time_t t = second_of(ns);
	struct tm tm = { 0 };
	long minutes;
	size_t n;

	localtime_r(&t, &tm);
	minutes = tm.tm_gmtoff / 60;
	n = put(buf, &tm, ' ', ns);
	snprintf(buf + n, WHEN_TEXT - n, "%c%02ld:%02ld", minutes < 0 ? '-' : '+',
	         labs(minutes) / 60, labs(minutes) % 60);
	return buf;
}
