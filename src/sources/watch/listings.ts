// The listings of one server. A whole one costs tmux three times what a cheap one costs, and most
// show nothing new but agents that print and spin in their titles, whose screens are captured
// anyway. So the cheap one is read, and the whole one when the cheap one shows more, when it is
// asked for, and every few seconds.

import type { Config } from '../../schema/config.ts';
import {
  type CheapListing,
  cheapListingCommand,
  movedPanes,
  readCheapListing,
} from '../../tmux/cheap-listing.ts';
import type { TmuxLink } from '../../tmux/link.ts';
import { clientsCommand, listingCommand } from '../../tmux/listing.ts';
import type { Reply } from '../../tmux-wire/control-parser.ts';
import type { CaptureSchedule } from './capture-schedule.ts';
import type { WatchedPanes } from './watched-panes.ts';

/** A full listing at least this often: a cheap one does not show a changed command. */
const WHOLE_MS = 5_000;
/** Without notifications: a cheap one does not show a name or a current window either. */
const WHOLE_PLAIN_MS = 2_000;
/** Delay per row (60 us) of a listing caused by a title or by a shell's output. */
const ROW_MS = 4;

export interface ListingsOptions {
  readonly link: Pick<TmuxLink, 'run' | 'status'>;
  readonly config: () => Config;
  readonly panes: WatchedPanes;
  readonly schedule: Pick<CaptureSchedule, 'has'>;
}

export interface Listed {
  /** All rows were read, because they differ from the last ones or may do so. */
  readonly isWhole: boolean;
  /** Set by a cheap listing: panes whose screens may have changed. */
  readonly moved: readonly string[];
  readonly unreadCount: number;
  readonly clients: Reply | undefined;
}

export class Listings {
  readonly #options: ListingsOptions;
  #cheap: CheapListing | null = null;
  #cheapMs = Number.NEGATIVE_INFINITY;
  #listedMs = Number.NEGATIVE_INFINITY;
  #isWholeWanted = true;
  /** A cheap listing has shown more, and the whole one waits for its time. */
  #isOwed = false;
  /** The last whole listing had no panes, where some were known. */
  #wasEmpty = false;

  constructor(options: ListingsOptions) {
    this.#options = options;
  }

  /** Something may be new: the next one is whole. */
  ask(): void {
    this.#isWholeWanted = true;
  }

  /** Null where tmux did not answer. */
  async read(nowMs: number): Promise<Listed | null> {
    const isWholeDue = nowMs - this.#listedMs >= this.#wholeMs;
    const before = this.#isWholeWanted || isWholeDue ? null : this.#cheap;
    this.#isWholeWanted = false;
    this.#cheap = null;
    // The cheap one comes first: what changes after it differs from it the next time.
    const lists = before === null ? [listingCommand()] : [];
    const replies = await this.#run([cheapListingCommand(), ...lists, clientsCommand()]);
    const cheap = readCheapListing(replies[0]);
    if (cheap === null) return null;
    if (before === null) return this.#take(cheap, replies.slice(1), nowMs);
    const moved = this.#movedIn(before, cheap, nowMs);
    this.#cheapMs = nowMs;
    if (moved === null) {
      const listed = await this.#run([listingCommand(), clientsCommand()]);
      return this.#take(cheap, listed, nowMs);
    }
    this.#cheap = cheap;
    return { isWhole: false, moved, unreadCount: 0, clients: replies[1] };
  }

  get #wholeMs(): number {
    const { link, panes } = this.#options;
    if (link.status.plain === undefined) return WHOLE_MS;
    return Math.min(WHOLE_MS, Math.max(WHOLE_PLAIN_MS, panes.ids.length * ROW_MS));
  }

  /** Null where a cheap listing is not enough. */
  #movedIn(before: CheapListing, cheap: CheapListing, nowMs: number): readonly string[] | null {
    // tmux counts whole seconds: what moved in that of the last one may have moved after it.
    const moved = movedPanes(before, cheap, Math.floor(this.#cheapMs / 1_000));
    if (moved === null) return null;
    const { panes, schedule } = this.#options;
    const isEnough = moved.every(
      ({ paneId, isMoved, isRetitled }) => !isRetitled && (!isMoved || schedule.has(paneId)),
    );
    this.#isOwed ||= !isEnough;
    const isSoon = nowMs - this.#listedMs < panes.ids.length * ROW_MS;
    return isSoon || !this.#isOwed ? moved.map(({ paneId }) => paneId) : null;
  }

  #take(
    cheap: CheapListing,
    [listed, clients]: readonly (Reply | undefined)[],
    nowMs: number,
  ): Listed | null {
    if (!listed?.ok || this.#isEnding(listed)) return null;
    const unreadCount = this.#options.panes.read(listed);
    // What cannot be read now is listed again and not taken for known.
    if (unreadCount === 0) this.#cheap = cheap;
    this.#cheapMs = nowMs;
    this.#listedMs = nowMs;
    this.#isOwed = false;
    return { isWhole: true, moved: [], unreadCount, clients };
  }

  /**
   * Whether the server may be about to end: it closes its sessions before its socket, and nobody
   * has closed those panes. One that lives on without panes (exit-empty off) shows none twice.
   */
  #isEnding({ lines }: Reply): boolean {
    const isEmpty = lines.length === 0 && this.#options.panes.ids.length > 0;
    const isEnding = isEmpty && !this.#wasEmpty;
    this.#wasEmpty = isEmpty;
    if (isEnding) this.ask();
    return isEnding;
  }

  #run(commands: readonly (readonly string[])[]): Promise<readonly Reply[]> {
    const { link, config } = this.#options;
    return link.run(commands, { deadlineMs: config().tmux.commandTimeoutMs });
  }
}
