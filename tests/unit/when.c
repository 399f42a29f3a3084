/* Moments and durations; every good row has its broken neighbour. */
#include <stdlib.h>

#include "tap.h"

#include "base/num.h"
#include "base/when.h"

#define S INT64_C(1000000000)

static void
durations(void)
{
	static const struct {
		const char *text;
		bool good;
		int64_t ns;
	} rows[] = {
		{ "2s", true, 2 * S },
		{ "2", false, 0 },
		{ "s", false, 0 },
		{ "", false, 0 },
		{ "1h30m", true, 5400 * S },
		{ "30m1h", false, 0 },
		{ "1h1h", false, 0 },
		{ "1h30", false, 0 },
		{ "1h 30m", false, 0 },
		{ "500ms", true, S / 2 },
		{ "500m", true, 30000 * S },
		{ "10us", true, 10000 },
		{ "7ns", true, 7 },
		{ "1d", true, 86400 * S },
		{ "1d2h3m4s5ms6us7ns", true, 93784 * S + 5006007 },
		{ "1.5s", true, S + S / 2 },
		{ "1.5", false, 0 },
		{ "1.s", false, 0 },
		{ ".5s", false, 0 },
		{ "1.5.5s", false, 0 },
		{ "0.000000001s", true, 1 },
		{ "0.0000000001s", false, 0 },
		{ "0.5ns", false, 0 },
		{ "0.25d", true, 21600 * S },
		{ "-1s", false, 0 },
		{ "+1s", false, 0 },
		{ "1S", false, 0 },
		{ "1e3s", false, 0 },
		{ "0s", true, 0 },
		{ "9223372036854775807ns", true, INT64_MAX },
		{ "9223372036854775808ns", false, 0 },
		{ "9223372036s", true, 9223372036 * S },
		{ "9223372037s", false, 0 },
		{ "106752d", false, 0 },
		{ "106751d23h47m17s", false, 0 },
		{ "106751d23h47m16s", true, 9223372036 * S },
		{ "99999999999999999999s", false, 0 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int64_t ns = 0;
		bool good = num_duration(rows[i].text, &ns);

		ok_named(good == rows[i].good && (!good || ns == rows[i].ns),
		         rows[i].text);
	}
}

struct row {
	const char *text;
	const char *why; /* part of the message; NULL: it is good */
	enum when_base base;
	int64_t ns;
};

static void
moments(const struct row *rows, size_t n, int64_t now_ns)
{
	for (size_t i = 0; i < n; i++) {
		struct err e = { 0 };
		struct when w;
		bool good = when_parse(rows[i].text, now_ns, &w, &e);

		if (rows[i].why)
			ok_named(!good && e.kind == ERR_USAGE &&
			                 strstr(e.text, rows[i].why) &&
			                 strstr(e.text, "; there are 2026-") &&
			                 strstr(e.text, "start or end"),
			         rows[i].text);
		else
			ok_named(good && w.base == rows[i].base && w.ns == rows[i].ns,
			         rows[i].text);
	}
}

static void
zone(const char *tz)
{
	setenv("TZ", tz, 1);
	tzset();
}

/* 1796047509 is 2026-11-30T14:05:09Z. */
#define NOW (1796047509 * S + 7)

static void
utc(void)
{
	static const struct row rows[] = {
		{ "2026-11-30T14:05:09Z", NULL, 0, 1796047509 * S },
		{ "2026-11-30t14:05:09z", NULL, 0, 1796047509 * S },
		{ "2026-11-30 14:05:09.25Z", NULL, 0, 1796047509 * S + S / 4 },
		{ "2026-11-30T14:05:09.000000001Z", NULL, 0, 1796047509 * S + 1 },
		{ "2026-11-30T14:05:09.0000000001Z", "nine digits", 0, 0 },
		{ "2026-11-30T14:05:09.Z", "'2026-11-30T14:05:09.Z'", 0, 0 },
		{ "2026-11-30T15:05:09+01:00", NULL, 0, 1796047509 * S },
		{ "2026-11-30T08:35:09-05:30", NULL, 0, 1796047509 * S },
		{ "2026-11-30T15:05:09+0100", "no time", 0, 0 },
		{ "2026-11-30T15:05:09+24:00", "zones go to 23:59", 0, 0 },
		{ "2026-11-30T14:05Z", NULL, 0, 1796047500 * S },
		{ "2026-11-30T14:05", NULL, 0, 1796047500 * S },
		{ "2026-11-30T14:05:09", NULL, 0, 1796047509 * S },
		{ "2026-11-30T14:05:09Zx", "no time", 0, 0 },
		{ "2026-11-30", "a date needs a time", 0, 0 },
		{ "2026-11-30T", "no time", 0, 0 },
		{ "2026-11-30_14:05", "no time", 0, 0 },
		{ "2026-2-03T14:05Z", "no time", 0, 0 },
		{ "02026-02-03T14:05Z", "no time", 0, 0 },
		{ "2026-02-28T00:00:00Z", NULL, 0, 1772236800 * S },
		{ "2026-02-30T00:00:00Z", "the month has no such day", 0, 0 },
		{ "2026-02-29T00:00:00Z", "the month has no such day", 0, 0 },
		{ "2028-02-29T00:00:00Z", NULL, 0, 1835395200 * S },
		{ "2100-02-29T00:00:00Z", "the month has no such day", 0, 0 },
		{ "2026-00-10T00:00:00Z", "months go from 01", 0, 0 },
		{ "2026-13-10T00:00:00Z", "months go from 01", 0, 0 },
		{ "2026-11-31T00:00:00Z", "the month has no such day", 0, 0 },
		{ "2016-12-31T23:59:60Z", NULL, 0, 1483228800 * S },
		{ "2016-12-31T23:59:61Z", "seconds go to 59", 0, 0 },
		{ "2016-12-31T23:60:00Z", "minutes go to 59", 0, 0 },
		{ "1969-12-31T23:59:59.5Z", NULL, 0, -S / 2 },
		{ "1677-09-21T00:12:43.145224192Z", NULL, 0, INT64_MIN },
		{ "1677-09-21T00:12:43.145224191Z", "1677 to 2262", 0, 0 },
		{ "2262-04-11T23:47:16.854775807Z", NULL, 0, INT64_MAX },
		{ "2262-04-11T23:47:16.854775808Z", "1677 to 2262", 0, 0 },
		{ "9999-12-31T23:59:59Z", "1677 to 2262", 0, 0 },
		{ "14:05", NULL, WHEN_CLOCK, 1796047500 * S },
		{ "14:05:30.5", NULL, WHEN_CLOCK, 1796047530 * S + S / 2 },
		{ "14:05:3", "no time", 0, 0 },
		{ "14:5", "no time", 0, 0 },
		{ "9:05", "no time", 0, 0 },
		{ "14:", "no time", 0, 0 },
		{ "14:05:", "no time", 0, 0 },
		{ "14:05Z", "no time", 0, 0 },
		{ "00:00", NULL, WHEN_CLOCK, 1795996800 * S },
		{ "23:59:59.999999999", NULL, WHEN_CLOCK, 1796083200 * S - 1 },
		{ "24:00", "hours go to 23", 0, 0 },
		{ "25:00", "hours go to 23", 0, 0 },
		{ "14:60", "minutes go to 59", 0, 0 },
		{ "1796047509", NULL, 0, 1796047509 * S },
		{ "1796047509.25", NULL, 0, 1796047509 * S + S / 4 },
		{ "1796047509.", "no time", 0, 0 },
		{ "1796047509250", NULL, 0, 1796047509 * S + S / 4 },
		{ "1796047509250.5", "seconds alone", 0, 0 },
		{ "1796047509250001", NULL, 0, 1796047509 * S + 250001000 },
		{ "1796047509250001002", NULL, 0, 1796047509 * S + 250001002 },
		{ "01796047509250001002", NULL, 0, 1796047509 * S + 250001002 },
		{ "001796047509250001002", "20 digits", 0, 0 },
		{ "9223372036854775807", NULL, 0, INT64_MAX },
		{ "9223372036854775808", "1677 to 2262", 0, 0 },
		{ "99999999999", "1677 to 2262", 0, 0 },
		{ "9223372036.9", "1677 to 2262", 0, 0 },
		{ "0", NULL, 0, 0 },
		{ "1.5", "needs a unit", 0, 0 },
		{ "5s", "no time", 0, 0 },
		{ "1e9", "no time", 0, 0 },
		{ "", "no time ''", 0, 0 },
		{ " 14:05", "no time", 0, 0 },
		{ "14:05 ", "no time", 0, 0 },
		{ "yesterday", "no time 'yesterday'", 0, 0 },
		{ "now", NULL, 0, NOW },
		{ "now-1h", NULL, 0, NOW - 3600 * S },
		{ "now+5m", NULL, 0, NOW + 300 * S },
		{ "now-1", "durations are", 0, 0 },
		{ "now-", "durations are", 0, 0 },
		{ "now1h", "no time", 0, 0 },
		{ "nowt", "no time", 0, 0 },
		{ "Now", "no time", 0, 0 },
		{ "now+9223372036854775807ns", "1677 to 2262", 0, 0 },
		{ "+2s", NULL, WHEN_FROM_START, 2 * S },
		{ "-2s", NULL, WHEN_FROM_END, -2 * S },
		{ "-1m30s", NULL, WHEN_FROM_END, -90 * S },
		{ "+1.5s", NULL, WHEN_FROM_START, S + S / 2 },
		{ "+1.5", "durations are", 0, 0 },
		{ "+", "durations are", 0, 0 },
		{ "--2s", "durations are", 0, 0 },
		{ "+2s ", "durations are", 0, 0 },
		{ "+9223372037s", "durations are", 0, 0 },
	};

	zone("UTC0");
	moments(rows, sizeof rows / sizeof *rows, NOW);
}

/* Clocks go from 2 to 3 on 2026-03-29 and from 3 to 2 on 2026-10-25. */
static void
elsewhere(void)
{
	static const struct row rows[] = {
		{ "2026-11-30T14:05:09Z", NULL, 0, 1796047509 * S },
		{ "2026-11-30 15:05:09", NULL, 0, 1796047509 * S },
		{ "2026-07-01 02:00:00", NULL, 0, 1782864000 * S },
		{ "15:05:09", NULL, WHEN_CLOCK, 1796047509 * S },
		{ "1796047509", NULL, 0, 1796047509 * S },
		{ "2026-03-29 01:59:59", NULL, 0, 1774745999 * S },
		{ "2026-03-29 02:30", "clocks here skip this time", 0, 0 },
		{ "2026-03-29 03:00", NULL, 0, 1774746000 * S },
		{ "2026-10-25 02:30", NULL, 0, 1792888200 * S },
		{ "2026-10-25 03:00", NULL, 0, 1792893600 * S },
	};

	zone("CET-1CEST,M3.5.0,M10.5.0/3");
	moments(rows, sizeof rows / sizeof *rows, NOW);
	zone("UTC0");
}

static void
recordings(void)
{
	struct when w = { WHEN_ABSOLUTE, 5 };

	ok(when_resolve(w, 100, 200) == 5);
	w = (struct when){ WHEN_FROM_START, 30 };
	ok(when_resolve(w, 100, 200) == 130);
	ok(when_resolve(w, INT64_MAX - 29, INT64_MAX) == INT64_MAX);
	w = (struct when){ WHEN_FROM_END, -30 };
	ok(when_resolve(w, 100, 200) == 170);
	ok(when_resolve(w, 100, INT64_MIN + 29) == INT64_MIN);
	ok(when_now() > 1700000000 * S);
}

/* A time of the clock is one of the recording, whatever day it was parsed on. */
static void
clocks(void)
{
	static const struct {
		const char *zone, *time;
		int64_t start, end, want; /* s since 1970 */
	} rows[] = {
		/* 1796047509 is 2026-11-30T14:05:09Z. */
		{ "UTC0", "14:05:10.5", 1796047509, 1796047569, 1796047510 },
		{ "UTC0", "14:05", 1796047509, 1796047569, 1796047500 },
		{ "UTC0", "15:00", 1796047509, 1796047569, 1796050800 },
		/* From 23:50 on 30 November to 00:20. */
		{ "UTC0", "23:57", 1796082600, 1796084400, 1796083020 },
		{ "UTC0", "00:10", 1796082600, 1796084400, 1796083800 },
		{ "UTC0", "00:30", 1796082600, 1796084400, 1795998600 },
		{ "CET-1", "00:57", 1796082600, 1796084400, 1796083020 },
		/* Of days, the first. */
		{ "UTC0", "14:00", 1796047509, 1796407509, 1796133600 },
		/* Clocks are set forward at 2:00 on 28 March 2027, 01:00Z. */
		{ "CET-1CEST,M3.5.0,M10.5.0/3", "12:00", 1806181200, 1806267600,
		  1806228000 },
	};
	struct when w;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct err e = { 0 };

		setenv("TZ", rows[i].zone, 1);
		tzset();
		ok(when_parse(rows[i].time, NOW + 40 * 86400 * S, &w, &e));
		ok(w.base == WHEN_CLOCK);
		ok(when_resolve(w, rows[i].start * S, rows[i].end * S) / S ==
		   rows[i].want);
	}
	setenv("TZ", "UTC0", 1);
	tzset();
}

/* What is written is read again, to the millisecond before. */
static void
texts(void)
{
	static const struct {
		const char *zone;
		int64_t ns;
		const char *utc, *local;
	} rows[] = {
		{ "UTC0", NOW, "2026-11-30T14:05:09.000Z",
		  "2026-11-30 14:05:09.000+00:00" },
		{ "CET-1", NOW + 999999990, "2026-11-30T14:05:09.999Z",
		  "2026-11-30 15:05:09.999+01:00" },
		{ "XXX3:30", NOW, "2026-11-30T14:05:09.000Z",
		  "2026-11-30 10:35:09.000-03:30" },
		{ "UTC0", -1, "1969-12-31T23:59:59.999Z",
		  "1969-12-31 23:59:59.999+00:00" },
		{ "UTC0", INT64_MIN, "1677-09-21T00:12:43.145Z",
		  "1677-09-21 00:12:43.145+00:00" },
		{ "UTC0", INT64_MAX, "2262-04-11T23:47:16.854Z",
		  "2262-04-11 23:47:16.854+00:00" },
	};
	char buf[WHEN_TEXT];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct err e = { 0 };
		struct when a, b;
		bool fits = rows[i].ns != INT64_MIN; /* not the ms before that */

		zone(rows[i].zone);
		ok_named(strcmp(when_utc(buf, rows[i].ns), rows[i].utc) == 0, buf);
		ok(when_parse(buf, NOW, &a, &e) == fits);
		ok_named(strcmp(when_local(buf, rows[i].ns), rows[i].local) == 0, buf);
		ok(when_parse(buf, NOW, &b, &e) == fits);
		if (fits)
			ok(a.ns == b.ns && rows[i].ns - a.ns >= 0 &&
			   rows[i].ns - a.ns < 1000000);
	}
	zone("UTC0");
}

int
main(void)
{
	durations();
	utc();
	elsewhere();
	texts();
	recordings();
	clocks();
	return done();
}
