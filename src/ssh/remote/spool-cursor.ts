// Which events of a host's spool we have. Others may read the same spool, the host's own daemon
// before all, so nothing is deleted for having been read. Pure.

export interface SpoolCursor {
  /** Everything up to this sequence is behind us; a name begins with its sequence. */
  readonly after: number;
  /** The names above it that we have. */
  readonly taken: ReadonlySet<string>;
}

export const freshCursor: SpoolCursor = { after: 0, taken: new Set() };

/** Names kept at most, and sent with each request. */
export const TAKEN_MAX = 200;
/** An emitter names its event first and finishes it within seconds; a later one may be faster. */
const LATE_MICROS = 15_000_000;

/**
 * The cursor after these events. A name from the future must not hide later ones. `after` is whole:
 * the shell that lists the spool compares with it, and a shell refuses fractions.
 */
export function cursorAfter(
  cursor: SpoolCursor,
  names: readonly string[],
  hostNowMs: number,
): SpoolCursor {
  const all = [...new Set([...cursor.taken, ...names])].sort();
  const newest = Math.min(sequenceOf(all.at(-1)), Math.trunc(hostNowMs * 1_000));
  const tooMany = sequenceOf(all.at(-TAKEN_MAX - 1));
  const after = Math.max(cursor.after, newest - LATE_MICROS, tooMany);
  return { after, taken: new Set(all.filter((name) => sequenceOf(name) > after)) };
}

const sequenceOf = (name: string | undefined): number => Number(name?.slice(0, 16) ?? 0);
