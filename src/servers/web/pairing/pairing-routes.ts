// The paths by which a browser gets in and out: the page of a pairing link, the exchange of its
// code for a cookie, who the browser is by now, and its way out. Replies are JSON with what to do.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Fault } from '../../../platform/fault.ts';
import type { Outcome } from '../../../schema/outcome.ts';
import type { NewWebToken } from '../../../schema/web/open-web.ts';
import { type CallProblem, problem, refusalOf } from '../../access.ts';
import type { Denied, WebAdmission } from '../gate/web-admission.ts';
import { browserName } from './browser-name.ts';
import { pairPage, pairScript } from './pair-page.ts';

/** A code and its braces; more is none. */
const BODY_BYTES_MAX = 1_024;

export interface PairingRoutesOptions {
  readonly admission: WebAdmission;
  /** A token for the browser of that name that hands in the code; null as there is no such code. */
  readonly pair: (code: string, browser: string) => Outcome<NewWebToken> | null;
  /** Has the token end if it is that of a browser. */
  readonly end: (tokenId: string) => void;
  /** Where the browser goes when it is let in. */
  readonly next: string;
}

export class PairingRoutes {
  readonly #options: PairingRoutesOptions;

  constructor(options: PairingRoutesOptions) {
    this.#options = options;
  }

  /** False for a path that is none of these. */
  handle(request: IncomingMessage, response: ServerResponse, url: URL): boolean {
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    switch (`${method} ${url.pathname}`) {
      case 'GET /pair':
        sendPage(request, response, { type: 'text/html', text: pairPage });
        return true;
      case 'GET /pair.js':
        sendPage(request, response, { type: 'text/javascript', text: pairScript });
        return true;
      case 'POST /pair':
        this.#pair(request, response, url);
        return true;
      case 'GET /session':
        this.#sendSession(request, response, url);
        return true;
      case 'DELETE /session':
        this.#endSession(request, response, url);
        return true;
      default:
        return false;
    }
  }

  #pair(request: IncomingMessage, response: ServerResponse, url: URL): void {
    const { admission } = this.#options;
    const isJson = /^application\/json\b/i.test(request.headers['content-type'] ?? '');
    const denied: Denied | null =
      admission.checkOwnPage(request) ??
      (isJson ? null : { status: 415, text: 'the code comes as JSON' }) ??
      admission.checkFailures(request, 'pairing');
    if (denied) {
      sendDenied(response, denied);
      return;
    }
    void readBody(request).then((body) => {
      if (response.destroyed) return;
      stored(response, () => this.#exchange(request, response, { url, code: codeOf(body) }));
    });
  }

  #exchange(
    request: IncomingMessage,
    response: ServerResponse,
    { url, code }: { readonly url: URL; readonly code: string | null },
  ): void {
    const { admission, pair, end, next } = this.#options;
    if (code === null) {
      sendDenied(response, { status: 400, text: 'a body is {"code": "..."}' });
      return;
    }
    if (admission.isOpen) {
      response.writeHead(204, { 'Agtmux-Next': next }).end();
      return;
    }
    const outcome = pair(code, browserName(request.headers['user-agent']));
    if (outcome === null) {
      admission.failed(request, 'pairing');
      sendProblem(response, 403, problem('E_PAIRING_CODE', 'The link was used, or is too old.'));
      return;
    }
    if (!outcome.ok) {
      sendProblem(response, 409, refusalOf(outcome.refusal).problem);
      return;
    }
    // Who is paired anew is not let in twice.
    const before = admission.admitRequest(request, url);
    if ('holder' in before) end(before.holder.id);
    const cookie = admission.cookieFor(request, outcome.value.token);
    response.writeHead(204, { 'Set-Cookie': cookie, 'Agtmux-Next': next }).end();
  }

  #sendSession(request: IncomingMessage, response: ServerResponse, url: URL): void {
    const admitted = this.#options.admission.admitRequest(request, url);
    if (!('holder' in admitted)) {
      sendDenied(response, admitted);
      return;
    }
    const { id, scope } = admitted.holder;
    sendJson(response, 200, { id, scope });
  }

  #endSession(request: IncomingMessage, response: ServerResponse, url: URL): void {
    const { admission, end } = this.#options;
    const admitted = admission.checkOwnPage(request) ?? admission.admitRequest(request, url);
    if (!('holder' in admitted)) {
      sendDenied(response, admitted);
      return;
    }
    stored(response, () => {
      end(admitted.holder.id);
      response.writeHead(204, { 'Set-Cookie': admission.cookieFor(request, null) }).end();
    });
  }
}

function sendPage(
  { method }: IncomingMessage,
  response: ServerResponse,
  { type, text }: { readonly type: string; readonly text: string },
): void {
  response.writeHead(200, { 'Content-Type': `${type}; charset=utf-8` });
  response.end(method === 'HEAD' ? '' : text);
}

/** Null for one that is too long, and where the peer went away. */
function readBody(request: IncomingMessage): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  let body = Buffer.alloc(0);
  request.on('data', (part: Buffer) => {
    if (body.length <= BODY_BYTES_MAX) body = Buffer.concat([body, part]);
    if (body.length > BODY_BYTES_MAX) resolve(null);
  });
  request.on('end', () => resolve(body.toString('utf8')));
  request.on('close', () => resolve(null));
  return promise;
}

function codeOf(body: string | null): string | null {
  try {
    const { code } = JSON.parse(body ?? '') as { readonly code?: unknown };
    return typeof code === 'string' && code !== '' ? code : null;
  } catch {
    return null;
  }
}

/** Tokens are in a file: where it cannot be written nothing has changed, and that is said. */
function stored(response: ServerResponse, change: () => void): void {
  try {
    change();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    sendProblem(response, 503, problem(error.code, error.message));
  }
}

const UNPAIRED = 'Run agtmux web pair, and open the link that it prints in this browser.';

function sendDenied(response: ServerResponse, { status, text, setCookie }: Denied): void {
  if (setCookie !== undefined) response.setHeader('Set-Cookie', setCookie);
  const error = `${text[0]?.toUpperCase()}${text.slice(1)}.`;
  sendJson(response, status, { error, hint: status === 401 ? UNPAIRED : '' });
}

const sendProblem = (response: ServerResponse, status: number, each: CallProblem): void =>
  sendJson(response, status, { error: each.message, code: each.code, hint: each.hint });

/** The connection is not used again where a part of the request may be left in it. */
function sendJson(response: ServerResponse, status: number, body: object): void {
  const end = status >= 400 ? { Connection: 'close' } : {};
  response.writeHead(status, { 'Content-Type': 'application/json', ...end });
  response.end(JSON.stringify(body));
}
