// The web service: HTTP and WebSocket on one port. Lets in who may, within limits, and ends what
// hangs. What clients say is web-client.ts; pages are http-pages.ts.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Actor } from '../../operations/ports/operation.ts';
import { packageFile } from '../../platform/package-files.ts';
import type { CallResult } from '../access.ts';
import { type OperationHost, Session } from '../session.ts';
import { AgentList } from './agent-list.ts';
import { FRAME_BYTES_MAX } from './frames.ts';
import type { TlsFiles } from './gate/tls-files.ts';
import {
  type Admitted,
  type Denied,
  WebAdmission,
  type WebAdmissionOptions,
} from './gate/web-admission.ts';
import { SUBPROTOCOL } from './gate/web-gate.ts';
import type { TokenHolder } from './gate/web-tokens.ts';
import { HttpPages, urlOf } from './http-pages.ts';
import type { McpEndpoint } from './mcp-route.ts';
import type { PairingRoutesOptions } from './pairing/pairing-routes.ts';
import { WebClient } from './web-client.ts';

/** One takes clients of terminals and of conversations, the other of conversations alone. */
const CONVERTER_PATH = '/converter/ws';
const socketPaths: ReadonlySet<string> = new Set(['/ws', CONVERTER_PATH]);
const CLIENTS_MAX = 256;
/** Of one message, and pieces of one that has not come whole: each costs more than its bytes. */
const FRAGMENTS_MAX = 4_096;
const CHUNKS_MAX = 32_768;
/** Requests that hold a connection open, clients included. */
const CONNECTIONS_MAX = 512;
const HEADER_BYTES_MAX = 16 * 1024;
/** A request that takes longer to arrive is ended, and so is one whose reply nobody reads. */
const REQUEST_MS = 10_000;
const KEEP_ALIVE_MS = 5_000;
/** A client that neither answers nor sends anything between two pings is gone. */
const PING_MS = 15_000;
/** An answer waits behind the message that is being sent: for a large file ten minutes, no more. */
const UNANSWERED_MAX = 40;
/** How long clients have to close by themselves. */
const CLOSE_MS = 1_000;

export interface WebServerOptions {
  readonly host: OperationHost;
  readonly bind: { readonly host: string; readonly port: number };
  readonly allowedOrigins: readonly string[];
  readonly workDir: string;
  readonly debugServeDir: string | null;
  /** Where people reach it, if not where it listens. */
  readonly publicUrl?: URL | null;
  /** Null: without TLS. It ends with the server. */
  readonly tls?: TlsFiles | null;
  readonly access: WebAdmissionOptions['access'];
  readonly sessions: Pick<PairingRoutesOptions, 'pair' | 'end'>;
  /** Hears of each message over a connection that stays open. */
  readonly onUse?: (tokenId: string) => void;
  readonly onDebugLine: (line: string) => void;
  /** The MCP server, which few ask for; absent: there is none. */
  readonly loadMcp?: () => Promise<McpEndpoint>;
  readonly pingMs?: number;
  readonly requestMs?: number;
  /** How long a conversation that is not there yet is waited for. */
  readonly pendingMs?: number;
}

interface Connected {
  readonly client: WebClient;
  readonly tokenId: string;
  readonly wire: Socket;
  /** What had come of it when it was pinged last, and how many pings it has not answered. */
  readBytes: number;
  unanswered: number;
}

export class WebServer implements AsyncDisposable {
  readonly #options: WebServerOptions;
  readonly #admission: WebAdmission;
  readonly #http: Server;
  readonly #sockets: WebSocketServer;
  readonly #agents: AgentList;
  readonly #reader: Session;
  readonly #pages: HttpPages;
  readonly #clients = new Map<WebSocket, Connected>();
  #pinging: NodeJS.Timeout | null = null;
  #clientCount = 0;
  #isClosed = false;

  constructor(options: WebServerOptions) {
    this.#options = options;
    const { host, bind, allowedOrigins, workDir, debugServeDir, onDebugLine } = options;
    const { requestMs = REQUEST_MS, publicUrl = null, tls = null } = options;
    const rules = { host: bind.host, allowedOrigins, publicUrl };
    this.#admission = new WebAdmission({ rules, access: options.access, nowMs: host.nowMs });
    const actor: Actor = { kind: 'user', id: 'web', scopes: ['read'] };
    this.#reader = new Session({ ...host, actor, streamsMax: 0 });
    this.#agents = new AgentList(host, workDir, (events) => {
      for (const { client } of this.#clients.values()) client.agentsChanged(events);
    });
    this.#pages = new HttpPages({
      admission: this.#admission,
      sessions: options.sessions,
      host,
      loadMcp: options.loadMcp ?? null,
      pageDir: packageFile('dist/web'),
      debugServeDir,
      onDebugLine,
      admit: (request, response, url) => this.#admitPage(request, response, url),
      read: (operation) => this.#read(operation),
    });
    const limits = {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: requestMs,
      requestTimeout: requestMs,
      handshakeTimeout: requestMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: requestMs / 4,
    };
    this.#http = tls?.createServer(limits) ?? createServer(limits);
    // Of silence in both directions.
    this.#http.timeout = requestMs;
    this.#http.maxConnections = CONNECTIONS_MAX;
    this.#http.on('request', (request, response) => this.#pages.handle(request, response));
    this.#http.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
    this.#sockets = new WebSocketServer({
      noServer: true,
      maxPayload: FRAME_BYTES_MAX,
      maxFragments: FRAGMENTS_MAX,
      maxBufferedChunks: CHUNKS_MAX,
      perMessageDeflate: false,
      clientTracking: false,
      // The secret that may stand beside our name is not repeated.
      handleProtocols: (names) => (names.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
    });
  }

  get clientCount(): number {
    return this.#clients.size;
  }

  /** Resolves with the URL when clients can connect; rejects with the system's error. */
  listen(): Promise<string> {
    const { bind, host, tls = null, pingMs = PING_MS } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.#http.once('error', reject);
    this.#http.listen({ host: bind.host, port: bind.port }, () => {
      this.#http.off('error', reject);
      this.#http.on('error', (error) => host.onDefect(error, 'web'));
      this.#pinging = setInterval(() => this.#ping(), pingMs).unref();
      const address = this.#http.address();
      const port = typeof address === 'object' && address ? address.port : bind.port;
      this.#admission.port = port;
      const name = bind.host.includes(':') ? `[${bind.host}]` : bind.host;
      resolve(`${tls ? 'https' : 'http'}://${name}:${port}`);
    });
    return promise;
  }

  /** A token is refused from now on: its clients leave. */
  dropToken(tokenId: string): void {
    for (const [socket, { tokenId: held }] of this.#clients) {
      if (held === tokenId) this.#dismiss(socket, 1008, 'the token was revoked');
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    if (this.#pinging) clearInterval(this.#pinging);
    this.#options.tls?.[Symbol.dispose]();
    this.#agents[Symbol.dispose]();
    this.#reader[Symbol.dispose]();
    this.#pages[Symbol.dispose]();
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    this.#http.close(() => resolve());
    this.#http.closeIdleConnections();
    for (const socket of this.#clients.keys()) this.#dismiss(socket, 1000, 'the service ends');
    const timer = setTimeout(() => this.#http.closeAllConnections(), CLOSE_MS);
    await closed;
    clearTimeout(timer);
  }

  /** Nothing that it still sends counts. It has a moment to close by itself. */
  #dismiss(socket: WebSocket, code: number, reason: string): void {
    this.#clients.get(socket)?.client[Symbol.dispose]();
    this.#clients.delete(socket);
    socket.close(code, reason);
    const timer = setTimeout(() => socket.terminate(), CLOSE_MS);
    socket.once('close', () => clearTimeout(timer));
  }

  #ping(): void {
    for (const [socket, entry] of this.#clients) {
      const { wire, readBytes, unanswered } = entry;
      const isSending = wire.bytesRead > readBytes && unanswered < UNANSWERED_MAX;
      if (unanswered > 0 && !isSending) {
        socket.terminate();
        continue;
      }
      entry.readBytes = wire.bytesRead;
      entry.unanswered += 1;
      socket.ping();
    }
  }

  #read(operation: string): CallResult {
    let reply: CallResult | null = null;
    this.#reader.call(operation, {}, (result) => {
      reply = result;
    });
    if (reply === null) throw new Error(`${operation} does not reply at once`);
    return reply;
  }

  #admitPage(request: IncomingMessage, response: ServerResponse, url: URL): Actor | null {
    const admitted = this.#admission.admitRequest(request, url);
    if ('holder' in admitted) return this.#actorOf(admitted.holder);
    if (admitted.setCookie !== undefined) response.setHeader('Set-Cookie', admitted.setCookie);
    response.writeHead(admitted.status, { 'Content-Type': 'text/plain; charset=utf-8' });
    response.end(`${admitted.text}\n`);
    return null;
  }

  /** Each connection, and each request without one, is a caller of its own. */
  #actorOf({ id, scope }: TokenHolder): Actor {
    this.#clientCount += 1;
    const scopes: Actor['scopes'] = scope === 'control' ? ['read', 'control'] : ['read'];
    return { kind: 'user', id: `web:${id}:${this.#clientCount}`, scopes, tokenId: id };
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const url = urlOf(request);
    const admitted = url === null ? { status: 400, text: 'not a path' } : this.#enter(request, url);
    if (!('holder' in admitted)) {
      refuseUpgrade(socket, admitted);
      return;
    }
    const isConverter = url?.pathname === CONVERTER_PATH;
    this.#sockets.handleUpgrade(request, socket, head, (opened) =>
      this.#welcome(opened, { wire: request.socket, holder: admitted.holder, isConverter }),
    );
  }

  #enter(request: IncomingMessage, url: URL): Admitted | Denied {
    const admission = this.#admission;
    if (!socketPaths.has(url.pathname)) return { status: 404, text: 'not found' };
    const denied = admission.checkHost(request) ?? admission.checkPage(request);
    if (denied) return denied;
    if (this.#isClosed) return { status: 503, text: 'the service ends' };
    if (this.#clients.size >= CLIENTS_MAX) return { status: 503, text: 'too many clients' };
    return admission.admitUpgrade(request, url);
  }

  #welcome(
    socket: WebSocket,
    came: { readonly wire: Socket; readonly holder: TokenHolder; readonly isConverter: boolean },
  ): void {
    const { wire, holder, isConverter } = came;
    const client = new WebClient({
      socket,
      host: this.#options.host,
      agents: this.#agents,
      actor: this.#actorOf(holder),
      isConverter,
      pendingMs: this.#options.pendingMs,
    });
    const counts = { readBytes: wire.bytesRead, unanswered: 0 };
    const entry: Connected = { client, tokenId: holder.id, wire, ...counts };
    this.#clients.set(socket, entry);
    socket.on('message', () => this.#options.onUse?.(holder.id));
    socket.on('pong', () => {
      entry.unanswered = 0;
    });
    socket.on('close', () => {
      this.#clients.delete(socket);
      client[Symbol.dispose]();
    });
  }
}

function refuseUpgrade(socket: Duplex, { status, text }: Denied): void {
  const reasons: Readonly<Record<number, string>> = {
    400: 'Bad Request',
    401: 'Unauthorized',
    403: 'Forbidden',
    404: 'Not Found',
    429: 'Too Many Requests',
    503: 'Service Unavailable',
  };
  const lines = [
    `HTTP/1.1 ${status} ${reasons[status] ?? ''}`,
    'Cache-Control: no-store',
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text) + 1}`,
    'Connection: close',
  ];
  // The peer may keep its half of the connection, or not read: it does not hold ours.
  const timer = setTimeout(() => socket.destroy(), CLOSE_MS).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.end(`${lines.join('\r\n')}\r\n\r\n${text}\n`, () => socket.destroy());
}
