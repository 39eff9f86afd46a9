// A message of JSON-RPC with bytes beside it, as the web service frames it: the byte 0x06, the
// JSON, a zero byte, the bytes. Pure.

import { parseMessage, type RpcMessage } from '../platform/rpc/rpc-calls.ts';

const RPC_FRAME = 0x06;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function writeBinaryMessage(text: string, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = encoder.encode(text);
  const whole = new Uint8Array(head.length + bytes.length + 2);
  whole[0] = RPC_FRAME;
  whole.set(head, 1);
  whole.set(bytes, head.length + 2);
  return whole;
}

/** The message, with its bytes as the param `bytes`; null for any other frame. */
export function readBinaryMessage(frame: Uint8Array): RpcMessage | null {
  const end = frame[0] === RPC_FRAME ? frame.indexOf(0) : -1;
  if (end === -1) return null;
  const message = parseMessage(decoder.decode(frame.subarray(1, end)));
  if (message === null) return null;
  const params = { ...(message.params as object), bytes: frame.subarray(end + 1) };
  return { ...message, params };
}
