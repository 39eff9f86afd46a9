// The binary frames of the web service, for browsers: the type in one byte, the name of an agent, a
// zero byte, and the payload. Pure.

export const BinaryMsgType = {
  TerminalOutput: 0x01,
  KeyboardInput: 0x02,
  Resize: 0x03,
  FileUpload: 0x04,
  /** The terminal starts anew with this payload. */
  TerminalSnapshot: 0x05,
} as const;

export interface BinaryFrame {
  readonly msgType: number;
  readonly agentName: string;
  readonly payload: Uint8Array<ArrayBuffer>;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function encodeBinaryFrame(
  msgType: number,
  agentName: string,
  payload: Uint8Array | string,
): Uint8Array<ArrayBuffer> {
  const name = encoder.encode(agentName);
  const bytes = typeof payload === 'string' ? encoder.encode(payload) : payload;
  const whole = new Uint8Array(name.length + bytes.length + 2);
  whole[0] = msgType;
  whole.set(name, 1);
  whole.set(bytes, name.length + 2);
  return whole;
}

/** Null for bytes that are no frame. */
export function decodeBinaryFrame(data: ArrayBuffer | Uint8Array<ArrayBuffer>): BinaryFrame | null {
  const bytes = data instanceof Uint8Array ? data : new Uint8Array(data);
  const end = bytes.indexOf(0, 1);
  if (bytes.length < 3 || end < 2) return null;
  const agentName = decoder.decode(bytes.subarray(1, end));
  return { msgType: bytes[0] ?? 0, agentName, payload: bytes.subarray(end + 1) };
}

/** What goes into a frame for a file: its name, its type and its bytes, parted by zero bytes. */
export async function uploadPayload(file: File): Promise<Uint8Array<ArrayBuffer>> {
  const part = (text: string): Uint8Array => encoder.encode(text.replaceAll('\0', ''));
  const [name, type] = [part(file.name), part(file.type)];
  const bytes = new Uint8Array(await file.arrayBuffer());
  const whole = new Uint8Array(name.length + type.length + bytes.length + 2);
  whole.set(name, 0);
  whole.set(type, name.length + 1);
  whole.set(bytes, name.length + type.length + 2);
  return whole;
}
