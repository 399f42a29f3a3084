/*
 * H is hexadecimal digits, N decimal ones; both end where the word ends.
 *
 *   X$$Lambda$N X$$LambdaN             X$$Lambda   and with it any of /N .N +0xH .0xH
 * /0xH LambdaForm$MHN/N +0xH/N ...        LambdaForm$MH (DMH, BMH ...), the same behind
 * it X+0xH/N X+0xH X+0xH/0xH            X           hidden classes, offsets of symbols
 *   X.0xH X/0xH, H of 8 digits up      X           hidden classes
 *   GeneratedMethodAccessorN           GeneratedMethodAccessor (Constructor,
 *                                                   SerializationConstructor)
 *   $ProxyN jdk.proxyN.$ProxyN         $Proxy, jdk.proxy.$Proxy
 *   XCGLIB$$H                          XCGLIB      EnhancerBySpringCGLIB,
 * FastClassByCGLIB X::hH, H of 16 digits              X           Rust; _ZN...17hHE too
 *   0xH, where a word could begin      0x_         addresses
 *   X.isra.N X.constprop.N X.part.N    X           at the end, in any number and order
 *   X.cold X.cold.N X.llvm.N
 *   X.lto_priv.N X@plt X [clone .Y]
 *
 * The last group is made by linkers and compilers of native code: frames of class
 * managed keep it. X.cold could be a method called cold: where the class is not known
 * it is folded only if no other '.' is in X.
 */
#include "analysis/canon.h"

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Letters, digits, '_' and all that is not ASCII. */
static bool
is_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	        c == '_' || (unsigned char)c >= 0x80;
}

static bool
word_at(struct str s, size_t i)
{
	return i < s.n && is_word(s.p[i]);
}

static bool
text_at(struct str s, size_t i, struct str text)
{
	return str_starts((struct str){ s.p + i, s.n - i }, text);
}

/* Length of the decimal number at s[i] that is all of its word, or 0. */
static size_t
decimal(struct str s, size_t i)
{
	size_t k = i;

	while (k < s.n && is_digit(s.p[k]))
		k++;
	return word_at(s, k) ? 0 : k - i;
}

/* The same for hexadecimal digits. */
static size_t
digits(struct str s, size_t i)
{
	size_t k = i;

	while (k < s.n && is_hex(s.p[k]))
		k++;
	return word_at(s, k) ? 0 : k - i;
}

/* The same for 0x and such digits. */
static size_t
address(struct str s, size_t i)
{
	size_t n;

	if (i + 2 >= s.n || s.p[i] != '0' || s.p[i + 1] != 'x')
		return 0;
	n = digits(s, i + 2);
	return n ? n + 2 : 0;
}

/*
 * Length of what stands at s[i] > 0 for the identity of a hidden class, or for an
 * offset: parts +0xH .0xH /0xH .N /N. Numbers alone say it only behind a name known to
 * be hidden.
 */
static size_t
hidden(struct str s, size_t i, bool known)
{
	size_t k = i;

	while (k < s.n) {
		char c = s.p[k];
		size_t n;

		if (c != '+' && c != '.' && c != '/')
			break;
		n = address(s, k + 1);
		/* A short number behind a dot or slash may be anything. */
		if (n && c != '+' && !known && (n < 10 || !word_at(s, k - 1)))
			break;
		if (!n && c != '+' && known)
			n = decimal(s, k + 1);
		if (!n)
			break;
		k += 1 + n;
		known = true;
	}
	return k - i;
}

/* ---- what begins at s[i] is folded: its length, or 0; *keep stands for it ---- */

static size_t
lambda(struct str s, size_t i, struct str *keep)
{
	static const struct str name = { "$$Lambda", 8 };
	size_t k = i + name.n, n;

	if (!text_at(s, i, name))
		return 0;
	n = k < s.n && s.p[k] == '$';
	if (decimal(s, k + n))
		k += n + decimal(s, k + n);
	else if (word_at(s, k))
		return 0;
	*keep = name;
	return k + hidden(s, k, true) - i;
}

static size_t
lambda_form(struct str s, size_t i, struct str *keep)
{
	static const struct str name = { "LambdaForm$", 11 };
	size_t k = i + name.n;

	if (!text_at(s, i, name))
		return 0;
	while (k < s.n && s.p[k] >= 'A' && s.p[k] <= 'Z')
		k++;
	*keep = (struct str){ s.p + i, k - i };
	k += decimal(s, k);
	return k + hidden(s, k, true) - i;
}

static size_t
numbered(struct str s, size_t i, struct str *keep)
{
	static const struct str name[] = {
		{ "$Proxy", 6 },
		{ "GeneratedMethodAccessor", 23 },
		{ "GeneratedConstructorAccessor", 28 },
		{ "GeneratedSerializationConstructorAccessor", 41 },
	};

	for (size_t r = 0; r < sizeof name / sizeof name[0]; r++) {
		size_t n = text_at(s, i, name[r]) ? decimal(s, i + name[r].n) : 0;

		if (!n)
			continue;
		*keep = name[r];
		return name[r].n + n;
	}
	return 0;
}

/* The package that dynamic modules number. */
static size_t
proxy_package(struct str s, size_t i, struct str *keep)
{
	static const struct str dots = { "jdk.proxy", 9 }, slashes = { "jdk/proxy", 9 };
	size_t k = i + dots.n, n;

	if (!text_at(s, i, dots) && !text_at(s, i, slashes))
		return 0;
	n = decimal(s, k);
	if (!n ||
	    !text_at(s, k + n, s.p[i + 3] == '.' ? STR(".$Proxy") : STR("/$Proxy")))
		return 0;
	*keep = (struct str){ s.p + i, dots.n };
	return dots.n + n;
}

static size_t
cglib(struct str s, size_t i, struct str *keep)
{
	size_t n = text_at(s, i, STR("CGLIB$$")) ? digits(s, i + 7) : 0;

	if (!n)
		return 0;
	*keep = STR("CGLIB");
	return 7 + n;
}

static size_t
rust(struct str s, size_t i)
{
	if (text_at(s, i, STR("::h")))
		return digits(s, i + 3) == 16 ? 19 : 0;
	/* Mangled: the length of the hash is part of it, and an E follows. */
	if (!text_at(s, i, STR("17h")) || s.n - i < 20 || s.p[i + 19] != 'E' ||
	    !(str_starts(s, STR("_ZN")) || str_starts(s, STR("__ZN"))))
		return 0;
	for (size_t k = i + 3; k < i + 19; k++)
		if (!is_hex(s.p[k]))
			return 0;
	return 19;
}

static size_t
fold(struct str s, size_t i, struct str *keep)
{
	size_t n;

	*keep = (struct str){ 0 };
	switch (s.p[i]) {
	case '$':
		n = lambda(s, i, keep);
		return n ? n : numbered(s, i, keep);
	case 'G':
		return numbered(s, i, keep);
	case 'L':
		return lambda_form(s, i, keep);
	case 'j':
		return proxy_package(s, i, keep);
	case 'C':
		return cglib(s, i, keep);
	case '0':
		*keep = STR("0x_");
		return i && word_at(s, i - 1) ? 0 : address(s, i);
	case '+':
	case '.':
	case '/':
		return i ? hidden(s, i, false) : 0;
	case ':':
	case '1':
		return i ? rust(s, i) : 0;
	default:
		return 0;
	}
}

/* ---- the end of a native symbol ---- */

/* Without .isra.N and its like, once; or s. */
static struct str
less_numbered(struct str s)
{
	static const struct str name[] = {
		{ ".isra.", 6 }, { ".constprop.", 11 }, { ".part.", 6 },
		{ ".cold.", 6 }, { ".llvm.", 6 },       { ".lto_priv.", 10 },
	};
	struct str stem = s;

	while (stem.n && is_digit(stem.p[stem.n - 1]))
		stem.n--;
	if (stem.n == s.n || !stem.n || stem.p[stem.n - 1] != '.')
		return s;
	for (size_t r = 0; r < sizeof name / sizeof name[0]; r++)
		if (stem.n > name[r].n && str_ends(stem, name[r]))
			return (struct str){ s.p, stem.n - name[r].n };
	return s;
}

static struct str
less_cold(struct str s, enum frame_class class)
{
	struct str stem = { s.p, s.n - 5 }, last;

	do {
		last = stem;
		stem = less_numbered(stem);
	} while (stem.n < last.n);
	if (class == CLASS_NONE && memchr(stem.p, '.', stem.n))
		return s;
	return stem;
}

static struct str
less_clone(struct str s)
{
	const char *open = memrchr(s.p, '[', s.n);
	size_t n = open ? (size_t)(open - s.p) : 0;

	if (n < 2 || s.p[n - 1] != ' ' || !text_at(s, n, STR("[clone .")))
		return s;
	return (struct str){ s.p, n - 1 };
}

static struct str
less_suffixes(struct str s, enum frame_class class)
{
	struct str last;

	do {
		last = s;
		s = less_numbered(s);
		if (s.n > 5 && str_ends(s, STR(".cold")))
			s = less_cold(s, class);
		if (s.n > 4 && str_ends(s, STR("@plt")))
			s.n -= 4;
		if (s.n && s.p[s.n - 1] == ']')
			s = less_clone(s);
	} while (s.n < last.n);
	return s;
}

struct str
names_canon(struct str name, enum frame_class class, struct buf *scratch)
{
	struct str s = name, keep;
	size_t from = 0;

	scratch->n = 0;
	for (size_t i = 0; i < name.n;) {
		size_t n = fold(name, i, &keep);

		if (!n || str_eq(keep, (struct str){ name.p + i, n })) {
			i += n ? n : 1;
			continue;
		}
		buf_put(scratch, name.p + from, i - from);
		buf_str(scratch, keep);
		from = i += n;
	}
	if (from) {
		buf_put(scratch, name.p + from, name.n - from);
		s = buf_view(scratch);
	}
	return class == CLASS_MANAGED ? s : less_suffixes(s, class);
}
