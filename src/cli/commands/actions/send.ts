// `agtmux send REF --text TEXT`: types a prompt into an agent's input box and waits for proof.

import { type Call, type CommandSpec, isSet, textOf } from '../../command.ts';
import { withDaemon } from '../../daemon-link.ts';
import { CliProblem, EXIT_USAGE } from '../../exit-codes.ts';
import { refArgument, text } from '../../options.ts';
import { readInput, STDIN_FILE } from '../../read-input.ts';
import {
  ACTION_TIMEOUT_MS,
  actNotes,
  guardOptions,
  guardsOf,
  printReport,
} from './action-options.ts';

const TEXT_BYTES_MAX = 1_050_000;

export const sendCommand: CommandSpec = {
  name: 'send',
  summary: 'type a prompt into an agent and confirm that it was accepted',
  examples: ['agtmux send %3 --text continue', 'agtmux send %3 --stdin --no-enter'],
  notes: [
    ...actNotes,
    'Refused: an open dialog, a draft in the input box, copy mode, a shell, synchronize-panes.',
  ],
  args: [refArgument],
  options: [
    { name: 'text', value: text('TEXT'), summary: 'the prompt' },
    { name: 'stdin', summary: 'read the prompt from standard input' },
    { name: 'no-enter', summary: 'leave the text in the input box' },
    { name: 'force', summary: 'type even if nothing shows that the agent accepts it' },
    ...guardOptions,
  ],
  run: runSend,
};

async function runSend(call: Call): Promise<number> {
  const ref = call.args[0] ?? '';
  const input = {
    ref,
    text: readText(call),
    enter: !isSet(call.flags, 'no-enter'),
    force: isSet(call.flags, 'force'),
    ...guardsOf(call),
  };
  const wait = { timeoutMs: ACTION_TIMEOUT_MS };
  return printReport(call, await withDaemon(call, (client) => client.call('send', input, wait)));
}

function readText({ flags }: Call): string {
  const given = textOf(flags, 'text');
  if ((given === undefined) !== isSet(flags, 'stdin')) {
    throw new CliProblem('E_INPUT_INVALID', 'send needs either --text TEXT or --stdin.', {
      exitCode: EXIT_USAGE,
      hint: 'See agtmux send --help.',
    });
  }
  if (given !== undefined) return given;
  const read = readInput(STDIN_FILE, TEXT_BYTES_MAX);
  if (read.ok && !read.isCut) return read.text;
  const why = read.ok ? 'The text is longer than 1 MB.' : read.why;
  throw new CliProblem('E_INPUT_INVALID', why, { exitCode: EXIT_USAGE });
}
