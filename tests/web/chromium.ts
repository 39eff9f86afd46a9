// A real browser for suites.

import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PROGRAM = '/usr/bin/chromium';

export const isChromiumMissing: boolean =
  (process.env['AGTMUX_MISSING'] ?? '').split(',').includes('chromium') || !existsSync(PROGRAM);

/** Without a sandbox: machines of tests run as root. */
export const openChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox'] });
