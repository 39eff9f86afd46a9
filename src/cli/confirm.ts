// Asks a person on a terminal before something is done that cannot be taken back.

import { createInterface, type Interface } from 'node:readline/promises';
import { type Call, isSet } from './command.ts';
import { Interrupted, usageProblem } from './exit-codes.ts';

/** True after `--yes` or a typed yes. Without a terminal it is a usage error. */
export async function confirm(call: Call, question: string): Promise<boolean> {
  if (isSet(call.flags, 'yes')) return true;
  return ask(call, question, 'Use --yes to continue without it.');
}

/** True after a typed yes. Without a terminal it is a usage error, with what to do instead. */
export async function ask(call: Call, question: string, hint: string): Promise<boolean> {
  if (!process.stdin.isTTY || !call.io.isTerminal) {
    throw usageProblem('Confirmation needs a terminal.', hint);
  }
  const answer = await askLine(`${question} [y/N] `);
  return answer !== null && /^y(?:es)?$/i.test(answer.trim());
}

/** One line from the terminal; null after Ctrl-D. */
export async function askLine(prompt: string): Promise<string | null> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await typedLine(lines, prompt);
  } finally {
    lines.close();
  }
}

/** What is typed at the prompt; null after Ctrl-D. Throws Interrupted after Ctrl-C. */
export async function typedLine(lines: Interface, prompt: string): Promise<string | null> {
  const stop = new AbortController();
  let isInterrupted = false;
  const onEnd = (): void => stop.abort();
  const onInterrupt = (): void => {
    isInterrupted = true;
    stop.abort();
  };
  lines.once('SIGINT', onInterrupt).once('close', onEnd);
  try {
    return await lines.question(prompt, { signal: stop.signal });
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error;
    // The cursor is still in the row of the prompt.
    process.stdout.write('\n');
    if (isInterrupted) throw new Interrupted();
    return null;
  } finally {
    lines.off('SIGINT', onInterrupt).off('close', onEnd);
  }
}
