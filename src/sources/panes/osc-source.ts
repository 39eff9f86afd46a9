// OSC 3008 and 7501 in a pane's output as evidence. In a pane without an agent, one with a state
// makes the program in the foreground an agent; in an opaque pane, the program behind it.

import type { Adapter, NormalisedSignal, SourceSpec } from '../../agents/adapter.ts';
import { adapterOf, type Registry } from '../../agents/registry.ts';
import type { Observation } from '../../core/ingest.ts';
import type { ChannelName, RuntimeId } from '../../schema/ids.ts';
import type { TappedOsc } from '../../tmux/taps/osc-scanner.ts';
import { normalise, paneEvidence, sourceOf } from '../evidence.ts';
import type { Daemon, KnownPane, ServerAddress } from '../known-pane.ts';
import { isOfOtherAgent, isSelfDeclared } from '../pane-agent.ts';
import type { PresenceSource } from '../processes/presence-source.ts';
import { endOfSpeaker, startOfSpeaker } from '../processes/self-declared.ts';

export interface OscOptions {
  readonly address: ServerAddress;
  readonly daemon: Daemon;
  readonly channel: ChannelName;
  readonly registry: () => Registry;
  readonly presence: PresenceSource;
}

export class OscSource {
  readonly #options: OscOptions;

  constructor(options: OscOptions) {
    this.#options = options;
  }

  /** The evidence of an OSC for the agent of its pane; may be empty. */
  read(osc: TappedOsc, atMs: number): readonly Observation[] {
    const { daemon, address, channel } = this.#options;
    const pane = daemon.paneAt(address, osc.paneId);
    if (!pane) return [];
    const adapter = this.#adapter(pane.runtime?.agent ?? null);
    const read = adapter && this.#normalise(osc, adapter, pane);
    if (!read) return [];
    const { signal, spec } = read;
    const { runtime } = pane;
    const nowMs = daemon.nowMs();
    const evidenceOf = (runtimeId: RuntimeId): Observation => {
      const reading = { channel, spec, runtimeId, nowMs, atMs };
      return { kind: 'evidence', evidence: paneEvidence(signal, daemon, reading) };
    };
    const isOther =
      runtime !== null && isOfOtherAgent(signal.bind?.agent, runtime, this.#options.registry());
    // A name that is not the agent's: behind ssh another one may have come, else it is a mistake.
    if (isOther && (runtime.pid !== null || signal.ended)) return [];
    if (signal.ended && runtime && (runtime.pid === null || isSelfDeclared(runtime))) {
      return [endOfSpeaker(runtime.runtimeId, nowMs)];
    }
    if (runtime !== null && !isOther) return [evidenceOf(runtime.runtimeId)];
    const how = { basis: 'osc', nowMs } as const;
    const start = startOfSpeaker(pane, signal, this.#options.presence, how);
    if (start === null) return [];
    return [start.observation, evidenceOf(start.runtimeId)];
  }

  /** An agent without an adapter of its own has the generic one. */
  #adapter(agent: string | null): Adapter | null {
    const registry = this.#options.registry();
    const own = agent === null ? undefined : adapterOf(registry, agent);
    const adapter = own ?? adapterOf(registry, 'generic');
    return adapter?.health.status === 'ok' ? adapter : null;
  }

  #normalise(
    osc: TappedOsc,
    adapter: Adapter,
    pane: KnownPane,
  ): { signal: NormalisedSignal; spec: SourceSpec } | null {
    const spec = sourceOf(adapter, `osc-${osc.number}`);
    if (spec === null) return null;
    const nowMs = this.#options.daemon.nowMs();
    const sessionKey = pane.runtime?.sessionKey ?? undefined;
    const signal = normalise(adapter, spec, osc.text, { nowMs, sessionKey });
    return signal?.kind === 'claims' ? { signal, spec } : null;
  }
}
