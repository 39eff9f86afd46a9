// The taps of all servers: for each a way to start it is got from its host, then the one worker
// reads it. A tap is open only while its server's link is attached.

import { Fault } from '../../platform/fault.ts';
import type { Host, Opening } from '../../tmux/host.ts';
import { attachArguments } from '../../tmux/invocation.ts';
import type { TapReport } from '../../tmux/taps/tap-report.ts';
import { TAP_FLAGS, Taps } from '../../tmux/taps.ts';
import type { SnapshotRequest, ViewedPane, ViewItem } from '../../tmux/views/tap-views.ts';

export interface TappedServer {
  readonly key: string;
  readonly host: Host;
  readonly socketPath: string;
  readonly onReport: (report: TapReport) => void;
}

interface Tapped extends TappedServer {
  wanted: ReadonlySet<string>;
  readonly open: Map<string, { readonly opening: Opening; pid: number | null }>;
}

export class OpenTaps {
  readonly #servers = new Map<string, Tapped>();
  readonly #taps: Taps;
  /** A tap has opened or closed. */
  onTaps: () => void = () => {};
  onViewItems: (items: readonly ViewItem[]) => void = () => {};

  constructor(onProblem: (error: Error) => void) {
    this.#taps = new Taps({
      onReport: (report) => this.#report(report),
      onViewItems: (items) => this.onViewItems(items),
      onProblem,
    });
  }

  add(server: TappedServer): void {
    this.#servers.set(server.key, { ...server, wanted: new Set(), open: new Map() });
  }

  remove(key: string): void {
    void this.set(key, []);
    this.#servers.delete(key);
  }

  countOf(key: string): number {
    return this.#servers.get(key)?.open.size ?? 0;
  }

  /** The first of these sessions whose output is read now; null where none is. */
  openAmong(key: string, sessionIds: readonly string[]): string | null {
    const open = this.#servers.get(key)?.open;
    const isOpen = (sessionId: string): boolean => (open?.get(sessionId)?.pid ?? null) !== null;
    return sessionIds.find(isOpen) ?? null;
  }

  view(viewed: readonly ViewedPane[]): void {
    this.#taps.view(viewed);
  }

  askSnapshot(request: SnapshotRequest): void {
    this.#taps.snapshot(request);
  }

  /** The sessions of a server to have tapped from now on. Resolves when the others are not. */
  async set(key: string, sessionIds: readonly string[]): Promise<void> {
    const server = this.#servers.get(key);
    if (!server) return;
    const before = server.wanted;
    server.wanted = new Set(sessionIds);
    for (const sessionId of server.open.keys()) {
      if (!server.wanted.has(sessionId)) this.#release(server, sessionId);
    }
    // At once: the link may just have been lost.
    const settled = this.#apply();
    this.onTaps();
    for (const sessionId of sessionIds) {
      if (!before.has(sessionId)) void this.#open(server, sessionId);
    }
    await settled;
  }

  /** Resolves when every tap and the worker are gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#taps[Symbol.asyncDispose]();
    for (const server of this.#servers.values()) {
      for (const sessionId of server.open.keys()) this.#release(server, sessionId);
    }
  }

  async #open(server: Tapped, sessionId: string): Promise<void> {
    const { host, socketPath } = server;
    try {
      const args = attachArguments({ socketPath, sessionId }, TAP_FLAGS);
      const opening = await host.open('tap', args);
      if (server.wanted.has(sessionId) && !server.open.has(sessionId)) {
        server.open.set(sessionId, { opening, pid: null });
        void this.#apply();
      } else opening.release();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#report({ server: server.key, ...nothing, closed: [sessionId], failed: [] });
    }
  }

  #apply(): Promise<void> {
    return this.#taps.set(
      [...this.#servers.values()].flatMap(({ key, open }) =>
        [...open].map(([sessionId, { opening }]) => ({
          server: key,
          sessionId,
          launch: opening.launch,
        })),
      ),
    );
  }

  #report(report: TapReport): void {
    const server = this.#servers.get(report.server);
    if (!server) return;
    for (const { sessionId, pid } of report.opened) {
      const tap = server.open.get(sessionId);
      if (tap) tap.pid = pid;
    }
    // A host that refused one gets fewer requests from then on.
    for (const { sessionId, stderr } of report.failed) {
      server.open.get(sessionId)?.opening.release(stderr);
    }
    for (const sessionId of report.closed) this.#release(server, sessionId);
    server.wanted = new Set([...server.wanted].filter((each) => !report.closed.includes(each)));
    if (report.opened.length + report.closed.length > 0) this.#reportTo(server.host);
    server.onReport(report);
    if (report.opened.length + report.closed.length > 0) this.onTaps();
  }

  #release(server: Tapped, sessionId: string): void {
    server.open.get(sessionId)?.opening.release();
    server.open.delete(sessionId);
  }

  #reportTo(host: Host): void {
    const ofHost = [...this.#servers.values()].filter((each) => each.host === host);
    const taps = ofHost.flatMap(({ open }) => [...open.values()]);
    host.setTapPids(taps.flatMap(({ pid }) => (pid === null ? [] : [pid])));
  }
}

const nothing = { changed: [], news: [], titled: [], bells: [], gaps: [], osc: [], opened: [] };
