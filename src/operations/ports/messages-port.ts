// The port of messages between agents and people: who calls, what is written, what became of it.

import type { ActionReport } from '../../schema/api/acting.ts';
import type { Outcome } from '../../schema/outcome.ts';
import type { ProvenCaller } from '../../schema/relay/message.ts';
import type {
  BroadcastMessageInput,
  CallerIdentity,
  Inbox,
  ListInboxInput,
  Look,
  MessageItem,
  PartyList,
  ReadMessageInput,
  ReplyMessageInput,
  SendMessageInput,
  SentMessage,
} from '../../schema/relay/message-schemas.ts';

type Bare<T> = Omit<T, 'schema_version' | 'generated_at'>;

interface MessageCall {
  readonly signal: AbortSignal;
  readonly commit: () => void;
}

/** Who calls, as far as the door or a proof knows it. */
export interface MessageCaller {
  /** A person whom a door knows by a token; an agent that only says which one it is. */
  readonly claim: 'none' | 'person' | 'agent';
  readonly proven: ProvenCaller | null;
  /** The operator of tui.toml that a person wants to be. */
  readonly as: string | undefined;
}

export interface MessagesPort {
  /**
   * What the caller must hold open, and the path of it; null where there is no such proof. A
   * connection that got an earlier one holds that no more.
   */
  readonly beginProof: (
    earlier: string | null,
  ) => { readonly challenge: string; readonly path: string } | null;
  /** Whom that process speaks for, if it holds the file of the challenge open. */
  readonly prove: (challenge: string | null, pid: number) => Outcome<ProvenCaller>;
  readonly identity: (caller: MessageCaller) => Outcome<Bare<CallerIdentity>>;
  /** Whom the caller may know of. */
  readonly parties: (caller: MessageCaller) => Outcome<Bare<PartyList>>;
  readonly send: (
    caller: MessageCaller,
    input: SendMessageInput,
    call: MessageCall,
  ) => Promise<Outcome<Bare<SentMessage>>>;
  readonly broadcast: (
    caller: MessageCaller,
    input: BroadcastMessageInput,
    call: MessageCall,
  ) => Promise<Outcome<Bare<SentMessage>>>;
  readonly reply: (
    caller: MessageCaller,
    input: ReplyMessageInput,
    call: MessageCall,
  ) => Promise<Outcome<Bare<SentMessage>>>;
  /** Waits for the first message that fits, where the input says so. */
  readonly inbox: (
    caller: MessageCaller,
    input: ListInboxInput,
    call: Pick<MessageCall, 'signal'>,
  ) => Promise<Outcome<Bare<Inbox>>>;
  readonly read: (caller: MessageCaller, input: ReadMessageInput) => Outcome<MessageItem>;
  readonly cancel: (
    caller: MessageCaller,
    messageId: string,
    recipient: string | undefined,
  ) => Outcome<MessageItem>;
  /** Waits until nothing is open any more, or for so long. */
  readonly status: (
    caller: MessageCaller,
    messageId: string,
    waitMs: number | undefined,
    call: MessageCall,
  ) => Promise<Outcome<Bare<SentMessage>>>;
  /** Rejects with a Fault. */
  readonly look: (
    caller: MessageCaller,
    input: { readonly ref: string; readonly lines: number },
    call: MessageCall,
  ) => Promise<Outcome<Bare<Look>>>;
  readonly writeRaw: (
    caller: MessageCaller,
    input: {
      readonly ref: string;
      readonly text: string;
      readonly enter: boolean;
      readonly request_ref?: string | undefined;
    },
    call: MessageCall,
  ) => Promise<Outcome<ActionReport>>;
}
