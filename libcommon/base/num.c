#include "base/num.h"

bool
num_u64(struct str s, uint64_t *out)
{
	uint64_t v = 0;

	if (!s.n)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		unsigned d = (unsigned char)s.p[i] - '0';
		if (d > 9 || __builtin_mul_overflow(v, 10U, &v) ||
		    __builtin_add_overflow(v, d, &v))
			return false;
	}
	*out = v;
	return true;
}

bool
num_i64(struct str s, int64_t *out)
{
	bool neg = s.n && s.p[0] == '-';
	uint64_t v;

	if (s.n && (s.p[0] == '-' || s.p[0] == '+'))
		s = (struct str){ s.p + 1, s.n - 1 };
	if (!num_u64(s, &v) || v > (uint64_t)INT64_MAX + neg)
		return false;
	*out = neg ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

bool
num_size(const char *text, uint64_t *out)
{
	struct str s = str_of(text);
	static const char units[] = "KMGT";
	const char *u;
	unsigned shift = 0;
	uint64_t v;

	if (s.n && (u = strchr(units, s.p[s.n - 1])) && *u) {
		shift = 10 * (unsigned)(u - units + 1);
		s.n--;
	}
	if (!num_u64(s, &v) || (shift && v >> (64 - shift)))
		return false;
	*out = v << shift;
	return true;
}

/* "1.5" as 15 and 10; false if it is none, or has too many digits. */
static bool
decimal(const char **text, int64_t *digits, int64_t *scale)
{
	const char *p = *text, *begin = p;
	bool point = false;

	*digits = 0;
	*scale = 1;
	for (; (*p >= '0' && *p <= '9') || (*p == '.' && !point && p > begin); p++) {
		point = point || *p == '.';
		if (*p == '.')
			continue;
		if (__builtin_mul_overflow(*digits, 10, digits) ||
		    __builtin_add_overflow(*digits, *p - '0', digits) ||
		    (point && __builtin_mul_overflow(*scale, 10, scale)))
			return false;
	}
	*text = p;
	return p > begin && p[-1] != '.';
}

bool
num_duration(const char *s, int64_t *ns)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = {
		{ "d", 86400000000000 },
		{ "h", 3600000000000 },
		{ "ms", 1000000 },
		{ "m", 60000000000 },
		{ "s", 1000000000 },
		{ "us", 1000 },
		{ "ns", 1 },
	};
	num_i128 sum = 0;
	int64_t least = INT64_MAX;

	do {
		int64_t digits, scale;
		size_t u = 0, n = sizeof units / sizeof *units;

		if (!decimal(&s, &digits, &scale))
			return false;
		while (u < n && strncmp(s, units[u].name, strlen(units[u].name)) != 0)
			u++;
		if (u == n || units[u].ns >= least ||
		    (num_i128)digits * units[u].ns % scale)
			return false;
		least = units[u].ns;
		s += strlen(units[u].name);
		sum += (num_i128)digits * units[u].ns / scale;
		if (sum > INT64_MAX)
			return false;
	} while (*s);
	*ns = (int64_t)sum;
	return true;
}

bool
num_frac(const char *s, double *out)
{
	double v = 0, unit = 1;
	bool digit = false, dot = false;

	for (; *s; s++) {
		if (*s == '.' && !dot) {
			dot = true;
			continue;
		}
		if (*s < '0' || *s > '9')
			return false;
		digit = true;
		v = v * 10 + (*s - '0');
		if (dot)
			unit *= 10;
	}
	*out = v / unit;
	return digit;
}

int64_t
num_muldiv(int64_t a, int64_t b, int64_t c)
{
	num_i128 v = (num_i128)a * b / c;

	return v > INT64_MAX ? INT64_MAX : v < INT64_MIN ? INT64_MIN : (int64_t)v;
}

char *
num_put(char *p, int64_t v)
{
	static const char pairs[] =
	        "00010203040506070809101112131415161718192021222324"
	        "25262728293031323334353637383940414243444546474849"
	        "50515253545556575859606162636465666768697071727374"
	        "75767778798081828384858687888990919293949596979899";
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	char tmp[20], *t = tmp + sizeof tmp;
	size_t n;

	if (v < 0)
		*p++ = '-';
	while (u >= 100) {
		t -= 2;
		memcpy(t, pairs + 2 * (u % 100), 2);
		u /= 100;
	}
	if (u >= 10) {
		t -= 2;
		memcpy(t, pairs + 2 * u, 2);
	} else {
		*--t = (char)('0' + u);
	}
	n = (size_t)(tmp + sizeof tmp - t);
	memcpy(p, t, n);
	return p + n;
}
