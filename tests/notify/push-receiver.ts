// A push service on loopback, over TLS, and a browser that subscribes to it: what was pushed is
// decrypted by the steps of RFC 8291, written from the browser's side.

import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  hkdfSync,
  randomBytes,
  verify,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { root } from '../../scripts/script-entry.ts';

const certificates = join(root, 'tests/web/certificates');
/** The service signs its own certificate. */
export const receiverCa: string = readFileSync(join(certificates, 'first-cert.pem'), 'utf8');
const key = readFileSync(join(certificates, 'first-key.pem'), 'utf8');

export interface ReceivedPush {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export class PushReceiver {
  readonly received: ReceivedPush[] = [];
  /** By path; 201 where the test says nothing. */
  readonly replies = new Map<string, { status: number; headers?: Record<string, string> }>();
  url = '';

  static async open(): Promise<PushReceiver> {
    const service = new PushReceiver();
    const server = createServer({ cert: receiverCa, key }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { url: path = '', headers } = request;
        service.received.push({ path, headers, body: Buffer.concat(chunks) });
        const { status, headers: replyHeaders } = service.replies.get(path) ?? { status: 201 };
        response.writeHead(status, replyHeaders).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    service.url = `https://localhost:${(server.address() as AddressInfo).port}`;
    return service;
  }
}

export class PushBrowser {
  readonly #pair = createECDH('prime256v1');
  readonly #auth = randomBytes(16);
  readonly #point: Buffer;
  readonly path: string;

  constructor(path: string) {
    this.path = path;
    this.#point = this.#pair.generateKeys();
  }

  /** What its page hands in. */
  subscription(service: string) {
    const keys = {
      p256dh: this.#point.toString('base64url'),
      auth: this.#auth.toString('base64url'),
    };
    return { endpoint: `${service}${this.path}`, keys };
  }

  /** Throws where the message is not for this browser. */
  read({ headers, body }: ReceivedPush): Record<string, unknown> {
    if (headers['content-encoding'] !== 'aes128gcm') throw new Error('another encoding');
    const salt = body.subarray(0, 16);
    const idLength = body.readUInt8(20);
    const sender = body.subarray(21, 21 + idLength);
    const encrypted = body.subarray(21 + idLength, -16);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.#point, sender]);
    const input = Buffer.from(
      hkdfSync('sha256', this.#pair.computeSecret(sender), this.#auth, info, 32),
    );
    const derive = (name: string, length: number): Buffer =>
      Buffer.from(hkdfSync('sha256', input, salt, `Content-Encoding: ${name}\0`, length));
    const cipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
    cipher.setAuthTag(body.subarray(-16));
    const record = Buffer.concat([cipher.update(encrypted), cipher.final()]);
    if (record.at(-1) !== 2) throw new Error('no last record');
    return JSON.parse(record.subarray(0, -1).toString()) as Record<string, unknown>;
  }
}

/** Who pushed, where the token was signed by that key; null where it was not. */
export function pusherOf({ headers }: ReceivedPush): { key: string; audience: string } | null {
  const [, token = '', publicKey = ''] =
    /^vapid t=([^,]+), k=(.+)$/.exec(headers.authorization ?? '') ?? [];
  const [head = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(publicKey, 'base64url');
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
  const options = {
    key: createPublicKey({ key: jwk, format: 'jwk' }),
    dsaEncoding: 'ieee-p1363',
  } as const;
  const signed = Buffer.from(`${head}.${claims}`);
  if (!verify('sha256', signed, options, Buffer.from(signature, 'base64url'))) return null;
  const { aud } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { aud: string };
  return { key: publicKey, audience: aud };
}
