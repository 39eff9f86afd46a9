// `agtmux snooze REF [TIME]` and `agtmux unsnooze REF`: puts off what an agent asks for.

import { clockText } from '../../../render/pane-notes.ts';
import { callView } from '../../call-view.ts';
import { type ArgumentSpec, type Call, type CommandSpec, isSet } from '../../command.ts';
import { withDaemon } from '../../daemon-link.ts';
import { refArgument } from '../../options.ts';
import { printJson } from '../../output/print.ts';
import { readDuration } from '../../value.ts';

const timeArgument: ArgumentSpec = {
  value: { kind: 'duration', label: 'TIME' },
  summary: 'how long, such as 10m or 2h (30m)',
  optional: true,
};

export const snoozeCommand: CommandSpec = {
  name: 'snooze',
  summary: 'postpone what an agent needs you for',
  notes: [
    'The agent stays in the list, but is not counted among those that need you.',
    'It ends after TIME, when the request is answered or changes, or when a new one opens.',
  ],
  examples: ['agtmux snooze %3', 'agtmux snooze %3 2h'],
  args: [refArgument, timeArgument],
  run: runSnooze,
};

export const unsnoozeCommand: CommandSpec = {
  name: 'unsnooze',
  summary: 'end a snooze',
  examples: ['agtmux unsnooze %3'],
  args: [refArgument],
  run: runUnsnooze,
};

async function runSnooze(call: Call): Promise<number> {
  const [ref = '', time] = call.args;
  const forMs = time === undefined ? null : readDuration(time);
  const reply = await withDaemon(call, (client) =>
    client.call('snooze', { ref, ...(forMs === null ? {} : { for_ms: forMs }) }),
  );
  if (isSet(call.flags, 'json')) printJson(call, reply);
  else {
    const view = callView(call, Date.now());
    call.io.writeOut(`Snoozed until ${clockText(view, Date.parse(reply.snoozed_until))}.\n`);
  }
  return 0;
}

async function runUnsnooze(call: Call): Promise<number> {
  const [ref = ''] = call.args;
  const reply = await withDaemon(call, (client) => client.call('unsnooze', { ref }));
  if (isSet(call.flags, 'json')) printJson(call, reply);
  return 0;
}
