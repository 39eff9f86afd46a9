// The terminals that one client watches: the stream of an operation as binary frames. A snapshot is
// a reset and then what makes the terminal show the pane, as the clients of this protocol expect.

import type { OutputMessage, StreamMessage } from '../../operations/ports/stream-message.ts';
import type { CallProblem } from '../access.ts';
import type { Session } from '../session.ts';
import type { ListedAgent } from './agent-list.ts';
import { frame, frameTypes } from './frames.ts';

/** What clients of this protocol are sent at a reset: an empty screen, the cursor at its top. */
const RESET = Buffer.from('\u001b[2J\u001b[H');

/** How a terminal is shown: in the reply, and in an event whenever it changes. */
export interface OutputMode {
  readonly cols: number;
  readonly rows: number;
  readonly live: boolean;
}

export interface OutputStreamsParts {
  readonly session: () => Session;
  readonly sendFrame: (bytes: Buffer) => void;
  readonly onMode: (name: string, mode: OutputMode) => void;
  /** The terminal shows nothing more. */
  readonly onEnded: (name: string, reason: string) => void;
}

type Opened = { readonly mode: OutputMode } | { readonly problem: Pick<CallProblem, 'message'> };

interface Watched {
  readonly name: string;
  readonly paneKey: string;
  subscription: string;
  mode: string;
  /** Called with the first message. */
  onOpened: ((opened: Opened) => void) | null;
}

// All viewers of an agent get the same bytes under the same name.
const framed = new WeakMap<Uint8Array, { readonly name: string; readonly frame: Buffer }>();

function outputFrame(name: string, bytes: Uint8Array): Buffer {
  const known = framed.get(bytes);
  if (known?.name === name) return known.frame;
  const made = frame(frameTypes.output, name, bytes);
  framed.set(bytes, { name, frame: made });
  return made;
}

export class OutputStreams {
  readonly #parts: OutputStreamsParts;
  readonly #byPane = new Map<string, Watched>();
  readonly #bySubscription = new Map<string, Watched>();

  constructor(parts: OutputStreamsParts) {
    this.#parts = parts;
  }

  /** Watches an agent, under that name; an earlier stream of it ends. Calls `reply` first. */
  open({ paneKey, runtimeId }: ListedAgent, name: string, reply: (opened: Opened) => void): void {
    this.close(paneKey);
    const watched: Watched = { name, paneKey, subscription: '', mode: '', onOpened: reply };
    const session = this.#parts.session();
    session.call('watch_output', { runtime_id: runtimeId }, (result) => {
      if (!result.ok) {
        reply(result);
        return;
      }
      watched.subscription = (result.value as { readonly subscription: string }).subscription;
      this.#byPane.set(paneKey, watched);
      this.#bySubscription.set(watched.subscription, watched);
    });
  }

  /** The name under which it is watched; null where it is not. */
  nameOf(paneKey: string): string | null {
    return this.#byPane.get(paneKey)?.name ?? null;
  }

  close(paneKey: string): void {
    const watched = this.#byPane.get(paneKey);
    if (!watched) return;
    this.#forget(watched);
    const { subscription } = watched;
    this.#parts.session().call('unsubscribe', { subscription }, () => {});
    // Who waits for the first frame is answered.
    watched.onOpened?.({ problem: { message: 'it was ended' } });
  }

  /** Closes it by itself, and says why. */
  end(paneKey: string, reason: string): void {
    const watched = this.#byPane.get(paneKey);
    if (!watched) return;
    const isOpened = watched.onOpened === null;
    this.close(paneKey);
    if (isOpened) this.#parts.onEnded(watched.name, reason);
  }

  /** Whether the message is of a stream that this has opened. */
  take(subscription: string, message: StreamMessage): boolean {
    const watched = this.#bySubscription.get(subscription);
    if (!watched || !('epoch' in message)) return false;
    this.#take(watched, message);
    return true;
  }

  #take(watched: Watched, message: OutputMessage): void {
    const { name } = watched;
    const { sendFrame, onEnded } = this.#parts;
    if (message.type === 'output_bytes') sendFrame(outputFrame(name, message.bytes));
    else if (message.type === 'output_snapshot') {
      this.#noteMode(watched, message);
      sendFrame(frame(frameTypes.reset, name, RESET));
      sendFrame(outputFrame(name, message.bytes));
    } else {
      this.#forget(watched);
      if (watched.onOpened) watched.onOpened({ problem: { message: message.reason } });
      else onEnded(name, message.reason);
    }
  }

  #noteMode(watched: Watched, { cols, rows, live }: OutputMode): void {
    const mode = { cols, rows, live };
    const text = JSON.stringify(mode);
    const { onOpened } = watched;
    watched.onOpened = null;
    if (onOpened) onOpened({ mode });
    else if (text !== watched.mode) this.#parts.onMode(watched.name, mode);
    watched.mode = text;
  }

  #forget(watched: Watched): void {
    this.#bySubscription.delete(watched.subscription);
    if (this.#byPane.get(watched.paneKey) === watched) this.#byPane.delete(watched.paneKey);
  }
}
