// Keeps one event from crashing the daemon repeatedly. When a bug ends the process, the events that
// it applied are saved as suspects. A suspect is then applied alone, so that a second crash
// identifies it; after that it is refused. Kills from outside (SIGKILL, OOM) do not count.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import type { EventId } from '../../schema/ids.ts';
import { branded } from '../../schema/shapes.ts';

const EXITS_MAX = 2;
const SUSPECTS_MAX = 1_000;

const fileSchema = z.object({
  suspects: z
    .array(z.object({ eventId: branded<EventId>(), exits: z.number().int().positive() }))
    .max(SUSPECTS_MAX),
});

export class Quarantine {
  readonly #path: string;
  /** Exits while it was being applied, oldest suspect first. */
  readonly #exits: Map<EventId, number>;
  #applying: readonly EventId[] = [];

  /** Reads the suspects of earlier runs at `path`. A file that cannot be read counts as empty. */
  constructor(path: string) {
    this.#path = path;
    this.#exits = new Map(readSuspects(path));
  }

  /** Whether the event ended the daemon twice. It is not to be applied any more. */
  refuses(eventId: EventId): boolean {
    return (this.#exits.get(eventId) ?? 0) >= EXITS_MAX;
  }

  /** Whether the event was there when the daemon ended. It is to be applied alone. */
  suspects(eventId: EventId): boolean {
    return this.#exits.has(eventId);
  }

  refused(): readonly EventId[] {
    return [...this.#exits.keys()].filter((eventId) => this.refuses(eventId));
  }

  /** The events being applied, which a crash now would make suspects. */
  get applying(): readonly EventId[] {
    return this.#applying;
  }

  /** Call before a batch is applied. */
  begin(eventIds: readonly EventId[]): void {
    this.#applying = eventIds;
  }

  /** Call when it was applied: suspects among it are cleared. */
  done(): void {
    const cleared = this.#applying.filter((eventId) => this.#exits.delete(eventId));
    this.#applying = [];
    if (cleared.length > 0) this.#save();
  }

  /** Call when a defect ends the process, before the exit. */
  defect(): void {
    for (const eventId of this.#applying) {
      this.#exits.set(eventId, (this.#exits.get(eventId) ?? 0) + 1);
    }
    if (this.#applying.length > 0) this.#save();
  }

  #save(): void {
    // Above the limit, suspects of one crash are dropped first, the oldest first.
    const kept = [...this.#exits].sort((a, b) => a[1] - b[1]).slice(-SUSPECTS_MAX);
    const suspects = kept.map(([eventId, exits]) => ({ eventId, exits }));
    const draft = `${this.#path}.new`;
    writeFileSync(draft, JSON.stringify({ suspects }), { mode: 0o600 });
    renameSync(draft, this.#path);
  }
}

function readSuspects(path: string): readonly (readonly [EventId, number])[] {
  try {
    const { suspects } = fileSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
    return suspects.map(({ eventId, exits }) => [eventId, exits] as const);
  } catch {
    return [];
  }
}
