// References: what is written is read back the same, and what is not a reference is refused.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { id, type RuntimeId } from '../../schema/ids.ts';
import { formatReference, parseReference, type Reference } from './reference.ts';

const hostile = [
  ...['a;b', '#{pid}', '/', '+', '%', '%2F', ' ', 'naïve', '🤖🚀', 'a\nb', 'a\rb', '\u001b[31m'],
  ...["'", '"', '$(id)', '=name:', ':1.2', '..', '\u202e', 'runtime:x', 'pane:', '\u0000', '?#&'],
];

describe('a reference that is written is read back the same', () => {
  const part = fc.oneof(
    fc.constantFrom(...hostile),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).map((text) => text.toWellFormed()),
  );

  const paneName = fc.oneof(
    fc.nat(9_999).map((index) => `%${index}`),
    fc.nat(99).map(String),
  );

  test('for a pane with any characters in its names', () => {
    const reference = fc.record({
      kind: fc.constant('pane' as const),
      target: part,
      server: fc.option(part),
      session: part,
      window: part,
      pane: paneName,
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

  test.each(['%0', '%1', '%12', '%25', '%100'])(
    'for a pane id that is typed as it is: %s',
    (pane) => {
      expect(parseReference(`pane:local/work/@1/${pane}`)).toMatchObject({ value: { pane } });
    },
  );

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
