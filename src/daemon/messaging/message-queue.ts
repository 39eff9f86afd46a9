// Delivers messages: one queue for each recipient, in the order in which they were written. What
// waits together is typed together. At most once: the intent is stored before the paste, and what
// may have been typed is never typed again; doubts.ts finds out whether it was.

import { randomBytes } from 'node:crypto';
import { type ActionResult, refused } from '../../acting/action-result.ts';
import { Fault } from '../../platform/fault.ts';
import { settledWithin } from '../../platform/until-aborted.ts';
import type { PartyId } from '../../schema/ids.ts';
import type { ProblemCode } from '../../schema/problem.ts';
import type { Receipt, ReplyChannel, StoredMessage } from '../../schema/relay/message.ts';
import type { MessageTable, ReceiptKey, ReceiptOutcome } from '../../store/tables/messages.ts';
import type { Doubts } from './doubts.ts';
import type { Place, Transports } from './transports.ts';

/** How soon a recipient that did not take a message is tried again. */
const AGAIN_MS = 2_000;
/** Room for the rest of the envelope. */
const ENVELOPE_BYTES = 1_024;

/** Refusals that no waiting ends. */
const lasting: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  ...(['E_TEXT_REFUSED', 'E_AGENT_UNSUPPORTED', 'E_PANE_OPAQUE', 'E_NOT_PERMITTED'] as const),
]);

export interface QueueLimits {
  readonly batchCountMax: number;
  readonly batchBytesMax: number;
}

export interface MessageQueueParts {
  readonly nowMs: () => number;
  readonly table: MessageTable;
  readonly transports: Transports;
  readonly doubts: Doubts;
  readonly limits: () => QueueLimits;
  readonly log: (fault: Fault) => void;
  readonly onDefect: (error: unknown) => void;
  /** A receipt has changed. */
  readonly onChange: () => void;
}

type Entry = Pick<Receipt, 'messageId' | 'recipient' | 'place' | 'boundary' | 'expiresAtMs'>;

interface Attempt {
  readonly abort: AbortController;
  readonly done: Promise<void>;
  readonly entries: readonly Entry[];
}

interface Mailbox {
  readonly recipient: PartyId;
  entries: readonly Entry[];
  attempt: Attempt | null;
  /** Nothing is typed before then. */
  pausedUntilMs: number;
  /** One of a batch was refused for itself: which one shows when they come alone. */
  isSingle: boolean;
  why: string | null;
}

export class MessageQueue {
  readonly #parts: MessageQueueParts;
  readonly #mailboxes = new Map<PartyId, Mailbox>();
  /** Outcomes that the store does not have yet; their receipts are typed no more. */
  #unwritten: { readonly keys: readonly ReceiptKey[]; readonly outcome: ReceiptOutcome }[] = [];
  #isClosed = false;

  constructor(parts: MessageQueueParts) {
    this.#parts = parts;
  }

  /** Call it once: what an earlier life of the daemon was typing is in doubt now. */
  begin(): void {
    const { table, nowMs, doubts } = this.#parts;
    const open = table.open();
    for (const receipt of open) if (receipt.intentAtMs === null) this.#enter(receipt);
    const begun = open.filter(({ intentAtMs }) => intentAtMs !== null);
    for (const batch of Map.groupBy(begun, ({ batchId }) => batchId).values()) {
      const detail = 'the daemon ended while it was typed';
      const outcome = { status: 'unconfirmed', code: null, detail, replyChannel: null } as const;
      this.#settle(batch, { ...outcome, atMs: nowMs() });
      doubts.add(batch);
    }
  }

  get openCount(): number {
    return [...this.#mailboxes.values()].reduce((sum, { entries }) => sum + entries.length, 0);
  }

  openCountOf(recipient: PartyId): number {
    return this.#mailboxes.get(recipient)?.entries.length ?? 0;
  }

  /** What a receipt waits for. */
  whyOf({ recipient, messageId }: ReceiptKey): string | null {
    const mailbox = this.#mailboxes.get(recipient);
    if (!mailbox) return null;
    const index = mailbox.entries.findIndex((each) => each.messageId === messageId);
    return index > 0 && mailbox.why ? `${mailbox.why}; ${index} before it` : mailbox.why;
  }

  /** Takes receipts that are in the store already. */
  add(receipts: readonly Receipt[]): void {
    for (const receipt of receipts) {
      if (receipt.settledAtMs === null) this.#step(this.#enter(receipt));
    }
  }

  /** Forgets one that the store has settled. */
  drop({ recipient, messageId }: ReceiptKey): void {
    const mailbox = this.#mailboxes.get(recipient);
    if (!mailbox) return;
    mailbox.entries = mailbox.entries.filter((each) => each.messageId !== messageId);
    if (mailbox.attempt?.entries.some((each) => each.messageId === messageId)) {
      mailbox.attempt.abort.abort(new Fault('timeout', { about: messageId, detail: 'taken back' }));
    }
    this.#parts.onChange();
  }

  /** Settles one that waits; false where it does not, or is being typed. */
  cancel(key: ReceiptKey, detail: string): boolean {
    const entry = this.#mailboxes
      .get(key.recipient)
      ?.entries.find(({ messageId }) => messageId === key.messageId);
    if (!entry || !this.#parts.table.isWaiting(key)) return false;
    this.#fail([entry], 'E_MESSAGE_CANCELLED', detail);
    this.drop(key);
    return true;
  }

  /** Types what is due, and settles what is over. Call it about once a second, and on changes. */
  tick(): void {
    if (this.#isClosed) return;
    const unwritten = this.#unwritten;
    this.#unwritten = [];
    for (const { keys, outcome } of unwritten) this.#settle(keys, outcome);
    for (const mailbox of this.#mailboxes.values()) this.#step(mailbox);
  }

  /** Begins nothing more. Resolves when what is typed has its outcome, or the time is over. */
  async settle(timeoutMs: number): Promise<void> {
    this.#isClosed = true;
    const attempts = [...this.#mailboxes.values()].flatMap(({ attempt }) => attempt?.done ?? []);
    await settledWithin(attempts, timeoutMs);
  }

  #enter(receipt: Receipt): Mailbox {
    const { recipient } = receipt;
    const mailbox = this.#mailboxes.get(recipient) ?? emptyMailbox(recipient);
    this.#mailboxes.set(recipient, mailbox);
    mailbox.entries = [...mailbox.entries, receipt];
    return mailbox;
  }

  /** A store that fails now may answer later; nothing was begun. */
  #step(mailbox: Mailbox): void {
    try {
      this.#next(mailbox);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#parts.log(error);
      mailbox.why = error.message;
      mailbox.pausedUntilMs = this.#parts.nowMs() + AGAIN_MS;
    }
  }

  #next(mailbox: Mailbox): void {
    if (this.#isClosed) return;
    this.#expire(mailbox);
    if (mailbox.entries.length === 0) {
      if (mailbox.attempt === null) this.#mailboxes.delete(mailbox.recipient);
      return;
    }
    if (mailbox.attempt !== null) return;
    const { transports, doubts, nowMs } = this.#parts;
    const place = transports.placeOf(mailbox.recipient);
    if (place.kind === 'gone') {
      this.#fail(mailbox.entries, place.code, place.detail);
      mailbox.entries = [];
      return;
    }
    const held = doubts.holds(mailbox.recipient)
      ? 'it is not clear whether the last one came'
      : null;
    mailbox.why = place.kind === 'wait' ? place.why : (held ?? mailbox.why);
    if (place.kind === 'wait') mailbox.pausedUntilMs = 0;
    if (place.kind === 'wait' || held || nowMs() < mailbox.pausedUntilMs) return;
    this.#attempt(mailbox, place);
  }

  #expire(mailbox: Mailbox): void {
    const atMs = this.#parts.nowMs();
    const isTyped = ({ messageId }: Entry): boolean =>
      mailbox.attempt?.entries.some((each) => each.messageId === messageId) === true;
    const over = mailbox.entries.filter((each) => each.expiresAtMs <= atMs && !isTyped(each));
    if (over.length === 0) return;
    const why = mailbox.why ?? 'nothing came before';
    this.#fail(over, 'E_MESSAGE_EXPIRED', `its time was over: ${why}`);
    mailbox.entries = mailbox.entries.filter((each) => !over.includes(each));
  }

  #attempt(mailbox: Mailbox, place: Extract<Place, { kind: 'ready' }>): void {
    const batch = this.#nextBatch(mailbox, place);
    if (batch.length === 0) return;
    const abort = new AbortController();
    const entries = mailbox.entries.slice(0, batch.length);
    const done = this.#type(mailbox, { place, batch, entries, signal: abort.signal })
      .catch((error: unknown) => this.#parts.onDefect(error))
      .finally(() => {
        mailbox.attempt = null;
        this.#parts.onChange();
      });
    mailbox.attempt = { abort, done, entries };
  }

  /** As many as may be typed together, at least one. One that is gone from the store is skipped. */
  #nextBatch(mailbox: Mailbox, place: Extract<Place, { kind: 'ready' }>): readonly StoredMessage[] {
    const { table, limits } = this.#parts;
    const { batchCountMax, batchBytesMax } = limits();
    const countMax = mailbox.isSingle ? 1 : batchCountMax;
    const bytesMax = Math.min(batchBytesMax, place.textBytesMax);
    const batch: StoredMessage[] = [];
    let bytes = 0;
    for (const { messageId } of mailbox.entries.slice(0, countMax)) {
      const message = table.find(messageId);
      if (!message) throw new Error(`message ${messageId} is queued and not stored`);
      bytes += Buffer.byteLength(message.body) + ENVELOPE_BYTES;
      if (batch.length > 0 && bytes > bytesMax) break;
      batch.push(message);
    }
    return batch;
  }

  async #type(
    mailbox: Mailbox,
    {
      place,
      batch,
      entries,
      signal,
    }: {
      readonly place: Extract<Place, { kind: 'ready' }>;
      readonly batch: readonly StoredMessage[];
      readonly entries: readonly Entry[];
      readonly signal: AbortSignal;
    },
  ): Promise<void> {
    const { nowMs, table, transports } = this.#parts;
    let hasBegun = false;
    const begin = (where: Pick<Receipt, 'paneKey' | 'runtimeId'>): boolean => {
      signal.throwIfAborted();
      if (entries.some(({ expiresAtMs }) => expiresAtMs <= nowMs())) return false;
      hasBegun = table.begin(entries, {
        ...{ batchId: randomBytes(6).toString('hex'), atMs: nowMs() },
        ...where,
      });
      return hasBegun;
    };
    const order = { place, recipient: mailbox.recipient, batch };
    const result = await transports.hand(order, { signal, begin }).catch((error: unknown) => {
      if (!hasBegun && signal.aborted) return null;
      // Its intent could not be stored, so nothing was handed over.
      if (!hasBegun && error instanceof Fault) {
        this.#parts.log(error);
        return refused(error.code, error.message);
      }
      const detail = 'it failed inside the daemon';
      // Our own bug: nobody knows what was typed before it.
      if (hasBegun) this.#finish(mailbox, entries, { result: 'unconfirmed', detail }, null);
      throw error;
    });
    mailbox.pausedUntilMs = nowMs() + AGAIN_MS;
    if (result === null) mailbox.pausedUntilMs = 0;
    else if (hasBegun) this.#finish(mailbox, entries, result, place.replyChannel);
    else this.#refused(mailbox, entries, result);
  }

  /** Nothing was typed. */
  #refused(mailbox: Mailbox, entries: readonly Entry[], result: ActionResult): void {
    mailbox.why = result.detail;
    if (result.result !== 'refused' || !lasting.has(result.code)) return;
    if (entries.length > 1) {
      mailbox.isSingle = true;
      mailbox.pausedUntilMs = 0;
      return;
    }
    this.#fail(entries, result.code, result.detail);
    this.#leave(mailbox, entries);
  }

  #finish(
    mailbox: Mailbox,
    entries: readonly Entry[],
    result: ActionResult,
    replyChannel: ReplyChannel | null,
  ): void {
    const { table, doubts, nowMs } = this.#parts;
    if (result.result === 'refused') {
      // The guard inside tmux held the paste back: that is proof that nothing was typed.
      if (this.#isWritten(() => table.takeBack(entries))) {
        this.#refused(mailbox, entries, result);
        return;
      }
    }
    const isDelivered = result.result === 'delivered';
    const status = isDelivered ? 'delivered' : 'unconfirmed';
    const outcome = { status, code: null, detail: result.detail, atMs: nowMs() } as const;
    this.#settle(entries, { ...outcome, replyChannel });
    mailbox.isSingle = false;
    mailbox.why = null;
    this.#leave(mailbox, entries);
    if (!isDelivered) doubts.add(entries.flatMap((each) => table.receipt(each) ?? []));
  }

  #leave(mailbox: Mailbox, entries: readonly Entry[]): void {
    mailbox.entries = mailbox.entries.filter((each) => !entries.includes(each));
  }

  #fail(entries: readonly Entry[], code: ProblemCode, detail: string): void {
    const outcome = { status: 'failed', code, detail, replyChannel: null } as const;
    this.#settle(entries, { ...outcome, atMs: this.#parts.nowMs() });
  }

  /** An outcome that cannot be written now is written later; it is never typed again meanwhile. */
  #settle(keys: readonly ReceiptKey[], outcome: ReceiptOutcome): void {
    if (!this.#isWritten(() => this.#parts.table.settle(keys, outcome))) {
      this.#unwritten.push({ keys, outcome });
    }
    this.#parts.onChange();
  }

  #isWritten(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#parts.log(error);
      return false;
    }
  }
}

const emptyMailbox = (recipient: PartyId): Mailbox => ({
  ...{ recipient, entries: [], attempt: null, pausedUntilMs: 0, isSingle: false, why: null },
});
