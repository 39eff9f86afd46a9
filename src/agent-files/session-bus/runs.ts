// Which lines of a log that several agents write are of one process. Each life of an agent has a
// `run=` of its own, and the kernel knows how far a process has written into a file that it
// appends to: the line that ends there is its own.

import type { MachineFiles } from '../files/machine-files.ts';
import { type OpenFile, openFileOf, readWholeText } from '../files/process-facts.ts';

const logPath = /\/log\/opencode\.log$/;
/** An agent holds tens of files open, and appends to few of them. */
const DESCRIPTORS_MAX = 512;
/** More than a line with the stack of an error. */
const LINE_BYTES = 65_536;
/** As the system writes the flags of a file: octal. */
const O_APPEND = 0o2000;

export const logOf = (files: MachineFiles, pid: number): Promise<OpenFile | null> =>
  openFileOf(files, pid, logPath);

/** The runs of the process, as far as it has written by now. */
export async function runsOf(files: MachineFiles, log: OpenFile): Promise<ReadonlySet<string>> {
  const inode = (await files.facts(log.path))?.inode.split(':').at(-1);
  const runs = new Set<string>();
  const folder = `/proc/${log.pid}/fdinfo`;
  for (const name of ((await files.list(folder)) ?? []).slice(0, DESCRIPTORS_MAX)) {
    const position = positionIn(await readWholeText(files, `${folder}/${name}`, 512), inode);
    const run = position > 0 ? await runAt(files, log.path, position) : undefined;
    if (run !== undefined) runs.add(run);
  }
  return runs;
}

function positionIn(facts: string, inode: string | undefined): number {
  const value = (key: string): string =>
    new RegExp(`^${key}:\\s*(\\d{1,20})$`, 'm').exec(facts)?.[1] ?? '';
  const isAppended = (Number.parseInt(value('flags'), 8) & O_APPEND) !== 0;
  return isAppended && value('ino') === inode ? Number(value('pos')) : 0;
}

async function runAt(
  files: MachineFiles,
  path: string,
  position: number,
): Promise<string | undefined> {
  const from = Math.max(0, position - LINE_BYTES);
  const bytes = await files.read(path, { offset: from, bytesMax: position - from });
  const lines = Buffer.from(bytes ?? [])
    .toString('utf8')
    .split('\n');
  // It ends with the end of a line.
  return lines.pop() === '' ? runIn(lines.at(-1) ?? '') : undefined;
}

export const runIn = (line: string): string | undefined =>
  / run=(\w{1,40}) /.exec(line.slice(0, 200))?.[1];
