// One process that speaks ACP over its stdio. The SDK matches requests and replies; updates and
// permission requests are taken before it, because it drops kinds that it does not know. Nothing
// here waits without a limit, and the process ends with this one.

import type { AnyMessage, ClientConnection } from '@agentclientprotocol/sdk';
import { type Child, type ChildExit, startChild } from '../../platform/process/child.ts';
import { AcpFrames, type AcpObject, isObject } from './acp-frames.ts';

/** The end of what the agent printed besides its messages: it holds the reason of a failure. */
const NOISE_LENGTH_MAX = 16_384;
/** What has to end by itself first: its input is closed, then it is asked to, then it is killed. */
const END_INPUT_MS = 1_500;
const TERMINATE_MS = 1_500;
/** A name and a version are asked for by every agent. */
const CLIENT_NAME = 'agtmux';

/** A reply that is an error, as the agent gave it. */
export class AcpError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The message of an error with its details: "Internal error" alone says nothing. */
export function acpErrorText({ message, data }: AcpError): string {
  const { details, message: inner } = isObject(data) ? data : {};
  const words = [data, details, inner].find((each) => typeof each === 'string' && each !== '');
  return words === undefined || message.includes(String(words)) ? message : `${message}: ${words}`;
}

export const ACP_AUTH_REQUIRED = -32_000;
/** Ours: no reply in time, or the process has ended. */
export const ACP_NO_REPLY = -1;

export interface AcpLinkSpec {
  /** The program and its arguments; no shell reads them. */
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly onUpdate: (params: AcpObject) => void;
  /** `reply` answers it; only the first answer counts. */
  readonly onPermission: (params: AcpObject, reply: (outcome: AcpObject) => boolean) => void;
  /** Called once; nothing is called after it. */
  readonly onExit: (exit: ChildExit) => void;
}

export class AcpLink implements AsyncDisposable {
  readonly #child: Child;
  readonly #connection: ClientConnection;
  readonly #incoming: ReadableStreamDefaultController<AnyMessage>;
  readonly #spec: AcpLinkSpec;
  /** Requests of ours that have no reply yet. */
  readonly #pending = new Set<unknown>();
  #noise = '';
  #isOver = false;
  /** Why we ended it, where we did. */
  #reason: string | null = null;

  private constructor(spec: AcpLinkSpec, sdk: typeof import('@agentclientprotocol/sdk')) {
    this.#spec = spec;
    let incoming: ReadableStreamDefaultController<AnyMessage> | null = null;
    const readable = new ReadableStream<AnyMessage>({
      start: (controller) => {
        incoming = controller;
      },
    });
    if (incoming === null) throw new Error('a stream without a controller');
    this.#incoming = incoming;
    const frames = new AcpFrames({
      onMessage: (message) => this.#take(message),
      onNoise: (line) => this.#note(`${line}\n`),
      onOverflow: () => this.kill('a message of it has no end'),
    });
    const [command = '', ...args] = spec.argv;
    this.#child = startChild({
      ...{ command, args, env: spec.env, cwd: spec.cwd, hasGroup: true },
      onStdout: (bytes) => frames.push(bytes),
      onStderr: (bytes) => this.#note(Buffer.from(bytes, 'latin1').toString('utf8')),
      onExit: (exit) => this.#ended(exit),
    });
    const writable = new WritableStream<AnyMessage>({
      write: (message) => {
        if ('method' in message && 'id' in message) this.#pending.add(message.id);
        if (!this.#write(message)) throw new Error('the agent does not read what it is sent');
      },
    });
    this.#connection = sdk.client({ name: CLIENT_NAME }).connect({ readable, writable });
    this.#connection.closed.catch(() => {});
  }

  /** Starts the process. What cannot be started exits, with an error. */
  static async open(spec: AcpLinkSpec): Promise<AcpLink> {
    // Loaded with the first member: nobody else needs it.
    const sdk = await import('@agentclientprotocol/sdk').catch(() => null);
    if (sdk !== null) return new AcpLink(spec, sdk);
    const message = 'a part of agtmux is missing: it was updated; restart the daemon';
    throw new AcpError(ACP_NO_REPLY, message, null);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The end of what it printed besides its messages. */
  get noise(): string {
    return this.#noise;
  }

  /** Why we ended it, where we did. */
  get reason(): string | null {
    return this.#reason;
  }

  /** The result of a request. Rejects with an AcpError; without an answer in time too. */
  async request(method: string, params: AcpObject, timeoutMs: number): Promise<AcpObject> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), timeoutMs);
    try {
      const options = { cancellationSignal: abort.signal, stopWaitingOnCancel: true };
      const result = await this.#connection.agent.request<unknown>(method, params, options);
      return isObject(result) ? result : {};
    } catch (error) {
      throw this.#problemOf(error, method, abort.signal.aborted);
    } finally {
      clearTimeout(timer);
    }
  }

  /** False when it cannot be written. */
  notify(method: string, params: AcpObject): boolean {
    return this.#write({ jsonrpc: '2.0', method, params });
  }

  /** Ends it at once, for a reason that people are shown. */
  kill(reason: string): void {
    if (this.#isOver) return;
    this.#reason ??= reason;
    this.#child.kill('SIGKILL');
  }

  /** Ends it: by the end of its input, then by a signal. Resolves when it is gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isOver) return;
    this.#reason ??= 'it was stopped';
    this.#child.endInput();
    const terminate = setTimeout(() => this.#child.kill('SIGTERM'), END_INPUT_MS);
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), END_INPUT_MS + TERMINATE_MS);
    await this.#child.exited;
    clearTimeout(terminate);
    clearTimeout(kill);
  }

  #problemOf(error: unknown, method: string, isLate: boolean): AcpError {
    if (this.#isOver) return new AcpError(ACP_NO_REPLY, this.#reason ?? 'it has ended', null);
    if (isLate) return new AcpError(ACP_NO_REPLY, `no reply to ${method} in time`, null);
    const fields = isObject(error) ? error : {};
    const code = typeof fields['code'] === 'number' ? fields['code'] : ACP_NO_REPLY;
    const message = error instanceof Error ? error.message : String(error);
    return new AcpError(code, message, fields['data'] ?? null);
  }

  #take(message: AcpObject): void {
    if (this.#isOver) return;
    const { method, id } = message;
    const params = isObject(message['params']) ? message['params'] : {};
    if (method === 'session/update') this.#spec.onUpdate(params);
    else if (method === 'session/request_permission' && id !== undefined) {
      this.#permission(id, params);
    } else if (method !== undefined || this.#pending.delete(id)) {
      this.#incoming.enqueue(message as AnyMessage);
    }
  }

  #permission(id: unknown, params: AcpObject): void {
    let isAnswered = false;
    this.#spec.onPermission(params, (outcome) => {
      if (isAnswered || this.#isOver) return false;
      isAnswered = this.#write({ jsonrpc: '2.0', id, result: { outcome } });
      return isAnswered;
    });
  }

  #write(message: unknown): boolean {
    return !this.#isOver && this.#child.write(`${JSON.stringify(message)}\n`);
  }

  #note(text: string): void {
    this.#noise = (this.#noise + text).slice(-NOISE_LENGTH_MAX);
  }

  #ended(exit: ChildExit): void {
    this.#isOver = true;
    this.#connection.close();
    try {
      this.#incoming.close();
    } catch {
      // The connection has closed its side already.
    }
    this.#spec.onExit(exit);
  }
}
