// Takes the pictures of the dashboard for the pages: the demo's fleet in Chromium, on a phone and
// on a desk, dark and light. `npm run pictures:dashboard [-- FOLDER]`.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { connectDaemon, type DaemonClient } from '../src/client/client.ts';
import { runDemo } from '../src/demo/run-demo.ts';
import { chromiumPath } from './chromium-path.ts';
import { takeTalk } from './dashboard-talk.ts';
import { isMain, root } from './script-entry.ts';

const phone = { width: 390, height: 844 } as const;
const desk = { width: 1440, height: 900 } as const;

interface Picture {
  readonly name: string;
  readonly size: typeof phone | typeof desk;
  readonly scheme: 'dark' | 'light';
  /** What is shown: an address, from the agent that asks. */
  readonly hash: (ref: string) => string;
}

const pane = (ref: string): string => `#/pane/${encodeURIComponent(ref)}`;

const pictures: readonly Picture[] = [
  { name: 'dashboard-desk-dark', size: desk, scheme: 'dark', hash: (ref) => pane(ref) },
  { name: 'dashboard-desk-light', size: desk, scheme: 'light', hash: () => '#/inbox' },
  { name: 'dashboard-phone-fleet', size: phone, scheme: 'dark', hash: () => '#/' },
  { name: 'dashboard-phone-pane', size: phone, scheme: 'dark', hash: (ref) => pane(ref) },
];

/** The demo plays on: a picture is right only if its agent still asks behind it. */
const TRIES = 12;
/** Agents whose screens the fonts of a plain machine can draw. */
const PREFERRED = 'codex';

async function asking(client: DaemonClient): Promise<string> {
  for (;;) {
    const { panes } = await client.call('list_panes', { sort: 'attention' });
    const waiting = panes.filter(({ state }) => state === 'waiting_approval');
    const preferred = waiting.find(({ agent }) => agent === PREFERRED);
    const others = panes.filter(({ state }) => state === 'waiting_input' || state === 'error');
    if (preferred && others.length > 0) return preferred.ref;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const stillAsks = async (client: DaemonClient, ref: string): Promise<boolean> => {
  const { panes } = await client.call('list_panes', {});
  return panes.some((each) => each.ref === ref && each.state === 'waiting_approval');
};

async function take(page: Page, url: string, client: DaemonClient, picture: Picture) {
  for (let turn = 0; turn < TRIES; turn += 1) {
    const ref = await asking(client);
    await page.goto(`${url}/${picture.hash(ref)}`);
    await page.getByText('live', { exact: true }).first().waitFor();
    // A terminal is drawn some time after it is there.
    await page.waitForTimeout(1_200);
    const image = await page.screenshot();
    if (await stillAsks(client, ref)) return image;
  }
  throw new Error(`${picture.name}: the demo never stood still`);
}

async function takeAll(browser: Browser, url: string, client: DaemonClient, folder: string) {
  for (const picture of pictures) {
    const { name, size, scheme } = picture;
    const context = await browser.newContext({
      ...{ viewport: size, colorScheme: scheme, deviceScaleFactor: 1, reducedMotion: 'reduce' },
      ...{ hasTouch: size === phone, isMobile: size === phone },
    });
    const page = await context.newPage();
    page.on('console', (message) => process.stderr.write(`${name}: ${message.text()}\n`));
    page.on('pageerror', (error) => process.stderr.write(`${name}: ${error.message}\n`));
    await page.goto(`${url}/`);
    writeFileSync(join(folder, `${name}.png`), await take(page, url, client, picture));
    await context.close();
  }
}

async function main(folder: string): Promise<number> {
  mkdirSync(folder, { recursive: true });
  return runDemo({
    env: process.env,
    program: [process.execPath, join(root, 'bin/agtmux.js')],
    signal: new AbortController().signal,
    show: async ({ socketPath }) => {
      const client = await connectDaemon({ socketPath });
      const executablePath = chromiumPath() ?? 'chromium';
      const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
      try {
        const { url } = await client.call('open_web', { port: 0, no_auth: true });
        await takeAll(browser, url, client, folder);
      } finally {
        await browser.close();
        client.close();
      }
      return 0;
    },
  });
}

if (isMain(import.meta.url)) {
  const folder = process.argv[2] ?? join(root, 'docs/pictures');
  process.exitCode = await main(folder);
  await takeTalk(folder);
}
