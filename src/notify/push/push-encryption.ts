// The body of a push message, encrypted for one browser (RFC 8291): only it can read what the push
// service passes on. One record of aes128gcm (RFC 8188). Pure, but for the key and the salt that
// are drawn where none are given.

import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';

export const CURVE = 'prime256v1';
/** An uncompressed point of P-256. */
const POINT_BYTES = 65;
const AUTH_BYTES = 16;
const SALT_BYTES = 16;
/** Of a record; push services take a body of this size and may refuse a larger one. */
const RECORD_BYTES = 4_096;
/** What a record holds besides: the header of the body, the delimiter, the tag of the cipher. */
const OVERHEAD_BYTES = SALT_BYTES + 4 + 1 + POINT_BYTES + 1 + 16;
export const PUSH_TEXT_BYTES_MAX: number = RECORD_BYTES - OVERHEAD_BYTES;
/** Behind the last byte of the last record. */
const LAST_RECORD = 2;

/** The keys that a browser gives with its subscription, as base64url. */
export interface PushKeys {
  readonly p256dh: string;
  readonly auth: string;
}

/** A key pair and a salt serve one message. Tests give those of the RFC. */
export interface PushSecrets {
  readonly privateKey: Buffer;
  readonly salt: Buffer;
}

/** Whether a message can be encrypted for these keys. */
export function arePushKeys({ p256dh, auth }: PushKeys): boolean {
  const point = Buffer.from(p256dh, 'base64url');
  if (point.length !== POINT_BYTES || Buffer.from(auth, 'base64url').length !== AUTH_BYTES) {
    return false;
  }
  try {
    const own = createECDH(CURVE);
    own.generateKeys();
    // Throws for a point that is not on the curve.
    return own.computeSecret(point).length > 0;
  } catch {
    return false;
  }
}

/** Throws for keys that are none, and for a text that is too long. */
export function encryptPush(text: string, keys: PushKeys, secrets?: PushSecrets): Buffer {
  const plain = Buffer.from(text);
  if (plain.length > PUSH_TEXT_BYTES_MAX) throw new RangeError('the text does not fit a record');
  const own = createECDH(CURVE);
  if (secrets) own.setPrivateKey(secrets.privateKey);
  else own.generateKeys();
  const salt = secrets?.salt ?? randomBytes(SALT_BYTES);
  const { key, nonce } = contentKey(own, keys, salt);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const record = Buffer.concat([plain, Buffer.of(LAST_RECORD)]);
  const encrypted = Buffer.concat([cipher.update(record), cipher.final(), cipher.getAuthTag()]);
  const recordSize = Buffer.alloc(4);
  recordSize.writeUInt32BE(RECORD_BYTES);
  return Buffer.concat([salt, recordSize, Buffer.of(POINT_BYTES), own.getPublicKey(), encrypted]);
}

function contentKey(own: ReturnType<typeof createECDH>, keys: PushKeys, salt: Buffer) {
  const browserPoint = Buffer.from(keys.p256dh, 'base64url');
  const auth = Buffer.from(keys.auth, 'base64url');
  const shared = own.computeSecret(browserPoint);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browserPoint, own.getPublicKey()]);
  const input = derive(shared, auth, info, 32);
  return {
    key: derive(input, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16),
    nonce: derive(input, salt, Buffer.from('Content-Encoding: nonce\0'), 12),
  };
}

const derive = (input: Buffer, salt: Buffer, info: Buffer, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', input, salt, info, length));
