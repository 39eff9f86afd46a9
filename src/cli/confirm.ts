// Asks a person before something is taken away.

import { createInterface } from 'node:readline/promises';
import { type Call, isSet } from './command.ts';
import { CliProblem, EXIT_USAGE } from './exit-codes.ts';

/** True after `--yes` or a typed yes. Without a person to ask it is a usage error. */
export async function confirm(call: Call, question: string): Promise<boolean> {
  if (isSet(call.flags, 'yes')) return true;
  if (!process.stdin.isTTY || !call.io.isTerminal) {
    throw new CliProblem('E_INPUT_INVALID', 'There is no terminal to ask you on.', {
      exitCode: EXIT_USAGE,
      hint: 'Say --yes if you mean it.',
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
