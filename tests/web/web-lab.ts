// A real daemon on a real tmux with its web service open, and peers that speak to it as programs of
// other people do: with a WebSocket, by hand.

import { type ClientRequestArgs, request } from 'node:http';
import { connect as connectTcp, type Socket } from 'node:net';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { root } from '../../scripts/script-entry.ts';
import type { DaemonClient } from '../../src/client/client.ts';
import { ActingLab, type ActingLabOptions } from '../acting/acting-lab.ts';
import { eventually } from '../live/tmux-server.ts';

export const TOKEN = 'a-token-of-the-test';

type Fields = Readonly<Record<string, unknown>>;

export interface WebLabOptions extends ActingLabOptions {
  readonly noAuth?: boolean;
  readonly input?: object;
}

export class WebLab implements AsyncDisposable {
  readonly lab: ActingLab;
  readonly url: string;
  readonly #token: string | null;
  /** The web service is open as long as this connection is. */
  readonly opener: DaemonClient;
  readonly #peers: WebPeer[] = [];

  private constructor(lab: ActingLab, url: string, token: string | null, opener: DaemonClient) {
    this.lab = lab;
    this.url = url;
    this.#token = token;
    this.opener = opener;
  }

  static async open(options: WebLabOptions = {}): Promise<WebLab> {
    const { noAuth = false, input = {}, ...rest } = options;
    const lab = await ActingLab.open(rest);
    const opener = await lab.live.client();
    const access = noAuth ? { no_auth: true } : { auth_token: TOKEN };
    const { url } = await opener.call('open_web', { port: 0, ...access, ...input });
    return new WebLab(lab, url, noAuth ? null : TOKEN, opener);
  }

  /** The address of the WebSocket, with the token where one is needed. */
  get socketUrl(): string {
    return this.#socketUrl(this.#token);
  }

  #socketUrl(token: string | null): string {
    const query = token === null ? '' : `?token=${token}`;
    return `${this.url.replace(/^http/, 'ws')}/ws${query}`;
  }

  /** A peer that has connected. */
  async peer(token: string | null = this.#token): Promise<WebPeer> {
    const peer = new WebPeer(new WebSocket(this.#socketUrl(token)));
    this.#peers.push(peer);
    await peer.opened;
    return peer;
  }

  /** Those that have not been closed. */
  peers(): readonly WebPeer[] {
    return this.#peers.filter(({ closed }) => closed === null);
  }

  /** A stand-in for Claude Code in a session of its own, that the service lists. */
  async agent(session: string): Promise<string> {
    const paneId = this.lab.openShell(session);
    await this.lab.startAgent(paneId);
    return paneId;
  }

  /** A listed agent that keeps every byte it reads in the file of that name. */
  async reader(
    session: string,
    name: string = session,
  ): Promise<{ readonly paneId: string; readonly file: string }> {
    const { folder } = this.lab.live;
    const paneId = this.lab.openShell(session);
    const file = join(folder, `read by ${session}`);
    const script = join(root, 'tests/acting/raw-reader.mjs');
    this.lab.typeLine(paneId, `'${join(folder, 'bin', 'claude')}' '${script}' '${file}' plain`);
    await this.untilListed(name);
    await eventually(() => this.lab.screen(paneId).includes('ready'), 'it reads');
    return { paneId, file };
  }

  async untilListed(name: string): Promise<void> {
    const peer = await this.peer();
    await eventually(async () => {
      const { agents } = await peer.call('list-agents');
      return (agents as { readonly name: string }[]).some((agent) => agent.name === name);
    }, `${name} is listed`);
    peer.socket.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const peer of this.#peers) peer.socket.terminate();
    await this.lab[Symbol.asyncDispose]();
  }
}

export interface WebFrame {
  readonly type: number;
  readonly agent: string;
  readonly payload: Buffer;
}

export class WebPeer {
  readonly socket: WebSocket;
  readonly opened: Promise<void>;
  /** Every JSON message, in its order. */
  readonly messages: Fields[] = [];
  readonly frames: WebFrame[] = [];
  closed: { readonly code: number; readonly reason: string } | null = null;
  #nextId = 1;

  constructor(socket: WebSocket) {
    this.socket = socket;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.opened = promise;
    socket.on('open', () => resolve());
    socket.on('error', (error) => reject(error));
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.frames.push(splitFrame(data));
      else this.messages.push(JSON.parse(data.toString('utf8')) as Fields);
    });
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
    });
  }

  static at(socketUrl: string): WebPeer {
    return new WebPeer(new WebSocket(socketUrl));
  }

  /** Sends a request and waits for its reply. */
  async call(type: string, fields: object = {}): Promise<Fields> {
    const id = `request ${this.#nextId}`;
    this.#nextId += 1;
    this.socket.send(JSON.stringify({ id, type, ...fields }));
    return this.message((message) => message['id'] === id, `a reply to ${type}`);
  }

  sendFrame(type: number, agent: string, payload: Uint8Array | string): void {
    const head = Buffer.concat([Buffer.from([type]), Buffer.from(`${agent}\0`)]);
    this.socket.send(Buffer.concat([head, Buffer.from(payload)]));
  }

  /** The first message that fits, once it has come. */
  message(fits: (message: Fields) => boolean, what: string): Promise<Fields> {
    return eventually(() => this.messages.find(fits), what).catch((error: Error) => {
      throw new Error(`${error.message}; there came ${JSON.stringify(this.messages)}`);
    });
  }

  /** The first event of the type that fits. */
  event(type: string, fits: (message: Fields) => boolean = () => true): Promise<Fields> {
    return this.message((message) => message['type'] === type && fits(message), type);
  }

  /** The first error that holds the words. */
  error(words: string): Promise<Fields> {
    const holds = (message: Fields): boolean => String(message['error']).includes(words);
    return this.message(holds, `an error with "${words}"`);
  }

  /** All bytes of output frames for an agent, from the last reset on. */
  output(agent: string): Buffer {
    const own = this.frames.filter((frame) => frame.agent === agent);
    const start = own.findLastIndex(({ type }) => type === 0x05);
    return Buffer.concat(
      own.slice(start + 1).flatMap(({ type, payload }) => (type === 0x01 ? [payload] : [])),
    );
  }

  async untilClosed(): Promise<{ readonly code: number; readonly reason: string }> {
    return eventually(() => this.closed, 'the connection is closed');
  }
}

function splitFrame(data: Buffer): WebFrame {
  const end = data.indexOf(0, 1);
  return {
    type: data[0] ?? 0,
    agent: data.toString('utf8', 1, end),
    payload: data.subarray(end + 1),
  };
}

export interface WebReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** One HTTP request, with headers and a path exactly as they are given. */
export function ask(
  url: string,
  path: string,
  { method = 'GET', headers = {}, body = '' }: RequestParts = {},
): Promise<WebReply> {
  const { hostname, port } = new URL(url);
  const args: ClientRequestArgs = { hostname, port, path, method, headers, agent: false };
  return new Promise((resolve, reject) => {
    const sent = request(args, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (bytes: Buffer) => parts.push(bytes));
      response.on('end', () => {
        const text = Buffer.concat(parts).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    // A refused upgrade comes as a plain reply.
    sent.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text: '' });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

interface RequestParts {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Asks for the upgrade to a WebSocket. */
export const askUpgrade = (
  url: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<WebReply> =>
  ask(url, path, {
    headers: {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version': '13',
      ...headers,
    },
  });

/** A connection without any protocol. */
export function connectRaw(url: string): Socket {
  const { hostname, port } = new URL(url);
  return connectTcp(Number(port), hostname);
}
