// `agtmux classify FILE...`: one JSON line per recorded screen, from what tmux shows and from the
// process tree alone. Needs no daemon and no tmux. The label, notes, hook and status fields of a
// record are not read, except the signals with --with-signals.

import { homedir, userInfo } from 'node:os';
import type { PaneClassification } from '../../../agents/classify/classify-pane.ts';
import type { Registry } from '../../../agents/registry.ts';
import { resolvePaths } from '../../../platform/files/paths.ts';
import { safeJson, safeText } from '../../../render/safe-text.ts';
import type { VisibleRecord } from '../../../schema/record.ts';
import { type Call, type CliOutput, type CommandSpec, isSet, textOf } from '../../command.ts';
import { EXIT_NO_INPUT, usageProblem } from '../../exit-codes.ts';
import { text } from '../../options.ts';
import { readInput } from '../../read-input.ts';
import { readSize } from '../../value.ts';

/** A recording is some tens of kilobytes; the rest of a larger file is ignored. */
const FILE_BYTES_MAX = 16_000_000;

export const classifyCommand: CommandSpec = {
  name: 'classify',
  summary: 'classify recorded screens, one JSON line per file',
  notes: ['Exit codes: 0 every file was read, 66 one could not be read.'],
  examples: [
    'agtmux classify corpus/claude/*.json --details',
    'agtmux classify screen.txt --command claude --size 120x40',
  ],
  args: [
    {
      value: text('FILE'),
      summary: 'records (JSON), or raw screens with --command, --title, --size',
      repeated: true,
    },
  ],
  options: [
    { name: 'agent', value: text('NAME', 'agents'), summary: 'look for this agent only' },
    { name: 'with-signals', summary: 'use the recorded signals too' },
    { name: 'details', summary: 'add the open request: question, options, input box' },
    { name: 'command', value: text('NAME'), summary: 'foreground command of a raw screen' },
    { name: 'title', value: text('TEXT'), summary: 'pane title of a raw screen' },
    {
      name: 'size',
      value: { kind: 'size', label: 'CxR' },
      summary: 'size of a raw screen, such as 120x40',
    },
  ],
  run: runClassifyCommand,
};

export interface ClassifyFlags {
  readonly agent?: string;
  readonly withSignals?: boolean;
  readonly details?: boolean;
  readonly command?: string;
  readonly title?: string;
  readonly size?: { readonly cols: number; readonly rows: number };
}

/** The command itself. The rules of the agents load when it runs. */
async function runClassifyCommand({ args, flags, io }: Call): Promise<number> {
  const agent = textOf(flags, 'agent');
  const command = textOf(flags, 'command');
  const title = textOf(flags, 'title');
  const size = readSize(textOf(flags, 'size') ?? '');
  const given: ClassifyFlags = {
    withSignals: isSet(flags, 'with-signals'),
    details: isSet(flags, 'details'),
    ...(agent === undefined ? {} : { agent }),
    ...(command === undefined ? {} : { command }),
    ...(title === undefined ? {} : { title }),
    ...(size === null ? {} : { size: { cols: clampSize(size.cols), rows: clampSize(size.rows) } }),
  };
  return (await runClassify(args, given, io)) ? 0 : EXIT_NO_INPUT;
}

const clampSize = (count: number): number => Math.min(2000, Math.max(1, count));

/** One line per file that can be read; for others stderr says why. False if there were others. */
export async function runClassify(
  files: readonly string[],
  flags: ClassifyFlags,
  output: CliOutput,
): Promise<boolean> {
  const { loadRegistry, userRuleFolder } = await import('../../../sources/rule-files.ts');
  const { configDir } = resolvePaths({
    env: process.env,
    uid: userInfo().uid,
    home: homedir(),
  });
  const registry = loadRegistry({ user: userRuleFolder(configDir) });
  for (const { file, problem } of registry.problems) {
    output.writeErr(`${safeText(`${file}: ${problem}`)}\n`);
  }
  refuseUnknownAgent(flags.agent, registry);
  let areAllRead = true;
  for (const file of files) {
    const text = readText(file, output);
    areAllRead &&= text !== null;
    if (text === null) continue;
    output.writeOut(`${safeJson({ file, ...(await classifyText(text, flags, registry)) })}\n`);
  }
  return areAllRead;
}

function refuseUnknownAgent(agent: string | undefined, registry: Registry): void {
  const names = registry.adapters.map((adapter): string => adapter.agent);
  if (agent === undefined || names.includes(agent)) return;
  throw usageProblem(`agent ${agent} does not exist.`, `Agents: ${names.sort().join(', ')}.`);
}

function readText(file: string, output: CliOutput): string | null {
  const read = readInput(file, FILE_BYTES_MAX);
  if (read.ok) return read.text;
  output.writeErr(`E_INPUT_INVALID: ${safeText(`${file} cannot be read: ${read.why}`)}\n`);
  return null;
}

/** The answer for one file's text, as it is printed. Never throws on what a file may hold. */
export async function classifyText(text: string, flags: ClassifyFlags, registry: Registry) {
  const { classifyRecord } = await import('../../../agents/classify/classify-pane.ts');
  const parsed = parseRecord(text, flags);
  const isRaw = parsed === undefined;
  const record = isRaw ? await recordOfScreen(text, flags) : parsed;
  const { agent, withSignals } = flags;
  const answer = classifyRecord(record, registry, { agent, withSignals, isRaw });
  if (answer === null) return UNREADABLE;
  return { ...printed(answer), ...(flags.details ? details(answer) : {}) };
}

const UNREADABLE = {
  agent: null,
  presence: 'unmanaged',
  state: 'unknown',
  reason_code: 'no_evidence',
  confidence: 'low',
  rule: null,
} as const;

function printed(answer: PaneClassification) {
  const { agent, presence, state, reasonCode, confidence, rule } = answer;
  return { agent, presence, state, reason_code: reasonCode, confidence, rule };
}

function details({ identity, verdict, inputEmpty }: PaneClassification) {
  return {
    basis: identity.basis,
    presence_reason: identity.reason,
    input_empty: inputEmpty,
    request: verdict?.details ?? {},
  };
}

/** The value of a JSON record; null for broken JSON; undefined for the text of a screen. */
function parseRecord(text: string, { command, title, size }: ClassifyFlags): unknown {
  if (!text.trimStart().startsWith('{')) return undefined;
  // A screen may begin with a brace; an option for raw screens says that this is one.
  const isRawScreen = command !== undefined || title !== undefined || size !== undefined;
  try {
    const value: object = JSON.parse(text);
    return isRawScreen && !Object.hasOwn(value, 'capture') ? undefined : value;
  } catch {
    return isRawScreen ? undefined : null;
  }
}

async function recordOfScreen(text: string, flags: ClassifyFlags): Promise<VisibleRecord> {
  const { plainLines } = await import('../../../agents/screen/styled-lines.ts');
  const tail = lastLines(text);
  const lines = plainLines(tail).map((line) => line.slice(0, RAW_LINE_MAX));
  return {
    capture: lines,
    capture_ansi: tail,
    pane_title: flags.title ?? '',
    pane_current_command: flags.command ?? '',
    cols: flags.size?.cols ?? clampSize(Math.max(...lines.map((line) => line.length))),
    rows: flags.size?.rows ?? clampSize(lines.length),
  };
}

const RAW_LINES_MAX = 200;
const RAW_LINE_MAX = 2000;
const RAW_LENGTH_MAX = 200_000;

const lastLines = (text: string): string =>
  text.slice(-RAW_LENGTH_MAX).replace(/\n$/, '').split('\n').slice(-RAW_LINES_MAX).join('\n');
