// Cuts bytes that come in pieces into lines with their places. A line without its end waits for the
// rest; one that is too long is dropped as it comes, so that no more than a line is ever kept.

const NEWLINE = 0x0a;
const PARTS_MAX = 64;

export interface FileLine {
  readonly text: string;
  /** Its offset in the file, which identifies the line together with the file name. */
  readonly offset: number;
  /** Where the next line begins. */
  readonly end: number;
}

export class LineCutter {
  /** Lines that were too long and left out. */
  skippedCount = 0;
  readonly #lineBytesMax: number;
  /** The beginning of the line that is not whole yet. */
  #parts: Uint8Array[] = [];
  #partBytes = 0;
  #lineOffset: number;
  /** The line at hand is too long: the rest of it is of no use. */
  #isSkipping = false;

  /** The first bytes are from this place of the file. */
  constructor(lineBytesMax: number, offset: number) {
    this.#lineBytesMax = lineBytesMax;
    this.#lineOffset = offset;
  }

  /** The offset of the incomplete line. */
  get lineOffset(): number {
    return this.#lineOffset;
  }

  /** The lines that are whole now. Empty ones are left out. */
  push(bytes: Uint8Array): readonly FileLine[] {
    const lines: FileLine[] = [];
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      this.#take(bytes.subarray(start, end));
      const next = this.#lineOffset + this.#partBytes + 1;
      if (this.#isSkipping) this.skippedCount += 1;
      else if (this.#partBytes > 0) {
        lines.push({ text: this.#text(), offset: this.#lineOffset, end: next });
      }
      this.#drop(next);
      start = end + 1;
    }
    if (start < bytes.length) this.#take(bytes.slice(start));
    return lines;
  }

  #take(part: Uint8Array): void {
    this.#partBytes += part.length;
    if (this.#partBytes > this.#lineBytesMax) {
      this.#isSkipping = true;
      this.#parts = [];
      return;
    }
    if (part.length > 0) this.#parts.push(part);
    // Written by the byte, a line would be a list of bytes.
    if (this.#parts.length > PARTS_MAX) this.#parts = [Buffer.concat(this.#parts)];
  }

  #text(): string {
    return Buffer.concat(this.#parts).toString('utf8');
  }

  #drop(offset: number): void {
    this.#parts = [];
    this.#partBytes = 0;
    this.#lineOffset = offset;
    this.#isSkipping = false;
  }
}
