// Who may speak to the web service, by the headers of a request alone: the name that it was called
// by, the page that it comes from, the secret that it carries. Pure.

import { isIP } from 'node:net';
import { fitsPattern } from '../../../text/fits-pattern.ts';

/** The name of our protocol on a WebSocket; the secret may go beside it. */
export const SUBPROTOCOL = 'agtmux';
const SECRET_PROTOCOL = 'agtmux.token.';
const SECRET_LENGTH_MAX = 512;

/** What of a request says who it is from. Header names are in lower case, as Node has them. */
export interface RequestHeaders {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly authorization?: string | undefined;
  readonly 'sec-websocket-protocol'?: string | undefined;
}

export interface GateRules {
  /** The address that we listen on. */
  readonly host: string;
  readonly allowedOrigins: readonly string[];
  /** Where people reach us, where that is another address: a proxy's. */
  readonly publicUrl: URL | null;
}

const hostHeader = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/;

/**
 * Whether the request calls us by a name of ours. A page of another name that has its DNS entry
 * point at us is sent here by browsers, and its name is in this header.
 */
export function isHostAllowed({ host = '' }: RequestHeaders, rules: GateRules): boolean {
  const [, name] = hostHeader.exec(host.toLowerCase()) ?? [];
  if (name === undefined) return false;
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  if (isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0) return true;
  if (name === rules.host.toLowerCase() || name === rules.publicUrl?.hostname) return true;
  return rules.allowedOrigins.some((pattern) =>
    fitsPattern(name, pattern.toLowerCase().replace(/:(?:\d+|\*)$/, '')),
  );
}

/** Whether the page that asks may. Programs are no pages and name none. */
export function isOriginAllowed({ origin, host }: RequestHeaders, rules: GateRules): boolean {
  if (origin === undefined || origin === rules.publicUrl?.origin) return true;
  const page = URL.canParse(origin) ? new URL(origin).host : '';
  if (page === '') return false;
  if (page === host?.toLowerCase()) return true;
  return rules.allowedOrigins.some((pattern) => fitsPattern(page, pattern.toLowerCase()));
}

/** Whether a page that we serve asks. Only browsers say which, and they say it truthfully. */
export const isOwnPage = ({ origin, host = '' }: RequestHeaders, isSecure: boolean): boolean =>
  origin === `${isSecure ? 'https' : 'http'}://${host.toLowerCase()}`;

/** The secret that a request carries, by whichever way; null without one. */
export function secretOf(headers: RequestHeaders, query: URLSearchParams): string | null {
  const { authorization = '' } = headers;
  const bearer = authorization.startsWith('Bearer ') ? authorization.slice(7) : '';
  const beside = protocolsOf(headers).find((each) => each.startsWith(SECRET_PROTOCOL));
  const found = [bearer, query.get('token'), beside?.slice(SECRET_PROTOCOL.length)]
    .map((each) => each?.trim() ?? '')
    .find((each) => each !== '');
  return found === undefined || found.length > SECRET_LENGTH_MAX ? null : found;
}

const protocolsOf = (headers: RequestHeaders): readonly string[] =>
  (headers['sec-websocket-protocol'] ?? '').split(',').map((each) => each.trim());

/** Whether only programs of this machine reach the address. A name may be anything. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
