// Writing, reading and following messages: who may, what is stored, and what is said of it. Names,
// policies, limits and attachments are checked for all recipients before anything is stored.

import { randomBytes } from 'node:crypto';
import type { MessageCaller, MessagesPort } from '../../operations/ports/messages-port.ts';
import type { Cancellation } from '../../operations/ports/ports.ts';
import type { PartyId } from '../../schema/ids.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import type { MessageRecord, Receipt, StoredMessage } from '../../schema/relay/message.ts';
import type {
  BroadcastMessageInput,
  ListInboxInput,
  MessageItem,
  ReadMessageInput,
  ReplyMessageInput,
  SendMessageInput,
} from '../../schema/relay/message-schemas.ts';
import type { MessageTable, NewReceipt } from '../../store/tables/messages.ts';
import {
  checkDraft,
  isSameMessage,
  type MessageContent,
  type MessageDraft,
  type MessageLimits,
} from './message-draft.ts';
import { messageItem, waitStatus } from './message-items.ts';
import type { MessageQueue } from './message-queue.ts';
import type { NameScope, Parties, Party } from './parties.ts';
import { listParties } from './party-list.ts';
import { ReceiptWaits } from './receipt-waits.ts';

export interface MessagesParts {
  readonly nowMs: () => number;
  readonly parties: Parties;
  readonly table: MessageTable;
  readonly queue: MessageQueue;
  readonly limits: () => MessageLimits;
}

type Wait = Pick<Cancellation, 'signal'>;

type Written = Pick<
  MessagesPort,
  'identity' | 'send' | 'broadcast' | 'reply' | 'inbox' | 'read' | 'cancel' | 'status' | 'parties'
>;
type Sent = Awaited<ReturnType<MessagesPort['send']>>;

export class Messages implements Written {
  readonly #parts: MessagesParts;
  readonly #waits: ReceiptWaits;

  constructor(parts: MessagesParts) {
    this.#parts = parts;
    this.#waits = new ReceiptWaits(parts.table);
  }

  /** A receipt has changed. */
  changed(): void {
    this.#waits.changed();
  }

  identity(caller: MessageCaller): ReturnType<MessagesPort['identity']> {
    const { parties, table } = this.#parts;
    const found = parties.requester(caller);
    if (!found.ok) return found;
    const { party, proof, policy } = found.value;
    return ok({
      ...{ party: parties.item(party), proof, policy: policy.origin },
      unread_count: table.unreadCount(party.id),
    });
  }

  parties(caller: MessageCaller): ReturnType<MessagesPort['parties']> {
    return listParties(this.#parts.parties, caller);
  }

  async send(caller: MessageCaller, input: SendMessageInput, call: Wait): Promise<Sent> {
    const { parties } = this.#parts;
    const found = parties.requester(caller);
    if (!found.ok) return found;
    const requester = found.value;
    const where = {
      bundle: input.bundle ?? parties.homeOf(requester),
      isNamed: input.bundle !== undefined,
    };
    const to = this.#resolve(input.to, where);
    if (!to.ok) return to;
    const cc = this.#resolve(input.cc, where);
    if (!cc.ok) return cc;
    const [first] = to.value;
    const bundle = requester.party.bundle ?? first?.bundle ?? null;
    const subject = input.subject ?? null;
    const draft = { requester, content: input, subject, bundle, to: to.value, parent: null };
    const taken = new Set(to.value.map((each) => each.id));
    return this.#write({ ...draft, cc: cc.value.filter((each) => !taken.has(each.id)) }, call);
  }

  async broadcast(caller: MessageCaller, input: BroadcastMessageInput, call: Wait): Promise<Sent> {
    const { parties } = this.#parts;
    const found = parties.requester(caller);
    if (!found.ok) return found;
    const requester = found.value;
    const bundle = input.bundle ?? parties.homeOf(requester);
    if (bundle === null && !input.all_agents) {
      return refuse('E_PARTY_UNKNOWN', 'no bundle is named, and the sender is in none');
    }
    const everybody = input.all_agents ? parties.agents() : parties.bundleMembers(bundle ?? '');
    if (everybody.length === 0 && !input.all_agents) {
      return refuse('E_PARTY_UNKNOWN', `no bundle "${bundle}" has members`);
    }
    // Never to the sender, whatever it is called.
    const to = everybody.filter((each) => !isSame(each, requester.party));
    const subject = input.subject ?? null;
    return this.#write(
      { requester, content: input, subject, bundle, to, cc: [], parent: null },
      call,
    );
  }

  async reply(caller: MessageCaller, input: ReplyMessageInput, call: Wait): Promise<Sent> {
    const stored = this.storeReply(caller, input, call);
    return stored.ok ? this.#awaited(stored.value, input.wait_ms, call) : stored;
  }

  /** Stores it before it returns. Throws what the store throws. */
  storeReply(
    caller: MessageCaller,
    input: MessageContent & Pick<ReplyMessageInput, 'message_id' | 'all'>,
    call: Wait,
  ): Outcome<StoredMessage> {
    const { parties, table, nowMs } = this.#parts;
    const found = parties.requester(caller);
    if (!found.ok) return found;
    const requester = found.value;
    const parent = table.find(input.message_id);
    const own = parent && receiptOf(parent, requester.party.id);
    if (!parent || !own) return unknownMessage(input.message_id);
    const sender = parties.byId(parent.sender);
    if (!sender) return refuse('E_RUNTIME_STALE', `${parent.senderName} has ended`);
    const others = input.all
      ? parent.receipts.filter(({ recipient }) => recipient !== requester.party.id)
      : [];
    const cc = others
      .flatMap(({ recipient }) => parties.byId(recipient) ?? [])
      .filter((each) => each.id !== sender.id);
    const subject = parent.subject && `Re: ${parent.subject.replace(/^Re: /, '')}`;
    const draft = { requester, content: input, subject, bundle: parent.bundle, to: [sender] };
    return this.#store({ ...draft, cc, parent }, call, () => table.markReplied(own, nowMs()));
  }

  async inbox(
    caller: MessageCaller,
    input: ListInboxInput,
    { signal }: Wait,
  ): ReturnType<MessagesPort['inbox']> {
    const { parties, table } = this.#parts;
    const found = parties.requester(caller);
    if (!found.ok) return found;
    const { party } = found.value;
    if (input.wait_ms !== undefined) {
      const hasCome = () => this.#listed(party, input).length > 0;
      await this.#waits.until(hasCome, input.wait_ms, signal);
    }
    return ok({
      party: parties.item(party),
      unread_count: table.unreadCount(party.id),
      messages: this.#listed(party, input).map((each) => this.#item(each)),
    });
  }

  #listed(party: Party, input: ListInboxInput): readonly StoredMessage[] {
    const { table } = this.#parts;
    const isPerson = party.kind === 'operator';
    const { box, unread, untyped, after, thread_id: threadId = null, limit } = input;
    // Of others' messages an agent sees none.
    const ownBoxes = box === 'all' && !isPerson ? (['inbox', 'sent'] as const) : ([box] as const);
    const query = { party: party.id, isUnreadOnly: unread || untyped, threadId, limit };
    const listed = ownBoxes.flatMap((each) => table.list({ ...query, box: each }));
    const messages = [...new Map(listed.map((each) => [each.messageId, each])).values()]
      .filter((message) => isPerson || isOf(message, party.id))
      .filter((message) => !untyped || receiptOf(message, party.id)?.settledAtMs === null)
      .toSorted((a, b) => b.createdAtMs - a.createdAtMs)
      .slice(0, limit);
    const known = messages.findIndex(({ messageId }) => messageId === after);
    return known < 0 ? messages : messages.slice(0, known);
  }

  read(caller: MessageCaller, { message_id, peek }: ReadMessageInput): Outcome<MessageItem> {
    const { parties, table, queue, nowMs } = this.#parts;
    const found = parties.requester(caller);
    if (!found.ok) return found;
    const { party } = found.value;
    const message = this.#visible(message_id, party);
    if (!message) return unknownMessage(message_id);
    const own = receiptOf(message, party.id);
    if (!own || peek || own.readAtMs !== null) return ok(this.#item(message));
    table.markRead(own, nowMs());
    if (own.intentAtMs === null) queue.drop(own);
    this.changed();
    return ok(this.#item(table.find(message_id) ?? message));
  }

  cancel(
    caller: MessageCaller,
    messageId: string,
    recipient: string | undefined,
  ): Outcome<MessageItem> {
    const { parties, table, queue } = this.#parts;
    const found = parties.requester(caller);
    if (!found.ok) return found;
    const { party } = found.value;
    const message = this.#visible(messageId, party);
    if (!message) return unknownMessage(messageId);
    if (party.kind !== 'operator' && message.sender !== party.id) {
      return refuse('E_POLICY', 'only its sender and people cancel a message', {
        rule: 'built in: cancel = sender',
      });
    }
    const only =
      recipient === undefined ? null : parties.resolve(recipient, { bundle: message.bundle });
    if (only && !only.ok) return only;
    const receipts = message.receipts.filter(
      (each) => only === null || each.recipient === only.value.id,
    );
    const count = receipts.filter((each) =>
      queue.cancel(each, `${party.name} cancelled it`),
    ).length;
    if (count === 0) return refuse('E_MESSAGE_SETTLED', `${messageId} waits for nobody`);
    return ok(this.#item(table.find(messageId) ?? message));
  }

  async status(
    caller: MessageCaller,
    messageId: string,
    waitMs: number | undefined,
    call: Wait,
  ): Promise<Sent> {
    const found = this.#parts.parties.requester(caller);
    if (!found.ok) return found;
    const message = this.#visible(messageId, found.value.party);
    return message ? this.#awaited(message, waitMs, call) : unknownMessage(messageId);
  }

  #resolve(names: readonly string[], where: NameScope): Outcome<readonly Party[]> {
    const parties = new Map<PartyId, Party>();
    for (const name of names) {
      const found = this.#parts.parties.resolve(name, where);
      if (!found.ok) return found;
      parties.set(found.value.id, found.value);
    }
    return ok([...parties.values()]);
  }

  async #write(draft: MessageDraft, call: Wait): Promise<Sent> {
    const stored = this.#store(draft, call);
    return stored.ok ? this.#awaited(stored.value, draft.content.wait_ms, call) : stored;
  }

  /** The message as it is in the store: a new one, or the same request of before. */
  #store(draft: MessageDraft, call: Wait, onStored: () => void = () => {}): Outcome<StoredMessage> {
    const { table, queue } = this.#parts;
    const { requester, content } = draft;
    const { request_ref: requestRef } = content;
    const before = requestRef && table.byRequest(requester.party.id, requestRef);
    if (before) {
      if (isSameMessage(before, draft)) return ok(before);
      return refuse('E_IDEMPOTENCY_CONFLICT', `${requestRef} was used for another message`);
    }
    const checked = checkDraft(draft, this.#parts);
    if (!checked.ok) return checked;
    call.signal.throwIfAborted();
    const stored = table.add(this.#messageOf(draft), [
      ...draft.to.map((party) => this.#receiptFor(party, false)),
      ...draft.cc.map((party) => this.#receiptFor(party, true)),
    ]);
    // It is in the store: whatever fails from here on, it must not be left lying there.
    queue.add(stored.receipts);
    onStored();
    this.changed();
    return ok(stored);
  }

  #messageOf({ requester, content, subject, bundle, parent }: MessageDraft): MessageRecord {
    const { nowMs, limits } = this.#parts;
    const { party } = requester;
    const messageId = randomBytes(6).toString('hex');
    const createdAtMs = nowMs();
    return {
      ...{ messageId, threadId: parent?.threadId ?? messageId, subject, bundle, createdAtMs },
      replyTo: parent?.messageId ?? null,
      ...{ sender: party.id, senderName: party.name, body: content.message },
      attachments: content.attachments,
      hopCount: party.kind === 'operator' ? 0 : (parent?.hopCount ?? 0) + 1,
      expiresAtMs: createdAtMs + (content.expires_in_ms ?? limits().expiryMs),
      requestRef: content.request_ref ?? null,
    };
  }

  #receiptFor(party: Party, isCopy: boolean): NewReceipt {
    const isPerson = party.kind === 'operator';
    return {
      ...{ recipient: party.id, recipientName: party.name, isCopy },
      boundary: randomBytes(12).toString('hex'),
      status: isPerson ? 'delivered' : 'queued',
      detail: isPerson ? 'it is in the inbox' : 'waits for its turn',
      settledAtMs: isPerson ? this.#parts.nowMs() : null,
    };
  }

  /** A message that somebody wrote or got; people see all. */
  #visible(messageId: string, party: Party): StoredMessage | null {
    const message = this.#parts.table.find(messageId);
    const isVisible = message && (party.kind === 'operator' || isOf(message, party.id));
    return isVisible ? message : null;
  }

  #item(message: StoredMessage): MessageItem {
    const { parties, queue } = this.#parts;
    return messageItem(message, parties, (receipt) => queue.whyOf(receipt));
  }

  async #awaited(stored: StoredMessage, waitMs: number | undefined, call: Wait): Promise<Sent> {
    const { table } = this.#parts;
    const { messageId } = stored;
    if (waitMs === undefined) {
      const message = table.find(messageId) ?? stored;
      return ok({ mode: 'async', status: 'accepted', message: this.#item(message) });
    }
    const message = await this.#waits.settled(stored, waitMs, call.signal);
    return ok({ mode: 'sync', status: waitStatus(message), message: this.#item(message) });
  }
}

const receiptOf = ({ receipts }: StoredMessage, party: PartyId): Receipt | null =>
  receipts.find(({ recipient }) => recipient === party) ?? null;

const isOf = (message: StoredMessage, party: PartyId): boolean =>
  message.sender === party || receiptOf(message, party) !== null;

const isSame = (one: Party, other: Party): boolean =>
  one.id === other.id || (one.runtimeId !== null && one.runtimeId === other.runtimeId);

const unknownMessage = (messageId: string) =>
  refuse('E_MESSAGE_UNKNOWN', `no message of the caller has the id ${messageId.slice(0, 64)}`);
