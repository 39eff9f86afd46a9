// Pushes to a push service on loopback, read as a browser reads them: what is said, who says it,
// which browsers are forgotten, what is tried again, and where nothing is ever sent.

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebPushChannel, type WebPushOptions } from '../../src/notify/channels/web-push.ts';
import { isPublicAddress } from '../../src/notify/push/public-address.ts';
import { PushSubscriptions } from '../../src/notify/push/push-subscriptions.ts';
import { AT_MS, call, deliver, HOSTILE, item, notification } from './notification-fixture.ts';
import { PushBrowser, PushReceiver, pusherOf, receiverCa } from './push-receiver.ts';

function makeFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agtmux-push-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'state', 'web-push.json');
}

const isLoopback = (address: string): boolean => address === '127.0.0.1' || address === '::1';

function channelOf(subscriptions: PushSubscriptions, changes: Partial<WebPushOptions> = {}) {
  return new WebPushChannel({
    ...{ subscriptions, include: ['title', 'request'], contact: 'mailto:a@example.com' },
    ...{ needCount: () => 3, ca: receiverCa, isAllowed: isLoopback, ...changes },
  });
}

async function open(...paths: readonly string[]) {
  const service = await PushReceiver.open();
  const subscriptions = new PushSubscriptions({ file: makeFile(), nowMs: () => AT_MS });
  const browsers = paths.map((path) => new PushBrowser(path));
  for (const each of browsers) subscribe(subscriptions, each, service.url);
  const [browser = new PushBrowser('/none')] = browsers;
  return { service, subscriptions, browsers, browser, channel: channelOf(subscriptions) };
}

function subscribe(
  subscriptions: PushSubscriptions,
  browser: PushBrowser,
  service: string,
  tokenId: string | null = null,
) {
  return subscriptions.add({ ...browser.subscription(service), label: browser.path, tokenId });
}

describe('a push', () => {
  it('says agent, place and request, opens the pane, and is for its browser alone', async () => {
    const { service, subscriptions, browser, channel } = await open('/push/1');
    expect(await deliver(channel)).toEqual({ kind: 'delivered', detail: '1 browser' });
    const [push] = service.received;
    if (!push) throw new Error('nothing came');
    const text = browser.read(push);
    expect(text).toEqual({
      title: 'claude needs an approval',
      body: 'work:0.1 · fix the parser\nBash: rm -r build',
      tag: push.headers['topic'],
      hash: `#/pane/${encodeURIComponent(item().paneKey)}`,
      count: 3,
    });
    expect(push.headers).toMatchObject({ ttl: '3600', urgency: 'high' });
    expect(pusherOf(push)).toEqual({ key: subscriptions.keys.publicKey, audience: service.url });
    expect(() => new PushBrowser('/push/2').read(push)).toThrow();
  });

  it('has one tag for each request, and a completion is not urgent', async () => {
    const { service, channel } = await open('/push/1');
    const shown = [
      item(),
      item({ title: 'another title' }),
      item({ sinceMs: AT_MS + 1 }),
      item({ kind: 'completion' }),
    ];
    for (const [at, each] of shown.entries()) {
      await channel.deliver(notification([each]), call({ deliveryId: `${at}` }));
    }
    const topics = service.received.map(({ headers }) => String(headers['topic']));
    expect(topics[0]).toBe(topics[1]);
    expect(new Set(topics).size).toBe(3);
    for (const topic of topics) expect(topic).toMatch(/^[A-Za-z0-9_-]{1,32}$/);
    expect(service.received.at(-1)?.headers['urgency']).toBe('normal');
  });

  it('of several requests opens the inbox, and a hostile text is plain and fits', async () => {
    const { service, browser, channel } = await open('/push/1');
    const long = `${HOSTILE} ${'🚨"\\'.repeat(900)}`;
    const many = Array.from({ length: 8 }, () => item({ title: long, request: long }));
    await deliver(channel, notification(many, { moreCount: 900 }));
    const one = notification([item({ title: long, request: long })]);
    await channel.deliver(one, call({ deliveryId: 'next' }));
    expect(service.received).toHaveLength(2);
    for (const push of service.received) {
      expect(push.body.length).toBeLessThanOrEqual(4_096);
      const { body, hash } = browser.read(push);
      expect(body).toContain('<b>bold</b>');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters.
      expect(body).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
      expect(hash).toMatch(/^#\/(?:inbox|pane\/)/);
    }
  });

  it('goes to every browser, and one that its service does not know is forgotten', async () => {
    const { service, subscriptions, channel } = await open('/1', '/2', '/3');
    service.replies.set('/2', { status: 410 });
    service.replies.set('/3', { status: 404 });
    expect(await deliver(channel)).toEqual({ kind: 'delivered', detail: '1 browser' });
    expect(subscriptions.all.map(({ label }) => label)).toEqual(['/1']);
    service.replies.set('/1', { status: 410 });
    const next = await channel.deliver(notification(), call({ deliveryId: 'next' }));
    expect(next).toMatchObject({ kind: 'failed', mayRetry: false });
    expect(subscriptions.all).toEqual([]);
  });

  it('that a service cannot take now is tried again, and not where it was taken', async () => {
    const { service, channel } = await open('/1', '/2');
    service.replies.set('/2', { status: 429, headers: { 'retry-after': '30' } });
    expect(await deliver(channel)).toMatchObject({ mayRetry: true, retryAfterMs: 30_000 });
    service.replies.delete('/2');
    expect(await deliver(channel)).toEqual({ kind: 'delivered', detail: '2 browsers' });
    expect(service.received.map(({ path }) => path).toSorted()).toEqual(['/1', '/2', '/2']);
  });

  it.each([301, 302, 307, 308])('follows no redirect: %i', async (status) => {
    const { service, subscriptions, channel } = await open('/1');
    service.replies.set('/1', { status, headers: { location: `${service.url}/inside` } });
    expect(await deliver(channel)).toMatchObject({ kind: 'failed', mayRetry: false });
    expect(service.received.map(({ path }) => path)).toEqual(['/1']);
    expect(subscriptions.lastOf(subscriptions.all[0]?.id ?? '')?.problem).toContain('redirect');
  });
});

describe('nothing is sent', () => {
  it.each(['localhost', '127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0x7f.1', '2130706433'])(
    'to this machine as %s',
    async (host) => {
      const { service, subscriptions } = await open();
      const { port } = new URL(service.url);
      subscribe(subscriptions, new PushBrowser('/inside'), `https://${host}:${port}`);
      const result = await deliver(channelOf(subscriptions, { isAllowed: isPublicAddress }));
      const detail = 'its push service is not at a public address';
      expect(result).toEqual({ kind: 'failed', detail, mayRetry: false });
      expect(service.received).toEqual([]);
    },
  );

  it.each([
    ['one address outside and one inside', ['127.0.0.1', '10.0.0.1']],
    ['no address', []],
  ])('to a name with %s', async (_what, addresses) => {
    const { service, subscriptions } = await open('/1');
    const lookup = async () => addresses.map((address) => ({ address, family: 4 }));
    const result = await deliver(channelOf(subscriptions, { lookup }));
    expect(result).toMatchObject({ kind: 'failed', mayRetry: false });
    expect(service.received).toEqual([]);
  });

  it('to an address that was not checked: the name is looked up once', async () => {
    const { service, subscriptions } = await open('/1');
    let lookupCount = 0;
    const lookup = async () => {
      lookupCount += 1;
      return [{ address: lookupCount === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }];
    };
    await deliver(channelOf(subscriptions, { lookup }));
    expect([service.received.length, lookupCount]).toEqual([1, 1]);
  });

  it('to a service whose certificate nobody vouches for', async () => {
    const { service, subscriptions } = await open('/1');
    const channel = new WebPushChannel({
      ...{ subscriptions, include: [], contact: 'mailto:a@example.com', needCount: () => 0 },
      isAllowed: isLoopback,
    });
    expect(await deliver(channel)).toMatchObject({ kind: 'failed', mayRetry: true });
    expect(service.received).toEqual([]);
  });

  it('where nobody has subscribed', async () => {
    const { channel } = await open();
    expect(await deliver(channel)).toMatchObject({ kind: 'failed', mayRetry: false });
  });
});

describe('a subscription', () => {
  it.each([
    'http://push.example.net/1',
    'https://user:secret@push.example.net/1',
    'file:///etc/passwd',
    'push.example.net/1',
  ])('is refused at %s', async (endpoint) => {
    const { subscriptions } = await open();
    const { keys } = new PushBrowser('/1').subscription('https://push.example.net');
    const added = subscriptions.add({ endpoint, keys, label: 'phone', tokenId: null });
    expect(added).toMatchObject({ ok: false, refusal: { code: 'E_INPUT_INVALID' } });
  });

  it('is one for each browser, of a bounded number', async () => {
    const { subscriptions, service, browser } = await open('/1');
    subscribe(subscriptions, browser, service.url);
    expect(subscriptions.all).toHaveLength(1);
    for (let each = 2; each <= 32; each += 1) {
      subscribe(subscriptions, new PushBrowser(`/${each}`), service.url);
    }
    const refused = subscribe(subscriptions, new PushBrowser('/33'), service.url);
    expect(refused).toMatchObject({ ok: false, refusal: { code: 'E_PRECONDITION_FAILED' } });
    expect(subscribe(subscriptions, browser, service.url).ok).toBe(true);
    expect(subscriptions.all).toHaveLength(32);
  });

  it('and the key outlive a restart, in a file for the user alone', async () => {
    const file = makeFile();
    const first = new PushSubscriptions({ file, nowMs: () => AT_MS });
    const { publicKey } = first.keys;
    subscribe(first, new PushBrowser('/1'), 'https://push.example.net');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const second = new PushSubscriptions({ file, nowMs: () => AT_MS });
    expect([second.keys.publicKey, second.all.length]).toEqual([publicKey, 1]);
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, 90));
    const third = new PushSubscriptions({ file, nowMs: () => AT_MS });
    expect(third.all).toEqual([]);
    expect(third.keys.publicKey).not.toBe(publicKey);
  });

  it('ends with its token', async () => {
    const { subscriptions, service } = await open();
    const held = new Set(['a', 'b', 'c']);
    subscriptions.followTokens((tokenId) => held.has(tokenId));
    for (const token of held) {
      subscribe(subscriptions, new PushBrowser(`/${token}`), service.url, token);
    }
    subscriptions.removeToken('a');
    held.delete('b');
    const channel = channelOf(subscriptions);
    await channel.deliver(notification(), call());
    expect(service.received.map(({ path }) => path)).toEqual(['/c']);
  });
});
