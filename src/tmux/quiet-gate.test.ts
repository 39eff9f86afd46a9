import { expect, it } from 'vitest';
import type { Reply } from '../tmux-wire/control-parser.ts';
import { changeCommands, hasAttachFault, QuietGate } from './quiet-gate.ts';

const listing = (text: string): readonly Reply[] => [
  { kind: 'reply', ok: true, number: 1, flags: 1, lines: [text] },
];
const change = { kind: 'sessions-changed' } as const;

it('a server that does not change may be attached to after a second listing', () => {
  const gate = new QuietGate();
  gate.listed(listing('a'), 0, 5);
  const waitMs = gate.waitMs(0);
  expect(waitMs).toBeGreaterThan(0);
  expect(waitMs).toBeLessThanOrEqual(500);
  gate.listed(listing('a'), waitMs, 5);
  expect(gate.waitMs(waitMs)).toBe(0);
});

it('a change between two listings makes the client wait again', () => {
  const gate = new QuietGate();
  gate.listed(listing('a'), 0, 5);
  gate.listed(listing('b'), 80, 5);
  expect(gate.waitMs(80)).toBe(600);
  gate.listed(listing('b'), 680, 5);
  expect(gate.waitMs(680)).toBe(0);
});

it('a server that changes all the time is never attached to', () => {
  const gate = new QuietGate();
  for (let nowMs = 0; nowMs < 600_000; nowMs += 100) {
    gate.listed(listing(String(nowMs)), nowMs, 5);
    expect(gate.waitMs(nowMs)).toBeGreaterThan(0);
  }
});

it('a server that changes once a second is not attached to between the changes', () => {
  const gate = new QuietGate();
  gate.listed(listing('0'), 0, 5);
  for (let nowMs = 1_000; nowMs < 60_000; nowMs += 100) {
    if (nowMs % 1_000 === 0) gate.notified(change, nowMs);
    if (nowMs > 2_000) expect(gate.waitMs(nowMs)).toBeGreaterThan(0);
  }
  expect(gate.waitMs(63_000)).toBe(0);
});

it('a script that makes some sessions in a row delays a client for a moment only', () => {
  const gate = new QuietGate();
  gate.listed(listing('0'), 0, 5);
  for (let nowMs = 1_000; nowMs < 1_500; nowMs += 20) gate.notified(change, nowMs);
  expect(gate.waitMs(1_480)).toBe(600);
  expect(gate.waitMs(2_080)).toBe(0);
});

it('notifications that cannot reach a half-attached client do not count', () => {
  const gate = new QuietGate();
  gate.listed(listing('0'), 0, 5);
  gate.notified({ kind: 'window-renamed' }, 1_000);
  gate.notified({ kind: 'client-session-changed' }, 1_000);
  expect(gate.waitMs(1_000)).toBe(0);
});

it('a server that nobody observed is observed anew', () => {
  const gate = new QuietGate();
  gate.listed(listing('0'), 0, 5);
  gate.lost();
  expect(gate.waitMs(60_000)).toBeGreaterThan(0);
  gate.listed(listing('1'), 60_000, 5);
  expect(gate.waitMs(60_000)).toBeGreaterThan(0);
  gate.listed(listing('1'), 60_500, 5);
  expect(gate.waitMs(60_500)).toBe(0);
});

it('on a busy machine, where a client attaches slowly, a longer quiet is needed', () => {
  const gate = new QuietGate();
  gate.listed(listing('a'), 0, 300);
  expect(gate.waitMs(0)).toBeGreaterThan(1_500);
});

it('sessions that come and go between two listings are counted', () => {
  expect(changeCommands().flat().join(' ')).toContain('#{next_session_id}');
});

it('versions before 3.8, and those that are not known, could die of a client that attaches', () => {
  const faulty = ['3.2', '3.3a', '3.4', '3.5a', '3.7b', 'master', 'openbsd-7.8', ''];
  for (const version of faulty) expect(hasAttachFault(version)).toBe(true);
  for (const version of ['3.8', '3.8a', 'next-3.9', '4.0']) {
    expect(hasAttachFault(version)).toBe(false);
  }
});
