// Messages as threads, and what became of each for its recipients, as people read it. Pure.

import type { MessageItem, PartyItem, ReceiptItem } from '../../schema/relay/message-schemas.ts';

export interface Thread {
  readonly id: string;
  readonly subject: string;
  /** Everybody in it but the reader, in the order in which they came in. */
  readonly parties: readonly PartyItem[];
  /** The oldest first. */
  readonly messages: readonly MessageItem[];
  readonly lastAt: string;
  readonly unreadCount: number;
}

const SUBJECT_LENGTH = 80;

/** The threads with the newest message first. `me` is the reader's id. */
export function threadsOf(messages: readonly MessageItem[], me: string): readonly Thread[] {
  const groups = Map.groupBy(messages, ({ thread_id }) => thread_id);
  return [...groups]
    .map(([id, group]) => {
      const sorted = group.toSorted((one, other) =>
        one.created_at < other.created_at ? -1 : one.created_at > other.created_at ? 1 : 0,
      );
      return {
        id,
        subject: subjectOf(sorted),
        parties: partiesOf(sorted, me),
        messages: sorted,
        lastAt: sorted.at(-1)?.created_at ?? '',
        unreadCount: sorted.filter((each) => isUnread(each, me)).length,
      };
    })
    .toSorted((one, other) => (one.lastAt < other.lastAt ? 1 : -1));
}

export const isUnread = ({ receipts }: MessageItem, me: string): boolean =>
  receipts.some(({ recipient, read_at }) => recipient.id === me && read_at === null);

/** The message that a reply of the reader answers; null where nobody wrote to the reader. */
export const answerable = ({ messages }: Thread, me: string): MessageItem | null =>
  messages.findLast(({ receipts }) => receipts.some(({ recipient }) => recipient.id === me)) ??
  null;

function subjectOf(messages: readonly MessageItem[]): string {
  const named = messages.find(({ subject }) => subject !== null)?.subject;
  const [first = ''] = (messages[0]?.body ?? '').trim().split('\n');
  return named ?? first.slice(0, SUBJECT_LENGTH);
}

function partiesOf(messages: readonly MessageItem[], me: string): readonly PartyItem[] {
  const all = messages.flatMap(({ from, receipts }) => [
    from,
    ...receipts.map(({ recipient }) => recipient),
  ]);
  const byId = new Map(all.map((party) => [party.id, party]));
  byId.delete(me);
  return [...byId.values()];
}

export interface ReceiptWords {
  readonly mood: 'good' | 'open' | 'bad';
  readonly text: string;
}

export function receiptWords({ status, reason }: ReceiptItem): ReceiptWords {
  const because = reason === null ? '' : `: ${reason}`;
  switch (status) {
    case 'queued':
    case 'delivering':
      return { mood: 'open', text: `${status}${because}` };
    case 'unconfirmed':
      return { mood: 'open', text: `unconfirmed${because}` };
    case 'failed':
      return { mood: 'bad', text: `not delivered${because}` };
    default:
      return { mood: 'good', text: status };
  }
}

/** Whether it waits for anybody still. */
export const isOpenMessage = ({ receipts }: MessageItem): boolean =>
  receipts.some(({ status }) => status === 'queued');

/** `member:team/coder` and `operator:ada` as people say them. */
export const partyName = ({ name, bundle }: PartyItem): string =>
  bundle === null || name.startsWith(`${bundle}/`) ? name : `${bundle}/${name}`;
