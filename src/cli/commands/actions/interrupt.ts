// `agtmux interrupt REF`: stops the turn of an agent by its own keys.

import type { Call, CommandSpec } from '../../command.ts';
import { withDaemon } from '../../daemon-link.ts';
import { refArgument } from '../../options.ts';
import {
  ACTION_TIMEOUT_MS,
  actNotes,
  guardOptions,
  guardsOf,
  printOutcome,
} from './action-options.ts';

export const interruptCommand: CommandSpec = {
  name: 'interrupt',
  summary: 'stop the turn of an agent',
  examples: ['agtmux interrupt %3'],
  notes: [
    ...actNotes,
    'Refused unless the agent is working: at other times the keys mean something else.',
  ],
  args: [refArgument],
  options: guardOptions,
  run: async (call: Call) => {
    const input = { ref: call.args[0] ?? '', ...guardsOf(call) };
    const wait = { timeoutMs: ACTION_TIMEOUT_MS };
    return withDaemon(call, (client) => printOutcome(call, client.call('interrupt', input, wait)));
  },
};
