// Messages between agents and people, and what became of each for each of its recipients. A queued
// prompt (action.ts) is typed as it is; a message comes in an envelope that names its sender.

import type { PaneKey, PartyId, RuntimeId } from '../ids.ts';

/** member: of a bundle. agent: any other that runs. operator: a person. */
export const partyKinds = ['member', 'agent', 'operator'] as const;
export type PartyKind = (typeof partyKinds)[number];

/** queued and delivering are open; the others are final, but unconfirmed may become delivered. */
export const receiptStatuses = [
  'queued',
  'delivering',
  'delivered',
  'unconfirmed',
  'failed',
] as const;
export type ReceiptStatus = (typeof receiptStatuses)[number];

/** How the recipient can reply: by the command, by the spool of its machine, or not at all. */
export const replyChannels = ['cli', 'spool', 'no_reply_channel'] as const;
export type ReplyChannel = (typeof replyChannels)[number];

export interface MessageRecord {
  readonly messageId: string;
  /** The id of the first message of its thread. */
  readonly threadId: string;
  readonly replyTo: string | null;
  /** The bundle that it was sent in; null outside of bundles. */
  readonly bundle: string | null;
  readonly sender: PartyId;
  /** For people, as it was when the message was sent. */
  readonly senderName: string;
  readonly subject: string | null;
  readonly body: string;
  /** Absolute paths on the machine of the daemon. */
  readonly attachments: readonly string[];
  /** How many messages of agents in a row led to this one, without a person between them. */
  readonly hopCount: number;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly requestRef: string | null;
}

/** What became of a message for one recipient. */
export interface Receipt {
  readonly messageId: string;
  readonly recipient: PartyId;
  readonly recipientName: string;
  readonly isCopy: boolean;
  /** Grows over all receipts: the order of every queue. */
  readonly place: number;
  /** Marks its envelope. Nobody learns it before it is typed. */
  readonly boundary: string;
  readonly status: ReceiptStatus;
  readonly code: string | null;
  /** What it waits for, or what came of it. */
  readonly detail: string | null;
  readonly replyChannel: ReplyChannel | null;
  /** The agent that it was typed to. */
  readonly runtimeId: RuntimeId | null;
  readonly paneKey: PaneKey | null;
  /** What was typed together has one id. */
  readonly batchId: string | null;
  readonly intentAtMs: number | null;
  readonly settledAtMs: number | null;
  readonly readAtMs: number | null;
  readonly repliedAtMs: number | null;
  readonly expiresAtMs: number;
}

export interface StoredMessage extends MessageRecord {
  readonly receipts: readonly Receipt[];
}

/** How the input box of a program looks while it waits and nothing is typed. */
export interface PromptMatch {
  readonly matches: (lastLines: string) => boolean;
  /** How many lines from the end, without empty ones there. */
  readonly lineCount: number;
  /** The column of the cursor while nothing is typed; null: any. */
  readonly idleColumn: number | null;
}

/** How the text of messages is typed, where it is no plain prompt. */
export interface MessageTyping {
  /** The screen must have rested: the state of the agent is not known. */
  readonly needsQuiet: boolean;
  readonly prompt: PromptMatch | null;
  /** Pastes nothing, and submits the text if it is in the input box. */
  readonly isPasted: boolean;
  /** How long ago it was pasted, in that case. */
  readonly pastedForMs?: number;
}

/** Whom a connection has proven to speak for. */
export type ProvenCaller =
  | { readonly kind: 'agent'; readonly runtimeId: RuntimeId }
  | { readonly kind: 'member'; readonly member: PartyId }
  | { readonly kind: 'person' };
