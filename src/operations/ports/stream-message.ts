// What a stream of changes sends, as data. Whoever publishes makes each message once for all
// readers; each door frames it in its own protocol and adds the name of the subscription.

import type {
  ConversationPush,
  ConversationPushName,
  WatchedConversation,
} from '../../schema/api/conversation.ts';
import type { PaneItem, SummaryItem } from '../../schema/api/panes.ts';
import type { Push, Subscribed } from '../../schema/api/stream.ts';
import type { OutageItem } from '../../schema/api/targets.ts';
import type { WatchedOutput } from '../../schema/web/output.ts';

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

/** What a stream of changes sends. */
export type ChangeMessage =
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

/** What the terminal of a pane shows. Made once for all its viewers where it is the same. */
export type OutputMessage = { readonly epoch: number; readonly seq: number } & (
  | {
      readonly type: 'output_snapshot';
      readonly cols: number;
      readonly rows: number;
      readonly live: boolean;
      readonly bytes: Uint8Array;
    }
  | { readonly type: 'output_bytes'; readonly bytes: Uint8Array }
  | { readonly type: 'output_ended'; readonly reason: string }
);

/** What a conversation brings. */
export type ConversationMessage = {
  readonly [Name in ConversationPushName]: { readonly type: Name } & Omit<
    ConversationPush<Name>,
    'subscription'
  >;
}[ConversationPushName];

export type StreamMessage = ChangeMessage | OutputMessage | ConversationMessage;

export interface StreamSink<Message extends StreamMessage = StreamMessage> {
  readonly send: (message: Message) => void;
  /** Bytes that were written and that the reader has not taken yet. */
  readonly bufferedBytes: () => number;
}

/** Ended by its disposal. */
export interface OpenStream<Reply = Subscribed | WatchedOutput | WatchedConversation>
  extends Disposable {
  readonly reply: Reply;
  /** Sends what comes first. Called once, in the same tick, after the reply was written. */
  readonly start: () => void;
  /** The reader has taken everything. */
  readonly drained: () => void;
}
