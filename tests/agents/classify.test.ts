// `agtmux classify` as a user calls it, and the arithmetic of the scorer behind bench:accuracy.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { screenChecks } from '../../bench/accuracy/gate.ts';
import { score } from '../../bench/accuracy/score.ts';
import { answerOf, truthOf } from '../../bench/accuracy/truth.ts';
import { root } from '../../scripts/script-entry.ts';
import { classifyRecord } from '../../src/agents/classify/classify-pane.ts';
import { runCli } from '../../src/cli/main.ts';
import { labelRecordSchema } from '../../src/schema/record.ts';
import { loadRegistry } from '../../src/sources/rule-files.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agtmux-classify-'));
});

afterEach(() => {
  process.exitCode = undefined;
  rmSync(folder, { recursive: true, force: true });
});

async function classify(...args: readonly string[]) {
  const out: string[] = [];
  const err: string[] = [];
  process.exitCode = await runCli(['node', 'agtmux', 'classify', ...args], {
    writeOut: (text) => out.push(text),
    writeErr: (text) => err.push(text),
  });
  const lines = out.join('').split('\n').filter(Boolean);
  return { lines: lines.map((line) => JSON.parse(line)), err: err.join('') };
}

const recording = (name: string): string => join(root, 'corpus', `${name}.json`);

describe('agtmux classify', () => {
  it('prints one line a record, with exactly the documented fields', async () => {
    const files = [recording('claude/111-waiting_approval'), recording('negative/162-no_agent')];
    const { lines } = await classify('--json', ...files);
    expect(lines).toEqual([
      {
        file: files[0],
        agent: 'claude',
        presence: 'managed',
        state: 'waiting_approval',
        reason_code: null,
        confidence: 'high',
        rule: 'claude.approval',
      },
      {
        file: files[1],
        agent: null,
        presence: 'unmanaged',
        state: 'unknown',
        reason_code: 'no_agent',
        confidence: 'high',
        rule: null,
      },
    ]);
  });

  it('reads a raw screen with --command and --size, and keeps to one --agent', async () => {
    const file = join(folder, 'screen.txt');
    const rule = '─'.repeat(60);
    writeFileSync(file, `❯ hi\n\n${rule}\n❯ \n${rule}\n  esc to interrupt\n`);
    const [asClaude] = (await classify('--command', 'claude', '--size', '60x20', file)).lines;
    expect(asClaude).toMatchObject({ agent: 'claude', state: 'running' });
    const [asShell] = (await classify('--command', 'bash', file)).lines;
    expect(asShell).toMatchObject({ presence: 'unmanaged', reason_code: 'no_agent' });
    const [bare] = (await classify('--agent', 'claude', file)).lines;
    expect(bare).toMatchObject({ agent: 'claude', state: 'running' });
    const [other] = (await classify('--agent', 'pi', '--command', 'claude', file)).lines;
    expect(other).toMatchObject({ presence: 'unmanaged' });
  });

  it('adds what is asked with --details', async () => {
    const { lines } = await classify('--details', recording('claude/418-waiting_approval'));
    expect(lines[0].request).toMatchObject({ file: 'config.json', tool: 'Edit file' });
    expect(lines[0].request.options).toHaveLength(3);
  });

  it.each([
    ['claude/503-completed', 'idle', 'claude.rest', 'no event was recorded: the screen decides'],
    ['claude/106-completed', 'completed', 'Stop', 'the turn ended after the last action'],
    ['codex/148-idle', 'idle', 'Stop', 'a menu is open: the person has seen the end'],
    ['qwen/019-completed', 'completed', 'Stop', 'a suggestion in the box is no draft'],
  ])('%s with signals is %s by %s: %s', async (name, state, rule) => {
    const { lines } = await classify('--with-signals', recording(name));
    expect(lines[0]).toMatchObject({ state, rule });
    const [bare] = (await classify(recording(name))).lines;
    expect(bare).toMatchObject({ state: 'idle' });
  });

  it('leaves a pane with no agent alone, whatever signals lie beside it', async () => {
    const file = join(folder, 'record.json');
    const signals = { hook_events_seen: [{ event: 'Stop', dt: 1 }], osc7501_last: 'state=done' };
    const screen = { capture: ['$ '], pane_current_command: 'bash', cols: 80, rows: 24 };
    writeFileSync(file, JSON.stringify({ ...screen, ...signals }));
    const { lines } = await classify('--with-signals', file);
    expect(lines[0]).toMatchObject({ presence: 'unmanaged', state: 'unknown' });
  });

  it('names a file that is not there, and goes on with the next', async () => {
    const { lines, err } = await classify(join(folder, 'none'), recording('claude/101-idle'));
    expect(err).toContain('E_INPUT_INVALID');
    expect(lines).toMatchObject([{ agent: 'claude' }]);
    expect(process.exitCode).toBe(66);
  });

  it.each([
    ['--size', 'wide'],
    ['--size', '0x0'],
    ['--agent', 'clade'],
  ])('refuses %s %s as a usage error', async (...flag) => {
    const err: string[] = [];
    const output = { writeOut: () => {}, writeErr: (text: string) => err.push(text) };
    const args = ['node', 'agtmux', 'classify', ...flag, recording('claude/101-idle')];
    expect(await runCli(args, output)).toBe(64);
    expect(err.join('')).toContain(flag[1]);
  });

  it.each([
    { capture_ansi: null },
    { cursor: null },
    { alternate_on: 1 },
    { pane_title: null },
    { hook_events_seen: 'x', process_tree: 7, pane_current_command: 'claude' },
  ])('reads a record with %j', async (odd) => {
    const record = JSON.parse(readFileSync(recording('claude/111-waiting_approval'), 'utf8'));
    const file = join(folder, 'odd.json');
    writeFileSync(file, JSON.stringify({ ...record, ...odd }));
    const { lines } = await classify('--with-signals', file);
    expect(lines[0]).toMatchObject({ agent: 'claude', state: 'waiting_approval' });
  });

  it('takes a screen that begins with a brace, and one with very long lines', async () => {
    const file = join(folder, 'screen.txt');
    const rule = '─'.repeat(60);
    const screen = `❯ hi\n\n${rule}\n❯ \n${rule}\n  esc to interrupt\n`;
    for (const first of ['{', `{${'x'.repeat(25_000)}`]) {
      writeFileSync(file, `${first}\n${screen}`);
      const [answer] = (await classify('--command', 'claude', file)).lines;
      expect(answer).toMatchObject({ agent: 'claude', state: 'running' });
    }
  });

  it('reads a pipe, which has no size', () => {
    const input = readFileSync(recording('claude/111-waiting_approval'));
    const script = [
      `import { runCli } from '${root}/src/cli/main.ts';`,
      "await runCli(['node', 'agtmux', 'classify', '/dev/stdin']);",
    ].join('');
    const args = ['--input-type=module', '-e', script];
    const { stdout } = spawnSync(process.execPath, args, { input, encoding: 'utf8' });
    expect(JSON.parse(stdout)).toMatchObject({ state: 'waiting_approval' });
  });
});

describe('the gate', () => {
  it('fails without recordings, of one gated agent too', () => {
    const failing = (only?: string) =>
      screenChecks([], only)
        .filter(({ ok }) => !ok)
        .map(({ name }) => name);
    expect(failing()).toEqual(expect.arrayContaining(['recordings', 'claude recordings']));
    expect(failing('codex')).toContain('codex recordings');
    expect(failing('codex')).not.toContain('pooled macro F1');
    expect(failing('codex')).not.toContain('claude recordings');
  });
});

describe('the scorer', () => {
  const named = (state: string, more: object = {}) => ({
    name: 'x/1',
    folder: 'claude',
    old: false,
    screenOnly: false,
    label: labelRecordSchema.parse({ agent: 'claude', state, ...more }),
    raw: {},
  });

  it('joins idle with completed on screens, and keeps them apart with signals', () => {
    expect(truthOf(named('idle'), 'screen')).toBe('rest');
    expect(truthOf(named('completed'), 'screen')).toBe('rest');
    expect(truthOf(named('idle'), 'signals')).toBe('idle');
  });

  it('counts a plain-text question as completed, and an opened picker by either name', () => {
    const question = named('waiting_input', { notes: 'a plain-text question' });
    expect(truthOf(question, 'signals')).toBe('completed');
    const registry = loadRegistry({});
    const rest = classifyRecord(
      {
        capture: ['─'.repeat(60), '❯ ', '─'.repeat(60)],
        pane_current_command: 'claude',
        cols: 60,
        rows: 3,
      },
      registry,
    );
    const picker = named('waiting_input', { alt_state: 'idle' });
    expect(answerOf(rest!, picker, 'screen')).toBe('waiting_input');
    expect(answerOf(rest!, named('running'), 'screen')).toBe('rest');
    const foreign = { ...named('idle'), label: { ...named('idle').label, agent: 'codex' } };
    expect(answerOf(rest!, foreign, 'screen')).toBe('wrong_agent');
  });

  it('computes precision, recall, F1, macro and weighted', () => {
    const judged = [
      ...Array.from({ length: 8 }, () => ({ truth: 'a', answer: 'a' })),
      { truth: 'a', answer: 'b' },
      { truth: 'a', answer: 'unknown' },
      { truth: 'b', answer: 'b' },
      { truth: 'b', answer: 'a' },
    ];
    const figures = score(judged, ['a', 'b']);
    expect(figures.classes[0]).toMatchObject({ precision: 8 / 9, recall: 0.8 });
    expect(figures.classes[1]).toMatchObject({ precision: 0.5, recall: 0.5, f1: 0.5 });
    expect(figures.macroF1).toBeCloseTo((16 / 19 + 0.5) / 2);
    expect(figures.weightedF1).toBeCloseTo((10 * (16 / 19) + 2 * 0.5) / 12);
    expect(score(judged, ['a', 'b'], 5).classes.map((each) => each.name)).toEqual(['a']);
  });

  it('counts a state claimed where no agent is against that state', () => {
    const figures = score(
      [
        { truth: 'no_agent', answer: 'waiting_input' },
        { truth: 'waiting_input', answer: 'waiting_approval' },
      ],
      ['waiting_input', 'waiting_approval'],
    );
    expect(figures.waiting).toEqual({ precision: 0.5, recall: 1 });
    expect(figures.classes[0]?.precision).toBe(0);
  });
});
