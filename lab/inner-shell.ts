// The line that opens a second shell inside a pane's own: in a tmux inside tmux, or on a machine
// behind ssh. From outside the pane then shows only a tmux client or an ssh.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellQuote } from '../src/platform/text/shell-quote.ts';
import type { TestSshd } from '../tests/ssh/sshd.ts';

export interface InnerShellOptions {
  /** Where its files go; new for each scenario. */
  readonly folder: string;
  /** Of its own for each pane. */
  readonly name: string;
  /** The whole environment of the inner shell but TERM and PS1. */
  readonly env: Readonly<Record<string, string>>;
}

/** A prompt as a person has it on another machine. */
const REMOTE_PROMPT = 'dev@far:~$ ';

/** The prompt of a pane's own shell or of an inner one; an agent may leave the echo of a key. */
export const SHELL_PROMPT: RegExp = /^(?:\^C)*(?:dev@far:~)?\$ ?$/m;

/** A tmux as a person has it, but for the delay of Esc: a truth begins with its key. */
export function nestedTmuxLine({ folder, name }: InnerShellOptions): string {
  const file = join(folder, `${name}.conf`);
  // The shell that runs it takes PS1 away.
  const command = `set -g default-command 'PS1="\\$ " exec bash --norc --noprofile'`;
  writeFileSync(file, `set -s escape-time 0\n${command}\n`);
  // Without TMUX it does not refuse to run inside another.
  const socket = shellQuote(join(folder, `${name}.inner`));
  return `TMUX= tmux -u -S ${socket} -f ${shellQuote(file)} new-session -s ${shellQuote(name)}`;
}

export function sshLine(sshd: TestSshd, { folder, name, env }: InnerShellOptions): string {
  const file = join(folder, `${name}.shell`);
  const variables = Object.entries(env).map(([key, value]) => `${key}=${shellQuote(value)}`);
  const own = ['TERM="$TERM"', `PS1=${shellQuote(REMOTE_PROMPT)}`];
  const shell = `exec env -i ${[...variables, ...own].join(' ')} bash --norc --noprofile`;
  writeFileSync(file, `${shell}\n`);
  const program = ['ssh', ...sshd.clientArguments, '-t', 'testhost', 'sh', file];
  return program.map(shellQuote).join(' ');
}
