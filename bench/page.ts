// `npm run bench:page`: what the dashboard costs the browser that shows it: 200 rows, each of which
// changes ten times a second. The page and its service are the real ones, in a real Chromium; a
// proxy between them adds the rows. Fails over its budget.

import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg } from 'node:os';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import { WebSocket, WebSocketServer } from 'ws';
import { chromiumPath } from '../scripts/chromium-path.ts';
import type { PaneItem } from '../src/schema/api/panes.ts';
import { WebLab } from '../tests/web/web-lab.ts';
import { type Check, figure, judge, say, tableOf } from './live/figures.ts';

const ROWS = 200;
const CHANGES_EACH_SECOND = 10;
/** Rows that change their state, and so their place, at each change. */
const MOVING = 10;
const WARM_UP_MS = 5_000;
const MEASURE_MS = 20_000;
const BUDGET_PERCENT = 50;
const desk = { width: 1_440, height: 900 } as const;
const phone = { width: 390, height: 844 } as const;

interface Snapshot {
  readonly method?: string;
  readonly params?: { panes?: PaneItem[]; cursor?: string };
}

/** Passes everything on, adds rows to the first snapshot, and then has them change. */
class RowProxy implements Disposable {
  readonly #upstream: string;
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({ noServer: true });
  #rows: PaneItem[] = [];
  #snapshot: Snapshot['params'] = {};
  #count = 0;
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(upstream: string) {
    this.#upstream = upstream;
    this.#server = createServer((incoming, outgoing) => {
      const { method = 'GET', url = '/' } = incoming;
      const passed = request(new URL(url, upstream), { method }, (reply) => {
        outgoing.writeHead(reply.statusCode ?? 500, reply.headers);
        reply.pipe(outgoing);
      });
      passed.on('error', () => outgoing.destroy());
      incoming.pipe(passed);
    });
    this.#server.on('upgrade', (incoming, socket, head) => {
      this.#sockets.handleUpgrade(incoming, socket, head, (peer) => this.#join(peer));
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #join(peer: WebSocket): void {
    const { host } = new URL(this.#upstream);
    const service = new WebSocket(`ws://${host}/ws`, ['agtmux'], { origin: this.#upstream });
    const early: Buffer[] = [];
    peer.on('message', (data: Buffer, isBinary) => {
      if (service.readyState === WebSocket.OPEN) service.send(data, { binary: isBinary });
      else early.push(data);
    });
    service.on('open', () => {
      for (const data of early) service.send(data, { binary: false });
    });
    service.on('message', (data: Buffer, isBinary) => {
      const text = isBinary ? '' : data.toString('utf8');
      peer.send(text.includes('"method":"snapshot"') ? this.#grown(text, peer) : data, {
        binary: isBinary,
      });
    });
    service.on('error', () => peer.close());
    service.on('close', () => peer.close());
    peer.on('close', () => service.close());
  }

  /** The snapshot with all rows, after which they change. */
  #grown(text: string, peer: WebSocket): string {
    const message = JSON.parse(text) as Snapshot;
    const { params = {} } = message;
    const model = params.panes?.find(({ agent }) => agent !== null);
    if (!model) throw new Error('the snapshot has no agent');
    this.#rows = Array.from({ length: ROWS }, (_, at) => ({
      ...{ ...model, pane_key: `${model.pane_key}-${at}`, ref: `${model.ref}-${at}` },
      runtime_id: `${model.runtime_id}-${at}`,
    }));
    this.#snapshot = params;
    params.panes = [...(params.panes ?? []), ...this.#rows];
    clearInterval(this.#timer ?? undefined);
    this.#timer = setInterval(() => this.#change(peer), 1_000 / CHANGES_EACH_SECOND);
    return JSON.stringify(message);
  }

  #change(peer: WebSocket): void {
    this.#count += 1;
    const count = this.#count;
    this.#rows = this.#rows.map((row, at) => {
      const isMoving = (at + count) % (ROWS / MOVING) === 0;
      const state = isMoving ? (row.state === 'running' ? 'idle' : 'running') : row.state;
      const { row_seq, state_version } = row;
      const seq = { row_seq: row_seq + 1, state_version: state_version + (isMoving ? 1 : 0) };
      return { ...row, ...seq, state, title: `step ${count} of ${at}`, title_quality: 'session' };
    });
    const { panes: _panes, ...rest } = this.#snapshot ?? {};
    const params = { ...rest, panes: this.#rows, removed: [] };
    peer.send(JSON.stringify({ jsonrpc: '2.0', method: 'state_changed', params }));
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer ?? undefined);
    for (const peer of this.#sockets.clients) peer.terminate();
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

interface Seconds {
  readonly renderer: number;
  readonly others: number;
}

/** The CPU time of the browser's processes up to now. */
async function cpuSeconds(session: CDPSession): Promise<Seconds> {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const sum = (isCounted: (type: string) => boolean): number =>
    processInfo
      .filter(({ type }) => isCounted(type))
      .reduce((total, { cpuTime }) => total + cpuTime, 0);
  return {
    renderer: sum((type) => type === 'renderer'),
    others: sum((type) => type !== 'renderer'),
  };
}

interface PageCost {
  readonly rendererPercent: number;
  readonly othersPercent: number;
  readonly updatesEachSecond: number;
}

const DRAWN = `(() => {
  const list = document.querySelector('agtmux-app').shadowRoot.querySelector('fleet-list');
  const row = list.shadowRoot.querySelector('pane-row');
  return Number(/step (\\d+)/.exec(row.shadowRoot.textContent)?.[1] ?? 0);
})()`;

async function measure(
  browser: Browser,
  url: string,
  viewport: typeof desk | typeof phone,
): Promise<PageCost> {
  const context = await browser.newContext({ viewport, isMobile: viewport === phone });
  const page: Page = await context.newPage();
  try {
    await page.goto(url);
    await page
      .getByText(/step \d+ of/)
      .first()
      .waitFor();
    const session = await browser.newBrowserCDPSession();
    await page.waitForTimeout(WARM_UP_MS);
    const [before, drawnBefore, startedMs] = [
      await cpuSeconds(session),
      await page.evaluate<number>(DRAWN),
      performance.now(),
    ];
    await page.waitForTimeout(MEASURE_MS);
    const [after, drawn] = [await cpuSeconds(session), await page.evaluate<number>(DRAWN)];
    const seconds = (performance.now() - startedMs) / 1_000;
    return {
      rendererPercent: ((after.renderer - before.renderer) / seconds) * 100,
      othersPercent: ((after.others - before.others) / seconds) * 100,
      updatesEachSecond: (drawn - drawnBefore) / seconds,
    };
  } finally {
    await context.close();
  }
}

async function main(): Promise<void> {
  await using web = await WebLab.open({ noAuth: true });
  await web.agent('bench');
  using proxy = new RowProxy(web.url);
  const url = await proxy.listen();
  const executablePath = chromiumPath();
  if (executablePath === null) throw new Error('there is no Chromium on this machine');
  const args = ['--no-sandbox', '--disable-gpu'];
  const browser = await chromium.launch({ executablePath, args });
  try {
    const costs = [
      ['desk', await measure(browser, url, desk)],
      ['phone', await measure(browser, url, phone)],
    ] as const;
    say(`load ${figure(loadavg()[0] ?? 0)}; ${ROWS} rows, ${CHANGES_EACH_SECOND} changes a second`);
    const rows = costs.map(([name, { rendererPercent, othersPercent, updatesEachSecond }]) => [
      ...[name, `${figure(rendererPercent)} %`, `${figure(othersPercent)} %`],
      figure(updatesEachSecond),
    ]);
    say(tableOf([['size', 'renderer', 'rest of the browser', 'changes drawn a second'], ...rows]));
    const checks = costs.map(
      ([name, { rendererPercent }]): Check => ({
        ...{ name: `renderer, ${name}`, value: rendererPercent },
        ...{ limit: BUDGET_PERCENT, unit: '% of a core' },
      }),
    );
    judge(checks);
  } finally {
    await browser.close();
  }
}

await main();
