// A file that a person gives to an agent: kept on the machine of the agent, then pasted into its
// input box where it is text, else named there.

import { rmSync } from 'node:fs';
import { relative } from 'node:path';
import { cleanText } from '../../acting/clean-text.ts';
import type { PaneRecord } from '../../core/world.ts';
import type { ActionsPort } from '../../operations/ports/ports.ts';
import { pasteInputSchema } from '../../schema/api/acting.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import { UPLOAD_BYTES_MAX, type UploadInput, type UploadReply } from '../../schema/web/upload.ts';
import { LOCAL } from '../daemon-core.ts';
import { keepUpload } from './upload-folder.ts';

/** A longer text is a file to read. */
const INLINE_BYTES_MAX = 256 * 1024;
/** Enough to tell a text from other bytes. */
const PROBED_BYTES = 4_096;

export interface UploadsParts {
  readonly nowMs: () => number;
  /** For files that cannot be kept beside the work. */
  readonly ownFolder: string;
  readonly perform: ActionsPort['perform'];
}

/** Keeps the file and pastes it or its path. Rejects with a Fault. */
export async function uploadFile(
  { nowMs, ownFolder, perform }: UploadsParts,
  pane: PaneRecord,
  { runtime_id: runtimeId, name, mime, data }: UploadInput,
  call: Parameters<ActionsPort['upload']>[2],
): Promise<Outcome<UploadReply>> {
  const workDir = pane.facts?.path ?? '';
  if (pane.targetId !== LOCAL || workDir === '') {
    return refuse('E_AGENT_UNSUPPORTED', 'files reach only agents of this machine');
  }
  const bytes = Buffer.from(data, 'base64');
  if (bytes.length > UPLOAD_BYTES_MAX) {
    return refuse('E_INPUT_INVALID', `the file has more than ${UPLOAD_BYTES_MAX} bytes`);
  }
  const path = keepUpload({ name, bytes, nowMs: nowMs() }, { workDir, ownFolder });
  const inline = bytes.length <= INLINE_BYTES_MAX ? textOf(bytes) : null;
  const text = inline ?? `${namedPath(path, workDir, mime)} `;
  const input = pasteInputSchema.parse({
    ...{ ref: `runtime:${runtimeId}`, if_runtime: runtimeId, text },
  });
  const pasted = await perform(pane, { kind: 'paste', input }, call);
  if (pasted.ok) return ok({ path, pasted: inline === null ? 'path' : 'text' });
  // The agent did not get it.
  rmSync(path, { force: true });
  return pasted;
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
function namedPath(path: string, workDir: string, mime: string): string {
  const from = relative(workDir, path);
  if (mime.startsWith('image/') || from.startsWith('..')) return path;
  return `./${from}`;
}
