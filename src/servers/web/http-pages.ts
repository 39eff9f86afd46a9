// What the web service answers to plain HTTP requests: whether it lives and is ready, metrics, and
// for development the files of a folder. Who may ask is decided in gate/.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Actor } from '../../operations/ports/operation.ts';
import type { CallResult } from '../access.ts';
import { serveRpc } from '../rpc-over-http.ts';
import type { OperationHost } from '../session.ts';
import { replyHeaders } from './gate/page-policy.ts';
import type { WebAdmission } from './gate/web-admission.ts';
import { MCP_PATH, type McpEndpoint, McpRoute } from './mcp-route.ts';
import { PairingRoutes, type PairingRoutesOptions } from './pairing/pairing-routes.ts';
import { ShareRoutes } from './share-routes.ts';
import { findStaticFile, sendStaticFile } from './static-files.ts';

/** Where the dashboard is while a folder of somebody else is served. */
const PAGE_PATH = '/app/';
const LOG_BYTES_MAX = 4_096;

/** Anybody may read these: nothing of the user is in them. */
const PUBLIC = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

export interface HttpPagesOptions {
  /** The files of the dashboard: at `/`, or at `/app/` where another folder is served there. */
  readonly pageDir: string;
  readonly admission: WebAdmission;
  readonly sessions: Pick<PairingRoutesOptions, 'pair' | 'end'>;
  readonly debugServeDir: string | null;
  /** As whom the request may call; null where it may not, which was answered. */
  readonly admit: (request: IncomingMessage, response: ServerResponse, url: URL) => Actor | null;
  readonly host: OperationHost;
  /** Null: there is no MCP server. */
  readonly loadMcp: (() => Promise<McpEndpoint>) | null;
  /** One call of an operation that replies at once. */
  readonly read: (operation: string) => CallResult;
  /** A line that a page under development sent. */
  readonly onDebugLine: (line: string) => void;
}

export class HttpPages implements Disposable {
  readonly #options: HttpPagesOptions;
  readonly #pairing: PairingRoutes;
  readonly #shares: ShareRoutes;
  readonly #mcp: McpRoute | null;

  constructor(options: HttpPagesOptions) {
    this.#options = options;
    const { admission, sessions, debugServeDir, host, pageDir } = options;
    const next = debugServeDir === null ? '/' : PAGE_PATH;
    this.#pairing = new PairingRoutes({ admission, ...sessions, next });
    this.#mcp = options.loadMcp && new McpRoute({ host, load: options.loadMcp });
    this.#shares = new ShareRoutes({ admission, host, pageDir, assetsAt: next });
  }

  [Symbol.dispose](): void {
    this.#shares[Symbol.dispose]();
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const { admission } = this.#options;
    const denied = admission.checkHost(request);
    const host = denied ? '' : (request.headers.host ?? '');
    for (const [name, value] of Object.entries(replyHeaders(host))) {
      response.setHeader(name, value);
    }
    const url = urlOf(request);
    if (denied) sendLine(response, denied.status, denied.text);
    else if (url === null) sendLine(response, 400, 'not a path');
    else if (url.pathname === '/healthz') this.#sendPublic(response, 200, { ok: true });
    else if (url.pathname === '/readyz') this.#sendReadiness(response);
    else if (isComponent(request, url)) void this.#sendComponent(url.pathname, response);
    else {
      const foreign = admission.checkPage(request);
      if (foreign) sendLine(response, foreign.status, foreign.text);
      else this.#handlePrivate(request, response, url);
    }
  }

  #handlePrivate(request: IncomingMessage, response: ServerResponse, url: URL): void {
    const { debugServeDir } = this.#options;
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    if (this.#pairing.handle(request, response, url)) return;
    if (this.#shares.handle(request, response, url)) return;
    if (this.#handleCall(request, response, url)) return;
    if (url.pathname === '/ws') {
      response.setHeader('Upgrade', 'websocket');
      sendLine(response, 426, 'this is a WebSocket');
    } else if (url.pathname === '/metrics' && isReading) {
      this.#sendMetrics(request, response, url);
    } else if (debugServeDir !== null && url.pathname === '/debug/log') {
      this.#takeDebugLine(request, response);
    } else if (isReading) void this.#sendFile(url.pathname, response);
    else sendLine(response, 405, 'not allowed');
  }

  /** What programs call, as JSON-RPC and as MCP. False for every other path. */
  #handleCall(request: IncomingMessage, response: ServerResponse, url: URL): boolean {
    const { admit, host } = this.#options;
    const isRpc = url.pathname === '/rpc' && request.method === 'POST';
    const mcp = url.pathname === MCP_PATH ? this.#mcp : null;
    if (!isRpc && !mcp) return false;
    const actor = admit(request, response, url);
    if (actor && mcp) void mcp.handle(request, response, actor);
    else if (actor) void serveRpc(request, response, { host, actor });
    return true;
  }

  #sendPublic(response: ServerResponse, status: number, body: object): void {
    for (const [name, value] of Object.entries(PUBLIC)) response.setHeader(name, value);
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body));
  }

  /** The terminal, for pages of other people too. */
  async #sendComponent(pathname: string, response: ServerResponse): Promise<void> {
    const file = await findStaticFile(this.#options.pageDir, pathname);
    if (file === null) sendLine(response, 404, 'not found');
    else {
      for (const [name, value] of Object.entries(PUBLIC)) response.setHeader(name, value);
      sendStaticFile(file, response);
    }
  }

  /** Ready is a service that reaches a tmux server. */
  #sendReadiness(response: ServerResponse): void {
    const info = this.#options.read('daemon_info');
    const servers = info.ok
      ? (info.value as { readonly servers: readonly { readonly status: string }[] }).servers
      : [];
    // A server that is listed without a control client is reached.
    if (servers.some(({ status }) => status === 'connected' || status === 'degraded')) {
      this.#sendPublic(response, 200, { ok: true });
      return;
    }
    const error = 'tmux control mode unavailable: no tmux server answers';
    this.#sendPublic(response, 503, { ok: false, error });
  }

  #sendMetrics(request: IncomingMessage, response: ServerResponse, url: URL): void {
    const { admit, read } = this.#options;
    if (admit(request, response, url) === null) return;
    const reply = read('metrics');
    if (!reply.ok) {
      sendLine(response, 503, reply.problem.message);
      return;
    }
    const { text } = reply.value as { readonly text: string };
    response.writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' });
    response.end(text);
  }

  #takeDebugLine(request: IncomingMessage, response: ServerResponse): void {
    const { origin } = request.headers;
    if (origin !== undefined) {
      response.setHeader('Access-Control-Allow-Origin', origin);
      response.setHeader('Vary', 'Origin');
    }
    if (request.method === 'OPTIONS') {
      response.setHeader('Access-Control-Allow-Methods', 'POST');
      response.setHeader('Access-Control-Allow-Headers', 'Content-Type');
      response.writeHead(204).end();
      return;
    }
    if (request.method !== 'POST') {
      sendLine(response, 405, 'not allowed');
      return;
    }
    let line = Buffer.alloc(0);
    request.on('data', (bytes: Buffer) => {
      if (line.length < LOG_BYTES_MAX) line = Buffer.concat([line, bytes]);
    });
    request.on('end', () => {
      this.#options.onDebugLine(`[UI] ${line.toString('utf8', 0, LOG_BYTES_MAX)}`);
      response.writeHead(204).end();
    });
  }

  async #sendFile(pathname: string, response: ServerResponse): Promise<void> {
    const { debugServeDir, pageDir } = this.#options;
    if (debugServeDir !== null && pathname === PAGE_PATH.slice(0, -1)) {
      response.writeHead(308, { Location: PAGE_PATH }).end();
      return;
    }
    const isPage = debugServeDir === null || pathname.startsWith(PAGE_PATH);
    const path = debugServeDir === null ? pathname : pathname.replace(PAGE_PATH, '/');
    const file = await findStaticFile(isPage ? pageDir : debugServeDir, isPage ? path : pathname);
    if (file === null) {
      sendLine(response, 404, 'not found');
      return;
    }
    sendStaticFile(file, response);
  }
}

const isComponent = ({ method }: IncomingMessage, { pathname }: URL): boolean =>
  (method === 'GET' || method === 'HEAD') && /^\/(?:tmux-adapter-web|shared)\//.test(pathname);

/** The path and the query; null where they are none. */
export function urlOf({ url = '' }: IncomingMessage): URL | null {
  // Put together, because two slashes at the start would name another host.
  const whole = `http://localhost${url}`;
  return url.startsWith('/') && URL.canParse(whole) ? new URL(whole) : null;
}

/** A reply in one line, after which the connection is not used again. */
export function sendLine(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    Connection: 'close',
  });
  response.end(`${text}\n`);
}
