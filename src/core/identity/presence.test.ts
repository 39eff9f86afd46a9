// Whether an agent lives in a pane (rule 10): the process tree decides where it can be read.

import { describe, expect, test } from 'vitest';
import {
  agents,
  claim,
  claude,
  config,
  evidence,
  local,
  paneFacts,
  paneKey,
  processSignature,
  Run,
  runtimeId,
  runtimeStarts,
  T0,
} from '../../../tests/scenario.ts';
import type { EventDraft } from '../../schema/event.ts';
import { id } from '../../schema/ids.ts';
import { sessionAt } from '../world.ts';
import { type FoundAgent, nextPaneEpoch, observeProcesses, type ProcessScan } from './presence.ts';

const agent = (changes: Partial<FoundAgent> = {}): FoundAgent => ({
  runtimeId: runtimeId(0),
  agent: claude,
  pid: 2_001,
  startedAtMs: T0,
  suspended: false,
  signature: processSignature,
  ...changes,
});
const scan = (
  found: FoundAgent | null,
  tree: Partial<NonNullable<ProcessScan['tree']>> = {},
  atMs = T0 + 10,
): ProcessScan => ({
  paneKey: paneKey(0),
  atMs,
  tree: { found, pidGone: false, exitCode: null, crashed: false, ...tree },
});
const types = (run: Run, seen: ProcessScan) =>
  observeProcesses(run.world, seen).map(({ type }) => type);
const scans = (run: Run, ...seen: readonly ProcessScan[]) =>
  run.observe(...seen.map((each) => ({ kind: 'scan' as const, scan: each })));
const empty = () => new Run(agents().slice(0, -1));
const startBy = (basis: string): EventDraft =>
  ({ ...runtimeStarts(0), basis, pid: null }) as EventDraft;

describe('an agent that is found', () => {
  test('in an empty pane has started', () => {
    const run = scans(empty(), scan(agent({ sessionKey: id('s-1') })));
    expect(run.row()).toMatchObject({
      presence: 'managed',
      runtimeId: runtimeId(0),
      agent: 'claude',
      signature: { class: 'heuristic', confidence: 1 },
    });
    expect(run.world.sessions.get(sessionAt(local, id('s-1')))?.runtimeId).toBe(runtimeId(0));
  });

  test('where it already was makes no event', () => {
    expect(types(new Run(), scan(agent()))).toEqual([]);
  });

  test('in place of another ends that runtime and its claims', () => {
    const run = scans(new Run(), scan(agent({ runtimeId: runtimeId(0, 2), pid: 2_002 })));
    expect(run.eventTypes().slice(-2)).toEqual(['runtime.ended', 'runtime.started']);
    expect(run.events.at(-2)).toMatchObject({ runtimeId: runtimeId(0), reason: 'replaced' });
    expect(run.row()).toMatchObject({ runtimeId: runtimeId(0, 2), presence: 'managed' });
    expect(run.world.panes.get(paneKey(0))?.paneEpoch).toBe(2);
  });
});

describe('an agent that is not found', () => {
  test('is missed at the first scan and ended at the second', () => {
    const run = scans(new Run(), scan(null));
    expect(run.eventTypes().at(-1)).toBe('runtime.missed');
    expect(run.row().presence).toBe('managed');
    scans(run, scan(null, {}, T0 + 20));
    expect(run.events.at(-1)).toMatchObject({ type: 'runtime.ended', reason: 'no_agent' });
    expect(run.row()).toMatchObject({ presence: 'unmanaged', reasonCode: 'no_agent' });
  });

  test('is not ended when a scan in between finds it', () => {
    const run = scans(new Run(), scan(null), scan(agent(), {}, T0 + 20), scan(null, {}, T0 + 30));
    expect(run.eventTypes().slice(-3)).toEqual([
      'runtime.missed',
      'runtime.found',
      'runtime.missed',
    ]);
    expect(run.row().presence).toBe('managed');
  });

  test('is ended at once when its process is gone', () => {
    const run = scans(new Run(), scan(null, { pidGone: true, exitCode: 0 }));
    expect(run.events.at(-1)).toMatchObject({
      type: 'runtime.ended',
      reason: 'process_gone',
      exitCode: 0,
      crashed: false,
    });
    expect(run.row().presence).toBe('unmanaged');
  });

  test('leaves a crash in the attention of the pane when it crashed', () => {
    const run = scans(new Run(), scan(null, { pidGone: true, exitCode: 139, crashed: true }));
    expect(run.row().attention.kinds).toEqual(['crash']);
  });

  describe('whose process is gone', () => {
    const gone = (changes: object = {}) =>
      scan(null, { pidGone: true, isInteractive: true, ...changes }, T0 + 900);
    const word = (run: Run) => `${run.row().state}/${run.row().reasonCode}`;
    const ask = () => evidence('hooks', T0, [claim('waiting_approval')]);

    test.each(['running', 'waiting_approval', 'waiting_input'] as const)(
      'in the middle of a turn (%s) has crashed',
      (says) => {
        const run = scans(new Run().see(evidence('hooks', T0, [claim(says)])), gone());
        expect(run.events.at(-1)).toMatchObject({ crashed: true, during: says });
        expect(run.row()).toMatchObject({ presence: 'unmanaged', attention: { kinds: ['crash'] } });
        expect(run.row().attention.requests).toMatchObject([
          { note: `claude ended while ${says}` },
        ]);
      },
    );

    test('after its turn was left without a trace', () => {
      const run = new Run().see(ask(), evidence('hooks', T0 + 400, [claim('completed')]));
      expect(word(scans(run, gone()))).toBe('unknown/no_agent');
    });

    test('after a rest that was read once on the screen was left', () => {
      const read = { tier: 'heuristic', kind: 'level' } as const;
      const anchored = { basis: 'anchored' } as const;
      const run = new Run().see(
        evidence('screen', T0, [claim('running', anchored)], read),
        evidence('screen', T0 + 800, [claim('at_rest', anchored)], read),
      );
      expect(run.row().state).toBe('running');
      expect(word(scans(run, gone()))).toBe('unknown/no_agent');
    });

    test('after it reported its end was left', () => {
      const run = new Run().see(ask(), evidence('hooks', T0 + 400, [], { ended: true }));
      expect(run.row().state).toBe('waiting_approval');
      expect(word(scans(run, gone()))).toBe('unknown/no_agent');
    });

    test('has crashed if it went on after it reported the end of a session', () => {
      const run = new Run().see(evidence('hooks', T0, [], { ended: true }));
      run.see(evidence('hooks', T0 + 400, [claim('running')]));
      expect(word(scans(run, gone()))).toBe('error/crashed');
    });

    test.each(['startup_dialog', 'dialog_open', 'auth_required'] as const)(
      'at a dialog at which a person may leave (%s) was left',
      (reason) => {
        const run = new Run().see(evidence('hooks', T0, [claim('waiting_input', { reason })]));
        expect(word(scans(run, gone()))).toBe('unknown/no_agent');
      },
    );

    test.each([
      ['answers once and exits', { isInteractive: false }],
      ['exited with 0', { exitCode: 0 }],
    ])('and that %s has not crashed', (_what, changes) => {
      expect(word(scans(new Run().see(ask()), gone(changes)))).toBe('unknown/no_agent');
    });

    test('while the daemon was away has left nothing to judge by', () => {
      const run = new Run().see(ask()).apply({ type: 'daemon.started', atMs: T0 + 600, config });
      expect(word(scans(run, gone()))).toBe('unknown/no_agent');
    });
  });

  test('is managed again when a later scan finds it', () => {
    const run = scans(new Run(), scan(null), scan(null, {}, T0 + 20), scan(agent(), {}, T0 + 30));
    expect(run.row()).toMatchObject({ presence: 'managed', runtimeId: runtimeId(0) });
    expect(types(run, scan(agent(), {}, T0 + 40))).toEqual([]);
  });

  test('makes no event in a pane without an agent', () => {
    expect(types(empty(), scan(null))).toEqual([]);
    expect(types(empty(), scan(null, { pidGone: true }))).toEqual([]);
  });

  test.each(['event', 'osc', 'option', 'tag', 'command', 'screen'])(
    'is ended after two scans when it was recognised by %s and the tree can be read',
    (basis) => {
      const run = scans(empty().apply(startBy(basis)), scan(null), scan(null, {}, T0 + 20));
      expect(run.row().presence).toBe('unmanaged');
    },
  );
});

describe('a tree that could not be read', () => {
  test('makes no event, however often', () => {
    const unread = { ...scan(null), tree: null };
    const run = scans(new Run(), unread, unread, unread);
    expect(types(run, unread)).toEqual([]);
    expect(run.row().presence).toBe('managed');
  });

  test('does not count as a scan', () => {
    const run = scans(new Run(), scan(null), { ...scan(null), tree: null });
    expect(run.row().presence).toBe('managed');
  });
});

describe('in an opaque pane', () => {
  const facts = paneFacts(0, { opaque: true, command: 'ssh' });
  const opaque = (start: EventDraft) =>
    empty().apply({ type: 'pane.changed', atMs: T0, paneKey: paneKey(0), facts }, start);

  test.each(['event', 'osc', 'option', 'tag', 'command', 'screen'])(
    'the tree never ends a runtime that was recognised by %s',
    (basis) => {
      const run = opaque(startBy(basis));
      for (let index = 0; index < 5; index += 1) scans(run, scan(null, { pidGone: true }));
      expect(run.row().presence).toBe('managed');
      expect(run.eventTypes()).not.toContain('runtime.missed');
    },
  );

  test('what an agent said last is unknown while a shell is in front of it', () => {
    const run = opaque(startBy('screen')).see(evidence('hooks', T0, [claim('running')]));
    expect(run.row()).toMatchObject({ state: 'running' });
    const shell = scan(null, { isShellInFront: true });
    scans(run, shell);
    expect(run.row()).toMatchObject({ presence: 'managed', state: 'unknown' });
    expect(run.row().reasonCode).toBe('stale_signal');
    expect(types(run, shell)).toEqual([]);
    scans(run, scan(null, { isShellInFront: false }));
    expect(run.row()).toMatchObject({ state: 'running' });
    scans(run, scan(null, { isShellInFront: true, leftOpaque: true }));
    expect(run.row().presence).toBe('unmanaged');
  });

  test('a runtime with a local process ends when the process is gone', () => {
    const run = scans(opaque(runtimeStarts(0)), scan(null, { pidGone: true }));
    expect(run.row().presence).toBe('unmanaged');
  });
});

describe('a stopped process', () => {
  test('is suspended until it continues, and each change makes one event', () => {
    const run = scans(new Run(), scan(agent({ suspended: true })));
    expect(run.row()).toMatchObject({ state: 'unknown', reasonCode: 'suspended' });
    expect(types(run, scan(agent({ suspended: true })))).toEqual([]);
    scans(run, scan(agent()));
    expect(run.row().reasonCode).toBe('no_evidence');
  });
});

describe('after a start', () => {
  test('finding the process makes one event', () => {
    const run = new Run().apply({ type: 'host.woke', atMs: T0 + 5 });
    expect(types(run, scan(agent()))).toEqual(['runtime.found']);
    expect(types(scans(run, scan(agent())), scan(agent()))).toEqual([]);
  });
});

describe('a scan of a gone or unknown pane', () => {
  test('makes no event', () => {
    expect(types(new Run([]), scan(agent()))).toEqual([]);
    const closed = new Run().apply({
      type: 'pane.gone',
      atMs: T0 + 5,
      paneKey: paneKey(0),
      reason: 'closed',
    });
    expect(types(closed, scan(agent()))).toEqual([]);
  });
});

test('the next epoch of a pane counts its runtimes', () => {
  expect(nextPaneEpoch(new Run([]).world, paneKey(0))).toBe(1);
  expect(nextPaneEpoch(empty().world, paneKey(0))).toBe(1);
  expect(nextPaneEpoch(new Run().world, paneKey(0))).toBe(2);
  expect(nextPaneEpoch(new Run().apply(runtimeStarts(0, 2, T0 + 1)).world, paneKey(0))).toBe(3);
});
