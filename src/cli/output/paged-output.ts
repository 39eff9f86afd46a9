// Text for a terminal that may be longer than it: printed as it is while it fits, and handed to a
// pager from the first line on that does not. It is held back until one of the two is known.

import { findProgram } from '../../platform/files/find-program.ts';
import { startWithText, type TextChild } from '../../platform/process/terminal-child.ts';
import { textWidth } from '../../render/width.ts';
import type { CliIo } from '../command.ts';
import { onSignals } from '../signals.ts';
import { choosePager } from './pager.ts';

const ROWS_UNKNOWN = 24;
const COLUMNS_UNKNOWN = 80;
// biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours, which take no cells.
const colors = /\x1b\[\d+m/g;

export class PagedOutput {
  readonly #io: CliIo;
  #held: string[] = [];
  #heldRows = 0;
  #child: TextChild | null = null;
  /** Null: nothing is held back any more. */
  #rowsLeft: number | null;
  #signals: Disposable | null = null;
  #exitCode = 0;

  /** With `isPaged` false everything is printed as it comes. */
  constructor(io: CliIo, isPaged: boolean) {
    this.#io = io;
    // The row below is the shell's.
    this.#rowsLeft = isPaged ? (io.size()?.rows ?? ROWS_UNKNOWN) - 1 : null;
  }

  /** Whole lines. False when the person has left the pager and wants no more. */
  async write(text: string): Promise<boolean> {
    if (this.#child) return this.#child.write(text);
    if (this.#rowsLeft === null) {
      this.#io.writeOut(text);
      return true;
    }
    this.#held.push(text);
    this.#heldRows += this.#rowsOf(text);
    if (this.#heldRows <= this.#rowsLeft) return true;
    await this.#startPager();
    return this.#giveHeld();
  }

  /** Returns the exit code once everything was shown. */
  async end(): Promise<number> {
    await this.#giveHeld();
    this.#child?.endInput();
    await this.#child?.exited;
    this.#signals?.[Symbol.dispose]();
    return this.#exitCode;
  }

  /** A failure: the terminal is the shell's again before it is reported. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  async #giveHeld(): Promise<boolean> {
    const text = this.#held.join('');
    this.#held = [];
    this.#rowsLeft = null;
    if (text === '') return true;
    if (this.#child) return this.#child.write(text);
    this.#io.writeOut(text);
    return true;
  }

  async #startPager(): Promise<void> {
    const { env } = this.#io;
    const pager = choosePager(env, (name) => findProgram(name, env['PATH']));
    const child = pager && (await startWithText(pager));
    if (child === null) return;
    this.#child = child;
    // Ctrl-C belongs to the pager, which ends by its own key. The other signals end both.
    this.#signals = onSignals((exitCode, signal) => {
      if (signal === 'SIGINT') return;
      this.#exitCode = exitCode;
      child.kill('SIGTERM');
    });
  }

  #rowsOf(text: string): number {
    const columns = Math.max(1, this.#io.size()?.columns ?? COLUMNS_UNKNOWN);
    const lines = text.replace(/\n$/, '').replace(colors, '').split('\n');
    return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / columns)), 0);
  }
}
