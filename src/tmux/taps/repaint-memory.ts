// Tells a repaint from news. An agent at work paints the same few lines again and again, with
// another digit or the next picture of a spinner. What is printed is compared piece by piece, each
// from one control character to the next, because tmux cuts and joins output where it likes. Only
// the pace of captures depends on it, no state.

/** A spinner is through in this time; what comes back later is news again. */
const MEMORY_MS = 3_000;
/** A screen full of colours has a few hundred. */
const PIECES_MAX = 512;
/** So much news at once is another scene: what was there before it is news when it is back. */
const SCENE_LENGTH = 64;

export interface RepaintMemory {
  /** Whether these bytes have completed a piece that, digits aside, was not printed lately. */
  isNews(bytes: string, atMs: number): boolean;
  /** The same of the last piece, which nothing has completed yet. */
  isEndNews(atMs: number): boolean;
  /** Marks a gap: the pieces at both of its ends do not count. */
  cut(): void;
}

const HASH_START = 0x811c9dc5;
const BLANK = 32;
const ZERO = 48;
const NINE = 57;

interface Memory {
  /** When each piece was printed last, by its hash. */
  readonly printedAtMs: Map<number, number>;
  /** Of the last piece: its bytes so far, digits aside, hashed (FNV-1a) and counted, unless cut. */
  hash: number;
  length: number;
}

/** The memory of one pane. */
export function repaintMemory(): RepaintMemory {
  const memory: Memory = { printedAtMs: new Map(), hash: HASH_START, length: 0 };
  return {
    isNews(bytes, atMs) {
      const newLength = read(memory, bytes, atMs);
      forget(memory, { isScene: newLength > SCENE_LENGTH, atMs });
      return newLength > 0;
    },
    isEndNews: (atMs) => isPieceNews(memory, atMs),
    cut() {
      memory.length = Number.NEGATIVE_INFINITY;
    },
  };
}

/** Reads on; returns the length of all pieces that were completed and are news. */
function read(memory: Memory, bytes: string, atMs: number): number {
  let newLength = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes.charCodeAt(at);
    if (byte >= ZERO && byte <= NINE) continue;
    if (byte < BLANK) {
      if (isPieceNews(memory, atMs)) newLength += memory.length;
      if (memory.length > 1) memory.printedAtMs.set(memory.hash, atMs);
      memory.hash = HASH_START;
      memory.length = 0;
    }
    memory.hash = Math.imul(memory.hash ^ byte, 0x01000193);
    memory.length += 1;
  }
  return newLength;
}

/** A bare control character says nothing. */
function isPieceNews({ printedAtMs, hash, length }: Memory, atMs: number): boolean {
  return length > 1 && atMs - (printedAtMs.get(hash) ?? Number.NEGATIVE_INFINITY) > MEMORY_MS;
}

function forget(
  { printedAtMs }: Memory,
  { isScene, atMs }: { readonly isScene: boolean; readonly atMs: number },
): void {
  if (!isScene && printedAtMs.size <= PIECES_MAX) return;
  const keptMs = isScene ? 0 : MEMORY_MS;
  for (const [piece, lastMs] of printedAtMs) {
    if (atMs - lastMs > keptMs) printedAtMs.delete(piece);
  }
  if (printedAtMs.size > PIECES_MAX) printedAtMs.clear();
}

/** A title without what agents turn in it while their state is the same. That one spins counts. */
export const withoutMotion = (title: string): string =>
  title.replace(/[\u2800-\u28ff]+/gu, '\u28ff').replace(/[\d\s!-/:-@[-`{-~]+/g, '');
