#include "render/quantity.h"

#include <math.h>
#include <stdio.h>

#include "base/num.h"

/* Three significant digits of v < 1000 (or all of a whole number). */
static void
three(char *buf, size_t size, double v, const char *unit)
{
	int places = v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
	double scale = places == 2 ? 100 : places == 1 ? 10 : 1;
	long long n = llround(v * scale);

	if (places)
		snprintf(buf, size, "%lld.%0*lld%s%s", n / (long long)scale, places,
		         n % (long long)scale, *unit ? " " : "", unit);
	else
		snprintf(buf, size, "%lld%s%s", n, *unit ? " " : "", unit);
}

static void
grouped(char *buf, uint64_t v)
{
	char digits[24], *end = num_put(digits, (int64_t)(v & INT64_MAX)), *p = digits;
	size_t n = (size_t)(end - digits);

	for (; p < end; p++, n--) {
		*buf++ = *p;
		if (n > 1 && (n - 1) % 3 == 0)
			*buf++ = ' ';
	}
	*buf = '\0';
}

const char *
quantity(char *buf, int64_t value, struct str unit)
{
	static const char *const bytes[] = { "B",   "KiB", "MiB", "GiB",
		                             "TiB", "PiB", "EiB" };
	static const char *const times[] = { "ns", "µs", "ms", "s" };
	double v = fabs((double)value);
	char *at = buf;
	int step = 0;

	if (value < 0)
		*at++ = '-';
	if (str_eq(unit, STR("bytes")) || str_eq(unit, STR("byte"))) {
		for (; v >= 1023.5 && step < 6; step++)
			v /= 1024;
		if (step == 0)
			snprintf(at, 40, "%.0f B", v);
		else
			three(at, 40, v, bytes[step]);
		return buf;
	}
	step = str_eq(unit, STR("nanoseconds"))     ? 0
	        : str_eq(unit, STR("microseconds")) ? 1
	        : str_eq(unit, STR("milliseconds")) ? 2
	        : str_eq(unit, STR("seconds"))      ? 3
	                                            : -1;
	if (step < 0) {
		grouped(at, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
		return buf;
	}
	for (; v >= 999.5 && step < 3; step++)
		v /= 1000;
	if (step == 0)
		snprintf(at, 40, "%.0f ns", v);
	else
		three(at, 40, v, times[step]);
	return buf;
}

static bool
counted(struct str unit)
{
	static const char *const scaled[] = { "bytes",        "byte",
		                              "nanoseconds",  "microseconds",
		                              "milliseconds", "seconds" };

	for (size_t i = 0; i < sizeof scaled / sizeof scaled[0]; i++)
		if (str_eq(unit, str_of(scaled[i])))
			return false;
	return true;
}

const char *
quantity_real(char *buf, double value, struct str unit)
{
	double size = fabs(value);
	long long tenths;

	if (size >= 0x1p63)
		return quantity(buf, value < 0 ? -INT64_MAX : INT64_MAX, unit);
	if (size >= 1000 || size == floor(size) || !counted(unit))
		return quantity(buf, llround(value), unit);
	tenths = llround(size * 10);
	snprintf(buf, 48, "%s%lld.%lld", value < 0 && tenths ? "-" : "", tenths / 10,
	         tenths % 10);
	return buf;
}

const char *
percent(char *buf, double part, double whole)
{
	double v = whole != 0 ? 100 * part / whole : 0;
	double size = fabs(v);
	const char *sign = v < 0 && size >= 0.005 ? "-" : "";
	char text[12];

	if (part == 0 || whole == 0)
		return memcpy(buf, "0 %", sizeof "0 %");
	if (size < 0.005)
		return memcpy(buf, "<0.01 %", sizeof "<0.01 %");
	if (size >= 99.95 && size <= 100.05)
		snprintf(text, sizeof text, "100");
	else if (size < 9.995)
		snprintf(text, sizeof text, "%.2f", size);
	else
		snprintf(text, sizeof text, "%.1f", size);
	snprintf(buf, 16, "%s%s %%", sign, text);
	return buf;
}
