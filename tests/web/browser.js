// What the browser tests share: one browser, pictures made by the programs, pages that
// fail the test when anything is logged as an error.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { chromium } = require('playwright-core');

const BUILD = process.env.BUILD || path.resolve('build');
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'flamesvg-web-'));
process.on('exit', () => fs.rmSync(dir, { recursive: true, force: true }));

let browser = null;

exports.start = async () => {
	browser = await chromium.launch({
		executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
		headless: true,
		args: [
			'--no-sandbox',
			'--disable-gpu',
			'--no-first-run',
			'--disable-background-networking',
			'--disable-component-update',
			'--disable-sync',
		],
	});
};
exports.stop = () => browser.close();

// Run a program on text; returns its output.
exports.run = (program, args, input) =>
	execFileSync(path.join(BUILD, program), args, {
		input: input === undefined ? '' : input,
		maxBuffer: 1 << 28,
	}).toString();

// A picture of text, as a file.
exports.picture = (name, input, ...args) => {
	const file = path.join(dir, name + '.svg');
	fs.writeFileSync(file, exports.run('flamesvg', args, input));
	return file;
};
exports.write = (name, text) => {
	const file = path.join(dir, name);
	fs.writeFileSync(file, text);
	return file;
};

// Open a file and hand its page to the test; nothing may be logged as an error.
exports.withPage = async (file, opts, test) => {
	const context = await browser.newContext({
		viewport: { width: opts.width || 1200, height: opts.height || 700 },
		colorScheme: opts.dark ? 'dark' : 'light',
		javaScriptEnabled: !opts.noScript,
		hasTouch: !!opts.touch,
		isMobile: !!opts.touch,
		permissions: ['clipboard-read', 'clipboard-write'],
	});
	const page = await context.newPage(),
		errors = [];
	page.on('pageerror', e => errors.push(e.message));
	page.on('console', m => m.type() === 'error' && errors.push(m.text()));
	page.on('dialog', d => {
		errors.push('dialog: ' + d.message());
		d.dismiss();
	});
	try {
		await page.goto('file://' + file + (opts.hash || ''));
		await test(page);
		assert.deepStrictEqual(errors, []);
	} finally {
		await context.close();
	}
};

// The boxes of a live picture: name, place and classes.
exports.boxes = page =>
	page.evaluate(() =>
		[...document.querySelectorAll('.live .f')].map(e => {
			const r = e.querySelector('.b').getBoundingClientRect();
			return {
				label: (e.querySelector('text') || { textContent: '' }).textContent,
				name: (e.getAttribute('aria-label') || '').split(', ')[0],
				classes: [...e.classList],
				fill: e.querySelector('.b').getAttribute('class'),
				x: r.x,
				y: r.y,
				w: r.width,
				h: r.height,
			};
		}),
	);
exports.box = async (page, name) =>
	(await exports.boxes(page)).find(b => b.name === name && !b.classes.includes('rest'));
exports.click = async (page, name) => {
	const b = await exports.box(page, name);
	assert.ok(b, 'no box ' + name);
	await page.mouse.click(b.x + Math.min(b.w / 2, 20), b.y + b.h / 2);
};
exports.text = (page, selector) =>
	page.evaluate(s => {
		const e = document.querySelector(s);
		return e ? e.textContent.replace(/\u202f/g, ' ') : null;
	}, selector);
exports.hash = page => page.evaluate(() => decodeURIComponent(location.hash));
exports.typed = page => page.evaluate(() => document.querySelector('.sf input').value);
exports.blur = page => page.evaluate(() => document.activeElement && document.activeElement.blur());
