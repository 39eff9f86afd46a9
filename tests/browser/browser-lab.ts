// Real agents' stand-ins on a real tmux, a real daemon with its web service, and a real Chromium in
// front of it, as a person has it: paired by a link.

import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { chromiumPath } from '../../scripts/chromium-path.ts';
import type { DaemonClient } from '../../src/client/client.ts';
import { ActingLab } from '../acting/acting-lab.ts';
import { isTmuxMissing } from '../live/tmux-server.ts';

/** Whether `npm test` found no Chromium, or no tmux for what it shows. */
export const isBrowserMissing: boolean = isTmuxMissing || chromiumPath() === null;

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

export class BrowserLab implements AsyncDisposable {
  readonly lab: ActingLab;
  readonly browser: Browser;
  url = '';
  /** The web service is open as long as this connection is. */
  #opener: DaemonClient | null = null;
  #visits: BrowserContext[] = [];

  private constructor(lab: ActingLab, browser: Browser) {
    this.lab = lab;
    this.browser = browser;
  }

  static async open(): Promise<BrowserLab> {
    const browser = await chromium.launch({ executablePath: chromiumPath() ?? '', args: ARGS });
    const made = new BrowserLab(await ActingLab.open(), browser);
    await made.openService(0);
    return made;
  }

  /** Opens the web service; 0 is any port. */
  async openService(port: number): Promise<void> {
    this.#opener = await this.lab.live.client();
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
    const { link } = await this.lab.client.call('pair_web', { scope });
    return link;
  }

  /** A stand-in in a session of its own, at rest; `before` is a line for its shell. */
  async agent(session: string, { script = 'fake-claude.mjs', before = '' } = {}): Promise<string> {
    const paneId = this.lab.openShell(session);
    if (before !== '') this.lab.typeLine(paneId, before);
    await this.lab.startAgent(paneId, { script });
    return paneId;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#visits.map((context) => context.close().catch(() => {})));
    await this.browser.close();
    this.closeService();
    await this.lab[Symbol.asyncDispose]();
  }
}
