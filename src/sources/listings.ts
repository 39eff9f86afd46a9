// The listings of one server. Nearly all show what the one before has shown, and a whole one costs
// tmux three times what a glance costs at the few things that change without a notice: titles,
// options, processes, activity. So where all is quiet it is glanced at, and listed when the glance
// differs, when somebody asks, and now and then.

import { clientsCommand, glanceCommand, listingCommand } from '../tmux/listing.ts';
import type { Reply } from '../tmux-wire/control-parser.ts';
import type { WatchedPanes } from './watched-panes.ts';

/** So long nothing but a glance is believed: no format tells that a command has changed. */
const LIST_MS = 5_000;
/** After a glance in vain it is listed at once for so long: something goes on. */
const VAIN_MS = 10_000;

export interface ListingsOptions {
  readonly run: (commands: readonly (readonly string[])[]) => Promise<readonly Reply[]>;
  readonly panes: WatchedPanes;
}

export interface Listed {
  /** It differs from the last one, or may: it was read anew. */
  readonly isWhole: boolean;
  readonly unreadCount: number;
  readonly clients: Reply | undefined;
}

export class Listings {
  readonly #options: ListingsOptions;
  #glance: readonly string[] | null = null;
  #listedMs = Number.NEGATIVE_INFINITY;
  #vainMs = Number.NEGATIVE_INFINITY;
  #isAsked = true;

  constructor(options: ListingsOptions) {
    this.#options = options;
  }

  /** Something may be new: the next one is whole. */
  ask(): void {
    this.#isAsked = true;
  }

  /** Null where tmux did not answer. `isQuiet`: whatever is printed is heard without a listing. */
  async read(nowMs: number, isQuiet: boolean): Promise<Listed | null> {
    const mayGlance = isQuiet && !this.#isAsked && this.#glance !== null;
    const isSoon = nowMs - this.#listedMs < LIST_MS && nowMs - this.#vainMs >= VAIN_MS;
    this.#isAsked = false;
    if (mayGlance && isSoon) {
      const [glance, clients] = await this.#options.run([glanceCommand(), clientsCommand()]);
      if (!glance?.ok) return null;
      if (isSame(glance.lines, this.#glance)) return { isWhole: false, unreadCount: 0, clients };
      this.#vainMs = nowMs;
    }
    return this.#list(nowMs);
  }

  async #list(nowMs: number): Promise<Listed | null> {
    const { run, panes } = this.#options;
    // While glances are in vain none is made. Else it comes first: what changes after it differs.
    const glances = nowMs - this.#vainMs < VAIN_MS ? [] : [glanceCommand()];
    const replies = await run([...glances, listingCommand(), clientsCommand()]);
    const [listed, clients] = replies.slice(glances.length);
    const glance = glances.length > 0 ? replies[0] : undefined;
    this.#glance = null;
    if (!listed?.ok) return null;
    const unreadCount = panes.read(listed);
    // What cannot be read now is listed again and not taken for known.
    if (unreadCount === 0 && glance?.ok) this.#glance = glance.lines;
    this.#listedMs = nowMs;
    return { isWhole: true, unreadCount, clients };
  }
}

const isSame = (a: readonly string[], b: readonly string[] | null): boolean =>
  a.length === b?.length && a.every((line, index) => line === b[index]);
