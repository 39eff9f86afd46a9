// Looking at a pane and typing into it as it is, where a policy permits it. Both are rows of the
// audit trail, the refused ones too.

import { randomUUID } from 'node:crypto';
import { type ActionResult, refused } from '../../acting/action-result.ts';
import { takeSnapshot } from '../../core/guard.ts';
import type { PaneRecord, World } from '../../core/world.ts';
import { isoOf } from '../../operations/ports/iso-time.ts';
import type { MessageCaller, MessagesPort } from '../../operations/ports/messages-port.ts';
import type { ActionOrder, Cancellation, PanesPort } from '../../operations/ports/ports.ts';
import { type Capability, decide } from '../../relay/policy/decide.ts';
import type { ActionReport } from '../../schema/api/acting.ts';
import { id, type SnapshotId } from '../../schema/ids.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import type { ActionTable } from '../../store/tables/actions.ts';
import { stripSequences } from '../../text/ansi.ts';
import { type Parties, type Party, policyParty, type Requester } from './parties.ts';

export interface LookingParts {
  readonly nowMs: () => number;
  readonly world: () => World;
  readonly parties: Parties;
  readonly capture: PanesPort['capture'];
  readonly actions: Pick<ActionTable, 'begin' | 'finish'>;
  /** Whether the caller may answer what the agent in this pane asks. */
  readonly mayAnswer: (caller: MessageCaller, pane: PaneRecord) => boolean;
  /** Types under the guards and in the audit trail of all actions. */
  readonly perform: (
    pane: PaneRecord,
    order: ActionOrder,
    call: Cancellation & { readonly actor: string },
  ) => Promise<Outcome<ActionReport>>;
}

type Looked = { readonly requester: Requester; readonly party: Party; readonly pane: PaneRecord };

export class Looking {
  readonly #parts: LookingParts;

  constructor(parts: LookingParts) {
    this.#parts = parts;
  }

  async look(
    caller: MessageCaller,
    { ref, lines }: { readonly ref: string; readonly lines: number },
    { signal }: Pick<Cancellation, 'signal'>,
  ): ReturnType<MessagesPort['look']> {
    const found = this.#permitted(caller, ref, 'look');
    if (!found.ok) return found;
    const { requester, party, pane } = found.value;
    const screen = await this.#parts.capture(pane, signal, lines);
    if (screen === null || (pane.facts && screen.panePid !== pane.facts.birth.pid)) {
      return refuse('E_REF_NOT_FOUND', 'the pane is gone');
    }
    this.#audit(requester, pane, { result: 'delivered', detail: `looked at ${lines} lines` });
    return ok({
      party: this.#parts.parties.item(party),
      captured_at: isoOf(this.#parts.nowMs()),
      state: pane.row.state,
      lines: screen.ansi.trimEnd().split('\n').slice(-lines).map(stripSequences),
    });
  }

  async writeRaw(
    caller: MessageCaller,
    input: Parameters<MessagesPort['writeRaw']>[1],
    call: Cancellation,
  ): Promise<Outcome<ActionReport>> {
    const found = this.#permitted(caller, input.ref, 'raww');
    if (!found.ok) return found;
    const { requester, pane } = found.value;
    const { text, enter, request_ref } = input;
    const order: ActionOrder = {
      kind: 'send',
      // A key in a dialog is an answer.
      sparesDialogs: !this.#parts.mayAnswer(caller, pane),
      input: {
        ...{ ref: pane.paneKey, text, enter, paste: false, force: true },
        ...{ except_caller: false, force_stale: false, dry_run: false },
        ...(request_ref === undefined ? {} : { request_ref }),
      },
    };
    const { signal, commit } = call;
    const actor = requester.party.id;
    return this.#parts.perform(pane, order, { signal, commit, actor });
  }

  #permitted(caller: MessageCaller, ref: string, capability: Capability): Outcome<Looked> {
    const { parties } = this.#parts;
    const found = parties.requester(caller);
    if (!found.ok) return found;
    const requester = found.value;
    const named = parties.resolve(ref, { bundle: parties.homeOf(requester) });
    if (!named.ok) return named;
    const party = named.value;
    const { pane } = party;
    if (pane === null) return refuse('E_REF_NOT_FOUND', `${party.id} has no pane`);
    const allowed = decide({
      ...{ capability, requester: policyParty(requester.party), policy: requester.policy },
      subject: policyParty(party),
    });
    if (allowed.ok) return ok({ requester, party, pane });
    this.#audit(requester, pane, refused('E_POLICY', allowed.refusal.message), capability);
    return allowed;
  }

  #audit(
    { party }: Requester,
    pane: PaneRecord,
    result: ActionResult,
    capability: Capability = 'look',
  ): void {
    const { actions, nowMs, world } = this.#parts;
    const actionId = randomUUID();
    const snapshotId = id<SnapshotId>(randomUUID());
    actions.begin({
      ...{ actionId, requestRef: null, paneId: pane.facts?.paneId ?? null, actor: party.id },
      kind: capability === 'raww' ? 'send' : 'look',
      snapshot: takeSnapshot(world(), pane, { snapshotId, nonce: randomUUID(), nowMs: nowMs() }),
      input: '{}',
    });
    const code = result.result === 'refused' ? result.code : null;
    actions.finish(actionId, {
      ...{ result: result.result, code, detail: result.detail, atMs: nowMs() },
    });
  }
}
