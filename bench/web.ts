// `npm run bench:web`: what the web service adds to tmux for who watches a terminal: a key until
// its echo, a subscription until the first full screen, and sustained output, each beside a raw
// control client on the same pane in the same run. Fails over its budgets. `-- --memory MINUTES`
// measures the memory of the daemon alone, with 20 viewers.

import { spawn } from 'node:child_process';
import { openSync, writeSync } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { WebLab, type WebPeer } from '../tests/web/web-lab.ts';
import { figure, judge, type Spread, say, spreadOf, tableOf } from './live/figures.ts';
import { runMemory } from './live/web-memory-run.ts';

const KEYS = 300;
const SUBSCRIPTIONS = 30;
const FLOOD_LINES = 100_000;
const STOPPED_VIEWERS = 3;
const MB_PER_MINUTE_MAX = 1;
const AGENT = 'bench';
const END = 'the end of it';

/** A control client that does nothing else: what tmux itself can do. */
class RawClient implements Disposable {
  readonly #child;
  bytes = 0;
  #waiting: { readonly text: string; readonly resolve: () => void } | null = null;
  #tail = '';

  constructor(socketPath: string, session: string) {
    this.#child = spawn('tmux', ['-S', socketPath, '-C', 'attach', '-t', session], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#child.stdout.on('data', (data: Buffer) => this.#take(data.toString('latin1')));
  }

  send(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  /** Resolves when the text is in the output from now on. */
  until(text: string): Promise<void> {
    this.#tail = '';
    return new Promise((resolve) => {
      this.#waiting = { text, resolve };
    });
  }

  #take(text: string): void {
    this.bytes += text.length;
    this.#tail = (this.#tail + text).slice(-4_096 - text.length);
    if (this.#waiting === null || !this.#tail.includes(this.#waiting.text)) return;
    const { resolve } = this.#waiting;
    this.#waiting = null;
    resolve();
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL');
  }
}

/** Resolves when the text is in the output frames that come from now on. */
function untilFrame(peer: WebPeer, text: string): Promise<void> {
  let tail = '';
  return new Promise((resolve) => {
    const onMessage = (data: Buffer, isBinary: boolean): void => {
      if (!isBinary) return;
      tail = (tail + data.toString('latin1')).slice(-4_096 - data.length);
      if (!tail.includes(text)) return;
      peer.socket.off('message', onMessage);
      resolve();
    };
    peer.socket.on('message', onMessage);
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

interface Bench {
  readonly web: WebLab;
  readonly peer: WebPeer;
  readonly raw: RawClient;
  readonly paneId: string;
  readonly tty: number;
}

async function openBench(web: WebLab): Promise<Bench> {
  const { tmux, folder } = web.lab.live;
  const paneId = web.lab.openShell(AGENT);
  // The terminal echoes by itself: no program delays the keys.
  web.lab.typeLine(paneId, `'${folder}/bin/claude' -e 'setInterval(() => {}, 1e6)'`);
  await web.untilListed(AGENT);
  const peer = await untilLive(web);
  const raw = new RawClient(tmux.socketPath, AGENT);
  raw.send('display-message -p ready');
  await raw.until('ready');
  const tty = openSync(tmux.run('display-message', '-p', '-t', paneId, '#{pane_tty}'), 'w');
  return { web, peer, raw, paneId, tty };
}

/** Taps open when the server is quiet. */
async function untilLive(web: WebLab): Promise<WebPeer> {
  for (;;) {
    const peer = await web.peer();
    const reply = await peer.call('subscribe-output', { agent: AGENT });
    if (reply['live'] === true) return peer;
    peer.socket.terminate();
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function measureKeys({ web, peer, raw, paneId }: Bench) {
  const keys: number[] = [];
  const rawKeys: number[] = [];
  for (let index = 0; index < KEYS; index += 1) {
    const mark = `<${index}>`;
    const hex = [...Buffer.from(mark)].map((byte) => byte.toString(16)).join(' ');
    const rawKey = timed(() => raw.until(`w${mark}`));
    raw.send(`send-keys -t ${paneId} -H 77 ${hex}`);
    rawKeys.push(await rawKey);
    const key = timed(() => untilFrame(peer, `k${mark}`));
    peer.sendFrame(0x02, AGENT, `k${mark}`);
    keys.push(await key);
    // A terminal keeps 4 kB of a line that nobody reads.
    if (index % 20 === 19) web.lab.live.tmux.run('send-keys', '-t', paneId, 'C-u');
  }
  return { keys, rawKeys };
}

const line = (index: number): string => `line ${index} ${'.'.repeat(40)}\r\n`;
const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('');

async function measureScreens({ web, tty }: Bench): Promise<readonly number[]> {
  writeSync(tty, lines(2_500));
  const screens: number[] = [];
  for (let index = 0; index < SUBSCRIPTIONS; index += 1) {
    const viewer = await web.peer();
    const shown = timed(() => untilFrame(viewer, 'line 2499'));
    viewer.socket.send(JSON.stringify({ type: 'subscribe-output', agent: AGENT }));
    screens.push(await shown);
    viewer.socket.terminate();
  }
  return screens;
}

async function measureOutput({ peer, raw, tty }: Bench) {
  const flood = lines(FLOOD_LINES);
  const ends = [raw.until(END), untilFrame(peer, END)].map((end) => timed(() => end));
  for (let at = 0; at < flood.length; at += 65_536) {
    writeSync(tty, flood.slice(at, at + 65_536));
    // The terminal takes no more than is read.
    await new Promise(setImmediate);
  }
  writeSync(tty, END);
  const [rawMs = Number.NaN, webMs = Number.NaN] = await Promise.all(ends);
  return { byteCount: flood.length, rawMs, webMs };
}

/** Viewers that were sent a screen and read nothing since. */
async function stopViewers(web: WebLab): Promise<readonly WebPeer[]> {
  const viewers = await Promise.all(Array.from({ length: STOPPED_VIEWERS }, () => web.peer()));
  for (const viewer of viewers) {
    await viewer.call('subscribe-output', { agent: AGENT });
    viewer.socket.pause();
  }
  return viewers;
}

const load = loadavg()[0] ?? 0;
const { values } = parseArgs({ options: { memory: { type: 'string' } } });
await using lab = await WebLab.open({ attach: 'always' });
const bench = await openBench(lab);
using _raw = bench.raw;
say(`load ${figure(load)}`);
if (values.memory === undefined) await measureTimes(bench);
else await measureMemory(bench, Number(values.memory));

async function measureMemory({ web, peer, raw, tty }: Bench, minutes: number): Promise<void> {
  peer.socket.terminate();
  raw[Symbol.dispose]();
  const run = await runMemory({ web, agent: AGENT, tty }, minutes);
  say(`${figure(run.fromMb)} MB, then ${figure(run.toMb)} MB in ${run.readings} readings`);
  const name = `memory in ${minutes} minutes, growth`;
  judge([{ name, value: run.mbPerMinute, limit: MB_PER_MINUTE_MAX, unit: 'MB a minute' }]);
}

async function measureTimes(run: Bench): Promise<void> {
  const { keys, rawKeys } = await measureKeys(run);
  const [key, rawKey, screen] = [keys, rawKeys, await measureScreens(run)].map(spreadOf);
  const { byteCount, rawMs, webMs } = await measureOutput(run);
  const stopped = await stopViewers(run.web);
  const besideStopped = await measureOutput(run);
  for (const { socket } of stopped) socket.terminate();
  const row = (name: string, spread: Spread | undefined): string[] => [
    name,
    ...[spread?.p50Ms, spread?.p95Ms, spread?.p99Ms].map((ms) => figure(ms ?? Number.NaN)),
  ];
  say(
    tableOf([
      ['ms', 'p50', 'p95', 'p99'],
      row('key to echo, raw control client', rawKey),
      row('key to echo, web service', key),
      row('subscribe to full screen, 2,000 lines of history', screen),
    ]),
  );
  const beside = `raw ${figure(besideStopped.rawMs)} ms, web ${figure(besideStopped.webMs)} ms`;
  const size = `${figure(byteCount / 1e6)} MB of output`;
  say(`${size}: raw ${figure(rawMs)} ms, web ${figure(webMs)} ms`);
  say(`beside ${STOPPED_VIEWERS} viewers that have stopped: ${beside}`);
  const above = (share: 'p50Ms' | 'p99Ms'): number =>
    (key?.[share] ?? Number.NaN) - (rawKey?.[share] ?? Number.NaN);
  const stoppedRatio = besideStopped.webMs / besideStopped.rawMs;
  judge([
    { name: 'key to echo above raw, p50', value: above('p50Ms'), limit: 3, unit: 'ms' },
    { name: 'key to echo above raw, p99', value: above('p99Ms'), limit: 15, unit: 'ms' },
    { name: 'full screen, p50', value: screen?.p50Ms ?? Number.NaN, limit: 30, unit: 'ms' },
    { name: 'time of output over raw', value: webMs / rawMs, limit: 2, unit: 'x' },
    { name: 'the same beside stopped viewers', value: stoppedRatio, limit: 2, unit: 'x' },
  ]);
}
