// `agtmux record REF`: the last minutes of a pane's evidence and its screen, redacted, as a record
// of the corpus, which `agtmux classify` replays. Taking it is daemon/recording/, loaded here.

import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { packageVersion } from '../../platform/version.ts';
import { safeJson, safeText } from '../../render/safe-text.ts';
import type { PaneItem } from '../../schema/api/panes.ts';
import type { LabelRecord } from '../../schema/record.ts';
import { type Call, isSet, numberOf, textOf } from '../command.ts';
import { pathsOf, withDaemon } from '../daemon-link.ts';
import { CliProblem, EXIT_USAGE } from '../exit-codes.ts';
import { printJson } from '../print.ts';

type Label = LabelRecord['state'];

/** Long enough for a turn and the one before it. */
const MINUTES = 10;
const FILE_MODE = 0o600;

export async function runRecord(call: Call): Promise<number> {
  const ref = call.args[0] ?? '';
  const { told, info, list } = await withDaemon(call, async (client) => ({
    told: await client.call('explain', { ref, events: 0 }),
    info: await client.call('daemon_info', {}),
    list: await client.call('list_adapters', {}),
  }));
  const { pane, why } = told;
  if (pane.target !== 'local') throw refuse(`${ref} is on ${pane.target}: only this machine's`);
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
  return put(call, `${safeJson(recording, 1)}\n`);
}

function labelOf({ presence, state }: PaneItem): Label {
  if (presence !== 'managed') return 'no_agent';
  if (state !== 'unknown') return state;
  throw refuse('the state is unknown, so the recording needs a label: --label STATE');
}

/** Prints it, or writes a new file that nobody else may read. */
function put(call: Call, text: string): number {
  const file = textOf(call.flags, 'output');
  if (file === undefined) {
    call.io.writeOut(text);
    return 0;
  }
  try {
    writeFileSync(file, text, { flag: 'wx', mode: FILE_MODE });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw refuse(code === 'EEXIST' ? `${file} is there already.` : `no recording: ${message}.`);
  }
  if (isSet(call.flags, 'json')) printJson(call, { schema_version: 1, file });
  else {
    const hint = 'Secrets and names were hidden; look at it before you pass it on.';
    call.io.writeOut(`${safeText(file)}\n${hint}\n`);
  }
  return 0;
}

const refuse = (message: string): CliProblem =>
  new CliProblem('E_INPUT_INVALID', message, {
    exitCode: EXIT_USAGE,
    hint: 'See agtmux record --help.',
  });
