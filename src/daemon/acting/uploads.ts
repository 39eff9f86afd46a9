// A file that a person gives to an agent: kept on the machine of the agent, then pasted into its
// input box where it is text, else named there.

import { rmSync } from 'node:fs';
import { relative } from 'node:path';
import { cleanText } from '../../acting/clean-text.ts';
import type { PaneRecord } from '../../core/world.ts';
import type { ActionsPort } from '../../operations/ports/ports.ts';
import { pasteInputSchema } from '../../schema/api/acting.ts';
import type { TargetId } from '../../schema/ids.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import { UPLOAD_BYTES_MAX, type UploadInput, type UploadReply } from '../../schema/web/upload.ts';
import type { RemoteFile, RemoteUpload } from '../../ssh/remote/remote-uploads.ts';
import { LOCAL } from '../daemon-core.ts';
import { fileNameOf, KEPT_MS, keepUpload, QUOTA_BYTES } from './upload-folder.ts';

/** A longer text is a file to read. */
const INLINE_BYTES_MAX = 256 * 1024;
/** Enough to tell a text from other bytes. */
const PROBED_BYTES = 4_096;

export interface UploadsParts {
  readonly nowMs: () => number;
  /** For files that cannot be kept beside the work. */
  readonly ownFolder: string;
  readonly perform: ActionsPort['perform'];
  /** Keeps a file on another machine; null where that is not reached now. */
  readonly keepAt: (
    targetId: TargetId,
    upload: RemoteUpload,
    signal: AbortSignal,
  ) => Promise<RemoteFile> | null;
}

interface KeptFile {
  readonly path: string;
  /** From where the agent works; null where the file is elsewhere. */
  readonly relativePath: string | null;
  readonly remove: () => void | Promise<void>;
}

/** Keeps the file and pastes it or its path. Rejects with a Fault. */
export async function uploadFile(
  parts: UploadsParts,
  pane: PaneRecord,
  { runtime_id: runtimeId, name, mime, data }: UploadInput,
  call: Parameters<ActionsPort['upload']>[2],
): Promise<Outcome<UploadReply>> {
  const workDir = pane.facts?.path ?? '';
  if (workDir === '') return refuse('E_AGENT_UNSUPPORTED', 'it is not known where the agent works');
  const bytes = Buffer.from(data, 'base64');
  if (bytes.length > UPLOAD_BYTES_MAX) {
    return refuse('E_INPUT_INVALID', `the file has more than ${UPLOAD_BYTES_MAX} bytes`);
  }
  const nowMs = parts.nowMs();
  const file = { fileName: fileNameOf(name, nowMs), bytes, nowMs, workDir };
  const keeping =
    pane.targetId === LOCAL ? keepHere(parts, file) : keepThere(parts, pane, file, call);
  const kept = await keeping;
  if (kept === null) {
    return refuse('E_TARGET_UNREACHABLE', `${pane.targetId} cannot be reached now`);
  }
  const inline = bytes.length <= INLINE_BYTES_MAX ? textOf(bytes) : null;
  const text = inline ?? `${namedPath(kept, mime)} `;
  const input = pasteInputSchema.parse({
    ...{ ref: `runtime:${runtimeId}`, if_runtime: runtimeId, text },
  });
  const pasted = await parts.perform(pane, { kind: 'paste', input }, call);
  if (!pasted.ok) {
    // The agent did not get it.
    await kept.remove();
    return pasted;
  }
  const { path } = kept;
  const { result, detail } = pasted.value;
  if (result === 'delivered') return ok({ path, pasted: inline === null ? 'path' : 'text' });
  // The agent may have its path already, so that the file stays.
  const doubt = `it is not known whether it was pasted (${detail}); the file is kept as ${path}`;
  return refuse('E_INPUT_UNSEEN', doubt);
}

interface NamedFile {
  readonly fileName: string;
  readonly bytes: Buffer;
  readonly nowMs: number;
  readonly workDir: string;
}

function keepHere({ ownFolder }: UploadsParts, file: NamedFile): KeptFile {
  const { workDir } = file;
  const path = keepUpload(file, { workDir, ownFolder });
  const from = relative(workDir, path);
  const relativePath = from.startsWith('..') ? null : from;
  return { path, relativePath, remove: () => rmSync(path, { force: true }) };
}

async function keepThere(
  { keepAt }: UploadsParts,
  { targetId }: PaneRecord,
  { nowMs, fileName, ...file }: NamedFile,
  { signal }: { readonly signal: AbortSignal },
): Promise<KeptFile | null> {
  const limits = { keptSinceMs: nowMs - KEPT_MS, quotaBytes: QUOTA_BYTES };
  const kept = await keepAt(targetId, { ...file, ...limits, fileName }, signal);
  if (kept === null) return null;
  const { path, isBesideWork, remove } = kept;
  return { path, relativePath: isBesideWork ? `.agtmux/uploads/${fileName}` : null, remove };
}

/** The text of a file that a person could read; null for other bytes, and for none. */
function textOf(bytes: Buffer): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters.
  const isBinary = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(
    bytes.toString('latin1', 0, PROBED_BYTES),
  );
  if (isBinary) return null;
  try {
    const { text } = cleanText(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return text === '' ? null : text;
  } catch {
    return null;
  }
}

/** Agents read images by their whole path, other files from where they work. */
function namedPath({ path, relativePath }: KeptFile, mime: string): string {
  return mime.startsWith('image/') || relativePath === null ? path : `./${relativePath}`;
}
