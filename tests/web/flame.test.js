'use strict';
const { test, before, after } = require('node:test');
const assert = require('node:assert');
const fs = require('node:fs');
const w = require('./browser.js');

const SMALL = 'main;parse 30\nmain;emit;write 50\nmain;emit;flush 10\nidle 10\n';
const TWO_TYPES = JSON.stringify({
	tree: 1,
	sample_types: [
		{ type: 'objects', unit: 'count' },
		{ type: 'space', unit: 'bytes' },
	],
	labels: { event: 'alloc', service: 'shop' },
	frames: [{ name: 'a' }, { name: 'b' }],
	nodes: {
		parent: [-1, 0, 0],
		frame: [0, 0, 1],
		self: [
			[0, 3, 1],
			[0, 1048576, 3145728],
		],
	},
});
const OTHER = JSON.stringify({
	tree: 1,
	sample_types: [{ type: 'samples', unit: 'count' }],
	labels: { event: 'cpu', service: 'shop' },
	frames: [{ name: 'b' }, { name: 'work' }],
	nodes: { parent: [-1, 0, 1], frame: [0, 0, 1], self: [[0, 0, 7]] },
});
const DIFF = JSON.stringify({
	tree: 1,
	sample_types: [
		{ type: 'samples', unit: 'count' },
		{ type: 'samples', unit: 'count' },
	],
	labels: { event: 'cpu' },
	frames: ['down', 'gone', 'new', 'noise', 'up'].map(name => ({ name })),
	nodes: {
		parent: [-1, 0, 0, 0, 0, 0],
		frame: [0, 0, 1, 2, 3, 4],
		self: [
			[0, 400, 100, 0, 300, 200],
			[0, 200, 0, 100, 330, 400],
		],
	},
	sides: [{ name: 'base' }, { name: 'target' }],
	norm: 'none',
	scale: [1],
	marks: { z: [0, -8, -10, 10, 1.2, 8] },
});

before(w.start);
after(w.stop);

// The pure functions of the script, to be held to the same words as the library's.
function functions() {
	const source = fs.readFileSync('libcommon/render/flame_label.js', 'utf8');
	return new Function(
		source +
			'\nreturn { parseName, fitName, packageOf, hashOf, valueText, percentText };',
	)();
}

function label(f, name, room) {
	const fit = f.fitName(f.parseName(name), room);
	return fit ? fit.join('') : '-';
}

test('labels: the table of widths', () => {
	const f = functions();
	const [head, ...rows] = fs
		.readFileSync('tests/fixtures/svg/labels.tsv', 'utf8')
		.trim()
		.split('\n')
		.map(l => l.split('\t'));
	for (const [name, ...want] of rows)
		want.forEach((s, k) =>
			assert.strictEqual(
				label(f, name, +head[k + 1]),
				s === '=' ? name : s,
				name + ' in ' + head[k + 1],
			),
		);
	assert.strictEqual(f.hashOf('main.load.func1'), 0x5ac05e81);
	assert.strictEqual(f.hashOf('github.com/google/btree.(*node).iterate'), 0x8751d97f);
	assert.strictEqual(
		f.packageOf(f.parseName('github.com/google/btree.(*node).iterate')),
		'github.com/google/btree',
	);
});

test('labels and numbers: library and script agree on a thousand odd names', () => {
	const f = functions(),
		parts = [
			'::',
			'.',
			'/',
			'(',
			')',
			'<',
			'>',
			'[',
			']',
			'{',
			'}',
			' ',
			'$',
			'a',
			'Foo',
			'bar',
			'v2',
			'(*T)',
			'operator',
			'func1',
			'数据',
			'🔥',
			'é',
			'-',
			'->',
			'$$Lambda',
			'0x12ab',
			'12',
			' as ',
			'const',
			'(anonymous namespace)',
			'.isra.0',
			'...',
			'so',
			'::h0123456789abcdef',
		];
	let seed = 7;
	const next = n => (((seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) / 65536) % n) | 0;
	const names = new Set();
	while (names.size < 1000)
		names.add(
			Array.from({ length: 1 + next(9) }, () => parts[next(parts.length)])
				.join('')
				.trim() + names.size,
		);
	const list = [...names],
		values = list.map((n, i) => 1 + next(1000) * (i % 7 === 0 ? 997 : 1));
	const svg = w.run(
		'flamesvg',
		['--min-width', '0', '-'],
		JSON.stringify({
			tree: 1,
			sample_types: [{ type: 'cpu', unit: 'nanoseconds' }],
			frames: list.map(name => ({ name })),
			nodes: {
				parent: [-1, ...list.map(() => 0)],
				frame: [0, ...list.map((n, i) => i)],
				self: [[0, ...values]],
			},
		}) + '\n',
	);
	const sum = values.reduce((a, b) => a + b, 0);
	const plain = s =>
		s
			.replace(/<[^>]*>/g, '')
			.replace(/&lt;/g, '<')
			.replace(/&gt;/g, '>')
			.replace(/&quot;/g, '"')
			.replace(/&#39;/g, "'")
			.replace(/&amp;/g, '&');
	let seen = 0;
	for (const m of svg.matchAll(
		/<svg class="f" [^>]*><title>(.*?)<\/title><rect class="b (\w+)"[^>]*>(.*?)<\/svg>/g,
	)) {
		const title = plain(m[1]),
			at = title.lastIndexOf(' · '),
			name = title.slice(0, at),
			value = values[list.indexOf(name)];
		const p = f.parseName(name),
			shown = /<text(?: class="[^"]*v2")? x[^>]*>(.*?)<\/text>/.exec(m[3]);
		const room = Math.floor(((value / sum) * 980 - 9) / 7.224);
		assert.strictEqual(
			shown ? plain(shown[1]) : '-',
			label(f, name, room),
			name + ' in ' + room,
		);
		assert.strictEqual(
			m[2],
			'n' + (f.hashOf(f.packageOf(p) || name) % 6) + (f.hashOf(name) % 4),
			name,
		);
		assert.strictEqual(
			title.slice(at + 3),
			f.valueText(value, 'nanoseconds') + ', ' + f.percentText(value, sum),
		);
		seen++;
	}
	assert.strictEqual(seen, 1000);
	for (const name of list) for (let room = 0; room < 60; room += 3) label(f, name, room);
});

for (const width of [390, 800, 1600]) {
	for (const dark of [false, true]) {
		test(`opens at ${width} px, ${dark ? 'dark' : 'light'}`, async () => {
			const file = w.picture('small', SMALL, '--title', 'shop, 14:00');
			await w.withPage(file, { width, dark }, async page => {
				assert.strictEqual(await w.text(page, 'h1'), 'shop, 14:00');
				assert.strictEqual(await w.text(page, '.r1 p'), '100 samples');
				assert.strictEqual(
					await page.evaluate(
						() => document.querySelectorAll('.static').length,
					),
					0,
				);
				const boxes = await w.boxes(page),
					all = boxes[0],
					pad = width < 600 ? 8 : 12;
				assert.strictEqual(all.name, 'all');
				assert.strictEqual(all.x, pad);
				assert.ok(Math.abs(all.w - (width - 2 * pad - 1)) < 0.1);
				for (const b of boxes)
					assert.ok(
						b.x >= pad && b.x + b.w <= width - pad + 0.1,
						b.name,
					);
				const main = await w.box(page, 'main');
				assert.ok(Math.abs(main.w - ((width - 2 * pad) * 0.9 - 1)) < 0.1);
				const paper = await page.evaluate(
					() =>
						getComputedStyle(document.documentElement)
							.backgroundColor,
				);
				assert.strictEqual(
					paper,
					dark ? 'rgb(20, 16, 14)' : 'rgb(251, 250, 247)',
				);
				assert.strictEqual(
					await page.evaluate(
						() =>
							document.documentElement.scrollWidth <=
							window.innerWidth,
					),
					true,
				);
			});
		});
	}
}

test('a click zooms, a click on the zoomed frame goes up, crumbs go anywhere', async () => {
	await w.withPage(w.picture('small', SMALL), {}, async page => {
		const full = (await w.box(page, 'all')).w;
		await w.click(page, 'emit');
		assert.ok(Math.abs((await w.box(page, 'emit')).w - full) < 0.1);
		assert.ok((await w.box(page, 'main')).classes.includes('anc'));
		assert.strictEqual(await w.box(page, 'parse'), undefined);
		assert.strictEqual(await w.hash(page), '#z=main;emit');
		assert.ok(Math.abs((await w.box(page, 'write')).w - ((1176 * 5) / 6 - 1)) < 0.1);
		await w.click(page, 'emit');
		assert.strictEqual(await w.hash(page), '#z=main');
		await w.click(page, 'write');
		assert.strictEqual(await w.text(page, '.crumbs'), 'all›main›emit›write');
		await page.click('.crumbs button:has-text("main")');
		assert.strictEqual(await w.hash(page), '#z=main');
		await page.click('.tools [data-act=reset]');
		assert.strictEqual(await w.hash(page), '');
		assert.ok(await page.isDisabled('.tools [data-act=reset]'));
	});
});

test('of a long way only the last three callers are drawn', async () => {
	const names = Array.from({ length: 30 }, (_, i) => 'f' + i);
	await w.withPage(
		w.picture('deep', names.join(';') + ' 1\n'),
		{ hash: '#z=' + names.join(';') },
		async page => {
			const labels = (await w.boxes(page)).map(b => b.label);
			assert.deepStrictEqual(labels, [
				'… 27 more callers',
				'f26',
				'f27',
				'f28',
				'f29',
			]);
			const rest = (await w.boxes(page))[0];
			await page.mouse.click(rest.x + 20, rest.y + 5);
			assert.strictEqual((await w.hash(page)).split(';').length, 26);
		},
	);
});

test('keys: move, zoom, back, whole graph', async () => {
	await w.withPage(w.picture('small', SMALL), {}, async page => {
		const focused = () =>
			page.evaluate(
				() =>
					(
						document.activeElement.getAttribute('aria-label') ||
						''
					).split(', ')[0],
			);
		const press = async (...keys) => {
			for (const k of keys) await page.keyboard.press(k);
		};
		await press('ArrowDown', 'ArrowDown');
		assert.strictEqual(await focused(), 'emit');
		assert.strictEqual(
			await page.evaluate(
				() => document.querySelectorAll('.rings .focus').length,
			),
			1,
		);
		await press('ArrowRight');
		assert.strictEqual(await focused(), 'parse');
		await press('Home');
		assert.strictEqual(await focused(), 'emit');
		await press('ArrowUp', 'ArrowLeft');
		assert.strictEqual(await focused(), 'idle');
		await press('End', 'ArrowDown', 'Enter');
		assert.strictEqual(await w.hash(page), '#z=main;emit');
		assert.strictEqual(await focused(), 'emit');
		assert.match(await w.text(page, '.said'), /^emit, 60 samples, 60\.0 percent$/);
		await press('Escape');
		assert.strictEqual(await w.hash(page), '#z=main');
		await press('0');
		assert.strictEqual(await w.hash(page), '');
		await press('?');
		assert.ok((await w.text(page, '.hp')).includes('flame or icicle'));
		await press('Escape');
		assert.strictEqual(
			await page.evaluate(
				() => document.querySelector('.hp').getClientRects().length,
			),
			0,
		);
		await press('ArrowDown', 'y');
		await page.waitForFunction(() =>
			/^Copied: main/.test(document.querySelector('.crumbs').textContent),
		);
		assert.strictEqual(
			await page.evaluate(() => navigator.clipboard.readText()),
			'main',
		);
		await press('Control+i');
		assert.strictEqual(await w.hash(page), '', "keys with Ctrl are the browser's");
	});
});

test('tab order: search, buttons, then the frames as one stop', async () => {
	await w.withPage(w.picture('small', SMALL), {}, async page => {
		const stops = [];
		for (let i = 0; i < 12; i++) {
			await page.keyboard.press('Tab');
			const stop = await page.evaluate(() => {
				const e = document.activeElement;
				return !e || e === document.documentElement
					? ''
					: e.getAttribute('data-act') ||
							e.localName +
								(e.classList.contains('f')
									? '.f'
									: '');
			});
			if (stops.includes(stop) || !stop) break;
			stops.push(stop);
		}
		assert.ok(
			stops.includes('input') &&
				stops.includes('flip') &&
				stops.includes('svg.f'),
			stops.join(),
		);
		assert.strictEqual(stops.filter(s => s === 'svg.f').length, 1);
	});
});

test('search: live, counted once, bad expressions, next and previous', async () => {
	const text = 'a;hit;b;hit 10\na;hit 10\nc;hit 20\nc;Other 60\n';
	await w.withPage(w.picture('search', text), {}, async page => {
		await page.keyboard.press('/');
		await page.keyboard.type('hit');
		assert.strictEqual(await w.text(page, '.sf .hits'), '1/3 · 40.0 % of all');
		assert.strictEqual(
			(await w.boxes(page)).filter(b => b.classes.includes('hit')).length,
			3,
		);
		await page.keyboard.press('Enter');
		assert.strictEqual(await w.text(page, '.sf .hits'), '2/3 · 40.0 % of all');
		await page.keyboard.press('Shift+Enter');
		await page.keyboard.press('Shift+Enter');
		assert.strictEqual(await w.text(page, '.sf .hits'), '3/3 · 40.0 % of all');
		assert.strictEqual(
			await page.evaluate(
				() => document.querySelectorAll('.rings .current').length,
			),
			1,
		);
		const before = (await w.boxes(page)).length;
		await page.fill('.sf input', 'hit(');
		assert.match(await w.text(page, '.sf .hits'), /^✕ Unterminated group/);
		assert.strictEqual((await w.boxes(page)).length, before);
		assert.strictEqual(
			(await w.boxes(page)).filter(b => b.classes.includes('hit')).length,
			0,
		);
		await page.fill('.sf input', 'other');
		assert.strictEqual(await w.text(page, '.sf .hits'), '1/1 · 60.0 % of all');
		await page.fill('.sf input', 'OTHER');
		assert.strictEqual(await w.text(page, '.sf .hits'), 'none');
		await page.fill('.sf input', 'hit');
		await w.click(page, 'a');
		assert.strictEqual(
			await w.text(page, '.sf .hits'),
			'1/2 · 100 % of view · 40.0 % of all',
		);
		await page.keyboard.press('n');
		assert.strictEqual(
			await w.text(page, '.sf .hits'),
			'2/2 · 100 % of view · 40.0 % of all',
		);
		await page.keyboard.press('Escape');
		assert.strictEqual(await w.typed(page), '');
		assert.strictEqual(await w.hash(page), '#z=a');
		await page.fill('.sf input', 'samples');
		assert.strictEqual(
			await w.text(page, '.sf .hits'),
			'none',
			'names alone are searched',
		);
	});
});

test('sample types: a button each, t goes on', async () => {
	await w.withPage(w.picture('types', TWO_TYPES), {}, async page => {
		assert.strictEqual(await w.text(page, '.r1 p'), '4.00 MiB space');
		assert.ok(Math.abs((await w.box(page, 'b')).w - (1176 * 0.75 - 1)) < 0.1);
		await page.click('.seg button:has-text("objects")');
		assert.strictEqual(await w.text(page, '.r1 p'), '4 objects');
		assert.ok(Math.abs((await w.box(page, 'a')).w - (1176 * 0.75 - 1)) < 0.1);
		assert.strictEqual(await w.hash(page), '#t=objects/count');
		await page.mouse.click(600, 500);
		await page.keyboard.press('Escape');
		await w.blur(page);
		await page.keyboard.press('t');
		assert.strictEqual(await w.text(page, '.r1 p'), '4.00 MiB space');
	});
});

test('documents: a select for them, buttons for the types; d goes on; the path stays', async () => {
	await w.withPage(
		w.picture('docs', TWO_TYPES + '\n' + OTHER),
		{ hash: '#z=b' },
		async page => {
			assert.strictEqual(await w.text(page, 'h1'), 'shop · cpu');
			assert.ok(await w.box(page, 'work'));
			await page.selectOption('[data-pick=doc]', { label: 'alloc' });
			assert.strictEqual(await w.text(page, 'h1'), 'shop · alloc');
			assert.strictEqual(await w.hash(page), '#d=alloc&z=b');
			await page.click('.seg button:has-text("objects")');
			assert.strictEqual(await w.text(page, '.r1 p'), '4 objects');
			await w.blur(page);
			await page.keyboard.press('d');
			assert.strictEqual(await w.text(page, 'h1'), 'shop · cpu');
		},
	);
});

test('the address restores the view, by names', async () => {
	const file = w.picture('names', 'main;a;b;x 3\nmain;p/q::r<s>;y 4\n');
	await w.withPage(
		file,
		{ hash: '#z=main;p/q::r%3Cs%3E&s=y&flame&c=package' },
		async page => {
			assert.strictEqual(await w.typed(page), 'y');
			assert.strictEqual(await w.text(page, '.tools [data-act=flip]'), 'Icicle');
			assert.ok(
				/ p\d+$/.test((await w.box(page, 'y')).fill) ||
					(await w.box(page, 'y')).fill.includes('k-none'),
			);
			assert.ok((await w.box(page, 'main')).classes.includes('anc'));
			await page.evaluate(() => {
				location.hash = '#f=x';
			});
			await page.waitForFunction(() => document.querySelector('.live .mid'));
		},
	);
	await w.withPage(file, { hash: '#z=main;nowhere' }, async page => {
		assert.strictEqual(
			await w.text(page, '.crumbs'),
			'The linked frame is not in this picture.',
		);
	});
	const odd = w.picture('odd', 'semi\\;colon;in 1\n', '-i', 'folded');
	await w.withPage(odd, {}, async page => {
		await page.keyboard.press('ArrowDown');
		await page.keyboard.press('ArrowDown');
		await page.keyboard.press('Enter');
		const there = await page.evaluate(() => location.href);
		await page.goto('about:blank');
		await page.goto(there);
		assert.ok((await w.boxes(page)).some(b => b.classes.includes('anc')));
	});
});

test('flame: the root is at the bottom, above the details', async () => {
	await w.withPage(w.picture('small', SMALL), { height: 600 }, async page => {
		await page.keyboard.press('i');
		const all = await w.box(page, 'all'),
			main = await w.box(page, 'main');
		assert.ok(main.y < all.y);
		assert.ok(
			Math.abs(all.y + all.h + 6 - (600 - 40)) < 2,
			'root ends at ' + (all.y + all.h),
		);
		await page.keyboard.press('ArrowUp');
		await page.keyboard.press('Enter');
		assert.strictEqual(await w.hash(page), '#z=main&flame');
	});
});

test('callers and callees, merged over all places', async () => {
	const text = 'main;a;f;x 10\nmain;b;f;x 20\nmain;b;f;f;y 5\nother 65\n';
	await w.withPage(w.picture('sandwich', text), {}, async page => {
		const f = await w.box(page, 'f');
		await page.keyboard.down('Control');
		await page.mouse.click(f.x + 10, f.y + 5);
		await page.keyboard.up('Control');
		const boxes = await w.boxes(page),
			mid = boxes.find(b => b.classes.includes('mid'));
		assert.strictEqual(mid.label, 'f');
		const at = n => boxes.find(b => b.name === n);
		assert.ok(at('b').y < mid.y && at('x').y > mid.y && at('main').y < at('b').y);
		assert.ok(Math.abs(at('x').w - ((1176 * 30) / 35 - 1)) < 0.1);
		assert.match(await w.text(page, '.nums'), /total 35.*of all 35\.0 %.*paths 2/);
		assert.strictEqual(await w.hash(page), '#f=f');
		await page.keyboard.press('Escape');
		assert.strictEqual(await w.hash(page), '');
	});
});

test('a differential picture tells what changed', async () => {
	const file = w.picture('diff', DIFF);
	for (const dark of [false, true])
		await w.withPage(file, { dark }, async page => {
			const fills = Object.fromEntries(
				(await w.boxes(page)).map(b => [b.name, b.fill]),
			);
			assert.deepStrictEqual(fills, {
				all: 'b root',
				down: 'b hless',
				gone: 'b gone',
				new: 'b more',
				noise: 'b d4',
				up: 'b more',
			});
			assert.strictEqual(
				(await w.box(page, 'up')).label.replace(/\u202f/g, ' '),
				'up ▲ +100 %',
			);
			assert.strictEqual(
				(await w.box(page, 'down')).label.replace(/\u202f/g, ' '),
				'down ▼ −50 %',
			);
			assert.strictEqual((await w.box(page, 'noise')).label, 'noise');
			assert.match(
				await w.text(page, '.leg'),
				/less.*more.*added.*removed.*within noise/,
			);
			const up = await w.box(page, 'up');
			await page.mouse.move(up.x + 5, up.y + 5);
			assert.match(
				await w.text(page, '.nums'),
				/base 200.*target 400.*change \+18\.83 points.*relative ▲ \+100 %.*z 8\.0/,
			);
			assert.ok(
				(await page.evaluate(
					() =>
						getComputedStyle(
							document.querySelector(
								'.tools [data-act=colour]',
							),
						).display,
				)) === 'none',
			);
		});
});

test('names are text: nothing in them runs', async () => {
	const text =
		'</script><script>alert(1)</script> 3\n<img src=x onerror=alert(2)>;"\'&<> 2\n]]>;<!-- ;javascript:alert(3) 2\na\u0001b;\u202etxt 1\n🔥;שלום 1\n';
	await w.withPage(
		w.picture(
			'hostile',
			text,
			'-i',
			'folded',
			'--title',
			'</title><script>alert(4)</script>',
		),
		{},
		async page => {
			const names = (await w.boxes(page)).map(b => b.name);
			assert.ok(names.includes('</script><script>alert(1)</script>'));
			for (const b of await w.boxes(page))
				await page.mouse.move(b.x + b.w / 2, b.y + 3);
			for (const key of ['ArrowDown', 'Enter', 'y', 's', 'c', 'i', 'Escape', '0'])
				await page.keyboard.press(key);
			await page.fill('.sf input', '<');
			assert.strictEqual(
				await page.evaluate(
					() => document.querySelectorAll('img, iframe').length,
				),
				0,
			);
			assert.strictEqual(
				await page.evaluate(
					() => document.querySelectorAll('script').length,
				),
				1,
			);
		},
	);
});

test('touch: the first tap selects, the second zooms', async () => {
	await w.withPage(
		w.picture('small', SMALL),
		{ width: 390, height: 844, touch: true },
		async page => {
			const emit = await w.box(page, 'emit');
			assert.strictEqual(emit.h, 25);
			await page.touchscreen.tap(emit.x + 10, emit.y + 10);
			assert.match(await w.text(page, '.nm'), /^emit/);
			assert.strictEqual(await w.hash(page), '');
			await page.touchscreen.tap(emit.x + 10, emit.y + 10);
			assert.strictEqual(await w.hash(page), '#z=main;emit');
			const dock = await page.evaluate(() =>
				[...document.querySelectorAll('.dock button')]
					.map(b => b.getBoundingClientRect())
					.map(r => [r.height, r.right <= 390]),
			);
			assert.strictEqual(dock.length, 5);
			for (const [height, inside] of dock) assert.ok(height >= 44 && inside);
		},
	);
});

test('header and details stay in the window', async () => {
	const names = Array.from({ length: 200 }, (_, i) => 'f' + i);
	await w.withPage(
		w.picture('deep', names.join(';') + ' 1\n'),
		{ height: 500 },
		async page => {
			await page.mouse.wheel(0, 1500);
			await page.waitForFunction(() => window.scrollY > 1000);
			await page.waitForTimeout(100);
			const [head, foot] = await page.evaluate(() =>
				['.hd', '.dt']
					.map(s => document.querySelector(s).getBoundingClientRect())
					.map(r => [r.top, r.bottom]),
			);
			assert.ok(Math.abs(head[0]) < 1);
			assert.ok(Math.abs(foot[1] - 500) < 1);
		},
	);
});

test('as an image, without script', async () => {
	const file = w.picture('small', SMALL);
	const page = w.write(
		'page.html',
		'<!DOCTYPE html><body style="margin:0"><img src="small.svg" style="width:100%">',
	);
	assert.ok(file);
	for (const dark of [false, true])
		await w.withPage(page, { dark, width: 800 }, async p => {
			await p.waitForFunction(
				() =>
					document.images[0].complete &&
					document.images[0].naturalHeight > 0,
			);
			const size = await p.evaluate(() => [
				document.images[0].width,
				document.images[0].height,
			]);
			assert.strictEqual(size[0], 800);
			assert.ok(size[1] > 100);
			const shot = await p.screenshot({
				clip: { x: 0, y: 0, width: 4, height: 4 },
			});
			assert.ok(shot.length > 0);
		});
	await w.withPage(file, { noScript: true, width: 800 }, async p => {
		assert.strictEqual(await p.evaluate(() => 1).catch(() => 'off'), 1);
	});
});

test('inline in a page, two of them', async () => {
	const inline = n =>
		fs
			.readFileSync(w.picture('in' + n, SMALL, '--title', 'picture ' + n), 'utf8')
			.replace(/^<\?xml.*\n/, '');
	const file = w.write(
		'inline.html',
		'<!DOCTYPE html><meta charset="utf-8"><body><h1>Page</h1>' +
			inline(1) +
			'<p>between</p>' +
			inline(2),
	);
	await w.withPage(file, {}, async page => {
		assert.strictEqual(
			await page.evaluate(() => document.querySelectorAll('svg.fg .live').length),
			2,
		);
		assert.deepStrictEqual(
			await page.evaluate(() =>
				[...document.querySelectorAll('svg.fg h1')].map(h => h.textContent),
			),
			['picture 1', 'picture 2'],
		);
		await w.click(page, 'emit');
		assert.strictEqual(await page.evaluate(() => location.hash), '');
	});
});

test('nothing to draw, but another type has something', async () => {
	const t = JSON.stringify({
		tree: 1,
		sample_types: [
			{ type: 'samples', unit: 'count' },
			{ type: 'cpu', unit: 'nanoseconds' },
		],
		default: 0,
		frames: [{ name: 'a' }],
		nodes: {
			parent: [-1, 0],
			frame: [0, 0],
			self: [
				[0, 253],
				[0, 0],
			],
		},
	});
	await w.withPage(w.picture('empty', t), {}, async page => {
		await page.click('.seg button:has-text("cpu")');
		assert.match(
			await w.text(page, '.live'),
			/No samples for cpu\/nanoseconds\..*samples\/count: 253\./,
		);
		await page.click('.seg button:has-text("samples")');
		assert.ok(await w.box(page, 'a'));
	});
});
