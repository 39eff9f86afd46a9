// The rows of the audit trail that stand for keys: one for a while of typing, with its bytes.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PaneLocks } from '../../acting/pane-locks.ts';
import { emptyWorld, type PaneRecord, type World } from '../../core/world.ts';
import { id, type PaneKey, type RuntimeId } from '../../schema/ids.ts';
import type { Reply } from '../../tmux-wire/control-parser.ts';
import { Typing } from './typing.ts';

beforeEach(() => {
  vi.useFakeTimers();
  world = { ...emptyWorld, panes: new Map([[pane.paneKey, pane]]) };
});
afterEach(() => void vi.useRealTimers());

const facts = { paneId: '%1', birth: { pid: 7 }, command: 'claude' };
const row = { runtimeId: null, stateVersion: 1 };
const pane = { paneKey: id<PaneKey>('one'), facts, row } as unknown as PaneRecord;
let world: World;
const replyOf = (line: string): Reply => ({
  ...{ kind: 'reply', ok: true, number: 1, flags: 1 },
  lines: [line],
});

interface Stubs {
  readonly line?: string;
  readonly run?: () => Promise<readonly Reply[]>;
  readonly startedAtMs?: () => number | null;
}

function open({
  line = 'agtmux-done',
  run = async () => [replyOf(line)],
  startedAtMs = () => 0,
}: Stubs = {}) {
  const begun: unknown[] = [];
  const finished: unknown[] = [];
  const locks = new PaneLocks();
  const typing = new Typing({
    nowMs: () => 0,
    world: () => world,
    locks,
    actions: {
      begin: ({ actor, kind, input }) => void begun.push([actor, kind, input]),
      finish: (_id, { result, code, detail }) => finished.push([result, code, detail]) as never,
    },
    linkAt: () => ({ run }),
    processesAt: () => ({ startedAtMs }) as never,
    commandTimeoutMs: () => 1_000,
    log: () => {},
  });
  const type = (actor: string, text: string, target = pane) => {
    const signal = new AbortController().signal;
    const bytes = Buffer.from(text).toString('base64');
    return typing.type(target, [{ bytes }], { actor, signal, commit: () => {} });
  };
  return { begun, finished, locks, typing, type };
}

it('keys of one viewer are one row until it rests, with their number of bytes', async () => {
  const { begun, finished, type } = open();
  expect(await type('a', 'hello')).toEqual({ ok: true, value: 5 });
  await type('b', 'x');
  vi.advanceTimersByTime(29_000);
  await type('a', '日');
  expect(begun).toEqual([
    ['a', 'type', '{}'],
    ['b', 'type', '{}'],
  ]);
  vi.advanceTimersByTime(29_000);
  expect(finished).toEqual([['unconfirmed', null, 'typed 1 bytes']]);
  vi.advanceTimersByTime(1_000);
  expect(finished).toHaveLength(2);
  expect(finished[1]).toEqual(['unconfirmed', null, 'typed 8 bytes']);
  await type('a', 'y');
  expect(begun).toHaveLength(3);
});

it('keys that tmux refused are a refusal with its reason', async () => {
  const { finished, typing, type } = open({ line: 'agtmux-refused 7 1 0 0 0 claude' });
  expect(await type('a', 'x')).toMatchObject({ ok: false, refusal: { code: 'E_PANE_MODE' } });
  typing[Symbol.dispose]();
  expect(finished).toEqual([
    ['refused', 'E_PANE_MODE', 'typed 0 bytes; then the pane is in copy mode'],
  ]);
});

it('keys that too many actions stand before are refused, and not said to be typed', async () => {
  const { locks, type } = open();
  const { promise, resolve } = Promise.withResolvers<void>();
  const signal = new AbortController().signal;
  const waiting = Array.from({ length: 256 }, () => locks.run(pane.paneKey, signal, () => promise));
  expect(await type('a', 'x')).toMatchObject({ ok: false, refusal: { code: 'E_ACTIONS_BUSY' } });
  resolve();
  await Promise.all(waiting);
});

it('nothing more is typed once the process of the agent has ended, step by step', async () => {
  const runtimeId = id<RuntimeId>('r1');
  const managed = { ...pane, row: { ...row, runtimeId } } as unknown as PaneRecord;
  const runtime = { runtimeId, pid: 9, startedAtMs: 5, endedAtMs: null } as never;
  const [panes, runtimes] = [new Map([[pane.paneKey, managed]]), new Map([[runtimeId, runtime]])];
  world = { ...world, panes, runtimes };
  let steps = 0;
  const run = async () => {
    steps += 1;
    return [replyOf('agtmux-done')];
  };
  // Its shell may have the name of its program, so that tmux sees no difference.
  const { type } = open({ run, startedAtMs: () => (steps < 2 ? 5 : null) });
  const result = await type('a', 'x'.repeat(10_000), managed);
  expect(result).toMatchObject({ ok: false, refusal: { code: 'E_RUNTIME_STALE' } });
  expect(steps).toBe(2);
});
