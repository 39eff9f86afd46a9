// What one kind of agent tells by itself on one machine, with nothing installed: the shape of each
// source of this folder. vendor-watch.ts makes one for each machine and agent that has one, tells
// it which agents live there, and ends it. Whatever goes wrong inside is a problem told, and never
// stops another.

import type { Adapter } from '../agents/adapter.ts';
import type { Config } from '../schema/config.ts';
import type { ChannelName } from '../schema/ids.ts';
import type { Daemon, KnownPane, KnownRuntime, ServerAddress } from '../sources/known-pane.ts';
import type { VendorFiles } from './files/agent-files.ts';

/** A living agent of the source's kind, with the process that it is. */
export interface Seat {
  readonly place: ServerAddress;
  readonly pane: KnownPane;
  readonly runtime: KnownRuntime & { readonly pid: number };
}

/** The machine where agents live. */
export interface VendorMachine {
  readonly files: VendorFiles;
  /** Whether a connection to a socket or a port of the machine may be made: only of this one. */
  readonly isLocal: boolean;
  /** What makes a time by the clock of that machine one by ours. */
  readonly clockShiftMs: () => number;
}

/** Whether a part that has failed may be started again; the daemon keeps the count. */
export interface StartGate {
  isOpen(): boolean;
  failed(problem: string): void;
}

export interface VendorContext extends VendorMachine {
  readonly daemon: Daemon;
  /** The agent's knowledge as it is now; null while the adapter is off. */
  readonly adapter: () => Adapter | null;
  /** One channel for each machine and source, as `claude-session-file@local`. */
  readonly channel: (source: string) => ChannelName;
  readonly config: () => Config;
  readonly gate: (part: string) => StartGate;
  readonly onProblem: (problem: string) => void;
}

export interface VendorSource extends Disposable {
  /** The agents that live now, called when that changes and now and then. Returns at once. */
  keep(seats: readonly Seat[]): void;
  /** Beats for its channels while they work. */
  beat(nowMs: number): void;
}

export type VendorSourceMaker = (context: VendorContext) => VendorSource;
