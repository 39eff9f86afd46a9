// References: what is written is read back the same, and what is not one thing is refused.

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
import { id, paneKeyOf, type RuntimeId } from '../../schema/ids.ts';
import type { PaneFacts, PaneLocation } from '../../schema/pane.ts';
import { formatReference, parseReference, type Reference, resolveReference } from './reference.ts';

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

const find = (run: Run, text: string) => {
  const parsed = parseReference(text);
  if (!parsed.ok) return parsed.refusal.code;
  const found = resolveReference(run.world, parsed.value);
  return found.ok ? found.value.paneKey : found.refusal.code;
};

describe('a reference that is written is read back the same', () => {
  const part = fc.oneof(
    fc.constantFrom(...hostile),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).map((text) => text.toWellFormed()),
  );

  test('for a pane with any characters in its names', () => {
    const reference = fc.record({
      kind: fc.constant('pane' as const),
      target: part,
      server: fc.option(part),
      session: part,
      window: part,
      pane: part,
    });
    fc.assert(
      fc.property(reference, (each) => {
        expect(parseReference(formatReference(each))).toEqual({ ok: true, value: each });
      }),
      { numRuns: 2_000 },
    );
  });

  test('and two different panes are never written the same', () => {
    const names = fc.tuple(part, fc.option(part), part, part, part);
    const written = ([target, server, session, window, pane]: [
      string,
      string | null,
      ...string[],
    ]) => formatReference({ kind: 'pane', target, server, session, window, pane } as Reference);
    fc.assert(
      fc.property(names, names, (a, b) => {
        fc.pre(JSON.stringify(a) !== JSON.stringify(b));
        expect(written(a)).not.toBe(written(b));
      }),
      { numRuns: 1_000 },
    );
  });

  test('for a runtime', () => {
    const reference: Reference = { kind: 'runtime', runtimeId: id<RuntimeId>('a0_-Z') };
    expect(parseReference(formatReference(reference))).toEqual({ ok: true, value: reference });
  });

  test('and holds nothing that a shell or tmux would read', () => {
    for (const name of hostile) {
      const reference = { target: name, server: name, session: name, window: name, pane: name };
      const text = formatReference({ kind: 'pane', ...reference });
      expect(text).toMatch(/^pane:[A-Za-z0-9\-_.!~*'()%+/]*$/);
      expect(text.split('/')).toHaveLength(4);
    }
  });
});

describe('what is not a reference is refused and never thrown', () => {
  test.each([
    '',
    'pane:',
    'runtime:',
    'runtime:a b',
    'runtime:a/b',
    'runtime:%41',
    `runtime:${'a'.repeat(129)}`,
    '%12',
    'work:1.2',
    'pane:local',
    'pane:local/work/1',
    'pane:local/work/1/2/3',
    'pane:/work/1/2',
    'pane:local//1/2',
    'pane:local/work//2',
    'pane:local/work/1/',
    'pane:local+/work/1/2',
    'pane:+default/work/1/2',
    'pane:local+a+b/work/1/2',
    'pane:local/%/1/2',
    'pane:local/%zz/1/2',
    'pane:%ff/work/1/2',
    'pane:local+%e0%a4/work/1/2',
    'PANE:local/work/1/2',
    ' pane:local/work/1/2',
    `pane:local/${'a'.repeat(9_000)}/1/2`,
  ])('%j', (text) => {
    expect(parseReference(text)).toMatchObject({ ok: false, refusal: { code: 'E_REF_INVALID' } });
  });

  test('and no other text throws', () => {
    const start = fc.constantFrom('', 'pane:', 'runtime:', 'pane:a/b/');
    const rest = fc.string({ unit: 'binary', maxLength: 60 });
    fc.assert(
      fc.property(start, rest, (prefix, text) => {
        expect(typeof parseReference(prefix + text).ok).toBe('boolean');
      }),
      { numRuns: 2_000 },
    );
  });

  test('and the refusal stays short', () => {
    const refused = parseReference('x'.repeat(1_000_000));
    expect(refused.ok ? '' : refused.refusal.message.length).toBeLessThan(200);
  });
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
