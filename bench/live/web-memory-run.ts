// The memory of a daemon whose terminals are watched for minutes: viewers that read, one that has
// stopped, and one that comes and goes, of a program that prints all the time.

import { writeSync } from 'node:fs';
import type { WebLab, WebPeer } from '../../tests/web/web-lab.ts';
import { say } from './figures.ts';
import { memoryOf, treeOf } from './usage.ts';

const VIEWERS = 20;
const PRINT_EVERY_MS = 50;
const LINES_AT_ONCE = 40;
const SAMPLE_EVERY_MS = 5_000;
/** Code and buffers that are there once; counted from then on. */
const WARM_UP_MS = 60_000;

export interface MemoryRun {
  readonly minutes: number;
  /** At the first reading that counts, and at the last. */
  readonly fromMb: number;
  readonly toMb: number;
  /** By the line that fits all readings best. */
  readonly mbPerMinute: number;
  readonly readings: number;
}

interface Reading {
  readonly minute: number;
  readonly mb: number;
}

export interface WatchedPrinter {
  readonly web: WebLab;
  readonly agent: string;
  readonly tty: number;
}

export async function runMemory(bench: WatchedPrinter, minutes: number): Promise<MemoryRun> {
  const { web, agent, tty } = bench;
  const { pid } = await web.lab.client.call('daemon_info', {});
  const view = async (): Promise<WebPeer> => {
    const peer = await web.peer();
    await peer.call('subscribe-output', { agent });
    return peer;
  };
  const peers = await Promise.all(Array.from({ length: VIEWERS }, view));
  const [stopped] = peers;
  stopped?.socket.pause();
  let lineCount = 0;
  const printing = setInterval(() => {
    const lines = Array.from({ length: LINES_AT_ONCE }, () => {
      lineCount += 1;
      return `\u001b[3${lineCount % 8}mline ${lineCount}\u001b[0m ${'.'.repeat(40)}\r\n`;
    });
    writeSync(tty, lines.join(''));
    // What they were sent is not kept by those who measure.
    for (const peer of peers) peer.frames.splice(0);
  }, PRINT_EVERY_MS);
  const readings: Reading[] = [];
  const startedMs = performance.now();
  const endMs = startedMs + WARM_UP_MS + minutes * 60_000;
  while (performance.now() < endMs) {
    await new Promise((resolve) => setTimeout(resolve, SAMPLE_EVERY_MS));
    const minute = (performance.now() - startedMs - WARM_UP_MS) / 60_000;
    const mb = memoryOf(treeOf(pid), process.execPath).withoutProgramMb;
    if (minute >= 0) readings.push({ minute, mb });
    peers.pop()?.socket.terminate();
    peers.push(await view());
  }
  clearInterval(printing);
  for (const peer of peers) peer.socket.terminate();
  say(`${lineCount} lines to ${VIEWERS} viewers`);
  return {
    ...{ minutes, readings: readings.length, mbPerMinute: slopeOf(readings) },
    fromMb: readings[0]?.mb ?? Number.NaN,
    toMb: readings.at(-1)?.mb ?? Number.NaN,
  };
}

/** How much it grows in a minute. */
function slopeOf(readings: readonly Reading[]): number {
  const mean = (of: (reading: Reading) => number): number =>
    readings.reduce((sum, reading) => sum + of(reading), 0) / readings.length;
  const [minute, mb] = [mean((each) => each.minute), mean((each) => each.mb)];
  const shared = mean((each) => (each.minute - minute) * (each.mb - mb));
  return shared / mean((each) => (each.minute - minute) ** 2);
}
