// Files that a person gives to an agent of a host, written there piece by piece by the probe, so
// that its heartbeats come in between.

import { Fault } from '../../platform/fault.ts';
import type { ProbeClient, ProbeCommand } from '../probe/probe.ts';

/** On a slow link a heartbeat waits behind one piece. */
const PIECE_BYTES = 48 * 1024;
const DEADLINE_MS = 10_000;

export interface RemoteUpload {
  /** Letters, digits, dots, dashes and underscores, after the time at which it came. */
  readonly fileName: string;
  readonly bytes: Buffer;
  readonly workDir: string;
  /** Older files of ours go. */
  readonly keptSinceMs: number;
  /** For all files of ours in one folder. */
  readonly quotaBytes: number;
}

export interface RemoteFile {
  readonly path: string;
  /** In the work folder, and not in ours. */
  readonly isBesideWork: boolean;
  readonly remove: () => Promise<void>;
}

/** Throws an SshFault where the host does not answer, a Fault where it cannot keep the file. */
export async function keepRemoteUpload(
  probe: ProbeClient,
  { fileName, bytes, workDir, keptSinceMs, quotaBytes }: RemoteUpload,
  signal: AbortSignal,
): Promise<RemoteFile> {
  const ask = (command: ProbeCommand, words: readonly string[]): Promise<string> =>
    probe.ask({ command, words, deadlineMs: DEADLINE_MS });
  const limits = [keptSinceMs / 1_000, quotaBytes / 1_024, bytes.length / 1_024];
  const numbers = limits.map((each) => String(Math.ceil(each)));
  const begun = await ask('agtmux_upload_begin', [workDir, ...numbers, fileName]);
  const text = Buffer.from(begun, 'latin1').toString('utf8');
  const [, where, folder = ''] = /^(work|state)\n(\/[^\n]*)$/.exec(text) ?? [];
  if (where === undefined) throw unwritable(workDir, 'it takes no file there');
  const remove = async (): Promise<void> => {
    await ask('agtmux_upload_remove', [folder, fileName]);
  };
  try {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      signal.throwIfAborted();
      const piece = bytes.subarray(at, at + PIECE_BYTES);
      const size = await ask('agtmux_upload_add', [folder, fileName, piece.toString('base64')]);
      const isWhole = Number(size.trim()) === at + piece.length;
      if (!isWhole) throw unwritable(folder, 'it did not take the whole file');
    }
  } catch (error) {
    // Where the host is gone, so is the way to remove it; the next one clears it in time.
    await remove().catch(() => {});
    throw error;
  }
  return { path: `${folder}/${fileName}`, isBesideWork: where === 'work', remove };
}

const unwritable = (about: string, detail: string): Fault =>
  new Fault('store_unwritable', { about, detail });
