// The answers of the probe, cut out of its output: each ends with a line that has a random word,
// the number of its request and its exit status. What an answer holds is foreign and cannot know
// the word, so it cannot end early or speak for another. Pure.

export interface ProbeFrame {
  readonly number: number;
  readonly status: number;
  /** Null when there was more of it than is kept. */
  readonly body: string | null;
}

/** The longest end line: two numbers behind the word. */
const NUMBERS_LENGTH_MAX = 40;

export interface FrameReader {
  feed(bytes: string): readonly ProbeFrame[];
}

/** A reader that keeps at most `bodyBytesMax` of one answer; the rest of it is dropped. */
export function frameReader(secret: string, bodyBytesMax: number): FrameReader {
  const endLine = new RegExp(`\\n${secret} (\\d{1,15}) (\\d{1,10})\\n`, 'g');
  const endLengthMax = secret.length + NUMBERS_LENGTH_MAX;
  let kept = '';
  let isOverflowing = false;
  const takeFrame = (): ProbeFrame | null => {
    const found = endLine.exec(kept);
    if (found === null) return null;
    const body = isOverflowing ? null : kept.slice(0, found.index);
    kept = kept.slice(endLine.lastIndex);
    endLine.lastIndex = 0;
    isOverflowing = false;
    return { number: Number(found[1]), status: Number(found[2]), body };
  };
  return {
    feed(bytes) {
      // What was searched before is not searched again, but for an end that was cut.
      endLine.lastIndex = Math.max(0, kept.length - endLengthMax);
      kept += bytes;
      const frames: ProbeFrame[] = [];
      for (let frame = takeFrame(); frame !== null; frame = takeFrame()) frames.push(frame);
      if (kept.length > bodyBytesMax) {
        isOverflowing = true;
        kept = kept.slice(-endLengthMax);
      }
      return frames;
    },
  };
}

/** The sections of an answer: lines `<secret>.<name> <argument>` begin them. */
export interface ProbeSection {
  readonly name: string;
  readonly argument: string;
  readonly body: string;
}

/** Cuts an answer into its sections. What comes before the first is dropped. */
export function sectionsOf(secret: string, body: string): readonly ProbeSection[] {
  const [, ...parts] = `\n${body}`.split(`\n${secret}.`);
  return parts.map((part) => {
    const end = part.indexOf('\n');
    const line = end < 0 ? part : part.slice(0, end);
    const blank = line.indexOf(' ');
    return {
      name: blank < 0 ? line : line.slice(0, blank),
      argument: blank < 0 ? '' : line.slice(blank + 1),
      body: end < 0 ? '' : part.slice(end + 1),
    };
  });
}
