// Several commands in one command line of a plain tmux client, and its output as the replies that a
// control connection would give. A random mark that is printed after each command divides them.

import { randomBytes } from 'node:crypto';
import { asArgument } from '../../platform/text/tmux-argument.ts';
import type { Reply } from '../../tmux-wire/control-parser.ts';

export interface MarkedCommands {
  /** Of one tmux client. */
  readonly args: readonly string[];
  replies(output: ClientOutput): readonly Reply[];
}

/** What a client has printed (byte strings) and its exit code. */
export interface ClientOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** The last reply is the error, where there is one: tmux drops what follows it. */
export function markCommands(commands: readonly (readonly string[])[]): MarkedCommands {
  const mark = randomBytes(12).toString('hex');
  const marked = commands.flatMap((command) => [
    ...command.map(asArgument),
    ...[';', 'display-message', '-p', mark, ';'],
  ]);
  return {
    args: marked.slice(0, -1),
    replies({ stdout, stderr, code }) {
      const answers = stdout.split(`${mark}\n`).slice(0, -1);
      const replies = answers.map((text, index) => replyOf(text, { ok: true, number: index }));
      return code === 0
        ? replies
        : [...replies, replyOf(stderr, { ok: false, number: answers.length })];
    },
  };
}

function replyOf(text: string, { ok, number }: { ok: boolean; number: number }): Reply {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  return { kind: 'reply', ok, number, flags: 1, lines };
}
