// The connection of one terminal: subscribes to the output of one agent, again after each loss, and
// sends keys and files. While nobody looks it is not subscribed, and costs nothing.

import { WebLink, type WebLinkState } from '../../web-client/web-link.ts';
import { BinaryMsgType, decodeBinaryFrame, encodeBinaryFrame } from './protocol.ts';

/**
 * live: as it prints. captured: five screens a second. paused: nobody looks. missing: no such agent
 * is listed, and it is asked for again. ended: its terminal shows nothing more. refused: the
 * service does not let us in.
 */
export type TerminalState =
  | 'connecting'
  | 'live'
  | 'captured'
  | 'paused'
  | 'reconnecting'
  | 'missing'
  | 'ended'
  | 'refused';

export interface TerminalConnectionParts {
  /** The agent's name, or `runtime:` and its id. */
  readonly agent: string;
  /** Of the WebSocket: `wss://host/ws`. */
  readonly url: string;
  readonly token: string | undefined;
  readonly onState: (state: TerminalState, detail: string) => void;
  /** The terminal is empty from here on. */
  readonly onReset: () => void;
  readonly onBytes: (bytes: Uint8Array) => void;
  /** Keys or a file were refused, or a file did not leave. */
  readonly onError: (error: string) => void;
}

/** A reply that does not come by then will not: the connection is dead. */
const REPLY_MS = 10_000;
/** An agent that is not listed may be so soon: a daemon that starts has to read first. */
const MISSING_MS = 2_000;

const CUT_FILE = 'The file was not sent: the connection was lost. Give it again later.';

interface Reply {
  readonly id?: string;
  readonly type?: string;
  readonly ok?: boolean;
  readonly error?: string;
  readonly agent?: string;
  readonly live?: boolean;
  readonly reason?: string;
}

export class TerminalConnection implements Disposable {
  readonly #parts: TerminalConnectionParts;
  readonly #link: WebLink;
  readonly #waiting = new Map<string, { take(reply: Reply): void; readonly timer: number }>();
  #nextId = 1;
  #isWanted = true;
  /** Grows with each subscription: a reply to an earlier one says nothing. */
  #subscription = 0;
  #retry: number | undefined;
  #state: TerminalState = 'connecting';
  /** Where the last file ends in what the connection was given to send. */
  #fileEnd = 0;

  constructor(parts: TerminalConnectionParts) {
    this.#parts = parts;
    this.#link = new WebLink({
      url: parts.url.replace(/^ws/, 'http').replace(/\/ws$/, ''),
      token: parts.token,
      onOpen: () => void this.#subscribe(),
      onMessage: (data) => this.#take(data),
      onState: (state) => this.#linkChanged(state),
      ping: () => this.#call('list-agents', { includeSessionFilter: '^$' }),
    });
  }

  get state(): TerminalState {
    return this.#state;
  }

  connect(): void {
    this.#link.connect();
  }

  /** Whether somebody looks. */
  set isWanted(isWanted: boolean) {
    if (this.#isWanted === isWanted) return;
    this.#isWanted = isWanted;
    if (this.#link.state !== 'open') return;
    if (isWanted) {
      void this.#subscribe();
      return;
    }
    this.#subscription += 1;
    this.#call('unsubscribe-output', { agent: this.#parts.agent }).catch(() => {});
    this.#set('paused');
  }

  /** Everything is sent anew, in place of what the page could not draw in time. */
  restart(): void {
    if (this.#isWanted && this.#link.state === 'open') void this.#subscribe();
  }

  /** False where it could not be sent. */
  send(kind: keyof typeof BinaryMsgType, payload: Uint8Array | string): boolean {
    const frame = encodeBinaryFrame(BinaryMsgType[kind], this.#parts.agent, payload);
    const isSent = this.#link.send(frame);
    if (isSent && kind === 'FileUpload') this.#fileEnd = this.#link.givenBytes;
    return isSent;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#retry);
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
    this.#link[Symbol.dispose]();
  }

  #linkChanged(state: WebLinkState): void {
    if (state === 'lost') {
      clearTimeout(this.#retry);
      for (const { timer } of this.#waiting.values()) clearTimeout(timer);
      this.#waiting.clear();
      this.#subscription += 1;
      this.#set('reconnecting');
      const isCut = this.#link.leftBytes < this.#fileEnd;
      this.#fileEnd = 0;
      if (isCut) this.#parts.onError(CUT_FILE);
    } else if (state === 'refused') this.#set('refused', 'the service does not let this page in');
  }

  async #subscribe(): Promise<void> {
    clearTimeout(this.#retry);
    if (!this.#isWanted) {
      this.#set('paused');
      return;
    }
    this.#subscription += 1;
    const number = this.#subscription;
    const reply = await this.#call('subscribe-output', { agent: this.#parts.agent }).catch(
      (): Reply => ({ error: 'the service does not answer' }),
    );
    if (number !== this.#subscription) return;
    if (reply.ok === true) {
      this.#set(reply.live === false ? 'captured' : 'live');
      return;
    }
    if (this.#state !== 'ended') this.#set('missing', reply.error ?? '');
    this.#retrySoon();
  }

  #retrySoon(): void {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.restart(), MISSING_MS);
  }

  /** Rejects where no reply comes in time. */
  #call(type: string, fields: object): Promise<Reply> {
    const id = `t${this.#nextId}`;
    this.#nextId += 1;
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const fail = (): void => {
      this.#waiting.delete(id);
      reject(new Error(`no reply to ${type}`));
    };
    this.#waiting.set(id, { take: resolve, timer: setTimeout(fail, REPLY_MS) });
    if (!this.#link.send(JSON.stringify({ id, type, ...fields }))) fail();
    return promise;
  }

  #take(data: string | ArrayBuffer): void {
    if (typeof data === 'string') this.#takeMessage(readReply(data));
    else {
      const frame = decodeBinaryFrame(data);
      if (frame?.agentName !== this.#parts.agent || !this.#isWanted) return;
      const { msgType, payload } = frame;
      if (msgType === BinaryMsgType.TerminalSnapshot) this.#parts.onReset();
      const isBytes = msgType === BinaryMsgType.TerminalOutput;
      if (isBytes || msgType === BinaryMsgType.TerminalSnapshot) this.#parts.onBytes(payload);
    }
  }

  #takeMessage(message: Reply): void {
    const waiting = message.id === undefined ? undefined : this.#waiting.get(message.id);
    if (waiting && message.id !== undefined) {
      this.#waiting.delete(message.id);
      clearTimeout(waiting.timer);
      waiting.take(message);
      return;
    }
    const { type, agent, live, reason, error } = message;
    if (type === 'error') this.#parts.onError(error ?? '');
    if (agent !== this.#parts.agent || !this.#isWanted) return;
    if (type === 'output-mode') this.#set(live === false ? 'captured' : 'live');
    else if (type === 'output-ended') {
      this.#set('ended', reason ?? '');
      // Another one may come by the same name, but never by the same id.
      if (!this.#parts.agent.startsWith('runtime:')) this.#retrySoon();
    }
  }

  #set(state: TerminalState, detail = ''): void {
    if (this.#state === state && detail === '') return;
    this.#state = state;
    this.#parts.onState(state, detail);
  }
}

/** Empty for what is no message. */
function readReply(text: string): Reply {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
