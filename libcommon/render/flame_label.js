/*
 * Names, colours and numbers: the same forms as svg_label.c, svg_colour.c and svg_text.c,
 * in pure functions. One table of tests holds both to the same words.
 */
const THIN = '\u202f',
	DOTS = '\u2026',
	MINUS = '\u2212';

function pointColumns(c) {
	if (c < 0x300) return 1;
	if (
		c <= 0x36f ||
		(c >= 0x200b && c <= 0x200f) ||
		(c >= 0x20d0 && c <= 0x20ff) ||
		(c >= 0xfe00 && c <= 0xfe0f)
	)
		return 0;
	if (
		c >= 0x1100 &&
		(c <= 0x115f ||
			(c >= 0x2e80 && c <= 0xa4cf) ||
			(c >= 0xac00 && c <= 0xd7a3) ||
			(c >= 0xf900 && c <= 0xfaff) ||
			(c >= 0xff00 && c <= 0xff60) ||
			(c >= 0x1f300 && c <= 0x1faff) ||
			(c >= 0x20000 && c <= 0x3fffd))
	)
		return 2;
	return 1;
}

function columns(s) {
	if (/^[\x20-\x7e]*$/.test(s)) return s.length;
	let n = 0;
	for (const ch of s) n += pointColumns(ch.codePointAt(0));
	return n;
}

/* --- cleaning --- */

/* Where the bracket at s[i] closes, or -1. Counts its own kind; "->" is none. */
function closing(s, i) {
	const open = s[i],
		close = { '<': '>', '[': ']', '{': '}', '(': ')' }[open];
	for (let depth = 0; i < s.length; i++) {
		if (s[i] === open) depth++;
		else if (s[i] === close && !(close === '>' && s[i - 1] === '-') && --depth === 0)
			return i;
	}
	return -1;
}

function cutSuffixes(s) {
	s = s.replace(/::h[0-9a-f]{16}$/, '');
	for (;;) {
		const t = s
			.replace(/ \[clone [^[]*\]$/, '')
			.replace(/\.(?:isra|constprop|part|cold)(?:\.\d+)*$/, '');
		if (t === s) return s;
		s = t;
	}
}

/* "$$Lambda$12/0x0000000800c03000" becomes "$λ". */
function cutLambda(s) {
	const at = s.indexOf('$$Lambda');
	if (at < 0) return s;
	const number = /^(?:(?:[$/+](?:0x)?|\.0x)[0-9a-f]+(?![A-Za-z0-9_]))*/.exec(
		s.slice(at + 8),
	)[0];
	return s.slice(0, at) + '$λ' + s.slice(at + 8 + number.length);
}

/* "<T as Trait>::m" becomes "T::m"; so does "<a::T>::m". */
function unwrap(s) {
	for (let round = 0; round < 4 && s[0] === '<'; round++) {
		const end = closing(s, 0);
		if (end < 0 || !s.startsWith('::', end + 1)) return s;
		let cut = 1;
		for (let depth = 0; cut < end; cut++) {
			if ('<([{'.includes(s[cut])) depth++;
			else if ('>)]}'.includes(s[cut]) && s[cut - 1] !== '-' && depth) depth--;
			else if (depth === 0 && s.startsWith(' as ', cut)) break;
		}
		if (cut === end && !s.slice(0, end).includes('::')) return s;
		s = s.slice(1, cut) + s.slice(end + 1);
	}
	return s;
}

/* [head, arguments]: as put_head of svg_label.c. */
function splitHead(s) {
	let out = '',
		plainAngle = false,
		plainSquare = false,
		plainBrace = false;
	for (let i = 0; i < s.length; i++) {
		const op = out.endsWith('operator');
		let end;
		if (s[i] === '(') {
			if (s.startsWith('(anonymous namespace)', i)) {
				out += '{anon}';
				i += 20;
				continue;
			}
			if (op && s[i + 1] === ')') {
				out += '()';
				i++;
				continue;
			}
			end = closing(s, i);
			if (i === 0 || s[i - 1] === '.') {
				if (end < 0) return [out + s.slice(i), ''];
				out += s.slice(i, end + 1);
				i = end;
				continue;
			}
			if (end >= 0) {
				const next = end + 1 + (s.startsWith(' const', end + 1) ? 6 : 0);
				if (s.startsWith('::', next)) {
					i = next - 1;
					continue;
				}
			}
			if (s[i - 1] === ' ' && out.length > 1)
				return [out.slice(0, -1), s.slice(i - 1)];
			return [out, s.slice(i)];
		}
		if (s[i] === '<' && !op && !out.endsWith('operator<') && !plainAngle) {
			end = closing(s, i);
			if (end >= 0) {
				const named =
					(i === 0 || '.:/ $'.includes(s[i - 1])) &&
					/^[\w()$-]*$/.test(s.slice(i + 1, end));
				out += named ? s.slice(i, end + 1) : '<' + DOTS + '>';
				i = end;
				continue;
			}
			plainAngle = true;
		}
		if (s[i] === '[' && i > 0 && /\w/.test(s[i - 1]) && !plainSquare) {
			end = closing(s, i);
			if (end >= 0) {
				out += '[' + DOTS + ']';
				i = end;
				continue;
			}
			plainSquare = true;
		}
		if (s[i] === '{' && !plainBrace) {
			end = closing(s, i);
			if (end >= 0) {
				out += s.slice(i, end + 1);
				i = end;
				continue;
			}
			plainBrace = true;
		}
		out += s[i];
	}
	return [out, ''];
}

/* --- splitting --- */

function splitTop(s, sep) {
	const out = [];
	let start = 0,
		depth = 0;
	for (let i = 0; i < s.length; i++) {
		if ('<([{'.includes(s[i])) depth++;
		else if ('>)]}'.includes(s[i])) depth -= depth > 0;
		else if (depth === 0 && s.startsWith(sep, i)) {
			out.push(s.slice(start, i));
			start = i + sep.length;
			i = start - 1;
		}
	}
	out.push(s.slice(start));
	return out;
}

function cutReturn(s) {
	const op = s.indexOf('operator'),
		end = op < 0 ? s.length : op;
	let depth = 0,
		start = 0;
	for (let i = 0; i < end; i++) {
		if ('<([{'.includes(s[i])) depth++;
		else if ('>)]}'.includes(s[i])) depth -= depth > 0;
		else if (depth === 0 && s[i] === ' ') start = i + 1;
	}
	return s.slice(start);
}

function isOnePiece(s) {
	return !s || (/^[[(<]/.test(s) && /[\])>]$/.test(s)) || !/[.:/(]/.test(s);
}

function parseScopes(r, s) {
	r.sep = r.join = '::';
	r.segs = splitTop(s, '::');
	r.fn = r.segs.pop();
	for (
		let n;
		(n = r.segs.length) &&
		r.segs[n - 1] !== '{anon}' &&
		(r.fn[0] === '{' ||
			r.fn.startsWith('<lambda') ||
			(r.fn === 'operator()' && r.segs[n - 1][0] === '{'));
	)
		r.fn = r.segs.pop() + '::' + r.fn;
	if (r.segs.length) r.quals = [r.segs.pop()];
	return r;
}

function parseGo(r, s, slash) {
	const tail = s.slice(slash + 1);
	let dot = tail.indexOf('.'),
		pkg = tail,
		rest = '';
	r.sep = '/';
	if (slash >= 0) r.segs = splitTop(s.slice(0, slash), '/');
	if (dot >= 0) {
		pkg = tail.slice(0, dot);
		rest = tail.slice(dot + 1);
		const version = /^(v\d+)\./.exec(rest);
		if (version) {
			pkg += '.' + version[1];
			rest = rest.slice(version[0].length);
		}
	}
	if (/^v\d+$/.test(pkg) && r.segs.length) pkg = r.segs.pop() + '/' + pkg;
	if (!rest) {
		r.fn = pkg;
		return r;
	}
	r.quals = [pkg];
	r.fn = rest;
	const end = rest[0] === '(' ? closing(rest, 0) : rest.indexOf('.');
	if (end <= 0 || rest.length < end + 2) return r;
	if (rest[0] === '(' && rest[end + 1] === '.' && rest.length > end + 2) {
		r.quals.push(rest.slice(0, end + 1));
		r.fn = rest.slice(end + 2);
	} else if (
		rest[0] !== '(' &&
		rest[end + 1] !== '.' &&
		!/^(?:func|gowrap)?\d/.test(rest.slice(end + 1))
	) {
		r.quals.push(rest.slice(0, end));
		r.fn = rest.slice(end + 1);
	}
	return r;
}

/* -> { segs, sep, quals, join, fn, args } */
function parseName(name) {
	const s = cutSuffixes(name);
	const r = { segs: [], sep: '.', quals: [], join: '.', fn: s, args: '' };
	if (isOnePiece(s) && !s.includes('$$Lambda')) return r;
	const [head, args] = splitHead(unwrap(cutLambda(s)));
	const scoped = head.includes('::');
	let h = head;
	r.args = args;
	if (scoped || (args[0] === '(' && !head.includes('/'))) h = cutReturn(head);
	r.fn = h;
	if (isOnePiece(h)) return r;
	if (scoped) return parseScopes(r, h);
	const space = h.indexOf(' ');
	if (space > 0 && h.includes('/', space)) {
		r.fn = h.slice(0, space);
		r.args = h.slice(space) + args;
		return r;
	}
	const paren = h.indexOf('(');
	let slash = (paren < 0 ? h : h.slice(0, paren)).lastIndexOf('/');
	if (slash === 0) slash = -1;
	const first = slash < 0 ? 'A' : h[slash + 1] || 'A';
	if (h.includes('.(') || !/[A-Z$_]/.test(first)) return parseGo(r, h, slash);
	const closure = /^([^.]+)\.(\w+(?:\[…\])?(?:-fm|\.(?:func|gowrap)?\d\w*)+)$/.exec(h);
	if (slash < 0 && closure) {
		r.quals = [closure[1]];
		r.fn = closure[2];
		return r;
	}
	h = h.replace(/\//g, '.');
	const p = splitTop(h, '.'),
		last = p[p.length - 1];
	r.fn = h;
	if (p.includes('') || /^\d/.test(last) || last === 'so') return r;
	r.fn = p.pop();
	if (p.length) r.quals = [p.pop()];
	r.segs = p;
	return r;
}

/* --- fitting --- */

function initialOf(seg) {
	const m = /^[{(]/.test(seg)
		? null
		: /^[^\w\u0080-\u{10ffff}]*[\w\u0080-\u{10ffff}]/u.exec(seg);
	return m ? m[0] : seg;
}

function lastColumns(points, room) {
	let i = points.length;
	for (let used = 0; i > 0; i--) {
		used += pointColumns(points[i - 1].codePointAt(0));
		if (used > room) break;
	}
	return points.slice(i).join('');
}

function firstColumns(points, room) {
	let i = 0;
	for (let used = 0; i < points.length; i++) {
		used += pointColumns(points[i].codePointAt(0));
		if (used > room) break;
	}
	return points.slice(0, i).join('');
}

function fitClass(p, room) {
	const q = p.quals[p.quals.length - 1],
		inner = q.slice(q.lastIndexOf('$') + 1),
		rest = p.join + p.fn;
	const used = columns(rest);
	if (/^[A-Za-z]/.test(inner) && columns(inner) + used <= room) return inner + rest;
	if (room < used + 6 || p.sep === '/' || !/\w$/.test(q)) return '';
	let tail = lastColumns([...q], room - used - 1);
	const capital = tail.slice(tail.search(/[A-Z]|$/));
	if (columns(capital) >= 5) tail = capital;
	else if (columns(tail) < 8) return '';
	return DOTS + tail + rest;
}

/* -> [muted, strong, muted], or null: nothing readable fits */
function fitName(p, room) {
	if (room < 2) return null;
	const strong = p.quals.concat(p.fn).join(p.join);
	const head = k => p.segs.map((g, i) => (i < k ? initialOf(g) : g) + p.sep).join('');
	const wide = columns(strong);
	let whole = columns(head(0));
	if (p.args && whole + wide + columns(p.args) <= room) return [head(0), strong, p.args];
	for (let k = 0; k <= p.segs.length; k++) {
		if (whole + wide <= room) return [head(k), strong, ''];
		if (k < p.segs.length) whole += columns(initialOf(p.segs[k])) - columns(p.segs[k]);
	}
	for (let k = 0; k < p.quals.length; k++) {
		const t = p.quals.slice(k).concat(p.fn).join(p.join);
		if (columns(t) <= room) return ['', t, ''];
	}
	const byClass = p.quals.length ? fitClass(p, room) : '';
	if (byClass) return ['', byClass, ''];
	if (columns(p.fn) <= room) return ['', p.fn, ''];
	const bare = p.fn.replace(/<…>|\[…\]/g, '');
	if (bare && columns(bare) <= room) return ['', bare, ''];
	if (room < 5) return null;
	const fn = [...(bare || p.fn)],
		front = Math.ceil(((room - 1) * 45) / 100);
	return ['', firstColumns(fn, front) + DOTS + lastColumns(fn, room - 1 - front), ''];
}

function packageOf(p) {
	if (p.sep === '/') return p.segs.concat(p.quals.length ? p.quals[0] : p.fn).join('/');
	if (p.segs.length) return p.segs.slice(0, 3).join(p.sep);
	if (p.quals.length) return p.quals[0];
	return p.fn[0] === '[' ? p.fn : '';
}

/* --- colours --- */

/* FNV-1a, 32 bits, of the UTF-8 bytes. */
function hashOf(s) {
	let h = 0x811c9dc5;
	for (const b of new TextEncoder().encode(s)) h = Math.imul(h ^ b, 0x01000193) >>> 0;
	return h;
}

/* --- numbers --- */

function groups(v) {
	return String(v).replace(/\B(?=(\d{3})+$)/g, THIN);
}

function countText(v) {
	return (v < 0 ? MINUS : '') + groups(Math.abs(Math.round(v)));
}

const TIME = [
	[1, 'ns'],
	[1e3, 'µs'],
	[1e6, 'ms'],
	[1e9, 's'],
];
const UNITS = {
	nanoseconds: TIME,
	microseconds: TIME.slice(1).map(u => [u[0] / 1e3, u[1]]),
	milliseconds: TIME.slice(2).map(u => [u[0] / 1e6, u[1]]),
	seconds: [[1, 's']],
	bytes: ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'].map((n, i) => [
		Math.pow(1024, i),
		n,
	]),
};

function valueText(v, unit) {
	const sign = v < 0 ? MINUS : '',
		m = Math.abs(v);
	const steps = Object.prototype.hasOwnProperty.call(UNITS, unit) ? UNITS[unit] : null;
	if (m === 0) return '0';
	if (!steps)
		return sign + groups(Math.round(m)) + (unit && unit !== 'count' ? THIN + unit : '');
	let k = steps.length - 1;
	while (k > 0 && m < steps[k][0] * 0.9995) k--;
	const x = m / steps[k][0];
	const text =
		steps[k][0] === 1
			? groups(Math.round(m))
			: Math.round(x * 100) < 1000
				? (Math.round(x * 100) / 100).toFixed(2)
				: Math.round(x * 10) < 1000
					? (Math.round(x * 10) / 10).toFixed(1)
					: groups(Math.round(x));
	return sign + text + THIN + steps[k][1];
}

function percentText(part, whole) {
	const p = whole ? Math.min(1, Math.abs(part) / Math.abs(whole)) : 0,
		sign = part < 0 ? MINUS : '';
	if (p === 0) return '0' + THIN + '%';
	const text =
		p < 1e-4
			? '<0.01'
			: Math.round(p * 1e4) < 1000
				? (Math.round(p * 1e4) / 100).toFixed(2)
				: Math.round(p * 1e3) < 1000
					? (Math.round(p * 1e3) / 10).toFixed(1)
					: '100';
	return sign + text + THIN + '%';
}
