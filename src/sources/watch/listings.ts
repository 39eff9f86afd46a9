// The listings of one server. A whole one costs tmux three times what a glance costs, and most show
// the same, but for agents that print and spin in their titles, whose screens are looked at anyway.
// So it is glanced at, and listed when the glance shows more, when somebody asks, and now and then.

import {
  type CheapListing,
  cheapListingCommand,
  movedPanes,
  readCheapListing,
} from '../../tmux/cheap-listing.ts';
import { clientsCommand, listingCommand } from '../../tmux/listing.ts';
import type { Reply } from '../../tmux-wire/control-parser.ts';
import type { ScreenCaptures } from './screen-captures.ts';
import type { WatchedPanes } from './watched-panes.ts';

/** So long nothing but a glance is believed: no format tells that a command has changed. */
const LIST_MS = 5_000;
/** One that only titles, or shells which print, ask for waits so long for each row of 60 us. */
const ROW_MS = 4;

export interface ListingsOptions {
  readonly run: (commands: readonly (readonly string[])[]) => Promise<readonly Reply[]>;
  readonly panes: WatchedPanes;
  readonly captures: Pick<ScreenCaptures, 'isFollowed'>;
}

export interface Listed {
  /** It differs from the last one, or may: it was read anew. */
  readonly isWhole: boolean;
  /** Of a glance: panes whose screens may have changed. */
  readonly moved: readonly string[];
  readonly unreadCount: number;
  readonly clients: Reply | undefined;
}

export class Listings {
  readonly #options: ListingsOptions;
  #cheap: CheapListing | null = null;
  #cheapMs = Number.NEGATIVE_INFINITY;
  #listedMs = Number.NEGATIVE_INFINITY;
  #isAsked = true;
  /** A glance has shown more, and the listing waits for its time. */
  #isOwed = false;

  constructor(options: ListingsOptions) {
    this.#options = options;
  }

  /** Something may be new: the next one is whole. */
  ask(): void {
    this.#isAsked = true;
  }

  /** Null where tmux did not answer. */
  async read(nowMs: number): Promise<Listed | null> {
    const before = this.#isAsked || nowMs - this.#listedMs >= LIST_MS ? null : this.#cheap;
    this.#isAsked = false;
    this.#cheap = null;
    // The glance comes first: what changes after it differs from it the next time.
    const lists = before === null ? [listingCommand()] : [];
    const replies = await this.#options.run([cheapListingCommand(), ...lists, clientsCommand()]);
    const glance = readCheapListing(replies[0]);
    if (glance === null) return null;
    if (before === null) return this.#take(glance, replies.slice(1), nowMs);
    const moved = this.#movedIn(before, glance, nowMs);
    this.#cheapMs = nowMs;
    if (moved === null) {
      const listed = await this.#options.run([listingCommand(), clientsCommand()]);
      return this.#take(glance, listed, nowMs);
    }
    this.#cheap = glance;
    return { isWhole: false, moved, unreadCount: 0, clients: replies[1] };
  }

  /** Null where a glance is not enough. */
  #movedIn(before: CheapListing, glance: CheapListing, nowMs: number): readonly string[] | null {
    // tmux counts whole seconds: what moved in that of the last glance may have moved after it.
    const moved = movedPanes(before, glance, Math.floor(this.#cheapMs / 1_000));
    if (moved === null) return null;
    const { panes, captures: looks } = this.#options;
    const isEnough = moved.every(
      ({ paneId, isMoved, isRetitled }) => !isRetitled && (!isMoved || looks.isFollowed(paneId)),
    );
    this.#isOwed ||= !isEnough;
    const isSoon = nowMs - this.#listedMs < panes.ids.length * ROW_MS;
    return isSoon || !this.#isOwed ? moved.map(({ paneId }) => paneId) : null;
  }

  #take(
    glance: CheapListing,
    [listed, clients]: readonly (Reply | undefined)[],
    nowMs: number,
  ): Listed | null {
    if (!listed?.ok) return null;
    const unreadCount = this.#options.panes.read(listed);
    // What cannot be read now is listed again and not taken for known.
    if (unreadCount === 0) this.#cheap = glance;
    this.#cheapMs = nowMs;
    this.#listedMs = nowMs;
    this.#isOwed = false;
    return { isWhole: true, moved: [], unreadCount, clients };
  }
}
