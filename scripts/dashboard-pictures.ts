// Takes the pictures of the dashboard for the pages: the demo's fleet in Chromium, on a phone and
// on a desk, dark and light. `npm run pictures:dashboard [-- FOLDER]`.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { connectDaemon } from '../src/client/client.ts';
import { runDemo } from '../src/demo/run-demo.ts';
import { chromiumPath } from './chromium-path.ts';
import { isMain, root } from './script-entry.ts';

const phone = { width: 390, height: 844 } as const;
const desk = { width: 1440, height: 900 } as const;

interface Picture {
  readonly name: string;
  readonly size: typeof phone | typeof desk;
  readonly scheme: 'dark' | 'light';
  /** What is shown: an address, or a function of the pages that there are. */
  readonly hash: (refs: Refs) => string;
}

interface Refs {
  readonly asking: string;
  readonly working: string;
}

const pane = (ref: string, tab = ''): string => `#/pane/${encodeURIComponent(ref)}${tab}`;

const picture = (
  name: string,
  hash: Picture['hash'],
  schemes: readonly Picture['scheme'][] = ['dark', 'light'],
): readonly Picture[] =>
  schemes.map((scheme) => {
    const size = name.endsWith('phone') ? phone : desk;
    return { name: `${name}-${scheme}`, size, scheme, hash };
  });

const pictures: readonly Picture[] = [
  ...picture('fleet-phone', () => '#/'),
  ...picture('inbox-phone', () => '#/inbox'),
  ...picture('pane-phone', ({ asking }) => pane(asking)),
  ...picture('pane-desk', ({ asking }) => pane(asking)),
  ...picture('inbox-desk', () => '#/', ['dark']),
  ...picture('explain-desk', ({ working }) => pane(working, '/explain'), ['light']),
  ...picture('timeline-desk', ({ working }) => pane(working, '/timeline'), ['dark']),
  ...picture('send-desk', () => '#/send', ['light']),
  ...picture('settings-phone', () => '#/settings', ['dark']),
];

async function take(browser: Browser, url: string, refs: Refs, folder: string): Promise<void> {
  for (const { name, size, scheme, hash } of pictures) {
    const context = await browser.newContext({
      viewport: size,
      colorScheme: scheme,
      deviceScaleFactor: 1,
      hasTouch: size === phone,
      isMobile: size === phone,
    });
    const page: Page = await context.newPage();
    page.on('console', (message) => process.stderr.write(`${name}: ${message.text()}\n`));
    page.on('pageerror', (error) => process.stderr.write(`${name}: ${error.message}\n`));
    await page.goto(`${url}/${hash(refs)}`);
    await page.getByText('live', { exact: true }).first().waitFor();
    // The screen of a pane is read once a second.
    await page.waitForTimeout(1_500);
    await page.screenshot({ path: join(folder, `${name}.png`) });
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
        const { panes } = await client.call('list_panes', { sort: 'attention' });
        const asking = panes.find(({ state }) => state === 'waiting_approval') ?? panes[0];
        const working = panes.find(({ state }) => state === 'running') ?? panes[0];
        const refs = { asking: asking?.ref ?? '', working: working?.ref ?? '' };
        await take(browser, url, refs, folder);
      } finally {
        await browser.close();
        client.close();
      }
      return 0;
    },
  });
}

if (isMain(import.meta.url)) {
  process.exitCode = await main(process.argv[2] ?? join(root, 'docs/pictures'));
}
