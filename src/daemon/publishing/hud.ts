// The HUD: a small floating pane that shows all agents, on servers whose tmux has such panes (3.7
// and newer), where a person has switched it on. One for each server, in the window that its last
// used client shows. It is painted through a file that it follows; made again where it is gone, as
// after a restart of tmux; and closed at the end.

import type { HudServer } from '../../schema/api/health.ts';
import {
  closeHudCommand,
  type HudReplies,
  hudQuery,
  openHudCommand,
  readHudReplies,
  readOpenedHud,
} from './hud-commands.ts';
import { HudFile, type HudSwitch } from './hud-file.ts';
import type { StatusServer } from './status-line.ts';

type HudLink = Pick<StatusServer, 'socketPath' | 'status' | 'run'>;

export interface HudOptions {
  /** Those of this machine that are watched now. */
  readonly servers: () => readonly HudLink[];
  readonly config: () => {
    readonly enabled: boolean;
    readonly columns: number;
    readonly rows: number;
  };
  readonly switch: HudSwitch;
  /** Where its files are. */
  readonly folder: string;
  readonly frame: (size: { readonly columns: number; readonly rows: number }) => string;
  readonly onProblem: (problem: string) => void;
}

/** How soon a HUD that is gone is made again, and follows a change of its size. */
const POLL_MS = 2_000;
/** Rate limit of pictures. */
const PAINT_MS = 500;
const DEADLINE_MS = 2_000;

/** The HUD of one server. */
interface ServerHud {
  readonly file: HudFile;
  /** Null: there is none now. */
  size: { readonly columns: number; readonly rows: number } | null;
  state: HudServer['state'];
  paneId: string | null;
}

export class Hud implements AsyncDisposable {
  readonly #options: HudOptions;
  /** By socket. */
  readonly #huds = new Map<string, ServerHud>();
  #isOn: boolean | null;
  #pollTimer: NodeJS.Timeout | null = null;
  #paintTimer: NodeJS.Timeout | null = null;
  /** One look at the servers after the other: two would open two. */
  #turn: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: HudOptions) {
    this.#options = options;
    this.#isOn = options.switch.read();
  }

  start(): void {
    this.#pollTimer = setInterval(() => void this.#follow(), POLL_MS).unref();
    void this.#follow();
  }

  status(): { readonly on: boolean; readonly servers: readonly HudServer[] } {
    const servers = this.#options.servers().map(({ socketPath }): HudServer => {
      const { state = 'off', paneId = null } = this.#huds.get(socketPath) ?? {};
      return { server: socketPath, state, pane_id: paneId };
    });
    return { on: this.#isWanted(), servers };
  }

  /** Switches it on or off until the next such command. Throws what the disk throws. */
  async set(on: boolean): Promise<ReturnType<Hud['status']>> {
    this.#options.switch.write(on);
    this.#isOn = on;
    await this.#follow();
    return this.status();
  }

  /** Something was committed: the picture may be another. */
  changed(): void {
    if (this.#paintTimer !== null || this.#isClosed || this.#huds.size === 0) return;
    this.#paintTimer = setTimeout(() => {
      this.#paintTimer = null;
      for (const hud of this.#huds.values()) this.#paint(hud);
    }, PAINT_MS).unref();
  }

  #isWanted(): boolean {
    return !this.#isClosed && (this.#isOn ?? this.#options.config().enabled);
  }

  #follow(): Promise<void> {
    const work = async (): Promise<void> => {
      // One that is off and was never on costs nothing.
      if (!this.#isWanted() && this.#huds.size === 0) return;
      const servers = this.#options.servers();
      const sockets = new Set(servers.map(({ socketPath }) => socketPath));
      for (const [socketPath, { file }] of this.#huds) {
        if (sockets.has(socketPath)) continue;
        file[Symbol.dispose]();
        this.#huds.delete(socketPath);
      }
      await Promise.all(servers.map((server) => this.#followServer(server)));
    };
    this.#turn = this.#turn.then(work);
    return this.#turn;
  }

  async #followServer(server: HudLink): Promise<void> {
    const { socketPath, status } = server;
    const hud = this.#hudOn(socketPath);
    const found =
      status.state === 'connected'
        ? readHudReplies(await this.#run(server, hudQuery(hud.file.name)))
        : null;
    if (found === null) {
      Object.assign(hud, { state: 'not_connected', paneId: null, size: null });
      return;
    }
    const isWanted = this.#isWanted();
    const alive = found.panes.filter(({ isDead }) => !isDead);
    const [kept] = isWanted ? alive : [];
    const surplus = found.panes.filter((pane) => pane !== kept);
    if (surplus.length > 0) await this.#run(server, surplus.map(closeHudCommand));
    if (kept) {
      Object.assign(hud, { state: 'shown', paneId: kept.paneId, size: kept });
      this.#paint(hud);
    } else if (isWanted) await this.#open(server, hud, found);
    else {
      hud.file[Symbol.dispose]();
      this.#huds.delete(socketPath);
    }
  }

  async #open(server: HudLink, hud: ServerHud, { isSupported, window }: HudReplies): Promise<void> {
    Object.assign(hud, { paneId: null, size: null });
    if (!isSupported) hud.state = 'unsupported';
    else if (window === null) hud.state = 'no_client';
    else {
      const { columns, rows } = this.#options.config();
      const { path: file } = hud.file;
      const place = { columns, rows, file, daemonPid: process.pid };
      const command = openHudCommand(window, place);
      hud.state = command === null ? 'no_room' : 'failed';
      if (command === null || !this.#tryDisk(() => hud.file.restart())) return;
      const [reply] = await this.#run(server, [command]);
      const opened = readOpenedHud(reply);
      if (opened === null) {
        this.#options.onProblem(reply?.lines.join(' ') ?? 'tmux did not answer');
        return;
      }
      Object.assign(hud, { state: 'shown', paneId: opened.paneId, size: opened });
      this.#paint(hud);
    }
  }

  #hudOn(socketPath: string): ServerHud {
    const known = this.#huds.get(socketPath);
    if (known) return known;
    const file = new HudFile(this.#options.folder, socketPath);
    const hud: ServerHud = { file, size: null, state: 'off', paneId: null };
    this.#huds.set(socketPath, hud);
    return hud;
  }

  #paint({ file, size }: ServerHud): void {
    if (size !== null) this.#tryDisk(() => file.paint(this.#options.frame(size)));
  }

  /** A disk that is full leaves the last picture; the next one is tried anew. */
  #tryDisk(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      this.#options.onProblem(error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  #run(server: HudLink, commands: readonly (readonly string[])[]) {
    return server.run(commands, { deadlineMs: DEADLINE_MS }).catch(() => []);
  }

  /** Closes it on every server. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    if (this.#pollTimer) clearInterval(this.#pollTimer);
    if (this.#paintTimer) clearTimeout(this.#paintTimer);
    await this.#follow();
    for (const { file } of this.#huds.values()) file[Symbol.dispose]();
  }
}
