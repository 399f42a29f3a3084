/*
 * The live picture: reads the documents from <metadata>, takes the place of the static
 * frames and draws what is asked for. Everything is made with createElement and text
 * nodes, so names are never markup. Shapes of the state:
 *
 *   doc     one document: columns of nodes in preorder (parent, end, frame, self ...)
 *   view    what is shown: document, sample type, zoomed node, search, direction, colours
 *   boxes   what is drawn: { x, w, row, i } and, on some, few, more, anc, mid
 */
const SVG = 'http://www.w3.org/2000/svg', HTML = 'http://www.w3.org/1999/xhtml';
const KINDS = ['', 'jit', 'c1', 'inlined', 'interpreted'];
const CLASSES = ['', 'cxx', 'kernel', 'label', 'managed', 'native', 'type'];
const CUT = -1; /* frame of a node that stands for frames which were cut */
const root = document.currentScript && document.currentScript.closest('svg.fg') ||
	document.documentElement;
const standalone = document.documentElement === root;
const DATA = JSON.parse(root.querySelector('metadata').textContent);

/* --- documents --- */

function openDoc(d) {
	const n = d.frame.length;
	const doc = {
		...d, n, diff: !!d.sides, depth: new Int32Array(n), parent: new Int32Array(n).fill(-1),
		end: new Int32Array(n).fill(n), count: new Int32Array(n).fill(1), totals: [], widths: [],
	};
	let small = 0;
	for (let i = 0; i < n; i++) {
		if (i) {
			let p = i - 1;
			for (let k = d.up[i - 1]; k > 0; k--) {
				doc.end[p] = i;
				p = doc.parent[p];
			}
			doc.parent[i] = p;
			doc.depth[i] = doc.depth[p] + 1;
		}
		if (d.frame[i] === CUT)
			doc.count[i] = d.small[small++];
	}
	/* What has not been left yet ends where its parent does. */
	for (let i = 1; i < n; i++)
		doc.end[i] = Math.min(doc.end[i], doc.end[doc.parent[i]]);
	return doc;
}

function addUp(doc, own) {
	for (let i = doc.n - 1; i > 0; i--)
		own[doc.parent[i]] += own[i];
	return own;
}

function totalsOf(doc, column) {
	return doc.totals[column] ||
		(doc.totals[column] = addUp(doc, Float64Array.from(doc.self[column])));
}

/* What the boxes share the width by: the totals, unless something is negative. */
function widthsOf(doc, pair) {
	if (doc.widths[pair])
		return doc.widths[pair];
	const own = Float64Array.from(doc.self[pair], Math.abs);
	if (doc.diff) {
		const target = doc.self[pair + doc.types.length];
		for (let i = 0; i < doc.n; i++)
			own[i] = Math.max(own[i], Math.abs(scaled(doc, pair, target[i])));
	}
	return (doc.widths[pair] = addUp(doc, own));
}

function scaled(doc, pair, value) {
	return doc.scale[pair] === 1 ? value : Math.round(value * doc.scale[pair]);
}

const docs = DATA.docs.map(openDoc);
const parsed = DATA.names.map(() => null);

function nameParts(frame) {
	return parsed[frame] || (parsed[frame] = parseName(DATA.names[frame]));
}

/* --- the view --- */

const view = {
	doc: 0, pair: docs[0].shown, zoom: 0, search: '', current: 0, flame: DATA.flame,
	colour: DATA.colour || (docs[0].kinds ? 'kind' : 'name'), sandwich: -1, focus: 0,
	ring: false, help: false, message: '',
};
let doc = docs[0], wide, measure, boxes = [], hovered = null;

function firstColour() {
	return DATA.colour || (docs[view.doc].kinds ? 'kind' : 'name');
}

function nameOf(i) {
	return i === 0 ? 'all' : doc.frame[i] === CUT ? groups(doc.count[i]) + ' small' : DATA.names[doc.frame[i]];
}

function kindOf(i) {
	if (i === 0 || doc.frame[i] === CUT)
		return '';
	return doc.kind && KINDS[doc.kind[i]] || CLASSES[DATA.class[doc.frame[i]]];
}

function unit() {
	return doc.types[view.pair][1];
}

function base(i) {
	return totalsOf(doc, view.pair)[i];
}

function rawTarget(i) {
	return totalsOf(doc, view.pair + doc.types.length)[i];
}

function target(i) {
	return scaled(doc, view.pair, rawTarget(i));
}

/* -4 to 4: as plan_step of svg_plan.c. */
function stepOf(i) {
	const a = base(i), change = target(i) - a, size = Math.abs(change) * 100;
	if (i === 0 || change === 0 || doc.frame[i] === CUT)
		return 0;
	if (doc.z && doc.z[i] !== null && Math.abs(doc.z[i]) < 2)
		return 0;
	const step = [2, 10, 25, 50].filter(from => size >= Math.abs(a) * from).length;
	return change < 0 ? -step : step;
}

function changeText(i) {
	const a = base(i), b = target(i);
	if (a === 0)
		return b === 0 ? '0' : 'new';
	if (b === 0)
		return 'gone';
	const percent = groups(Math.round(100 * Math.abs(b - a) / Math.abs(a))) + THIN + '%';
	if (percent[0] === '0')
		return percent;
	return (b > a ? '▲ +' : '▼ ' + MINUS) + percent;
}

function arrowOf(step) {
	return step > 0 ? '▲' : '▼';
}

/* Whether a share counts by width, or by the target's total in a differential document. */
function setView() {
	doc = docs[view.doc];
	wide = widthsOf(doc, view.pair);
	measure = doc.diff ? rawTarget(0) ? totalsOf(doc, view.pair + doc.types.length)
		: totalsOf(doc, view.pair) : wide;
}

function isInside(i, top) {
	return i >= top && i < doc.end[top];
}

function pathOf(i) {
	const path = [];
	for (; i >= 0; i = doc.parent[i])
		path.unshift(i);
	return path;
}

/* The node with this path of names, or as far as it goes. */
function findPath(names) {
	let at = 0, found = true;
	for (const name of names) {
		let c = at + 1;
		while (c < doc.end[at] && (doc.frame[c] === CUT || DATA.names[doc.frame[c]] !== name))
			c = doc.end[c];
		if (c >= doc.end[at]) {
			found = false;
			break;
		}
		at = c;
	}
	return [at, found];
}

function namePath(i) {
	return pathOf(i).slice(1).map(nameOf);
}

/* --- elements --- */

function make(space, tag, attrs, children) {
	const e = document.createElementNS(space, tag);
	for (const k in attrs)
		if (attrs[k] !== undefined && attrs[k] !== null && attrs[k] !== false)
			e.setAttribute(k, attrs[k]);
	if (children)
		e.append(...children);
	return e;
}

const svgEl = (tag, attrs, children) => make(SVG, tag, attrs, children);
const el = (tag, attrs, children) => make(HTML, tag, attrs, children);

const ICONS = {
	find: 'M7 2a5 5 0 1 0 0 10A5 5 0 0 0 7 2ZM11 11l3.5 3.5',
	flip: 'M5 2v12M2 11l3 3 3-3M11 14V2M8 5l3-3 3 3',
	callers: 'M2 3h12M4 6h8M2 10.2h12M5 13h6',
	colour: 'M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12',
	copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
	reset: 'M3 8a5 5 0 1 0 1.6-3.7M3 2.5V5h2.6',
	help: 'M5.6 6a2.4 2.4 0 1 1 3.4 2.2c-.7.3-1 .7-1 1.5M8 12.2v.4',
	previous: 'M4 10l4-4 4 4', next: 'M4 6l4 4 4-4', clear: 'M4 4l8 8M12 4l-8 8',
};

function icon(name) {
	return svgEl('svg', {
		width: 16, height: 16, viewBox: '0 0 16 16', fill: 'none', stroke: 'currentColor',
		'stroke-width': 1.6, 'stroke-linecap': 'round', 'stroke-linejoin': 'round', 'aria-hidden': 'true',
	}, [svgEl('path', { d: ICONS[name] })]);
}

function button(act, label, withWord) {
	const b = el('button', { type: 'button', 'data-act': act, 'aria-label': withWord ? null : label, title: withWord ? null : label },
		[icon(act)].concat(withWord ? [el('span', {}, [label])] : []));
	return b;
}

function foreign(className) {
	const div = el('div', { class: 'ui ' + className });
	const f = svgEl('foreignObject', { x: 0, y: 0, width: '100%', height: 0 }, [div]);
	root.append(f);
	return [f, div];
}

/* --- what stands around the frames --- */

root.querySelector('.static').remove();
root.setAttribute('role', 'figure');
/* Phones lay a picture of its own out for 980 px unless told otherwise. */
if (standalone)
	root.append(el('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }));
const paper = svgEl('rect', { class: 'paper', width: '100%', height: '100%' });
const frames = svgEl('svg', { class: 'live', overflow: 'visible', role: 'tree', 'aria-label': 'Frames' });
const layer = svgEl('g', { role: 'none' }), rings = svgEl('g', { class: 'rings', role: 'none' });
const notes = svgEl('text', { class: 'cap', x: 12 });
frames.append(layer, rings);
root.append(paper, frames, notes);
const [headBox, head] = foreign('hd'), [footBox, foot] = foreign('ft'), [helpBox, help] = foreign('hb');

const title = el('h1'), facts = el('p'), switches = el('div', { class: 'sw' });
const input = el('input', {
	type: 'text', 'aria-label': 'Search frames', placeholder: 'Search (regular expression)',
	spellcheck: 'false', autocapitalize: 'off', autocomplete: 'off',
});
const hits = el('span', { class: 'hits' }), hitsBelow = el('div', { class: 'ph hits' });
const steps = ['previous', 'next', 'clear'].map(a =>
	button(a, { previous: 'Previous match', next: 'Next match', clear: 'Clear search' }[a]));
const field = el('div', { class: 'sf', role: 'search' }, [icon('find'), input, hits, ...steps]);
const WORDS = { flip: 'Flame', callers: 'Callers', colour: 'Colour', copy: 'Copy', reset: 'Reset', help: 'Keys' };
const tools = el('div', { class: 'tools' }, Object.keys(WORDS).map(a => button(a, WORDS[a], true)));
const dock = el('div', { class: 'dock' },
	Object.keys(WORDS).filter(a => a !== 'help').map(a => button(a, WORDS[a], true)));
const crumbs = el('nav', { class: 'crumbs', 'aria-label': 'Zoom path' }), legend = el('div', { class: 'leg' });
head.append(el('div', { class: 'r1' }, [title, facts, switches]),
	el('div', { class: 'r2' }, [field, hitsBelow, tools]),
	el('div', { class: 'r3' }, [crumbs, legend]));
const bar = el('div', { class: 'bar' }), selfBar = el('div', { class: 'bar self' });
const fullName = el('div', { class: 'nm' }), numbers = el('div', { class: 'nums' });
const said = el('div', { class: 'said', role: 'status', 'aria-live': 'polite' });
foot.append(el('div', { class: 'dt' }, [bar, selfBar, fullName, numbers, dock, said]));

/* --- sizes --- */

const size = { W: 0, pad: 12, row: 20, font: 12, column: 7.224, phone: false, touch: false, head: 0, foot: 40 };
const advances = {};

/* Columns are measured once: fitting is arithmetic from then on. */
function advanceOf(font) {
	if (!advances[font]) {
		const t = svgEl('text', { style: 'font-size:' + font + 'px' }, ['0000000000']);
		const f = svgEl('svg', { class: 'f' }, [t]);
		layer.append(f);
		advances[font] = t.getComputedTextLength() / 10 || font * 0.602;
		f.remove();
	}
	return advances[font];
}

function takeSizes() {
	const W = root.getBoundingClientRect().width || window.innerWidth;
	const coarse = matchMedia('(pointer: coarse)').matches;
	size.phone = W < 600;
	size.touch = size.phone || coarse;
	size.W = W - 2 * (size.pad = size.phone ? 8 : 12);
	const big = W >= 2200 && !size.touch, mid = !size.phone && W < 900;
	size.row = size.touch ? 26 : big ? 24 : 20;
	size.font = size.touch ? 13 : big ? 14 : 12;
	size.foot = size.phone ? 150 : mid ? 58 : 40;
	for (const [name, on] of [['phone', size.phone], ['touch', size.touch], ['mid', mid], ['big', big]])
		root.classList.toggle(name, on);
	size.column = advanceOf(size.font);
}

/* --- layout --- */

/* The zoomed frame takes the width; of its callers the last three are drawn. */
function layoutZoom() {
	const out = [], W = size.W, above = pathOf(view.zoom).slice(0, -1);
	const shown = above.length > 4 ? above.slice(-3) : above;
	let row = 0;
	if (above.length > 4)
		out.push({ x: 0, w: W, row: row++, i: above[above.length - 4], anc: true, more: above.length - 3 });
	for (const i of shown)
		out.push({ x: 0, w: W, row: row++, i, anc: true });

	const px = W / (wide[view.zoom] || 1), at = new Float64Array(doc.n);
	const level = row - doc.depth[view.zoom];
	for (let i = view.zoom; i < doc.end[view.zoom];) {
		if (i > view.zoom) {
			const w = wide[i] * px;
			if (w < 1.5 || doc.frame[i] === CUT) {
				i = doc.end[i];
				continue;
			}
			const p = doc.parent[i];
			out.push({ x: at[p], w, row: doc.depth[i] + level, i });
			at[i] = at[p];
			at[p] += w;
		} else {
			out.push({ x: 0, w: W, row, i });
		}
		i++;
	}
	/* What is too narrow runs together behind its siblings. */
	for (const b of out.slice(row)) {
		let few = 0, w = 0;
		for (let c = b.i + 1; c < doc.end[b.i]; c = doc.end[c]) {
			if (wide[c] * px >= 1.5 && doc.frame[c] !== CUT || wide[c] === 0)
				continue;
			w += wide[c] * px;
			for (let k = c; k < doc.end[c]; k++)
				few += wide[k] > 0 ? doc.count[k] : 0;
		}
		if (w >= 1)
			out.push({ x: at[b.i], w, row: b.row + 1, i: b.i, few, share: w / px });
	}
	return { boxes: out, rows: out.reduce((m, b) => Math.max(m, b.row + 1), 0) };
}

/* Callers above, callees below, merged over the outermost occurrences of a function. */
function layoutSandwich() {
	const f = view.sandwich, up = { v: 0, kids: new Map() }, down = { v: 0, kids: new Map() };
	const out = [];
	let sites = 0;
	const child = (n, frame, i, v) => {
		let c = n.kids.get(frame);
		if (!c)
			n.kids.set(frame, c = { i, v: 0, kids: new Map() });
		c.v += v;
		return c;
	};
	for (let i = 1; i < doc.n;) {
		if (doc.frame[i] !== f) {
			i++;
			continue;
		}
		sites++;
		up.i = down.i = i;
		up.v += wide[i];
		down.v += wide[i];
		for (let n = up, a = doc.parent[i]; a > 0; a = doc.parent[a])
			n = child(n, doc.frame[a], a, wide[i]);
		const merged = [];
		merged[i] = down;
		for (let k = i + 1; k < doc.end[i]; k++)
			if (doc.frame[k] !== CUT && wide[k] > 0)
				merged[k] = child(merged[doc.parent[k]], doc.frame[k], k, wide[k]);
		i = doc.end[i];
	}
	const px = size.W / (up.v || 1);
	/* How long a chain of callers goes on without a fork, to its end; else 0. */
	const chain = n => {
		let c = 0;
		while (n.kids.size === 1) {
			const [k] = n.kids.values();
			if (k.v !== n.v)
				return 0;
			n = k;
			c++;
		}
		return n.kids.size ? 0 : c;
	};
	const place = (top, dir) => {
		const stack = [[top, 0, 1]];
		while (stack.length) {
			const [n, x0, row] = stack.pop(), c = dir < 0 && row > 2 ? chain(n) : 0;
			if (c > 2) {
				out.push({ x: x0, w: n.v * px, row: -row, i: n.i, v: n.v, more: c });
				continue;
			}
			let x = x0;
			for (const k of [...n.kids.values()].sort((a, b) => b.v - a.v || a.i - b.i)) {
				if (k.v * px >= 1.5) {
					out.push({ x, w: k.v * px, row: row * dir, i: k.i, v: k.v });
					stack.push([k, x, row + 1]);
				}
				x += k.v * px;
			}
		}
	};
	place(up, -1);
	place(down, 1);
	out.push({ x: 0, w: size.W, row: 0, i: up.i, v: up.v, mid: true });
	const first = out.reduce((m, b) => Math.min(m, b.row), 0);
	for (const b of out)
		b.row -= first;
	return { boxes: out, rows: out.reduce((m, b) => Math.max(m, b.row + 1), 0), mid: -first, sites, total: up.v };
}

/* --- drawing --- */

function fillOf(i) {
	if (i === 0)
		return 'root';
	if (doc.diff)
		return 'd' + (4 + stepOf(i));
	const f = doc.frame[i], p = nameParts(f);
	if (p.fills === undefined)
		p.fills = { hash: hashOf(DATA.names[f]), package: packageOf(p) };
	if (view.colour === 'kind')
		return 'k-' + (kindOf(i) || 'none') + ['', '-a', '-b'][p.fills.hash % 3];
	if (view.colour === 'package')
		return p.fills.package ? 'p' + hashOf(p.fills.package) % 12 : 'k-none';
	return 'n' + (p.fills.package ? hashOf(p.fills.package) : p.fills.hash) % 6 + p.fills.hash % 4;
}

function labelOf(b, room, w) {
	const i = b.i, step = doc.diff && !b.anc && !b.mid ? stepOf(i) : 0;
	const sign = !doc.diff && base(i) < 0 ? MINUS : '';
	const p = i ? nameParts(doc.frame[i]) : { segs: [], quals: [], fn: 'all', args: '', sep: '.', join: '.' };
	let change = step ? changeText(i) : '';
	if (change && room < columns(p.fn) + columns(change) + 1) {
		change = arrowOf(step);
		if (room < columns(p.fn) + 2)
			change = '';
	}
	if (change)
		room -= columns(change) + 1;
	const fit = fitName(p, room - sign.length);
	if (!fit)
		return step && w >= 12 ? { middle: arrowOf(step) } : null;
	return { fit, sign, change };
}

function textAt(x, y, className, children) {
	return svgEl('text', { x, y, class: className || null }, children);
}

function put(list, className, x, w, h, rx) {
	list.push(svgEl('rect', { class: className, x: x ? x.toFixed(2) : null, width: Math.max(0, w).toFixed(2), height: h, rx: rx || null }));
}

/* The parts of a differential box: common, then added behind a tick or removed. */
function putDiff(list, i, w, h, rx) {
	const a = base(i), b = target(i), step = stepOf(i);
	if (a !== 0 && b === 0)
		return put(list, 'b gone', 0, w, h, rx);
	if (step === 0)
		return put(list, 'b ' + fillOf(i), 0, w, h, rx);
	put(list, step > 0 ? 'b more' : 'b hless', 0, w, h, rx);
	if (a < 0 || b < 0)
		return undefined;
	const common = w * Math.min(a, b) / Math.max(a, b);
	if (common > 0)
		put(list, 'o ' + fillOf(i), 0, common, h, rx);
	if (step > 0)
		put(list, 'tick', Math.max(0, common - 0.7), 1.4, h);
	return undefined;
}

function boxElement(b) {
	const i = b.i, w = Math.max(b.w - 1, b.w * 0.7), kind = kindOf(i), list = [];
	const byKind = view.colour === 'kind' && !doc.diff && i > 0 && !b.few;
	const flush = byKind && kind === 'inlined' && !b.anc && view.sandwich < 0;
	const h = size.row - 1 + (flush ? 1 : 0), rx = w < 4 ? 0 : size.touch ? 3 : 2;
	const y = b.y - (flush && !view.flame ? 1 : 0), ty = Math.round((size.row - 1) / 2 + size.font * 0.35) + (b.y - y);
	const bar = byKind && !b.anc && CLASSES[DATA.class[doc.frame[i]]] === 'kernel' && w >= 24;
	const room = Math.floor((w - 8 - (bar ? 2 : 0)) / size.column);
	b.hit = !b.few && !b.more && i > 0 && matches.has(doc.frame[i]);
	const names = ['f'];
	for (const [name, on] of [['anc', b.anc], ['mid', b.mid], ['rest', b.more], ['hit', b.hit], ['lo', doc.diff || b.few || i === 0]])
		if (on)
			names.push(name);

	if (b.few || b.more)
		put(list, 'b small', 0, w, h, rx);
	else if (doc.diff && !b.anc && !b.mid && i > 0)
		putDiff(list, i, w, h, rx);
	else
		put(list, 'b ' + fillOf(i), 0, w, h, rx);
	if (!doc.diff && !b.few && !b.more && base(i) < 0)
		put(list, 'neg', 0, w, h, rx);
	if (bar)
		put(list, 'tick', 0, 2.5, h);

	if (b.few) {
		const words = groups(b.few) + ' small';
		if (room >= words.length)
			list.push(textAt(4, ty, 'm', [words]));
	} else if (b.more) {
		const words = ['… ' + b.more + ' more callers', '… ' + b.more, '…'].find(s => s.length <= room);
		if (words)
			list.push(textAt(4.5, ty, '', [words]));
	} else if (room > 0 || doc.diff) {
		const l = labelOf(b, room, w);
		if (l && l.middle) {
			list.push(svgEl('text', { class: 'dl', x: (w / 2).toFixed(2), y: ty, 'text-anchor': 'middle' }, [l.middle]));
		} else if (l) {
			const t = (s, c) => s ? [c ? svgEl('tspan', { class: c }, [s]) : s] : [];
			list.push(textAt(bar ? 6 : 4.5, ty, '', [...t(l.sign), ...t(l.fit[0], 'm'), ...t(l.fit[1]),
				...t(l.fit[2], 'm'), ...t(l.change && ' ' + l.change, 'dl')]));
		}
	}
	b.h = h;
	b.top = y;
	b.px = w;
	b.el = svgEl('svg', { class: names.join(' '), x: b.x.toFixed(2), y, width: w.toFixed(2), height: h, role: 'treeitem', 'aria-level': b.row + 1 }, list);
	b.el.box = b;
	return b.el;
}

/* Ten thousand descriptions that nobody hears are left out until one is needed. */
function describe(b) {
	if (!b.el.hasAttribute('aria-label'))
		b.el.setAttribute('aria-label', speech(b));
}

function speech(b) {
	if (b.few)
		return b.few + ' small frames, ' + percentText(b.share, wide[0]);
	if (doc.diff)
		return nameOf(b.i) + ', ' + doc.sides[0] + ' ' + valueText(base(b.i), unit()) + ', ' + doc.sides[1] + ' ' +
			valueText(rawTarget(b.i), unit()) + (stepOf(b.i) ? ', ' + changeText(b.i) : '');
	const v = b.v === undefined ? base(b.i) : b.v;
	return nameOf(b.i) + ', ' + valueText(v, unit()) + ' ' + doc.types[view.pair][0] + ', ' + percentText(v, wide[0]).replace(THIN + '%', ' percent');
}

let laid = null, byFrame = new Map();

function drawFrames() {
	const focused = layer.contains(document.activeElement);
	laid = wide[0] === 0 ? { boxes: [], rows: 1 } : view.sandwich >= 0 ? layoutSandwich() : layoutZoom();
	boxes = laid.boxes;
	byFrame = new Map();
	const flip = view.flame && view.sandwich < 0;
	for (const b of boxes) {
		const air = laid.mid === undefined ? 0 : b.row > laid.mid ? 34 : b.row === laid.mid ? 26 : 18;
		b.y = (flip ? laid.rows - 1 - b.row : b.row) * size.row + air;
	}
	layer.replaceChildren(...boxes.map(boxElement));
	for (const b of boxes) {
		if (b.few || b.more || b.i === 0)
			continue;
		const f = doc.frame[b.i];
		if (byFrame.has(f))
			byFrame.get(f).push(b);
		else
			byFrame.set(f, [b]);
	}
	if (boxes.length < 5000)
		boxes.forEach(describe);
	if (view.sandwich >= 0)
		layer.prepend(svgEl('text', { class: 'cap', x: 0, y: 11 }, ['callers ↑ (' + laid.sites + (laid.sites === 1 ? ' call path)' : ' call paths)')]));
	if (wide[0] === 0)
		layer.replaceChildren(...emptyText());
	frames.classList.toggle('search', !!view.search && !searchError);
	const at = boxOf(view.focus) || boxes.find(b => b.i === view.zoom && !b.few) || boxes[0];
	if (at) {
		at.el.setAttribute('tabindex', '0');
		if (focused)
			at.el.focus({ preventScroll: true });
	}
	drawRings();
}

function emptyText() {
	const lines = ['No samples for ' + doc.types[view.pair].join('/') + '.'];
	const other = doc.types.map((t, k) => [t, widthsOf(doc, k)[0], totalsOf(doc, k)[0]]).filter(o => o[1] > 0);
	if (other.length)
		lines.push('This profile also has ' + other.map(o => o[0].join('/') + ': ' + valueText(o[2], o[0][1])).join(', ') + '.');
	return lines.map((s, k) => svgEl('text', { class: 'facts', x: 0, y: 20 + 20 * k }, [s]));
}

/* The box of a node itself, not of its callers' row or its small children. */
function boxOf(i) {
	return boxes.find(b => b.i === i && !b.few && !b.more);
}

function ring(className, b, inside) {
	const d = inside ? 0.75 : 0, out = [svgEl('rect', {
		class: className, x: (b.x + d).toFixed(2), y: b.top + d, width: Math.max(0, b.px - 2 * d).toFixed(2),
		height: b.h - 2 * d, rx: b.px < 4 ? 0 : 2,
	})];
	if (!inside && b.px > 6)
		out.push(svgEl('rect', { class: 'inner', x: (b.x + 1.75).toFixed(2), y: b.top + 1.75, width: (b.px - 3.5).toFixed(2), height: b.h - 3.5, rx: 1 }));
	return out;
}

function drawRings() {
	const out = [], current = currentMatch();
	if (hovered)
		out.push(...ring('hover', hovered, true));
	if (current)
		out.push(...ring('current', current));
	if (view.ring && boxOf(view.focus))
		out.push(...ring('focus', boxOf(view.focus)));
	rings.replaceChildren(...out);
}

/* --- search --- */

let matches = new Set(), searchError = '', ordered = [];

function runSearch() {
	matches = new Set();
	searchError = '';
	if (view.search) {
		try {
			const re = new RegExp(view.search, /[A-Z]/.test(view.search) ? 'u' : 'iu');
			DATA.names.forEach((n, f) => re.test(n) && matches.add(f));
		} catch (strict) {
			try {
				/* What only the strict grammar refuses, such as "\-". */
				const re = new RegExp(view.search, /[A-Z]/.test(view.search) ? '' : 'i');
				DATA.names.forEach((n, f) => re.test(n) && matches.add(f));
			} catch (e) {
				searchError = e.message.replace(/^.*: /, '');
			}
		}
	}
	ordered = [];
	for (let i = 1; i < doc.n && matches.size; i++)
		if (matches.has(doc.frame[i]) && wide[i] > 0)
			ordered.push(i);
	ordered.sort((a, b) => wide[b] - wide[a] || a - b);
}

/* Outermost matches below a node, nothing counted twice. */
function covered(top) {
	let sum = 0;
	for (let i = top; i < doc.end[top];) {
		if (i > 0 && matches.has(doc.frame[i])) {
			sum += measure[i];
			i = doc.end[i];
		} else {
			i++;
		}
	}
	return sum;
}

function matchesHere() {
	return ordered.filter(i => isInside(i, view.zoom));
}

function currentMatch() {
	if (!view.search || view.sandwich >= 0)
		return null;
	const here = matchesHere();
	return here.length ? boxOf(here[view.current % here.length]) : null;
}

function showHits() {
	const parts = [];
	if (searchError) {
		parts.push('✕ ' + searchError);
	} else if (view.search) {
		const n = matchesHere().length;
		if (n === 0)
			parts.push(el('b', {}, ['none']));
		else
			parts.push(el('b', {}, [String(view.current % n + 1)]), '/' + groups(n) + ' · ',
				el('b', {}, [percentText(covered(view.zoom), measure[view.zoom])]),
				view.zoom ? ' of view · ' + percentText(covered(0), measure[0]) + ' of all' : ' of all');
	}
	hits.replaceChildren(...parts);
	hitsBelow.replaceChildren(...parts.map(p => p.cloneNode ? p.cloneNode(true) : p));
	field.classList.toggle('bad', !!searchError);
	field.classList.toggle('on', !!view.search);
	steps[0].hidden = steps[1].hidden = !view.search || !!searchError;
	steps[2].hidden = !view.search;
	for (const b of steps)
		b.style.display = b.hidden ? 'none' : '';
}

function step(by) {
	const n = matchesHere().length;
	if (!ordered.length)
		return;
	if (n === 0) {
		/* All matches lie outside: zoom out to see them. */
		view.zoom = 0;
		view.current = 0;
	} else {
		view.current = (view.current + by + n) % n;
	}
	draw();
	reveal(currentMatch());
}

/* --- header and details --- */

function drawSwitches() {
	const many = docs.length > 1, types = doc.types.length;
	const out = [];
	if (many)
		out.push(el('select', { 'data-pick': 'doc', 'aria-label': 'Document' }, docs.map((d, k) =>
			el('option', { value: k, selected: k === view.doc ? '' : null }, [d.name]))));
	if (types > 1 && (many || types > 4))
		out.push(el('select', { 'data-pick': 'pair', 'aria-label': 'Sample type' }, doc.types.map((t, k) =>
			el('option', { value: k, selected: k === view.pair ? '' : null }, [t[0]]))));
	else if (types > 1)
		out.push(el('div', { class: 'seg', role: 'group', 'aria-label': 'Sample type' }, doc.types.map((t, k) =>
			el('button', { type: 'button', 'data-pair': k, 'aria-pressed': String(k === view.pair) }, [t[0]]))));
	switches.replaceChildren(...out);
	switches.style.display = out.length ? '' : 'none';
}

function totalText() {
	if (doc.diff)
		return doc.sides[0] + ' ' + valueText(base(0), unit()) + ' → ' + doc.sides[1] + ' ' + valueText(rawTarget(0), unit());
	return valueText(base(0), unit()) + ' ' + doc.types[view.pair][0];
}

function drawTitle() {
	const t = doc.types[0];
	const samples = view.pair > 0 && !doc.diff && t[0] === 'samples' && t[1] === 'count'
		? ' · ' + groups(totalsOf(doc, 0)[0]) + ' samples' : '';
	title.textContent = doc.title;
	facts.replaceChildren(el('b', {}, [totalText()]), samples + (doc.facts ? ' · ' + doc.facts : ''));
	if (standalone)
		root.querySelector('title').textContent = doc.title;
}

function swatch(variable) {
	return el('i', { style: 'background:var(--' + variable + ')' });
}

function sumBySelf(keyOf) {
	const sum = new Map(), self = doc.self[view.pair];
	for (let i = 1; i < doc.n; i++)
		if (self[i] && doc.frame[i] !== CUT)
			sum.set(keyOf(i), (sum.get(keyOf(i)) || 0) + Math.abs(self[i]));
	return [...sum].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

function drawLegend() {
	const span = (...c) => el('span', {}, c), W = size.W;
	let out;
	if (doc.diff) {
		const scale = el('span', { class: 'scale' }, [0, 1, 2, 3, 4, 5, 6, 7, 8].map(k => swatch('d' + k)));
		const part = (word, back, rest, tick) => span(svgEl('svg', { width: 14, height: 12 }, [
			svgEl('rect', { width: 14, height: 12, rx: 2, class: back }), svgEl('rect', { x: 8, width: 6, height: 12, class: rest }),
			...(tick ? [svgEl('rect', { x: 7.2, width: 1.4, height: 12, style: 'fill:var(--ink)' })] : []),
		]), word);
		out = [span('less'), scale, span('more'), span(MINUS + '50' + THIN + '% … +50' + THIN + '%'),
			part('added', 'd6', 'more', true), part('removed', 'd2', 'hless'),
			span(doc.z ? 'grey: within noise, |z| < 2' : 'grey: less than 2' + THIN + '%')];
	} else if (view.colour === 'kind') {
		out = sumBySelf(i => kindOf(i) || 'none').map(([k, v]) => span(swatch('k-' + k), k + ' ' + percentText(v, wide[0])));
	} else if (view.colour === 'package') {
		out = sumBySelf(i => packageOf(nameParts(doc.frame[i]))).slice(0, W < 1176 ? 3 : 6).map(([k, v]) =>
			span(swatch(k ? 'p' + hashOf(k) % 12 : 'k-none'),
				(k.length > 24 ? k.split('/').slice(-2).join('/') : k || '(none)') + ' ' + percentText(v, wide[0])));
	} else {
		out = [span('hue: package, shade: function')];
	}
	legend.replaceChildren(...out);
}

function shortName(i, room) {
	if (i === 0)
		return 'all';
	const f = doc.frame[i] === CUT ? null : fitName(nameParts(doc.frame[i]), room);
	return f ? f.join('') : nameOf(i);
}

function drawCrumbs() {
	const crumb = i => el('button', { type: 'button', 'data-zoom': i, title: nameOf(i) }, [shortName(i, 22)]);
	const between = list => list.flatMap((e, k) => k ? [el('i', {}, ['›']), e] : [e]);
	let out;
	if (view.message) {
		out = [el('span', { role: 'alert' }, [view.message])];
	} else if (view.sandwich >= 0) {
		out = between([el('button', { type: 'button', 'data-zoom': 0 }, ['all']),
			el('b', {}, ['callers and callees of ' + fitName(nameParts(view.sandwich), 60).join('')])]);
	} else if (view.zoom) {
		const path = pathOf(view.zoom), last = path.pop();
		const n = size.phone ? 1 : Math.max(1, Math.floor((size.W - 480) / 210));
		const list = path.length > n + 1 ? [crumb(0), el('span', {}, ['…']), ...path.slice(-n).map(crumb)] : path.map(crumb);
		out = between([...list, el('b', { title: nameOf(last) }, [shortName(last, 34)])]);
	} else if (size.touch) {
		out = [el('span', {}, [view.search ? 'Matches are violet; ⌄ goes to the next' : 'Tap a frame for details, again to zoom'])];
	} else {
		out = [el('span', {}, ['Click a frame to zoom · ', el('kbd', {}, ['/']), ' search · ', el('kbd', {}, ['?']), ' all keys'])];
	}
	crumbs.replaceChildren(...out);
}

function drawTools() {
	const rest = !view.zoom && !view.search && view.sandwich < 0;
	for (const b of [...tools.children, ...dock.children]) {
		const act = b.getAttribute('data-act'), word = b.querySelector('span');
		if (act === 'flip') {
			word.textContent = view.flame ? 'Icicle' : 'Flame';
			b.disabled = view.sandwich >= 0;
		}
		if (act === 'callers') {
			b.setAttribute('aria-pressed', String(view.sandwich >= 0));
			b.disabled = view.sandwich < 0 && functionHere() < 0;
		}
		if (act === 'help')
			b.setAttribute('aria-pressed', String(view.help));
		if (act === 'colour')
			b.style.display = doc.diff ? 'none' : '';
		if (act === 'reset')
			b.disabled = rest;
		if (size.phone || root.classList.contains('mid'))
			b.setAttribute('aria-label', word.textContent);
		b.title = act === 'colour' ? 'Coloured by ' + view.colour : '';
	}
}

const KEYS = [
	['← →', 'neighbour'], ['↓ ↑', 'widest callee, caller'], ['Home End', 'first, last on the level'],
	['Enter', 'zoom'], ['Esc', 'one step back'], ['0', 'whole graph'], ['/', 'search'],
	['n N', 'next, previous match'], ['i', 'flame or icicle'], ['s', 'callers and callees (or Ctrl-click)'],
	['c', 'colours'], ['t d', 'next sample type, document'], ['y', 'copy the stack'], ['?', 'this list'],
];

function drawHelp() {
	helpBox.setAttribute('height', view.help ? 480 : 0);
	helpBox.style.display = view.help ? '' : 'none';
	if (!view.help || help.firstChild)
		return;
	help.append(el('div', { class: 'hp', role: 'dialog', 'aria-label': 'Keys' }, [el('b', {}, ['Keys']),
		...KEYS.flatMap(([k, what]) => [el('span', {}, k.split(' ').flatMap((s, n) => n ? [' ', el('kbd', {}, [s])] : [el('kbd', {}, [s])])), el('span', {}, [what])])]));
}

/* How often a function occurs and what it sums to, outermost boxes only. */
function everywhere(i) {
	const f = doc.frame[i];
	let sum = 0, places = 0;
	for (let k = 1; k < doc.n;) {
		if (doc.frame[k] === f) {
			sum += wide[k];
			places++;
			k = doc.end[k];
		} else {
			k++;
		}
	}
	return [sum, places];
}

function pointsText(i) {
	const share = (v, all) => all ? 100 * v / all : 0;
	const d = share(rawTarget(i), rawTarget(0)) - share(base(i), base(0));
	return (Math.abs(d) < 0.005 ? '0' : (d > 0 ? '+' : MINUS) + Math.abs(d).toFixed(2)) + ' points';
}

function cellsOf(b) {
	const i = b.i, v = b.v === undefined ? base(i) : b.v;
	if (b.few)
		return [['total', valueText(b.share, unit())], ['of all', percentText(b.share, wide[0])]];
	if (doc.diff && b.v === undefined)
		return [[doc.sides[0], valueText(base(i), unit())], [doc.sides[1], valueText(rawTarget(i), unit())],
			['change', pointsText(i)],
			['relative', stepOf(i) || !doc.z || i === 0 ? changeText(i) : 'within noise'],
			...(doc.z && doc.z[i] !== null ? [['z', doc.z[i].toFixed(1).replace('-', MINUS)]] : [])];
	const cells = [['total', valueText(v, unit())], ['of all', percentText(v, wide[0])]];
	if (b.v !== undefined)
		return b.mid ? cells.concat([['paths', groups(laid.sites)]]) : cells.concat([['of function', percentText(v, laid.total)]]);
	if (view.zoom)
		cells.push(['of view', percentText(v, wide[view.zoom])]);
	cells.push(['self', valueText(doc.self[view.pair][i], unit())]);
	if (i && !size.phone) {
		const [sum, places] = everywhere(i);
		if (places > 1)
			cells.push(['in ' + groups(places) + ' places', percentText(sum, wide[0])]);
	}
	return cells;
}

/* What is hovered, else the current match, else what has the focus, else the view. */
function detailBox() {
	return hovered || currentMatch() || view.ring && boxOf(view.focus) ||
		boxes.find(b => b.mid) || boxOf(view.zoom) || boxes[0];
}

function drawDetails() {
	const b = detailBox();
	if (!b) {
		fullName.textContent = '';
		numbers.replaceChildren();
		bar.style.width = selfBar.style.width = '0';
		return;
	}
	const i = b.i, f = doc.frame[i], v = b.few ? b.share : b.v === undefined ? wide[i] : b.v;
	let name = [nameOf(i)];
	if (b.few) {
		name = [groups(b.few) + ' small frames called by ' + nameOf(i)];
	} else if (i) {
		const p = nameParts(f), fit = fitName(p, 1e6);
		/* The name in full; its parts are set off where cleaning changed nothing. */
		if (fit && fit.join('') === nameOf(i))
			name = [el('em', {}, [fit[0]]), fit[1], el('em', {}, [fit[2]])];
		if (kindOf(i))
			name.push(el('small', {}, [kindOf(i)]));
		if (DATA.place && DATA.place[f])
			name.push(el('q', {}, [DATA.place[f]]));
	}
	fullName.replaceChildren(...name);
	numbers.replaceChildren(...cellsOf(b).map(([k, t]) => el('div', {}, [el('span', {}, [k]), ' ', el('b', {}, [t])])));
	bar.style.width = 100 * v / (wide[0] || 1) + '%';
	selfBar.style.width = doc.diff || b.few || b.v !== undefined ? '0'
		: 100 * Math.abs(doc.self[view.pair][i]) / (wide[0] || 1) + '%';
}

/* --- the whole --- */

const printing = matchMedia('print');

/* Header and details stay in the window while the frames scroll; on paper, at the ends. */
function stick() {
	const H = +root.getAttribute('height'), r = standalone ? { top: -window.scrollY } : root.getBoundingClientRect();
	const top = Math.min(Math.max(0, -r.top), Math.max(0, H - size.head - size.foot));
	const bottom = Math.min(H, Math.max(size.head + size.foot, window.innerHeight - r.top));
	headBox.setAttribute('y', printing.matches ? 0 : top);
	helpBox.setAttribute('y', top + Math.min(size.head, 90));
	footBox.setAttribute('y', printing.matches ? H - size.foot : bottom - size.foot);
}

function draw() {
	setView();
	takeSizes();
	hovered = null;
	runSearch();
	drawTitle();
	drawSwitches();
	drawCrumbs();
	drawLegend();
	drawTools();
	drawHelp();
	showHits();
	headBox.setAttribute('height', 600);
	size.head = Math.ceil(head.getBoundingClientRect().height);
	headBox.setAttribute('height', size.head);
	footBox.setAttribute('height', size.foot);
	drawFrames();

	const flip = view.flame && view.sandwich < 0, gap = 4, line = doc.notes ? 22 : 0;
	const tall = laid.rows * size.row + (laid.mid === undefined ? 0 : 34);
	const least = size.head + gap + tall + line + 8 + size.foot;
	const H = standalone && !printing.matches ? Math.max(window.innerHeight, least) : least;
	const y = flip ? H - size.foot - 6 - tall : size.head + gap;
	frames.setAttribute('x', size.pad);
	frames.setAttribute('y', y);
	notes.textContent = doc.notes;
	notes.setAttribute('x', size.pad);
	notes.setAttribute('y', flip ? y - 8 : y + tall + 16);
	root.setAttribute('height', H);
	frames.top = y;
	drawDetails();
	stick();
	writeUrl();
}

function reveal(b) {
	if (!b)
		return;
	const r = root.getBoundingClientRect(), y = b.top + frames.top + r.top;
	if (y < size.head + 2 || y + b.h > window.innerHeight - size.foot)
		window.scrollBy(0, y - (window.innerHeight + size.head - size.foot) / 2);
}

function zoomTo(i) {
	view.zoom = i;
	view.sandwich = -1;
	view.current = 0;
	view.message = '';
	if (!isInside(view.focus, i))
		view.focus = i;
	draw();
	reveal(boxOf(i));
}

function focusOn(b) {
	if (!b)
		return;
	const old = layer.querySelector('[tabindex]');
	if (old)
		old.removeAttribute('tabindex');
	view.focus = b.i;
	view.ring = true;
	hovered = null;
	describe(b);
	b.el.setAttribute('tabindex', '0');
	b.el.focus({ preventScroll: true });
	said.textContent = speech(b);
	drawRings();
	drawDetails();
	reveal(b);
}

function functionHere() {
	const i = view.ring && view.focus ? view.focus : view.zoom;
	if (i && doc.frame[i] !== CUT)
		return doc.frame[i];
	/* Nothing chosen: the widest callee of the view that is not alone. */
	let best = -1;
	for (let c = 1; c < doc.n; c = doc.end[c])
		if (doc.frame[c] !== CUT && (best < 0 || wide[c] > wide[best]))
			best = c;
	return best < 0 ? -1 : doc.frame[best];
}

function openSandwich(frame) {
	view.sandwich = frame;
	view.message = '';
	draw();
	window.scrollTo(0, 0);
	reveal(boxes.find(b => b.mid));
}

function showDoc(k, pair) {
	const path = namePath(view.zoom), name = view.sandwich >= 0 ? DATA.names[view.sandwich] : '';
	view.doc = k;
	view.pair = pair;
	setView();
	view.zoom = findPath(path)[0];
	view.focus = view.zoom;
	view.current = 0;
	view.message = '';
	if (name && !doc.frame.includes(view.sandwich))
		view.sandwich = -1;
	if (view.colour === 'kind' && !doc.kinds)
		view.colour = firstColour();
	draw();
}

function copyText(text) {
	const done = ok => {
		view.message = ok ? 'Copied: ' + (text.length > 80 ? text.slice(0, 80) + '…' : text) : 'The browser does not let this page copy.';
		said.textContent = view.message;
		drawCrumbs();
		view.message = '';
	};
	if (navigator.clipboard && window.isSecureContext)
		navigator.clipboard.writeText(text).then(() => done(true), () => done(copyOld(text)));
	else
		done(copyOld(text));
}

function copyOld(text) {
	const t = el('textarea', { style: 'position:absolute;opacity:0;height:1px' });
	foot.append(t);
	t.value = text;
	t.select();
	let ok = false;
	try {
		ok = document.execCommand('copy');
	} catch (e) {
		ok = false;
	}
	t.remove();
	return ok;
}

const ACTIONS = {
	flip() {
		view.flame = !view.flame;
		draw();
		window.scrollTo(0, view.flame ? root.getBoundingClientRect().height : 0);
	},
	callers() {
		const f = functionHere();
		if (view.sandwich >= 0) {
			view.sandwich = -1;
			draw();
		} else if (f >= 0) {
			openSandwich(f);
		}
	},
	colour() {
		const list = docs.some(d => d.kinds) ? ['name', 'package', 'kind'] : ['name', 'package'];
		view.colour = list[(list.indexOf(view.colour) + 1) % list.length];
		draw();
	},
	copy() {
		const b = detailBox();
		if (b)
			copyText(namePath(b.i).join(';') || 'all');
	},
	reset() {
		view.zoom = view.focus = view.current = 0;
		view.search = input.value = '';
		view.sandwich = -1;
		view.message = '';
		view.ring = false;
		draw();
	},
	help() {
		view.help = !view.help;
		drawHelp();
		drawTools();
	},
	clear() {
		view.search = input.value = '';
		view.current = 0;
		draw();
		input.focus();
	},
	next() {
		step(1);
	},
	previous() {
		step(-1);
	},
};

/* --- the address: names, not pixels --- */

function encode(s) {
	return encodeURIComponent(s).replace(/%(2F|3A|2C|40|24)/g, (m, h) => String.fromCharCode(parseInt(h, 16)));
}

function writeUrl() {
	if (!standalone)
		return;
	const q = [];
	if (view.doc)
		q.push('d=' + encode(doc.name));
	if (view.pair !== doc.shown)
		q.push('t=' + encode(doc.types[view.pair].join('/')));
	if (view.zoom)
		q.push('z=' + namePath(view.zoom).map(encode).join(';'));
	if (view.search)
		q.push('s=' + encode(view.search));
	if (view.sandwich >= 0)
		q.push('f=' + encode(DATA.names[view.sandwich]));
	if (view.colour !== firstColour())
		q.push('c=' + view.colour);
	if (view.flame !== DATA.flame)
		q.push(view.flame ? 'flame' : 'icicle');
	const hash = q.length ? '#' + q.join('&') : '';
	if (hash === location.hash)
		return;
	try {
		history.replaceState(null, '', hash || location.pathname + location.search);
	} catch (e) {
		/* Some browsers refuse this for local files: then the address stays. */
	}
}

function decode(s) {
	try {
		return decodeURIComponent(s);
	} catch (e) {
		return s;
	}
}

function readUrl() {
	const q = new Map(location.hash.slice(1).split('&').map(p => {
		const at = p.indexOf('=');
		return at < 0 ? [p, ''] : [p.slice(0, at), p.slice(at + 1)];
	}));
	const named = k => q.has(k) ? decode(q.get(k)) : null;
	const d = docs.findIndex(x => x.name === named('d'));
	view.doc = d < 0 ? 0 : d;
	const t = docs[view.doc].types.findIndex(x => x.join('/') === named('t') || x[0] === named('t'));
	view.pair = t < 0 ? docs[view.doc].shown : t;
	setView();
	const [zoom, found] = findPath((q.get('z') || '').split(';').filter(s => s).map(decode));
	view.zoom = view.focus = found ? zoom : 0;
	view.message = found ? '' : 'The linked frame is not in this picture.';
	view.search = input.value = named('s') || '';
	view.sandwich = -1;
	if (q.has('f')) {
		view.sandwich = DATA.names.findIndex((n, f) => n === named('f') && doc.frame.includes(f));
		if (view.sandwich < 0)
			view.message = 'The linked frame is not in this picture.';
	}
	view.colour = ['name', 'kind', 'package'].includes(named('c')) ? named('c') : firstColour();
	view.flame = q.has('flame') || DATA.flame && !q.has('icicle');
}

/* --- input --- */

function boxAt(e) {
	const f = e.target.closest && e.target.closest('.f');
	return f && f.box || null;
}

function choose(b, touch) {
	if (view.sandwich >= 0) {
		if (!b.mid)
			openSandwich(doc.frame[b.i]);
		return;
	}
	if (touch && (view.focus !== b.i || !view.ring)) {
		focusOn(b);
		return;
	}
	/* A row of more callers and a box of small frames lead to the frame they hang on. */
	view.focus = b.i;
	view.ring = touch;
	zoomTo(b.i === view.zoom && !b.few && b.i > 0 ? doc.parent[b.i] : b.i);
}

root.addEventListener('click', e => {
	const at = (name, from) => {
		const t = e.target.closest('[' + name + ']');
		return t && root.contains(t) ? from(t.getAttribute(name)) : undefined;
	};
	const b = boxAt(e);
	if (b) {
		if ((e.ctrlKey || e.metaKey) && !b.few && b.i > 0)
			openSandwich(doc.frame[b.i]);
		else
			choose(b, e.pointerType === 'touch');
		return;
	}
	at('data-act', a => {
		ACTIONS[a]();
		return true;
	}) || at('data-zoom', i => {
		zoomTo(+i);
		return true;
	}) || at('data-pair', k => {
		showDoc(view.doc, +k);
		switches.querySelector('[data-pair="' + k + '"]').focus();
		return true;
	});
});

root.addEventListener('change', e => {
	const pick = e.target.getAttribute('data-pick');
	if (pick === 'doc')
		showDoc(+e.target.value, docs[+e.target.value].shown);
	else if (pick === 'pair')
		showDoc(view.doc, +e.target.value);
	if (pick)
		switches.querySelector('[data-pick="' + pick + '"]').focus();
});

let twins = [];

function hover(b) {
	if (b === hovered)
		return;
	hovered = b;
	for (const t of twins)
		t.el.classList.remove('twin');
	twins = b && !b.few && !b.more && b.i > 0 ? (byFrame.get(doc.frame[b.i]) || []).filter(t => t !== b) : [];
	for (const t of twins)
		t.el.classList.add('twin');
	drawRings();
	drawDetails();
}

root.addEventListener('pointerover', e => {
	if (e.pointerType !== 'touch')
		hover(boxAt(e));
});
root.addEventListener('pointerleave', () => hover(null));
layer.addEventListener('focusin', e => {
	const b = boxAt(e);
	if (b && e.target.matches(':focus-visible') && !(view.ring && view.focus === b.i))
		focusOn(b);
});
layer.addEventListener('focusout', () => {
	if (!size.touch && view.ring) {
		view.ring = false;
		drawRings();
		drawDetails();
	}
});

let waiting = 0;
input.addEventListener('input', () => {
	clearTimeout(waiting);
	const go = () => {
		view.search = input.value;
		view.current = 0;
		draw();
	};
	if (doc.n > 5000)
		waiting = setTimeout(go, 80);
	else
		go();
});

/* The neighbour of a box on its level, by position: boxes of one row in order. */
function onLevel(b) {
	return boxes.filter(o => o.row === b.row && !o.few && !o.more).sort((x, y) => x.x - y.x);
}

function widestBelow(b) {
	const below = boxes.filter(o => o.row === b.row + 1 && !o.few && !o.more && o.x > b.x - 0.5 && o.x < b.x + b.w);
	return below.sort((x, y) => y.w - x.w)[0];
}

function callerOf(b) {
	return boxes.find(o => o.row === b.row - 1 && !o.few && o.x < b.x + 0.5 && o.x + o.w > b.x + b.w - 0.5);
}

function move(key) {
	const b = boxOf(view.focus) || boxOf(view.zoom) || boxes[0];
	if (!b)
		return;
	if (!view.ring) {
		focusOn(b);
		if (!/^Arrow/.test(key))
			return;
	}
	const level = onLevel(b), at = level.indexOf(b), flip = view.flame && view.sandwich < 0;
	const to = {
		ArrowLeft: () => level[at - 1], ArrowRight: () => level[at + 1], Home: () => level[0], End: () => level[level.length - 1],
		ArrowDown: () => flip ? callerOf(b) : widestBelow(b), ArrowUp: () => flip ? widestBelow(b) : callerOf(b),
	}[key]();
	focusOn(to);
}

function back() {
	if (view.help) {
		ACTIONS.help();
	} else if (view.search) {
		view.search = input.value = '';
		draw();
	} else if (view.sandwich >= 0) {
		view.sandwich = -1;
		draw();
	} else if (view.zoom) {
		view.focus = view.zoom;
		zoomTo(doc.parent[view.zoom]);
	}
}

const COMMANDS = {
	'0': () => ACTIONS.reset(), '/': () => input.focus(), n: () => step(1), N: () => step(-1), i: () => ACTIONS.flip(),
	c: () => doc.diff || ACTIONS.colour(), s: () => ACTIONS.callers(), y: () => ACTIONS.copy(), '?': () => ACTIONS.help(),
	t: () => showDoc(view.doc, (view.pair + 1) % doc.types.length),
	d: () => docs.length > 1 && showDoc((view.doc + 1) % docs.length, docs[(view.doc + 1) % docs.length].shown),
	Escape: back,
	Enter: () => enter(), ' ': () => enter(),
};

function enter() {
	const b = boxOf(view.focus);
	if (b && view.ring)
		choose(b, false);
	if (layer.contains(document.activeElement) || boxOf(view.focus))
		focusOn(boxOf(view.focus));
}

let lastFind = 0;

function onKey(e) {
	const control = e.target.closest && e.target.closest('input, select, button, textarea');
	if ((e.ctrlKey || e.metaKey) && e.key === 'f' && standalone) {
		if (e.timeStamp - lastFind < 1500) {
			e.preventDefault();
			input.focus();
		}
		lastFind = e.timeStamp;
	}
	if (e.ctrlKey || e.altKey || e.metaKey || e.isComposing)
		return;
	if (e.key === 'Escape') {
		back();
		return;
	}
	if (e.target === input && e.key === 'Enter')
		step(e.shiftKey ? -1 : 1);
	if (control)
		return;
	if (/^(Arrow|Home$|End$)/.test(e.key)) {
		move(e.key);
		e.preventDefault();
	} else if (COMMANDS[e.key]) {
		COMMANDS[e.key]();
		e.preventDefault();
	}
}

(standalone ? window : root).addEventListener('keydown', onKey);
window.addEventListener('scroll', stick, { passive: true });
let width = 0, height = 0;
window.addEventListener('resize', () => {
	/* Phones fire this while scrolling, as their bars come and go. */
	if (window.innerWidth !== width || Math.abs(window.innerHeight - height) > 120)
		draw();
	else
		stick();
	width = window.innerWidth;
	height = window.innerHeight;
});
printing.addEventListener('change', draw);
if (standalone) {
	window.addEventListener('hashchange', () => {
		readUrl();
		draw();
	});
	readUrl();
}
setView();
draw();
if (view.flame && standalone)
	window.scrollTo(0, root.getBoundingClientRect().height);
