// A notification as plain text: a headline and a few lines. All foreign text is made safe here: one
// printable line each, cut to a length. What a channel gives a meaning is escaped in escape.ts.
// Pure.

import { safeText } from '../../render/safe-text.ts';
import type { NotifyKind } from '../../schema/notify/notify-kind.ts';
import type { NotificationItem, UserNotification } from '../../schema/notify/user-notification.ts';
import { counted } from '../../text/counted.ts';

export interface NotificationText {
  readonly headline: string;
  readonly lines: readonly string[];
}

const NAME_LENGTH = 80;
const TITLE_LENGTH = 120;
const TEXT_LENGTH = 400;
/** Of a digest, so many are named. */
const LINES_MAX = 8;

const phrases: Readonly<Record<NotifyKind, string>> = {
  approval: 'needs an approval',
  question: 'asks a question',
  error: 'stopped with an error',
  crash: 'has crashed',
  stuck: 'may be stuck',
  completion: 'is done',
  rule: 'made a repeat rule fire',
};

const nouns: Readonly<Record<NotifyKind, string>> = {
  approval: 'approval',
  question: 'question',
  error: 'error',
  crash: 'crash',
  stuck: 'stuck',
  completion: 'done',
  rule: 'rule firing',
};

export function cutText(text: string, length: number): string {
  const safe = safeText(text).trim();
  const characters = [...safe];
  return characters.length <= length ? safe : `${characters.slice(0, length - 1).join('')}…`;
}

export function notificationText(notification: UserNotification): NotificationText {
  const { items, isTest } = notification;
  const [first, ...others] = items;
  if (isTest) {
    const line = 'agtmux notifies you in this way.';
    return { headline: 'test notification', lines: [line] };
  }
  if (first && others.length === 0 && notification.moreCount === 0) return ofOne(first);
  const count = items.length + notification.moreCount;
  const shown = items.slice(0, LINES_MAX).map(digestLine);
  const left = count - shown.length;
  return {
    headline: `${counted(count, 'agent')}: ${countsText(items)}`,
    lines: left > 0 ? [...shown, `and ${left} more`] : shown,
  };
}

const agentOf = ({ agent }: NotificationItem): string =>
  cutText(agent ?? 'an agent', NAME_LENGTH) || 'an agent';

export const placeText = ({ target, place }: NotificationItem): string =>
  cutText(target === 'local' ? place : `${target}/${place}`, NAME_LENGTH);

function ofOne(item: NotificationItem): NotificationText {
  const { title, request, prompt, message, path } = item;
  const named = (name: string, text: string | null): readonly string[] =>
    text === null || text.trim() === '' ? [] : [`${name}: ${cutText(text, TEXT_LENGTH)}`];
  const place = [placeText(item), ...(title ? [cutText(title, TITLE_LENGTH)] : [])].join(' · ');
  const asks = request ? [cutText(request, TEXT_LENGTH)] : [];
  return {
    headline: `${agentOf(item)} ${phrases[item.kind]}`,
    lines: [
      place,
      ...asks,
      ...named('prompt', prompt),
      ...named('says', message),
      ...named('in', path),
    ].filter((line) => line !== ''),
  };
}

function digestLine(item: NotificationItem): string {
  const title = item.title ? ` · ${cutText(item.title, TITLE_LENGTH)}` : '';
  return `${agentOf(item)} ${phrases[item.kind]} · ${placeText(item)}${title}`;
}

/** `2 approvals, 1 error, 3 done`. */
function countsText(items: readonly NotificationItem[]): string {
  const counts = new Map<NotifyKind, number>();
  for (const { kind } of items) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const isPlural = (kind: NotifyKind): boolean => kind !== 'stuck' && kind !== 'completion';
  return [...counts]
    .map(([kind, count]) =>
      isPlural(kind) ? counted(count, nouns[kind]) : `${count} ${nouns[kind]}`,
    )
    .join(', ');
}
