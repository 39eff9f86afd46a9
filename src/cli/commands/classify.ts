// `agtmux classify FILE...`: one JSON line for each recorded screen, by what tmux shows and the
// process tree alone. Needs no daemon and no tmux. Label, notes, hook and status fields of a record
// are never read, unless --with-signals asks for the signals.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import type { Command } from 'commander';
import type { PaneAnswer } from '../../agents/classify-pane.ts';
import type { Registry } from '../../agents/registry.ts';
import { resolvePaths } from '../../platform/paths.ts';
import type { VisibleRecord } from '../../schema/record.ts';

/** A recording is some tens of kilobytes; more is read up to here and no further. */
const FILE_BYTES_MAX = 16_000_000;

export interface ClassifyFlags {
  readonly agent?: string;
  readonly withSignals?: boolean;
  readonly details?: boolean;
  readonly command?: string;
  readonly title?: string;
  readonly size?: string;
}

interface Output {
  readonly writeOut: (text: string) => void;
  readonly writeErr: (text: string) => void;
}

/** Adds the command to the program. The knowledge of the agents is loaded when it runs. */
export function registerClassify(program: Command, output: Output): void {
  program
    .command('classify')
    .description('say what recorded screens show, one JSON line a file')
    .argument('<file...>', 'records (JSON), or raw screens with --command, --title, --size')
    .option('--json', 'print JSON (always so)')
    .option('--agent <name>', 'look for this agent only')
    .option('--with-signals', 'use the recorded signals too')
    .option('--details', 'add what is asked: question, options, input box')
    .option('--command <name>', 'foreground command of a raw screen')
    .option('--title <text>', 'pane title of a raw screen')
    .option('--size <CxR>', 'size of a raw screen, as 120x40')
    .action((files: string[], flags: ClassifyFlags) => runClassify(files, flags, output));
}

/** Classifies each file. A file that cannot be read is told on stderr and sets exit code 1. */
export async function runClassify(
  files: readonly string[],
  flags: ClassifyFlags,
  output: Output,
): Promise<void> {
  const { loadRegistry, userRuleFolder } = await import('../../sources/rule-files.ts');
  const { configDir } = resolvePaths({
    env: process.env,
    uid: userInfo().uid,
    home: homedir(),
  });
  const registry = loadRegistry({ user: userRuleFolder(configDir) });
  for (const { file, problem } of registry.problems) output.writeErr(`${file}: ${problem}\n`);
  for (const file of files) {
    try {
      const line = await classifyText(readText(file), flags, registry);
      output.writeOut(`${JSON.stringify({ file, ...line })}\n`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      output.writeErr(`E_INPUT_INVALID: ${file} cannot be read: ${why}\n`);
      process.exitCode = 1;
    }
  }
}

function readText(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Math.min(fstatSync(descriptor).size, FILE_BYTES_MAX);
    const buffer = Buffer.alloc(bytes);
    const length = readSync(descriptor, buffer, 0, bytes, 0);
    return new TextDecoder().decode(buffer.subarray(0, length));
  } finally {
    closeSync(descriptor);
  }
}

/** The answer for one file's text, as it is printed. Never throws on what a file may hold. */
export async function classifyText(text: string, flags: ClassifyFlags, registry: Registry) {
  const { classifyRecord } = await import('../../agents/classify-pane.ts');
  const parsed = parseRecord(text);
  const record = parsed === undefined ? await rawScreen(text, flags) : parsed;
  const { agent, withSignals } = flags;
  const answer = classifyRecord(record, registry, { agent, withSignals });
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

function printed(answer: PaneAnswer) {
  const { agent, presence, state, reasonCode, confidence, rule } = answer;
  return { agent, presence, state, reason_code: reasonCode, confidence, rule };
}

function details({ identity, verdict }: PaneAnswer) {
  return {
    basis: identity.basis,
    presence_reason: identity.reason,
    input_empty: verdict?.inputEmpty ?? null,
    request: verdict?.extracted ?? {},
  };
}

/** The value of a JSON record; null for broken JSON; undefined for a text that is no JSON. */
function parseRecord(text: string): unknown {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function rawScreen(text: string, flags: ClassifyFlags): Promise<VisibleRecord> {
  const { plainLines } = await import('../../agents/screen/styled-lines.ts');
  const size = /^(\d{1,4})x(\d{1,4})$/.exec(flags.size ?? '');
  const tail = lastLines(text);
  const lines = [...plainLines(tail)];
  return {
    capture: lines,
    capture_ansi: tail,
    pane_title: flags.title ?? '',
    pane_current_command: flags.command ?? '',
    cols: size ? Number(size[1]) : Math.max(1, ...lines.map((line) => line.length)),
    rows: size ? Number(size[2]) : Math.max(1, lines.length),
  };
}

const RAW_LINES_MAX = 200;
const RAW_LENGTH_MAX = 200_000;

const lastLines = (text: string): string =>
  text.slice(-RAW_LENGTH_MAX).replace(/\n$/, '').split('\n').slice(-RAW_LINES_MAX).join('\n');
