// What is typed into a pane: a prompt, the answer to a dialog, the keys that stop a turn; which
// requests wait for an answer; and the audit trail.

import { redactText } from '../core/redact.ts';
import { resolveRef } from '../core/view/resolve-ref.ts';
import type { Delivery } from '../schema/action.ts';
import type { DeliveryItem } from '../schema/api/acting.ts';
import { ok, refuse } from '../schema/outcome.ts';
import { header, paneItem } from './answer/pane-item.ts';
import { paneView } from './panes.ts';
import { isoOf } from './ports/iso-time.ts';
import { type Operation, type OperationCall, operation, witnessOf } from './ports/operation.ts';
import type { ActionOrder, PanesPort, Ports } from './ports/ports.ts';

/** Looks, types and waits for proof; the wait for other actions of the pane comes first. */
const ACTION_MS = 60_000;
/** Enough to recognise a prompt. */
const DELIVERY_TEXT_MAX = 200;
const action = {
  scope: 'control',
  actors: ['user', 'agent'],
  deadlineMs: ACTION_MS,
  ports: ['panes', 'actions'],
} as const;

/** Resolves the pane, then has the order run. */
async function perform(
  { panes, actions }: Pick<Ports, 'panes' | 'actions'>,
  order: ActionOrder,
  { signal, commit, actor }: OperationCall,
) {
  const found = refuseUnstored(panes) ?? resolveRef(panes.world(), order.input.ref, 'act');
  // A pane may have gone since; what came of the action can still be asked for.
  if (!found.ok) return (await actions.earlier(order, { signal, commit })) ?? found;
  return actions.perform(found.value, order, {
    signal,
    commit,
    actor: `${actor.kind}:${actor.id}`,
    witness: witnessOf(actor, order.input.caller_pid),
  });
}

/** While nothing can be stored, which agents there are is not known, nor may anything be typed. */
function refuseUnstored(panes: PanesPort) {
  const failure = panes.storeError();
  return failure && refuse(failure.code, 'nothing can be stored, so nothing is typed');
}

function deliveryItem(panes: PanesPort, delivery: Delivery): DeliveryItem {
  const { runtimeId, paneKey, settledAtMs, actor, moment, status, detail } = delivery;
  const view = paneView(panes);
  const pane = view.world.panes.get(paneKey);
  return {
    delivery_id: delivery.deliveryId,
    action_id: delivery.actionId,
    runtime_id: runtimeId,
    pane_key: paneKey,
    pane: pane ? paneItem(view, pane) : null,
    ...{ actor, moment, status, detail },
    text: redactText(delivery.text, DELIVERY_TEXT_MAX),
    asked_at: isoOf(delivery.queuedAtMs),
    due_at: isoOf(delivery.dueAtMs),
    expires_at: isoOf(delivery.expiresAtMs),
    settled_at: settledAtMs === null ? null : isoOf(settledAtMs),
  };
}

export const actingOperations: readonly Operation[] = [
  operation('send', {
    ...action,
    summary: 'Types a prompt into the input box of an agent, and proves that the agent took it.',
    run: (ports, input, call) => perform(ports, { kind: 'send', input }, call),
  }),
  operation('press', {
    ...action,
    summary: 'Presses keys in a pane by their names, each only if no dialog is open.',
    run: (ports, input, call) => perform(ports, { kind: 'press', input }, call),
  }),
  operation('choose', {
    ...action,
    summary: 'Chooses an option of an open dialog by its label or its meaning.',
    run: (ports, input, call) => perform(ports, { kind: 'choose', input }, call),
  }),
  operation('interrupt', {
    ...action,
    summary: 'Stops the turn of an agent by its own keys.',
    run: (ports, input, call) => perform(ports, { kind: 'interrupt', input }, call),
  }),
  operation('kill', {
    ...action,
    summary: 'Signals an agent and all that it started; the shell of the pane lives on.',
    run: (ports, input, call) => perform(ports, { kind: 'kill', input }, call),
  }),
  operation('list_requests', {
    summary: 'Every dialog and question that waits for a person; the oldest first.',
    scope: 'read',
    ports: ['panes'],
    run: ({ panes }, { ref }, call) => {
      const view = paneView(panes);
      const found = ref === undefined ? null : resolveRef(view.world, ref, 'act');
      const failure = found && panes.storeError();
      if (failure) return refuse(failure.code, 'what is asked cannot be stored now');
      if (found && !found.ok) return found;
      // An empty list would say that nothing is asked, and that is not known.
      if (found && view.world.targets.get(found.value.targetId)?.health === 'down') {
        return refuse('E_TARGET_UNREACHABLE', `target ${found.value.targetId} does not answer`);
      }
      const listed = found ? [found.value] : [...view.world.panes.values()];
      const requests = listed
        .filter(({ goneAtMs }) => goneAtMs === null)
        .flatMap((pane) =>
          pane.row.attention.requests.flatMap((request) => {
            const { requestId, kind, sinceMs, seen, detail } = request;
            if (kind !== 'approval' && kind !== 'question') return [];
            const ownText = panes.takesText(pane, request) ? { takes_text: true } : {};
            return [{ request_id: requestId, kind, sinceMs, seen, detail, ...ownText, pane }];
          }),
        );
      return ok({
        ...header(call.nowMs()),
        requests: requests
          .toSorted((a, b) => a.sinceMs - b.sinceMs)
          .map(({ sinceMs, pane, ...rest }) => ({
            ...rest,
            since: isoOf(sinceMs),
            pane: paneItem(view, pane),
          })),
      });
    },
  }),
  operation('list_deliveries', {
    summary: 'Prompts that wait for their moment, and on request those that did.',
    scope: 'read',
    ports: ['panes', 'deliveries'],
    run: ({ panes, deliveries }, { ref, include_settled }, call) => {
      const found = ref === undefined ? null : resolveRef(panes.world(), ref, 'read');
      if (found && !found.ok) return found;
      const query = { paneKey: found?.value.paneKey ?? null, includeSettled: include_settled };
      const listed = deliveries.list(query).map((each) => deliveryItem(panes, each));
      return ok({ ...header(call.nowMs()), deliveries: listed });
    },
  }),
  operation('cancel_delivery', {
    summary: 'Takes a queued prompt back, as long as it is not being typed.',
    scope: 'control',
    actors: ['user'],
    ports: ['panes', 'deliveries'],
    run: ({ panes, deliveries }, { delivery_id }, { actor }) => {
      const cancelled = deliveries.cancel(delivery_id, `${actor.kind}:${actor.id}`);
      return cancelled.ok ? ok(deliveryItem(panes, cancelled.value)) : cancelled;
    },
  }),
  operation('list_actions', {
    summary: 'The audit trail: actions, by whom, and what came of each; the newest first.',
    scope: 'read',
    ports: ['panes', 'actions'],
    run: ({ panes, actions }, { ref, request_ref, limit }, call) => {
      const found = ref === undefined ? null : resolveRef(panes.world(), ref, 'read');
      if (found && !found.ok) return found;
      const paneKey = found?.value.paneKey ?? null;
      const query = { paneKey, requestRef: request_ref ?? null, limit };
      return ok({ ...header(call.nowMs()), actions: [...actions.reports(query)] });
    },
  }),
];
