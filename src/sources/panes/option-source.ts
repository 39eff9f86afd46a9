// The pane options `@agent_state` and its companions as evidence. Where `@agent_event` names an
// event of our emitter, the option is only its wake-up and the event itself comes by the spool; a
// value that stood there before the agent came is no claim until it changes.

import type { Adapter, NormalisedSignal } from '../../agents/adapter.ts';
import type { Registry } from '../../agents/registry.ts';
import type { Evidence } from '../../schema/evidence.ts';
import type { ChannelName, RuntimeId } from '../../schema/ids.ts';
import { normalise, paneEvidence, sourceOf } from '../evidence.ts';
import type { Daemon, KnownRuntime } from '../known-pane.ts';
import { isOfOtherAgent, type PaneAgent } from '../pane-agent.ts';

/** An unchanged option is read again so often. */
const REREAD_MS = 5_000;

/** The options of one pane; absent ones are empty. */
export interface PaneOptions {
  readonly state: string;
  readonly kind: string;
  readonly name: string;
  readonly event: string;
}

interface OptionMemory {
  readonly options: PaneOptions;
  readonly changedAtMs: number;
  /** no: not a claim about this runtime. withdrawn: it was one until an event replaced it. */
  readonly counts: 'yes' | 'no' | 'withdrawn';
  reportedAtMs: number;
}

export class OptionSource {
  readonly #memory = new Map<RuntimeId, OptionMemory>();
  /** What each pane showed at the last reading, with an agent or without. */
  readonly #shown = new Map<string, PaneOptions>();
  readonly #daemon: Daemon;
  readonly #channel: ChannelName;
  readonly #registry: () => Registry;

  constructor(daemon: Daemon, channel: ChannelName, registry: () => Registry) {
    this.#daemon = daemon;
    this.#channel = channel;
    this.#registry = registry;
  }

  /** The evidence of a pane's options, or null when there is nothing to report now. */
  read(paneId: string, { runtime, adapter }: PaneAgent, options: PaneOptions): Evidence | null {
    const before = this.#shown.get(paneId);
    this.#shown.set(paneId, options);
    const spec = sourceOf(adapter, 'pane-option');
    if (spec === null) return null;
    const nowMs = this.#daemon.nowMs();
    const memory = this.#remember(runtime, before, options);
    if (memory.counts === 'no' || nowMs - memory.reportedAtMs < REREAD_MS) return null;
    const { state, kind, name } = memory.counts === 'yes' ? options : noOptions;
    const signal = normalise(adapter, spec, { state, kind, name }, { nowMs });
    // An unknown value withdraws the last claim.
    const isClaim =
      signal?.kind === 'claims' && !isOfOtherAgent(signal.bind?.agent, runtime, this.#registry());
    memory.reportedAtMs = nowMs;
    return paneEvidence(isClaim ? signal : noClaims, this.#daemon, {
      channel: this.#channel,
      spec,
      runtimeId: runtime.runtimeId,
      nowMs,
      atMs: memory.changedAtMs,
    });
  }

  /** The signal of an option in a pane without an agent, if its value has changed. */
  unclaimed(paneId: string, adapter: Adapter, options: PaneOptions): NormalisedSignal | null {
    const before = this.#shown.get(paneId);
    const spec = sourceOf(adapter, 'pane-option');
    const isOurEvent = options.event !== '' && options.event !== before?.event;
    const isNews = before !== undefined && !sameOptions(before, options) && options.state !== '';
    if (spec === null || !isNews || isOurEvent) return null;
    const { state, kind, name } = options;
    const signal = normalise(adapter, spec, { state, kind, name }, { nowMs: this.#daemon.nowMs() });
    return signal?.kind === 'claims' && signal.claims.length > 0 ? signal : null;
  }

  /** Marks the options of a pane without an agent as handled. */
  note(paneId: string, options: PaneOptions): void {
    this.#shown.set(paneId, options);
  }

  /** Forgets every pane that is not listed. */
  keepPanes(listed: ReadonlySet<string>): void {
    for (const paneId of this.#shown.keys()) {
      if (!listed.has(paneId)) this.#shown.delete(paneId);
    }
  }

  /** The value belongs to the runtime that it made: it counts from its first reading on. */
  claim(runtimeId: RuntimeId): void {
    const changedAtMs = this.#daemon.nowMs();
    this.#memory.set(runtimeId, { options: noOptions, changedAtMs, counts: 'no', reportedAtMs: 0 });
  }

  /** Forgets every runtime that is not among the living. */
  keep(living: ReadonlySet<RuntimeId>): void {
    for (const runtimeId of this.#memory.keys()) {
      if (!living.has(runtimeId)) this.#memory.delete(runtimeId);
    }
  }

  /** `before` is what the pane showed at the last reading, when the runtime was not there yet. */
  #remember(
    { runtimeId, hasOptionClaim }: KnownRuntime,
    before: PaneOptions | undefined,
    options: PaneOptions,
  ): OptionMemory {
    const nowMs = this.#daemon.nowMs();
    // After a restart the option goes on to claim what it claimed, unless an event has replaced it.
    const isClaimed = hasOptionClaim === true && options.event === '';
    const memory = this.#memory.get(runtimeId) ?? firstMemory(isClaimed ? noOptions : before);
    if (memory && sameOptions(memory.options, options)) return memory;
    const isOurEvent = options.event !== '' && options.event !== memory?.options.event;
    const wasClaimed = memory !== undefined && memory.counts !== 'no';
    const otherwise = wasClaimed ? 'withdrawn' : 'no';
    const counts = memory !== undefined && !isOurEvent ? 'yes' : otherwise;
    const next: OptionMemory = { options, changedAtMs: nowMs, counts, reportedAtMs: -REREAD_MS };
    this.#memory.set(runtimeId, next);
    return next;
  }
}

function firstMemory(options: PaneOptions | undefined): OptionMemory | undefined {
  return options && { options, changedAtMs: 0, counts: 'no', reportedAtMs: 0 };
}

const noClaims: NormalisedSignal = { kind: 'claims', type: 'option:unset', claims: [] };

const noOptions: PaneOptions = { state: '', kind: '', name: '', event: '' };

const sameOptions = (a: PaneOptions, b: PaneOptions): boolean =>
  a.state === b.state && a.kind === b.kind && a.name === b.name && a.event === b.event;
