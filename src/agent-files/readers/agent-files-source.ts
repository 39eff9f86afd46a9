// The shape of a source: it reads what one kind of agent writes on one machine, with nothing
// installed. agent-files-watch.ts makes one for each machine and agent that has one, passes it the
// agents that live there, and disposes of it. An error inside one source never stops another.

import type { Adapter } from '../../agents/adapter.ts';
import type { Config } from '../../schema/config.ts';
import type { ChannelName } from '../../schema/ids.ts';
import type { Daemon, KnownPane, KnownRuntime, ServerAddress } from '../../sources/known-pane.ts';
import type { AnnounceTranscript } from '../conversations/transcript.ts';
import type { MachineFiles } from '../files/machine-files.ts';

/** A living agent of the source's kind, with the process that it is. */
export interface LiveAgent {
  readonly address: ServerAddress;
  readonly pane: KnownPane;
  readonly runtime: KnownRuntime & { readonly pid: number };
}

/** The machine where agents live. */
export interface AgentMachine {
  readonly files: MachineFiles;
  /** Whether a connection to a socket or a port of the machine may be made: only of this one. */
  readonly isLocal: boolean;
  /** Turns a time of the clock of that machine into one of the daemon's. */
  readonly toDaemonMs: (hostMs: number) => number;
}

/** Whether a part that has failed may be started again; the daemon keeps the count. */
export interface StartGate {
  isOpen(): boolean;
  failed(problem: string): void;
}

export interface AgentFilesContext extends AgentMachine {
  readonly daemon: Daemon;
  /** The agent's knowledge as it is now; null while the adapter is off. */
  readonly adapter: () => Adapter | null;
  /** One channel for each machine and source, as `claude-session-file@local`. */
  readonly channel: (source: string) => ChannelName;
  readonly config: () => Config;
  readonly gate: (part: string) => StartGate;
  readonly onProblem: (problem: string) => void;
  /** Says which conversation an agent has now. */
  readonly announce: AnnounceTranscript;
}

export interface AgentFilesSource extends Disposable {
  /** The agents that live now, called when that changes and now and then. Returns at once. */
  keep(agents: readonly LiveAgent[]): void;
  /** Beats for its channels while they work. */
  beat(nowMs: number): void;
}

export type AgentFilesSourceMaker = (context: AgentFilesContext) => AgentFilesSource;
