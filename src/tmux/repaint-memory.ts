// Tells a repaint from news. An agent at work paints the same few lines again and again, with
// another digit or the next picture of a spinner. Only the pace of looks hangs on it, no answer.

/** A spinner is through in this time; what comes back later is news again. */
const MEMORY_MS = 3_000;
const PICTURES_MAX = 64;
/** News of another length is another scene: what was there before it is news when it is back. */
const SCENE_LENGTH = 64;

export interface RepaintMemory {
  /** Whether these bytes, digits aside, were not printed lately. */
  isNews(bytes: string, atMs: number): boolean;
}

/** The memory of one pane. */
export function repaintMemory(): RepaintMemory {
  const pictures = new Map<number, number>();
  let lastLength = 0;
  return {
    isNews(bytes, atMs) {
      const picture = pictureOf(bytes);
      const seenAtMs = pictures.get(picture);
      const isNews = seenAtMs === undefined || atMs - seenAtMs > MEMORY_MS;
      if (isNews && Math.abs(bytes.length - lastLength) > SCENE_LENGTH) pictures.clear();
      lastLength = bytes.length;
      // Set anew, so that the one that was not seen for longest is the first.
      pictures.delete(picture);
      pictures.set(picture, atMs);
      const [oldest] = pictures.keys();
      if (pictures.size > PICTURES_MAX && oldest !== undefined) pictures.delete(oldest);
      return isNews;
    },
  };
}

const ZERO = 48;
const NINE = 57;

/** A hash (FNV-1a) of all but the digits. */
function pictureOf(bytes: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes.charCodeAt(at);
    if (byte >= ZERO && byte <= NINE) continue;
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return hash;
}

/** A title without what agents turn in it while their state is the same. That one spins counts. */
export const withoutMotion = (title: string): string =>
  title.replace(/[\u2800-\u28ff]+/gu, '\u28ff').replace(/[\d\s!-/:-@[-`{-~]+/g, '');
