/* The picture as a whole: drawing all of it, what can be done, the address, input. */
/* --- the whole --- */

const printing = matchMedia('print');

/* Header and details stay in the window while the frames scroll; on paper, at the ends. */
function stick() {
	const H = +root.getAttribute('height'),
		r = standalone ? { top: -window.scrollY } : root.getBoundingClientRect();
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

	const flip = view.flame && view.sandwich < 0,
		gap = 4,
		line = doc.notes ? 22 : 0;
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
	if (!b) return;
	const r = root.getBoundingClientRect(),
		y = b.top + frames.top + r.top;
	if (y < size.head + 2 || y + b.h > window.innerHeight - size.foot)
		window.scrollBy(0, y - (window.innerHeight + size.head - size.foot) / 2);
}

function zoomTo(i) {
	view.zoom = i;
	view.sandwich = -1;
	view.current = 0;
	view.message = '';
	if (!isInside(view.focus, i)) view.focus = i;
	draw();
	reveal(boxOf(i));
}

function focusOn(b) {
	if (!b) return;
	const old = layer.querySelector('[tabindex]');
	if (old) old.removeAttribute('tabindex');
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
	if (i && doc.frame[i] !== CUT) return doc.frame[i];
	/* Nothing chosen: the widest callee of the view that is not alone. */
	let best = -1;
	for (let c = 1; c < doc.n; c = doc.end[c])
		if (doc.frame[c] !== CUT && (best < 0 || wide[c] > wide[best])) best = c;
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
	const path = namePath(view.zoom),
		name = view.sandwich >= 0 ? DATA.names[view.sandwich] : '';
	view.doc = k;
	view.pair = pair;
	setView();
	view.zoom = findPath(path)[0];
	view.focus = view.zoom;
	view.current = 0;
	view.message = '';
	if (name && !doc.frame.includes(view.sandwich)) view.sandwich = -1;
	if (view.colour === 'kind' && !doc.kinds) view.colour = firstColour();
	draw();
}

function copyText(text) {
	const done = ok => {
		view.message = ok
			? 'Copied: ' + (text.length > 80 ? text.slice(0, 80) + '…' : text)
			: 'The browser does not let this page copy.';
		said.textContent = view.message;
		drawCrumbs();
		view.message = '';
	};
	if (navigator.clipboard && window.isSecureContext)
		navigator.clipboard.writeText(text).then(
			() => done(true),
			() => done(copyOld(text)),
		);
	else done(copyOld(text));
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
		const list = docs.some(d => d.kinds)
			? ['name', 'package', 'kind']
			: ['name', 'package'];
		view.colour = list[(list.indexOf(view.colour) + 1) % list.length];
		draw();
	},
	copy() {
		const b = detailBox();
		if (b) copyText(namePath(b.i).join(';') || 'all');
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
	return encodeURIComponent(s).replace(/%(2F|3A|2C|40|24)/g, (m, h) =>
		String.fromCharCode(parseInt(h, 16)),
	);
}

function writeUrl() {
	if (!standalone) return;
	const q = [];
	if (view.doc) q.push('d=' + encode(doc.name));
	if (view.pair !== doc.shown) q.push('t=' + encode(doc.types[view.pair].join('/')));
	if (view.zoom) q.push('z=' + namePath(view.zoom).map(encode).join(';'));
	if (view.search) q.push('s=' + encode(view.search));
	if (view.sandwich >= 0) q.push('f=' + encode(DATA.names[view.sandwich]));
	if (view.colour !== firstColour()) q.push('c=' + view.colour);
	if (view.flame !== DATA.flame) q.push(view.flame ? 'flame' : 'icicle');
	const hash = q.length ? '#' + q.join('&') : '';
	if (hash === location.hash) return;
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
	const q = new Map(
		location.hash
			.slice(1)
			.split('&')
			.map(p => {
				const at = p.indexOf('=');
				return at < 0 ? [p, ''] : [p.slice(0, at), p.slice(at + 1)];
			}),
	);
	const named = k => (q.has(k) ? decode(q.get(k)) : null);
	const d = docs.findIndex(x => x.name === named('d'));
	view.doc = d < 0 ? 0 : d;
	const t = docs[view.doc].types.findIndex(
		x => x.join('/') === named('t') || x[0] === named('t'),
	);
	view.pair = t < 0 ? docs[view.doc].shown : t;
	setView();
	const [zoom, found] = findPath(
		(q.get('z') || '')
			.split(';')
			.filter(s => s)
			.map(decode),
	);
	view.zoom = view.focus = found ? zoom : 0;
	view.message = found ? '' : 'The linked frame is not in this picture.';
	view.search = input.value = named('s') || '';
	view.sandwich = -1;
	if (q.has('f')) {
		view.sandwich = DATA.names.findIndex(
			(n, f) => n === named('f') && doc.frame.includes(f),
		);
		if (view.sandwich < 0) view.message = 'The linked frame is not in this picture.';
	}
	view.colour = ['name', 'kind', 'package'].includes(named('c')) ? named('c') : firstColour();
	view.flame = q.has('flame') || (DATA.flame && !q.has('icicle'));
}

/* --- input --- */

function boxAt(e) {
	const f = e.target.closest && e.target.closest('.f');
	return (f && f.box) || null;
}

function choose(b, touch) {
	if (view.sandwich >= 0) {
		if (!b.mid) openSandwich(doc.frame[b.i]);
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
		if ((e.ctrlKey || e.metaKey) && !b.few && b.i > 0) openSandwich(doc.frame[b.i]);
		else choose(b, e.pointerType === 'touch');
		return;
	}
	at('data-act', a => {
		ACTIONS[a]();
		return true;
	}) ||
		at('data-zoom', i => {
			zoomTo(+i);
			return true;
		}) ||
		at('data-pair', k => {
			showDoc(view.doc, +k);
			switches.querySelector('[data-pair="' + k + '"]').focus();
			return true;
		});
});

root.addEventListener('change', e => {
	const pick = e.target.getAttribute('data-pick');
	if (pick === 'doc') showDoc(+e.target.value, docs[+e.target.value].shown);
	else if (pick === 'pair') showDoc(view.doc, +e.target.value);
	if (pick) switches.querySelector('[data-pick="' + pick + '"]').focus();
});

let twins = [];

function hover(b) {
	if (b === hovered) return;
	hovered = b;
	for (const t of twins) t.el.classList.remove('twin');
	twins =
		b && !b.few && !b.more && b.i > 0
			? (byFrame.get(doc.frame[b.i]) || []).filter(t => t !== b)
			: [];
	for (const t of twins) t.el.classList.add('twin');
	drawRings();
	drawDetails();
}

root.addEventListener('pointerover', e => {
	if (e.pointerType !== 'touch') hover(boxAt(e));
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
	if (doc.n > 5000) waiting = setTimeout(go, 80);
	else go();
});

/* The neighbour of a box on its level, by position: boxes of one row in order. */
function onLevel(b) {
	return boxes.filter(o => o.row === b.row && !o.few && !o.more).sort((x, y) => x.x - y.x);
}

function widestBelow(b) {
	const below = boxes.filter(
		o => o.row === b.row + 1 && !o.few && !o.more && o.x > b.x - 0.5 && o.x < b.x + b.w,
	);
	return below.sort((x, y) => y.w - x.w)[0];
}

function callerOf(b) {
	return boxes.find(
		o =>
			o.row === b.row - 1 &&
			!o.few &&
			o.x < b.x + 0.5 &&
			o.x + o.w > b.x + b.w - 0.5,
	);
}

function move(key) {
	const b = boxOf(view.focus) || boxOf(view.zoom) || boxes[0];
	if (!b) return;
	if (!view.ring) {
		focusOn(b);
		if (!/^Arrow/.test(key)) return;
	}
	const level = onLevel(b),
		at = level.indexOf(b),
		flip = view.flame && view.sandwich < 0;
	const to = {
		ArrowLeft: () => level[at - 1],
		ArrowRight: () => level[at + 1],
		Home: () => level[0],
		End: () => level[level.length - 1],
		ArrowDown: () => (flip ? callerOf(b) : widestBelow(b)),
		ArrowUp: () => (flip ? widestBelow(b) : callerOf(b)),
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
	0: () => ACTIONS.reset(),
	'/': () => input.focus(),
	n: () => step(1),
	N: () => step(-1),
	i: () => ACTIONS.flip(),
	c: () => doc.diff || ACTIONS.colour(),
	s: () => ACTIONS.callers(),
	y: () => ACTIONS.copy(),
	'?': () => ACTIONS.help(),
	t: () => showDoc(view.doc, (view.pair + 1) % doc.types.length),
	d: () =>
		docs.length > 1 &&
		showDoc((view.doc + 1) % docs.length, docs[(view.doc + 1) % docs.length].shown),
	Escape: back,
	Enter: () => enter(),
	' ': () => enter(),
};

function enter() {
	const b = boxOf(view.focus);
	if (b && view.ring) choose(b, false);
	if (layer.contains(document.activeElement) || boxOf(view.focus)) focusOn(boxOf(view.focus));
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
	if (e.ctrlKey || e.altKey || e.metaKey || e.isComposing) return;
	if (e.key === 'Escape') {
		back();
		return;
	}
	if (e.target === input && e.key === 'Enter') step(e.shiftKey ? -1 : 1);
	if (control) return;
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
let width = 0,
	height = 0;
window.addEventListener('resize', () => {
	/* Phones fire this while scrolling, as their bars come and go. */
	if (window.innerWidth !== width || Math.abs(window.innerHeight - height) > 120) draw();
	else stick();
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
if (view.flame && standalone) window.scrollTo(0, root.getBoundingClientRect().height);
