// A message before it is stored: to whom, what, and why it may not be. Everything is checked for
// all recipients before anything is stored.

import { cleanText } from '../../acting/clean-text.ts';
import {
  judgeTraffic,
  PAIR_MS,
  PER_MINUTE_MS,
  type TrafficLimits,
} from '../../relay/messages/traffic.ts';
import { decide } from '../../relay/policy/decide.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import type { Receipt, StoredMessage } from '../../schema/relay/message.ts';
import type { SendMessageInput } from '../../schema/relay/message-schemas.ts';
import type { MessageTable } from '../../store/tables/messages.ts';
import { attachmentProblem } from './attachments.ts';
import type { MessageQueue } from './message-queue.ts';
import { type Party, policyParty, type Requester } from './parties.ts';

export interface MessageLimits extends TrafficLimits {
  readonly bodyBytesMax: number;
  readonly expiryMs: number;
  readonly waitingMax: number;
  readonly waitingOfRecipientMax: number;
}

export type MessageContent = Pick<
  SendMessageInput,
  'message' | 'attachments' | 'expires_in_ms' | 'wait_ms' | 'request_ref'
>;

export interface MessageDraft {
  readonly requester: Requester;
  readonly content: MessageContent;
  readonly subject: string | null;
  readonly bundle: string | null;
  readonly to: readonly Party[];
  readonly cc: readonly Party[];
  readonly parent: StoredMessage | null;
}

export interface DraftChecks {
  readonly nowMs: () => number;
  readonly table: Pick<MessageTable, 'sentCount' | 'pairCount'>;
  readonly queue: Pick<MessageQueue, 'openCount' | 'openCountOf'>;
  readonly limits: () => MessageLimits;
}

/** Whether a message that was stored before is this one: the same words, to the same parties. */
export function isSameMessage(stored: StoredMessage, draft: MessageDraft): boolean {
  const { content, subject, parent, to, cc } = draft;
  const wanted = [
    ...to.map(({ id }) => ({ recipient: id, isCopy: false })),
    ...cc.map(({ id }) => ({ recipient: id, isCopy: true })),
  ];
  return (
    stored.body === content.message &&
    stored.subject === subject &&
    stored.replyTo === (parent?.messageId ?? null) &&
    JSON.stringify(stored.attachments) === JSON.stringify(content.attachments) &&
    namesOf(stored.receipts) === namesOf(wanted)
  );
}

const namesOf = (receipts: readonly Pick<Receipt, 'recipient' | 'isCopy'>[]): string =>
  JSON.stringify(receipts.map(({ recipient, isCopy }) => `${isCopy} ${recipient}`).toSorted());

/** Ok: nothing stands against it. */
export function checkDraft(draft: MessageDraft, checks: DraftChecks): Outcome<null> {
  const { content, to, cc } = draft;
  const bytes = Buffer.byteLength(content.message);
  const { bodyBytesMax } = checks.limits();
  if (bytes > bodyBytesMax) {
    return refuse('E_MESSAGE_TOO_LONG', `it has ${bytes} bytes of at most ${bodyBytesMax}`);
  }
  if (cleanText(content.message).text.trim() === '') {
    return refuse('E_INPUT_INVALID', 'the message is empty');
  }
  for (const party of [...to, ...cc]) {
    const checked = checkRecipient(draft, party, checks);
    if (!checked.ok) return checked;
  }
  return checkTraffic(draft, checks);
}

function checkRecipient(
  { requester, content, parent }: MessageDraft,
  party: Party,
  { queue, limits }: DraftChecks,
): Outcome<null> {
  const { waitingMax, waitingOfRecipientMax } = limits();
  const allowed = maySend(requester, party, parent);
  if (!allowed.ok) return allowed;
  const attached = attachmentProblem(content.attachments, party);
  if (attached) return refuse('E_ATTACHMENT', attached);
  const isFull =
    queue.openCountOf(party.id) >= waitingOfRecipientMax || queue.openCount >= waitingMax;
  if (!isFull) return ok(null);
  return refuse('E_MAILBOX_FULL', `${queue.openCountOf(party.id)} messages wait for ${party.id}`);
}

/** `parent`: the message that is replied to. */
export function maySend(
  { party: sender, policy }: Requester,
  party: Party,
  parent: StoredMessage | null,
): Outcome<null> {
  // Whoever was written to may answer.
  if (parent?.sender === party.id) return ok(null);
  // People can be written to by everybody who may write at all.
  if (party.kind === 'operator' && policy.controls.send !== 'none') return ok(null);
  return decide({
    ...{ capability: 'send', requester: policyParty(sender), policy },
    subject: policyParty(party),
  });
}

function checkTraffic(
  { requester, to, cc, parent }: MessageDraft,
  { table, nowMs, limits }: DraftChecks,
): Outcome<null> {
  const { party } = requester;
  if (party.kind === 'operator') return ok(null);
  const others = [...to, ...cc].filter(({ kind }) => kind !== 'operator');
  const pairs = others.map((each) => table.pairCount(party.id, each.id, nowMs() - PAIR_MS));
  return judgeTraffic(
    {
      sentCount: table.sentCount(party.id, nowMs() - PER_MINUTE_MS),
      pairCount: Math.max(0, ...pairs),
      hopCount: (parent?.hopCount ?? 0) + 1,
    },
    limits(),
  );
}
