// `agtmux msg raw` types a text as it is; `agtmux look` shows the end of a pane. Both are for
// members and agents, each permitted by policy on its own, and both are in the audit trail.

import { renderLook } from '../../../render/acting/messages.ts';
import { type CommandSpec, isSet, numberOf, textOf } from '../../command.ts';
import { usageProblem } from '../../exit-codes.ts';
import { count, refArgument, text } from '../../options.ts';
import { printReply } from '../../output/print.ts';
import { ACTION_TIMEOUT_MS, printOutcome } from '../actions/action-options.ts';
import { asOf, withIdentity } from './msg-link.ts';
import { personOption } from './msg-options.ts';

export const rawCommand: CommandSpec = {
  name: 'raw',
  summary: 'type a text as it is, without envelope and without waiting',
  examples: ["agtmux msg raw coder --text '/compact'", 'agtmux msg raw coder --text y --no-enter'],
  notes: [
    'Agents need the control "raww" in policies.toml. An open dialog may take what is typed.',
    'Exit codes: 0 delivered, 2 typed but not confirmed, 75 refused, 77 the policy says no.',
  ],
  args: [refArgument],
  options: [
    { name: 'text', value: text('TEXT'), summary: 'the text' },
    { name: 'no-enter', summary: 'do not press Enter after it' },
    personOption,
  ],
  run: (call) => {
    const typed = textOf(call.flags, 'text');
    if (typed === undefined) {
      throw usageProblem('msg raw needs --text TEXT.', 'See agtmux msg raw --help.');
    }
    const enter = !isSet(call.flags, 'no-enter');
    const input = { ref: call.args[0] ?? '', text: typed, enter, ...asOf(call) };
    return withIdentity(call, (client) =>
      printOutcome(call, client.call('write_raw', input, { timeoutMs: ACTION_TIMEOUT_MS })),
    );
  },
};

export const lookCommand: CommandSpec = {
  name: 'look',
  summary: 'the last lines of a member or an agent, as far as the policy permits it',
  examples: ['agtmux look coder', 'agtmux look work:0.1 --lines 40'],
  notes: ['Read-only. Every look is in agtmux history --actions.'],
  args: [refArgument],
  options: [{ name: 'lines', value: count, summary: 'how many, 1 to 1000 (120)' }, personOption],
  run: async (call) => {
    const input = { ref: call.args[0] ?? '', lines: numberOf(call.flags, 'lines') ?? 120 };
    const look = await withIdentity(call, (client) =>
      client.call('look', { ...input, ...asOf(call) }, { timeoutMs: ACTION_TIMEOUT_MS }),
    );
    printReply(call, look, renderLook);
    return 0;
  },
};
