// What a stream of changes sends, as data. Whoever publishes makes each message once for all
// readers; each door frames it in its own protocol and adds the name of the subscription.

import type { PaneItem, SummaryItem } from '../../schema/api/panes.ts';
import type { Push, Subscribed } from '../../schema/api/stream.ts';
import type { OutageItem } from '../../schema/api/targets.ts';

/** A pane in a message. The item is replaced when it changes, so that a door may keep its text. */
export interface StreamPane {
  readonly item: Omit<PaneItem, 'last_seen_at'>;
  /** The one field that moves while nothing changes. */
  readonly last_seen_at: string;
}

/** What every message carries: the cursor to resume from, and when it was made. */
export interface MessageHead {
  readonly cursor: string;
  readonly generated_at: string;
}

export interface SnapshotMessage extends MessageHead {
  readonly type: 'snapshot';
  readonly reason: Push<'snapshot'>['reason'];
  readonly panes: readonly StreamPane[];
  readonly summary: SummaryItem;
  readonly outages: readonly OutageItem[];
}

export type StreamMessage =
  | SnapshotMessage
  | (MessageHead & {
      readonly type: 'state_changed';
      readonly panes: readonly StreamPane[];
      readonly removed: readonly string[];
    })
  | (MessageHead & {
      readonly type: 'summary_changed';
      readonly summary: SummaryItem;
      readonly outages: readonly OutageItem[];
    })
  | (MessageHead & {
      readonly type: 'attention_changed';
      readonly panes: Push<'attention_changed'>['panes'];
    });

export interface StreamSink {
  readonly send: (message: StreamMessage) => void;
  /** Bytes that were written and that the reader has not taken yet. */
  readonly bufferedBytes: () => number;
}

/** Ended by its disposal. */
export interface OpenStream extends Disposable {
  readonly reply: Subscribed;
  /** Sends what comes first. Called once, in the same tick, after the reply was written. */
  readonly start: () => void;
  /** The reader has taken everything. */
  readonly drained: () => void;
}
