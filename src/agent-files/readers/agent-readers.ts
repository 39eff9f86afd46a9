// One reader for each live agent of a source: made when the agent appears, updated while it lives,
// and disposed of when it is gone.

import type { RuntimeId } from '../../schema/ids.ts';
import type { AgentFilesContext, AgentFilesSource, LiveAgent } from './agent-files-source.ts';
import { reconcile } from './reconcile.ts';

export interface AgentReader extends Disposable {
  /** The current facts about the agent. Called when they may have changed, and each second. */
  update(agent: LiveAgent): void;
  /** Reads what has changed. Called each second. */
  look(): void;
}

export class AgentReaders<Reader extends AgentReader> implements Disposable {
  readonly #make: (agent: LiveAgent) => Reader;
  readonly #readers = new Map<RuntimeId, Reader>();

  constructor(make: (agent: LiveAgent) => Reader) {
    this.#make = make;
  }

  keep(agents: readonly LiveAgent[]): void {
    const living = new Map(agents.map((agent) => [agent.runtime.runtimeId, agent]));
    reconcile(this.#readers, living, this.#make);
    for (const [runtimeId, agent] of living) this.#readers.get(runtimeId)?.update(agent);
  }

  readers(): readonly Reader[] {
    return [...this.#readers.values()];
  }

  [Symbol.dispose](): void {
    this.keep([]);
  }
}

/** A source that consists of its readers: each beat is a heartbeat of its channels. */
export function readerSource(
  { daemon, channel }: AgentFilesContext,
  sources: readonly string[],
  make: (agent: LiveAgent) => AgentReader,
): AgentFilesSource {
  const agents = new AgentReaders(make);
  return {
    keep: (living) => agents.keep(living),
    beat: (atMs) => {
      const channels = sources.map(channel);
      if (channels.length > 0)
        daemon.submit(channels.map((each) => ({ kind: 'heartbeat', channel: each, atMs })));
      for (const reader of agents.readers()) reader.look();
    },
    [Symbol.dispose]: () => agents[Symbol.dispose](),
  };
}
