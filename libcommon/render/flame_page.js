/* What the picture is made of: elements, the parts around the frames, sizes. */
/* --- elements --- */

function make(space, tag, attrs, children) {
	const e = document.createElementNS(space, tag);
	for (const k in attrs)
		if (attrs[k] !== undefined && attrs[k] !== null && attrs[k] !== false)
			e.setAttribute(k, attrs[k]);
	if (children) e.append(...children);
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
	previous: 'M4 10l4-4 4 4',
	next: 'M4 6l4 4 4-4',
	clear: 'M4 4l8 8M12 4l-8 8',
};

function icon(name) {
	return svgEl(
		'svg',
		{
			width: 16,
			height: 16,
			viewBox: '0 0 16 16',
			fill: 'none',
			stroke: 'currentColor',
			'stroke-width': 1.6,
			'stroke-linecap': 'round',
			'stroke-linejoin': 'round',
			'aria-hidden': 'true',
		},
		[svgEl('path', { d: ICONS[name] })],
	);
}

function button(act, label, withWord) {
	const b = el(
		'button',
		{
			type: 'button',
			'data-act': act,
			'aria-label': withWord ? null : label,
			title: withWord ? null : label,
		},
		[icon(act)].concat(withWord ? [el('span', {}, [label])] : []),
	);
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
	root.append(
		el('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
	);
const paper = svgEl('rect', { class: 'paper', width: '100%', height: '100%' });
const frames = svgEl('svg', {
	class: 'live',
	overflow: 'visible',
	role: 'tree',
	'aria-label': 'Frames',
});
const layer = svgEl('g', { role: 'none' }),
	rings = svgEl('g', { class: 'rings', role: 'none' });
const notes = svgEl('text', { class: 'cap', x: 12 });
frames.append(layer, rings);
root.append(paper, frames, notes);
const [headBox, head] = foreign('hd'),
	[footBox, foot] = foreign('ft'),
	[helpBox, help] = foreign('hb');

const title = el('h1'),
	facts = el('p'),
	switches = el('div', { class: 'sw' });
const input = el('input', {
	type: 'text',
	'aria-label': 'Search frames',
	placeholder: 'Search (regular expression)',
	spellcheck: 'false',
	autocapitalize: 'off',
	autocomplete: 'off',
});
const hits = el('span', { class: 'hits' }),
	hitsBelow = el('div', { class: 'ph hits' });
const steps = ['previous', 'next', 'clear'].map(a =>
	button(a, { previous: 'Previous match', next: 'Next match', clear: 'Clear search' }[a]),
);
const field = el('div', { class: 'sf', role: 'search' }, [icon('find'), input, hits, ...steps]);
const WORDS = {
	flip: 'Flame',
	callers: 'Callers',
	colour: 'Colour',
	copy: 'Copy',
	reset: 'Reset',
	help: 'Keys',
};
const tools = el(
	'div',
	{ class: 'tools' },
	Object.keys(WORDS).map(a => button(a, WORDS[a], true)),
);
const dock = el(
	'div',
	{ class: 'dock' },
	Object.keys(WORDS)
		.filter(a => a !== 'help')
		.map(a => button(a, WORDS[a], true)),
);
const crumbs = el('nav', { class: 'crumbs', 'aria-label': 'Zoom path' }),
	legend = el('div', { class: 'leg' });
head.append(
	el('div', { class: 'r1' }, [title, facts, switches]),
	el('div', { class: 'r2' }, [field, hitsBelow, tools]),
	el('div', { class: 'r3' }, [crumbs, legend]),
);
const bar = el('div', { class: 'bar' }),
	selfBar = el('div', { class: 'bar self' });
const fullName = el('div', { class: 'nm' }),
	numbers = el('div', { class: 'nums' });
const said = el('div', { class: 'said', role: 'status', 'aria-live': 'polite' });
foot.append(el('div', { class: 'dt' }, [bar, selfBar, fullName, numbers, dock, said]));

/* --- sizes --- */

const size = {
	W: 0,
	pad: 12,
	row: 20,
	font: 12,
	column: 7.224,
	phone: false,
	touch: false,
	head: 0,
	foot: 40,
};
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
	const big = W >= 2200 && !size.touch,
		mid = !size.phone && W < 900;
	size.row = size.touch ? 26 : big ? 24 : 20;
	size.font = size.touch ? 13 : big ? 14 : 12;
	size.foot = size.phone ? 150 : mid ? 58 : 40;
	for (const [name, on] of [
		['phone', size.phone],
		['touch', size.touch],
		['mid', mid],
		['big', big],
	])
		root.classList.toggle(name, on);
	size.column = advanceOf(size.font);
}
