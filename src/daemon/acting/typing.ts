// Keys of people who watch an agent: each under the lock of its pane, checked against the agent
// that they are for, and counted in the audit trail. One row there stands for a while of typing by
// one viewer; it holds how much was typed and not what.

import { randomUUID } from 'node:crypto';
import { type ActionResult, refused } from '../../acting/action-result.ts';
import type { PaneLocks } from '../../acting/pane-locks.ts';
import { typeKeys } from '../../acting/type-keys.ts';
import { takeSnapshot } from '../../core/guard.ts';
import type { PaneRecord, World } from '../../core/world.ts';
import type { ActionsPort } from '../../operations/ports/ports.ts';
import { Fault } from '../../platform/fault.ts';
import { id, type SnapshotId } from '../../schema/ids.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import type { PaneFacts } from '../../schema/pane.ts';
import type { TypedPart } from '../../schema/web/typing.ts';
import type { ActionTable } from '../../store/tables/actions.ts';
import type { HostProcesses } from '../../tmux/host.ts';
import type { TmuxLink } from '../../tmux/link.ts';
import { isAgentAlive } from './agent-processes.ts';

const tooMany = { result: refused('E_ACTIONS_BUSY', 'too many actions wait for the pane') };
/** Keys after a longer rest are a row of their own. */
const REST_MS = 30_000;

export interface TypingParts {
  readonly nowMs: () => number;
  readonly world: () => World;
  readonly locks: PaneLocks;
  readonly actions: Pick<ActionTable, 'begin' | 'finish'>;
  readonly linkAt: (facts: PaneFacts) => Pick<TmuxLink, 'run'> | null;
  readonly processesAt: (facts: PaneFacts) => HostProcesses | null;
  readonly commandTimeoutMs: () => number;
  readonly log: (fault: Fault) => void;
}

const agentEnded = refused('E_RUNTIME_STALE', 'the agent has ended');

type Call = Parameters<ActionsPort['type']>[2];

/** What one viewer types into one agent. */
interface Typist {
  readonly actionId: string;
  byteCount: number;
  refusal: ActionResult | null;
  timer: NodeJS.Timeout | null;
}

export class Typing implements Disposable {
  readonly #parts: TypingParts;
  readonly #typists = new Map<string, Typist>();

  constructor(parts: TypingParts) {
    this.#parts = parts;
  }

  /** Types the keys; how many bytes, or why not all of them. Rejects with a Fault. */
  async type(pane: PaneRecord, parts: readonly TypedPart[], call: Call): Promise<Outcome<number>> {
    const typist = this.#typistOf(pane, call.actor);
    const before = typist.byteCount;
    if (typist.timer) clearTimeout(typist.timer);
    typist.timer = null;
    try {
      const { locks } = this.#parts;
      const work = async () => ({ result: await this.#type(pane, parts, { call, typist }) });
      const { result } = (await locks.run(pane.paneKey, call.signal, work)) ?? tooMany;
      if (result === null) return ok(typist.byteCount - before);
      typist.refusal = result;
      const code = result.result === 'refused' ? result.code : 'E_PRECONDITION_FAILED';
      return refuse(code, result.detail);
    } finally {
      this.#restAfter(keyOf(pane, call.actor), typist);
    }
  }

  /** Writes what was typed so far. */
  [Symbol.dispose](): void {
    for (const [key, typist] of this.#typists) this.#finish(key, typist);
  }

  async #type(
    { paneKey, row: { runtimeId } }: PaneRecord,
    parts: readonly TypedPart[],
    { call, typist }: { readonly call: Call; readonly typist: Typist },
  ): Promise<ActionResult | null> {
    const { world, linkAt, processesAt, commandTimeoutMs } = this.#parts;
    // It may have waited for a prompt: what is there now counts.
    const pane = world().panes.get(paneKey);
    const facts = pane?.facts;
    const link = facts && linkAt(facts);
    if (!facts || !link) return refused('E_REF_NOT_FOUND', 'the pane is not watched any more');
    if (pane.row.runtimeId !== runtimeId) return agentEnded;
    return typeKeys({
      ...{ link, parts, commandTimeoutMs: commandTimeoutMs() },
      guard: { paneId: facts.paneId, panePid: facts.birth.pid, command: facts.command },
      // Before each step: a shell of the same name as the agent's program looks the same to tmux.
      commit: () => {
        if (!isAgentAlive(world(), runtimeId, processesAt(facts))) return agentEnded;
        call.commit();
        return null;
      },
      onTyped: (byteCount) => {
        typist.byteCount += byteCount;
      },
    });
  }

  /** Begins a row of the trail with the first key. */
  #typistOf(pane: PaneRecord, actor: string): Typist {
    const key = keyOf(pane, actor);
    const known = this.#typists.get(key);
    if (known) return known;
    const { world, actions, nowMs } = this.#parts;
    const actionId = randomUUID();
    const snapshotId = id<SnapshotId>(randomUUID());
    actions.begin({
      ...{ actionId, requestRef: null, kind: 'type', actor, input: '{}' },
      paneId: pane.facts?.paneId ?? null,
      snapshot: takeSnapshot(world(), pane, { snapshotId, nonce: randomUUID(), nowMs: nowMs() }),
    });
    const typist: Typist = { actionId, byteCount: 0, refusal: null, timer: null };
    this.#typists.set(key, typist);
    return typist;
  }

  #restAfter(key: string, typist: Typist): void {
    if (this.#typists.get(key) !== typist || typist.timer) return;
    typist.timer = setTimeout(() => this.#finish(key, typist), REST_MS).unref();
  }

  #finish(key: string, { actionId, byteCount, refusal, timer }: Typist): void {
    if (timer) clearTimeout(timer);
    this.#typists.delete(key);
    const typed = `typed ${byteCount} bytes`;
    const detail = refusal === null ? typed : `${typed}; then ${refusal.detail}`;
    const isRefused = byteCount === 0 && refusal?.result === 'refused';
    const code = isRefused ? refusal.code : null;
    // Nobody reads the screen for what the keys did.
    const result = isRefused ? 'refused' : 'unconfirmed';
    try {
      this.#parts.actions.finish(actionId, { result, code, detail, atMs: this.#parts.nowMs() });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#parts.log(error);
    }
  }
}

const keyOf = ({ paneKey, row: { runtimeId } }: PaneRecord, actor: string): string =>
  `${actor}\n${paneKey}\n${runtimeId}`;
