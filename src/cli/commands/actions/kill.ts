// `agtmux kill REF`: signals an agent and all that it started, and says who ended.

import { safeText } from '../../../render/safe-text.ts';
import { type Call, type CommandSpec, isSet, textOf } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { withDaemon } from '../../daemon-link.ts';
import { EXIT_REFUSED } from '../../exit-codes.ts';
import { choice, refArgument } from '../../options.ts';
import {
  ACTION_TIMEOUT_MS,
  actNotes,
  guardOptions,
  guardsOf,
  printOutcome,
} from './action-options.ts';

const signals = ['INT', 'TERM', 'KILL'] as const;

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
  const isAsking = !isSet(call.flags, 'dry-run') && !isSet(call.flags, 'yes');
  return withDaemon(call, async (client) => {
    const shown = isAsking ? (await client.call('explain', { ref, events: 0 })).pane : null;
    const what = `${shown?.agent ?? 'the agent'} in ${ref}`;
    if (shown && !(await confirm(call, safeText(`End ${what} with SIG${signal}?`)))) {
      return EXIT_REFUSED;
    }
    // While the person thinks, another agent may take the place of the one that was meant.
    const meant = shown?.runtime_id ? { if_runtime: shown.runtime_id } : {};
    const input = { ref, signal, ...meant, ...guardsOf(call) };
    const wait = { timeoutMs: ACTION_TIMEOUT_MS };
    return printOutcome(call, client.call('kill', input, wait));
  });
}
