// The commands for machines and for putting off requests, against a daemon in small.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { NOW, runHere, SmallDaemon } from './fixture.ts';

let daemon: SmallDaemon;

beforeEach(async () => {
  daemon = new SmallDaemon();
  await daemon.start();
});

afterEach(async () => {
  await daemon[Symbol.asyncDispose]();
});

const agtmux = (...args: readonly string[]) => runHere(...args, '-s', daemon.socketPath);
const askedFor = (method: string): unknown =>
  daemon.asked.find((each) => each.method === method)?.params;

it('target connect says how a machine is, and why it is not well', async () => {
  const item = {
    target: 'vm1',
    name: 'vm1',
    kind: 'ssh',
    connection_ref: 'vm1',
    last_seen_at: NOW,
  };
  daemon.handlers['connect_target'] = () => ({ ...item, health: 'ok', detail: null });
  expect(await agtmux('target', 'connect', 'vm1')).toMatchObject({ code: 0, out: 'vm1: ok\n' });
  daemon.handlers['connect_target'] = () => ({ ...item, health: 'down', detail: 'no route' });
  const lost = { code: 69, out: 'vm1: down (no route)\n' };
  expect(await agtmux('target', 'connect', 'vm1')).toMatchObject(lost);
});

it('target add says whether it connected, and why not', async () => {
  const item = { target: 'vm1', name: 'vm1', kind: 'ssh', connection_ref: 'vm1' };
  const added = { ...item, last_seen_at: null, health: 'degraded', detail: null };
  daemon.handlers['add_target'] = () => added;
  daemon.handlers['connect_target'] = () => ({ ...added, health: 'ok' });
  const connected = 'vm1 is watched by ssh vm1, and connected\n';
  expect(await agtmux('target', 'add', 'vm1')).toMatchObject({ code: 0, out: connected });
  expect(askedFor('connect_target')).toEqual({ name: 'vm1', timeout_ms: 15_000 });
  daemon.handlers['connect_target'] = () => ({
    ...added,
    health: 'degraded',
    detail: 'no route',
  });
  const lost = await agtmux('target', 'add', 'vm1');
  expect(lost.out).toContain('vm1 is watched by ssh vm1, but not connected: no route\n');
  expect(lost.out).toContain('agtmux target connect vm1');
  daemon.asked.length = 0;
  const unasked = await agtmux('target', 'add', 'vm1', '--no-wait');
  expect(unasked.out).toBe('vm1 is watched by ssh vm1\n');
  expect(daemon.asked.map(({ method }) => method)).not.toContain('connect_target');
});

it('snooze takes a duration and says until when; unsnooze ends it', async () => {
  daemon.handlers['snooze'] = () => ({ ok: true, snoozed_until: NOW });
  daemon.handlers['unsnooze'] = () => ({ ok: true });
  const { code, out } = await agtmux('snooze', '%3', '2h');
  expect(code).toBe(0);
  expect(out).toMatch(/^Snoozed until .*\d\d:\d\d\.\n$/);
  expect(askedFor('snooze')).toEqual({ ref: '%3', for_ms: 7_200_000 });
  daemon.asked.length = 0;
  await agtmux('snooze', '%3');
  expect(askedFor('snooze')).toEqual({ ref: '%3' });
  expect((await agtmux('snooze', '%3', 'soon')).code).toBe(64);
  expect((await agtmux('unsnooze', '%3')).code).toBe(0);
  expect(askedFor('unsnooze')).toEqual({ ref: '%3' });
});
