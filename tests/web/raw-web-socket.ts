// A WebSocket without a library: a peer that can send every frame, also those that no client may.

import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { eventually } from '../live/tmux-server.ts';
import { connectRaw } from './web-lab.ts';

export interface RawFrame {
  readonly opcode: number;
  readonly payload?: Uint8Array | string;
  readonly isLast?: boolean;
  readonly isMasked?: boolean;
  readonly reserved?: number;
  /** What the head says, if not the truth. */
  readonly length?: bigint;
}

export function rawFrame({
  opcode,
  payload = '',
  isLast = true,
  isMasked = true,
  reserved = 0,
  length,
}: RawFrame): Buffer {
  const bytes = Buffer.from(payload);
  const count = length ?? BigInt(bytes.length);
  const first = (isLast ? 0x80 : 0) | (reserved << 4) | opcode;
  const mask = isMasked ? 0x80 : 0;
  const head = Buffer.alloc(count < 126n ? 2 : count < 65_536n ? 4 : 10);
  head[0] = first;
  if (head.length === 2) head[1] = mask | Number(count);
  else if (head.length === 4) {
    head[1] = mask | 126;
    head.writeUInt16BE(Number(count), 2);
  } else {
    head[1] = mask | 127;
    head.writeBigUInt64BE(count, 2);
  }
  if (!isMasked) return Buffer.concat([head, bytes]);
  const key = randomBytes(4);
  for (const [index, byte] of bytes.entries()) bytes[index] = byte ^ (key[index % 4] ?? 0);
  return Buffer.concat([head, key, bytes]);
}

export class RawWebSocket {
  readonly socket: Socket;
  isClosed = false;
  received: Buffer = Buffer.alloc(0);

  private constructor(url: string) {
    this.socket = connectRaw(url);
    this.socket
      .on('error', () => {})
      .on('close', () => {
        this.isClosed = true;
      })
      .on('data', (bytes: Buffer) => {
        this.received = Buffer.concat([this.received, bytes]);
      });
  }

  /** One that the service has let in; it sends and answers nothing by itself. */
  static async open(socketUrl: string): Promise<RawWebSocket> {
    const { pathname, search, host } = new URL(socketUrl);
    const peer = new RawWebSocket(socketUrl.replace('ws', 'http'));
    const lines = [
      ...[`GET ${pathname}${search} HTTP/1.1`, `Host: ${host}`],
      ...['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ];
    peer.socket.write([...lines, '', ''].join('\r\n'));
    await eventually(() => peer.received.includes('\r\n\r\n'), 'it is let in');
    peer.received = peer.received.subarray(peer.received.indexOf('\r\n\r\n') + 4);
    return peer;
  }

  send(frame: RawFrame): void {
    this.socket.write(rawFrame(frame));
  }

  /** The code of the close frame that came; null while none did. */
  get closeCode(): number | null {
    // Frames of a server are not masked, and small ones have two bytes before their payload.
    for (let at = 0; at + 2 <= this.received.length; ) {
      const length = (this.received[at + 1] ?? 0) & 0x7f;
      const extra = length === 126 ? 2 : length === 127 ? 8 : 0;
      const size =
        extra === 2
          ? this.received.readUInt16BE(at + 2)
          : extra === 8
            ? Number(this.received.readBigUInt64BE(at + 2))
            : length;
      if (this.received[at] === 0x88) return this.received.readUInt16BE(at + 2);
      at += 2 + extra + size;
    }
    return null;
  }
}
