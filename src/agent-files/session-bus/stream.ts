// Server-sent events as bytes, in whatever pieces they come: the data of each event, and nothing of
// one that is too long, so that no more than one event is ever kept. No I/O.

const NEWLINE = 0x0a;

export class EventStream {
  /** Events that were too long and left out. */
  skippedCount = 0;
  readonly #bytesMax: number;
  /** The line that is not whole yet. */
  #parts: Uint8Array[] = [];
  /** The data of the incomplete event. */
  #data: string[] = [];
  #eventBytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The data of the events that are whole now. */
  push(bytes: Uint8Array): readonly string[] {
    const events: string[] = [];
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      this.#take(bytes.subarray(start, end));
      const event = this.#endLine();
      if (event !== null) events.push(event);
      start = end + 1;
    }
    // A copy, because the piece that it is of may be large and is not ours.
    if (start < bytes.length) this.#take(bytes.slice(start));
    return events;
  }

  #take(part: Uint8Array): void {
    this.#eventBytes += part.length;
    if (this.#eventBytes > this.#bytesMax) {
      this.#parts = [];
      this.#data = [];
    }
    // After that only whether the line is empty counts, which ends the event.
    const isKept = this.#eventBytes <= this.#bytesMax || this.#parts.length === 0;
    if (part.length > 0 && isKept) this.#parts.push(part.subarray(0, this.#bytesMax));
  }

  /** The event that ends with this line, where one does. */
  #endLine(): string | null {
    const line = Buffer.concat(this.#parts).toString('utf8').replace(/\r$/, '');
    this.#parts = [];
    if (line !== '') {
      // Names, ids and comments of events are not needed: the data has them all.
      const [, text] = /^data:? ?(.*)$/s.exec(line) ?? [];
      if (text !== undefined) this.#data.push(text);
      return null;
    }
    const isTooLong = this.#eventBytes > this.#bytesMax;
    if (isTooLong) this.skippedCount += 1;
    const event = isTooLong || this.#data.length === 0 ? null : this.#data.join('\n');
    this.#data = [];
    this.#eventBytes = 0;
    return event;
  }
}
