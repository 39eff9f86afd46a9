// What the watch of a server is made of: each part reads one thing and returns what it read. Only
// server-watch.ts hands it in.

import type { Registry } from '../../agents/registry.ts';
import type { Fault } from '../../platform/fault.ts';
import type { Config } from '../../schema/config.ts';
import { type ChannelName, id } from '../../schema/ids.ts';
import type { HostProcesses } from '../../tmux/host.ts';
import type { TmuxLink } from '../../tmux/link.ts';
import type { Daemon, KnownPane, ServerAddress } from '../known-pane.ts';
import { OscSource } from '../panes/osc-source.ts';
import { ScreenSource } from '../panes/screen-source.ts';
import { SeenPanes } from '../panes/seen-source.ts';
import { PresenceSource } from '../processes/presence-source.ts';
import { TapRequests } from '../taps/tap-requests.ts';
import { AgentReadings } from './agent-readings.ts';
import { ListingPace } from './listing-pace.ts';
import { Listings } from './listings.ts';
import { OscInbox } from './osc-inbox.ts';
import { PaneHints } from './pane-hints.ts';
import { ScreenCaptures } from './screen-captures.ts';
import { WatchedPanes } from './watched-panes.ts';

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
  /** The panes of this server whose terminals somebody views. */
  readonly viewedPaneIds: () => ReadonlySet<string>;
  /** A person has seen these panes. */
  readonly onSeen: (panes: readonly KnownPane[]) => void;
  /** People are attached to these sessions, and to no other. */
  readonly onAttached: (sessionIds: ReadonlySet<string>) => void;
}

/** What the watch has done, for metrics. */
export interface WatchCounts {
  readonly listings: number;
  readonly captures: number;
  readonly unreadRows: number;
  readonly osc: number;
}

export type WatchParts = ReturnType<typeof watchParts>;

export function watchParts(options: WatchOptions) {
  const { address, daemon, processes, registry, config, link } = options;
  const channel = id<ChannelName>(`tmux@${address.targetId}:${address.server}`);
  const tapChannel = id<ChannelName>(`tap@${address.targetId}:${address.server}`);
  const paneOf = (paneId: string): KnownPane | null => daemon.paneAt(address, paneId);
  const of = { address, daemon, registry };
  const panes = new WatchedPanes(address, processes, paneOf);
  const captures = new ScreenCaptures({ link, config, nowMs: daemon.nowMs });
  const screens = new ScreenSource(daemon, channel);
  const presence = new PresenceSource({
    ...of,
    channel,
    processes,
    config: () => config().process,
    screenOf: (paneId, panePid) => screens.viewOf(paneId, panePid),
  });
  return {
    channel,
    tapChannel,
    paneOf,
    panes,
    captures,
    schedule: captures.schedule,
    screens,
    presence,
    pace: new ListingPace(() => config().tmux),
    listings: new Listings({ panes, link, config, schedule: captures.schedule }),
    readings: new AgentReadings({ ...of, channel, presence, panes, screens }),
    osc: new OscInbox(new OscSource({ ...of, channel: tapChannel, presence })),
    hints: new PaneHints(),
    seen: new SeenPanes(),
    taps: new TapRequests(),
  };
}
