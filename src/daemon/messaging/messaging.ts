// Everything about messages, put together: who is who, the queue, what is in doubt, and the port.

import type { ActionResult, Commit } from '../../acting/action-result.ts';
import type { Registry } from '../../agents/registry.ts';
import type { PaneRecord, World } from '../../core/world.ts';
import type { MessagesPort } from '../../operations/ports/messages-port.ts';
import type { ActionOrder, PanesPort } from '../../operations/ports/ports.ts';
import type { Fault } from '../../platform/fault.ts';
import type { Config } from '../../schema/config.ts';
import { isAcpKey, type PaneKey, type PartyId } from '../../schema/ids.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import type { SpoolReply } from '../../sources/spool/spool-reply.ts';
import type { ActionTable } from '../../store/tables/actions.ts';
import type { MessageTable } from '../../store/tables/messages.ts';
import { stripSequences } from '../../text/ansi.ts';
import type { AncestorReader } from '../acting/calling-agent.ts';
import { Doubts } from './doubts.ts';
import type { CallerOfProcessParts } from './identity/caller-of-process.ts';
import { CallerProof } from './identity/caller-proof.ts';
import { replierOf } from './identity/replier.ts';
import { Looking, type LookingParts } from './looking.ts';
import { MessageQueue } from './message-queue.ts';
import { Messages } from './messages.ts';
import { Parties } from './parties.ts';
import type { Roster } from './roster.ts';
import { Transports, type TransportsParts } from './transports.ts';

/** How soon a message follows the rest of its agent. */
const SETTLE_MS = 50;
const CAPTURE_MS = 5_000;

export interface MessagingParts {
  readonly nowMs: () => number;
  readonly world: () => World;
  readonly store: { readonly messages: MessageTable; readonly actions: ActionTable };
  readonly registry: () => Registry;
  readonly limits: () => Config['messages'];
  readonly fault: (error: unknown) => void;
  /** Calls back after every change of the world. */
  readonly onApplied: (listener: () => void) => void;
  /** Of this part alone. */
  readonly folder: string;
  readonly roster: Roster;
  readonly processes: AncestorReader;
  readonly userName: string;
  readonly capture: PanesPort['capture'];
  readonly perform: LookingParts['perform'];
  readonly mayAnswer: LookingParts['mayAnswer'];
  /** How an agent without a pane takes messages. */
  readonly transportOf: TransportsParts['transportOf'];
  /** Types a text whose row in the audit trail exists. */
  readonly type: (
    pane: PaneRecord,
    order: ActionOrder,
    call: { readonly signal: AbortSignal; readonly commit: Commit },
  ) => Promise<ActionResult>;
  readonly onDefect: (error: unknown) => void;
}

export class Messaging implements Disposable {
  readonly port: MessagesPort;
  readonly parties: Parties;
  /** Also for what is no message. */
  readonly ofProcess: CallerOfProcessParts;
  readonly #queue: MessageQueue;
  readonly #doubts: Doubts;
  readonly #proof: CallerProof;
  readonly #messages: Messages;
  readonly #replierOf: (reply: SpoolReply) => ReturnType<typeof replierOf>;
  #timer: NodeJS.Timeout | null = null;

  constructor(parts: MessagingParts) {
    const { nowMs, world, roster, onDefect, limits, registry, fault } = parts;
    const { messages: table, actions } = parts.store;
    const log = (error: Fault) => fault(error);
    const changed = () => messages.changed();
    this.parties = new Parties({ world, roster, userName: parts.userName });
    const { parties } = this;
    const transports = new Transports({
      ...{ nowMs, world, parties, registry, actions, type: parts.type, log: fault },
      transportOf: parts.transportOf,
    });
    this.#doubts = new Doubts({
      ...{ nowMs, world, table, log, onDefect, onChange: changed },
      screenOf: (pane, historyCount) => screenOf(parts.capture, pane, historyCount),
      replyChannelOf: (pane) => transports.replyChannel(pane),
      submit: (receipts, pane) => {
        const batch = receipts.flatMap(({ messageId }) => table.find(messageId) ?? []);
        return transports.submit(receipts, batch, pane);
      },
    });
    this.#queue = new MessageQueue({
      ...{ nowMs, table, transports, doubts: this.#doubts, log, onDefect, onChange: changed },
      limits,
    });
    const messages = new Messages({ nowMs, parties, table, limits, queue: this.#queue });
    this.#messages = messages;
    this.#replierOf = (reply) =>
      replierOf(world(), reply, (paneKey) => memberOfPane(roster, paneKey));
    const { capture, perform } = parts;
    const { mayAnswer } = parts;
    const looking = new Looking({ nowMs, world, parties, capture, perform, actions, mayAnswer });
    this.ofProcess = {
      ...{ world, processes: parts.processes },
      memberOfPane: (paneKey) => memberOfPane(roster, paneKey),
      isOfLostBundle: (pane) => isOfLostBundle(roster, pane),
    };
    this.#proof = new CallerProof({ ...this.ofProcess, nowMs, folder: parts.folder });
    this.port = portOf(messages, looking, this.#proof);
    parts.onApplied(() => this.#soon());
  }

  /** Call it once, when the store holds what an earlier life left. */
  begin(): void {
    this.#queue.begin();
  }

  /** Call it about once a second. */
  tick(): void {
    this.#doubts.tick();
    this.#queue.tick();
  }

  /** Begins nothing more; resolves when what is typed has its outcome, or the time is over. */
  async settle(timeoutMs: number): Promise<void> {
    await this.#queue.settle(timeoutMs);
  }

  /** Stores a reply before it returns. Throws what the store throws. */
  takeReply(reply: SpoolReply): Outcome<null> {
    const proven = this.#replierOf(reply);
    if (proven === null) {
      return refuse('E_IDENTITY_UNPROVEN', `no agent wrote the reply to ${reply.messageId}`);
    }
    const { messageId: message_id, text: message, eventId } = reply;
    const input = { message_id, message, attachments: [], all: false, request_ref: eventId };
    const { signal } = new AbortController();
    const caller = { claim: 'none', proven, as: undefined } as const;
    const stored = this.#messages.storeReply(caller, input, { signal });
    return stored.ok ? ok(null) : stored;
  }

  [Symbol.dispose](): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#proof[Symbol.dispose]();
  }

  /** Many changes of the world are one look at the queues. */
  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#queue.tick();
    }, SETTLE_MS).unref();
  }
}

const memberOfPane = (roster: Roster, paneKey: PaneKey): PartyId | null =>
  roster.members().find((member) => member.pane()?.paneKey === paneKey)?.party ?? null;

/** The private server of a bundle has its name, and so has a member without a terminal. */
function isOfLostBundle(roster: Roster, { facts, paneKey }: PaneRecord): boolean {
  if (isAcpKey(paneKey) && paneKey.includes('/')) return memberOfPane(roster, paneKey) === null;
  const [, bundle] = /\/agtmux-([^/]+)$/.exec(facts?.server ?? '') ?? [];
  return bundle !== undefined && !roster.members().some((each) => each.bundle === bundle);
}

async function screenOf(
  capture: PanesPort['capture'],
  pane: PaneRecord,
  historyCount: number,
): Promise<string | null> {
  const screen = await capture(pane, AbortSignal.timeout(CAPTURE_MS), historyCount);
  return screen && stripSequences(screen.ansi);
}

function portOf(messages: Messages, looking: Looking, proof: CallerProof): MessagesPort {
  return {
    beginProof: (earlier) => proof.begin(earlier),
    prove: (challenge, pid) => proof.prove(challenge, pid),
    identity: (caller) => messages.identity(caller),
    parties: (caller) => messages.parties(caller),
    send: (caller, input, call) => messages.send(caller, input, call),
    broadcast: (caller, input, call) => messages.broadcast(caller, input, call),
    reply: (caller, input, call) => messages.reply(caller, input, call),
    inbox: (caller, input, call) => messages.inbox(caller, input, call),
    read: (caller, input) => messages.read(caller, input),
    cancel: (caller, messageId, recipient) => messages.cancel(caller, messageId, recipient),
    status: (caller, messageId, waitMs, call) => messages.status(caller, messageId, waitMs, call),
    look: (caller, input, call) => looking.look(caller, input, call),
    writeRaw: (caller, input, call) => looking.writeRaw(caller, input, call),
  };
}
