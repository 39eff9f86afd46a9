import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root } from '../scripts/script-entry.ts';
import { oldNode } from './old-node.ts';

const systemNode = oldNode();

let folder = '';

// Where tools/runtime puts its Node in a checkout.
const besideIt = (): string =>
  join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');

// A checkout in small: the real entry, a Node beside it, and a program of our own behind it.
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agtmux-entry-'));
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'dist', 'cli'), { recursive: true });
  mkdirSync(dirname(besideIt()), { recursive: true });
  cpSync(join(root, 'bin', 'agtmux.js'), join(folder, 'bin', 'agtmux.js'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  symlinkSync(process.execPath, besideIt());
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function writeProgram(body: string): void {
  const text = `export async function runCli(argv) {\n${body}\n}\n`;
  writeFileSync(join(folder, 'dist', 'cli', 'main.js'), text);
}

// Starts the entry, hands each line it prints to `onLine`, and returns how it ended.
async function runEntry(
  node: string,
  onLine: (line: string, kill: (signal: NodeJS.Signals) => void) => void = () => {},
): Promise<{ code: number | null; signal: NodeJS.Signals | null; err: string }> {
  const child = spawn(node, [join(folder, 'bin', 'agtmux.js'), 'one', 'two words']);
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  createInterface({ input: child.stdout }).on('line', (line) =>
    onLine(line, (signal) => child.kill(signal)),
  );
  const [code, signal] = await once(child, 'close');
  return { code, signal, err };
}

const nodes = [
  { name: 'a new Node', node: process.execPath, absent: false },
  { name: 'an old Node', node: systemNode ?? '', absent: systemNode === undefined },
];

describe.each(nodes)('the entry on $name', ({ node, absent }) => {
  it.skipIf(absent)('hands over the arguments and gives back the exit code', async () => {
    writeProgram('console.log(JSON.stringify(argv.slice(2)));\nreturn 7;');
    const lines: string[] = [];
    const { code } = await runEntry(node, (line) => lines.push(line));
    expect(lines).toEqual(['["one","two words"]']);
    expect(code).toBe(7);
  });

  it.skipIf(absent).each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'passes %s on to the program, which may end as it likes',
    async (signal) => {
      writeProgram(`
        const alive = setInterval(() => {}, 1000);
        await new Promise((resolve) => {
          process.once('${signal}', resolve);
          console.log('ready');
        });
        clearInterval(alive);
        return 5;`);
      const ended = await runEntry(node, (_line, kill) => kill(signal));
      expect(ended).toMatchObject({ code: 5, signal: null });
    },
  );

  it.skipIf(absent)('dies of the signal that the program died of', async () => {
    writeProgram(`
      console.log('ready');
      await new Promise(() => setInterval(() => {}, 1000));`);
    const ended = await runEntry(node, (_line, kill) => kill('SIGTERM'));
    expect(ended).toMatchObject({ code: null, signal: 'SIGTERM' });
  });

  it.skipIf(absent)('does not leave its mark in the environment', async () => {
    writeProgram('console.log(String(process.env.AGTMUX_REEXEC));\nreturn 0;');
    const lines: string[] = [];
    await runEntry(node, (line) => lines.push(line));
    expect(lines).toEqual(['undefined']);
  });

  it.skipIf(absent)('says so when nothing was built', async () => {
    expect(existsSync(join(folder, 'dist', 'cli', 'main.js'))).toBe(false);
    const { code, err } = await runEntry(node);
    expect(err).toBe('agtmux is not built in this checkout; run `npm start` there once.\n');
    expect(code).toBe(78);
  });
});

describe('the entry on an old Node alone', () => {
  it.skipIf(systemNode === undefined)('refuses when the Node beside it cannot run', async () => {
    writeProgram('return 0;');
    rmSync(besideIt());
    writeFileSync(besideIt(), 'not a program', { mode: 0o644 });
    const { code, err } = await runEntry(systemNode ?? '');
    expect(err).toMatch(/^agtmux needs Node 22\.18 or newer;/);
    expect(code).toBe(78);
  });
});
