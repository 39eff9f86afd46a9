// Watches of files and folders on a host: one request polls all of them. A host whose file times
// count in seconds cannot show two changes within one second: there a fresh file counts as changed.

import { Fault } from '../../platform/fault.ts';
import type { ProbeClient } from '../probe/probe.ts';

/** Poll interval: a change there must be noticed within 1.5 s. */
const LOOK_MS = 700;
const DEADLINE_MS = 5_000;
const STALE_MS = 2 * LOOK_MS;
/** Their names go to the host in one line each time. */
const PATHS_MAX = 256;
const FRESH_SECONDS = 3;

export interface RemoteFacts {
  readonly size: number;
  readonly modifiedAtMs: number;
  readonly inode: string;
}

/** Reads `<time of change> <size> <inode>`, the time in seconds with a fraction or without. */
export function readStatLine(line: string): RemoteFacts | null {
  const [, seconds, size, inode] =
    /^(\d{1,12}(?:\.\d{1,9})?) (\d{1,15}) (\d{1,20})$/.exec(line) ?? [];
  if (seconds === undefined || size === undefined || inode === undefined) return null;
  return { size: Number(size), modifiedAtMs: Math.floor(Number(seconds) * 1_000), inode };
}

/**
 * How each path is, by a sign that differs after a change; null for what is not there. The answer
 * to `agtmux_look`, or null when it is none: a file went away while it was looked at.
 */
export function readSigns(answer: string, pathCount: number): readonly (string | null)[] | null {
  const [now = '', there = '', ...stats] = answer.split('\n');
  const indexes = there.split(' ').filter(Boolean).map(Number);
  const lines = stats.filter(Boolean);
  if (!/^\d{1,12}$/.test(now) || lines.length !== indexes.length) return null;
  const signs = new Array<string | null>(pathCount).fill(null);
  for (const [at, index] of indexes.entries()) {
    const line = lines[at] ?? '';
    if (readStatLine(line) === null || index >= pathCount) return null;
    const [seconds = ''] = line.split(' ');
    const isUnsure = !seconds.includes('.') && Number(seconds) > Number(now) - FRESH_SECONDS;
    signs[index] = isUnsure ? `${line} ${now}` : line;
  }
  return signs;
}

export interface RemoteWatches extends Disposable {
  add(path: string, onChange: () => void): Disposable;
  /** The last reading; undefined when there is none or it may be stale. */
  factsOf(path: string): RemoteFacts | null | undefined;
}

interface Watched {
  readonly path: string;
  readonly onChange: () => void;
  /** Undefined until the first reading. */
  sign: string | null | undefined;
}

/** Beyond its bound a path is not watched; its readers poll it themselves. */
export function remoteWatches({
  probe,
  isConnected,
}: {
  readonly probe: ProbeClient;
  readonly isConnected: () => boolean;
}): RemoteWatches {
  const watched = new Set<Watched>();
  let timer: NodeJS.Timeout | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;

  const look = async (): Promise<void> => {
    const all = [...watched].slice(0, PATHS_MAX);
    if (all.length === 0 || !isConnected()) return;
    const words = all.map(({ path }) => path);
    const answer = await probe.ask({ command: 'agtmux_look', words, deadlineMs: DEADLINE_MS });
    const signs = readSigns(answer, all.length);
    if (signs === null) return;
    lookedAt = performance.now();
    for (const [index, each] of all.entries()) {
      const before = each.sign;
      each.sign = signs[index] ?? null;
      const isNews = before !== undefined && before !== each.sign;
      if (isNews && watched.has(each)) each.onChange();
    }
  };
  const next = (): void => {
    const own = setTimeout(async () => {
      try {
        await look();
      } catch (error) {
        // The host is lost: polling goes on when it is back.
        if (!(error instanceof Fault)) throw error;
      }
      // Stopped and started again during the request: another loop goes on.
      if (timer === own) next();
    }, LOOK_MS).unref();
    timer = own;
  };
  const stop = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };

  return {
    add(path, onChange) {
      const isFit = path.startsWith('/') && !path.includes('\0');
      if (!isFit || watched.size >= PATHS_MAX) return { [Symbol.dispose]() {} };
      const each: Watched = { path, onChange, sign: undefined };
      watched.add(each);
      if (timer === null) next();
      return {
        [Symbol.dispose]() {
          watched.delete(each);
          if (watched.size === 0) stop();
        },
      };
    },
    factsOf(path) {
      if (performance.now() - lookedAt > STALE_MS) return undefined;
      const sign = [...watched].find((each) => each.path === path)?.sign;
      // A fourth word is that of a file whose facts may be those of an earlier one.
      if (sign === undefined || sign?.split(' ').length === 4) return undefined;
      return sign === null ? null : readStatLine(sign);
    },
    [Symbol.dispose]() {
      watched.clear();
      stop();
    },
  };
}
