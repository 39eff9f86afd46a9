// What a door needs of whoever publishes changes. The daemon's publisher is one; a door hands it
// a way to write and is handed the stream's life.

import type { Subscribed, SubscribeInput } from '../schema/api/stream.ts';

export interface StreamSink {
  /** Writes one whole line, its end included. */
  readonly send: (line: string) => void;
  /** Bytes that were written and that the reader has not taken yet. */
  readonly bufferedBytes: () => number;
}

export interface OpenStream {
  readonly answer: Subscribed;
  /** Sends what comes first. Called once, in the same tick, after the answer was written. */
  readonly start: () => void;
  /** The reader has taken everything. */
  readonly drained: () => void;
  readonly [Symbol.dispose]: () => void;
}

export interface StreamHost {
  readonly subscribe: (input: SubscribeInput, sink: StreamSink) => OpenStream;
}
