/* What is said around the frames: header, legend, crumbs, keys, details. */
function drawSwitches() {
	const many = docs.length > 1,
		types = doc.types.length;
	const out = [];
	if (many)
		out.push(
			el(
				'select',
				{ 'data-pick': 'doc', 'aria-label': 'Document' },
				docs.map((d, k) =>
					el(
						'option',
						{ value: k, selected: k === view.doc ? '' : null },
						[d.name],
					),
				),
			),
		);
	if (types > 4)
		out.push(
			el(
				'select',
				{ 'data-pick': 'pair', 'aria-label': 'Sample type' },
				doc.types.map((t, k) =>
					el(
						'option',
						{ value: k, selected: k === view.pair ? '' : null },
						[t[0]],
					),
				),
			),
		);
	else if (types > 1)
		out.push(
			el(
				'div',
				{ class: 'seg', role: 'group', 'aria-label': 'Sample type' },
				doc.types.map((t, k) =>
					el(
						'button',
						{
							type: 'button',
							'data-pair': k,
							'aria-pressed': String(k === view.pair),
						},
						[t[0]],
					),
				),
			),
		);
	switches.replaceChildren(...out);
	switches.style.display = out.length ? '' : 'none';
}

function totalText() {
	if (doc.diff)
		return (
			doc.sides[0] +
			' ' +
			valueText(base(0), unit()) +
			' → ' +
			doc.sides[1] +
			' ' +
			valueText(rawTarget(0), unit())
		);
	return valueText(base(0), unit()) + ' ' + doc.types[view.pair][0];
}

function drawTitle() {
	const t = doc.types[0];
	const samples =
		view.pair > 0 && !doc.diff && t[0] === 'samples' && t[1] === 'count'
			? ' · ' + groups(totalsOf(doc, 0)[0]) + ' samples'
			: '';
	title.textContent = doc.title;
	facts.replaceChildren(
		el('b', {}, [totalText()]),
		samples + (doc.facts ? ' · ' + doc.facts : ''),
	);
	if (standalone) root.querySelector('title').textContent = doc.title;
}

function swatch(variable) {
	return el('i', { style: 'background:var(--' + variable + ')' });
}

function sumBySelf(keyOf) {
	const sum = new Map(),
		self = doc.self[view.pair];
	for (let i = 1; i < doc.n; i++)
		if (self[i] && doc.frame[i] !== CUT)
			sum.set(keyOf(i), (sum.get(keyOf(i)) || 0) + Math.abs(self[i]));
	return [...sum].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

/* What the writer cut has no kind of its own. */
function cutSelf() {
	return doc.self[view.pair].reduce(
		(sum, v, i) => sum + (doc.frame[i] === CUT ? Math.abs(v) : 0),
		0,
	);
}

function drawLegend() {
	const span = (...c) => el('span', {}, c),
		W = size.W;
	let out;
	if (doc.diff) {
		const scale = el(
			'span',
			{ class: 'scale' },
			[0, 1, 2, 3, 4, 5, 6, 7, 8].map(k => swatch('d' + k)),
		);
		const part = (word, back, rest, tick) =>
			span(
				svgEl('svg', { width: 14, height: 12 }, [
					svgEl('rect', {
						width: 14,
						height: 12,
						rx: 2,
						class: back,
					}),
					svgEl('rect', { x: 8, width: 6, height: 12, class: rest }),
					...(tick
						? [
								svgEl('rect', {
									x: 7.2,
									width: 1.4,
									height: 12,
									style: 'fill:var(--ink)',
								}),
							]
						: []),
				]),
				word,
			);
		out = [
			span('less'),
			scale,
			span('more'),
			span(MINUS + '50' + THIN + '% … +50' + THIN + '%'),
			part('added', 'd6', 'more', true),
			part('removed', 'd2', 'hless'),
			span(
				doc.z
					? 'grey: within noise, |z| < 2'
					: 'grey: less than 2' + THIN + '%',
			),
		];
	} else if (view.colour === 'kind') {
		out = sumBySelf(i => kindOf(i) || 'none').map(([k, v]) =>
			span(swatch('k-' + k), k + ' ' + percentText(v, wide[0])),
		);
		if (cutSelf())
			out.push(span(swatch('small'), 'small ' + percentText(cutSelf(), wide[0])));
	} else if (view.colour === 'package') {
		out = sumBySelf(i => packageOf(nameParts(doc.frame[i])))
			.slice(0, W < 1176 ? 3 : 6)
			.map(([k, v]) =>
				span(
					swatch(k ? 'p' + (hashOf(k) % 12) : 'k-none'),
					(k.length > 24
						? k.split('/').slice(-2).join('/')
						: k || '(none)') +
						' ' +
						percentText(v, wide[0]),
				),
			);
	} else {
		out = [span('hue: package, shade: function')];
	}
	legend.replaceChildren(...out);
}

function shortName(i, room) {
	if (i === 0) return 'all';
	const f = doc.frame[i] === CUT ? null : fitName(nameParts(doc.frame[i]), room);
	return f ? f.join('') : nameOf(i);
}

function drawCrumbs() {
	const crumb = i =>
		el('button', { type: 'button', 'data-zoom': i, title: nameOf(i) }, [
			shortName(i, 22),
		]);
	const between = list => list.flatMap((e, k) => (k ? [el('i', {}, ['›']), e] : [e]));
	let out;
	if (view.message) {
		out = [el('span', { role: 'alert' }, [view.message])];
	} else if (view.sandwich >= 0) {
		out = between([
			el('button', { type: 'button', 'data-zoom': 0 }, ['all']),
			el('b', {}, [
				'callers and callees of ' +
					fitName(nameParts(view.sandwich), 60).join(''),
			]),
		]);
	} else if (view.zoom) {
		const path = pathOf(view.zoom),
			last = path.pop();
		const n = size.phone ? 1 : Math.max(1, Math.floor((size.W - 480) / 210));
		const list =
			path.length > n + 1
				? [crumb(0), el('span', {}, ['…']), ...path.slice(-n).map(crumb)]
				: path.map(crumb);
		out = between([...list, el('b', { title: nameOf(last) }, [shortName(last, 34)])]);
	} else if (size.touch) {
		out = [
			el('span', {}, [
				view.search
					? 'Matches are violet; ⌄ goes to the next'
					: 'Tap a frame for details, again to zoom',
			]),
		];
	} else {
		out = [
			el('span', {}, [
				'Click a frame to zoom · ',
				el('kbd', {}, ['/']),
				' search · ',
				el('kbd', {}, ['?']),
				' all keys',
			]),
		];
	}
	crumbs.replaceChildren(...out);
}

function drawTools() {
	const rest = !view.zoom && !view.search && view.sandwich < 0;
	for (const b of [...tools.children, ...dock.children]) {
		const act = b.getAttribute('data-act'),
			word = b.querySelector('span');
		if (act === 'flip') {
			word.textContent = view.flame ? 'Icicle' : 'Flame';
			b.disabled = view.sandwich >= 0;
		}
		if (act === 'callers') {
			b.setAttribute('aria-pressed', String(view.sandwich >= 0));
			b.disabled = view.sandwich < 0 && functionHere() < 0;
		}
		if (act === 'help') b.setAttribute('aria-pressed', String(view.help));
		if (act === 'colour') b.style.display = doc.diff ? 'none' : '';
		if (act === 'reset') b.disabled = rest;
		if (size.phone || root.classList.contains('mid'))
			b.setAttribute('aria-label', word.textContent);
		b.title = act === 'colour' ? 'Coloured by ' + view.colour : '';
	}
}

const KEYS = [
	['← →', 'neighbour'],
	['↓ ↑', 'widest callee, caller'],
	['Home End', 'first, last on the level'],
	['Enter', 'zoom'],
	['Esc', 'one step back'],
	['0', 'whole graph'],
	['/', 'search'],
	['n N', 'next, previous match'],
	['i', 'flame or icicle'],
	['s', 'callers and callees (or Ctrl-click)'],
	['c', 'colours'],
	['t d', 'next sample type, document'],
	['y', 'copy the stack'],
	['?', 'this list'],
];

function drawHelp() {
	helpBox.setAttribute('height', view.help ? 480 : 0);
	helpBox.style.display = view.help ? '' : 'none';
	if (!view.help || help.firstChild) return;
	help.append(
		el('div', { class: 'hp', role: 'dialog', 'aria-label': 'Keys' }, [
			el('b', {}, ['Keys']),
			...KEYS.flatMap(([k, what]) => [
				el(
					'span',
					{},
					k
						.split(' ')
						.flatMap((s, n) =>
							n
								? [' ', el('kbd', {}, [s])]
								: [el('kbd', {}, [s])],
						),
				),
				el('span', {}, [what]),
			]),
		]),
	);
}

/* How often a function occurs and what it sums to, outermost boxes only. */
function everywhere(i) {
	const f = doc.frame[i];
	let sum = 0,
		places = 0;
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
	const share = (v, all) => (all ? (100 * v) / all : 0);
	const d = share(rawTarget(i), rawTarget(0)) - share(base(i), base(0));
	return (
		(Math.abs(d) < 0.005 ? '0' : (d > 0 ? '+' : MINUS) + Math.abs(d).toFixed(2)) +
		' points'
	);
}

function cellsOf(b) {
	const i = b.i,
		v = b.v === undefined ? base(i) : b.v;
	if (b.few)
		return [
			['total', valueText(b.share, unit())],
			['of all', percentText(b.share, wide[0])],
		];
	if (doc.diff && b.v === undefined)
		return [
			[doc.sides[0], valueText(base(i), unit())],
			[doc.sides[1], valueText(rawTarget(i), unit())],
			['change', pointsText(i)],
			[
				'relative',
				stepOf(i) || !doc.z || i === 0 ? changeText(i) : 'within noise',
			],
			...(doc.z && doc.z[i] !== null
				? [['z', doc.z[i].toFixed(1).replace('-', MINUS)]]
				: []),
		];
	const cells = [
		['total', valueText(v, unit())],
		['of all', percentText(v, wide[0])],
	];
	if (b.v !== undefined)
		return b.mid
			? cells.concat([['paths', groups(laid.sites)]])
			: cells.concat([['of function', percentText(v, laid.total)]]);
	if (view.zoom) cells.push(['of view', percentText(v, wide[view.zoom])]);
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
	return (
		hovered ||
		currentMatch() ||
		(view.ring && boxOf(view.focus)) ||
		boxes.find(b => b.mid) ||
		boxOf(view.zoom) ||
		boxes[0]
	);
}

function drawDetails() {
	const b = detailBox();
	if (!b) {
		fullName.textContent = '';
		numbers.replaceChildren();
		bar.style.width = selfBar.style.width = '0';
		return;
	}
	const i = b.i,
		f = doc.frame[i],
		v = b.few ? b.share : b.v === undefined ? wide[i] : b.v;
	let name = [nameOf(i)];
	if (b.few) {
		name = [groups(b.few) + ' small frames called by ' + nameOf(i)];
	} else if (i) {
		const p = nameParts(f),
			fit = fitName(p, 1e6);
		/* The name in full; its parts are set off where cleaning changed nothing. */
		if (fit && fit.join('') === nameOf(i))
			name = [el('em', {}, [fit[0]]), fit[1], el('em', {}, [fit[2]])];
		if (kindOf(i)) name.push(el('small', {}, [kindOf(i)]));
		if (DATA.place && DATA.place[f]) name.push(el('q', {}, [DATA.place[f]]));
	}
	fullName.replaceChildren(...name);
	numbers.replaceChildren(
		...cellsOf(b).map(([k, t]) =>
			el('div', {}, [el('span', {}, [k]), ' ', el('b', {}, [t])]),
		),
	);
	bar.style.width = (100 * v) / (wide[0] || 1) + '%';
	selfBar.style.width =
		doc.diff || b.few || b.v !== undefined
			? '0'
			: (100 * Math.abs(doc.self[view.pair][i])) / (wide[0] || 1) + '%';
}
