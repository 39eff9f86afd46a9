// The paths of a read-only share: its page, which is the same for every code, and the rows that the
// page asks for. The code is all that lets somebody in, and it leads to one pane. What is shown is
// decided by the operation.

import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Actor } from '../../operations/ports/operation.ts';
import type { CallResult } from '../access.ts';
import { type OperationHost, Session } from '../session.ts';
import type { WebAdmission } from './gate/web-admission.ts';

const PATH = /^\/share\/([A-Za-z0-9_-]{1,64})(\/rows)?$/;

/** Narrower than for the dashboard: it opens no WebSocket and shows no picture. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export interface ShareRoutesOptions {
  readonly admission: WebAdmission;
  readonly host: OperationHost;
  /** Where the files of the page are. */
  readonly pageDir: string;
  /** The path that they are served at: `/` or `/app/`. */
  readonly assetsAt: string;
}

export class ShareRoutes implements Disposable {
  readonly #options: ShareRoutesOptions;
  readonly #reader: Session;

  constructor(options: ShareRoutesOptions) {
    this.#options = options;
    const actor: Actor = { kind: 'user', id: 'share', scopes: ['read'] };
    this.#reader = new Session({ ...options.host, actor, streamsMax: 0 });
  }

  /** False for a path that is none of these. */
  handle(request: IncomingMessage, response: ServerResponse, url: URL): boolean {
    const [path, code, rows] = PATH.exec(url.pathname) ?? [];
    if (path === undefined || code === undefined) return false;
    response.setHeader('Content-Security-Policy', policy);
    response.setHeader('X-Robots-Tag', 'noindex, nofollow');
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      sendJson(response, 405, { error: 'A share is only read.' });
    } else if (rows === undefined) void this.#sendPage(request, response);
    else this.#sendRows(request, response, { code, version: url.searchParams.get('version') });
    return true;
  }

  async #sendPage({ method }: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pageDir, assetsAt } = this.#options;
    try {
      const page = await readFile(join(pageDir, 'share.html'), 'utf8');
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
      response.end(method === 'HEAD' ? '' : page.replaceAll('%at%', assetsAt));
    } catch {
      sendJson(response, 503, { error: 'The page cannot be read.' });
    }
  }

  #sendRows(
    request: IncomingMessage,
    response: ServerResponse,
    { code, version }: { readonly code: string; readonly version: string | null },
  ): void {
    const { admission } = this.#options;
    const shutOut = admission.checkFailures(request, 'share');
    if (shutOut) {
      sendJson(response, shutOut.status, { error: 'Too many wrong codes. Wait a minute.' });
      return;
    }
    const shown = version !== null && /^[\w-]{1,64}$/.test(version) ? { version } : {};
    const cancel = this.#reader.call('read_share', { code, ...shown }, (result) => {
      if (!result.ok && result.problem.code === 'E_SHARE_UNKNOWN')
        admission.failed(request, 'share');
      if (!response.destroyed) sendResult(response, result);
    });
    response.on('close', cancel);
  }

  [Symbol.dispose](): void {
    this.#reader[Symbol.dispose]();
  }
}

/** What went wrong in the daemon is nothing for people who were sent a link. */
function sendResult(response: ServerResponse, result: CallResult): void {
  if (result.ok) sendJson(response, 200, result.value as object);
  else if (result.problem.code === 'E_SHARE_UNKNOWN') {
    sendJson(response, 404, { error: 'This link has expired, was revoked, or never was one.' });
  } else if (result.problem.code === 'E_SHARE_ENDED') {
    sendJson(response, 410, { error: 'The agent that was shared has ended.' });
  } else sendJson(response, 503, { error: 'The screen cannot be read now.' });
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  const end = status >= 400 ? { Connection: 'close' } : {};
  response.writeHead(status, { 'Content-Type': 'application/json', ...end });
  response.end(JSON.stringify(body));
}
