// The open request of a pane that a command is about, and its question for a person.

import type { DaemonClient } from '../../client/client.ts';
import { requestText } from '../../render/pane-notes.ts';
import { safeText } from '../../render/safe-text.ts';
import type { OpenRequestItem } from '../../schema/api/acting.ts';
import { type Call, isSet, textOf } from '../command.ts';
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
  if (named !== undefined && requests.length > 0) throw notOpen(named, ref, requests);
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

function notOpen(named: string, ref: string, open: readonly OpenRequestItem[]): CliProblem {
  const others = open.map((each) => `${each.request_id} (${safeText(wordsOf(each))})`).join(', ');
  const message = `Request "${safeText(named)}" is not open in ${ref}. Open is ${others}.`;
  return new CliProblem('E_NO_DIALOG', message, {
    exitCode: EXIT_REFUSED,
    hint: 'See what is asked with agtmux list requests.',
  });
}

const wordsOf = (request: OpenRequestItem): string => requestText(request) || request.kind;

function shownQuestion(request: OpenRequestItem): string {
  return safeText(`${request.pane.agent ?? 'The agent'} asks: ${wordsOf(request)}`);
}

/**
 * True where --request names it, and where nothing will be typed; else it is shown, and a person on
 * the terminal is asked.
 */
export async function confirmRequest(
  call: Call,
  request: OpenRequestItem,
  question: string,
): Promise<boolean> {
  if (textOf(call.flags, 'request') !== undefined || isSet(call.flags, 'dry-run')) return true;
  const hint = 'Name the request with --request ID; see agtmux list requests --json.';
  return ask(call, `${shownQuestion(request)}\n${safeText(question)}`, hint);
}
