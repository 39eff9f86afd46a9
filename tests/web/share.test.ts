// Read-only shares over HTTP, as people without a token get them: what one shows, when it ends, and
// what it never leads to. The inside of a daemon is real, without tmux.

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Shares } from '../../src/daemon/doors/shares.ts';
import type { EventDraft } from '../../src/schema/event.ts';
import { Inside } from '../api/fixture.ts';
import { eventually } from '../live/tmux-server.ts';
import { paneFacts, paneKey, runtimeId, runtimeStarts } from '../scenario.ts';
import { ask, TOKEN, type WebReply } from './web-lab.ts';

const HOUR_MS = 3_600_000;
const looks = { cols: 80, rows: 2, cursor: { x: 1, y: 0 }, inMode: false };

function show(inside: Inside, ansi: string, panePid = paneFacts(0).birth.pid): void {
  inside.screen = { ...looks, panePid, ansi };
  // The screen of the last second serves everybody.
  inside.nowMs += 1_001;
}

async function open(input: object = { auth_token: TOKEN }) {
  const inside = await new Inside().serve();
  inside.says(0, 'running');
  const client = await inside.connect();
  const { url } = await client.call('open_web', { port: 0, ...input });
  show(inside, 'hello \u001b[31mred');
  const share = async (ref: string = paneKey(0), expires_in_ms = HOUR_MS) => {
    const made = await client.call('share_pane', { ref, expires_in_ms });
    return { ...made.share, path: new URL(made.link).pathname, link: made.link };
  };
  const rows = (path: string, version = ''): Promise<WebReply> =>
    ask(url, `${path}/rows${version === '' ? '' : `?version=${version}`}`);
  return { inside, client, url, share, rows };
}

const ends = (index: number, atMs: number): EventDraft => ({
  type: 'runtime.ended',
  atMs,
  runtimeId: runtimeId(index),
  reason: 'process_gone',
  exitCode: null,
  crashed: false,
});

const bodyOf = ({ text }: WebReply) => JSON.parse(text) as Record<string, unknown>;

describe('a share', () => {
  it('shows the screen, without a token or a cookie, and what is new of it', async () => {
    const { inside, url, share, rows } = await open();
    const { path, link } = await share();
    expect(link.startsWith(`${url}/share/`)).toBe(true);
    expect(path).toMatch(/^\/share\/[\w-]{27}$/);
    const first = bodyOf(await rows(path));
    expect(first).toMatchObject({
      agent: 'claude',
      state: 'running',
      columns: 80,
      lines: ['hello \u001b[31mred'],
    });
    const version = String(first['version']);
    expect(bodyOf(await rows(path, version))['lines']).toBeNull();
    show(inside, 'next');
    expect(bodyOf(await rows(path, version))['lines']).toEqual(['next']);
  });

  it('hides what the store hides, and says where and who nowhere', async () => {
    const { inside, share, rows } = await open();
    const { path } = await share();
    show(inside, 'token=ghp_abcdefghijklmnopqrstuvwxyz0123456789 ok');
    const { text } = await rows(path);
    expect(text).not.toContain('ghp_');
    expect(bodyOf({ text } as WebReply)['lines']).toEqual(['\u001b[0mtoken=[redacted] ok']);
    const { locations, path: folder } = paneFacts(0);
    for (const each of [locations[0]?.sessionName, folder, paneKey(0)]) {
      expect(text).not.toContain(`"${each}`);
    }
  });

  it('is a page that loads its own files alone, is kept nowhere and tells nobody', async () => {
    const { url, share } = await open();
    const { path } = await share();
    const page = await ask(url, path);
    expect(page.status).toBe(200);
    expect(page.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
      'x-content-type-options': 'nosniff',
    });
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("connect-src 'self'; base-uri 'none'");
    expect(page.text).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=|https?:|href="(?!\/)|%/);
    for (const [, file] of page.text.matchAll(/(?:href|src)="([^"]+)"/g)) {
      expect([file, (await ask(url, file ?? '')).status]).toEqual([file, 200]);
    }
    const rows = await ask(url, `${path}/rows`);
    expect(rows.headers['cache-control']).toBe('no-store');
    expect(rows.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('is kept as a hash, outlives a restart, and its link is shown once', async () => {
    const { inside, client, share } = await open();
    const { path, id } = await share();
    const file = join(inside.folder, 'web-shares.json');
    const code = path.replace('/share/', '');
    expect(readFileSync(file, 'utf8')).not.toContain(code);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const list = await client.call('list_shares', {});
    expect(list.shares).toMatchObject([{ id, status: 'live', agent: 'claude', viewed_at: null }]);
    expect(JSON.stringify(list)).not.toContain(code);
    const next = new Shares({ file, nowMs: () => inside.nowMs, linkBase: () => null });
    expect(next.find(code)?.id).toBe(id);
  });

  it('is listed as closed without a web service, and a look outlives a restart', async () => {
    const { inside, client, share, rows } = await open();
    const { path, id } = await share();
    expect((await rows(path)).status).toBe(200);
    const viewedAt = new Date(inside.nowMs).toISOString();
    const list = await client.call('list_shares', {});
    expect(list.shares).toMatchObject([{ id, status: 'live', viewed_at: viewedAt }]);
    const file = join(inside.folder, 'web-shares.json');
    const next = new Shares({ file, nowMs: () => inside.nowMs, linkBase: () => null });
    expect(next.list()).toMatchObject([{ id, viewedAtMs: inside.nowMs }]);
    const other = await inside.connect();
    client.close();
    await eventually(async () => {
      const { shares } = await other.call('list_shares', {});
      return shares[0]?.status === 'closed';
    }, 'the share is closed');
  });

  it('costs one reading a second, however many look', async () => {
    const { inside, share, rows } = await open();
    const { path } = await share();
    let readingCount = 0;
    const { screen } = inside;
    Object.defineProperty(inside, 'screen', {
      get: () => {
        readingCount += 1;
        return screen;
      },
    });
    const replies = await Promise.all(Array.from({ length: 50 }, () => rows(path)));
    expect(replies.every(({ status }) => status === 200)).toBe(true);
    expect(readingCount).toBe(1);
  });
});

describe('a share is over', () => {
  it('when its time is over, to the millisecond', async () => {
    const { inside, client, share, rows } = await open();
    const { path } = await share(paneKey(0), 60_000);
    inside.nowMs += 59_999;
    expect((await rows(path)).status).toBe(200);
    inside.nowMs += 1;
    expect((await rows(path)).status).toBe(404);
    expect((await client.call('list_shares', {})).shares).toEqual([]);
  });

  it('when it is revoked, and no other with it', async () => {
    const { client, share, rows } = await open();
    const [one, two] = [await share(), await share()];
    expect((await rows(one.path)).status).toBe(200);
    await client.call('revoke_share', { id: one.id });
    expect([(await rows(one.path)).status, (await rows(two.path)).status]).toEqual([404, 200]);
    await expect(client.call('revoke_share', { id: one.id })).rejects.toMatchObject({
      code: 'E_SHARE_UNKNOWN',
    });
  });

  it('when its agent ends: neither the shell nor the next agent there is shown', async () => {
    const { inside, client, share, rows } = await open();
    const { path } = await share();
    expect((await rows(path)).status).toBe(200);
    inside.tell(ends(0, inside.nowMs));
    show(inside, 'the shell');
    const shell = await rows(path);
    expect([shell.status, shell.text.includes('the shell')]).toEqual([410, false]);
    inside.tell(runtimeStarts(0, 2, inside.nowMs));
    show(inside, 'the next agent');
    expect((await rows(path)).status).toBe(410);
    expect((await client.call('list_shares', {})).shares).toMatchObject([{ status: 'ended' }]);
  });

  it('when another process has its pane', async () => {
    const { inside, share, rows } = await open();
    const { path } = await share();
    show(inside, 'of somebody else', 77);
    const reply = await rows(path);
    expect([reply.status, reply.text.includes('somebody')]).toEqual([410, false]);
  });

  it('when the token of who made it is revoked', async () => {
    const { client, url, rows } = await open();
    const phone = await client.call('create_web_token', { name: 'phone' });
    const body = JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'share_pane', params: { ref: paneKey(0) } },
    });
    const headers = {
      authorization: `Bearer ${phone.token}`,
      'content-type': 'application/json',
    };
    const reply = bodyOf(await ask(url, '/rpc', { method: 'POST', headers, body }));
    const { pathname } = new URL((reply['result'] as { readonly link: string }).link);
    expect((await rows(pathname)).status).toBe(200);
    await client.call('revoke_web_token', { id: phone.id });
    expect((await rows(pathname)).status).toBe(404);
  });
});

describe('a share is refused', () => {
  it('to who guesses: after ten wrong codes the address waits, for right ones too', async () => {
    const { inside, share, rows } = await open();
    const { path } = await share();
    for (let each = 0; each < 10; each += 1) {
      expect((await rows(`/share/guess-${each}`)).status).toBe(404);
    }
    expect((await rows('/share/guess-10')).status).toBe(429);
    expect((await rows(path)).status).toBe(429);
    inside.nowMs += 60_001;
    expect((await rows(path)).status).toBe(200);
  });

  it('by a name that is not ours, and from a page elsewhere', async () => {
    const { url, share } = await open();
    const { path } = await share();
    const foreign = await ask(url, `${path}/rows`, { headers: { host: 'evil.example' } });
    const page = { origin: 'https://evil.example' };
    const cross = await ask(url, `${path}/rows`, { headers: page });
    expect([foreign.status, cross.status]).toEqual([403, 403]);
  });

  it.each([
    ...['/rpc', '/metrics', '/session', '/ws'],
    ...[
      '/share/CODE/../../metrics',
      '/share/CODE/rows/../../../rpc',
      '/share/CODE/%2e%2e/%2e%2e/session',
    ],
  ])('as a way to %s', async (target) => {
    const { url, share } = await open();
    const { path } = await share();
    const code = path.replace('/share/', '');
    const headers = {
      authorization: `Bearer ${code}`,
      cookie: `agtmux=${code}`,
    };
    const got = await ask(url, target.replace('CODE', code), { headers });
    expect([401, 404, 405, 426]).toContain(got.status);
    const post = await ask(url, target.replace('CODE', code), {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'list_panes', params: {} }),
    });
    expect([401, 403, 404, 405, 426]).toContain(post.status);
    expect(post.text).not.toContain('panes');
  });

  it.each(['POST', 'PUT', 'DELETE'])('a %s: it is only read', async (method) => {
    const { url, share, rows } = await open();
    const { path } = await share();
    expect((await ask(url, `${path}/rows`, { method })).status).toBe(405);
    expect((await rows(path)).status).toBe(200);
  });

  it('of a pane without an agent, without an open service, and to who may only look', async () => {
    const { inside, client, url, share } = await open();
    const wall = await client.call('create_web_token', { name: 'wall', scope: 'read' });
    const headers = {
      authorization: `Bearer ${wall.token}`,
      'content-type': 'application/json',
    };
    const body = JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'share_pane', params: { ref: paneKey(0) } },
    });
    expect((await ask(url, '/rpc', { method: 'POST', headers, body })).text).toContain(
      'E_NOT_PERMITTED',
    );
    inside.tell(ends(1, inside.nowMs));
    await expect(share(paneKey(1))).rejects.toMatchObject({ code: 'E_PRECONDITION_FAILED' });
    const alone = await new Inside().serve();
    alone.says(0, 'running');
    const other = await alone.connect();
    await expect(other.call('share_pane', { ref: paneKey(0) })).rejects.toMatchObject({
      code: 'E_WEB_CLOSED',
    });
  });

  it('beyond a bounded number', async () => {
    const { share } = await open();
    for (let each = 0; each < 64; each += 1) await share();
    await expect(share()).rejects.toMatchObject({ code: 'E_PRECONDITION_FAILED' });
  });
});

it('without pairing a share has a link too, and its page lies beside another folder', async () => {
  const folder = new URL('.', import.meta.url).pathname;
  const { url, share } = await open({ no_auth: true, debug_serve_dir: folder });
  const { path } = await share();
  const page = await ask(url, path);
  const [, file] = /src="([^"]+)"/.exec(page.text) ?? [];
  expect(file).toMatch(/^\/app\/assets\/share-/);
  expect((await ask(url, file ?? '')).status).toBe(200);
});
