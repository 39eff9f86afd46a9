// Foreign bytes to everything that reads them: the answer is `unknown` or a clear refusal, in
// bounded time, and never an exception.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import { classifyRecord } from '../../src/agents/classify/classify-pane.ts';
import { parseProcessTree } from '../../src/agents/identify/process-tree.ts';
import { buildRegistry } from '../../src/agents/registry.ts';
import { readStyledLines } from '../../src/agents/screen/styled-lines.ts';
import { classifyText, runClassify } from '../../src/cli/commands/panes/classify.ts';
import { loadRegistry, readRuleFile } from '../../src/sources/rule-files.ts';

const registry = loadRegistry({});
const folder = mkdtempSync(join(tmpdir(), 'agtmux-fuzz-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const real = readFileSync(join(root, 'corpus/claude/111-waiting_approval.json'), 'utf8');

// A small generator with a fixed seed: fast-check is slow at megabytes.
function noise(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = seed;
  for (let index = 0; index < length; index += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[index] = state >>> 24;
  }
  return bytes;
}

async function classifyBytes(bytes: Buffer | string) {
  const file = join(folder, 'input');
  writeFileSync(file, bytes);
  let printed = '';
  const output = { writeOut: (text: string) => (printed += text), writeErr: () => {} };
  const start = performance.now();
  await runClassify([file], {}, output);
  expect(performance.now() - start).toBeLessThan(5000);
  return JSON.parse(printed) as { state: string; presence: string };
}

const UNKNOWN = { state: 'unknown', presence: 'unmanaged' };

describe('classify', () => {
  it.each([1, 2, 3])('answers unknown for 10 MB of random bytes (%i)', async (seed) => {
    expect(await classifyBytes(noise(10_000_000, seed))).toMatchObject(UNKNOWN);
  });

  it('answers unknown for bytes that begin like a record', async () => {
    const start = Buffer.from('{"capture": ["');
    expect(await classifyBytes(Buffer.concat([start, noise(100_000, 9)]))).toMatchObject(UNKNOWN);
  });

  it('answers unknown for deep JSON', async () => {
    const deep = '{"a":'.repeat(200_000);
    expect(await classifyBytes(deep)).toMatchObject(UNKNOWN);
    const closed = `{"capture":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(await classifyBytes(closed)).toMatchObject(UNKNOWN);
  });

  it('answers unknown for a record cut anywhere', async () => {
    for (let length = 0; length < real.length - 1; length += 37) {
      const answer = await classifyText(real.slice(0, length), {}, registry);
      expect(answer).toMatchObject(UNKNOWN);
    }
  });

  it('bears any raw screen', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 2000 }), async (text) => {
        const answer = await classifyText(
          text,
          { command: 'claude', size: { cols: 80, rows: 24 } },
          registry,
        );
        expect(typeof answer.state).toBe('string');
      }),
      { numRuns: 300 },
    );
  });

  it('bears any value as a record', () => {
    fc.assert(
      fc.property(fc.anything({ maxDepth: 4 }), (value) => {
        const answer = classifyRecord(value, registry);
        expect(answer === null || typeof answer.state === 'string').toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('bears any screen in the shape of a record, in milliseconds', () => {
    const mark = fc.constantFrom('─'.repeat(80), '❯ ', '❯ 1. Yes', '● ', '  ⎿  ', '✻ x… (', ' ');
    const line = fc.oneof(mark, fc.string({ unit: 'binary', maxLength: 700 }));
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 250 }),
        fc.string({ maxLength: 900 }),
        (lines, title) => {
          const record = {
            capture: lines,
            capture_ansi: lines.join('\n'),
            pane_title: title,
            pane_current_command: 'claude',
            cols: 80,
            rows: 24,
          };
          const start = performance.now();
          expect(classifyRecord(record, registry)?.presence).toBe('managed');
          expect(performance.now() - start).toBeLessThan(500);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('the parsers behind it', () => {
  it('bear any process tree and any escape sequences', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), (text) => {
        parseProcessTree(text);
        parseProcessTree(`  PID  PPID STAT COMMAND         COMMAND\n${text}`);
        readStyledLines(text);
        readStyledLines(`\u001b[${text}m\u001b]${text}`);
      }),
      { numRuns: 500 },
    );
    const start = performance.now();
    parseProcessTree(noise(10_000_000, 4).toString('latin1'));
    readStyledLines('\u001b['.repeat(1_000_000));
    readStyledLines('\u001b]'.repeat(1_000_000));
    expect(performance.now() - start).toBeLessThan(5000);
  });
});

describe('a rule file', () => {
  it('of any bytes is refused with a reason', () => {
    const file = join(folder, 'noise.toml');
    for (const seed of [1, 2, 3, 4]) {
      writeFileSync(file, noise(100_000, seed));
      expect(readRuleFile(file).problem).not.toBeNull();
    }
    writeFileSync(file, noise(10_000_000, 5));
    expect(readRuleFile(file).problem).toMatch(/larger/);
    writeFileSync(file, `a = ${'['.repeat(50_000)}`);
    expect(readRuleFile(file).problem).not.toBeNull();
  });

  it('of any shape is refused or compiled', () => {
    const table = fc.dictionary(fc.string({ maxLength: 8 }), fc.anything({ maxDepth: 2 }));
    const content = fc.record({
      name: fc.constantFrom('robo', 'claude', ''),
      contract_version: fc.constantFrom('1', '2'),
      identify: fc.option(table, { nil: undefined }),
      regions: fc.option(table, { nil: undefined }),
      marks: fc.option(table, { nil: undefined }),
      rules: fc.option(fc.array(table, { maxLength: 3 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.oneof(content, fc.anything()), (value) => {
        const built = buildRegistry([{ file: 'x.toml', content: value }]);
        expect(built.adapters.length + built.problems.length).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });

  it('with marks that ask each other ends', () => {
    const mark = (name: string) => ({ all: [{ mark: name }] });
    const built = buildRegistry([
      {
        file: 'x.toml',
        content: {
          name: 'robo',
          contract_version: '1',
          identify: { executables: ['robo'] },
          marks: { a: mark('b'), b: mark('a') },
          rules: [{ id: 'robo.x', priority: 1, says: 'running', all: [{ mark: 'a' }] }],
        },
      },
    ]);
    const record = { capture: ['x'], pane_current_command: 'robo', cols: 80, rows: 24 };
    expect(classifyRecord(record, built)?.state).toBe('unknown');
  });
});
