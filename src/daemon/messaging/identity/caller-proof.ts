// Proves who calls. On Linux the caller holds a file open for writing that was made for its
// connection alone; /proc shows which process does, and whose pane that one descends from. What a
// caller says of itself is never believed.

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Outcome, refuse } from '../../../schema/outcome.ts';
import type { ProvenCaller } from '../../../schema/relay/message.ts';
import { type CallerOfProcessParts, callerOfProcess } from './caller-of-process.ts';

/** A client opens the file at once. */
const CHALLENGE_MS = 10_000;
const CHALLENGES_MAX = 256;
/** Access mode of open(2), as /proc/<pid>/fdinfo writes it in octal. */
const WRITE_MODES = 0o3;

export interface CallerProofOptions extends CallerOfProcessParts {
  /** Private; emptied at the start. */
  readonly folder: string;
  readonly nowMs: () => number;
  /** Whether /proc shows the open files of processes. */
  readonly hasProc?: boolean;
}

export class CallerProof implements Disposable {
  readonly #options: CallerProofOptions;
  readonly #challenges = new Map<string, number>();
  readonly #hasProc: boolean;
  /** As /proc names it, without links on the way. */
  readonly #folder: string;

  constructor(options: CallerProofOptions) {
    this.#options = options;
    this.#hasProc = options.hasProc ?? process.platform === 'linux';
    rmSync(options.folder, { recursive: true, force: true });
    mkdirSync(options.folder, { recursive: true, mode: 0o700 });
    this.#folder = realpathSync(options.folder);
  }

  /** `earlier`: what the same connection was given before; a connection has one at a time. */
  begin(earlier: string | null): { readonly challenge: string; readonly path: string } | null {
    if (!this.#hasProc) return null;
    if (earlier !== null && this.#challenges.has(earlier)) this.#forget(earlier);
    const atMs = this.#options.nowMs();
    for (const [challenge, sinceMs] of this.#challenges) {
      const isFull = this.#challenges.size >= CHALLENGES_MAX;
      if (atMs - sinceMs > CHALLENGE_MS || isFull) this.#forget(challenge);
    }
    const challenge = randomBytes(16).toString('hex');
    const path = this.#pathOf(challenge);
    closeSync(openSync(path, 'wx', 0o600));
    this.#challenges.set(challenge, atMs);
    return { challenge, path };
  }

  prove(challenge: string | null, pid: number): Outcome<ProvenCaller> {
    if (!this.#hasProc) return unproven('this system does not show the open files of a process');
    const sinceMs = challenge === null ? undefined : this.#challenges.get(challenge);
    if (challenge === null || sinceMs === undefined) return unproven('begin_proof comes first');
    const isOpen = this.#isHeldBy(challenge, pid);
    this.#forget(challenge);
    if (this.#options.nowMs() - sinceMs > CHALLENGE_MS) return unproven('it took too long');
    if (!isOpen) return unproven(`process ${pid} does not hold the file open`);
    return callerOfProcess(this.#options, pid);
  }

  [Symbol.dispose](): void {
    for (const challenge of [...this.#challenges.keys()]) this.#forget(challenge);
  }

  /** Whether this very process has the file open for writing. */
  #isHeldBy(challenge: string, pid: number): boolean {
    const path = this.#pathOf(challenge);
    const folder = `/proc/${pid}/fd`;
    try {
      return readdirSync(folder).some((fd) => {
        if (readLink(join(folder, fd)) !== path) return false;
        const [, flags] = /^flags:\s*([0-7]+)$/m.exec(readInfo(pid, fd)) ?? [];
        return flags !== undefined && (Number.parseInt(flags, 8) & WRITE_MODES) !== 0;
      });
    } catch {
      return false;
    }
  }

  #pathOf(challenge: string): string {
    return join(this.#folder, challenge);
  }

  #forget(challenge: string): void {
    this.#challenges.delete(challenge);
    rmSync(this.#pathOf(challenge), { force: true });
  }
}

function readLink(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

function readInfo(pid: number, fd: string): string {
  try {
    return readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8');
  } catch {
    return '';
  }
}

const unproven = (why: string): Outcome<never> => refuse('E_IDENTITY_UNPROVEN', why);
