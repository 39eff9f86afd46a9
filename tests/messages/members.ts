// Members of a bundle for tests of messages: readers, which stand in for Claude Code and write down
// what they get, and a shell in which a test runs commands as that member.

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/script-entry.ts';
import { shellQuote } from '../../src/platform/text/shell-quote.ts';
import { parseEnvelopes } from '../../src/relay/messages/envelope.ts';
import { builtProgram } from '../built-program.ts';
import { eventually } from '../live/tmux-server.ts';
import type { TeamLab } from '../teams/team-lab.ts';

const STEP_MS = 60_000;

/** The coder line of a member whose pane takes commands. */
export const shellLine = "exec env PS1='$ ' bash --norc --noprofile";

/** A line for a shell that runs agtmux. */
export const agtmux = (): string => [process.execPath, ...builtProgram].map(shellQuote).join(' ');

/** What a reader writes down: a prompt, a command that it ran, or what was typed. */
export interface Noted {
  readonly submitted?: string;
  readonly input?: string;
  readonly ran?: string;
  readonly code?: number;
  readonly out?: string;
}

/** Puts `claude`, which is Node, and `agtmux` into the PATH of what the daemon and members run. */
export function installPrograms(lab: TeamLab): void {
  const bin = join(lab.live.folder, 'bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(process.execPath, join(bin, 'claude'));
  writeFileSync(join(bin, 'agtmux'), `#!/bin/sh\nexec ${agtmux()} "$@"\n`, { mode: 0o755 });
  lab.live.env['PATH'] = `${bin}:${lab.live.env['PATH']}`;
}

const logOf = (lab: TeamLab, member: string): string => join(lab.live.folder, `${member}.log`);

/** The coder line of a member that reads its messages and works so long after each. */
export function readerLine(lab: TeamLab, member: string, workMs: number, habits: object = {}) {
  const file = join(lab.live.folder, `${member}.json`);
  writeFileSync(file, JSON.stringify(habits));
  const script = join(root, 'tests/messages/fake-reader.mjs');
  const claude = join(lab.live.folder, 'bin', 'claude');
  const words = [claude, script, logOf(lab, member), `${workMs}`, file];
  return `exec ${words.map(shellQuote).join(' ')}`;
}

export function notesOf(lab: TeamLab, member: string): readonly Noted[] {
  const log = logOf(lab, member);
  if (!existsSync(log)) return [];
  const lines = readFileSync(log, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Noted);
}

export const envelopesOf = (lab: TeamLab, member: string) =>
  notesOf(lab, member).flatMap(({ submitted = '' }) => parseEnvelopes(submitted) ?? []);

/** The shell of a member. Each line is one script, so that no quoting is in the way. */
export class MemberShell {
  readonly #lab: TeamLab;
  readonly #bundle: string;
  readonly #member: string;
  #count = 0;

  constructor(lab: TeamLab, bundle: string, member: string) {
    this.#lab = lab;
    this.#bundle = bundle;
    this.#member = member;
  }

  /** Its exit code, and what it printed on both streams. */
  async run(line: string): Promise<{ readonly code: number; readonly out: string }> {
    this.#count += 1;
    const file = join(this.#lab.live.folder, `${this.#member}-${this.#count}`);
    const script = `${file}.sh`;
    writeFileSync(script, `${line}\n`);
    const end = `echo $? > ${file}.code; mv ${file}.code ${file}`;
    const whole = `sh ${script} > ${file}.out 2>&1; ${end}`;
    const socket = this.#lab.socket(this.#bundle);
    this.#lab.tmux(socket, 'send-keys', '-t', `=${this.#member}:`, '-l', whole);
    this.#lab.tmux(socket, 'send-keys', '-t', `=${this.#member}:`, 'Enter');
    await eventually(() => existsSync(file), `it has ended: ${line}`, STEP_MS);
    return { code: Number(readFileSync(file, 'utf8')), out: readFileSync(`${file}.out`, 'utf8') };
  }
}
