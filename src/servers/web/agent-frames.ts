// The binary frames by which one client acts on agents: keys, files, and the size of a window. A
// success shows in the terminal; only a failure gets a message.

import { UPLOAD_BYTES_MAX } from '../../schema/web/upload.ts';
import type { CallResult } from '../access.ts';
import type { Session } from '../session.ts';
import type { AgentList, ListedAgent } from './agent-list.ts';
import { frameTypes, readResize, readUpload } from './frames.ts';
import { KeyInput } from './key-input.ts';

/** Files of one client that are being pasted. */
const UPLOADS_MAX = 4;

export interface AgentFramesParts {
  readonly agents: AgentList;
  readonly session: () => Session;
  readonly onError: (error: string) => void;
}

/** What frames of a client are about, in the words of errors. */
const frameNames: Readonly<Record<number, string>> = {
  [frameTypes.keys]: 'keyboard input',
  [frameTypes.size]: 'resize',
  [frameTypes.upload]: 'file upload',
};

export class AgentFrames {
  readonly #parts: AgentFramesParts;
  readonly #keys: KeyInput;
  /** By runtime: the windows that it has sized, or is sizing. */
  readonly #sizes = new Map<string, Sizing>();
  #uploadCount = 0;

  constructor(parts: AgentFramesParts) {
    this.#parts = parts;
    const { session, onError } = parts;
    this.#keys = new KeyInput({
      type: (input, reply) => void session().call('type_keys', input, reply),
      onError,
    });
  }

  take(type: number, name: string, payload: Buffer): void {
    const { agents, onError } = this.#parts;
    const about = frameNames[type];
    if (about === undefined) {
      onError(`unknown binary message type: 0x${type.toString(16).padStart(2, '0')}`);
      return;
    }
    const agent = agents.called(name);
    if (agent === null) onError(`${about} ${name.slice(0, 200)}: agent not found`);
    else if (type === frameTypes.keys) this.#keys.take(agent, payload);
    else if (type === frameTypes.size) this.#resize(agent, payload);
    else this.#upload(agent, payload);
  }

  #upload({ item: { name }, runtimeId }: ListedAgent, payload: Buffer): void {
    const fail = (why: string): void => this.#parts.onError(`file upload ${name}: ${why}`);
    const upload = readUpload(payload);
    if (upload === null) {
      fail('expected fileName, mimeType and the bytes, separated by zero bytes');
      return;
    }
    const { fileName, mimeType, bytes } = upload;
    if (bytes.length > UPLOAD_BYTES_MAX) {
      const limit = `${bytes.length} bytes (max ${UPLOAD_BYTES_MAX})`;
      fail(`file "${fileName.slice(0, 200)}" too large: ${limit}`);
      return;
    }
    if (this.#uploadCount >= UPLOADS_MAX) {
      fail('other files are still on their way');
      return;
    }
    this.#uploadCount += 1;
    const data = bytes.toString('base64');
    const input = { runtime_id: runtimeId, name: fileName, mime: mimeType, data };
    this.#parts.session().call('upload_file', input, (result: CallResult) => {
      this.#uploadCount -= 1;
      if (!result.ok) fail(result.problem.message);
    });
  }

  /** The agent is not watched any more: its window no longer needs a size. */
  release({ runtimeId }: ListedAgent): void {
    if (!this.#sizes.delete(runtimeId)) return;
    this.#parts.session().call('release_window', { runtime_id: runtimeId }, () => {});
  }

  #resize({ item: { name }, runtimeId }: ListedAgent, payload: Buffer): void {
    const { onError } = this.#parts;
    const size = readResize(payload);
    if ('error' in size) {
      onError(`invalid resize payload for ${name}: ${size.error}`);
      return;
    }
    const sizing = this.#sizes.get(runtimeId) ?? { isRunning: false, next: null };
    this.#sizes.set(runtimeId, sizing);
    // Of those that come meanwhile only the last counts.
    sizing.next = size;
    if (!sizing.isRunning) this.#setSize(name, runtimeId, sizing);
  }

  #setSize(name: string, runtimeId: string, sizing: Sizing): void {
    const { next: size } = sizing;
    sizing.isRunning = size !== null;
    if (size === null || this.#sizes.get(runtimeId) !== sizing) return;
    sizing.next = null;
    const { session, onError } = this.#parts;
    session().call('resize_window', { runtime_id: runtimeId, ...size }, (result: CallResult) => {
      if (!result.ok) onError(`resize ${name}: ${result.problem.message}`);
      this.#setSize(name, runtimeId, sizing);
    });
  }
}

/** The size that one client gives to the window of one agent. */
interface Sizing {
  isRunning: boolean;
  next: { readonly cols: number; readonly rows: number } | null;
}
