// The emitter's spool on a host: finished events are listed and read, and deleted only when they
// are old and the caller has them. The same files are refused as at home: links, FIFOs, foreign
// ones, those that others may write to and those that are too large. What a file says is read
// elsewhere.

import type { ProbeClient } from '../probe/probe.ts';
import { sectionsOf } from '../probe/probe-frames.ts';
import type { ClockReading } from './host-facts.ts';
import { type SpoolCursor, TAKEN_MAX } from './spool-cursor.ts';

/** The emitter cuts a payload at 256 KB. */
const FILE_BYTES_MAX = 524_288;
/** One reading holds no more than this: on a slow link the heartbeats wait behind it. */
const ROUND_BYTES_MAX = FILE_BYTES_MAX;
const ROUND_FILES_MAX = 100;
const DEADLINE_MS = 8_000;

/** What the emitter calls a finished file. Nothing else is ever named to the host. */
const finishedName = /^\d{16}-\d{1,10}\.event$/;

export interface SpoolFolder {
  readonly folder: string;
  /** Ours on the host: its owner. */
  readonly uid: number;
}

export interface RemoteEventFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface RemoteSpoolReading {
  /** Oldest first: a name begins with its sequence. */
  readonly files: readonly RemoteEventFile[];
  readonly refused: readonly { readonly name: string; readonly problem: string }[];
  /** There may be more; read again when these are taken. */
  readonly hasMore: boolean;
  /** No emitter has made the folder, or it is another one. */
  readonly isAbsent: boolean;
  /** Why the folder may not be used; null when it may, or is not there. */
  readonly problem: string | null;
  /** The host's clock as it was when the files were read; null when none was. */
  readonly clock: ClockReading | null;
}

const nothing: RemoteSpoolReading = {
  files: [],
  refused: [],
  hasMore: false,
  isAbsent: false,
  problem: null,
  clock: null,
};

const FOLDER_LENGTH_MAX = 1_024;

/** The emitter's folder in panes of that tmux server, or null. Throws an SshFault. */
export async function findRemoteSpool(
  probe: ProbeClient,
  socketPath: string,
): Promise<string | null> {
  const request = { words: [socketPath], deadlineMs: DEADLINE_MS };
  const answer = await probe.ask({ ...request, command: 'agtmux_spool_folder' });
  const folder = Buffer.from(answer, 'latin1').toString('utf8');
  const isFit = folder.startsWith('/') && !/\p{Cc}/u.test(folder);
  return isFit && folder.length <= FOLDER_LENGTH_MAX ? folder : null;
}

export interface RemoteSpoolOptions {
  readonly cursor: SpoolCursor;
  readonly nowMs: () => number;
}

/** Reads some events that are not taken yet. Throws an SshFault. */
export async function readRemoteSpool(
  probe: ProbeClient,
  spool: SpoolFolder,
  { cursor: { after, taken }, nowMs }: RemoteSpoolOptions,
): Promise<RemoteSpoolReading> {
  // However many of them are taken, there is room for news.
  const most = TAKEN_MAX + ROUND_FILES_MAX;
  const listed = await probe.ask({
    command: 'agtmux_spool_list',
    words: [spool.folder, String(after), String(most)],
    deadlineMs: DEADLINE_MS,
  });
  const [kind, ...lines] = listed.split('\n');
  if (kind === 'unfit') return { ...nothing, problem: 'it is a link, no folder, or not ours' };
  if (kind !== 'files') return { ...nothing, isAbsent: kind !== 'empty' };
  const listing = readListing(lines, spool.uid);
  if (listing.problem !== null) return { ...nothing, problem: listing.problem };
  const isNews = ({ name }: { name: string }): boolean => !taken.has(name);
  const fit = listing.fit.filter(isNews);
  const refused = listing.refused.filter(isNews);
  const chosen = withinRound(fit);
  const requestedAtMs = nowMs();
  const { files, now } = await readFiles(probe, spool, chosen);
  const clock = { now, requestedAtMs, answeredAtMs: nowMs() };
  const isCut = listing.fit.length + listing.refused.length >= most;
  const hasMore = chosen.length < fit.length || isCut;
  return { files, refused, hasMore, isAbsent: false, problem: null, clock };
}

/** Deletes stored events up to this sequence, after other readers had time. Throws an SshFault. */
export async function removeFromRemoteSpool(
  probe: ProbeClient,
  { folder }: SpoolFolder,
  sequence: number,
): Promise<void> {
  const words = [folder, String(Math.trunc(sequence))];
  await probe.ask({ command: 'agtmux_spool_remove', words, deadlineMs: DEADLINE_MS });
}

/** Moves refused files into the folder `refused`, where a person can look. Throws an SshFault. */
export async function refuseInRemoteSpool(
  probe: ProbeClient,
  { folder }: SpoolFolder,
  names: readonly string[],
): Promise<void> {
  const words = [folder, ...names.filter((name) => finishedName.test(name))];
  if (words.length === 1) return;
  await probe.ask({ command: 'agtmux_spool_refuse', words, deadlineMs: DEADLINE_MS });
}

interface ListedFile {
  readonly name: string;
  readonly size: number;
}

interface Listing {
  readonly fit: readonly ListedFile[];
  readonly refused: readonly { readonly name: string; readonly problem: string }[];
  readonly problem: string | null;
}

/** Reads what `ls -ldn` says of the folder itself, `.`, and of its files. */
export function readListing(lines: readonly string[], uid: number): Listing {
  const fit: ListedFile[] = [];
  const refused: { name: string; problem: string }[] = [];
  let folderProblem: string | null = 'it cannot be listed';
  for (const line of lines) {
    const entry = readEntry(line);
    if (entry === null) continue;
    const { name, mode, owner, size } = entry;
    const problem = unfitness({ mode, owner, uid });
    if (name === '.') {
      folderProblem = problem;
    } else if (finishedName.test(name)) {
      const found = fileProblem(entry) ?? problem;
      if (found === null) fit.push({ name, size });
      else refused.push({ name, problem: found });
    }
  }
  return { fit: fit.sort(byName), refused, problem: folderProblem };
}

interface Entry {
  readonly name: string;
  readonly type: string;
  readonly mode: string;
  readonly owner: number;
  readonly size: number;
}

function readEntry(line: string): Entry | null {
  const head = /^([a-z-])([rwxsStT-]{9})\S*\s+\d+\s+(\d+)\s+\d+\s+(\d+)(?:,\s*\d+)?\s/.exec(line);
  const [, name] = /\s(\.|[0-9]+-[0-9]+\.event)(?: -> .*)?$/.exec(line) ?? [];
  if (head === null || name === undefined) return null;
  const [, type = '', mode = '', owner, size] = head;
  return { name, type, mode, owner: Number(owner), size: Number(size) };
}

function fileProblem({ type, mode, size }: Entry): string | null {
  if (type === 'l') return 'it is a symbolic link';
  if (type !== '-') return 'it is not a plain file';
  if (!mode.startsWith('r')) return 'it may not be read';
  return size > FILE_BYTES_MAX ? `it is larger than ${FILE_BYTES_MAX} bytes` : null;
}

function unfitness(entry: { mode: string; owner: number; uid: number }): string | null {
  if (entry.owner !== entry.uid) return 'it belongs to another user';
  // The `w` of the group and of the others.
  const isOpen = entry.mode[4] === 'w' || entry.mode[7] === 'w';
  return isOpen ? 'others may write to it' : null;
}

const byName = (a: ListedFile, b: ListedFile): number => (a.name < b.name ? -1 : 1);

function withinRound(files: readonly ListedFile[]): readonly ListedFile[] {
  let bytes = 0;
  return files.slice(0, ROUND_FILES_MAX).filter(({ size }, index) => {
    bytes += size;
    return index === 0 || bytes <= ROUND_BYTES_MAX;
  });
}

async function readFiles(
  probe: ProbeClient,
  { folder }: SpoolFolder,
  chosen: readonly ListedFile[],
): Promise<{ readonly files: readonly RemoteEventFile[]; readonly now: string | null }> {
  if (chosen.length === 0) return { files: [], now: null };
  const { secret } = probe;
  const names = chosen.map(({ name }) => name);
  const words = [folder, String(FILE_BYTES_MAX + 1), ...names];
  const body = await probe.ask({
    command: 'agtmux_spool_read',
    words,
    deadlineMs: DEADLINE_MS,
  });
  const sections = sectionsOf(secret, body);
  const bodies = new Map(sections.map((section) => [section.argument, section.body]));
  const files = chosen.flatMap(({ name, size }) => {
    const bytes = bodies.get(name);
    // Another size: changed or removed since the listing. It is listed again.
    return bytes?.length === size ? [{ name, bytes: Buffer.from(bytes, 'latin1') }] : [];
  });
  return { files, now: sections.find(({ name }) => name === 'now')?.argument ?? null };
}
