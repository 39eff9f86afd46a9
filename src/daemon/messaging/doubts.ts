// Deliveries that may or may not have arrived: after a crash, or where no proof came in time. They
// are looked for, by the boundary of their envelope, in what the agent reports as its prompt and on
// its screen. A text that still stands in the input box is submitted; nothing is pasted again.

import type { ActionResult } from '../../acting/action-result.ts';
import { comparable } from '../../acting/typed-text.ts';
import type { PaneRecord, World } from '../../core/world.ts';
import { Fault } from '../../platform/fault.ts';
import { envelopeStart } from '../../relay/messages/envelope.ts';
import type { PartyId } from '../../schema/ids.ts';
import type { Receipt, ReplyChannel } from '../../schema/relay/message.ts';
import type { MessageTable } from '../../store/tables/messages.ts';

/** How often and for how long they are looked for; an agent may answer at length before it. */
const LOOK_EVERY_MS = 1_000;
const LOOK_FOR_MS = 60_000;
/** As long as nothing else is typed to the recipient. */
const HOLD_MS = 15_000;
const HISTORY_LINES = 300;

export interface DoubtsParts {
  readonly nowMs: () => number;
  readonly world: () => World;
  readonly table: MessageTable;
  /** The screen with some of its history as text; null where it cannot be read. */
  readonly screenOf: (pane: PaneRecord, historyCount: number) => Promise<string | null>;
  /** Submits what stands in the input box, if that is this batch. */
  readonly submit: (receipts: readonly Receipt[], pane: PaneRecord) => Promise<ActionResult>;
  readonly replyChannelOf: (pane: PaneRecord) => ReplyChannel;
  readonly log: (fault: Fault) => void;
  readonly onDefect: (error: unknown) => void;
  readonly onChange: () => void;
}

interface Doubt {
  /** In the order in which they were typed, as one prompt. */
  readonly receipts: readonly Receipt[];
  readonly recipient: PartyId;
  readonly sinceMs: number;
  nextLookMs: number;
  work: Promise<void> | null;
}

export class Doubts {
  readonly #parts: DoubtsParts;
  #doubts: readonly Doubt[] = [];

  constructor(parts: DoubtsParts) {
    this.#parts = parts;
  }

  /** Receipts of one batch. */
  add(receipts: readonly Receipt[]): void {
    const [first] = receipts;
    if (!first) return;
    const sinceMs = this.#parts.nowMs();
    const doubt = {
      receipts,
      recipient: first.recipient,
      sinceMs,
      nextLookMs: sinceMs,
      work: null,
    };
    this.#doubts = [...this.#doubts, doubt];
  }

  /** Whether others must wait: the text may still be in the input box. */
  holds(recipient: PartyId): boolean {
    const atMs = this.#parts.nowMs();
    return this.#doubts.some(
      (doubt) => doubt.recipient === recipient && atMs - doubt.sinceMs < HOLD_MS,
    );
  }

  /** Call it about once a second. */
  tick(): void {
    const atMs = this.#parts.nowMs();
    this.#doubts = this.#doubts.filter(
      ({ sinceMs, work }) => work !== null || atMs - sinceMs < LOOK_FOR_MS,
    );
    for (const doubt of this.#doubts) {
      if (doubt.work !== null || atMs < doubt.nextLookMs) continue;
      doubt.work = this.#examine(doubt)
        .catch((error: unknown) => {
          if (error instanceof Fault) this.#parts.log(error);
          else this.#parts.onDefect(error);
        })
        .finally(() => {
          doubt.work = null;
          doubt.nextLookMs = this.#parts.nowMs() + LOOK_EVERY_MS;
        });
    }
  }

  async #examine(doubt: Doubt): Promise<void> {
    const { world, screenOf, submit } = this.#parts;
    const [first] = doubt.receipts;
    const pane = first?.paneKey ? world().panes.get(first.paneKey) : undefined;
    const isSame = pane?.goneAtMs === null && pane.row.runtimeId === first?.runtimeId;
    if (!first || !pane || !isSame) return;
    const mark = comparable(envelopeStart(first.boundary));
    if (comparable(pane.row.activity.prompt ?? '').startsWith(mark)) {
      this.#end(doubt, pane, 'the agent reports it as its prompt');
      return;
    }
    const screen = await screenOf(pane, HISTORY_LINES);
    if (screen === null) return;
    const submitted = await submit(doubt.receipts, pane);
    if (submitted.result === 'delivered') {
      this.#end(doubt, pane, `it stood in the input box; ${submitted.detail}`);
      return;
    }
    // In the box it is not delivered; it is refused as not being there, or the proof is to come.
    const isInBox = submitted.result !== 'refused' || submitted.code !== 'E_INPUT_UNSEEN';
    if (isInBox || !comparable(screen).includes(mark)) return;
    this.#end(doubt, pane, 'its id is on the screen');
  }

  #end(doubt: Doubt, pane: PaneRecord, detail: string): void {
    const { table, nowMs, onChange, replyChannelOf } = this.#parts;
    table.settle(doubt.receipts, {
      ...{ status: 'delivered', code: null, detail, atMs: nowMs() },
      replyChannel: replyChannelOf(pane),
    });
    this.#doubts = this.#doubts.filter((each) => each !== doubt);
    onChange();
  }

  /** Resolves when nothing is being looked at. */
  async settle(): Promise<void> {
    await Promise.all(this.#doubts.map(({ work }) => work));
  }
}
