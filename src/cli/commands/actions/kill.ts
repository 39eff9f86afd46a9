// `agtmux kill REF`: signals an agent and all that it started, and says who ended.

import { type Call, type CommandSpec, isSet, textOf } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { withDaemon } from '../../daemon-link.ts';
import { choice, refArgument } from '../../options.ts';
import {
  ACTION_TIMEOUT_MS,
  actNotes,
  guardOptions,
  guardsOf,
  printReport,
} from './action-options.ts';

const signals = ['INT', 'TERM', 'KILL'] as const;
const EXIT_DECLINED = 75;

export const killCommand: CommandSpec = {
  name: 'kill',
  summary: 'end an agent and all that it started; its shell lives on',
  examples: ['agtmux kill %3', 'agtmux kill %3 --signal TERM --yes'],
  notes: [...actNotes, 'A stronger signal is never sent by itself.'],
  args: [refArgument],
  options: [
    {
      name: 'signal',
      value: choice('SIGNAL', signals),
      summary: 'INT (the default), TERM or KILL',
    },
    { name: 'yes', summary: 'do not ask' },
    ...guardOptions,
  ],
  run: runKill,
};

async function runKill(call: Call): Promise<number> {
  const ref = call.args[0] ?? '';
  const signal = (textOf(call.flags, 'signal') ?? 'INT') as (typeof signals)[number];
  const isAsking = !isSet(call.flags, 'dry-run');
  if (isAsking && !(await confirm(call, `End the agent in ${ref} with SIG${signal}?`))) {
    return EXIT_DECLINED;
  }
  const input = { ref, signal, ...guardsOf(call) };
  const wait = { timeoutMs: ACTION_TIMEOUT_MS };
  return printReport(call, await withDaemon(call, (client) => client.call('kill', input, wait)));
}
