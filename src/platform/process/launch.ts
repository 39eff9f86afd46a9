// Launches programs, on this machine or through a shell on another host. What such a shell prints
// before the marker is dropped, and nothing is written to the program before that. A launch without
// a marker starts the program itself. Also runs programs to their end.

import { type Child, type ChildExit, type ChildSpec, startChild } from './child.ts';

export interface LaunchSpec extends ChildSpec {
  readonly isTethered: boolean;
  /** Written to its stdin first. */
  readonly input: string;
  /** Output up to and including this line comes from the shell and not from the program. */
  readonly marker: string | null;
}

export interface LaunchHandlers {
  readonly onStdout: (bytes: string) => void;
  readonly onStderr?: (bytes: string) => void;
  /** The program runs; with its own process id where the shell printed it. */
  readonly onReady?: (pid: number | null) => void;
  readonly onExit: (exit: ChildExit) => void;
  /** It is killed when the marker has not come by then. */
  readonly readyDeadlineMs: number;
}

/** A login shell that prints more than this before the marker is broken. */
const NOISE_BYTES_MAX = 1_000_000;
/** Input kept until the marker comes; a caller with more must wait for `onReady`. */
const WAITING_BYTES_MAX = 1_000_000;
/** Only the end of stderr is kept: it holds the reason. */
const STDERR_LENGTH_MAX = 8_192;

/** Starts a program live. Never throws: what cannot be started exits with an error. */
export function launchProgram(launch: LaunchSpec, live: LaunchHandlers): Child {
  const { input, marker, ...spec } = launch;
  const filter = marker === null ? null : markerFilter(marker);
  let isReady = false;
  let waiting = '';
  let isEnding = false;
  const timer = setTimeout(() => {
    if (!isReady) child.kill('SIGKILL');
  }, live.readyDeadlineMs);
  const ready = (pid: number | null): void => {
    isReady = true;
    clearTimeout(timer);
    live.onReady?.(pid);
    if (waiting !== '') child.write(waiting);
    waiting = '';
    if (isEnding) child.endInput();
  };
  const child = startChild({
    ...spec,
    onStdout(bytes) {
      if (isReady || filter === null) {
        live.onStdout(bytes);
        return;
      }
      const found = filter.feed(bytes);
      if (found.kind === 'overflow') child.kill('SIGKILL');
      if (found.kind !== 'ready') return;
      ready(found.pid);
      if (found.rest !== '') live.onStdout(found.rest);
    },
    ...(live.onStderr && { onStderr: live.onStderr }),
    onExit(exit) {
      clearTimeout(timer);
      live.onExit(exit);
    },
  });
  if (input !== '') child.write(input);
  if (filter === null) queueMicrotask(() => ready(child.pid ?? null));
  return {
    ...child,
    write(text) {
      if (isReady) return child.write(text);
      if (waiting.length + text.length > WAITING_BYTES_MAX) return false;
      waiting += text;
      return true;
    },
    endInput() {
      if (isReady || waiting === '') child.endInput();
      else isEnding = true;
    },
  };
}

export interface RunLimits {
  readonly timeoutMs: number;
  /** More output ends the program; what came until then is kept. */
  readonly stdoutBytesMax: number;
  /** Ends the program when it aborts, and starts none when it has. */
  readonly signal?: AbortSignal | undefined;
}

export interface RunResult extends ChildExit {
  readonly stdout: string;
  /** Its end, where there was much. */
  readonly stderr: string;
  readonly timedOut: boolean;
  readonly overflowed: boolean;
  /** The marker came: the program itself was started. */
  readonly wasReady: boolean;
}

const notStarted: RunResult = {
  code: null,
  signal: null,
  error: 'it was cancelled',
  stdout: '',
  stderr: '',
  timedOut: false,
  overflowed: false,
  wasReady: false,
};

/** Runs a program of this machine to its end. Never rejects. */
export function runChild(
  spec: ChildSpec & RunLimits & { readonly input?: string },
): Promise<RunResult> {
  return runProgram({ input: '', ...spec, isTethered: false, marker: null }, spec);
}

/** Runs a program to its end, within a time and an amount of output. Never rejects. */
export async function runProgram(launch: LaunchSpec, limits: RunLimits): Promise<RunResult> {
  if (limits.signal?.aborted) return notStarted;
  let stdout = '';
  let stderr = '';
  let timedOut = false;
  let overflowed = false;
  let wasReady = false;
  const child = launchProgram(launch, {
    readyDeadlineMs: limits.timeoutMs,
    onReady() {
      wasReady = true;
    },
    onStdout(bytes) {
      stdout = (stdout + bytes).slice(0, limits.stdoutBytesMax);
      if (stdout.length < limits.stdoutBytesMax) return;
      overflowed = true;
      child.kill('SIGKILL');
    },
    onStderr(bytes) {
      stderr = (stderr + bytes).slice(-STDERR_LENGTH_MAX);
    },
    onExit() {},
  });
  child.endInput();
  const timer = setTimeout(() => {
    timedOut = true;
    child.kill('SIGKILL');
  }, limits.timeoutMs);
  const onAbort = (): void => child.kill('SIGKILL');
  limits.signal?.addEventListener('abort', onAbort);
  const exit = await child.exited;
  limits.signal?.removeEventListener('abort', onAbort);
  clearTimeout(timer);
  return { ...exit, stdout, stderr, timedOut, overflowed, wasReady };
}

export type MarkerFound =
  | { readonly kind: 'noise' }
  | { readonly kind: 'overflow' }
  | { readonly kind: 'ready'; readonly pid: number | null; readonly rest: string };

/** Finds the marker's line, however the output is cut. Keeps only what may be part of it. */
export function markerFilter(marker: string): { feed(bytes: string): MarkerFound } {
  const line = `\n${marker}\n`;
  const keptLength = line.length * 2 + 32;
  let kept = '\n';
  let noiseLength = 0;
  return {
    feed(bytes) {
      kept += bytes;
      noiseLength += bytes.length;
      const at = kept.indexOf(line);
      if (at >= 0) {
        const [, pid] = /\.pid (\d{1,10})$/.exec(kept.slice(0, at)) ?? [];
        const rest = kept.slice(at + line.length);
        return { kind: 'ready', pid: pid === undefined ? null : Number(pid), rest };
      }
      kept = kept.slice(-keptLength);
      return { kind: noiseLength > NOISE_BYTES_MAX ? 'overflow' : 'noise' };
    },
  };
}
