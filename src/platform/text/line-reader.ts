// Bytes to lines, with a limit: what a peer may make us keep of a line that has not ended. No I/O.

const NEWLINE = 0x0a;

export class LineReader {
  readonly #lengthMax: number;
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax;
  }

  /** Whether a line has begun and not ended. */
  get isInside(): boolean {
    return this.#length > 0;
  }

  /** The lines that the bytes complete, without their ends; null when one is too long. */
  push(bytes: Buffer): Buffer[] | null {
    const lines: Buffer[] = [];
    let from = 0;
    for (let to = bytes.indexOf(NEWLINE); to >= 0; to = bytes.indexOf(NEWLINE, from)) {
      const rest = bytes.subarray(from, to);
      if (this.#length + rest.length > this.#lengthMax) return null;
      lines.push(this.#pieces.length === 0 ? rest : Buffer.concat([...this.#pieces, rest]));
      this.#pieces = [];
      this.#length = 0;
      from = to + 1;
    }
    if (from < bytes.length) {
      this.#pieces.push(bytes.subarray(from));
      this.#length += bytes.length - from;
    }
    return this.#length > this.#lengthMax ? null : lines;
  }
}
