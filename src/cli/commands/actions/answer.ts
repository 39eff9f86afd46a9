// `agtmux approve`, `deny` and `answer`: an option of an open dialog, chosen by its label. What is
// answered is what was shown: the reply names its runtime, its version and its request.

import { type DaemonClient, DaemonError } from '../../../client/client.ts';
import type { ChooseInput } from '../../../schema/api/acting.ts';
import { type Call, type CommandSpec, isSet, listOf, textOf } from '../../command.ts';
import { withDaemon } from '../../daemon-link.ts';
import { type CliProblem, EXIT_REFUSED, usageProblem } from '../../exit-codes.ts';
import { refArgument, text } from '../../options.ts';
import { choiceQuestion } from '../../requests/choice-question.ts';
import { confirmRequest, findRequest } from '../../requests/open-request.ts';
import {
  ACTION_TIMEOUT_MS,
  actNotes,
  guardOptions,
  guardsOf,
  printOutcome,
} from './action-options.ts';

const shared = {
  args: [refArgument],
  notes: [
    ...actNotes,
    'Without --request or --dry-run it shows the question and asks first, on a terminal.',
  ],
};
const requestOption = {
  name: 'request',
  value: text('ID'),
  summary: 'answer this request and no other; its id is in agtmux list requests --json',
};

export const approveCommand: CommandSpec = {
  ...shared,
  name: 'approve',
  summary: 'approve what an agent asks for, once',
  examples: ['agtmux approve %3', 'agtmux approve %3 --request 7f3a --if-runtime 5c1d'],
  options: [
    { name: 'always', summary: 'choose the option that also allows it from now on' },
    requestOption,
    ...guardOptions,
  ],
  run: (call) => runChoice(call, { role: isSet(call.flags, 'always') ? 'always' : 'approve' }),
};

export const denyCommand: CommandSpec = {
  ...shared,
  name: 'deny',
  summary: 'deny what an agent asks for',
  notes: [
    ...shared.notes,
    'Dialogs of Claude Code and Copilot take a reason; with those of others use --as-prompt.',
  ],
  examples: ['agtmux deny %3', "agtmux deny %3 --reason 'use the staging database'"],
  options: [
    { name: 'reason', value: text('TEXT'), summary: 'say why, in the dialog itself' },
    { name: 'as-prompt', summary: 'where the dialog takes no reason, send it as the next prompt' },
    requestOption,
    ...guardOptions,
  ],
  run: runDeny,
};

export const answerCommand: CommandSpec = {
  ...shared,
  name: 'answer',
  args: [{ ...refArgument, optional: true }],
  summary: 'answer a question by the label of an option; alone, walk through all that is asked',
  examples: [
    'agtmux answer',
    'agtmux answer %3 --option PostgreSQL',
    'agtmux answer %3 --option Auth --option Cache',
    "agtmux answer %3 --text 'MariaDB, as in production'",
  ],
  options: [
    {
      name: 'option',
      value: text('LABEL'),
      repeated: true,
      summary: 'the label, or its start; several where the question takes several',
    },
    { name: 'text', value: text('TEXT'), summary: 'an answer of your own' },
    requestOption,
    ...guardOptions,
  ],
  run: runAnswer,
};

function runDeny(call: Call): Promise<number> {
  const reason = textOf(call.flags, 'reason');
  const asPrompt = isSet(call.flags, 'as-prompt');
  if (reason !== undefined) {
    return runChoice(call, {
      role: 'deny',
      text: reason,
      ...(asPrompt ? { as_prompt: true } : {}),
    });
  }
  if (!asPrompt) return runChoice(call, { role: 'deny' });
  throw commandUsage('--as-prompt needs --reason.', 'deny');
}

async function runAnswer(call: Call): Promise<number> {
  const labels = listOf(call.flags, 'option');
  const own = textOf(call.flags, 'text');
  const [ref] = call.args;
  const [label, ...more] = labels;
  if (ref === undefined && label === undefined && own === undefined) {
    return (await import('./inbox.ts')).walkInbox(call);
  }
  if (ref === undefined || (label === undefined) === (own === undefined)) {
    throw commandUsage('answer needs a pane and --option or --text, or nothing at all.', 'answer');
  }
  if (own !== undefined) return runChoice(call, { role: 'own_answer', text: own });
  return runChoice(call, more.length > 0 ? { labels: [...labels] } : { label: label ?? '' });
}

const commandUsage = (message: string, command: string): CliProblem =>
  usageProblem(message, `See agtmux ${command} --help.`);

function runChoice(call: Call, choice: ChooseInput['choice']): Promise<number> {
  const ref = call.args[0] ?? '';
  const wait = { timeoutMs: ACTION_TIMEOUT_MS };
  return withDaemon(call, async (client) => {
    const earlier = await earlierInput(call, client, ref);
    if (earlier !== null) {
      const again = { ...earlier, choice, ...identityOf(call) };
      return printOutcome(call, client.call('choose', again, wait));
    }
    const request = await findRequest(call, client, ref);
    if (!(await confirmRequest(call, request, choiceQuestion(choice, request))))
      return EXIT_REFUSED;
    const { pane, request_id } = request;
    const shown = {
      if_version: pane.state_version,
      ...(pane.runtime_id === null ? {} : { if_runtime: pane.runtime_id }),
    };
    const input = { ref: pane.ref, choice, request_id, ...shown, ...guardsOf(call) };
    return printOutcome(call, client.call('choose', input, wait));
  });
}

/** What was asked for under the same `--request-ref` before: its request may be over by now. */
async function earlierInput(
  call: Call,
  client: DaemonClient,
  ref: string,
): Promise<ChooseInput | null> {
  const requestRef = textOf(call.flags, 'request-ref');
  if (requestRef === undefined || isSet(call.flags, 'dry-run')) return null;
  const { actions } = await client.call('list_actions', { request_ref: requestRef });
  const [found] = actions;
  if (found?.kind !== 'choose') return null;
  const input: ChooseInput = JSON.parse(found.input);
  const pane = await paneOf(client, ref);
  // Of another pane it is another action, which the daemon refuses.
  return pane === null || pane.pane_key === found.pane_key ? input : { ...input, ref: pane.ref };
}

/** Null for a pane that is gone: what came of its action can still be fetched. */
async function paneOf(client: DaemonClient, ref: string) {
  try {
    return (await client.call('explain', { ref, events: 0 })).pane;
  } catch (error) {
    if (error instanceof DaemonError && error.code === 'E_REF_NOT_FOUND') return null;
    throw error;
  }
}

/** What makes it another action, which the daemon refuses, if it differs. */
function identityOf(call: Call) {
  const request = textOf(call.flags, 'request');
  const { request_ref, caller_pid } = { request_ref: undefined, ...guardsOf(call) };
  return { request_ref, caller_pid, ...(request === undefined ? {} : { request_id: request }) };
}
