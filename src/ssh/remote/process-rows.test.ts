import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  readDetails,
  readPsArguments,
  readPsRows,
  readStatLines,
  secretProcRoot,
} from './process-rows.ts';

const bytes = fc.uint8Array().map((each) => Buffer.from(each).toString('latin1'));

/** A stat line as the kernel writes it: 52 fields. */
function statLine(
  pid: number,
  comm: string,
  { ppid = 1, group = 5, terminalGroup = 5 } = {},
): string {
  const fields = ['S', ppid, group, 5, 34816, terminalGroup, ...Array(13).fill(0), 4711];
  return `${pid} (${comm}) ${[...fields, ...Array(30).fill(9)].join(' ')}`;
}

describe('readStatLines', () => {
  it('reads one process per line, whatever its name', () => {
    const names = ['node', 'a b', 'x) S 1 (y', '(sd-pam)', ''];
    const rows = readStatLines(names.map((name, index) => statLine(index + 1, name)).join('\n'));
    expect(rows.map(({ comm }) => comm)).toEqual(names);
    expect(rows[0]).toMatchObject({ pid: 1, ppid: 1, stat: 'S+', startTicks: 4711 });
  });

  it('marks the foreground process of a terminal', () => {
    const [row] = readStatLines(statLine(1, 'sh', { group: 7, terminalGroup: 8 }));
    expect(row?.stat).toBe('S');
  });

  it('leaves out lines that it cannot read, and never throws', () => {
    expect(readStatLines('cat: no such file\n12 (half\n')).toEqual([]);
    fc.assert(
      fc.property(bytes, (text) => {
        readStatLines(text);
        readPsRows(text);
        readPsArguments(text);
      }),
    );
  });
});

describe('readDetails', () => {
  const root = secretProcRoot(new Uint8Array([0b10100000]));
  const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
  const section = (name: string, body: string) => ({ name, argument: '', body: latin1(body) });

  it('reads the executable and the arguments, newlines in them included', () => {
    const lines = [
      `==> ${root}/12/cmdline <==\x01node\n\n--x=\x01y\né\n\x01`,
      `==> ${root}/13/cmdline <==\x01\x01`,
      `==> ${root}/14/cmdline <==\x01sh\n\x01==> /proc/12/cmdline <==\x01claude\n`,
    ];
    const exes = `lrwxrwxrwx 1 0 0 0 Nov 15 18:12 ${root}/12/exe -> /usr/bin/é node\nls: no\n`;
    const sections = [section('exes', exes), section('arguments', lines.join(''))];
    expect(Object.fromEntries(readDetails(root, sections))).toEqual({
      12: { exe: '/usr/bin/é node', argv: ['node', '', '--x=\ny', 'é'] },
      13: { exe: undefined, argv: [] },
      // An argument that looks like the line of another process is an argument.
      14: { exe: undefined, argv: ['sh', '\n==> /proc/12/cmdline <==\nclaude'] },
    });
  });

  it('uses a root path that the system resolves to /proc', () => {
    expect(root).toBe('/proc/.//./////');
    expect(existsSync(`${secretProcRoot(randomBytes(10))}/self/stat`)).toBe(true);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(bytes, bytes, (exes, lines) => {
        readDetails(root, [section('exes', exes), section('arguments', lines)]);
      }),
    );
  });
});

describe('readPsRows', () => {
  it('reads the start time as UTC', () => {
    const [row] = readPsRows('  301     1 Ss+  Sun Nov  1 08:05:09 2026     my prog  \n');
    expect(row).toEqual({
      pid: 301,
      ppid: 1,
      stat: 'Ss+',
      comm: 'my prog',
      startTicks: null,
      startedAtMs: Date.UTC(2026, 10, 1, 8, 5, 9),
      image: 'my prog',
    });
    expect(readPsArguments('  301 node  /x/cli.js --flag\n').get(301)?.argv).toEqual([
      'node',
      '/x/cli.js',
      '--flag',
    ]);
  });
});
