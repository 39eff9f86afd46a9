// The open request of a pane that a command is about, and its question for a person.

import type { DaemonClient } from '../../client/client.ts';
import { requestText } from '../../render/pane-notes.ts';
import { safeText } from '../../render/safe-text.ts';
import type { OpenRequestItem } from '../../schema/api/acting.ts';
import { type Call, textOf } from '../command.ts';
import { ask } from '../confirm.ts';
import { CliProblem, EXIT_REFUSED } from '../exit-codes.ts';

export async function findRequest(
  call: Call,
  client: DaemonClient,
  ref: string,
): Promise<OpenRequestItem> {
  const { requests } = await client.call('list_requests', { ref });
  const named = textOf(call.flags, 'request');
  const found = requests.filter(({ request_id }) => named === undefined || request_id === named);
  const [request] = found;
  if (request && found.length === 1) return request;
  throw request
    ? new CliProblem('E_REF_AMBIGUOUS', `${found.length} requests are open in ${ref}.`, {
        exitCode: EXIT_REFUSED,
        hint: 'Name one with --request; see agtmux list requests --json.',
      })
    : new CliProblem('E_NO_DIALOG', `No request is open in ${ref}.`, {
        exitCode: EXIT_REFUSED,
        hint: 'See what is asked with agtmux list requests.',
      });
}

function shownQuestion(request: OpenRequestItem): string {
  const question = requestText(request) || request.kind;
  return `${safeText(`${request.pane.agent ?? 'The agent'} asks: ${question}`)}`;
}

/** True where --request names it; else it is shown, and a person on the terminal is asked. */
export async function confirmRequest(
  call: Call,
  request: OpenRequestItem,
  question: string,
): Promise<boolean> {
  if (textOf(call.flags, 'request') !== undefined) return true;
  const hint = 'Name the request with --request ID; see agtmux list requests --json.';
  return ask(call, `${shownQuestion(request)}\n${question}`, hint);
}
