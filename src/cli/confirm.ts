// Asks a person on a terminal before something is done that cannot be taken back.

import { createInterface } from 'node:readline/promises';
import { type Call, isSet } from './command.ts';
import { CliProblem, EXIT_USAGE } from './exit-codes.ts';

/** True after `--yes` or a typed yes. Without a terminal it is a usage error. */
export async function confirm(call: Call, question: string): Promise<boolean> {
  if (isSet(call.flags, 'yes')) return true;
  return ask(call, question, 'Use --yes to continue without it.');
}

/** True after a typed yes. Without a terminal it is a usage error, with what to do instead. */
export async function ask(call: Call, question: string, hint: string): Promise<boolean> {
  if (!process.stdin.isTTY || !call.io.isTerminal) {
    throw new CliProblem('E_INPUT_INVALID', 'Confirmation needs a terminal.', {
      exitCode: EXIT_USAGE,
      hint,
    });
  }
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await lines.question(`${question} [y/N] `);
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}
