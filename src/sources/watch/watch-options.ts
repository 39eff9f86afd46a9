// What the watch of a server is given, and what it counts.

import type { Registry } from '../../agents/registry.ts';
import type { Fault } from '../../platform/fault.ts';
import type { Config } from '../../schema/config.ts';
import type { HostProcesses } from '../../tmux/host.ts';
import type { TmuxLink } from '../../tmux/link.ts';
import type { Daemon, KnownPane, ServerAddress } from '../known-pane.ts';

export interface WatchOptions {
  readonly address: ServerAddress;
  readonly link: TmuxLink;
  readonly daemon: Daemon;
  readonly processes: HostProcesses;
  readonly registry: () => Registry;
  readonly config: () => Config;
  /** Opens taps on these sessions of this server and closes its others. */
  readonly tap: (sessionIds: readonly string[]) => void;
  readonly isTapAllowed: () => boolean;
  readonly onFault: (fault: Fault) => void;
  /** A person has looked at these panes. */
  readonly onSeen: (panes: readonly KnownPane[]) => void;
}

/** What the watch has done, for metrics. */
export interface WatchCounts {
  readonly listings: number;
  readonly captures: number;
  readonly unreadRows: number;
  readonly osc: number;
}
