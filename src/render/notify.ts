// Draws what the daemon says of notifications: whether they are on, and what was decided and why.

import type { MuteWireItem, NotifyLog, NotifyStatus } from '../schema/notify/notify-schemas.ts';
import { counted } from '../text/counted.ts';
import { type Cell, renderGrid } from './grid.ts';
import { clockText } from './pane-notes.ts';
import { ageOf, type Ink, sanitise, type View } from './view.ts';

/** Why somebody was notified, or nobody. */
const reasons: Readonly<Record<NotifyLog['entries'][number]['reason'], string>> = {
  at_once: 'this kind does not wait',
  dwell: 'it was open for the dwell time',
  cooldown_over: 'it was still open after the cooldown',
  digest: 'with others, as one',
  mute_over: 'it was still open when the mute ended',
  snooze_over: 'the snooze ended',
  left: 'you left the pane without an answer',
  still_open: 'it was still open when the state could be read again',
  over: 'it ended before that',
  seen: 'you had seen it',
  gone: 'the pane is gone',
  muted: 'it is muted',
  kind_off: 'this kind is off',
  subagent: 'it is the pane of a worker',
  old: 'it is old news',
  open_before: 'it was open before notifications were switched on',
  off: 'notifications were switched off',
};

const waits: Readonly<Record<NonNullable<NotifyStatus['pending'][number]['waits_for']>, string>> = {
  dwell: 'until it has been open for the dwell time',
  cooldown: 'for the end of the cooldown of its pane',
  digest: 'to go out with others, as one',
  mute: 'for the end of a mute',
  snooze: 'for the end of its snooze',
  focus: 'while you look at the pane',
  confirmation: 'until its state can be read again',
};

const deliveryInks: Readonly<Record<string, Ink>> = {
  delivered: 'green',
  failed: 'red',
  unconfirmed: 'yellow',
};

export function renderNotifyStatus(view: View, status: NotifyStatus): string {
  const by = status.decided_by === 'command' ? 'by agtmux notify' : 'by config.toml';
  const parts = [
    `Notifications are ${status.on ? 'on' : 'off'}, ${by}.`,
    channelsTable(view, status),
    `agtmux notify listen runs in ${counted(status.listeners, 'terminal')}.`,
    ...(status.pending.length === 0 ? [] : ['', ...pendingLines(view, status)]),
    ...(status.mutes.length === 0
      ? ['Nothing is muted.']
      : ['', 'Muted:', ...status.mutes.map((each) => muteLine(view, each))]),
  ];
  return `${parts.join('\n')}\n`;
}

function channelsTable(view: View, { channels }: NotifyStatus): string {
  const rows = channels.map(({ channel, used, last }): readonly Cell[] => [
    { text: sanitise(view, channel) },
    { text: used ? 'used' : 'not used', ink: used ? 'green' : 'dim' },
    last === null
      ? { text: '-' }
      : {
          text: `${last.status} ${ageOf(view, last.at)} ago`,
          ink: deliveryInks[last.status] ?? null,
        },
    { text: sanitise(view, last?.detail ?? '') },
  ]);
  const columns = [
    { title: 'CHANNEL', rank: 0, min: 6, max: 32 },
    { title: 'USED', rank: 1, min: 4 },
    { title: 'LAST', rank: 2, min: 8 },
    { title: 'DETAIL', rank: 3, min: 8 },
  ];
  return renderGrid(view, columns, rows);
}

const pendingLines = (view: View, { pending }: NotifyStatus): readonly string[] =>
  pending.map(({ agent, place, kind, since, waits_for }) => {
    const wait = waits_for === null ? '' : ` waits ${waits[waits_for]}`;
    return sanitise(
      view,
      `${agent ?? 'an agent'} in ${place}: ${kind}, ${ageOf(view, since)};${wait}`,
    );
  });

function muteLine(view: View, mute: MuteWireItem): string {
  const { id, agent, session, target, hours, until } = mute;
  const named = (name: string, text: string | null): readonly string[] =>
    text === null ? [] : [`${name} ${text}`];
  const about = [
    ...named('agent', agent),
    ...named('session', session),
    ...named('target', target),
  ];
  const what = about.length === 0 ? 'everything' : about.join(', ');
  const when = [
    ...(hours === null ? [] : [`at ${hours}`]),
    ...(until === null ? [] : [`until ${clockText(view, Date.parse(until))}`]),
  ];
  const from = id === null ? '(config.toml)' : id;
  return sanitise(view, `  ${from}  ${[what, ...when].join(' ')}`);
}

export function renderNotifyLog(view: View, { entries }: NotifyLog): string {
  if (entries.length === 0) return 'Nothing was decided yet.\n';
  const rows = entries.map((entry): readonly Cell[] => [
    { text: clockText(view, Date.parse(entry.at)) },
    { text: sanitise(view, entry.agent ?? '-') },
    { text: sanitise(view, entry.place) },
    { text: entry.kind },
    { text: entry.notified ? 'notified' : 'held back', ink: entry.notified ? 'green' : 'dim' },
    { text: reasons[entry.reason] },
    { text: sanitise(view, deliveriesText(entry)) },
  ]);
  const columns = [
    { title: 'TIME', rank: 2, min: 5 },
    { title: 'AGENT', rank: 3, min: 4, max: 16 },
    { title: 'PANE', rank: 1, min: 4, max: 32 },
    { title: 'KIND', rank: 4, min: 4 },
    { title: 'DECISION', rank: 0, min: 8 },
    { title: 'WHY', rank: 5, min: 8 },
    { title: 'CHANNELS', rank: 6, min: 8 },
  ];
  return `${renderGrid(view, columns, rows)}\n`;
}

/** `desktop`, `phone: failed (status 404)`. */
const deliveriesText = ({ deliveries }: NotifyLog['entries'][number]): string =>
  deliveries
    .map(({ channel, status, detail }) => {
      if (status === 'delivered') return channel;
      return `${channel}: ${status}${detail === null ? '' : ` (${detail})`}`;
    })
    .join(', ');
