// The ports behind what a person watches of one agent: its terminal, and its conversation.

import type { PaneRecord } from '../../core/world.ts';
import type {
  Conversation,
  ConversationPage,
  ReadConversationInput,
  ReadConversationTextInput,
  WatchConversationInput,
  WatchedConversation,
} from '../../schema/api/conversation.ts';
import type { Outcome } from '../../schema/outcome.ts';
import type { WatchedOutput, WatchOutputInput } from '../../schema/web/output.ts';
import type {
  ConversationMessage,
  OpenStream,
  OutputMessage,
  StreamSink,
} from './stream-message.ts';

/** The terminals of panes, as viewers get them. */
export interface ViewsPort {
  readonly open: (
    pane: PaneRecord,
    input: WatchOutputInput,
    sink: StreamSink<OutputMessage>,
  ) => OpenStream<WatchedOutput>;
  /**
   * Sets the size of the window with the pane for as long as the result is kept, unless a person is
   * attached. One connection has one result. Rejects with a Fault.
   */
  readonly resize: (
    pane: PaneRecord,
    size: { readonly cols: number; readonly rows: number },
    connection: object,
  ) => Promise<Outcome<AsyncDisposable>>;
  /** The connection no longer needs the size that it has set for an agent. */
  readonly release: (runtimeId: string, connection: object) => void;
}

/** What agents said and did, read from their transcripts. */
export interface ConversationsPort {
  readonly list: () => readonly Conversation[];
  readonly read: (
    pane: PaneRecord,
    input: ReadConversationInput,
  ) => Promise<Outcome<Omit<ConversationPage, 'schema_version' | 'generated_at'>>>;
  readonly readText: (
    pane: PaneRecord,
    input: ReadConversationTextInput,
  ) => Promise<Outcome<{ readonly text: string; readonly next: number | null }>>;
  readonly open: (
    pane: PaneRecord,
    input: WatchConversationInput,
    sink: StreamSink<ConversationMessage>,
  ) => OpenStream<WatchedConversation>;
}
