// `agtmux completion bash|zsh|fish`: a completion script for the commands of this version, in
// completion/. The script asks back with --values for what only the daemon knows.

import {
  type Call,
  type CommandSpec,
  loadCommands,
  textOf,
  type ValueSource,
  valueSources,
} from '../../command.ts';
import { bashScript } from '../../completion/bash.ts';
import { fishScript } from '../../completion/fish.ts';
import { completionPoints } from '../../completion/points.ts';
import { completionValues } from '../../completion/values.ts';
import { zshScript } from '../../completion/zsh.ts';
import { usageProblem } from '../../exit-codes.ts';
import { choice } from '../../options.ts';

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

export const completionCommand: CommandSpec = {
  name: 'completion',
  summary: 'print the completion script for a shell',
  notes: [
    'Commands, options and their words are in the script. Panes, targets, sessions, agents and',
    'alerts are asked of the daemon when you press Tab; no daemon is started for it.',
  ],
  examples: [
    'source <(agtmux completion bash)',
    'source <(agtmux completion zsh)',
    'agtmux completion fish | source',
  ],
  args: [{ value: choice('SHELL', Object.keys(scripts)), summary: 'the shell', optional: true }],
  options: [
    {
      name: 'values',
      value: choice('KIND', valueSources),
      summary: 'print the words of one kind instead; the scripts use it',
    },
  ],
  run: runCompletion,
};

async function runCompletion(call: Call): Promise<number> {
  const { args, io, program } = call;
  const [shell] = args as (keyof typeof scripts)[];
  const source = textOf(call.flags, 'values') as ValueSource | undefined;
  if (source !== undefined) {
    const lines = await completionValues(call, source);
    io.writeOut(lines.map((line) => `${line}\n`).join(''));
    return 0;
  }
  if (shell === undefined) {
    throw usageProblem(
      'completion needs a shell: bash, zsh or fish.',
      'See agtmux completion --help.',
    );
  }
  io.writeOut(scripts[shell](completionPoints(program, await loadCommands(program))));
  return 0;
}
