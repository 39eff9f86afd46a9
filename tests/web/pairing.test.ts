// How a browser gets in: a link with a code that works once, exchanged for a cookie that no page
// sees, and what that cookie alone does not permit. The inside of a daemon is real, without tmux.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { DaemonClient } from '../../src/client/client.ts';
import { Inside } from '../api/fixture.ts';
import { ask, askUpgrade, TOKEN, type WebReply } from './web-lab.ts';

interface OpenWeb {
  readonly inside: Inside;
  readonly client: DaemonClient;
  readonly url: string;
  /** The code of the link that was printed. */
  readonly code: string;
}

async function open(input: object = {}): Promise<OpenWeb> {
  const inside = await new Inside().serve();
  const client = await inside.connect();
  const opened = await client.call('open_web', { port: 0, auth_token: TOKEN, ...input });
  return { inside, client, url: opened.url, code: codeOf(opened.pairing?.link ?? '') };
}

const codeOf = (link: string): string => link.split('#')[1] ?? '';

const handIn = (url: string, code: string, headers: object = {}): Promise<WebReply> =>
  ask(url, '/pair', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: url, ...headers },
    body: JSON.stringify({ code }),
  });

const setCookieOf = ({ headers }: WebReply): string => String(headers['set-cookie'] ?? '');
const cookieOf = (reply: WebReply): string => setCookieOf(reply).split(';')[0] ?? '';

async function pair({ url, code }: OpenWeb): Promise<Readonly<Record<string, string>>> {
  return { Cookie: cookieOf(await handIn(url, code)), Origin: url };
}

it('a code becomes a cookie for browsers alone, and the token reaches no page', async () => {
  const web = await open();
  const agent = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) AppleWebKit/605 Version/18 Safari/604';
  const reply = await handIn(web.url, web.code, { 'User-Agent': agent });
  expect([reply.status, reply.text, reply.headers['agtmux-next']]).toEqual([204, '', '/']);
  const [cookie = '', ...rules] = setCookieOf(reply).split('; ');
  expect(rules.toSorted()).toEqual(['HttpOnly', 'Max-Age=34560000', 'Path=/', 'SameSite=Strict']);
  const headers = { Cookie: cookie, Origin: web.url };
  expect((await askUpgrade(web.url, '/ws', headers)).status).toBe(101);
  expect((await ask(web.url, '/metrics', { headers: { Cookie: cookie } })).status).toBe(200);
  const { tokens } = await web.client.call('list_web_tokens', {});
  expect(tokens).toMatchObject([{ name: 'Safari on iPhone', kind: 'browser', scope: 'control' }]);
  const stored = readFileSync(join(web.inside.folder, 'web-tokens.json'), 'utf8');
  expect(stored).not.toContain(cookie.split('=')[1]);
});

it('the page of the link loads its script and nothing of others, and holds no code', async () => {
  const { url, code } = await open();
  const page = await ask(url, '/pair');
  expect(page.text).toContain('<script src="/pair.js">');
  expect(page.text).not.toContain(code);
  const script = await ask(url, '/pair.js');
  expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
  for (const { headers } of [page, script]) {
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/script-src[^;]*unsafe/);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['referrer-policy']).toBe('no-referrer');
  }
});

it('a replayed pairing code is refused, and says what to do', async () => {
  const { url, code, client } = await open();
  expect((await handIn(url, code)).status).toBe(204);
  const again = await handIn(url, code);
  expect(again.status).toBe(403);
  expect(JSON.parse(again.text)).toMatchObject({ code: 'E_PAIRING_CODE' });
  expect(again.text).toContain('agtmux web pair');
  expect(setCookieOf(again)).toBe('');
  expect((await client.call('list_web_tokens', {})).tokens).toHaveLength(1);
});

it('of two that hand in a code at once one gets in', async () => {
  const { url, code } = await open();
  const replies = await Promise.all(Array.from({ length: 8 }, () => handIn(url, code)));
  expect(replies.filter(({ status }) => status === 204)).toHaveLength(1);
});

it('a code is too old after ten minutes', async () => {
  const { inside, url, code, client } = await open();
  inside.nowMs += 10 * 60_000;
  expect((await handIn(url, code)).status).toBe(403);
  const fresh = await client.call('pair_web', {});
  inside.nowMs += 10 * 60_000 - 1;
  expect((await handIn(url, codeOf(fresh.link))).status).toBe(204);
});

it('who guesses codes has to wait, and shuts out no token', async () => {
  const { inside, url, code } = await open();
  for (let tries = 0; tries < 10; tries += 1) {
    expect((await handIn(url, `guess${tries}`)).status).toBe(403);
  }
  expect((await handIn(url, code)).status).toBe(429);
  expect((await askUpgrade(url, `/ws?token=${TOKEN}`)).status).toBe(101);
  inside.nowMs += 60_000;
  expect((await handIn(url, code)).status).toBe(204);
});

it.each([
  ['a cross-origin page', { Origin: 'http://evil.com' }],
  ['a page of another port', { Origin: 'http://localhost:3000' }],
  ['no page at all', { Origin: undefined }],
  ['a form, which needs no leave of ours', { 'Content-Type': 'text/plain' }],
  ['the wrong host name', { Host: 'evil.com', Origin: 'http://evil.com' }],
])('a code is not taken from %s', async (_what, headers) => {
  const { url, code, client } = await open();
  const all = { 'Content-Type': 'application/json', Origin: url, ...headers };
  const given = Object.entries(all).filter(([, value]) => value !== undefined);
  const parts = { method: 'POST', headers: Object.fromEntries(given) as Record<string, string> };
  const reply = await ask(url, '/pair', { ...parts, body: JSON.stringify({ code }) });
  expect([403, 415]).toContain(reply.status);
  expect((await client.call('list_web_tokens', {})).tokens).toEqual([]);
});

it.each(['', '{', '[]', '{"code":1}', `{"code":"${'x'.repeat(100_000)}"}`])(
  'a body that is no code is refused',
  async (body) => {
    const { inside, url } = await open();
    const headers = { 'Content-Type': 'application/json', Origin: url };
    expect((await ask(url, '/pair', { method: 'POST', headers, body })).status).toBe(400);
    expect(inside.defects).toEqual([]);
  },
);

it('a cookie opens no WebSocket for a cross-origin page, nor for who names no page', async () => {
  const web = await open();
  const { Cookie = '', Origin = '' } = await pair(web);
  const status = async (headers: Record<string, string>) =>
    (await askUpgrade(web.url, '/ws', { Cookie, ...headers })).status;
  expect(await status({ Origin })).toBe(101);
  expect(await status({})).toBe(403);
  expect(await status({ Origin: 'http://evil.com' })).toBe(403);
  // Cookies know no ports: a page of another one is of the same site.
  expect(await status({ Origin: 'http://localhost:3000' })).toBe(403);
  expect(await status({ Origin: Origin.replace('http:', 'https:') })).toBe(403);
});

it('a cookie alone calls nothing for a page elsewhere', async () => {
  const web = await open();
  const { Cookie = '', Origin = '' } = await pair(web);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'list_panes', params: {} });
  const status = async (headers: Record<string, string>) => {
    const all = { 'Content-Type': 'application/json', Cookie, ...headers };
    return (await ask(web.url, '/rpc', { method: 'POST', headers: all, body })).status;
  };
  expect(await status({ Origin })).toBe(200);
  expect(await status({})).toBe(403);
  expect(await status({ Origin: 'http://localhost:3000' })).toBe(403);
  const headers = { Cookie, 'Sec-Fetch-Site': 'same-site' };
  expect((await ask(web.url, '/metrics', { headers })).status).toBe(403);
});

it('a revoked browser is out, loses its cookie, and shuts nobody else out', async () => {
  const web = await open();
  const headers = await pair(web);
  const [token] = (await web.client.call('list_web_tokens', {})).tokens;
  await web.client.call('revoke_web_token', { id: token?.id ?? '' });
  for (let tries = 0; tries < 12; tries += 1) {
    const { status } = await askUpgrade(web.url, '/ws', headers);
    expect(status).toBe(tries < 10 ? 401 : 429);
  }
  expect((await askUpgrade(web.url, `/ws?token=${TOKEN}`)).status).toBe(101);
  web.inside.nowMs += 60_000;
  const reply = await ask(web.url, '/session', { headers });
  expect([reply.status, JSON.parse(reply.text).hint]).toEqual([
    401,
    expect.stringContaining('agtmux web pair'),
  ]);
  expect(setCookieOf(reply)).toContain('Max-Age=0');
});

it('a browser that was not used for thirty days is paired anew', async () => {
  const web = await open();
  const headers = await pair(web);
  const day = 86_400_000;
  web.inside.nowMs += 29 * day;
  expect((await ask(web.url, '/session', { headers })).status).toBe(200);
  web.inside.nowMs += 29 * day;
  expect((await ask(web.url, '/session', { headers })).status).toBe(200);
  web.inside.nowMs += 30 * day;
  expect((await ask(web.url, '/session', { headers })).status).toBe(401);
  expect((await web.client.call('list_web_tokens', {})).tokens).toEqual([]);
});

it('a browser that is paired anew leaves its old token, and can sign out', async () => {
  const web = await open();
  const first = await pair(web);
  const { link } = await web.client.call('pair_web', { scope: 'read', name: 'wall' });
  const second = { Cookie: cookieOf(await handIn(web.url, codeOf(link), first)), Origin: web.url };
  const { tokens } = await web.client.call('list_web_tokens', {});
  expect(tokens).toMatchObject([{ name: 'wall', scope: 'read' }]);
  expect(JSON.parse((await ask(web.url, '/session', { headers: second })).text)).toEqual({
    ...{ id: tokens[0]?.id, scope: 'read' },
  });
  expect((await askUpgrade(web.url, '/ws', first)).status).toBe(401);
  const out = { method: 'DELETE', headers: { Cookie: second.Cookie } };
  expect((await ask(web.url, '/session', out)).status).toBe(403);
  expect((await ask(web.url, '/session', { ...out, headers: second })).status).toBe(204);
  expect((await askUpgrade(web.url, '/ws', second)).status).toBe(401);
});

it('links lead to the public URL, and there cookies are for TLS alone', async () => {
  const inside = await new Inside().serve();
  const client = await inside.connect();
  const input = { port: 0, auth_token: TOKEN, public_url: 'https://agents.example.com' };
  const { url, pairing } = await client.call('open_web', input);
  expect(pairing?.link).toMatch(/^https:\/\/agents\.example\.com\/pair#/);
  const page = { Host: 'agents.example.com', Origin: 'https://agents.example.com' };
  const plain = { ...page, Origin: 'http://agents.example.com' };
  expect((await handIn(url, codeOf(pairing?.link ?? ''), plain)).status).toBe(403);
  const reply = await handIn(url, codeOf(pairing?.link ?? ''), page);
  expect(setCookieOf(reply)).toMatch(/^__Host-agtmux-\d+=\S+; .*; Secure$/);
  const headers = { ...page, Cookie: cookieOf(reply) };
  expect((await askUpgrade(url, '/ws', headers)).status).toBe(101);
  const other = { Cookie: cookieOf(reply), Host: 'x.example.com', Origin: 'https://x.example.com' };
  expect((await askUpgrade(url, '/ws', other)).status).toBe(403);
});

it('without a service there is no link, and without a token none is needed', async () => {
  const inside = await new Inside().serve();
  const client = await inside.connect();
  await expect(client.call('pair_web', {})).rejects.toMatchObject({ code: 'E_WEB_CLOSED' });
  const { pairing } = await client.call('open_web', { port: 0, no_auth: true });
  expect(pairing).toBeNull();
  await expect(client.call('pair_web', {})).rejects.toMatchObject({ code: 'E_WEB_CLOSED' });
  const other = await inside.connect();
  const input = { port: 0, auth_token: TOKEN, public_url: 'http://[::::]' };
  await expect(other.call('open_web', input)).rejects.toMatchObject({ code: 'E_INPUT_INVALID' });
});

it('no secret and no code is ever logged', async () => {
  const web = await open();
  const { Cookie = '' } = await pair(web);
  const { token } = await web.client.call('create_web_token', { name: 'phone' });
  await askUpgrade(web.url, `/ws?token=${token}`);
  await askUpgrade(web.url, '/ws?token=guessed-secret');
  await handIn(web.url, 'guessed-code');
  const log = [...web.inside.webLog, ...web.inside.defects].join('\n');
  const secrets = [TOKEN, token, 'guessed-secret', 'guessed-code', web.code, Cookie.split('=')[1]];
  for (const each of secrets) expect(log).not.toContain(each);
});
