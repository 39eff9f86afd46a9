// The path of the MCP server: reads a request that was let in, within limits, and writes the reply
// as it comes. What MCP says is the endpoint's, which is loaded with the first request.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Actor } from '../../operations/ports/operation.ts';
import { untilAborted } from '../../platform/until-aborted.ts';
import { bodyOf } from '../rpc-over-http.ts';
import { type OperationHost, Session } from '../session.ts';

export const MCP_PATH = '/mcp';
/** At once; each holds a connection and a server of a few hundred kilobytes. */
const REQUESTS_MAX = 32;
/** The longest wait of a tool has 50 s. */
const REQUEST_MS = 120_000;

type SessionCall = Session['call'];

/** MCP over HTTP, whatever makes it. */
export type McpEndpoint = (
  request: Request,
  body: unknown,
  caller: { readonly scopes: readonly string[]; readonly call: SessionCall },
) => Promise<Response>;

export interface McpRouteOptions {
  readonly host: OperationHost;
  readonly load: () => Promise<McpEndpoint>;
  readonly requestMs?: number;
}

export class McpRoute {
  readonly #options: McpRouteOptions;
  #loading: Promise<McpEndpoint> | null = null;
  #openCount = 0;

  constructor(options: McpRouteOptions) {
    this.#options = options;
  }

  /** Answers a request of this actor. Never rejects. */
  async handle(request: IncomingMessage, response: ServerResponse, actor: Actor): Promise<void> {
    if (this.#openCount >= REQUESTS_MAX) {
      sendProblem(response, 503, 'too many MCP requests');
      return;
    }
    this.#openCount += 1;
    const { host, requestMs = REQUEST_MS } = this.#options;
    const session = new Session({ ...host, actor, streamsMax: 0 });
    const ending = new AbortController();
    const onClose = (): void => ending.abort();
    response.on('close', onClose);
    const timer = setTimeout(onClose, requestMs);
    try {
      await this.#serve(request, response, { session, actor, signal: ending.signal });
    } catch (error) {
      // Who has hung up gets nothing.
      if (!ending.signal.aborted) host.onDefect(error, 'mcp');
      if (!response.headersSent && !response.destroyed) sendProblem(response, 500, 'it failed');
      else response.destroy();
    } finally {
      clearTimeout(timer);
      session[Symbol.dispose]();
      this.#openCount -= 1;
    }
  }

  async #serve(
    request: IncomingMessage,
    response: ServerResponse,
    call: { readonly session: Session; readonly actor: Actor; readonly signal: AbortSignal },
  ): Promise<void> {
    const { session, actor, signal } = call;
    const read = await untilAborted(readBody(request), signal);
    if ('problem' in read) {
      sendProblem(response, read.status, read.problem);
      return;
    }
    // A load that failed is tried again.
    this.#loading ??= this.#options.load().catch((error: unknown) => {
      this.#loading = null;
      throw error;
    });
    const endpoint = await this.#loading;
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) {
      if (typeof value === 'string' && !secretHeaders.has(name)) headers.set(name, value);
    }
    const { method = 'GET' } = request;
    const mcpRequest = new Request(`http://localhost${MCP_PATH}`, { method, headers, signal });
    const reply = await untilAborted(
      endpoint(mcpRequest, read.body, {
        scopes: actor.scopes,
        call: (name, input, result) => session.call(name, input, result),
      }),
      signal,
    );
    await sendReply(reply, response, signal);
  }
}

/** What let the request in is nothing for those who serve it. */
const secretHeaders: ReadonlySet<string> = new Set(['authorization', 'cookie', 'host']);

type Read = { readonly body: unknown } | { readonly status: number; readonly problem: string };

async function readBody(request: IncomingMessage): Promise<Read> {
  if (request.method !== 'POST') return { body: undefined };
  // Pages elsewhere can send plain text unasked, and nothing else.
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) {
    return { status: 415, problem: 'the content type must be application/json' };
  }
  const bytes = await bodyOf(request);
  if (bytes === null) return { status: 413, problem: 'the body is too large' };
  try {
    return { body: JSON.parse(bytes.toString('utf8')) };
  } catch {
    return { status: 400, problem: 'the body is no JSON' };
  }
}

/** No faster than the peer reads. */
async function sendReply(
  reply: Response,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const headers = Object.fromEntries(reply.headers);
  response.writeHead(reply.status, headers);
  const reader = reply.body?.getReader();
  if (!reader) {
    response.end();
    return;
  }
  const stop = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', stop);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) break;
      if (!response.write(value)) await untilAborted(drained(response), signal);
    }
    response.end();
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => void response.once('drain', resolve));

function sendProblem(response: ServerResponse, status: number, message: string): void {
  const error = { code: status === 400 ? -32700 : -32600, message };
  response.writeHead(status, { 'Content-Type': 'application/json', Connection: 'close' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
}
