// Webhooks to a real HTTP server on loopback: what each preset sends, what a hostile title becomes,
// the signature, and which replies are worth another attempt.

import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebhookChannel } from '../../src/notify/channels/webhook.ts';
import { NotifyQueue } from '../../src/notify/notify-queue.ts';
import { notifySchema } from '../../src/schema/notify/notify-config.ts';
import type { NotifyDelivery } from '../../src/schema/notify/user-notification.ts';
import { AT_MS, deliver, HOSTILE, item, notification } from './notification-fixture.ts';
import { type PlannedReply, webhookReceiver } from './webhook-receiver.ts';

interface Hook {
  readonly [key: string]: unknown;
}

function webhook(hook: Hook, env: Readonly<Record<string, string>> = {}, timeoutMs = 5_000) {
  const config = notifySchema.parse({ webhook: { phone: hook } }).webhook['phone'];
  if (!config) throw new Error('no webhook');
  return new WebhookChannel({ name: 'phone', config, env, timeoutMs });
}

const plainHostile =
  '<b>bold</b> & <!channel> \\074i\\076 `id` $(id) "quote" dlrow red second; line *star* @here end';

describe('a webhook', () => {
  it('gets agent, place and kind, and no text of the agent unless it is included', async () => {
    const receiver = await webhookReceiver();
    const result = await deliver(webhook({ url: receiver.url }));
    expect(result).toEqual({ kind: 'delivered', detail: 'status 200' });
    const [request] = receiver.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/hook' });
    expect(JSON.parse(request?.body ?? '')).toEqual({
      schema_version: 1,
      id: `${AT_MS}-7`,
      at: '2026-07-01T12:00:00.000Z',
      test: false,
      headline: 'claude needs an approval',
      text: 'work:0.1',
      requests: [
        {
          kind: 'approval',
          since: '2026-07-01T12:00:00.000Z',
          agent: 'claude',
          target: 'local',
          session: 'work',
          place: 'work:0.1',
          ref: 'work:0.1',
        },
      ],
      more: 0,
    });
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'agtmux-delivery': `${AT_MS}-7`,
    });
    expect(request?.headers).not.toHaveProperty('agtmux-signature');
  });

  it('gets each text that is included, and no other', async () => {
    const texts = {
      title: 'fix the parser',
      request: 'Bash: rm -r build',
      prompt: 'the whole prompt',
      message: 'the last words',
      path: '/home/dev/secret-project',
    };
    const receiver = await webhookReceiver();
    for (const part of Object.keys(texts)) {
      await deliver(webhook({ url: receiver.url, include: [part] }));
    }
    for (const [index, part] of Object.keys(texts).entries()) {
      const body = receiver.requests[index]?.body ?? '';
      const shown = Object.entries(texts).filter(([, text]) => body.includes(text));
      expect(shown.map(([name]) => name)).toEqual([part]);
    }
  });

  it('signs the time and the body with its secret', async () => {
    const receiver = await webhookReceiver();
    await deliver(webhook({ url: receiver.url, secret: 'env:KEY' }, { KEY: 'sesame' }));
    const [request] = receiver.requests;
    const seconds = AT_MS / 1_000;
    const hash = createHmac('sha256', 'sesame').update(`${seconds}.${request?.body}`).digest('hex');
    expect(request?.headers['agtmux-signature']).toBe(`t=${seconds},v1=${hash}`);
  });

  it('is not asked where none of its kinds is in the notification', async () => {
    const receiver = await webhookReceiver();
    const hook = webhook({ url: receiver.url, kinds: ['error'] });
    await expect(deliver(hook)).rejects.toThrow('not used');
    await deliver(hook, notification([item(), item({ kind: 'error', place: 'work:2.0' })]));
    expect(JSON.parse(receiver.requests[0]?.body ?? '').requests).toHaveLength(1);
  });
});

describe('the preset', () => {
  const hostile = notification([item({ title: HOSTILE, agent: 'cläude' })]);

  it('ntfy sends plain text with a title that fits a header, and its token', async () => {
    const receiver = await webhookReceiver();
    const hook = { preset: 'ntfy', url: receiver.url, token: 'tk_1', include: ['title'] };
    await deliver(webhook(hook), hostile);
    const [request] = receiver.requests;
    expect(request?.body).toBe(`work:0.1 · ${plainHostile}`);
    const encoded = /^=\?UTF-8\?B\?(.*)\?=$/.exec(String(request?.headers['title']))?.[1] ?? '';
    expect(Buffer.from(encoded, 'base64').toString()).toBe('cläude needs an approval');
    expect(request?.headers['authorization']).toBe('Bearer tk_1');
  });

  it('slack sends a block of plain text, and a fallback in which nothing is markup', async () => {
    const receiver = await webhookReceiver();
    await deliver(webhook({ preset: 'slack', url: receiver.url, include: ['title'] }), hostile);
    const text = `cläude needs an approval\nwork:0.1 · ${plainHostile}`;
    expect(JSON.parse(receiver.requests[0]?.body ?? '')).toEqual({
      text: text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
      mrkdwn: false,
      blocks: [{ type: 'section', text: { type: 'plain_text', text, emoji: false } }],
    });
  });

  it('telegram sends plain text to the chat, and its token in the path alone', async () => {
    const receiver = await webhookReceiver();
    const url = new URL(receiver.url).origin;
    const hook = { preset: 'telegram', url, token: '1:x', chat: '42', include: ['title'] };
    await deliver(webhook(hook), hostile);
    const [request] = receiver.requests;
    expect(request?.path).toBe('/bot1:x/sendMessage');
    expect(JSON.parse(request?.body ?? '')).toEqual({
      chat_id: '42',
      text: `cläude needs an approval\nwork:0.1 · ${plainHostile}`,
      link_preview_options: { is_disabled: true },
    });
  });
});

describe('a reply', () => {
  const cases: readonly [string, PlannedReply, object][] = [
    ['of 500 may pass', { status: 500 }, { detail: 'status 500', mayRetry: true }],
    ['of 429 may pass', { status: 429 }, { detail: 'status 429', mayRetry: true }],
    [
      'of 503 says how long to wait',
      { status: 503, headers: { 'retry-after': '90' } },
      { mayRetry: true, retryAfterMs: 90_000 },
    ],
    [
      'cannot make us wait for longer than a quarter of an hour',
      { status: 429, headers: { 'retry-after': '99999' } },
      { retryAfterMs: 900_000 },
    ],
    ['of 404 is final', { status: 404 }, { detail: 'status 404', mayRetry: false }],
    ['of 400 is final', { status: 400, body: 'no' }, { detail: 'status 400', mayRetry: false }],
    ['that hangs up may pass', 'hangup', { mayRetry: true }],
  ];
  it.each(cases)('%s', async (_what, reply, expected) => {
    const receiver = await webhookReceiver(reply);
    const result = await deliver(webhook({ url: receiver.url }));
    expect(result).toMatchObject({ kind: 'failed', ...expected });
    expect(receiver.requests).toHaveLength(1);
  });

  it('that does not come in time may pass', async () => {
    const receiver = await webhookReceiver('silence');
    const result = await deliver(webhook({ url: receiver.url }, {}, 200));
    expect(result).toEqual({ kind: 'failed', detail: 'no reply within 0.2 s', mayRetry: true });
  });

  it('that redirects is refused: the other address gets nothing', async () => {
    const other = await webhookReceiver();
    const receiver = await webhookReceiver({ status: 307, headers: { location: other.url } });
    const result = await deliver(webhook({ url: receiver.url }));
    expect(result).toMatchObject({ kind: 'failed', mayRetry: false });
    expect(result.detail).toContain('status 307: agtmux follows no redirect');
    expect(other.requests).toEqual([]);
  });

  it('without an end is not read to the end', async () => {
    const receiver = await webhookReceiver('flood');
    expect(await deliver(webhook({ url: receiver.url }))).toMatchObject({ kind: 'delivered' });
  });
});

describe('over the queue, a webhook', () => {
  async function queued(hook: WebhookChannel): Promise<readonly string[]> {
    const saved: NotifyDelivery[] = [];
    const ended = Promise.withResolvers<void>();
    const shown = notification([item()], { atMs: Date.now() });
    const queue = new NotifyQueue({
      store: {
        openDeliveries: () => [],
        notification: () => shown,
        saveDelivery: (each) => saved.push(each),
      },
      channel: () => hook,
      nowMs: () => Date.now(),
      onFault: (error) => ended.reject(error),
      onEnd: () => ended.resolve(),
      retryWaitsMs: [5, 5, 5],
    });
    queue.add([{ number: 7, channel: 'phone' }]);
    await ended.promise;
    await queue[Symbol.asyncDispose]();
    return saved.map(({ status, detail }) => `${status} ${detail ?? '-'}`);
  }

  it('that answers 500, is silent, hangs up and then answers gets one and the same', async () => {
    const receiver = await webhookReceiver({ status: 500 }, 'silence', 'hangup', { status: 204 });
    const saved = await queued(webhook({ url: receiver.url }, {}, 300));
    expect(saved.at(-1)).toBe('delivered status 204');
    expect(receiver.requests).toHaveLength(4);
    expect(new Set(receiver.requests.map(({ body }) => body)).size).toBe(1);
    const ids = receiver.requests.map(({ headers }) => headers['agtmux-delivery']);
    expect(new Set(ids).size).toBe(1);
  });

  it('that never works is given up; one that says no is not asked again', async () => {
    const down = await webhookReceiver({ status: 503 });
    const saved = await queued(webhook({ url: down.url }));
    expect(saved.at(-1)).toBe('failed status 503; given up after 4 attempts');
    expect(down.requests).toHaveLength(4);
    const wrong = await webhookReceiver({ status: 401 });
    expect(await queued(webhook({ url: wrong.url }))).toEqual(['started -', 'failed status 401']);
    expect(wrong.requests).toHaveLength(1);
  });
});

describe('a secret', () => {
  function secretFile(text: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'agtmux-secret-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, 'url'), text);
    return join(folder, 'url');
  }

  it('is read from its file at each delivery', async () => {
    const [first, second] = [await webhookReceiver(), await webhookReceiver()];
    const file = secretFile(`${first.url}\n`);
    const hook = webhook({ url: `file:${file}` });
    await deliver(hook);
    writeFileSync(file, second.url);
    await deliver(hook);
    expect([first.requests.length, second.requests.length]).toEqual([1, 1]);
  });

  it.each([
    ['a variable that is not set', 'env:NOT_SET', 'url: the daemon has no variable NOT_SET'],
    ['a file that is not there', 'file:/no/such', 'url: /no/such cannot be read (ENOENT)'],
    ['no address', 'gopher://x/hunter2', 'the url is not one that begins with https:// or http://'],
  ])('that is %s fails for good, and names it', async (_what, url, detail) => {
    expect(await deliver(webhook({ url }))).toEqual({ kind: 'failed', detail, mayRetry: false });
  });

  it('is in no message of a failure', async () => {
    const hook = webhook({ url: 'http://127.0.0.1:1/hunter2', token: 'hunter2', preset: 'ntfy' });
    const result = await deliver(hook);
    expect(result).toMatchObject({ kind: 'failed', mayRetry: true });
    expect(result.detail).not.toContain('hunter2');
  });
});
