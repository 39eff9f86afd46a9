// `agtmux record REF`: a pane's screen and the last minutes of its evidence, redacted, as a record
// of the corpus, which `agtmux classify` replays. src/recording/ takes it, and loads here.

import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { packageVersion } from '../../platform/version.ts';
import { safeJson, safeText } from '../../render/safe-text.ts';
import type { PaneItem } from '../../schema/api/panes.ts';
import { recordLabels } from '../../text/state-words.ts';
import { type Call, type CommandSpec, isSet, numberOf, textOf } from '../command.ts';
import { pathsOf, withDaemon } from '../daemon-link.ts';
import { CliProblem, EXIT_USAGE } from '../exit-codes.ts';
import { choice, count, refArgument, text } from '../options.ts';
import { printJson } from '../print.ts';

type Label = (typeof recordLabels)[number];

/** Long enough for a turn and the one before it. */
const MINUTES = 10;
const FILE_MODE = 0o600;

export const recordCommand: CommandSpec = {
  name: 'record',
  summary: 'a pane with its latest evidence, redacted, for a bug report or the corpus',
  notes: [
    'Secrets, your home folder, your name and that of the machine are hidden; prompts and commands',
    'of hooks are left out. The screen is included: read the file before you share it.',
    'agtmux classify FILE replays it.',
  ],
  examples: ['agtmux record %3 --output pane.json', 'agtmux record %3 --minutes 30 --label idle'],
  args: [refArgument],
  options: [
    { name: 'minutes', value: count, summary: `how many minutes of evidence (${MINUTES})` },
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
  const ref = call.args[0] ?? '';
  const { explanation, info, list } = await withDaemon(call, async (client) => ({
    explanation: await client.call('explain', { ref, events: 0 }),
    info: await client.call('daemon_info', {}),
    list: await client.call('list_adapters', {}),
  }));
  const { pane, why } = explanation;
  if (pane.target !== 'local')
    throw refuse(`${ref} is on ${pane.target}; only panes of this machine can be recorded.`);
  const given = textOf(call.flags, 'label') as Label | undefined;
  const { takeRecording } = await import('../../recording/take-recording.ts');
  const recording = await takeRecording({
    pane,
    why,
    label: given ?? labelOf(pane),
    isLabelGiven: given !== undefined,
    minutes: numberOf(call.flags, 'minutes') ?? MINUTES,
    database: info.database,
    stateDir: pathsOf(call).stateDir,
    version: packageVersion(),
    agents: list.adapters.map(({ agent }) => agent),
    home: homedir(),
    nowMs: Date.now(),
  });
  return writeRecording(call, `${safeJson(recording, 1)}\n`);
}

function labelOf({ presence, state }: PaneItem): Label {
  if (presence !== 'managed') return 'no_agent';
  if (state !== 'unknown') return state;
  throw refuse('the state is unknown; name the true one with --label STATE.');
}

/** Prints it, or writes a new file that nobody else may read. */
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

const refuse = (message: string): CliProblem =>
  new CliProblem('E_INPUT_INVALID', message, {
    exitCode: EXIT_USAGE,
    hint: 'See agtmux record --help.',
  });
