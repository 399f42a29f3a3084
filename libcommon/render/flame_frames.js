/* The frames: where they lie, how they are drawn, which of them match. */
/* --- layout --- */

/* The zoomed frame takes the width; of its callers the last three are drawn. */
function layoutZoom() {
	const out = [],
		W = size.W,
		above = pathOf(view.zoom).slice(0, -1);
	const shown = above.length > 4 ? above.slice(-3) : above;
	let row = 0;
	if (above.length > 4)
		out.push({
			x: 0,
			w: W,
			row: row++,
			i: above[above.length - 4],
			anc: true,
			more: above.length - 3,
		});
	for (const i of shown) out.push({ x: 0, w: W, row: row++, i, anc: true });

	const px = W / (wide[view.zoom] || 1),
		at = new Float64Array(doc.n);
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
		let few = 0,
			w = 0;
		for (let c = b.i + 1; c < doc.end[b.i]; c = doc.end[c]) {
			if ((wide[c] * px >= 1.5 && doc.frame[c] !== CUT) || wide[c] === 0)
				continue;
			w += wide[c] * px;
			for (let k = c; k < doc.end[c]; k++) few += wide[k] > 0 ? doc.count[k] : 0;
		}
		if (w >= 1) out.push({ x: at[b.i], w, row: b.row + 1, i: b.i, few, share: w / px });
	}
	return { boxes: out, rows: out.reduce((m, b) => Math.max(m, b.row + 1), 0) };
}

/* Callers above, callees below, merged over the outermost occurrences of a function. */
function layoutSandwich() {
	const f = view.sandwich,
		up = { v: 0, kids: new Map() },
		down = { v: 0, kids: new Map() };
	const out = [];
	let sites = 0;
	const child = (n, frame, i, v) => {
		let c = n.kids.get(frame);
		if (!c) n.kids.set(frame, (c = { i, v: 0, kids: new Map() }));
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
			if (k.v !== n.v) return 0;
			n = k;
			c++;
		}
		return n.kids.size ? 0 : c;
	};
	const place = (top, dir) => {
		const stack = [[top, 0, 1]];
		while (stack.length) {
			const [n, x0, row] = stack.pop(),
				c = dir < 0 && row > 2 ? chain(n) : 0;
			if (c > 2) {
				out.push({
					x: x0,
					w: n.v * px,
					row: -row,
					i: n.i,
					v: n.v,
					more: c,
				});
				continue;
			}
			let x = x0;
			for (const k of [...n.kids.values()].sort(
				(a, b) => b.v - a.v || a.i - b.i,
			)) {
				if (k.v * px >= 1.5) {
					out.push({
						x,
						w: k.v * px,
						row: row * dir,
						i: k.i,
						v: k.v,
					});
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
	for (const b of out) b.row -= first;
	return {
		boxes: out,
		rows: out.reduce((m, b) => Math.max(m, b.row + 1), 0),
		mid: -first,
		sites,
		total: up.v,
	};
}

/* --- drawing --- */

function fillOf(i) {
	if (i === 0) return 'root';
	if (doc.diff) return 'd' + (4 + stepOf(i));
	const f = doc.frame[i],
		p = nameParts(f);
	if (p.fills === undefined) p.fills = { hash: hashOf(DATA.names[f]), package: packageOf(p) };
	if (view.colour === 'kind')
		return 'k-' + (kindOf(i) || 'none') + ['', '-a', '-b'][p.fills.hash % 3];
	if (view.colour === 'package')
		return p.fills.package ? 'p' + (hashOf(p.fills.package) % 12) : 'k-none';
	return (
		'n' +
		((p.fills.package ? hashOf(p.fills.package) : p.fills.hash) % 6) +
		(p.fills.hash % 4)
	);
}

function labelOf(b, room, w) {
	const i = b.i,
		step = doc.diff && !b.anc && !b.mid ? stepOf(i) : 0;
	const sign = !doc.diff && base(i) < 0 ? MINUS : '';
	const p = i
		? nameParts(doc.frame[i])
		: { segs: [], quals: [], fn: 'all', args: '', sep: '.', join: '.' };
	let change = step ? changeText(i) : '';
	if (change && room < columns(p.fn) + columns(change) + 1) {
		change = arrowOf(step);
		if (room < columns(p.fn) + 2) change = '';
	}
	if (change) room -= columns(change) + 1;
	const fit = fitName(p, room - sign.length);
	if (!fit) return step && w >= 12 ? { middle: arrowOf(step) } : null;
	return { fit, sign, change };
}

function textAt(x, y, className, children) {
	return svgEl('text', { x, y, class: className || null }, children);
}

function put(list, className, x, w, h, rx) {
	list.push(
		svgEl('rect', {
			class: className,
			x: x ? x.toFixed(2) : null,
			width: Math.max(0, w).toFixed(2),
			height: h,
			rx: rx || null,
		}),
	);
}

/* The parts of a differential box: common, then added behind a tick or removed. */
function putDiff(list, i, w, h, rx) {
	const a = base(i),
		b = target(i),
		step = stepOf(i);
	if (a !== 0 && b === 0) return put(list, 'b gone', 0, w, h, rx);
	if (step === 0) return put(list, 'b ' + fillOf(i), 0, w, h, rx);
	put(list, step > 0 ? 'b more' : 'b hless', 0, w, h, rx);
	if (a < 0 || b < 0) return undefined;
	const common = (w * Math.min(a, b)) / Math.max(a, b);
	if (common > 0) put(list, 'o ' + fillOf(i), 0, common, h, rx);
	if (step > 0) put(list, 'tick', Math.max(0, common - 0.7), 1.4, h);
	return undefined;
}

function boxElement(b) {
	const i = b.i,
		w = Math.max(b.w - 1, b.w * 0.7),
		kind = kindOf(i),
		list = [];
	const byKind = view.colour === 'kind' && !doc.diff && i > 0 && !b.few;
	const flush = byKind && kind === 'inlined' && !b.anc && view.sandwich < 0;
	const h = size.row - 1 + (flush ? 1 : 0),
		rx = w < 4 ? 0 : size.touch ? 3 : 2;
	const y = b.y - (flush && !view.flame ? 1 : 0),
		ty = Math.round((size.row - 1) / 2 + size.font * 0.35) + (b.y - y);
	const bar = byKind && !b.anc && CLASSES[DATA.class[doc.frame[i]]] === 'kernel' && w >= 24;
	const room = Math.floor((w - 8 - (bar ? 2 : 0)) / size.column);
	b.hit = !b.few && !b.more && i > 0 && matches.has(doc.frame[i]);
	const names = ['f'];
	for (const [name, on] of [
		['anc', b.anc],
		['mid', b.mid],
		['rest', b.more],
		['hit', b.hit],
		['lo', doc.diff || b.few || i === 0],
	])
		if (on) names.push(name);

	if (b.few || b.more) put(list, 'b small', 0, w, h, rx);
	else if (doc.diff && !b.anc && !b.mid && i > 0) putDiff(list, i, w, h, rx);
	else put(list, 'b ' + fillOf(i), 0, w, h, rx);
	if (!doc.diff && !b.few && !b.more && base(i) < 0) put(list, 'neg', 0, w, h, rx);
	if (bar) put(list, 'tick', 0, 2.5, h);

	if (b.few) {
		const words = groups(b.few) + ' small';
		if (room >= words.length) list.push(textAt(4, ty, 'm', [words]));
	} else if (b.more) {
		const words = ['… ' + b.more + ' more callers', '… ' + b.more, '…'].find(
			s => s.length <= room,
		);
		if (words) list.push(textAt(4.5, ty, '', [words]));
	} else if (room > 0 || doc.diff) {
		const l = labelOf(b, room, w);
		if (l && l.middle) {
			list.push(
				svgEl(
					'text',
					{
						class: 'dl',
						x: (w / 2).toFixed(2),
						y: ty,
						'text-anchor': 'middle',
					},
					[l.middle],
				),
			);
		} else if (l) {
			const t = (s, c) => (s ? [c ? svgEl('tspan', { class: c }, [s]) : s] : []);
			list.push(
				textAt(bar ? 6 : 4.5, ty, '', [
					...t(l.sign),
					...t(l.fit[0], 'm'),
					...t(l.fit[1]),
					...t(l.fit[2], 'm'),
					...t(l.change && ' ' + l.change, 'dl'),
				]),
			);
		}
	}
	b.h = h;
	b.top = y;
	b.px = w;
	b.el = svgEl(
		'svg',
		{
			class: names.join(' '),
			x: b.x.toFixed(2),
			y,
			width: w.toFixed(2),
			height: h,
			role: 'treeitem',
			'aria-level': b.row + 1,
		},
		list,
	);
	b.el.box = b;
	return b.el;
}

/* Ten thousand descriptions that nobody hears are left out until one is needed. */
function describe(b) {
	if (!b.el.hasAttribute('aria-label')) b.el.setAttribute('aria-label', speech(b));
}

function speech(b) {
	if (b.few) return b.few + ' small frames, ' + percentText(b.share, wide[0]);
	if (doc.diff)
		return (
			nameOf(b.i) +
			', ' +
			doc.sides[0] +
			' ' +
			valueText(base(b.i), unit()) +
			', ' +
			doc.sides[1] +
			' ' +
			valueText(rawTarget(b.i), unit()) +
			(stepOf(b.i) ? ', ' + changeText(b.i) : '')
		);
	const v = b.v === undefined ? base(b.i) : b.v;
	return (
		nameOf(b.i) +
		', ' +
		valueText(v, unit()) +
		' ' +
		doc.types[view.pair][0] +
		', ' +
		percentText(v, wide[0]).replace(THIN + '%', ' percent')
	);
}

let laid = null,
	byFrame = new Map();

function drawFrames() {
	const focused = layer.contains(document.activeElement);
	laid =
		wide[0] === 0
			? { boxes: [], rows: 1 }
			: view.sandwich >= 0
				? layoutSandwich()
				: layoutZoom();
	boxes = laid.boxes;
	byFrame = new Map();
	const flip = view.flame && view.sandwich < 0;
	for (const b of boxes) {
		const air =
			laid.mid === undefined
				? 0
				: b.row > laid.mid
					? 34
					: b.row === laid.mid
						? 26
						: 18;
		b.y = (flip ? laid.rows - 1 - b.row : b.row) * size.row + air;
	}
	layer.replaceChildren(...boxes.map(boxElement));
	for (const b of boxes) {
		if (b.few || b.more || b.i === 0) continue;
		const f = doc.frame[b.i];
		if (byFrame.has(f)) byFrame.get(f).push(b);
		else byFrame.set(f, [b]);
	}
	if (boxes.length < 5000) boxes.forEach(describe);
	if (view.sandwich >= 0)
		layer.prepend(
			svgEl('text', { class: 'cap', x: 0, y: 11 }, [
				'callers ↑ (' +
					laid.sites +
					(laid.sites === 1 ? ' call path)' : ' call paths)'),
			]),
		);
	if (wide[0] === 0) layer.replaceChildren(...emptyText());
	frames.classList.toggle('search', !!view.search && !searchError);
	const at = boxOf(view.focus) || boxes.find(b => b.i === view.zoom && !b.few) || boxes[0];
	if (at) {
		at.el.setAttribute('tabindex', '0');
		if (focused) at.el.focus({ preventScroll: true });
	}
	drawRings();
}

function emptyText() {
	const lines = ['No samples for ' + doc.types[view.pair].join('/') + '.'];
	const other = doc.types
		.map((t, k) => [t, widthsOf(doc, k)[0], totalsOf(doc, k)[0]])
		.filter(o => o[1] > 0);
	if (other.length)
		lines.push(
			'This profile also has ' +
				other
					.map(o => o[0].join('/') + ': ' + valueText(o[2], o[0][1]))
					.join(', ') +
				'.',
		);
	return lines.map((s, k) => svgEl('text', { class: 'facts', x: 0, y: 20 + 20 * k }, [s]));
}

/* The box of a node itself, not of its callers' row or its small children. */
function boxOf(i) {
	return boxes.find(b => b.i === i && !b.few && !b.more);
}

function ring(className, b, inside) {
	const d = inside ? 0.75 : 0,
		out = [
			svgEl('rect', {
				class: className,
				x: (b.x + d).toFixed(2),
				y: b.top + d,
				width: Math.max(0, b.px - 2 * d).toFixed(2),
				height: b.h - 2 * d,
				rx: b.px < 4 ? 0 : 2,
			}),
		];
	if (!inside && b.px > 6)
		out.push(
			svgEl('rect', {
				class: 'inner',
				x: (b.x + 1.75).toFixed(2),
				y: b.top + 1.75,
				width: (b.px - 3.5).toFixed(2),
				height: b.h - 3.5,
				rx: 1,
			}),
		);
	return out;
}

function drawRings() {
	const out = [],
		current = currentMatch();
	if (hovered) out.push(...ring('hover', hovered, true));
	if (current) out.push(...ring('current', current));
	if (view.ring && boxOf(view.focus)) out.push(...ring('focus', boxOf(view.focus)));
	rings.replaceChildren(...out);
}

/* --- search --- */

let matches = new Set(),
	searchError = '',
	ordered = [];

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
				const re = new RegExp(
					view.search,
					/[A-Z]/.test(view.search) ? '' : 'i',
				);
				DATA.names.forEach((n, f) => re.test(n) && matches.add(f));
			} catch (e) {
				searchError = e.message.replace(/^.*: /, '');
			}
		}
	}
	ordered = [];
	for (let i = 1; i < doc.n && matches.size; i++)
		if (matches.has(doc.frame[i]) && wide[i] > 0) ordered.push(i);
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
	if (!view.search || view.sandwich >= 0) return null;
	const here = matchesHere();
	return here.length ? boxOf(here[view.current % here.length]) : null;
}

function showHits() {
	const parts = [];
	if (searchError) {
		parts.push('✕ ' + searchError);
	} else if (view.search) {
		const n = matchesHere().length;
		if (n === 0) parts.push(el('b', {}, ['none']));
		else
			parts.push(
				el('b', {}, [String((view.current % n) + 1)]),
				'/' + groups(n) + ' · ',
				el('b', {}, [percentText(covered(view.zoom), measure[view.zoom])]),
				view.zoom
					? ' of view · ' +
							percentText(covered(0), measure[0]) +
							' of all'
					: ' of all',
			);
	}
	hits.replaceChildren(...parts);
	hitsBelow.replaceChildren(...parts.map(p => (p.cloneNode ? p.cloneNode(true) : p)));
	field.classList.toggle('bad', !!searchError);
	field.classList.toggle('on', !!view.search);
	steps[0].hidden = steps[1].hidden = !view.search || !!searchError;
	steps[2].hidden = !view.search;
	for (const b of steps) b.style.display = b.hidden ? 'none' : '';
}

function step(by) {
	const n = matchesHere().length;
	if (!ordered.length) return;
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
