// The tmux status line: pushes the counts as the user option `@agtmux_status` over the control
// clients that are there anyway, on those servers alone where the user has set that option. Nothing
// is asked at a sweep and no process starts. What the value says is status-value.ts.

import type { LinkStatus } from '../../tmux/link.ts';
import type { Reply } from '../../tmux-wire/control-parser.ts';
import {
  COLORS_OPTION,
  countsInTmux,
  STATUS_OFF,
  STATUS_OPTION,
  statusValue,
} from './status-value.ts';

/** One tmux server, as far as it is needed here. */
export interface StatusServer {
  readonly socketPath: string;
  readonly status: Pick<LinkStatus, 'state'>;
  run(
    commands: readonly (readonly string[])[],
    limits: { readonly deadlineMs: number },
  ): Promise<readonly Reply[]>;
  onStatus(listener: (status: LinkStatus) => void): () => void;
}

export interface StatusLineOptions {
  /** Those that are watched now. */
  readonly servers: () => readonly StatusServer[];
  readonly byState: () => Readonly<Record<string, number>>;
  readonly nowMs: () => number;
}

/** tmux redraws every terminal when an option is set: more often would be felt. */
const PUSH_MS = 1_000;
/** How soon a user who has just set the option sees it filled. */
const ASK_MS = 30_000;
/** A value that did not change is pushed again so often, or it would pass its time. */
const RENEW_MS = 60_000;
/** Two renewals may be missed: a short sleep of a laptop is no reason for doubt. */
const BELIEVED_MS = 180_000;
const DEADLINE_MS = 2_000;

interface Asked {
  readonly clientName: string;
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
  /** The servers whose user wants it, by socket. */
  readonly #asked = new Map<string, Asked>();
  readonly #listening = new Map<StatusServer, () => void>();
  #asking: NodeJS.Timeout | null = null;
  #pushing: NodeJS.Timeout | null = null;
  #pushedAtMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(options: StatusLineOptions) {
    this.#options = options;
  }

  start(): void {
    this.#askAll();
    this.#asking = setInterval(() => this.#askAll(), ASK_MS).unref();
  }

  /** Something was committed: the counts may be others. */
  changed(): void {
    if (this.#asked.size === 0 || this.#pushing !== null || this.#isClosed) return;
    const waitMs = Math.max(0, this.#pushedAtMs + PUSH_MS - performance.now());
    this.#pushing = setTimeout(() => {
      this.#pushing = null;
      this.#pushAll();
    }, waitMs).unref();
  }

  #askAll(): void {
    const servers = this.#options.servers();
    for (const server of servers) {
      if (!this.#listening.has(server)) {
        this.#listening.set(
          server,
          server.onStatus(() => void this.#ask(server)),
        );
      }
      void this.#ask(server);
    }
    for (const [server, stop] of this.#listening) {
      if (servers.includes(server)) continue;
      stop();
      this.#listening.delete(server);
      this.#asked.delete(server.socketPath);
    }
  }

  /** Whether the user of a server wants the line, and by which client we speak. */
  async #ask(server: StatusServer): Promise<void> {
    const { socketPath } = server;
    if (this.#isClosed) return;
    if (server.status.state !== 'connected') {
      this.#asked.delete(socketPath);
      return;
    }
    const answer = await this.#run(server, [
      readOption,
      ['display-message', '-p', `#{client_name} #{${COLORS_OPTION}}`],
    ]);
    const [option, about] = answer;
    const [clientName = '', colors = ''] = about?.lines[0]?.split(' ') ?? [];
    if (this.#isClosed || !option?.ok || option.lines.length === 0) {
      this.#asked.delete(socketPath);
      return;
    }
    const withColors = colors === 'on' || colors === '1';
    const known = this.#asked.get(socketPath);
    // A tmux.conf that was read again has put its own value there.
    const isKnown =
      known?.clientName === clientName &&
      known.withColors === withColors &&
      known.value === option.lines.join('\n');
    if (!isKnown) this.#asked.set(socketPath, { clientName, withColors, ...nothingPushed });
    this.changed();
  }

  #pushAll(): void {
    const byState = this.#options.byState();
    const nowMs = performance.now();
    for (const server of this.#options.servers()) {
      const asked = this.#asked.get(server.socketPath);
      if (!asked || server.status.state !== 'connected') continue;
      const counts = countsInTmux(byState, asked.withColors);
      if (asked.counts === counts && nowMs - asked.pushedAtMs < RENEW_MS) continue;
      const { clientName } = asked;
      const untilS = (this.#options.nowMs() + BELIEVED_MS) / 1_000;
      const value = statusValue({ counts, clientName, untilS });
      if (value === null) continue;
      Object.assign(asked, { counts, value, pushedAtMs: nowMs });
      this.#pushedAtMs = nowMs;
      void this.#push(server, value);
    }
  }

  /** Sets the option where it still is: whoever has removed it does not want it back. */
  async #push(server: StatusServer, value: string): Promise<void> {
    const [option] = await this.#run(server, [readOption]);
    if (!option?.ok || option.lines.length === 0) this.#asked.delete(server.socketPath);
    else await this.#run(server, [['set-option', '-gq', STATUS_OPTION, value]]);
  }

  /** What tmux answers; nothing where the connection is lost, which others see to. */
  #run(server: StatusServer, commands: readonly (readonly string[])[]): Promise<readonly Reply[]> {
    return server.run(commands, { deadlineMs: DEADLINE_MS }).catch(() => []);
  }

  /** Says on every server that we are gone, as long as we can. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    if (this.#asking) clearInterval(this.#asking);
    if (this.#pushing) clearTimeout(this.#pushing);
    for (const stop of this.#listening.values()) stop();
    const told = this.#options
      .servers()
      .filter(
        ({ socketPath, status }) => this.#asked.has(socketPath) && status.state === 'connected',
      )
      .map((server) => this.#push(server, STATUS_OFF));
    await Promise.all(told);
  }
}
