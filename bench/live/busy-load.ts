// The load of many busy agents, run by the repainter, and the pairing of its changes with the
// pushes that a watcher received.

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { monoMs } from './clock.ts';
import type { Place } from './place.ts';
import type { BusyPane, RepainterLine } from './repainter.ts';
import type { TimedState } from './row-watch.ts';

export interface PairedLags {
  readonly lagsMs: readonly number[];
  readonly missedCount: number;
}

interface Change {
  readonly paneId: string;
  readonly state: string;
  readonly atMs: number;
}

export class BusyLoad implements Disposable {
  readonly #child: ChildProcess;
  #changes: Change[] = [];
  /** Repaints so far. */
  paintedCount = 0;

  constructor(place: Place, panes: readonly BusyPane[]) {
    const program = fileURLToPath(new URL('repainter.ts', import.meta.url));
    this.#child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
    place.atEnd(() => this.#child.kill('SIGKILL'));
    this.#child.stdin?.end(JSON.stringify(panes));
    let rest = '';
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#take(JSON.parse(line) as RepainterLine);
    });
  }

  /**
   * Pairs each change since `fromMs` with the first push of that state after it. A change younger
   * than `graceMs` without a push is left out.
   */
  pair(
    fromMs: number,
    graceMs: number,
    statesOf: (paneId: string) => readonly TimedState[],
  ): PairedLags {
    const nowMs = monoMs();
    const lagsMs: number[] = [];
    let missedCount = 0;
    for (const [index, change] of this.#changes.entries()) {
      if (change.atMs < fromMs) continue;
      const next = this.#changes.slice(index + 1).find(({ paneId }) => paneId === change.paneId);
      const endMs = next?.atMs ?? Number.POSITIVE_INFINITY;
      const push = statesOf(change.paneId).find(
        ({ state, atMs }) => state === change.state && atMs >= change.atMs && atMs < endMs,
      );
      if (push) lagsMs.push(push.atMs - change.atMs);
      else if (next || nowMs - change.atMs > graceMs) missedCount += 1;
    }
    return { lagsMs, missedCount };
  }

  /** Forgets the changes so far. */
  forget(): void {
    this.#changes = [];
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL');
  }

  #take(line: RepainterLine): void {
    if (line.kind === 'painted') this.paintedCount = line.count;
    else this.#changes.push(line);
  }
}
