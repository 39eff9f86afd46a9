// The answers of the probe, cut out of its output: each ends with a line that has a random word,
// the number of its request and its exit status. What an answer holds is foreign and cannot know
// the word, so it cannot end early or answer another request. Pure.

export interface ProbeFrame {
  readonly number: number;
  readonly status: number;
  readonly body: string;
}

/** The longest end line: two numbers behind the word. */
const NUMBERS_LENGTH_MAX = 40;

export interface FrameReader {
  feed(bytes: string): readonly ProbeFrame[];
  /** How much is kept of an answer that has not ended; it is for the caller to bound it. */
  readonly length: number;
}

/** Scans each byte once and joins an answer only at its end: endless output stays cheap. */
export function frameReader(secret: string): FrameReader {
  const endLine = new RegExp(`\\n${secret} (\\d{1,15}) (\\d{1,10})\\n`);
  const endLengthMax = secret.length + NUMBERS_LENGTH_MAX;
  let parts: string[] = [];
  let length = 0;
  /** The end of the parts, in which an end line may have begun. */
  let tail = '';
  const keep = (bytes: string): void => {
    if (bytes !== '') parts.push(bytes);
    length += bytes.length;
    tail = (tail + bytes).slice(-endLengthMax);
  };
  const takeBody = (bodyLength: number): string => {
    const body = parts.join('').slice(0, bodyLength);
    parts = [];
    length = 0;
    tail = '';
    return body;
  };
  return {
    get length() {
      return length;
    },
    feed(bytes) {
      const frames: ProbeFrame[] = [];
      let rest = bytes;
      for (;;) {
        const joint = tail + rest;
        const startsAt = length - tail.length;
        keep(rest);
        const found = endLine.exec(joint);
        if (found === null) return frames;
        const body = takeBody(startsAt + found.index);
        frames.push({ number: Number(found[1]), status: Number(found[2]), body });
        rest = joint.slice(found.index + found[0].length);
      }
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
