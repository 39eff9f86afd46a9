// What a `send` types, read from its command line: a text, standard input, or keys by name.

import { type Call, isSet, listOf, textOf } from '../command.ts';
import { type CliProblem, usageProblem } from '../exit-codes.ts';
import { readInput, STDIN_FILE } from '../read-input.ts';

/** What the daemon takes, with a little more for what is left out before typing. */
const TEXT_BYTES_MAX = 1_050_000;

export type SendBody =
  | { readonly kind: 'text'; readonly text: string; readonly enter: boolean }
  | { readonly kind: 'keys'; readonly keys: readonly string[] };

export const sendUsage = (message: string): CliProblem =>
  usageProblem(message, 'See agtmux send --help.');

/** Throws a CliProblem where the options do not name one thing to type. */
export function readBody({ flags }: Call): SendBody {
  const text = textOf(flags, 'text');
  const named = listOf(flags, 'key').flatMap((each) => each.split(/\s+/).filter(Boolean));
  // Under this name not every tmux knows it.
  const keys = named.map((key) => (key === 'S-Tab' ? 'BTab' : key));
  const given = [text !== undefined, isSet(flags, 'stdin'), flags['key'] !== undefined];
  if (given.filter(Boolean).length !== 1) {
    throw sendUsage('send needs one of --text TEXT, --stdin and --key KEY.');
  }
  const hasEnter = isSet(flags, 'enter');
  const hasNoEnter = isSet(flags, 'no-enter');
  if (hasEnter && hasNoEnter) throw sendUsage('--enter and --no-enter contradict each other.');
  if (flags['key'] === undefined) {
    return { kind: 'text', text: text ?? readStdin(), enter: !hasNoEnter };
  }
  if (isSet(flags, 'paste')) throw sendUsage('--paste is for texts; keys are pressed.');
  return { kind: 'keys', keys: hasEnter ? [...keys, 'Enter'] : keys };
}

function readStdin(): string {
  const read = readInput(STDIN_FILE, TEXT_BYTES_MAX);
  if (read.ok && !read.isCut) return read.text;
  throw sendUsage(read.ok ? 'The text is longer than 1 MB.' : read.why);
}
