// Where a recipient takes messages now: typed into its pane, or handed over by the protocol of a
// member without one. What is handed over is one row of the audit trail.

import { randomUUID } from 'node:crypto';
import { type ActionResult, type Commit, refused } from '../../acting/action-result.ts';
import { adapterOf, type Registry } from '../../agents/registry.ts';
import { takeSnapshot } from '../../core/guard.ts';
import { liveRuntime, type PaneRecord, type World } from '../../core/world.ts';
import type { ActionOrder } from '../../operations/ports/ports.ts';
import type { Fault } from '../../platform/fault.ts';
import { judgeGate } from '../../relay/messages/gate.ts';
import { id, type PartyId, type SnapshotId } from '../../schema/ids.ts';
import type { ProblemCode } from '../../schema/problem.ts';
import type {
  MessageTyping,
  PromptMatch,
  Receipt,
  ReplyChannel,
  StoredMessage,
} from '../../schema/relay/message.ts';
import type { ActionTable } from '../../store/tables/actions.ts';
import { LOCAL } from '../daemon-core.ts';
import type { Parties, Party } from './parties.ts';
import { promptText } from './prompt-text.ts';
import type { PanelessTransport } from './roster.ts';

export type Place =
  | { readonly kind: 'wait'; readonly why: string }
  | { readonly kind: 'gone'; readonly code: ProblemCode; readonly detail: string }
  | {
      readonly kind: 'ready';
      readonly pane: PaneRecord | null;
      readonly transport: PanelessTransport | null;
      readonly prompt: PromptMatch | null;
      readonly needsQuiet: boolean;
      readonly textBytesMax: number;
      readonly replyChannel: ReplyChannel;
    };

export type ReadyPlace = Extract<Place, { kind: 'ready' }>;

export interface HandOver {
  readonly place: ReadyPlace;
  readonly recipient: PartyId;
  readonly batch: readonly StoredMessage[];
}

export interface TransportsParts {
  readonly nowMs: () => number;
  readonly world: () => World;
  readonly registry: () => Registry;
  readonly parties: Parties;
  readonly actions: Pick<ActionTable, 'begin' | 'finish'>;
  /** How an agent without a pane takes messages; null: it is typed to. */
  readonly transportOf: (pane: PaneRecord) => PanelessTransport | null;
  /** Types under the lock of the pane. */
  readonly type: (
    pane: PaneRecord,
    order: ActionOrder,
    call: { readonly signal: AbortSignal; readonly commit: Commit },
  ) => Promise<ActionResult>;
  readonly log: (error: unknown) => void;
}

/** Paneless members have protocols without a limit of their own. */
const TEXT_BYTES_MAX = 60_000;

export class Transports {
  readonly #parts: TransportsParts;

  constructor(parts: TransportsParts) {
    this.#parts = parts;
  }

  placeOf(recipient: PartyId): Place {
    const party = this.#parts.parties.byId(recipient);
    if (!party) return this.#absent(recipient);
    const { member, pane } = party;
    const transport = member?.transport ?? (pane && this.#parts.transportOf(pane));
    if (transport) {
      const why = transport.wait();
      if (why !== null) return { kind: 'wait', why };
      return {
        ...{ kind: 'ready', pane, transport, prompt: null, needsQuiet: false },
        ...{ textBytesMax: TEXT_BYTES_MAX, replyChannel: 'cli' },
      };
    }
    return pane ? this.#ofPane(party, pane) : { kind: 'wait', why: 'it is not up' };
  }

  #absent(recipient: PartyId): Place {
    if (recipient.startsWith('member:')) return { kind: 'wait', why: 'it is no member any more' };
    const detail = 'the agent that it was meant for has ended';
    return { kind: 'gone', code: 'E_RUNTIME_STALE', detail };
  }

  #ofPane({ member }: Party, pane: PaneRecord): Place {
    if (this.#parts.world().targets.get(pane.targetId)?.health === 'down') {
      return { kind: 'wait', why: `target ${pane.targetId} does not answer` };
    }
    const adapter = adapterOf(this.#parts.registry(), pane.row.agent ?? 'generic');
    const prompt = member?.prompt ?? null;
    const acting = adapter?.screen.acting ?? null;
    const facts = { row: pane.row, hasPromptRule: prompt !== null, hasKnownBox: acting !== null };
    const verdict = judgeGate(facts);
    if (verdict.kind === 'wait') return verdict;
    return {
      ...{ kind: 'ready', pane, transport: null, prompt, needsQuiet: verdict.needsQuiet },
      textBytesMax: acting?.textBytesMax ?? TEXT_BYTES_MAX,
      replyChannel: this.replyChannel(pane),
    };
  }

  /** Commands run where the daemon does; elsewhere the hooks' spool brings replies. */
  replyChannel({ targetId, runtimeId }: PaneRecord): ReplyChannel {
    if (targetId === LOCAL) return 'cli';
    const spool = `spool@${targetId}`;
    const runtime = liveRuntime(this.#parts.world(), runtimeId);
    const channels = [...(runtime?.sources.values() ?? [])].map(({ channel }) => channel);
    return channels.some((channel) => channel === spool) ? 'spool' : 'no_reply_channel';
  }

  /** `begin` stores the intent, right before the first effect. */
  async hand(
    order: HandOver,
    call: {
      readonly signal: AbortSignal;
      readonly begin: (where: Pick<Receipt, 'paneKey' | 'runtimeId'>) => boolean;
    },
  ): Promise<ActionResult> {
    const { place, recipient } = order;
    const text = promptText(order.batch, recipient, place.replyChannel);
    const { signal } = call;
    const { pane, transport } = place;
    if (pane === null) return refused('E_REF_NOT_FOUND', 'it has neither a pane nor a protocol');
    const { runtimeId } = pane;
    // What was handed over by a protocol can be looked for nowhere, and never be submitted again.
    const where = transport ? { paneKey: null, runtimeId: null } : pane;
    let actionId: string | null = null;
    const commit = (): boolean => {
      const now = this.placeOf(recipient);
      if (now.kind !== 'ready' || now.pane?.runtimeId !== runtimeId) return false;
      // First the trail: what it cannot keep is not typed.
      actionId = this.#beginAction(pane, order);
      const hasBegun = call.begin({ paneKey: where.paneKey, runtimeId: where.runtimeId });
      if (!hasBegun)
        this.#finishAction(actionId, refused('E_MESSAGE_SETTLED', 'it was taken back'));
      if (!hasBegun) actionId = null;
      return hasBegun;
    };
    const { needsQuiet, prompt } = place;
    const typing = { needsQuiet, prompt, isPasted: false };
    const result = transport
      ? await transport.hand(text, { signal, commit })
      : await this.#parts.type(pane, orderOf(pane, text, typing), { signal, commit });
    if (actionId !== null) this.#finishAction(actionId, result);
    return result;
  }

  /** Enter for a batch that stands in the input box of its pane, where that can be read. */
  submit(receipts: readonly Receipt[], batch: readonly StoredMessage[], pane: PaneRecord) {
    const [first] = receipts;
    if (!first) throw new Error('a batch without a receipt');
    const text = promptText(batch, first.recipient, this.replyChannel(pane));
    const prompt = this.#parts.parties.byId(first.recipient)?.member?.prompt ?? null;
    const pastedForMs = this.#parts.nowMs() - (first.intentAtMs ?? 0);
    const typing = { needsQuiet: false, prompt, isPasted: true, pastedForMs };
    const { signal } = new AbortController();
    const call = { signal, commit: () => true };
    return this.#parts.type(pane, orderOf(pane, text, typing), call);
  }

  #beginAction(pane: PaneRecord, { batch, recipient }: HandOver): string {
    const { world, nowMs, actions } = this.#parts;
    const actionId = randomUUID();
    const senders = [...new Set(batch.map(({ sender }) => sender))];
    const [sender, ...others] = senders;
    actions.begin({
      ...{ actionId, requestRef: null, kind: 'message', paneId: pane.facts?.paneId ?? null },
      snapshot: takeSnapshot(world(), pane, {
        ...{ snapshotId: id<SnapshotId>(randomUUID()), nonce: randomUUID(), nowMs: nowMs() },
      }),
      actor: others.length === 0 && sender !== undefined ? sender : 'several',
      input: JSON.stringify({
        ...{ recipient, senders, message_ids: batch.map(({ messageId }) => messageId) },
      }),
    });
    return actionId;
  }

  #finishAction(actionId: string, result: ActionResult): void {
    const { actions, nowMs, log } = this.#parts;
    const code = result.result === 'refused' ? result.code : null;
    const outcome = { result: result.result, code, detail: result.detail, atMs: nowMs() };
    try {
      actions.finish(actionId, outcome);
    } catch (error) {
      log(error as Fault);
    }
  }
}

const orderOf = (pane: PaneRecord, text: string, message: MessageTyping): ActionOrder => ({
  kind: 'send',
  message,
  input: {
    ...{ ref: pane.paneKey, text, enter: true, paste: false, when: 'idle', force: false },
    ...{ except_caller: false, force_stale: false, dry_run: false },
    ...(pane.row.runtimeId === null ? {} : { if_runtime: pane.row.runtimeId }),
  },
});
