// Notifications: whether they are on, what was decided and why, who is muted, and the notifications
// themselves for terminals, which wait for them in a call.

import type { MuteRule } from '../schema/notify/episode.ts';
import type {
  DeliveryWireItem,
  MuteWireItem,
  NotifyStatus,
} from '../schema/notify/notify-schemas.ts';
import type { NotifyDelivery } from '../schema/notify/user-notification.ts';
import { type Outcome, ok, refuse } from '../schema/outcome.ts';
import { HOURS_EXAMPLE, parseHours } from '../text/hours.ts';
import { header } from './answer/pane-item.ts';
import { isoOf } from './ports/iso-time.ts';
import type { NotifyPort } from './ports/notify-port.ts';
import { type Operation, operation } from './ports/operation.ts';

const LOG_LIMIT = 100;
/** More rules than these are a mistake of a script. */
const MUTES_MAX = 200;
/** Every channel has a time of its own; the slowest, a command, has 30 s. */
const TEST_DEADLINE_MS = 45_000;
const LISTEN_DEADLINE_MS = 65_000;

const notifyStatus = operation('notify_status', {
  summary: 'Whether notifications are on, their channels, what is muted and what is undecided.',
  scope: 'read',
  ports: ['notify'],
  run: ({ notify }, _input, call) => ok(statusOf(notify, call.nowMs())),
});

const notifySwitch = operation('notify_switch', {
  summary: 'Switches notifications on or off, before what config.toml says; null takes that back.',
  scope: 'control',
  actors: ['user'],
  ports: ['notify'],
  run: ({ notify }, { on }, call) => {
    notify.switchOn(on);
    return ok(statusOf(notify, call.nowMs()));
  },
});

const notifyTest = operation('notify_test', {
  summary: 'Sends a test notification to one channel or to all that are used, once.',
  scope: 'control',
  actors: ['user'],
  deadlineMs: TEST_DEADLINE_MS,
  ports: ['notify'],
  run: async ({ notify }, { channel }, call) => {
    const names = notify.status().channels.map((each) => each.name);
    if (channel !== undefined && ![...names, 'terminal'].includes(channel)) {
      const hint = `Channels: ${[...names, 'terminal'].join(', ')}.`;
      return refuse('E_REF_NOT_FOUND', `no channel is called ${channel}`, { hint });
    }
    const results = await notify.test(channel ?? null, call.signal);
    return ok({ ...header(call.nowMs()), results: [...results] });
  },
});

const notifyLog = operation('notify_log', {
  summary: 'What was notified or held back, and why; newest first.',
  scope: 'read',
  ports: ['notify'],
  run: ({ notify }, { limit = LOG_LIMIT }, call) =>
    ok({
      ...header(call.nowMs()),
      entries: notify.log(limit).map((entry) => ({
        at: isoOf(entry.atMs),
        agent: entry.agent,
        place: entry.place,
        pane_key: entry.paneKey,
        kind: entry.kind,
        since: isoOf(entry.sinceMs),
        notified: entry.number !== null,
        reason: entry.reason,
        notification: entry.number,
        deliveries: entry.deliveries.map(deliveryItem),
      })),
    }),
});

const notifyMute = operation('notify_mute', {
  summary: 'Notifies nobody of what fits all given fields; without any, of nothing.',
  scope: 'control',
  actors: ['user'],
  ports: ['notify'],
  run: ({ notify }, { for_ms, ...rule }, call) => {
    const { hours } = rule;
    if (hours !== undefined && parseHours(hours) === null) {
      return refuse('E_INPUT_INVALID', `"${hours}" is no hours: write ${HOURS_EXAMPLE}`);
    }
    if (notify.status().mutes.length >= MUTES_MAX) {
      return refuse('E_PRECONDITION_FAILED', `there are ${MUTES_MAX} mute rules already`, {
        hint: 'agtmux notify status lists them, agtmux notify unmute removes them.',
      });
    }
    const untilMs = for_ms === undefined ? {} : { untilMs: call.nowMs() + for_ms };
    notify.mute({ ...given(rule), ...untilMs });
    return ok(statusOf(notify, call.nowMs()));
  },
});

const notifyUnmute = operation('notify_unmute', {
  summary: 'Removes one mute rule that a person has added, or all of them.',
  scope: 'control',
  actors: ['user'],
  ports: ['notify'],
  run: ({ notify }, input, call): Outcome<NotifyStatus> => {
    const removedCount = notify.unmute(input.id ?? null);
    if (removedCount === 0 && input.id !== undefined) {
      const hint = 'agtmux notify status lists them with their ids.';
      return refuse('E_REF_NOT_FOUND', `no mute rule has the id ${input.id}`, { hint });
    }
    return ok(statusOf(notify, call.nowMs()));
  },
});

const notifyListen = operation('notify_listen', {
  summary: 'Waits for notifications after a number, for a terminal that shows them.',
  scope: 'read',
  deadlineMs: LISTEN_DEADLINE_MS,
  ports: ['notify'],
  run: async ({ notify }, { after, timeout_ms }, call) => {
    const last = notify.lastNumber();
    // A database that was reset counts from the start again.
    const from = after === undefined || after > last ? last : after;
    if (after !== undefined && last === from) await untilNotified(notify, timeout_ms, call.signal);
    const notifications = after === undefined ? [] : notify.notificationsAfter(from);
    return ok({
      ...header(call.nowMs()),
      after: notify.lastNumber(),
      notifications: notifications.map(({ atMs, ...each }) => ({
        ...each,
        at: isoOf(atMs),
        lines: [...each.lines],
        refs: [...each.refs],
      })),
    });
  },
});

export const notifyOperations: readonly Operation[] = [
  notifyStatus,
  notifySwitch,
  notifyTest,
  notifyLog,
  notifyMute,
  notifyUnmute,
  notifyListen,
];

/** Resolves at the next notification, or when the time is over or the caller gone. */
async function untilNotified(
  notify: NotifyPort,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = (): void => resolve();
  using _listening = notify.onNotification(end);
  const timer = setTimeout(end, timeoutMs);
  signal.addEventListener('abort', end);
  await promise;
  clearTimeout(timer);
  signal.removeEventListener('abort', end);
  signal.throwIfAborted();
}

const given = (
  rule: {
    readonly [Key in 'agent' | 'session' | 'target' | 'hours']?: string | undefined;
  },
): MuteRule => Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== undefined));

function statusOf(notify: NotifyPort, nowMs: number): NotifyStatus {
  const { isOn, isSwitched, channels, listenerCount, pending, mutes } = notify.status();
  return {
    ...header(nowMs),
    on: isOn,
    decided_by: isSwitched ? 'command' : 'config',
    channels: channels.map(({ name, isUsed, last }) => ({
      channel: name,
      used: isUsed,
      last: last && deliveryItem(last),
    })),
    listeners: listenerCount,
    pending: pending.map(({ agent, place, kind, sinceMs, wait }) => ({
      ...{ agent, place, kind },
      since: isoOf(sinceMs),
      waits_for: wait,
    })),
    mutes: mutes.map(muteItem),
  };
}

const deliveryItem = ({
  channel,
  status,
  attemptCount,
  detail,
  changedAtMs,
}: NotifyDelivery): DeliveryWireItem => ({
  ...{ channel, status, detail },
  attempts: attemptCount,
  at: isoOf(changedAtMs),
});

const muteItem = (rule: MuteRule & { readonly muteId: string | null }): MuteWireItem => ({
  id: rule.muteId,
  agent: rule.agent ?? null,
  session: rule.session ?? null,
  target: rule.target ?? null,
  hours: rule.hours ?? null,
  until: rule.untilMs === undefined ? null : isoOf(rule.untilMs),
});
