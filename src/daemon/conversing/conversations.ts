// The port of conversations: which one an agent has, pages of it, and streams.

import { ConversationReader } from '../../agent-files/conversations/conversation-reader.ts';
import { cursorText, readCursor } from '../../agent-files/conversations/placed-entry.ts';
import { PrecededRecords } from '../../agent-files/conversations/preceded-records.ts';
import type { KnownTranscripts, Transcript } from '../../agent-files/conversations/transcript.ts';
import { conversationParsers, parsersThatLookBack } from '../../agents/conversation-parsers.ts';
import type { PaneRecord, World } from '../../core/world.ts';
import type { ConversationsPort } from '../../operations/ports/watched-ports.ts';
import type {
  Conversation,
  ReadConversationInput,
  WatchConversationInput,
} from '../../schema/api/conversation.ts';
import type { PaneKey, RuntimeId } from '../../schema/ids.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import { ConversationStream, type OpenConversation } from './conversation-stream.ts';
import { cutWhole, type LongField, shapeEntry, wholeField } from './shape-entry.ts';

/** One piece of a long text, and the longest text. */
const PIECE_LENGTH = 60_000;
const WHOLE_TEXT_MAX = 8_000_000;
const PANES_MAX = 500;

export interface ConversationsParts {
  readonly world: () => World;
  readonly transcripts: KnownTranscripts;
  readonly onDefect: (error: unknown) => void;
}

export class Conversations implements ConversationsPort, Disposable {
  readonly #parts: ConversationsParts;
  readonly #streams = new Set<ConversationStream>();
  readonly #watch: Disposable;
  #nextStream = 1;
  /** Who was last in a pane: what it said can be read after it has ended. */
  readonly #lastRuntimes = new Map<PaneKey, RuntimeId>();

  constructor(parts: ConversationsParts) {
    this.#parts = parts;
    this.#watch = parts.transcripts.onChange((runtimeId) => {
      this.#remember(runtimeId);
      for (const stream of this.#streams) stream.follow();
    });
  }

  list = (): readonly Conversation[] =>
    [...this.#parts.world().panes.values()].flatMap((pane) => {
      const open = pane.goneAtMs === null ? this.#find(pane, undefined) : null;
      return open === null ? [] : [open.conversation];
    });

  read: ConversationsPort['read'] = async (pane, input) => {
    const open = this.#find(pane, input.conversation);
    if (open === null) return noConversation(pane, input.conversation);
    const { reader, conversation } = open;
    const isNamed = input.conversation !== undefined;
    if (isNamed && (await reader.records.end()) === null) {
      return noConversation(pane, input.conversation);
    }
    const { page, gap } = await this.#page(reader, input);
    return ok({
      conversation,
      entries: page.entries.map((each) => shapeEntry(reader, each)),
      before: page.before && cursorText(page.before),
      after: cursorText(page.after),
      has_more: page.hasMore,
      gap,
    });
  };

  readText: ConversationsPort['readText'] = async (pane, input) => {
    const open = this.#find(pane, input.conversation);
    if (open === null) return noConversation(pane, input.conversation);
    const cursor = readCursor(input.cursor);
    const gap = cursor === null ? 'replaced' : await open.reader.check(cursor);
    if (cursor === null || gap !== null) {
      return refuse('E_PRECONDITION_FAILED', `the transcript has changed: ${gap}`);
    }
    const entry = await open.reader.entryAt(cursor);
    const text = entry && wholeField(entry, input.field as LongField, WHOLE_TEXT_MAX);
    if (text === null) return refuse('E_INPUT_INVALID', `the entry has no ${input.field}`);
    const piece = cutWhole(text.slice(input.from), PIECE_LENGTH);
    const next = input.from + piece.length;
    return ok({ text: piece, next: next < text.length ? next : null });
  };

  open: ConversationsPort['open'] = (pane, input, sink) => {
    const subscription = `v${this.#nextStream}`;
    this.#nextStream += 1;
    const stream = new ConversationStream({
      find: () => this.#find(pane, input.conversation),
      input,
      sink,
      onDefect: this.#parts.onDefect,
    });
    return {
      reply: {
        subscription,
        conversation: this.#find(pane, input.conversation)?.conversation ?? null,
      },
      start: () => {
        this.#streams.add(stream);
        stream.start();
      },
      drained: () => stream.drained(),
      [Symbol.dispose]: () => {
        this.#streams.delete(stream);
        stream[Symbol.dispose]();
      },
    };
  };

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]();
    for (const stream of this.#streams) stream[Symbol.dispose]();
    this.#streams.clear();
  }

  #remember(runtimeId: RuntimeId): void {
    const paneKey = this.#parts.world().runtimes.get(runtimeId)?.paneKey;
    if (paneKey === undefined) return;
    this.#lastRuntimes.delete(paneKey);
    this.#lastRuntimes.set(paneKey, runtimeId);
    const [oldest] = this.#lastRuntimes.keys();
    if (this.#lastRuntimes.size > PANES_MAX && oldest !== undefined) {
      this.#lastRuntimes.delete(oldest);
    }
  }

  /** The agent's current conversation, or one of its subagents; null where none is known. */
  #find(pane: PaneRecord, wanted: WatchConversationInput['conversation']): OpenConversation | null {
    const record = this.#parts.world().panes.get(pane.paneKey) ?? pane;
    const runtimeId = record.row.runtimeId ?? this.#lastRuntimes.get(pane.paneKey) ?? null;
    const transcript = runtimeId === null ? null : this.#parts.transcripts.of(runtimeId);
    if (runtimeId === null || transcript === null) return null;
    const { agent, sessionId } = transcript;
    const format = transcript.format ?? agent;
    const parse = Object.hasOwn(conversationParsers, format) ? conversationParsers[format] : null;
    const own = `${agent}:${sessionId}`;
    const records =
      wanted === undefined || wanted === own ? transcript.records : childOf(transcript, wanted);
    if (!parse || records === null) return null;
    const conversation: Conversation = {
      id: wanted ?? own,
      agent,
      session_id: (wanted ?? own).slice(agent.length + 1),
      pane_key: pane.paneKey,
      runtime_id: runtimeId,
    };
    const read = parsersThatLookBack.has(format) ? new PrecededRecords(records) : records;
    return { conversation, reader: new ConversationReader(read, parse, conversation.id) };
  }

  async #page(reader: ConversationReader, input: ReadConversationInput) {
    const { limit, before, after, from_start: isFromStart } = input;
    const given = before ?? after;
    const cursor = given === undefined ? null : readCursor(given);
    const gap =
      given === undefined ? null : cursor === null ? 'replaced' : await reader.check(cursor);
    if (cursor === null || gap !== null) {
      const page = isFromStart ? reader.next(limit, reader.start) : reader.last(limit);
      return { page: await page, gap };
    }
    const page = before === undefined ? reader.next(limit, cursor) : reader.last(limit, cursor);
    return { page: await page, gap };
  }
}

const childOf = ({ agent, child }: Transcript, wanted: string) =>
  wanted.startsWith(`${agent}:`) ? child(wanted.slice(agent.length + 1)) : null;

function noConversation(pane: PaneRecord, wanted: string | undefined): Outcome<never> {
  if (wanted !== undefined) {
    return refuse('E_REF_NOT_FOUND', `the agent has no conversation ${wanted.slice(0, 100)}`);
  }
  const { agent } = pane.row;
  const hint = 'agtmux view-output shows what is on its screen.';
  const problem = `no transcript of ${agent ?? 'this pane'} is known`;
  if (agent === null) {
    return refuse('E_REF_NOT_FOUND', `no agent is in the pane, so ${problem}`, { hint });
  }
  return refuse('E_REF_NOT_FOUND', `${problem}; it may not have written one yet`, { hint });
}
