// Resolving references: every form that a table prints means its pane, and what may mean another
// one is refused with what to type instead.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  agents,
  paneFacts,
  paneKey,
  Run,
  runtimeId,
  runtimeStarts,
  T0,
} from '../../../tests/scenario.ts';
import type { EventDraft } from '../../schema/event.ts';
import { id, paneKeyOf, type TargetId } from '../../schema/ids.ts';
import type { PaneFacts, PaneLocation } from '../../schema/pane.ts';
import { formatReference } from '../identity/reference.ts';
import { type RefUse, resolveRef } from './resolve-ref.ts';

const hostile = [
  ...['a;b', '#{pid}', '/', '+', '%', '%2F', ' ', 'naïve', '🤖🚀', 'a\nb', 'a\rb', '\u001b[31m'],
  ...["'", '"', '$(id)', '=name:', ':1.2', '..', '\u202e', 'runtime:x', 'pane:', '\u0000', '?#&'],
];

const shows = (...panes: readonly PaneFacts[]) =>
  new Run([]).apply(
    ...panes.map((facts) => ({
      type: 'pane.appeared' as const,
      atMs: T0,
      paneKey: paneKeyOf(facts),
      facts,
    })),
  );
const place = (changes: Partial<PaneLocation> = {}): PaneLocation => ({
  sessionId: '$1',
  sessionName: 'work',
  windowId: '@0',
  windowIndex: 0,
  windowName: 'shell',
  paneIndex: 0,
  active: true,
  ...changes,
});
const at = (index: number, location: Partial<PaneLocation>, changes: Partial<PaneFacts> = {}) =>
  paneFacts(index, { locations: [place(location)], ...changes });

const find = (run: Run, text: string, use: RefUse = 'act') => {
  const found = resolveRef(run.world, text, use);
  return found.ok ? found.value.paneKey : found.refusal.code;
};
const refusalOf = (run: Run, text: string, use: RefUse = 'act') => {
  const found = resolveRef(run.world, text, use);
  if (found.ok) throw new Error(`${text} means ${found.value.paneKey}`);
  return found.refusal;
};
const targetIs = (targetId: string, name: string): EventDraft => ({
  type: 'target.changed',
  atMs: T0,
  target: { targetId: id(targetId), name, kind: 'ssh', connectionRef: name, health: 'ok' },
});

describe('a pane is found by', () => {
  const run = () =>
    shows(
      at(0, {}),
      at(1, { windowId: '@7', windowIndex: 7, windowName: 'logs', paneIndex: 1 }),
    ).apply({
      type: 'target.changed',
      atMs: T0,
      target: {
        targetId: id('local'),
        name: 'laptop',
        kind: 'local',
        connectionRef: null,
        health: 'ok',
      },
    });
  test.each([
    ['session name, window index and pane index', 'pane:local/work/7/1'],
    ['session id', 'pane:local/%241/7/1'],
    ['window id', 'pane:local/work/%407/1'],
    ['window name', 'pane:local/work/logs/1'],
    ['pane id', 'pane:local/work/7/%251'],
    ['its server too', 'pane:local+default/work/7/1'],
    ['the name of its target', 'pane:laptop/work/7/1'],
  ])('%s', (_name, text) => {
    expect(find(run(), text)).toBe(paneKey(1));
  });

  test.each([
    ['another target', 'pane:vm1/work/7/1'],
    ['another server', 'pane:local+second/work/7/1'],
    ['another session', 'pane:local/wor/7/1'],
    ['a prefix of a window name', 'pane:local/work/log/1'],
    ['another pane', 'pane:local/work/7/2'],
    ['a name in another case', 'pane:local/Work/7/1'],
  ])('nothing by %s', (_name, text) => {
    expect(find(run(), text)).toBe('E_REF_NOT_FOUND');
  });

  test('its names, with any characters in them', () => {
    for (const sessionName of hostile) {
      const reference = { target: 'local', server: null, window: '0', pane: '0' };
      const text = formatReference({ kind: 'pane', session: sessionName, ...reference });
      expect(find(shows(at(0, { sessionName })), text)).toBe(paneKey(0));
    }
  });

  test('nothing once it is gone', () => {
    const closed = run().apply({
      type: 'pane.gone',
      atMs: T0 + 1,
      paneKey: paneKey(1),
      reason: 'closed',
    });
    expect(find(closed, 'pane:local/work/7/1')).toBe('E_REF_NOT_FOUND');
  });
});

describe('more than one pane is a refusal', () => {
  test('when two servers of a target have the same place', () => {
    const second = at(0, {}, { server: 'second' });
    const run = shows(at(0, {}), second);
    expect(find(run, 'pane:local/work/0/0')).toBe('E_REF_AMBIGUOUS');
    expect(find(run, 'pane:local+second/work/0/0')).toBe(paneKeyOf(second));
    expect(find(run, 'pane:local+default/work/0/0')).toBe(paneKey(0));
  });

  test('when two windows of a session have the same name', () => {
    const run = shows(at(0, {}), at(1, { windowId: '@1', windowIndex: 1 }));
    expect(find(run, 'pane:local/work/shell/0')).toBe('E_REF_AMBIGUOUS');
    expect(find(run, 'pane:local/work/1/0')).toBe(paneKey(1));
  });

  test('and a pane that two sessions show is still one', () => {
    const linked = paneFacts(0, {
      locations: [place(), place({ sessionId: '$2', sessionName: 'other', windowIndex: 4 })],
    });
    expect(find(shows(linked), 'pane:local/work/0/0')).toBe(paneKey(0));
    expect(find(shows(linked), 'pane:local/other/4/0')).toBe(paneKey(0));
    expect(find(shows(linked), 'pane:local/other/0/0')).toBe('E_REF_NOT_FOUND');
  });
});

describe('a runtime is found', () => {
  const run = () => new Run([...agents(), runtimeStarts(0, 2, T0 + 1)]);
  test.each([
    ['while it lives', runtimeId(0, 2), paneKey(0)],
    ['no longer when it is over', runtimeId(0, 1), 'E_RUNTIME_STALE'],
    ['never when it is not known', runtimeId(9), 'E_REF_NOT_FOUND'],
  ])('%s', (_name, runtime, expected) => {
    expect(find(run(), `runtime:${runtime}`)).toBe(expected);
  });
});

describe('a name that a table prints means its pane', () => {
  const vm1 = id<TargetId>('vm1');
  const named = (index: number, alias: string): EventDraft => ({
    type: 'pane.named',
    atMs: T0 + 5,
    paneKey: paneKey(index),
    alias,
  });
  /** Two agents in `api`, one shell in `my_app`, one shell in a session with a slash. */
  const run = () =>
    shows(
      at(0, { sessionName: 'api', windowIndex: 0 }),
      at(1, { sessionName: 'api', windowIndex: 1, windowId: '@1', windowName: 'v1.2 fix' }),
      at(2, { sessionName: 'my_app', windowIndex: 3, windowId: '@3' }),
      at(3, { sessionName: 'feat/log in', windowIndex: 0, windowId: '@4' }),
      at(4, { sessionName: 'api', windowIndex: 0 }, { targetId: vm1, paneId: '%40' }),
      at(5, { sessionName: 'side', windowIndex: 0 }, { server: '/tmp/tmux-0/work' }),
    ).apply(
      targetIs('vm1', 'build-box'),
      targetIs('local', 'local'),
      runtimeStarts(0),
      { ...runtimeStarts(1), agent: id('codex') } as EventDraft,
      named(0, 'review bot'),
    );
  const remote = paneKeyOf(paneFacts(4, { targetId: vm1, paneId: '%40' }));
  const side = paneKeyOf(paneFacts(5, { server: '/tmp/tmux-0/work' }));

  test.each([
    ['local/api:0.0', paneKey(0)],
    ['local+default/api:0.0', paneKey(0)],
    ['build-box/api:0.0', remote],
    ['vm1/api:0.0', remote],
    ['vm1/api', remote],
    ['api:1.0', paneKey(1)],
    ['api:@1.0', paneKey(1)],
    ['api:1.%1', paneKey(1)],
    ['api:1', paneKey(1)],
    ['api:v1.2 fix.0', paneKey(1)],
    ['api:v1.2 fix', paneKey(1)],
    ['my_app', paneKey(2)],
    ['my.app', paneKey(2)],
    ['my.app:3.0', paneKey(2)],
    ['feat/log in:0.0', paneKey(3)],
    ['feat/log in', paneKey(3)],
    ['local/feat/log in:0.0', paneKey(3)],
    ['local+work/side:0.0', side],
    ['side', side],
    ['%1', paneKey(1)],
    ['local/%1', paneKey(1)],
    ['%40', remote],
    ['claude', paneKey(0)],
    ['local/claude', paneKey(0)],
    ['review bot', paneKey(0)],
    ['r1-1', paneKey(1)],
    ['pane:local/api/@1/%1', paneKey(1)],
    ['pane:local/api/@1/%251', paneKey(1)],
    ['pane:local+work/side/@0/%5', side],
    [paneKey(1), paneKey(1)],
  ])('%s', (text, expected) => {
    expect(find(run(), text)).toBe(expected);
  });

  test('a session, window or agent of several panes is refused with what to type for each', () => {
    const { code, candidates } = refusalOf(run(), 'api');
    expect(code).toBe('E_REF_AMBIGUOUS');
    expect(candidates).toEqual([
      { ref: 'local/api:0.0', agent: 'claude', state: 'unknown', title: 'review bot' },
      { ref: 'api:1.0', agent: 'codex', state: 'unknown', title: 'project' },
    ]);
    expect(refusalOf(run(), 'api:0.0').candidates?.map(({ ref }) => ref)).toEqual([
      'local/api:0.0',
      'build-box/api:0.0',
    ]);
  });

  test('what an ambiguous name suggests means that one pane, whatever the names are', () => {
    const name = fc.constantFrom(
      'api',
      'local',
      'vm1',
      'claude',
      'vm1/api',
      'a b',
      '%1',
      'api:0.0',
    );
    const pane = fc.record({
      sessionName: name,
      windowIndex: fc.nat(1),
      windowName: name,
      server: fc.constantFrom('/tmp/a/default', '/tmp/b/default', '/tmp/a/work'),
      targetId: fc.constantFrom('local', 'vm1'),
      alias: fc.option(name),
    });
    fc.assert(
      fc.property(fc.array(pane, { minLength: 1, maxLength: 5 }), name, (panes, text) => {
        const run = new Run([]).apply(
          targetIs('vm1', 'vm1'),
          targetIs('local', 'local'),
          ...panes.flatMap(({ sessionName, windowIndex, windowName, alias, ...place }, index) => {
            const facts = at(
              index,
              { sessionName, windowIndex, windowName, windowId: `@${index}` },
              { server: place.server, targetId: id<TargetId>(place.targetId) },
            );
            const key = paneKeyOf(facts);
            return [
              { type: 'pane.appeared', atMs: T0, paneKey: key, facts } as const,
              { type: 'pane.named', atMs: T0, paneKey: key, alias } as const,
            ];
          }),
        );
        const found = resolveRef(run.world, text, 'act');
        const candidates = found.ok ? [] : (found.refusal.candidates ?? []);
        const meant = candidates.map(({ ref }) => find(run, ref));
        expect(meant.every((key) => !key.startsWith('E_'))).toBe(true);
        expect(new Set(meant).size).toBe(candidates.length);
      }),
      { numRuns: 500 },
    );
  });

  test('a mistyped name is refused with the nearest one', () => {
    expect(refusalOf(run(), 'cluade')).toMatchObject({
      code: 'E_REF_NOT_FOUND',
      hint: expect.stringContaining('Did you mean claude?'),
    });
    expect(refusalOf(run(), 'my_apo').hint).toContain('Did you mean my_app?');
    expect(refusalOf(run(), 'nothing like it').hint).toBeUndefined();
  });

  test('a wrong window of a session is refused with the panes of that session', () => {
    const { code, candidates } = refusalOf(run(), 'my_app:9.9');
    expect([code, candidates?.map(({ ref }) => ref)]).toEqual(['E_REF_NOT_FOUND', ['my_app:3.0']]);
  });

  test('a reference with a broken form is invalid, unless a session has that name', () => {
    expect(find(run(), 'pane:0.1')).toBe('E_REF_INVALID');
    expect(find(run(), '')).toBe('E_REF_INVALID');
    expect(find(run(), 'x'.repeat(9_000))).toBe('E_REF_INVALID');
    expect(find(shows(at(0, { sessionName: 'pane' })), 'pane:0.0')).toBe(paneKey(0));
  });

  test('the start of a title or an alias is for reading only', () => {
    const titled = run().apply({
      type: 'pane.changed',
      atMs: T0 + 6,
      paneKey: paneKey(2),
      facts: at(2, { sessionName: 'my_app' }, { title: 'Fix the parser' }),
    });
    expect(find(titled, 'fix the', 'read')).toBe(paneKey(2));
    expect(find(titled, 'fix the', 'act')).toBe('E_REF_NOT_FOUND');
    expect(find(titled, 'review', 'read')).toBe(paneKey(0));
    expect(find(titled, 'review', 'act')).toBe('E_REF_NOT_FOUND');
    expect(find(titled, 'r', 'read')).toBe('E_REF_NOT_FOUND');
  });

  test('a pane that is gone has no name any more', () => {
    const closed = run().apply({
      type: 'pane.gone',
      atMs: T0 + 9,
      paneKey: paneKey(0),
      reason: 'closed',
    });
    for (const text of ['review bot', 'claude', '%0', 'local/api:0.0']) {
      expect(find(closed, text), text).toBe('E_REF_NOT_FOUND');
    }
  });
});
