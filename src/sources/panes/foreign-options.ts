// The pane options that other tools set for an agent, as its rule file declares them. Only panes of
// such an agent are read, their own value and no inherited one. A value that was there
// before the agent came is no claim until it changes.

import type { ForeignOption, NormalisedSignal } from '../../agents/adapter.ts';
import type { Evidence } from '../../schema/evidence.ts';
import type { ChannelName, RuntimeId } from '../../schema/ids.ts';
import type { TmuxLink } from '../../tmux/link.ts';
import { normalise, paneEvidence, sourceOf } from '../evidence.ts';
import type { Daemon } from '../known-pane.ts';
import { ownText } from '../own-text.ts';
import type { PaneAgent } from '../pane-agent.ts';

/** Options that are read with one listing; the rest with the next. */
const REQUESTS_MAX = 64;
/** An unchanged option is reported again so often. */
const REREAD_MS = 5_000;
/** Longer than any state; a truncated value is ignored. */
const VALUE_LENGTH_MAX = 256;

interface Request {
  readonly paneId: string;
  readonly agent: PaneAgent;
  readonly option: ForeignOption;
}

interface Memory {
  readonly value: string;
  readonly changedAtMs: number;
  /** It has changed since the agent started. */
  readonly counts: boolean;
  reportedAtMs: number;
}

export class ForeignOptions {
  readonly #daemon: Daemon;
  readonly #channel: ChannelName;
  readonly #memory = new Map<RuntimeId, Map<string, Memory>>();
  #next = 0;

  constructor(daemon: Daemon, channel: ChannelName) {
    this.#daemon = daemon;
    this.#channel = channel;
  }

  /** Asks tmux for the declared options of these agents; of none where none is declared. */
  async ask(
    link: Pick<TmuxLink, 'run'>,
    agents: Iterable<readonly [string, PaneAgent]>,
    deadlineMs: number,
  ): Promise<void> {
    const all: Request[] = [];
    for (const [paneId, agent] of agents) {
      for (const option of agent.adapter.options) all.push({ paneId, agent, option });
    }
    let left = this.#turn(all);
    while (left.length > 0) {
      const replies = await link.run(left.map(commandOf), { deadlineMs });
      if (replies.length === 0) return;
      for (const [index, reply] of replies.entries()) {
        const request = left[index];
        if (request && reply.ok) this.#note(request, reply.lines.join('\n'));
      }
      // An error ends the line: its pane has just been closed, and those after it are left.
      left = left.slice(replies.length);
    }
  }

  /** The next of them, so that each has its turn. */
  #turn(all: readonly Request[]): readonly Request[] {
    if (all.length <= REQUESTS_MAX) return all;
    const start = this.#next % all.length;
    this.#next = start + REQUESTS_MAX;
    return [...all.slice(start), ...all.slice(0, start)].slice(0, REQUESTS_MAX);
  }

  #note({ agent: { runtime }, option }: Request, text: string): void {
    const { runtimeId } = runtime;
    const values = this.#memory.get(runtimeId) ?? new Map<string, Memory>();
    this.#memory.set(runtimeId, values);
    const before = values.get(option.name);
    const value = ownText(text.slice(0, VALUE_LENGTH_MAX));
    if (before?.value === value) return;
    const changedAtMs = this.#daemon.nowMs();
    const counts = before !== undefined;
    values.set(option.name, { value, changedAtMs, counts, reportedAtMs: -REREAD_MS });
  }

  /** The evidence of an agent's options that is due now. */
  read({ runtime, adapter }: PaneAgent): readonly Evidence[] {
    const values = this.#memory.get(runtime.runtimeId);
    if (values === undefined) return [];
    const nowMs = this.#daemon.nowMs();
    return adapter.options.flatMap(({ name, source }) => {
      const memory = values.get(name);
      const spec = sourceOf(adapter, source);
      if (!memory?.counts || spec === null || nowMs - memory.reportedAtMs < REREAD_MS) return [];
      memory.reportedAtMs = nowMs;
      const signal = normalise(adapter, spec, memory.value, { nowMs });
      const evidence = paneEvidence(signal?.kind === 'claims' ? signal : noClaims, this.#daemon, {
        channel: this.#channel,
        spec,
        runtimeId: runtime.runtimeId,
        nowMs,
        atMs: memory.changedAtMs,
      });
      return [evidence];
    });
  }

  /** Forgets every runtime that is not among the living. */
  keep(living: ReadonlySet<RuntimeId>): void {
    for (const runtimeId of this.#memory.keys()) {
      if (!living.has(runtimeId)) this.#memory.delete(runtimeId);
    }
  }
}

// -v prints the value alone, and without -A it is the pane's own.
const commandOf = ({ paneId, option }: Request): string[] => [
  ...['show-options', '-pqv', '-t', paneId],
  option.name,
];

/** An unknown value withdraws the last claim. */
const noClaims: NormalisedSignal = { kind: 'claims', type: 'option:other', claims: [] };
