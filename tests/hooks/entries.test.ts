// Our entries in files of others, over random layouts: what is installed can be taken away again
// without a trace, twice is once, and what a user writes beside them stays.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type EntryFormat,
  entriesIn,
  withEntries,
  withoutEntries,
} from '../../src/hooks/entries.ts';

const formats: readonly EntryFormat[] = [
  { shape: 'grouped', hook: { type: 'command' } },
  { shape: 'grouped', group: { matcher: '*' }, hook: { name: 'agtmux', type: 'command' } },
  { shape: 'flat', file: { version: 1 } },
];
const events = ['SessionStart', 'Stop', 'PreToolUse'];
const wantedBy = (emitter: string) =>
  events.map((event) => ({ event, command: `${emitter} --source claude-hooks --agent claude` }));
const expectedEntries = wantedBy('/data/agtmux/bin/agtmux-emit');

const format = fc.constantFrom(...formats);
const lineEnd = fc.constantFrom('\n', '\r\n');

/** Values as a user would have them in such a file, hooks of their own among them. */
const userHook = fc.record({ type: fc.constant('command'), command: fc.string() });
const userList = fc.array(
  fc.oneof(userHook, fc.record({ matcher: fc.string(), hooks: fc.array(userHook) })),
  { maxLength: 3 },
);
const hooks = fc.dictionary(fc.constantFrom('Stop', 'PreToolUse', 'Other'), userList);
const settings = fc.oneof(
  fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 }),
  fc.record({ a: fc.jsonValue(), hooks, b: fc.jsonValue() }, { requiredKeys: [] }),
);

/** JSON with random blanks, comments and trailing commas wherever those may stand. */
function laidOut(value: unknown, random: () => number, eol: string): string {
  const blank = (): string => {
    const kinds = [
      '',
      '',
      ' ',
      '  ',
      eol,
      `${eol}    `,
      ` // c "x": [${eol}`,
      '/* { */',
      `/*${eol}*/`,
    ];
    return kinds[Math.floor(random() * kinds.length)] ?? '';
  };
  const list = (open: string, parts: readonly string[], close: string): string => {
    const spaced = parts.map((part) => `${blank()}${part}${blank()}`);
    const trailing = parts.length > 0 && random() < 0.3 ? `,${blank()}` : '';
    return `${open}${parts.length === 0 ? blank() : spaced.join(',')}${trailing}${close}`;
  };
  const write = (each: unknown): string => {
    if (Array.isArray(each)) return list('[', each.map(write), ']');
    if (typeof each !== 'object' || each === null) return JSON.stringify(each);
    const members = Object.entries(each).map(
      ([key, part]) => `${JSON.stringify(key)}${blank()}:${blank()}${write(part)}`,
    );
    return list('{', members, '}');
  };
  return `${random() < 0.2 ? '\uFEFF' : ''}${blank()}${write(value)}${blank()}`;
}

const pretty = fc
  .tuple(settings, fc.constantFrom<string | number>(0, 2, 4, '\t'), lineEnd, fc.boolean())
  .map(([value, indent, eol, isClosed]) =>
    `${JSON.stringify(value, null, indent)}${isClosed ? '\n' : ''}`.replaceAll('\n', eol),
  );
const wild = fc
  .tuple(settings, fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })), lineEnd)
  .map(([value, stream, eol]) => laidOut(value, () => stream.next().value, eol));
const file = fc.oneof(pretty, wild);

describe('entries of ours in a file of the user', () => {
  it('leave no trace once they are taken away', () => {
    fc.assert(
      fc.property(file, format, (text, how) => {
        const installed = withEntries(text, expectedEntries, how);
        expect(entriesIn(installed)).toHaveLength(events.length);
        expect(withoutEntries(installed)).toBe(text);
      }),
      { numRuns: 200 },
    );
  });

  it('are the same when they are installed twice, and when an older version was before', () => {
    fc.assert(
      fc.property(file, format, (text, how) => {
        const once = withEntries(text, expectedEntries, how);
        expect(withEntries(once, expectedEntries, how)).toBe(once);
        const older = [
          ...wantedBy("'/old path/agtmux-emit'"),
          { event: 'Gone', command: '/x/agtmux-emit' },
        ];
        const upgraded = withEntries(withEntries(text, older, how), expectedEntries, how);
        expect(upgraded).toBe(once);
      }),
      { numRuns: 80 },
    );
  });

  it('make a file that is gone when they are, whatever the format', () => {
    for (const how of formats) {
      const made = withEntries(null, expectedEntries, how);
      expect(withoutEntries(made)).toBeNull();
      expect(withEntries(made, expectedEntries, how)).toBe(made);
    }
  });

  it('go from what the user wrote after the install, and nothing of that does', () => {
    const edited = fc.tuple(settings, hooks, format).map(([before, theirs, how]) => {
      const installed: unknown = JSON.parse(
        withEntries(JSON.stringify(before), expectedEntries, how),
      );
      const { hooks: all, ...others } = installed as Record<string, Record<string, unknown[]>>;
      const merged = { ...all };
      for (const [event, list] of Object.entries(theirs)) {
        merged[event] = [...list, ...(merged[event] ?? []), ...list];
      }
      return [{ late: 1, ...others, hooks: merged }, merged] as const;
    });
    fc.assert(
      fc.property(edited, lineEnd, ([value, merged], eol) => {
        const text = JSON.stringify(value, null, 2).replaceAll('\n', eol);
        const bare = JSON.parse(withoutEntries(text) ?? '{}') as Record<string, unknown>;
        expect(bare['late']).toBe(1);
        const otherHooks = (bare['hooks'] ?? {}) as Record<string, unknown[]>;
        for (const [event, list] of Object.entries(merged)) {
          const foreign = list.filter((each) => !JSON.stringify(each).includes('agtmux-emit'));
          expect(otherHooks[event] ?? []).toEqual(foreign);
        }
      }),
    );
  });

  it('collapse where they are there twice', () => {
    const [how] = formats as [EntryFormat];
    const once = withEntries('{}', expectedEntries, how);
    const parsed = JSON.parse(once) as { hooks: Record<string, unknown[]> };
    const stop = parsed.hooks['Stop'] ?? [];
    parsed.hooks['Stop'] = [...stop, { hooks: [{ command: 'mine' }] }, ...stop];
    const collapsed = withEntries(JSON.stringify(parsed), expectedEntries, how);
    expect(entriesIn(collapsed).map(({ event }) => event)).toEqual(events);
    expect(JSON.stringify(JSON.parse(collapsed).hooks.Stop[1])).toContain('mine');
  });

  it('keep what a user has added to one of them', () => {
    const [how] = formats as [EntryFormat];
    const old = withEntries('{}', wantedBy('/old/agtmux-emit'), how);
    const tuned = old.replaceAll('"type": "command"', '"timeout": 3, "type": "command"');
    const upgraded = withEntries(tuned, expectedEntries, how);
    expect(upgraded.match(/"timeout": 3/g)).toHaveLength(events.length);
    expect(entriesIn(upgraded)).toEqual(entriesIn(withEntries('{}', expectedEntries, how)));
  });

  it('are refused by a file that does not parse, with its line', () => {
    const [how] = formats as [EntryFormat];
    const broken = ['', '[]', '{\n"a": }', '{"a": 1', '{"hooks": []}', '{\n"hooks": {"Stop": {}}}'];
    for (const text of broken)
      expect(() => withEntries(text, expectedEntries, how)).toThrow(/^line \d+: /);
    expect(() => withEntries('{"hooks": {}, \n"hooks": {}}', expectedEntries, how)).toThrow(
      /line 2.*twice/,
    );
  });

  it('are not confused with commands of the user that run the emitter among others', () => {
    const own =
      '{"hooks": {"Stop": [{"hooks": [{"command": "beep; /x/agtmux-emit --source emit"}]}]}}';
    expect(entriesIn(own)).toEqual([]);
    expect(withoutEntries(own)).toBe(own);
  });
});
