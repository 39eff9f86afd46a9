// Who pushes, as push services see it (RFC 8292, VAPID): one key pair, and a token for each service
// that is signed with it. A browser accepts pushes of the key that it subscribed with alone.

import { createECDH, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { CURVE } from './push-encryption.ts';

/** A service may refuse a token that is valid for more than a day. */
const TOKEN_SECONDS = 12 * 3_600;
const SECRET_BYTES = 32;

/** As base64url: the point, and the number that is its secret. */
export interface IdentityKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

export function newIdentityKeys(): IdentityKeys {
  const pair = createECDH(CURVE);
  pair.generateKeys();
  // A number that begins with zeros is shorter.
  const secret = pair.getPrivateKey();
  const padded = Buffer.concat([Buffer.alloc(SECRET_BYTES - secret.length), secret]);
  return {
    publicKey: pair.getPublicKey('base64url'),
    privateKey: padded.toString('base64url'),
  };
}

/** The value of the header `Authorization` for a request to this endpoint. */
export function identityHeader(
  endpoint: URL,
  keys: IdentityKeys,
  { contact, nowMs }: { readonly contact: string; readonly nowMs: number },
): string {
  const expiresAt = Math.floor(nowMs / 1_000) + TOKEN_SECONDS;
  const claims = { aud: endpoint.origin, exp: expiresAt, sub: contact };
  const content = [{ typ: 'JWT', alg: 'ES256' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const key = signingKey(keys);
  const signature = sign('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' });
  return `vapid t=${content}.${signature.toString('base64url')}, k=${keys.publicKey}`;
}

function signingKey({ publicKey, privateKey }: IdentityKeys): KeyObject {
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)];
  const coordinates = { x: x.toString('base64url'), y: y.toString('base64url') };
  const key = { kty: 'EC', crv: 'P-256', ...coordinates, d: privateKey };
  return createPrivateKey({ key, format: 'jwk' });
}
