// What the daemon believes, as options of each pane for other tools (`@agtmux_state` and the like),
// where the user has switched it on. Pushed over the control clients that are there anyway, only
// what changed, and taken back at the end. Nothing here is ever read as evidence.

import type { PaneRecord } from '../../core/world.ts';
import type { PaneKey } from '../../schema/ids.ts';
import type { PaneFacts } from '../../schema/pane.ts';
import type { StatusServer } from './status-line.ts';

export type OptionServer = Pick<StatusServer, 'socketPath' | 'status' | 'run'>;

export interface PublishOptionsOptions {
  readonly isOn: () => boolean;
  readonly panes: () => Iterable<PaneRecord>;
  /** The servers of a target that are watched now. */
  readonly serversOf: (targetId: PaneFacts['targetId']) => readonly OptionServer[];
}

/** Rate limit: tmux redraws every terminal when an option is set. */
const PUSH_MS = 500;
const DEADLINE_MS = 2_000;
/** Panes in one push; the rest comes with the next. */
const PANES_MAX = 64;

const NAMES = ['state', 'agent', 'reason', 'since', 'attention'] as const;
type OptionName = (typeof NAMES)[number];
/** Absent: the option is not there. */
type Values = Readonly<Partial<Record<OptionName, string>>>;

interface Push {
  readonly server: OptionServer;
  readonly paneKey: PaneKey;
  readonly facts: PaneFacts;
  readonly commands: string;
}

export class PublishOptions implements AsyncDisposable {
  readonly #options: PublishOptionsOptions;
  /** The commands that were last run for each pane. */
  readonly #pushed = new Map<PaneKey, string>();
  #timer: NodeJS.Timeout | null = null;
  #pushedAtMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(options: PublishOptionsOptions) {
    this.#options = options;
  }

  /** Something was committed, or the configuration may be another. */
  changed(): void {
    if (this.#timer !== null || this.#isClosed) return;
    if (!this.#options.isOn() && this.#pushed.size === 0) return;
    const waitMs = Math.max(0, this.#pushedAtMs + PUSH_MS - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#pushedAtMs = performance.now();
      void this.#push(this.#options.isOn(), PANES_MAX);
    }, waitMs).unref();
  }

  async #push(isOn: boolean, panesMax: number): Promise<void> {
    const due = this.#due(isOn);
    if (due.length > panesMax) this.changed();
    const pushes = due.slice(0, panesMax).map(async (push) => {
      await this.#pushTo(push);
      if (!isOn) this.#pushed.delete(push.paneKey);
    });
    await Promise.all(pushes);
  }

  /** The panes whose options are not what they should be, on servers that answer. */
  #due(isOn: boolean): readonly Push[] {
    const due: Push[] = [];
    const live = new Set<PaneKey>();
    for (const pane of this.#options.panes()) {
      const { paneKey, facts, goneAtMs } = pane;
      if (facts === null || goneAtMs !== null) continue;
      live.add(paneKey);
      const known = this.#pushed.get(paneKey);
      // A pane without a push of this run may have options of an earlier daemon.
      if (!isOn && known === undefined) continue;
      const commands = commandsOf(facts, isOn ? valuesOf(pane) : {});
      const server = commands === known ? null : this.#serverOf(facts);
      if (server) due.push({ server, paneKey, facts, commands });
    }
    this.#keep(live);
    return due;
  }

  #keep(live: ReadonlySet<PaneKey>): void {
    for (const paneKey of this.#pushed.keys()) if (!live.has(paneKey)) this.#pushed.delete(paneKey);
  }

  #serverOf({ targetId, server }: PaneFacts): OptionServer | null {
    const found = this.#options
      .serversOf(targetId)
      .find(({ socketPath, status }) => socketPath === server && status.state === 'connected');
    return found ?? null;
  }

  /** One command for each pane: one that has just been closed must not hold up the others. */
  async #pushTo({ server, paneKey, facts, commands }: Push): Promise<void> {
    this.#pushed.set(paneKey, commands);
    // A restarted server reuses ids: the pids show that it is the same pane.
    const isMeant = `#{==:#{pid} #{pane_pid},${facts.generation.pid} ${facts.birth.pid}}`;
    const command = ['if-shell', '-F', '-t', facts.paneId, isMeant, commands];
    await server.run([command], { deadlineMs: DEADLINE_MS }).catch(() => {
      // The connection is lost; all is pushed again when it is back.
      this.#pushed.delete(paneKey);
    });
  }

  /** Takes back everything that was pushed, as long as we can. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#pushed.size > 0) await this.#push(false, this.#pushed.size);
  }
}

/** What a pane's options say; nothing where no agent is, unless one has just ended there. */
function valuesOf({ row }: PaneRecord): Values {
  const { kinds } = row.attention;
  const attention = kinds.length === 0 ? {} : { attention: kinds.join(',') };
  if (row.presence === 'missing' || row.agent === null) return attention;
  return {
    state: row.state,
    agent: row.agent,
    ...(row.reasonCode === null ? {} : { reason: row.reasonCode }),
    since: String(Math.trunc(row.sinceMs / 1_000)),
    ...attention,
  };
}

/** Only our own words and names of agents go in; anything else could be more than a value. */
const isPlain = (value: string | undefined): value is string =>
  value !== undefined && /^[A-Za-z0-9_.,-]{1,200}$/.test(value);

function commandsOf({ paneId }: PaneFacts, values: Values): string {
  return NAMES.map((name) => {
    const value = values[name];
    return isPlain(value)
      ? `set-option -pq -t ${paneId} @agtmux_${name} ${value}`
      : `set-option -pqu -t ${paneId} @agtmux_${name}`;
  }).join(' ; ');
}
