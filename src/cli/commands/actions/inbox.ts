// `agtmux answer` alone: walks through everything that agents ask, the oldest first. Each answer
// names what was shown, so that a dialog that changed meanwhile is not answered.

import { createInterface, type Interface } from 'node:readline/promises';
import { type DaemonClient, DaemonError } from '../../../client/client.ts';
import { renderRequests } from '../../../render/requests.ts';
import { safeText } from '../../../render/safe-text.ts';
import type { OpenRequestItem } from '../../../schema/api/acting.ts';
import { callView } from '../../call-view.ts';
import type { Call } from '../../command.ts';
import { typedLine } from '../../confirm.ts';
import { withDaemon } from '../../daemon-link.ts';
import { usageProblem } from '../../exit-codes.ts';
import { readAnswer } from '../../requests/typed-answer.ts';
import { ACTION_TIMEOUT_MS, printOutcome } from './action-options.ts';

/** Printed once: it is longer than a row of many terminals. */
const KEYS =
  'Type numbers of options, t TEXT for an answer of your own, n [REASON] to deny,\n' +
  'd [TIME] to defer, Enter to skip, q to quit.\n';
const PROMPT = 'Answer: ';

export async function walkInbox(call: Call): Promise<number> {
  if (!process.stdin.isTTY || !call.io.isTerminal) {
    throw usageProblem(
      'answer without a pane needs a terminal.',
      'Name a pane and an option: agtmux answer REF --option LABEL.',
    );
  }
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await withDaemon(call, (client) => walk(call, client, lines));
  } finally {
    lines.close();
  }
}

async function walk(call: Call, client: DaemonClient, lines: Interface): Promise<number> {
  const shown = new Set<string>();
  for (;;) {
    const list = await client.call('list_requests', {});
    const request = list.requests.find((each) => !isDeferred(each) && !shown.has(keyOf(each)));
    if (!request) break;
    if (shown.size === 0) call.io.writeOut(KEYS);
    shown.add(keyOf(request));
    const view = callView(call, Date.parse(list.generated_at));
    call.io.writeOut(renderRequests(view, { ...list, requests: [request] }));
    const typed = (await typedLine(lines, PROMPT))?.trim() ?? 'q';
    if (typed === 'q') return 0;
    await answerOne(call, client, request, typed);
  }
  call.io.writeOut(shown.size === 0 ? 'Nothing is asked.\n' : 'Nothing more is asked.\n');
  return 0;
}

/** The next question of a dialog may have the id of the one before. */
const keyOf = ({ pane, request_id, detail }: OpenRequestItem): string => {
  const { text, command, file, options } = detail ?? {};
  const labels = options?.map(({ label }) => label);
  return JSON.stringify([pane.pane_key, request_id, text, command, file, labels]);
};

const isDeferred = ({ pane }: OpenRequestItem): boolean => pane.attention.snoozed_until !== null;

async function answerOne(
  call: Call,
  client: DaemonClient,
  request: OpenRequestItem,
  typed: string,
): Promise<void> {
  if (typed === '') return;
  const { pane, request_id } = request;
  const answer = readAnswer(typed, request);
  try {
    if (answer === null) {
      call.io.writeOut(`"${safeText(typed)}" does not answer this request; it was skipped.\n`);
    } else if ('deferMs' in answer) {
      await client.call('snooze', { ref: pane.ref, for_ms: answer.deferMs });
      call.io.writeOut('deferred\n');
    } else {
      const runtime = pane.runtime_id === null ? {} : { if_runtime: pane.runtime_id };
      const shown = { request_id, if_version: pane.state_version, ...runtime };
      const input = { ref: pane.ref, choice: answer.choice, ...shown, caller_pid: process.pid };
      await printOutcome(call, client.call('choose', input, { timeoutMs: ACTION_TIMEOUT_MS }));
    }
  } catch (error) {
    // One that cannot be answered does not end the walk.
    if (!(error instanceof DaemonError)) throw error;
    call.io.writeOut(`${safeText(`refused: ${error.message}`)}\n`);
  }
}
