// `agtmux send REF --text TEXT`: types a prompt into an agent's input box and waits for proof; or
// presses keys in its pane. With filters in the place of REF it does so in every pane they find.

import type { DaemonClient } from '../../../client/client.ts';
import type { ActionReport } from '../../../schema/api/acting.ts';
import { type Call, type CommandSpec, isSet } from '../../command.ts';
import { withDaemon } from '../../daemon-link.ts';
import { checkTargetOptions } from '../../fetch-listing.ts';
import { agentOptions, refArgument, sessionOptions, text } from '../../options.ts';
import { readBody, type SendBody, sendUsage } from '../../send/send-body.ts';
import { type ShownGuards, sendToMany } from '../../send/send-many.ts';
import { readSendMoment } from '../../send/send-moment.ts';
import { ACTION_TIMEOUT_MS, guardOptions, guardsOf, printOutcome } from './action-options.ts';

export const sendCommand: CommandSpec = {
  name: 'send',
  summary: 'type a prompt into an agent and confirm that it was accepted',
  examples: [
    'agtmux send %3 --text continue',
    'agtmux send %3 --stdin --no-enter',
    "agtmux send %3 --key 'Down Down' --enter",
    'agtmux send %3 --text "run the tests" --when-idle',
    'agtmux send %3 --text continue --at reset',
    'agtmux send --state idle --agent claude --text "commit your work" --yes',
  ],
  notes: [
    'Exit codes: 0 delivered or queued, 2 typed but not confirmed, 66 no such pane, 75 refused.',
    'Of several agents the worst result counts: 75 if one refused, else 2 if one is not confirmed.',
    'Refused: an open dialog, a draft in the input box, copy mode, a shell, synchronize-panes.',
    'Keys have the names of tmux: Enter, Escape, Tab, BTab, Up, PageDown, F5, C-l, M-b, 1, y.',
  ],
  args: [{ ...refArgument, optional: true }],
  options: [
    { name: 'text', value: text('TEXT'), summary: 'the prompt' },
    { name: 'stdin', summary: 'read the prompt from standard input' },
    {
      name: 'key',
      value: text('KEY'),
      repeated: true,
      summary: 'press this key, or several with blanks between them',
    },
    { name: 'enter', summary: 'press Enter at the end (the default for a text)' },
    { name: 'no-enter', summary: 'leave the text in the input box' },
    { name: 'paste', summary: 'several lines are one paste, also where tmux cannot tell' },
    { name: 'force', summary: 'type even if nothing shows that the agent accepts it' },
    { name: 'when-idle', summary: 'queue the prompt until the agent rests' },
    {
      name: 'at',
      value: text('TIME'),
      summary: 'queue it until 15:30, an ISO time, 20m from now, or reset: the end of its limit',
    },
    ...guardOptions,
    ...sessionOptions,
    ...agentOptions,
    { name: 'yes', summary: 'do not ask before a send to several agents' },
  ],
  run: runSend,
};

type Guards = ReturnType<typeof guardsOf> & { readonly ref: string } & Partial<ShownGuards>;

async function runSend(call: Call): Promise<number> {
  checkTargetOptions(call.flags);
  const body = readBody(call);
  const when = readSendMoment(call, Date.now());
  if (when !== undefined && body.kind === 'keys') {
    throw sendUsage('--when-idle and --at are for texts; keys are pressed now.');
  }
  const [ref] = call.args;
  const isFiltered = [...sessionOptions, ...agentOptions].some(
    ({ name }) => call.flags[name] !== undefined,
  );
  if ((ref === undefined) !== isFiltered) {
    throw sendUsage('send needs a pane, or filters such as --state idle --agent claude.');
  }
  const guards = guardsOf(call);
  return withDaemon(call, async (client) => {
    const sendWith = (shown: Guards): Promise<ActionReport> =>
      sendBody(call, client, { body, when, guards: shown });
    if (ref !== undefined) return printOutcome(call, sendWith({ ...guards, ref }));
    if (guards.request_ref !== undefined) {
      throw sendUsage('--request-ref names one action; several agents are several.');
    }
    return sendToMany(call, client, (shown) => sendWith({ ...guards, ...shown }));
  });
}

function sendBody(
  { flags }: Call,
  client: DaemonClient,
  options: {
    readonly body: SendBody;
    readonly when: ReturnType<typeof readSendMoment>;
    readonly guards: Guards;
  },
): Promise<ActionReport> {
  const { body, when, guards } = options;
  const common = { ...guards, force: isSet(flags, 'force') };
  const wait = { timeoutMs: ACTION_TIMEOUT_MS };
  if (body.kind === 'keys') return client.call('press', { ...common, keys: [...body.keys] }, wait);
  const { text: typed, enter } = body;
  const moment = when === undefined ? {} : { when };
  const paste = isSet(flags, 'paste');
  return client.call('send', { ...common, text: typed, enter, paste, ...moment }, wait);
}
