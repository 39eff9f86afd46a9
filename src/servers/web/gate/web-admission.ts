// Decides who gets in: the name that a request calls us by, the page that it comes from, and the
// secret that it carries. Failures are counted for each address. Also what each is refused with.

import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { FailureLimit } from './failure-limit.ts';
import { cookieNameOf, cookieValue, setCookie } from './session-cookie.ts';
import { type GateRules, isHostAllowed, isOriginAllowed, isOwnPage, secretOf } from './web-gate.ts';
import type { TokenHolder } from './web-tokens.ts';

export interface WebAdmissionOptions {
  readonly rules: GateRules;
  /** Who holds a secret; `open`: everybody may do all. */
  readonly access: 'open' | ((secret: string) => TokenHolder | null);
  readonly nowMs: () => number;
}

export interface Admitted {
  readonly holder: TokenHolder;
}
export interface Denied {
  readonly status: number;
  readonly text: string;
  /** Takes a cookie away that lets nobody in any more. */
  readonly setCookie?: string;
}

type Attempt = 'token' | 'cookie' | 'pairing' | 'share';

const everybody: TokenHolder = { id: 'open', scope: 'control' };
const unknownName: Denied = {
  status: 403,
  text:
    'this service is not known by that name; open it by its IP address, or start it with that ' +
    'name in --public-url or --allowed-origins',
};
const foreignPage: Denied = {
  status: 403,
  text: 'this page may not ask; if it is yours, start the service with it in --allowed-origins',
};
const unauthorized: Denied = { status: 401, text: 'unauthorized' };

export class WebAdmission {
  readonly #options: WebAdmissionOptions;
  readonly #failures = new FailureLimit();
  /** Where we listen; the cookie bears its name. */
  port = 0;

  constructor(options: WebAdmissionOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#options.access === 'open';
  }

  /** Whether the request came to us by a name of ours. */
  checkHost({ headers }: IncomingMessage): Denied | null {
    if (isHostAllowed(headers, this.#options.rules)) return null;
    return unknownName;
  }

  /** Whether the page that asks, if one does, may. */
  checkPage({ headers }: IncomingMessage): Denied | null {
    if (isOriginAllowed(headers, this.#options.rules)) return null;
    return foreignPage;
  }

  /** Whether a page of ours asks: only these change something by a cookie, or are given one. */
  checkOwnPage(request: IncomingMessage): Denied | null {
    if (isOwnPage(request.headers, this.isSecure(request))) return null;
    return { status: 403, text: 'only a page of this service may ask for this' };
  }

  /** Who opens a WebSocket. Its messages count as the user's, so a cookie alone is not enough. */
  admitUpgrade(request: IncomingMessage, url: URL): Admitted | Denied {
    return this.#admit(request, url, () => this.checkOwnPage(request));
  }

  /** Who asks over plain HTTP. */
  admitRequest(request: IncomingMessage, url: URL): Admitted | Denied {
    const site = request.headers['sec-fetch-site'];
    // A page elsewhere that names us as a picture could have this address shut out.
    if (site === 'cross-site') return { status: 403, text: 'this page may not ask' };
    return this.#admit(request, url, () => {
      if (request.method !== 'GET' && request.method !== 'HEAD') return this.checkOwnPage(request);
      const isOwn = site === undefined || site === 'same-origin' || site === 'none';
      return isOwn ? null : { status: 403, text: 'this page may not ask' };
    });
  }

  /** The secret is looked at first where one is named: a cookie comes with every request. */
  #admit(request: IncomingMessage, url: URL, checkCookie: () => Denied | null): Admitted | Denied {
    const { access } = this.#options;
    if (access === 'open') return { holder: everybody };
    const secret = secretOf(request.headers, url.searchParams);
    if (secret !== null) return this.#holderOf(request, 'token', access(secret)) ?? unauthorized;
    const cookie = cookieValue(request.headers.cookie, this.#cookieName(request));
    if (cookie === null) return unauthorized;
    const refused = checkCookie();
    if (refused) return refused;
    const admitted = this.#holderOf(request, 'cookie', access(cookie));
    return admitted ?? { ...unauthorized, setCookie: this.cookieFor(request, null) };
  }

  /**
   * Null for a wrong secret, which is counted. A cookie that was revoked comes by itself, again and
   * again, so it shuts out no tokens.
   */
  #holderOf(request: IncomingMessage, by: Attempt, holder: TokenHolder | null) {
    const shutOut = this.checkFailures(request, by);
    if (shutOut) return shutOut;
    if (holder) return { holder };
    this.failed(request, by);
    return null;
  }

  /** Whether the address has guessed too often. */
  checkFailures({ socket }: IncomingMessage, by: Attempt): Denied | null {
    const address = `${by} ${socket.remoteAddress ?? ''}`;
    if (this.#failures.waitMs(address, this.#options.nowMs()) === 0) return null;
    return { status: 429, text: `too many wrong ${by}s; wait a minute` };
  }

  failed({ socket }: IncomingMessage, by: Attempt): void {
    this.#failures.failed(`${by} ${socket.remoteAddress ?? ''}`, this.#options.nowMs());
  }

  cookieFor(request: IncomingMessage, value: string | null): string {
    return setCookie(this.#cookieName(request), value, this.isSecure(request));
  }

  #cookieName(request: IncomingMessage): string {
    return cookieNameOf(this.port, this.isSecure(request));
  }

  /** Whether the browser reaches us over TLS: ours, or that of the proxy at the public URL. */
  isSecure({ socket, headers }: IncomingMessage): boolean {
    if ((socket as Partial<TLSSocket>).encrypted) return true;
    const { publicUrl } = this.#options.rules;
    return publicUrl?.protocol === 'https:' && publicUrl.host === headers.host?.toLowerCase();
  }
}
