// The WebSocket to the web service: opened, watched for silence, and opened again after it was
// lost, later each time. What its messages mean is web-client.ts.

import { type DaemonError, isPassing } from '../client/daemon-error.ts';
import { notAdmitted, notConnected } from './reply-error.ts';

/** open: calls go through. lost: it is tried again. refused: the service does not let us in. */
export type WebLinkState = 'connecting' | 'open' | 'lost' | 'refused' | 'closed';

const RETRY_FIRST_MS = 300;
const RETRY_MAX_MS = 8_000;
/** A connection without a message for so long is asked whether it lives. */
const SILENCE_MS = 15_000;

const SUBPROTOCOL = 'agtmux';
/** What the service closes with when the token was revoked. */
const REVOKED = 1008;

export interface WebLinkParts {
  /** Where the service is: `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Absent: the cookie of the page. */
  readonly token?: string | undefined;
  readonly onOpen: () => void;
  readonly onMessage: (data: string | ArrayBuffer) => void;
  readonly onState: (state: WebLinkState) => void;
  /** Asks the service for a sign of life. Rejects when none comes. */
  readonly ping: () => Promise<unknown>;
}

export class WebLink implements Disposable {
  readonly #parts: WebLinkParts;
  #socket: WebSocket | null = null;
  /** The connection that was opened last, which may be lost, and what it was given to send. */
  #sender: { readonly socket: WebSocket; givenBytes: number } | null = null;
  #state: WebLinkState = 'connecting';
  #retryMs = RETRY_FIRST_MS;
  #retryTimer: ReturnType<typeof setTimeout> | null = null;
  #silenceTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(parts: WebLinkParts) {
    this.#parts = parts;
  }

  get state(): WebLinkState {
    return this.#state;
  }

  /** Connects; also at once where it waits to try again, or was refused before. */
  connect(): void {
    if (this.#state === 'closed' || this.#socket) return;
    this.#clearTimers();
    if (this.#state === 'refused') this.#set('connecting');
    const { url, token } = this.#parts;
    const protocols = token === undefined ? [] : [`${SUBPROTOCOL}.token.${token}`];
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws`, [SUBPROTOCOL, ...protocols]);
    socket.binaryType = 'arraybuffer';
    this.#socket = socket;
    this.#sender = { socket, givenBytes: 0 };
    let wasOpen = false;
    socket.onopen = () => {
      wasOpen = true;
      this.#retryMs = RETRY_FIRST_MS;
      this.#set('open');
      this.#watchSilence();
      this.#parts.onOpen();
    };
    socket.onmessage = ({ data }) => {
      this.#watchSilence();
      this.#parts.onMessage(data as string | ArrayBuffer);
    };
    socket.onclose = ({ code }) => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      if (code === REVOKED) this.#set('refused');
      else void this.#lost(wasOpen);
    };
  }

  /** How much the last connection was given to send. */
  get givenBytes(): number {
    return this.#sender?.givenBytes ?? 0;
  }

  /** How much of that has left the page, also after the connection was lost. */
  get leftBytes(): number {
    return this.givenBytes - (this.#sender?.socket.bufferedAmount ?? 0);
  }

  /** False where it is not open. */
  send(data: string | Uint8Array<ArrayBuffer>): boolean {
    const sender = this.#sender;
    if (this.#socket?.readyState !== WebSocket.OPEN || !sender) return false;
    const before = this.#socket.bufferedAmount;
    this.#socket.send(data);
    sender.givenBytes += this.#socket.bufferedAmount - before;
    return true;
  }

  [Symbol.dispose](): void {
    this.#clearTimers();
    this.#set('closed');
    this.#drop();
  }

  #set(state: WebLinkState): void {
    if (this.#state === state || this.#state === 'closed') return;
    this.#state = state;
    this.#parts.onState(state);
  }

  #clearTimers(): void {
    if (this.#retryTimer) clearTimeout(this.#retryTimer);
    if (this.#silenceTimer) clearTimeout(this.#silenceTimer);
    this.#retryTimer = null;
    this.#silenceTimer = null;
  }

  /** Nothing that it still has to say counts. */
  #drop(): void {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  async #lost(wasOpen: boolean): Promise<void> {
    this.#clearTimers();
    this.#set('lost');
    // A browser does not say why it was not let in; a request does.
    const refusal = wasOpen ? null : await probe(this.#parts);
    if (this.#state === 'closed' || this.#socket) return;
    if (refusal && !isPassing(refusal)) {
      this.#set('refused');
      return;
    }
    // Many pages that lost the same service do not come back in the same moment.
    const waitMs = this.#retryMs * (0.75 + Math.random() / 2);
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MAX_MS);
    this.#retryTimer = setTimeout(() => this.connect(), waitMs);
  }

  #watchSilence(): void {
    if (this.#silenceTimer) clearTimeout(this.#silenceTimer);
    const before = this.#sent();
    this.#silenceTimer = setTimeout(() => {
      const socket = this.#socket;
      // A question would wait behind what is being sent, and so would its answer.
      if (this.#isSending(before)) {
        this.#watchSilence();
        return;
      }
      const atPing = this.#sent();
      this.#parts.ping().catch(() => {
        if (this.#socket !== socket || !socket) return;
        if (this.#isSending(atPing)) {
          this.#watchSilence();
          return;
        }
        this.#drop();
        void this.#lost(true);
      });
    }, SILENCE_MS);
  }

  #sent(): { readonly leftBytes: number; readonly isWhole: boolean } {
    const { leftBytes, givenBytes } = this;
    return { leftBytes, isWhole: leftBytes === givenBytes };
  }

  /**
   * Whether more has left since then of what did not leave at once. A dead connection takes what
   * the system can hold, and then nothing more.
   */
  #isSending(before: { readonly leftBytes: number; readonly isWhole: boolean }): boolean {
    const { leftBytes, isWhole } = this.#sent();
    return leftBytes > before.leftBytes && !(isWhole && before.isWhole);
  }
}

/** Why the service lets nobody in; null where it would. */
export async function probe({
  url,
  token,
}: Pick<WebLinkParts, 'url' | 'token'>): Promise<DaemonError | null> {
  const bearer: Record<string, string> =
    token === undefined ? {} : { Authorization: `Bearer ${token}` };
  try {
    const { status } = await fetch(`${url}/rpc`, {
      method: 'POST',
      credentials: 'same-origin',
      headers: { 'Content-Type': 'application/json', ...bearer },
      body: '{"jsonrpc":"2.0","id":1,"method":"hello"}',
      signal: AbortSignal.timeout(5_000),
    });
    return status === 401 || status === 403 || status === 429 ? notAdmitted(status) : null;
  } catch {
    return notConnected();
  }
}
