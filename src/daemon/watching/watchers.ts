// Every tmux server that is watched, on this machine and on others: its link, its waiting client
// and its watch, and the taps of all of them.

import type { Registry } from '../../agents/registry.ts';
import { steadyMs } from '../../platform/clock.ts';
import type { Fault } from '../../platform/fault.ts';
import type { DaemonInfo } from '../../schema/api/health.ts';
import type { Config } from '../../schema/config.ts';
import type { TargetId } from '../../schema/ids.ts';
import type { PaneFacts } from '../../schema/pane.ts';
import type { Daemon, KnownPane, ServerAddress } from '../../sources/known-pane.ts';
import { ServerWatch } from '../../sources/watch/server-watch.ts';
import type { WatchCounts } from '../../sources/watch/watch-parts.ts';
import { type CapturedScreen, captureCommands, readCapture } from '../../tmux/capture.ts';
import type { Host, HostProcesses } from '../../tmux/host.ts';
import { type LinkStatus, TmuxLink } from '../../tmux/link.ts';
import type { SnapshotRequest, ViewedPane, ViewItem } from '../../tmux/views/tap-views.ts';
import { WakeClient } from '../../tmux/wake.ts';
import { OpenTaps } from './open-taps.ts';

export interface WatchersOptions {
  readonly daemon: Daemon;
  readonly registry: () => Registry;
  readonly config: () => Config;
  readonly isTapAllowed: () => boolean;
  readonly onFault: (fault: Fault) => void;
  /** The worker that reads the taps broke. */
  readonly onProblem: (error: Error) => void;
  readonly onStatus: (address: ServerAddress, status: LinkStatus) => void;
  readonly onSeen: (panes: readonly KnownPane[]) => void;
}

/** A server to watch, and what it runs on. */
export interface WatchedServer {
  readonly address: ServerAddress;
  readonly host: Host;
  readonly processes: HostProcesses;
  /** An emitter has woken the waiting client of this server. */
  readonly onWake: () => void;
}

export interface ServerCounts extends WatchCounts {
  readonly server: string;
  /** What tmux sent and we do not know: a newer tmux, or our bug. */
  readonly unrecognisedLines: number;
}

interface Watched extends WatchedServer {
  /** The sessions that people are attached to. */
  attachedIds: ReadonlySet<string>;
  /** The panes whose terminals somebody views. */
  viewedPaneIds: ReadonlySet<string>;
  readonly link: TmuxLink;
  readonly wake: WakeClient;
  readonly watch: ServerWatch;
}

const none: ReadonlySet<string> = new Set();

const keyOf = ({ targetId, server }: ServerAddress): string => `${targetId} ${server}`;

export class Watchers implements AsyncDisposable {
  readonly #options: WatchersOptions;
  readonly #servers = new Map<string, Watched>();
  readonly #taps: OpenTaps;
  readonly #attachedListeners = new Set<(address: ServerAddress) => void>();

  constructor(options: WatchersOptions) {
    this.#options = options;
    this.#taps = new OpenTaps(options.onProblem);
  }

  /** Begins to watch a server, whether it is there yet or not. */
  add(server: WatchedServer): void {
    const { address, host, processes } = server;
    const { onSeen, onStatus, ...rest } = this.#options;
    const key = keyOf(address);
    const link = new TmuxLink({
      host,
      socketPath: address.server,
      attach: rest.config().tmux.attach,
      onLost: () => {
        // Without the link a tap could freeze the programs in its panes: it is closed first.
        const gone = this.#taps.set(key, []);
        watch.tapsClosed();
        return gone;
      },
      onStatus: (status) => {
        // Signals during the closing are about a server that is no longer watched.
        if (this.#servers.get(key)?.link !== link) return;
        if (status.state === 'connected' || status.state === 'degraded') watch.ask();
        if (status.state === 'absent') watch.serverGone();
        if (!status.isSettling) onStatus(address, status);
      },
    });
    const tap = (sessionIds: readonly string[]): void => void this.#taps.set(key, sessionIds);
    const onAttached = (attachedIds: ReadonlySet<string>): void => {
      const watched = this.#servers.get(key);
      if (watched?.link !== link) return;
      watched.attachedIds = attachedIds;
      for (const listener of this.#attachedListeners) listener(address);
    };
    const viewedPaneIds = () => this.#servers.get(key)?.viewedPaneIds ?? none;
    const own = { address, link, processes, tap, onSeen, onAttached, viewedPaneIds };
    const watch = new ServerWatch({ ...rest, ...own });
    const onWake = () => {
      server.onWake();
      watch.ask();
    };
    const wake = new WakeClient({ link, onWake });
    const onReport = (report: Parameters<ServerWatch['tapped']>[0]): void =>
      watch.tapped(report, steadyMs());
    this.#taps.add({ key, host, socketPath: address.server, onReport });
    this.#servers.set(key, {
      ...{ ...server, link, wake, watch },
      ...{ attachedIds: none, viewedPaneIds: none },
    });
    link.start();
    wake.start();
    void listen(link, watch);
  }

  /** Its host is back: a server of it is tried at once. */
  retry(address: ServerAddress): void {
    this.#servers.get(keyOf(address))?.link.connectNow();
  }

  /** No longer watches the servers of a target. Resolves when no process is left of it. */
  async removeTarget(targetId: TargetId): Promise<void> {
    const ofTarget = [...this.#servers.values()].filter(
      ({ address }) => address.targetId === targetId,
    );
    await Promise.all(ofTarget.map((watched) => this.#close(watched)));
  }

  /** No longer watches one server: its panes are not listed any more. */
  async remove(address: ServerAddress): Promise<void> {
    const watched = this.#servers.get(keyOf(address));
    watched?.watch.serverGone();
    if (watched) await this.#close(watched);
  }

  async #close({ address, watch, wake, link }: Watched): Promise<void> {
    const key = keyOf(address);
    this.#servers.delete(key);
    watch[Symbol.dispose]();
    this.#taps.remove(key);
    await Promise.all([wake[Symbol.asyncDispose](), link[Symbol.asyncDispose]()]);
  }

  at(address: ServerAddress): ServerWatch | null {
    return this.#servers.get(keyOf(address))?.watch ?? null;
  }

  processesAt(address: ServerAddress): HostProcesses | null {
    return this.#servers.get(keyOf(address))?.processes ?? null;
  }

  /** Whether a person is attached to a session that shows the pane. */
  isAttached(pane: PaneFacts): boolean {
    const attachedIds = this.#servers.get(keyOf(pane))?.attachedIds;
    return pane.locations.some(({ sessionId }) => attachedIds?.has(sessionId) ?? false);
  }

  /** Calls it when people have attached to sessions of a server, or have left. */
  onAttached(listener: (address: ServerAddress) => void): void {
    this.#attachedListeners.add(listener);
  }

  /** The name of a server in what taps say. */
  keyOf(address: ServerAddress): string {
    return keyOf(address);
  }

  /** The session whose tap reads the pane now; null where none does. */
  openTapOf(pane: PaneFacts): string | null {
    const sessionIds = pane.locations.map(({ sessionId }) => sessionId);
    return this.#taps.openAmong(keyOf(pane), sessionIds);
  }

  /** Calls it when a tap has opened or closed. */
  onTaps(listener: () => void): void {
    this.#taps.onTaps = listener;
  }

  /** Calls it with what viewed panes print. */
  onViewItems(listener: (items: readonly ViewItem[]) => void): void {
    this.#taps.onViewItems = listener;
  }

  /** The configuration may have changed: every server is listed, and tapped, by the new one now. */
  askAll(): void {
    for (const { watch } of this.#servers.values()) watch.ask();
  }

  /** These panes are viewed: what is not tapped for its agent is tapped for them, where it can. */
  wantTaps(viewed: readonly (ServerAddress & { readonly paneId: string })[]): void {
    const byServer = Map.groupBy(viewed, keyOf);
    for (const [key, server] of this.#servers) {
      const paneIds = new Set((byServer.get(key) ?? []).map(({ paneId }) => paneId));
      const before = server.viewedPaneIds;
      const isSame = before.size === paneIds.size && [...before].every((each) => paneIds.has(each));
      server.viewedPaneIds = paneIds;
      if (!isSame) server.watch.ask();
    }
  }

  /** Which panes are viewed through taps that are open. */
  view(viewed: readonly ViewedPane[]): void {
    this.#taps.view(viewed);
  }

  askSnapshot(request: SnapshotRequest): void {
    this.#taps.askSnapshot(request);
  }

  linkAt(address: ServerAddress): TmuxLink | null {
    return this.#servers.get(keyOf(address))?.link ?? null;
  }

  /** One capture of the screen of a pane, for a person; null when it is gone. */
  async capture(
    address: ServerAddress,
    paneId: string,
    { signal, historyCount }: { readonly signal: AbortSignal; readonly historyCount: number },
  ): Promise<CapturedScreen | null> {
    const link = this.#servers.get(keyOf(address))?.link;
    if (!link) return null;
    const deadlineMs = this.#options.config().tmux.commandTimeoutMs;
    const commands = captureCommands(paneId, true, historyCount);
    return readCapture(await link.run(commands, { deadlineMs, signal }));
  }

  linksOf(targetId: TargetId): readonly TmuxLink[] {
    const ofTarget = [...this.#servers.values()].filter(
      (each) => each.address.targetId === targetId,
    );
    return ofTarget.map(({ link }) => link);
  }

  /** The panes that people have on screen now, on every server. */
  shownPanes(): readonly KnownPane[] {
    return [...this.#servers.values()].flatMap(({ watch }) => watch.shownPanes);
  }

  get counts(): readonly ServerCounts[] {
    return [...this.#servers].map(([server, { watch, link }]) => ({
      server,
      ...watch.counts,
      unrecognisedLines: link.unrecognisedCount,
    }));
  }

  /** How each server is, for `daemon status`. */
  info(): DaemonInfo['servers'] {
    const { daemon } = this.#options;
    return [...this.#servers].map(([key, { link, address }]) => ({
      target: address.targetId,
      server: address.server,
      status: link.status.isSettling ? 'connecting' : link.status.state,
      detail: link.status.detail || null,
      panes: daemon.panesOf(address).length,
      taps: this.#taps.countOf(key),
    }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const servers = [...this.#servers.values()];
    for (const { watch } of servers) watch[Symbol.dispose]();
    await this.#taps[Symbol.asyncDispose]();
    await Promise.all(
      servers.flatMap(({ wake, link }) => [
        wake[Symbol.asyncDispose](),
        link[Symbol.asyncDispose](),
      ]),
    );
  }
}

/** Whatever a notification is about, a listing shows what is there now. */
async function listen(link: TmuxLink, watch: ServerWatch): Promise<void> {
  while (!link.isClosed) for await (const _notice of link.notifications()) watch.ask();
}
