// A program that prints a megabyte a second and records its own waits (fixtures/tmux/printer.mjs),
// and what must hold while nobody reads what it prints.

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isLong } from '../length.ts';

/**
 * A frozen program waits for as long as nobody reads. Beside other suites a free one may wait for
 * the processor; a long run has it to itself.
 */
export const STALL_MS_MAX: number = isLong ? 2_000 : 4_000;

export interface Printed {
  readonly bytes: number;
  readonly longestGapMs: number;
}

const printer = fileURLToPath(new URL('../fixtures/tmux/printer.mjs', import.meta.url));

/** The command line of a shell that becomes the program; it writes its record to the file. */
export const printerCommand = (record: string): string =>
  `exec '${process.execPath}' '${printer}' '${record}'`;

export const readPrinted = (record: string): Printed =>
  existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')) : { bytes: 0, longestGapMs: 0 };

/** The memory that a process holds. */
export const residentKb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
