import { createPublicKey, verify } from 'node:crypto';
import { expect, it } from 'vitest';
import { identityHeader, newIdentityKeys } from './push-identity.ts';

const NOW_MS = Date.UTC(2026, 6, 1);
const endpoint = new URL('https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV');

function readHeader(header: string) {
  const [, token = '', key = ''] = /^vapid t=([^,]+), k=(.+)$/.exec(header) ?? [];
  const [head = '', claims = '', signature = ''] = token.split('.');
  const parse = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString());
  return { signed: `${head}.${claims}`, head: parse(head), claims: parse(claims), signature, key };
}

/** Whether the token was signed by the key that it names. */
function isSigned({ signed, signature, key }: ReturnType<typeof readHeader>): boolean {
  const point = Buffer.from(key, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((each) =>
    each.toString('base64url'),
  );
  const jwk = { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' };
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
  const options = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
  return verify('sha256', Buffer.from(signed), options, Buffer.from(signature, 'base64url'));
}

it('the example of RFC 8292 is signed as this reads it', () => {
  const example =
    'vapid t=eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLC' +
    'JleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GA' +
    'u_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA, ' +
    'k=BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs';
  const read = readHeader(example);
  expect(read.claims.aud).toBe('https://push.example.net');
  expect(isSigned(read)).toBe(true);
});

it('a token names the service and who pushes, ends within a day, and is signed by the key', () => {
  const keys = newIdentityKeys();
  const header = identityHeader(endpoint, keys, { contact: 'mailto:a@example.com', nowMs: NOW_MS });
  const read = readHeader(header);
  expect(read.head).toEqual({ typ: 'JWT', alg: 'ES256' });
  expect(read.claims).toEqual({
    aud: 'https://push.example.net',
    exp: NOW_MS / 1_000 + 12 * 3_600,
    sub: 'mailto:a@example.com',
  });
  expect(read.key).toBe(keys.publicKey);
  expect(isSigned(read)).toBe(true);
  expect(isSigned({ ...read, key: newIdentityKeys().publicKey })).toBe(false);
});

it('every key that is drawn can sign', () => {
  for (let each = 0; each < 300; each += 1) {
    const { privateKey } = newIdentityKeys();
    expect(Buffer.from(privateKey, 'base64url')).toHaveLength(32);
  }
});
