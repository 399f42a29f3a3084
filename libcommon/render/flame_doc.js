/*
 * The live picture: reads the documents from <metadata>, takes the place of the static
 * frames and draws what is asked for. Everything is made with createElement and text
 * nodes, so names are never markup. Shapes of the state:
 *
 *   doc     one document: columns of nodes in preorder (parent, end, frame, self ...)
 *   view    what is shown: document, sample type, zoomed node, search, direction, colours
 *   boxes   what is drawn: { x, w, row, i } and, on some, few, more, anc, mid
 */
const SVG = 'http://www.w3.org/2000/svg',
	HTML = 'http://www.w3.org/1999/xhtml';
const KINDS = ['', 'jit', 'c1', 'inlined', 'interpreted'];
const CLASSES = ['', 'cxx', 'kernel', 'label', 'managed', 'native', 'type'];
const CUT = -1; /* frame of a node that stands for frames which were cut */
const root =
	(document.currentScript && document.currentScript.closest('svg.fg')) ||
	document.documentElement;
const standalone = document.documentElement === root;
const DATA = JSON.parse(root.querySelector('metadata').textContent);

/* --- documents --- */

function openDoc(d) {
	const n = d.frame.length;
	const doc = {
		...d,
		n,
		diff: !!d.sides,
		depth: new Int32Array(n),
		parent: new Int32Array(n).fill(-1),
		end: new Int32Array(n).fill(n),
		count: new Int32Array(n).fill(1),
		totals: [],
		widths: [],
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
		if (d.frame[i] === CUT) doc.count[i] = d.small[small++];
	}
	/* What has not been left yet ends where its parent does. */
	for (let i = 1; i < n; i++) doc.end[i] = Math.min(doc.end[i], doc.end[doc.parent[i]]);
	return doc;
}

function addUp(doc, own) {
	for (let i = doc.n - 1; i > 0; i--) own[doc.parent[i]] += own[i];
	return own;
}

function totalsOf(doc, column) {
	return (
		doc.totals[column] ||
		(doc.totals[column] = addUp(doc, Float64Array.from(doc.self[column])))
	);
}

/* What the boxes share the width by: the totals, unless something is negative. */
function widthsOf(doc, pair) {
	if (doc.widths[pair]) return doc.widths[pair];
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
	doc: 0,
	pair: docs[0].shown,
	zoom: 0,
	search: '',
	current: 0,
	flame: DATA.flame,
	colour: DATA.colour || (docs[0].kinds ? 'kind' : 'name'),
	sandwich: -1,
	focus: 0,
	ring: false,
	help: false,
	message: '',
};
let doc = docs[0],
	wide,
	measure,
	boxes = [],
	hovered = null;

function firstColour() {
	return DATA.colour || (docs[view.doc].kinds ? 'kind' : 'name');
}

function nameOf(i) {
	return i === 0
		? 'all'
		: doc.frame[i] === CUT
			? groups(doc.count[i]) + ' small'
			: DATA.names[doc.frame[i]];
}

function kindOf(i) {
	if (i === 0 || doc.frame[i] === CUT) return '';
	return (doc.kind && KINDS[doc.kind[i]]) || CLASSES[DATA.class[doc.frame[i]]];
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
	const a = base(i),
		change = target(i) - a,
		size = Math.abs(change) * 100;
	if (i === 0 || change === 0 || doc.frame[i] === CUT) return 0;
	if (doc.z && doc.z[i] !== null && Math.abs(doc.z[i]) < 2) return 0;
	const step = [2, 10, 25, 50].filter(from => size >= Math.abs(a) * from).length;
	return change < 0 ? -step : step;
}

function changeText(i) {
	const a = base(i),
		b = target(i);
	if (a === 0) return b === 0 ? '0' : 'new';
	if (b === 0) return 'gone';
	const percent = groups(Math.round((100 * Math.abs(b - a)) / Math.abs(a))) + THIN + '%';
	if (percent[0] === '0') return percent;
	return (b > a ? '▲ +' : '▼ ' + MINUS) + percent;
}

function arrowOf(step) {
	return step > 0 ? '▲' : '▼';
}

/* Whether a share counts by width, or by the target's total in a differential document. */
function setView() {
	doc = docs[view.doc];
	wide = widthsOf(doc, view.pair);
	measure = doc.diff
		? rawTarget(0)
			? totalsOf(doc, view.pair + doc.types.length)
			: totalsOf(doc, view.pair)
		: wide;
}

function isInside(i, top) {
	return i >= top && i < doc.end[top];
}

function pathOf(i) {
	const path = [];
	for (; i >= 0; i = doc.parent[i]) path.unshift(i);
	return path;
}

/* The node with this path of names, or as far as it goes. */
function findPath(names) {
	let at = 0,
		found = true;
	for (const name of names) {
		let c = at + 1;
		while (
			c < doc.end[at] &&
			(doc.frame[c] === CUT || DATA.names[doc.frame[c]] !== name)
		)
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
