// Watches what agents write themselves on one machine. The daemon says which agents live there;
// each kind has its source, which is loaded when the first agent of that kind appears.

import { adapterOf, type Registry } from '../agents/registry.ts';
import { Fault } from '../platform/fault.ts';
import type { Config } from '../schema/config.ts';
import { type ChannelName, id, type TargetId } from '../schema/ids.ts';
import type { Daemon, ServerAddress } from '../sources/known-pane.ts';
import { sourceMakers } from './agent-files-table.ts';
import type { AnnounceTranscript } from './conversations/transcript.ts';
import type {
  AgentFilesContext,
  AgentFilesSource,
  AgentMachine,
  LiveAgent,
  StartGate,
} from './readers/agent-files-source.ts';

/** A problem is reported once; after this many different ones all may be reported again. */
const REPORTED_PROBLEMS_MAX = 100;

export interface AgentFilesWatchOptions extends AgentMachine {
  readonly targetId: TargetId;
  readonly daemon: Daemon;
  readonly registry: () => Registry;
  readonly config: () => Config;
  readonly gate: (part: string) => StartGate;
  /** The tmux servers of the machine that are watched. */
  readonly servers: () => readonly ServerAddress[];
  readonly onProblem: (problem: string) => void;
  readonly announce: AnnounceTranscript;
}

export class AgentFilesWatch implements Disposable {
  readonly #options: AgentFilesWatchOptions;
  /** By kind of agent; null while its code is being loaded, or when that failed. */
  readonly #sources = new Map<string, AgentFilesSource | null>();
  readonly #reportedProblems = new Set<string>();
  #isEnded = false;
  /** The defect in the engine; after it nothing more is submitted. */
  #defect: unknown = null;

  constructor(options: AgentFilesWatchOptions) {
    this.#options = options;
  }

  /** Passes the live agents to the sources: soon after they may have changed, and each second. */
  look(): void {
    if (this.#isEnded) return;
    const agents = this.#liveAgents();
    for (const agent of agents.keys()) if (!this.#sources.has(agent)) void this.#load(agent);
    this.#each((source, agent) => source.keep(agents.get(agent) ?? []));
  }

  /** Looks, and lets every source that works send its heartbeats. */
  beat(nowMs: number): void {
    this.look();
    this.#each((source) => source.beat(nowMs));
  }

  [Symbol.dispose](): void {
    this.#isEnded = true;
    for (const source of this.#sources.values()) source?.[Symbol.dispose]();
    this.#sources.clear();
  }

  /** An error in one source is reported and stops no other. */
  #each(work: (source: AgentFilesSource, agent: string) => void): void {
    for (const [agent, source] of this.#sources) {
      if (source === null) continue;
      try {
        work(source, agent);
      } catch (error) {
        this.#problem(`${agent}: ${String(error)}`);
      }
    }
  }

  /** The agents with a process, of the kinds that have a source and are switched on. */
  #liveAgents(): ReadonlyMap<string, readonly LiveAgent[]> {
    const { daemon, servers } = this.#options;
    const agents = new Map<string, LiveAgent[]>();
    for (const server of servers()) {
      for (const pane of daemon.panesOf(server)) {
        const { runtime } = pane;
        if (runtime === null || runtime.pid === null) continue;
        const { agent, pid } = runtime;
        if (!Object.hasOwn(sourceMakers, agent) || this.#adapterOf(agent) === null) continue;
        const live: LiveAgent = { address: server, pane, runtime: { ...runtime, pid } };
        const group = agents.get(agent);
        if (group) group.push(live);
        else agents.set(agent, [live]);
      }
    }
    return agents;
  }

  async #load(agent: string): Promise<void> {
    this.#sources.set(agent, null);
    try {
      const make = await sourceMakers[agent]?.();
      if (this.#isEnded || !make) return;
      this.#sources.set(agent, make(this.#contextOf(agent)));
      this.look();
    } catch (error) {
      this.#problem(`${agent}: ${String(error)}`);
    }
  }

  #contextOf(agent: string): AgentFilesContext {
    const { targetId, files, isLocal, toDaemonMs, config, gate, announce } = this.#options;
    return {
      files,
      isLocal,
      toDaemonMs,
      config,
      gate,
      announce,
      daemon: this.#daemon(),
      adapter: () => this.#adapterOf(agent),
      channel: (source) => id<ChannelName>(`${source}@${targetId}`),
      onProblem: (problem) => this.#problem(`${agent}: ${problem}`),
    };
  }

  #adapterOf(agent: string) {
    const adapter = adapterOf(this.#options.registry(), agent);
    return adapter?.health.status === 'ok' ? adapter : null;
  }

  /** Errors of foreign files are caught by the source; a defect in the engine ends the daemon. */
  #daemon(): Daemon {
    const { daemon } = this.#options;
    return {
      ...daemon,
      submit: (observations) => {
        // The evidence that caused it stays the named one until the process ends.
        if (this.#defect !== null) throw this.#defect;
        try {
          daemon.submit(observations);
        } catch (error) {
          if (!(error instanceof Fault)) {
            this.#defect = error;
            queueMicrotask(() => {
              throw error;
            });
          }
          throw error;
        }
      },
    };
  }

  #problem(problem: string): void {
    if (this.#reportedProblems.has(problem)) return;
    if (this.#reportedProblems.size >= REPORTED_PROBLEMS_MAX) this.#reportedProblems.clear();
    this.#reportedProblems.add(problem);
    this.#options.onProblem(problem);
  }
}
