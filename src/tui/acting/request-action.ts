// Has the daemon act: each order becomes one call that names what was shown, so that anything else
// there is refused. Loaded with the first action.

import type { ActionReport, ChooseInput } from '../../schema/api/acting.ts';
import type { OperationMap, OperationName } from '../../schema/api/operations.ts';
import type { DaemonReply, Message } from '../message.ts';
import type { Order, ShownAgent } from '../model.ts';

/** Longer than the daemon takes for an action, its wait for others included. */
export const ACTION_WAIT_MS = 70_000;

export type CallDaemon = <Name extends OperationName>(
  name: Name,
  input: OperationMap[Name]['input'],
  timeoutMs?: number,
) => Promise<DaemonReply<OperationMap[Name]['output']>>;

/** Resolves when the action has its outcome. */
export async function requestAction(
  call: CallDaemon,
  shown: ShownAgent,
  order: Order,
): Promise<Message> {
  return { type: 'acted', shown, order, answer: await callFor(call, shown, order) };
}

function callFor(
  call: CallDaemon,
  { pane, request }: ShownAgent,
  order: Order,
): Promise<DaemonReply<ActionReport>> {
  const shown = {
    ref: pane.pane_key,
    if_version: pane.state_version,
    ...(pane.runtime_id === null ? {} : { if_runtime: pane.runtime_id }),
    caller_pid: process.pid,
  };
  const requestId = request === null ? {} : { request_id: request.request_id };
  const wait = ACTION_WAIT_MS;
  switch (order.kind) {
    case 'approve':
    case 'deny':
    case 'answer':
    case 'own-answer':
      return call('choose', { ...shown, ...requestId, choice: choiceOf(order) }, wait);
    case 'send':
      return call('send', { ...shown, text: order.text }, wait);
    case 'interrupt':
      return call('interrupt', shown, wait);
    case 'kill':
      return call('kill', { ...shown, signal: order.signal }, wait);
  }
}

type AnswerOrder = Extract<Order, { kind: 'approve' | 'deny' | 'answer' | 'own-answer' }>;

function choiceOf(order: AnswerOrder): ChooseInput['choice'] {
  switch (order.kind) {
    case 'approve':
      return { role: 'approve' };
    case 'deny':
      // A person who writes a reason wants the agent to have it, whatever its dialog takes.
      if (order.reason !== undefined) return { role: 'deny', text: order.reason, as_prompt: true };
      return { role: 'deny' };
    case 'answer': {
      const [label = ''] = order.labels;
      return order.isSeveral ? { labels: [...order.labels] } : { label };
    }
    case 'own-answer':
      return { role: 'own_answer', text: order.text };
  }
}
