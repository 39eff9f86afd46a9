// The bytes of an ACP agent as messages. Agents print banners and warnings between their messages:
// whatever is no message of JSON-RPC is kept as noise, a little of it, and skipped.

import { LineReader } from '../../platform/text/line-reader.ts';

/** A message with an image is megabytes long; more is no message. */
const FRAME_BYTES_MAX = 16 * 1024 * 1024;

export type AcpObject = Readonly<Record<string, unknown>>;

export interface FrameHandlers {
  readonly onMessage: (message: AcpObject) => void;
  readonly onNoise: (line: string) => void;
  /** A line has no end: nothing after it can be understood. */
  readonly onOverflow: () => void;
}

export const isObject = (value: unknown): value is AcpObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export class AcpFrames {
  readonly #handlers: FrameHandlers;
  readonly #lines = new LineReader(FRAME_BYTES_MAX);
  #isBroken = false;

  constructor(handlers: FrameHandlers) {
    this.#handlers = handlers;
  }

  /** Takes what came, one character a byte. */
  push(bytes: string): void {
    if (this.#isBroken) return;
    const lines = this.#lines.push(Buffer.from(bytes, 'latin1'));
    if (lines === null) {
      this.#isBroken = true;
      this.#handlers.onOverflow();
      return;
    }
    for (const line of lines) this.#take(line.toString('utf8').trim());
  }

  #take(line: string): void {
    if (line === '') return;
    const message = line.startsWith('{') ? parsed(line) : null;
    if (message === null) this.#handlers.onNoise(line);
    else this.#handlers.onMessage(message);
  }
}

/** Null for what is no message: it names neither a method nor what it replies to. */
function parsed(line: string): AcpObject | null {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) && ('method' in value || 'id' in value) ? value : null;
  } catch {
    return null;
  }
}
