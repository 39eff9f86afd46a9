// Installs the stand-in for Claude Code that keeps its session, and reads what it was started with.

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/script-entry.ts';

export interface Start {
  readonly args: readonly string[];
  readonly cwd: string;
}

/** An id of a session as Claude Code gives them out. */
export const sessionOf = (digit: string): string =>
  `${digit.repeat(8)}-1111-4111-8111-${digit.repeat(12)}`;

export class ResumableClaude {
  readonly bin: string;
  readonly #home: string;

  /** `home` is the HOME that it will have. */
  constructor(folder: string, home: string) {
    this.bin = join(folder, 'bin');
    this.#home = home;
    mkdirSync(this.bin, { recursive: true });
    const script = readFileSync(join(root, 'tests/acting/resumable-claude.mjs'), 'utf8');
    writeFileSync(join(this.bin, 'claude'), `#!${process.execPath}\n${script}`);
    chmodSync(join(this.bin, 'claude'), 0o755);
  }

  /** With this program before all others. */
  get path(): string {
    return `${this.bin}:${process.env['PATH']}`;
  }

  /** A line for a shell that starts it with a new session. */
  line(session: string): string {
    return `HOME='${this.#home}' SESSION='${session}' '${this.bin}/claude'`;
  }

  starts(): readonly Start[] {
    return readFileSync(join(this.#home, '.claude', 'starts'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Start);
  }
}
