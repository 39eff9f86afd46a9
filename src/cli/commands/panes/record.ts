// `agtmux record REF`: a pane's screen and the last minutes of its evidence, redacted, as a record
// of the corpus, which `agtmux classify` replays. The daemon takes it.

import { writeFileSync } from 'node:fs';
import { DaemonError } from '../../../client/client.ts';
import { safeJson, safeText } from '../../../render/safe-text.ts';
import { recordLabels } from '../../../text/state-words.ts';
import { type Call, type CommandSpec, isSet, numberOf, textOf } from '../../command.ts';
import { withDaemon } from '../../daemon-link.ts';
import { type CliProblem, usageProblem } from '../../exit-codes.ts';
import { choice, count, refArgument, text } from '../../options.ts';
import { printJson } from '../../output/print.ts';

type Label = (typeof recordLabels)[number];

const RECORD_TIMEOUT_MS = 15_000;
const FILE_MODE = 0o600;

export const recordCommand: CommandSpec = {
  name: 'record',
  summary: 'save a pane with its latest evidence, redacted, for a bug report or the corpus',
  notes: [
    'Secrets, your home folder, your name and that of the machine are hidden; prompts and commands',
    'of hooks are left out. The screen is included: read the file before you share it.',
    'agtmux classify FILE replays it.',
  ],
  examples: ['agtmux record %3 --output pane.json', 'agtmux record %3 --minutes 30 --label idle'],
  args: [refArgument],
  options: [
    { name: 'minutes', value: count, summary: 'how many minutes of evidence (10)' },
    { name: 'output', value: text('FILE'), summary: 'write a new file (standard output)' },
    {
      name: 'label',
      value: choice('STATE', recordLabels),
      summary: 'the true state (the one that the daemon reports)',
    },
  ],
  run: runRecord,
};

async function runRecord(call: Call): Promise<number> {
  const label = textOf(call.flags, 'label') as Label | undefined;
  const minutes = numberOf(call.flags, 'minutes');
  const input = {
    ref: call.args[0] ?? '',
    ...(label === undefined ? {} : { label }),
    ...(minutes === undefined ? {} : { minutes }),
  };
  const { recording } = await withDaemon(call, (client) =>
    client.call('record_pane', input, { timeoutMs: RECORD_TIMEOUT_MS }),
  ).catch((error: unknown) => {
    if (!(error instanceof DaemonError) || error.code !== 'E_INPUT_INVALID') throw error;
    throw refuse(error.message);
  });
  return writeRecording(call, `${safeJson(recording, 1)}\n`);
}

/** Prints the recording, or writes it to a new file that only its owner can read. */
function writeRecording(call: Call, text: string): number {
  const file = textOf(call.flags, 'output');
  if (file === undefined) {
    call.io.writeOut(text);
    return 0;
  }
  try {
    writeFileSync(file, text, { flag: 'wx', mode: FILE_MODE });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw refuse(
      code === 'EEXIST' ? `${file} exists already.` : `${file} cannot be written: ${message}.`,
    );
  }
  if (isSet(call.flags, 'json')) printJson(call, { schema_version: 1, file });
  else {
    const hint = 'Secrets and names are hidden; read the file before you share it.';
    call.io.writeOut(`${safeText(file)}\n${hint}\n`);
  }
  return 0;
}

const refuse = (message: string): CliProblem => usageProblem(message, 'See agtmux record --help.');
