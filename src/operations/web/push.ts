// Push messages to browsers: who gets them, on and off, and one to try. What is pushed is decided
// by the policy of notifications.

import type { PushStatus } from '../../schema/notify/push-schemas.ts';
import { ok, refuse } from '../../schema/outcome.ts';
import { header } from '../answer/pane-item.ts';
import { isoOf } from '../ports/iso-time.ts';
import type { NotifyPort } from '../ports/notify-port.ts';
import { type Operation, operation } from '../ports/operation.ts';
import type { PushPort, PushReport } from '../ports/push-port.ts';

const control = { scope: 'control', actors: ['user'] } as const;

const pushStatus = operation('push_status', {
  summary: 'The browsers that are notified by push messages, and the key that they subscribe with.',
  scope: 'read',
  actors: ['user'],
  ports: ['push', 'notify'],
  run: ({ push, notify }, _input, call) => ok(statusOf(push, notify, call.nowMs())),
});

const subscribePush = operation('subscribe_push', {
  ...control,
  summary: 'Notifies a browser by push messages until its token ends or it is switched off.',
  ports: ['push'],
  run: ({ push }, { endpoint, keys, label }, call) => {
    const tokenId = call.actor.tokenId ?? null;
    const added = push.add({ endpoint, keys, label, tokenId });
    if (!added.ok) return added;
    return ok({ ...header(call.nowMs()), subscription: itemOf(added.value) });
  },
});

const unsubscribePush = operation('unsubscribe_push', {
  ...control,
  summary: 'Sends no more push messages to a browser.',
  ports: ['push', 'notify'],
  run: ({ push, notify }, { id }, call) =>
    push.remove(id) ? ok(statusOf(push, notify, call.nowMs())) : unknown(id),
});

const testPush = operation('test_push', {
  ...control,
  summary: 'Sends a push message to one browser, to try it.',
  ports: ['push'],
  run: async ({ push }, { id }, call) => {
    const result = await push.test(id, call.signal);
    return result === null ? unknown(id) : ok({ ...header(call.nowMs()), ...result });
  },
});

export const pushOperations: readonly Operation[] = [
  pushStatus,
  subscribePush,
  unsubscribePush,
  testPush,
];

const unknown = (subscriptionId: string) =>
  refuse('E_REF_NOT_FOUND', `no browser is subscribed as ${subscriptionId}`, {
    hint: 'It was switched off, its token was revoked, or its push service has forgotten it.',
  });

const statusOf = (push: PushPort, notify: NotifyPort, nowMs: number): PushStatus => ({
  ...header(nowMs),
  on: notify.status().isOn,
  public_key: push.publicKey(),
  subscriptions: push.list().map(itemOf),
});

const itemOf = ({ id, label, endpoint, tokenId, createdAtMs, last }: PushReport) => ({
  ...{ id, label },
  service: URL.parse(endpoint)?.host ?? '',
  token: tokenId,
  created_at: isoOf(createdAtMs),
  last: last && { at: isoOf(last.atMs), problem: last.problem },
});
