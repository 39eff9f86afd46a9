// The baseline of what comes through tmux: a bare control client that stamps the output of a pane.
// No program that watches a pane from outside can be faster.

import { type ChildProcess, spawn } from 'node:child_process';
import { monoMs } from './clock.ts';
import type { Place } from './place.ts';

export class RawClient implements Disposable {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<string, (atMs: number) => void>();
  #rest = '';

  constructor(place: Place, session: string) {
    const flags = ['-C', 'attach-session', '-E', '-f', 'ignore-size', '-t', `=${session}`];
    this.#child = spawn('tmux', ['-u', '-S', place.socket, ...flags], {
      env: place.env,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    place.atEnd(() => this.#child.kill('SIGKILL'));
    this.#child.stdout?.setEncoding('latin1').on('data', (text: string) => this.#read(text));
  }

  /** When output of the pane is next seen, or null when it is not in time. */
  next(paneId: string, timeoutMs: number): Promise<number | null> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(null), timeoutMs);
      this.#waiting.set(paneId, (atMs) => {
        clearTimeout(timer);
        resolve(atMs);
      });
    });
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL');
  }

  #read(text: string): void {
    const atMs = monoMs();
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const paneId = /^%output (%\d+) /.exec(line)?.[1];
      if (paneId === undefined) continue;
      this.#waiting.get(paneId)?.(atMs);
      this.#waiting.delete(paneId);
    }
  }
}
