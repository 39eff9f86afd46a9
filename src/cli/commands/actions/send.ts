// `agtmux send REF --text TEXT`: types a prompt into an agent's input box and waits for proof; or
// presses keys in its pane.

import { type Call, type CommandSpec, isSet } from '../../command.ts';
import { withDaemon } from '../../daemon-link.ts';
import { refArgument, text } from '../../options.ts';
import { readBody } from '../../send/send-body.ts';
import {
  ACTION_TIMEOUT_MS,
  actNotes,
  guardOptions,
  guardsOf,
  printReport,
} from './action-options.ts';

export const sendCommand: CommandSpec = {
  name: 'send',
  summary: 'type a prompt into an agent and confirm that it was accepted',
  examples: [
    'agtmux send %3 --text continue',
    'agtmux send %3 --stdin --no-enter',
    "agtmux send %3 --key 'Down Down' --enter",
  ],
  notes: [
    ...actNotes,
    'Refused: an open dialog, a draft in the input box, copy mode, a shell, synchronize-panes.',
    'Keys have the names of tmux: Enter, Escape, Tab, BTab, Up, PageDown, F5, C-l, M-b, 1, y.',
  ],
  args: [refArgument],
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
    ...guardOptions,
  ],
  run: runSend,
};

async function runSend(call: Call): Promise<number> {
  const body = readBody(call);
  const common = {
    ref: call.args[0] ?? '',
    force: isSet(call.flags, 'force'),
    ...guardsOf(call),
  };
  const wait = { timeoutMs: ACTION_TIMEOUT_MS };
  const report = await withDaemon(call, (client) => {
    if (body.kind === 'keys') {
      return client.call('press', { ...common, keys: [...body.keys] }, wait);
    }
    const { text, enter } = body;
    const paste = isSet(call.flags, 'paste');
    return client.call('send', { ...common, text, enter, paste }, wait);
  });
  return printReport(call, report);
}
