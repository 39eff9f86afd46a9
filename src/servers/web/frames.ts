// Binary frames: the type in one byte, the name of an agent, a zero byte, and the payload. Pure.

import { UPLOAD_BYTES_MAX } from '../../schema/web/upload.ts';

/**
 * output: bytes of the terminal. reset: the terminal is empty from here on. rpc: in the place of a
 * name a message of JSON-RPC, whose bytes are the payload.
 */
export const frameTypes = {
  ...{ output: 0x01, keys: 0x02, size: 0x03, upload: 0x04, reset: 0x05 },
  rpc: 0x06,
};

/** The largest message: an upload with the names before it. */
export const FRAME_BYTES_MAX: number = UPLOAD_BYTES_MAX + 64 * 1024;

export type Frame =
  | {
      readonly ok: true;
      readonly type: number;
      readonly agent: string;
      readonly payload: Buffer;
    }
  | { readonly ok: false; readonly error: string };

const HEADER_BYTES_MIN = 3;

/** Reads a frame. Never throws, whatever the bytes are. */
export function readFrame(bytes: Buffer): Frame {
  const broken = (what: string): Frame => ({
    ok: false,
    error: `invalid binary message: ${what}`,
  });
  if (bytes.length < HEADER_BYTES_MIN) return broken('frame too short');
  const end = bytes.indexOf(0, 1);
  if (end === -1) return broken('missing agent separator');
  if (end === 1) return broken('missing agent name');
  const agent = bytes.toString('utf8', 1, end);
  return { ok: true, type: bytes[0] ?? 0, agent, payload: bytes.subarray(end + 1) };
}

export function frame(type: number, agent: string, payload: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([type]), Buffer.from(agent), Buffer.from([0]), payload]);
}

export interface Upload {
  readonly fileName: string;
  readonly mimeType: string;
  readonly bytes: Buffer;
}

/** The parts of an upload; null where they are not there. */
export function readUpload(payload: Buffer): Upload | null {
  const nameEnd = payload.indexOf(0);
  const typeEnd = nameEnd === -1 ? -1 : payload.indexOf(0, nameEnd + 1);
  if (typeEnd === -1) return null;
  return {
    fileName: payload.toString('utf8', 0, nameEnd),
    mimeType: payload.toString('utf8', nameEnd + 1, typeEnd),
    bytes: payload.subarray(typeEnd + 1),
  };
}

const COLS_MIN = 2;
const SIDE_MAX = 10_000;

/** The size in a frame, or what is wrong with it. */
export function readResize(
  payload: Buffer,
): { readonly cols: number; readonly rows: number } | { readonly error: string } {
  const parts = payload.toString('utf8').split(':');
  if (parts.length !== 2) return { error: 'expected cols:rows' };
  if (parts.some((part) => !/^-?\d{1,9}$/.test(part))) return { error: 'non-numeric cols/rows' };
  const [cols = 0, rows = 0] = parts.map(Number);
  const fits = cols >= COLS_MIN && rows >= 1 && cols <= SIDE_MAX && rows <= SIDE_MAX;
  return fits ? { cols, rows } : { error: `${cols}x${rows} out of range` };
}
