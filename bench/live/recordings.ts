// What fake agents show: recorded screens of the corpus, titles as the agents write them, and real
// hook payloads of Claude Code. Screens that the rules alone answer rightly, all of 80x24.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FakeAgent } from './fake-panes.ts';
import { root } from './place.ts';

/** The states that a step must show; a rest may be either. */
export type Expected = readonly string[];

export interface Step {
  readonly bytes: string;
  readonly expected: Expected;
}

const ROWS = 24;
const rest: Expected = ['completed', 'idle'];
/** A title does not tell an approval from a question. */
const dialog: Expected = ['waiting_approval', 'waiting_input'];

interface Screen {
  readonly lines: readonly string[];
  readonly cursor: string;
}

function screenOf(agent: FakeAgent, name: string): Screen {
  const file = join(root, 'corpus', agent, `${name}.json`);
  const { capture_ansi, cursor } = JSON.parse(readFileSync(file, 'utf8')) as {
    capture_ansi: string;
    cursor?: string;
  };
  const [x = '0', y = '0'] = (cursor ?? '0,0').split(',');
  const column = Math.min(Number(x) + 1, 80);
  return { lines: plainFirst(capture_ansi), cursor: `\x1b[${Number(y) + 1};${column}H` };
}

/** Lines that can be painted alone: each begins with the style that the one before left on. */
function plainFirst(ansi: string): readonly string[] {
  let style = '';
  return ansi
    .split('\n')
    .slice(0, ROWS)
    .map((line) => {
      const text = `\x1b[0m${style}${line}`;
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the escapes themselves.
      for (const [sequence, codes] of line.matchAll(/\x1b\[([\d;:]*)m/g)) {
        style = codes === '' || codes === '0' ? '' : style + sequence;
      }
      return text;
    });
}

const paintLines = (lines: readonly string[], from: number): string =>
  lines.map((line, index) => `\x1b[${from + index + 1};1H\x1b[2K${line}`).join('');

const paint = ({ lines, cursor }: Screen): string =>
  `\x1b[0m\x1b[2J${paintLines(lines, 0)}\x1b[0m${cursor}`;

const step = (agent: FakeAgent, name: string, expected: Expected): Step => ({
  bytes: paint(screenOf(agent, name)),
  expected,
});

/** A turn by its screens alone; the titles stay as they are. */
export const screenTurns: Readonly<Record<FakeAgent, () => readonly Step[]>> = {
  claude: () => [
    step('claude', '105-running', ['running']),
    step('claude', '111-waiting_approval', ['waiting_approval']),
    step('claude', '115-running', ['running']),
    step('claude', '124-waiting_input', ['waiting_input']),
    step('claude', '116-running', ['running']),
    step('claude', '106-completed', rest),
  ],
  codex: () => [
    step('codex', '103-running', ['running']),
    step('codex', '110-waiting_approval', ['waiting_approval']),
    step('codex', '107-running', ['running']),
    step('codex', '129-waiting_input', ['waiting_input']),
    step('codex', '108-running', ['running']),
    step('codex', '150-idle', rest),
  ],
  gemini: () => [
    step('gemini', '041-running', ['running']),
    step('gemini', '066-waiting_approval', ['waiting_approval']),
    step('gemini', '044-running', ['running']),
    step('gemini', '0.47.0-024-waiting_input', ['waiting_input']),
    step('gemini', '048-running', ['running']),
    step('gemini', '065-completed', rest),
  ],
};

export const titleBytes = (title: string): string => `\x1b]2;${title}\x1b\\`;
const titled = (title: string, expected: Expected): Step => ({
  bytes: titleBytes(title),
  expected,
});

/** A turn by its titles alone. Claude's tells of work only; its star takes that back. */
export const titleTurns: Readonly<Record<FakeAgent, readonly Step[]>> = {
  claude: [
    titled('⠂ Lab session', ['running']),
    titled('✳ Lab session', ['completed', 'idle', 'unknown']),
  ],
  codex: [
    titled('⠋ proj', ['running']),
    titled('[ ! ] Action Required | proj', dialog),
    titled('⠹ proj', ['running']),
    titled('proj', rest),
  ],
  gemini: [
    titled('✦  Working… (proj)'.padEnd(80), ['running']),
    titled('✋  Action Required (proj)'.padEnd(80), dialog),
    titled('✦  Working… (proj)'.padEnd(80), ['running']),
    titled('◇  Ready (proj)'.padEnd(80), rest),
  ],
};

const osc = (fields: string, expected: Expected): Step => ({
  bytes: `\x1b]7501;${fields}:app=codex\x07`,
  expected,
});

export const oscTurn: readonly Step[] = [
  osc('state=working', ['running']),
  osc('state=blocked:kind=permission', ['waiting_approval']),
  osc('state=working', ['running']),
  osc('state=done', ['completed']),
];

export interface HookStep {
  readonly event: string;
  readonly payload: (sessionId: string) => string;
  readonly expected: Expected;
}

/** A turn by Claude's hooks, with payloads as it sent them. */
export function hookTurn(): readonly HookStep[] {
  const file = join(root, 'tests/fixtures/samples/claude-hooks.jsonl');
  const samples = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { arg: string; in: Record<string, unknown> });
  const hook = (event: string, expected: Expected): HookStep => {
    const sample = samples.find(({ arg, in: input }) => arg === event && 'session_id' in input);
    if (!sample) throw new Error(`no sample of ${event}`);
    const payload = (sessionId: string): string =>
      JSON.stringify({ ...sample.in, session_id: sessionId });
    return { event, payload, expected };
  };
  return [
    hook('UserPromptSubmit', ['running']),
    hook('PermissionRequest', ['waiting_approval']),
    hook('Stop', ['completed']),
  ];
}

/** What a busy agent shows: it repaints its last lines and its title all the time. */
export interface BusyFace {
  /** Seen for as long as the face is shown. */
  readonly state: string;
  /** The whole screen, once. */
  readonly full: string;
  /** The last five lines and the title, at a count that changes the title. */
  readonly again: (count: number) => string;
  /** A text that only this face shows; what a grep of a poller would look for. */
  readonly mark: string;
}

const SPINNER = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const LAST_LINES = 5;

const busyTitles: Readonly<Record<FakeAgent, readonly [string, string]>> = {
  claude: ['{spin} Lab session', '✳ Lab session'],
  codex: ['{spin} proj', '[ {mark} ] Action Required | proj'],
  gemini: ['✦  Working on part {count} (proj)', '✋  Action Required (proj)'],
};

/** Both faces of a busy agent: at work, and at a dialog. */
export function busyFaces(agent: FakeAgent): readonly [BusyFace, BusyFace] {
  const names: Readonly<Record<FakeAgent, readonly [string, string]>> = {
    claude: ['old-402-running', 'old-405-waiting_approval'],
    codex: ['107-running', '110-waiting_approval'],
    gemini: ['041-running', '066-waiting_approval'],
  };
  const marks: Readonly<Record<FakeAgent, string>> = {
    claude: 'Do you want to proceed',
    codex: 'Would you like to run',
    gemini: 'Allow execution of',
  };
  const face = (index: 0 | 1): BusyFace => {
    const screen = screenOf(agent, names[agent][index]);
    const last = screen.lines.findLastIndex((line) => /[^\s]/.test(unstyled(line)));
    const from = Math.max(0, last - LAST_LINES + 1);
    const lines = paintLines(screen.lines.slice(from, last + 1), from);
    const again = (count: number): string => {
      const spin = SPINNER[count % SPINNER.length] ?? '';
      const title = busyTitles[agent][index]
        .replace('{spin}', spin)
        .replace('{mark}', count % 2 === 0 ? '!' : '.')
        .replace('{count}', String(count));
      return `${lines}\x1b[0m${screen.cursor}${titleBytes(title)}`;
    };
    const state = index === 0 ? 'running' : 'waiting_approval';
    return { state, full: paint(screen), again, mark: marks[agent] };
  };
  return [face(0), face(1)];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the escapes themselves.
const unstyled = (line: string): string => line.replace(/\x1b\[[\d;:]*m/g, '');
