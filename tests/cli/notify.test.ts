// `agtmux notify` against a daemon in small: what it asks, what it prints, how it ends.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { notifySchemas } from '../../src/schema/notify/notify-schemas.ts';
import { NOW, runHere, SmallDaemon } from './fixture.ts';

let daemon: SmallDaemon;

beforeEach(async () => {
  daemon = new SmallDaemon();
  await daemon.start();
  vi.stubEnv('LC_ALL', 'C.UTF-8');
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await daemon[Symbol.asyncDispose]();
});

const agtmux = (...args: readonly string[]) => runHere('notify', ...args, '-s', daemon.socketPath);
const askedFor = (method: string): unknown =>
  daemon.asked.find((each) => each.method === method)?.params;

const envelope = { schema_version: 1, generated_at: NOW } as const;
const HOSTILE = 'x\u001b]0;owned\u0007\nsecond';

const status = notifySchemas.notify_status.output.parse({
  ...envelope,
  on: true,
  decided_by: 'command',
  channels: [
    { channel: 'desktop', used: true, last: null },
    {
      channel: 'phone',
      used: false,
      last: { channel: 'phone', status: 'failed', attempts: 6, detail: 'status 500', at: NOW },
    },
  ],
  listeners: 1,
  pending: [
    { agent: 'codex', place: HOSTILE, kind: 'question', since: NOW, waits_for: 'cooldown' },
  ],
  mutes: [
    { id: 'abc123', agent: 'codex', session: null, target: null, hours: null, until: null },
    { id: null, agent: null, session: null, target: null, hours: '22:00-07:00', until: null },
  ],
});

describe('notify', () => {
  it('status shows channels with their last result, what waits, and what is muted', async () => {
    daemon.handlers['notify_status'] = () => status;
    const { code, out } = await agtmux('status');
    expect(code).toBe(0);
    expect(out.split('\n')).toEqual([
      'Notifications are on, by agtmux notify.',
      expect.stringMatching(/^CHANNEL {2}USED/),
      expect.stringMatching(/^desktop {2}used +-/),
      expect.stringMatching(/^phone +not used +failed \w+ ago +status 500/),
      'agtmux notify listen runs in 1 terminal.',
      '',
      expect.stringMatching(/^codex in x second: question, .*; waits for the end of the cooldown/),
      '',
      'Muted:',
      '  abc123  agent codex',
      '  (config.toml)  everything at 22:00-07:00',
      '',
    ]);
  });

  it.each([
    ['on', true],
    ['off', false],
    ['auto', null],
  ])('%s switches', async (word, on) => {
    daemon.handlers['notify_switch'] = () => status;
    expect((await agtmux(word)).code).toBe(0);
    expect(askedFor('notify_switch')).toEqual({ on });
  });

  it('mute sends every option, and unmute an id or none', async () => {
    daemon.handlers['notify_mute'] = () => status;
    daemon.handlers['notify_unmute'] = () => status;
    await agtmux(
      ...['mute', '--agent', 'codex', '--session', 's*', '--target', 'vm1'],
      ...['--hours', 'Mon-Fri 12:00-13:00', '--for', '2h'],
    );
    expect(askedFor('notify_mute')).toEqual({
      ...{ agent: 'codex', session: 's*', target: 'vm1', hours: 'Mon-Fri 12:00-13:00' },
      for_ms: 7_200_000,
    });
    await agtmux('unmute', 'abc123');
    expect(askedFor('notify_unmute')).toEqual({ id: 'abc123' });
  });

  it('log says of each decision why, and what came of it on each channel', async () => {
    const delivery = { channel: 'phone', status: 'failed', attempts: 1, detail: HOSTILE, at: NOW };
    daemon.handlers['notify_log'] = () => ({
      ...envelope,
      entries: [
        {
          ...{ at: NOW, agent: 'claude', place: 'work:0.1', pane_key: 'p', kind: 'approval' },
          ...{ since: NOW, notified: true, reason: 'at_once', notification: 3 },
          deliveries: [{ ...delivery, channel: 'desktop', status: 'delivered' }, delivery],
        },
        {
          ...{ at: NOW, agent: null, place: 'work:0.2', pane_key: 'q', kind: 'completion' },
          ...{ since: NOW, notified: false, reason: 'seen', notification: null, deliveries: [] },
        },
      ],
    });
    const { out } = await agtmux('log', '--limit', '5');
    expect(askedFor('notify_log')).toEqual({ limit: 5 });
    expect(out).toMatch(/claude +work:0\.1 +approval +notified +this kind does not wait/);
    expect(out).toContain('desktop, phone: failed (x second)');
    expect(out).toMatch(/- +work:0\.2 +completion +held back +you had seen it/);
  });

  it('test prints what came of each, and ends with 69 where one failed', async () => {
    const results = [
      { channel: 'desktop', delivered: true, detail: null },
      { channel: 'phone', delivered: false, detail: 'status 404' },
    ];
    daemon.handlers['notify_test'] = () => ({ ...envelope, results });
    expect(await agtmux('test')).toMatchObject({
      code: 69,
      out: 'desktop: delivered\nphone: failed (status 404)\n',
    });
    daemon.handlers['notify_test'] = () => ({ ...envelope, results: results.slice(0, 1) });
    expect((await agtmux('test', 'desktop')).code).toBe(0);
  });
});
