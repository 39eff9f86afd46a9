// Copies of files as they were before we changed them, in our own state folder; the oldest go.

import { join } from 'node:path';
import type { EditedFiles } from './edited-files.ts';

const KEPT_PER_FILE = 5;
const KEPT_MAX = 200;

/** Keeps a copy; gives its path. */
export async function keepBackup(
  files: EditedFiles,
  folder: string,
  { path, text, nowMs }: { readonly path: string; readonly text: string; readonly nowMs: number },
): Promise<string> {
  await files.makeFolder(folder, 0o700);
  const flat = flatName(path);
  const backup = join(folder, `${flat}.${nowMs}`);
  const before = await files.read(backup);
  await files.writeAtomically(backup, { text, mode: 0o600, expected: before });
  await prune(files, folder, flat);
  return backup;
}

/** The path as one name that a folder can hold. */
const flatName = (path: string): string =>
  path.replaceAll('%', '%25').replaceAll('/', '%2F').slice(-180);

async function prune(files: EditedFiles, folder: string, flat: string): Promise<void> {
  const names = (await files.list(folder)).filter((name) => /\.\d{13}$/.test(name));
  const own = names.filter((name) => name.slice(0, -14) === flat);
  const byTime = [...names].sort((a, b) => Number(a.slice(-13)) - Number(b.slice(-13)));
  const old = new Set([...own.slice(0, -KEPT_PER_FILE), ...byTime.slice(0, -KEPT_MAX)]);
  for (const name of old) {
    const path = join(folder, name);
    const text = await files.read(path);
    if (text !== null) await files.remove(path, text);
  }
}
