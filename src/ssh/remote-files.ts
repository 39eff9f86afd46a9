// Single looks at a host's files: the end of a file below the user's home, and whether a tmux
// server listens at a socket.

import { posix } from 'node:path';
import type { HostFacts } from './host-facts.ts';
import type { Asker } from './probe.ts';

const DEADLINE_MS = 5_000;
/** On a slow link the heartbeats wait behind it. */
const TAIL_BYTES_MAX = 524_288;

export type RemoteTail =
  | {
      readonly kind: 'file';
      readonly modifiedAtMs: number;
      readonly size: number;
      readonly inode: string;
      /** The end of it, as many bytes as were asked for. */
      readonly bytes: Uint8Array;
    }
  | { readonly kind: 'absent' }
  /** It is no plain file, may not be read, or is not below the home. */
  | { readonly kind: 'unfit' };

/** Reads the end of a file. A relative path counts from the home. Throws an SshFault. */
export async function readRemoteTail(
  asker: Asker,
  { home }: Pick<HostFacts, 'home'>,
  file: { readonly path: string; readonly bytesMax: number },
): Promise<RemoteTail> {
  const path = posix.resolve(home, file.path);
  if (!path.startsWith(posix.join(home, '/')) || path.includes('\0')) return { kind: 'unfit' };
  const bytesMax = Math.max(0, Math.min(Math.floor(file.bytesMax), TAIL_BYTES_MAX));
  const words = [path, String(bytesMax)];
  const body = await asker.ask({ command: 'agtmux_tail', words, deadlineMs: DEADLINE_MS });
  if (body.startsWith('absent')) return { kind: 'absent' };
  const [head, modified, size, inode] = /^file (\d+) (\d+) (\d+)\n/.exec(body) ?? [];
  if (head === undefined || inode === undefined) return { kind: 'unfit' };
  const bytes = Buffer.from(body.slice(head.length), 'latin1').subarray(0, bytesMax);
  return { kind: 'file', modifiedAtMs: Number(modified) * 1_000, size: Number(size), inode, bytes };
}

/** `silent`: the file of a server that has ended. `unclear`: nothing may be concluded. */
export type RemoteSocket = 'listens' | 'silent' | 'absent' | 'unclear';

/** Whether a tmux server listens at a socket; none is ever started. Throws an SshFault. */
export async function lookAtRemoteSocket(asker: Asker, socketPath: string): Promise<RemoteSocket> {
  const request = { words: [socketPath], deadlineMs: DEADLINE_MS };
  const answer = (await asker.ask({ ...request, command: 'agtmux_socket' })).trim();
  return answer === 'listens' || answer === 'silent' || answer === 'absent' ? answer : 'unclear';
}
