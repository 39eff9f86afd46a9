// The dashboard as it is served: where it is, what it may load, and how much of it a first view
// costs. What it does is tests/browser.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readUpload } from '../../src/servers/web/frames.ts';
import { uploadPayload } from '../../src/web/terminal/protocol.ts';
import { Inside } from '../api/fixture.ts';
import { ask } from './web-lab.ts';

/** Gzipped, without a terminal. */
const FIRST_VIEW_BYTES_MAX = 150 * 1024;

async function open(input: object = {}) {
  const inside = await new Inside().serve();
  const client = await inside.connect();
  const { url } = await client.call('open_web', { port: 0, ...input });
  return { inside, url };
}

/** Files that the text of a page or a script names, with the folder that they are in. */
const namedFiles = (path: string, text: string): readonly string[] =>
  [...text.matchAll(/(?:href|src)="(\.\/[^"]+)"|\bfrom ?"(\.\/[^"]+)"|\bimport ?"(\.\/[^"]+)"/g)]
    .map(([, inPage, from, alone]) => inPage ?? from ?? alone ?? '')
    .map((name) => new URL(name, `http://x${path}`).pathname);

it('the page is at /, with no script in it and nothing from elsewhere', async () => {
  const { url } = await open();
  const page = await ask(url, '/');
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  const policy = String(page.headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/script-src[^;]*unsafe/);
  expect(page.text).not.toMatch(/<script(?![^>]*\ssrc=)/);
  expect(page.text).not.toMatch(/\son\w+=|https?:/);
  for (const name of namedFiles('/', page.text)) {
    const file = await ask(url, name);
    expect([name, file.status, file.headers['cache-control']]).toEqual([name, 200, 'no-store']);
  }
});

it('while another folder is served at /, the page is at /app/', async () => {
  const { inside, url: plain } = await open();
  const folder = join(inside.folder, 'mine');
  mkdirSync(folder);
  writeFileSync(join(folder, 'index.html'), 'mine');
  const client = await inside.connect();
  const { url } = await client.call('open_web', { port: 0, debug_serve_dir: folder });
  expect((await ask(url, '/')).text).toBe('mine');
  expect((await ask(url, '/app')).headers['location']).toBe('/app/');
  expect((await ask(url, '/app/')).text).toBe((await ask(plain, '/')).text);
  expect((await ask(url, '/app/../index.html')).text).toBe('mine');
});

it('a first view without a terminal is under 150 KB, gzipped', async () => {
  const { url } = await open();
  const sizes = new Map<string, number>();
  const load = async (path: string): Promise<void> => {
    if (sizes.has(path)) return;
    const { status, text } = await ask(url, path);
    expect([path, status]).toEqual([path, 200]);
    sizes.set(path, gzipSync(text).length);
    for (const name of namedFiles(path, text)) await load(name);
  };
  await load('/');
  expect(sizes.size).toBeGreaterThan(2);
  const all = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  expect(all).toBeLessThan(FIRST_VIEW_BYTES_MAX);
});

it('the terminal is for pages of all origins, and nothing else of the folder is', async () => {
  const { url } = await open();
  const headers = { Origin: 'https://elsewhere.example' };
  for (const name of ['tmux-adapter-web/index.js', 'shared/protocol.js', 'shared/utils.js']) {
    const file = await ask(url, `/${name}`, { headers });
    expect([name, file.status, file.headers['access-control-allow-origin']]).toEqual([
      name,
      200,
      '*',
    ]);
    expect(file.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(file.headers['cache-control']).toBe('no-store');
  }
  expect((await ask(url, '/shared/styles.css', { headers })).status).toBe(200);
  const outside = [
    ...['/shared/../index.html', '/shared/%2e%2e/index.html', '/shared/..%2findex.html'],
    ...['/shared//../../package.json', '/tmux-adapter-web/..\\..\\..\\package.json', '/shared/%00'],
    ...['/shared/.hidden', '/shared/none.js', '/shared', '/shared/', '/tmux-adapter-web/'],
    ...['/tmux-adapter-web/%2fetc%2fpasswd', '//tmux-adapter-web/../index.html', '/shared/%zz'],
  ];
  for (const path of outside) {
    const { status } = await ask(url, path, { headers });
    expect([path, status]).toEqual([path, status === 403 ? 403 : 404]);
  }
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const refused = await ask(url, '/shared/protocol.js', { method });
    expect([method, refused.status]).toEqual([method, 405]);
  }
  const head = await ask(url, '/shared/protocol.js', { method: 'HEAD', headers });
  expect([head.status, head.text]).toEqual([200, '']);
  expect((await ask(url, '/index.html', { headers })).status).toBe(403);
});

it('the service reads a file as the page wrote it', async () => {
  const file = new File([new Uint8Array([1, 0, 2])], 'a\0b.png', { type: 'image/png' });
  const upload = readUpload(Buffer.from(await uploadPayload(file)));
  expect(upload).toMatchObject({ fileName: 'ab.png', mimeType: 'image/png' });
  expect([...(upload?.bytes ?? [])]).toEqual([1, 0, 2]);
});
