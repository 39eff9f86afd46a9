// Runs the emitter as a hook would: its own folder for everything, a bare environment, a payload on
// stdin or as an argument. Also finds the shells that are here to run it.

import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEntry } from '../../src/sources/spool/spool-entry.ts';
import { isEventName, readSpoolFile, type SpoolEvent } from '../../src/sources/spool/spool-file.ts';
import { eventually } from '../live/tmux-server.ts';

export const emitter = fileURLToPath(new URL('../../emitter/agtmux-emit', import.meta.url));

/** Each shell that the script must run under, where it is installed. */
export const shells: readonly (readonly string[])[] = [
  ['/bin/dash'],
  ['/bin/bash', '--posix'],
  ['/bin/busybox', 'ash'],
].filter(([program]) => existsSync(program as string));

export interface Run {
  readonly args?: readonly string[];
  /** Undefined gives an empty stdin. */
  readonly stdin?: string | Uint8Array | undefined;
  readonly env?: Readonly<Record<string, string>>;
  readonly shell?: readonly string[];
}

const plainArgs = ['--source', 'claude-hooks', '--agent', 'claude', '--event', 'Stop'];

/** A folder with a spool in it, and the emitter bound to both. */
export class EmitterLab implements Disposable {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'agtmux-emitter-'));
  readonly spool: string = join(this.folder, 'spool');

  /** Ends within ten seconds or fails the caller. */
  run({ args = plainArgs, stdin, env = {}, shell = [] }: Run = {}): SpawnSyncReturns<Buffer> {
    const [program = emitter, ...before] = [...shell, ...(shell.length > 0 ? [emitter] : [])];
    const options = {
      input: stdin ?? '',
      env: { PATH: '/usr/bin:/bin', AGTMUX_SPOOL: this.spool, ...env },
      timeout: 10_000,
      // In a session of its own it has no terminal: an OSC must not reach the one of the tester.
      detached: true,
    };
    return spawnSync(program, [...before, ...args], options);
  }

  /** The names of the finished events, oldest first. */
  names(folder: string = this.spool): readonly string[] {
    return existsSync(folder) ? readdirSync(folder).filter(isEventName).sort() : [];
  }

  /** The events that are in the spool; fails on one that cannot be read. */
  events(folder: string = this.spool): readonly SpoolEvent[] {
    return this.names(folder).map((name) => {
      const entry = openEntry(join(folder, name));
      if (entry.kind !== 'bytes') throw new Error(`${name}: ${entry.kind}`);
      const reading = readSpoolFile(name, entry.bytes);
      if (typeof reading === 'string') throw new Error(`${name}: ${reading}`);
      return reading;
    });
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Waits until the condition holds. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  await eventually(holds, what);
}

/** A run was as an agent wants it: no word, exit 0. */
export const wasQuiet = (run: SpawnSyncReturns<Buffer>): boolean =>
  run.status === 0 && run.stdout.length === 0 && run.stderr.length === 0;
