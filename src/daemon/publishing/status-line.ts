// The tmux status line: pushes the counts as the user option `@agtmux_status` over the links that
// are there anyway, on those servers alone where the user has set that option. No process of this
// machine is started. The value is status-value.ts.

import type { ShownCounts } from '../../text/shown-counts.ts';
import type { LinkStatus } from '../../tmux/link.ts';
import type { Reply } from '../../tmux-wire/control-parser.ts';
import {
  COLORS_OPTION,
  countsInTmux,
  STATUS_OFF,
  STATUS_OPTION,
  statusValue,
} from './status-value.ts';

/** What is needed of one tmux server. */
export interface StatusServer {
  readonly socketPath: string;
  readonly status: Pick<LinkStatus, 'state' | 'plain'>;
  run(
    commands: readonly (readonly string[])[],
    limits: { readonly deadlineMs: number },
  ): Promise<readonly Reply[]>;
  onStatus(listener: (status: LinkStatus) => void): () => void;
}

export interface StatusLineOptions {
  /** Those that are watched now. */
  readonly servers: () => readonly StatusServer[];
  /** Null: the counts are not known. */
  readonly counts: () => ShownCounts | null;
  readonly nowMs: () => number;
}

/** Rate limit: tmux redraws every terminal when an option is set. */
const PUSH_MS = 1_000;
/** How soon a user who has just set the option sees it filled. */
const POLL_MS = 1_500;

interface Validity {
  /** How often an unchanged value is pushed again, before it expires. */
  readonly renewMs: number;
  readonly believedMs: number;
}

/** Two renewals may be missed: a short sleep of a laptop must not expire it. */
const validity: Validity = { renewMs: 60_000, believedMs: 180_000 };
/** Without an attached client only time shows that the daemon was killed. */
const plainValidity: Validity = { renewMs: 5_000, believedMs: 15_000 };
const DEADLINE_MS = 2_000;

interface PushState {
  readonly clientName: string | null;
  readonly withColors: boolean;
  /** What was pushed last: its counts, the whole value, and when. */
  counts: string;
  value: string;
  pushedAtMs: number;
}

// With -v an option that is there answers with a line, though it may be an empty one.
const readOption = ['show-options', '-gqv', STATUS_OPTION];

const nothingPushed = { counts: '', value: '', pushedAtMs: Number.NEGATIVE_INFINITY };

export class StatusLine implements AsyncDisposable {
  readonly #options: StatusLineOptions;
  /** The servers with the status line enabled, by socket. */
  readonly #states = new Map<string, PushState>();
  readonly #listening = new Map<StatusServer, () => void>();
  #pollTimer: NodeJS.Timeout | null = null;
  #pushTimer: NodeJS.Timeout | null = null;
  #pushedAtMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(options: StatusLineOptions) {
    this.#options = options;
  }

  start(): void {
    this.#pollAll();
    this.#pollTimer = setInterval(() => this.#pollAll(), POLL_MS).unref();
  }

  /** Something was committed: the counts may be others. */
  changed(): void {
    if (this.#states.size === 0 || this.#pushTimer !== null || this.#isClosed) return;
    const waitMs = Math.max(0, this.#pushedAtMs + PUSH_MS - performance.now());
    this.#pushTimer = setTimeout(() => {
      this.#pushTimer = null;
      this.#pushAll();
    }, waitMs).unref();
  }

  #pollAll(): void {
    const servers = this.#options.servers();
    for (const server of servers) {
      if (!this.#listening.has(server)) {
        this.#listening.set(
          server,
          server.onStatus(() => void this.#poll(server)),
        );
      }
      void this.#poll(server);
    }
    for (const [server, stop] of this.#listening) {
      if (servers.includes(server)) continue;
      stop();
      this.#listening.delete(server);
      this.#states.delete(server.socketPath);
    }
  }

  /** Whether the status line is enabled on a server, and which client is ours. */
  async #poll(server: StatusServer): Promise<void> {
    const { socketPath } = server;
    if (this.#isClosed) return;
    if (server.status.state !== 'connected') {
      this.#states.delete(socketPath);
      return;
    }
    const replies = await this.#run(server, [
      readOption,
      ['display-message', '-p', `#{client_name} #{${COLORS_OPTION}}`],
    ]);
    const [option, about] = replies;
    const [name = '', colors = ''] = about?.lines[0]?.split(' ') ?? [];
    const clientName = server.status.plain === undefined ? name : null;
    if (this.#isClosed || !option?.ok || option.lines.length === 0) {
      this.#states.delete(socketPath);
      return;
    }
    const withColors = colors !== 'off' && colors !== '0';
    const before = this.#states.get(socketPath);
    // A tmux.conf that was read again has put its own value there.
    const isSame =
      before?.clientName === clientName &&
      before.withColors === withColors &&
      before.value === option.lines.join('\n');
    if (!isSame) this.#states.set(socketPath, { clientName, withColors, ...nothingPushed });
    this.changed();
  }

  #pushAll(): void {
    const shown = this.#options.counts();
    const nowMs = performance.now();
    for (const server of this.#options.servers()) {
      const state = this.#states.get(server.socketPath);
      if (!state || server.status.state !== 'connected') continue;
      const counts = countsInTmux(shown, state.withColors);
      const { clientName } = state;
      const { renewMs, believedMs } = clientName === null ? plainValidity : validity;
      if (state.counts === counts && nowMs - state.pushedAtMs < renewMs) continue;
      const untilS = (this.#options.nowMs() + believedMs) / 1_000;
      const value = statusValue({ counts, clientName, untilS });
      if (value === null) continue;
      Object.assign(state, { counts, value, pushedAtMs: nowMs });
      this.#pushedAtMs = nowMs;
      void this.#push(server, value);
    }
  }

  /** Sets the option where it still is: a user who has removed it does not want it back. */
  async #push(server: StatusServer, value: string): Promise<void> {
    const [option] = await this.#run(server, [readOption]);
    if (!option?.ok || option.lines.length === 0) this.#states.delete(server.socketPath);
    else await this.#run(server, [['set-option', '-gq', STATUS_OPTION, value]]);
  }

  /** What tmux answers; nothing where the connection is lost. */
  #run(server: StatusServer, commands: readonly (readonly string[])[]): Promise<readonly Reply[]> {
    return server.run(commands, { deadlineMs: DEADLINE_MS }).catch(() => []);
  }

  /** Shows on every server that the daemon is off. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    if (this.#pollTimer) clearInterval(this.#pollTimer);
    if (this.#pushTimer) clearTimeout(this.#pushTimer);
    for (const stop of this.#listening.values()) stop();
    const pushes = this.#options
      .servers()
      .filter(
        ({ socketPath, status }) => this.#states.has(socketPath) && status.state === 'connected',
      )
      .map((server) => this.#push(server, STATUS_OFF));
    await Promise.all(pushes);
  }
}
