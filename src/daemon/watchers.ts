// Every tmux server that is watched here: its link, its waiting client and its watch, and the one
// worker that reads the taps of all of them. A tap lives only while its server's link, the
// guard, is attached.

import type { Registry } from '../agents/registry.ts';
import type { Fault } from '../platform/fault.ts';
import type { LocalProcesses } from '../platform/processes.ts';
import type { DaemonInfo } from '../schema/api/health.ts';
import type { Config } from '../schema/config.ts';
import type { TargetId } from '../schema/ids.ts';
import type { Daemon, KnownPane } from '../sources/known-pane.ts';
import { ServerWatch, type WatchCounts } from '../sources/server-watch.ts';
import { type CapturedScreen, captureCommands, readCapture } from '../tmux/capture.ts';
import { type LinkStatus, TmuxLink } from '../tmux/link.ts';
import { Taps } from '../tmux/taps.ts';
import { WakeClient } from '../tmux/wake.ts';

export interface WatchersOptions {
  readonly targetId: TargetId;
  readonly socketPaths: readonly string[];
  readonly daemon: Daemon;
  readonly processes: LocalProcesses;
  readonly registry: () => Registry;
  readonly config: () => Config;
  readonly isTapAllowed: () => boolean;
  readonly onWake: () => void;
  readonly onFault: (fault: Fault) => void;
  readonly onProblem: (error: Error) => void;
  readonly onStatus: (socketPath: string, status: LinkStatus) => void;
  readonly onSeen: (panes: readonly KnownPane[]) => void;
}

export interface ServerCounts extends WatchCounts {
  readonly server: string;
  /** What tmux sent and we do not know: a newer tmux, or our bug. */
  readonly unrecognisedLines: number;
}

interface Watched {
  readonly link: TmuxLink;
  readonly wake: WakeClient;
  readonly watch: ServerWatch;
  tapped: readonly string[];
}

export class Watchers implements AsyncDisposable {
  readonly #options: WatchersOptions;
  readonly #servers = new Map<string, Watched>();
  readonly #taps: Taps;

  constructor(options: WatchersOptions) {
    this.#options = options;
    this.#taps = new Taps({
      onReport: (report) => {
        const server = this.#servers.get(report.socketPath);
        if (!server) return;
        server.tapped = server.tapped.filter((each) => !report.closed.includes(each));
        server.watch.tapped(report, Date.now());
      },
      onProblem: options.onProblem,
    });
    for (const socketPath of options.socketPaths) this.#add(socketPath);
  }

  start(): void {
    for (const { link, wake, watch } of this.#servers.values()) {
      link.start();
      wake.start();
      void this.#listen(link, watch);
    }
  }

  /** The watch of a server by the path of its socket. */
  at(socketPath: string): ServerWatch | null {
    return this.#servers.get(socketPath)?.watch ?? null;
  }

  /** One look at the screen of a pane, for a person; null when it is gone. */
  async screenOf(socketPath: string, paneId: string): Promise<CapturedScreen | null> {
    const link = this.#servers.get(socketPath)?.link;
    if (!link) return null;
    const deadlineMs = this.#options.config().tmux.commandTimeoutMs;
    return readCapture(await link.run(captureCommands(paneId), { deadlineMs }));
  }

  get links(): readonly TmuxLink[] {
    return [...this.#servers.values()].map(({ link }) => link);
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
    const { targetId, daemon } = this.#options;
    return [...this.#servers].map(([server, { link, tapped }]) => ({
      target: targetId,
      server,
      status: link.status.state,
      detail: link.status.detail || null,
      panes: daemon.panesOf({ targetId, server }).length,
      taps: tapped.length,
    }));
  }

  #add(socketPath: string): void {
    const { targetId, daemon, processes, registry, config, isTapAllowed } = this.#options;
    const { onFault, onSeen } = this.#options;
    const link = new TmuxLink({
      socketPath,
      onLost: () => this.#lost(socketPath),
      onStatus: (status) => this.#status(socketPath, status),
    });
    const watch = new ServerWatch({
      place: { targetId, server: socketPath },
      link,
      daemon,
      processes,
      registry,
      config,
      tap: (sessionIds) => this.#tap(socketPath, sessionIds),
      isTapAllowed,
      onFault,
      onSeen,
    });
    const onWake = () => {
      this.#options.onWake();
      watch.ask();
    };
    const wake = new WakeClient({ link, onWake });
    this.#servers.set(socketPath, { link, wake, watch, tapped: [] });
  }

  /** Whatever tmux tells of, a listing says what it is now. */
  async #listen(link: TmuxLink, watch: ServerWatch): Promise<void> {
    while (!link.isClosed) for await (const _notice of link.notifications()) watch.ask();
  }

  // Without its guard a tap could freeze the program that it listens to: it goes first.
  #lost(socketPath: string): void {
    this.#tap(socketPath, []);
    this.#servers.get(socketPath)?.watch.tapsClosed();
  }

  #status(socketPath: string, status: LinkStatus): void {
    const watch = this.#servers.get(socketPath)?.watch;
    if (status.state === 'connected' || status.state === 'degraded') watch?.connected();
    if (status.state === 'absent') watch?.serverGone();
    this.#options.onStatus(socketPath, status);
  }

  #tap(socketPath: string, sessionIds: readonly string[]): void {
    const server = this.#servers.get(socketPath);
    if (!server) return;
    server.tapped = sessionIds;
    this.#taps.set(
      [...this.#servers].flatMap(([path, { tapped }]) =>
        tapped.map((sessionId) => ({ socketPath: path, sessionId })),
      ),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { watch } of this.#servers.values()) watch.close();
    await this.#taps.close();
    const closing = [...this.#servers.values()].flatMap(({ wake, link }) => [
      wake.close(),
      link.close(),
    ]);
    await Promise.all(closing);
  }
}
