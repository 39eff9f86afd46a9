// A Chromium in front of the web service of a live daemon, as a person has it: paired by a link.

import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { chromiumPath } from '../../scripts/chromium-path.ts';
import type { DaemonClient } from '../../src/client/client.ts';
import type { LiveDaemon } from '../daemon-live/live-daemon.ts';

export const desk = { width: 1440, height: 900 } as const;
export const phone = { width: 390, height: 844 } as const;

/** Sandboxes need what containers of a CI do not have; every page here is our own. */
const ARGS = ['--no-sandbox', '--disable-gpu'];

/** A PNG. */
export const ONE_PIXEL: string =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhf' +
  'DwAChwGA60e6kgAAAABJRU5ErkJggg==';

export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What went wrong in it: errors of scripts, and what its policy forbade. */
  readonly errors: string[];
}

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath() ?? '', args: ARGS });

export class DashboardBrowser implements AsyncDisposable {
  readonly browser: Browser;
  url = '';
  readonly #live: LiveDaemon;
  /** The web service is open as long as this connection is. */
  #opener: DaemonClient | null = null;
  readonly #visits: BrowserContext[] = [];

  constructor(live: LiveDaemon, browser: Browser) {
    this.#live = live;
    this.browser = browser;
  }

  /** Opens the web service; 0 is any port. */
  async openService(port: number): Promise<void> {
    this.#opener = await this.#live.client();
    const { url } = await this.#opener.call('open_web', { port });
    this.url = url;
  }

  closeService(): void {
    this.#opener?.close();
  }

  /** A browser of its own that nobody has let in. */
  async stranger(viewport: typeof desk | typeof phone = desk): Promise<Visit> {
    const isPhone = viewport === phone;
    const context = await this.browser.newContext({
      ...{ viewport, hasTouch: isPhone, isMobile: isPhone, reducedMotion: 'reduce' },
    });
    context.setDefaultTimeout(20_000);
    this.#visits.push(context);
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    page.on('dialog', (dialog) => {
      errors.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    return { page, context, errors };
  }

  /** A browser that was paired, at an address of the page. */
  async visit(hash = '#/', viewport: typeof desk | typeof phone = desk): Promise<Visit> {
    const visit = await this.stranger(viewport);
    await visit.page.goto(await this.pairingLink());
    await visit.page.getByText('live', { exact: true }).waitFor();
    if (hash !== '#/') await visit.page.goto(`${this.url}/${hash}`);
    return visit;
  }

  async pairingLink(scope: 'read' | 'control' = 'control'): Promise<string> {
    if (this.#opener === null) throw new Error('the web service is not open');
    const { link } = await this.#opener.call('pair_web', { scope });
    return link;
  }

  /** A page that stays open goes on drawing what the agents show. */
  async closeVisits(): Promise<void> {
    const visits = this.#visits.splice(0);
    await Promise.all(visits.map((context) => context.close().catch(() => {})));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.closeVisits();
    await this.browser.close();
    this.closeService();
  }
}
