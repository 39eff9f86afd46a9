// Real agents' stand-ins on a real tmux, and a paired Chromium in front of the daemon that watches
// them.

import type { Browser } from 'playwright-core';
import { chromiumPath } from '../../scripts/chromium-path.ts';
import { ActingLab } from '../acting/acting-lab.ts';
import { isTmuxMissing } from '../live/tmux-server.ts';
import { DashboardBrowser, launchChromium } from './dashboard-browser.ts';

/** Whether `npm test` found no Chromium, or no tmux for what it shows. */
export const isBrowserMissing: boolean = isTmuxMissing || chromiumPath() === null;

export class BrowserLab extends DashboardBrowser {
  readonly lab: ActingLab;

  private constructor(lab: ActingLab, browser: Browser) {
    super(lab.live, browser);
    this.lab = lab;
  }

  static async open(): Promise<BrowserLab> {
    const browser = await launchChromium();
    const made = new BrowserLab(await ActingLab.open(), browser);
    await made.openService(0);
    return made;
  }

  /** A stand-in in a session of its own, at rest; `before` is a line for its shell. */
  async agent(session: string, { script = 'fake-claude.mjs', before = '' } = {}): Promise<string> {
    const paneId = this.lab.openShell(session);
    if (before !== '') this.lab.typeLine(paneId, before);
    await this.lab.startAgent(paneId, { script });
    return paneId;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await this.lab[Symbol.asyncDispose]();
  }
}
