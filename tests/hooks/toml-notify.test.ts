// The one key that is edited in a TOML file, over random files around it.

import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { withNotify, withoutNotify } from '../../src/hooks/text/toml-notify.ts';

const command = ['/data/a "b"/agtmux-emit', '--source', 'codex-notify'];

const statement = fc.constantFrom(
  '',
  '  ',
  '# notify = ["x"]',
  'a = 1 # c',
  'b = """\nnotify = 1\n[t]\\"""\n""" # end',
  "c = '''\n# no '' comment\n'''",
  'd = [\n  1, # one ]\n  "]",\n]',
  'e = { notify = 1 }',
  '"f" = "\\" # no comment"',
  'g.notify = 1',
  'h = 1979-05-27T07:32:00Z',
);
const tables = fc.constantFrom('', '[t]\nnotify = ["theirs"]', '[[n]]\n\n[n.o] # c\nx = 1');

/** Each key once, in any order, with the ends of lines as somebody's editor makes them. */
const file = fc
  .tuple(
    fc.uniqueArray(statement, { maxLength: 6 }),
    tables,
    fc.constantFrom('\n', '\r\n'),
    fc.constantFrom('', '\n', '\n\n'),
    fc.constantFrom('', '\uFEFF'),
  )
  .map(
    ([lines, rest, eol, end, bom]) =>
      bom + ([...lines, rest].filter((each) => each !== '').join('\n') + end).replaceAll('\n', eol),
  );

describe('notify in a TOML file', () => {
  it('is set before the first table, and leaves no trace when it is taken away', () => {
    fc.assert(
      fc.property(file, (text) => {
        const edited = withNotify(text, command);
        if (edited === null) throw new Error(`refused ${JSON.stringify(text)}`);
        expect(parse(edited.replace('\uFEFF', ''))['notify']).toEqual(command);
        expect(withNotify(edited, command)).toBe(edited);
        expect(withoutNotify(edited)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it('is brought up to date in its place', () => {
    const old = 'a = 1\nnotify = [\n  "/old/agtmux-emit",\n]\nb = 2\n';
    expect(withNotify(old, ['/x'])).toBe('a = 1\nnotify = ["/x"]\nb = 2\n');
  });

  it('stays where it cannot be edited safely', () => {
    expect(withNotify('a = ', command)).toBeNull();
    expect(withNotify('[[notify]]\na = 1\n', command)).toBeNull();
  });
});
