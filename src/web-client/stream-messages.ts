// What the streams of the web service send, by the operation that opens them. Types only.

import type { PushMessage } from '../client/stream.ts';
import type { ConversationPush, ConversationPushName } from '../schema/api/conversation.ts';
import type { OperationMap } from '../schema/api/operations.ts';
import type { OutputPush } from '../schema/web/output.ts';

/** A message of `watch_output`; its bytes come as they are. */
export type TerminalMessage = {
  readonly [Name in keyof OutputPush]: {
    readonly type: Name;
    readonly data: 'bytes' extends keyof OutputPush[Name]
      ? Omit<OutputPush[Name], 'bytes'> & { readonly bytes: Uint8Array }
      : OutputPush[Name];
  };
}[keyof OutputPush];

/** A message of `watch_conversation`. */
export type ConversationStreamMessage = {
  readonly [Name in ConversationPushName]: {
    readonly type: Name;
    readonly data: ConversationPush<Name>;
  };
}[ConversationPushName];

interface Messages {
  readonly subscribe: PushMessage;
  readonly watch_output: TerminalMessage;
  readonly watch_conversation: ConversationStreamMessage;
}

export type StreamName = keyof Messages;
export type StreamInput<Name extends StreamName> = OperationMap[Name]['input'];
export type StreamReply<Name extends StreamName> = OperationMap[Name]['output'];
export type StreamData<Name extends StreamName> = Messages[Name];
