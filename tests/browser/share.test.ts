// A read-only share in Chromium: opened by somebody without a cookie, live, and over with its
// agent. What is on the screen runs nothing.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BrowserLab, isBrowserMissing } from './browser-lab.ts';
import { phone } from './dashboard-browser.ts';

const isSerious = ({ impact }: { readonly impact: string }): boolean =>
  impact === 'serious' || impact === 'critical';

const hostile = '<img src=x onerror=alert(1)><script>alert(2)</script>"><svg onload=alert(3)>';

describe.skipIf(isBrowserMissing)('a share in a browser', { timeout: 120_000 }, () => {
  let lab: BrowserLab;
  beforeAll(async () => {
    lab = await BrowserLab.open();
  }, 120_000);
  afterEach(() => lab.closeVisits());
  afterAll(() => lab?.[Symbol.asyncDispose]());

  it('shows a stranger one screen, live, without a cookie, until the agent ends', async () => {
    const paneId = await lab.agent('shared');
    const { link, share } = await lab.lab.client.call('share_pane', { ref: paneId });
    const { page, context, errors } = await lab.stranger(phone);
    const asked: string[] = [];
    page.on('request', (each) => asked.push(new URL(each.url()).pathname));
    await page.goto(link);
    await page.getByText('live, read-only').waitFor();
    await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8'));
    const found = await page.evaluate('axe.run().then(({ violations }) => violations)');
    expect((found as { impact: string }[]).filter(isSerious)).toEqual([]);
    const screen = page.locator('#screen');
    lab.lab.tmux.run('send-keys', '-t', paneId, '-l', hostile);
    await screen.getByText('<img src=x onerror=alert(1)>').first().waitFor();
    expect(await screen.locator('img, script, svg').count()).toBe(0);
    expect(await context.cookies()).toEqual([]);
    const path = new URL(link).pathname;
    for (const each of asked) {
      expect(each === path || each === `${path}/rows` || /^\/(?:assets\/|icon)/.test(each)).toBe(
        true,
      );
    }
    const explained = await lab.lab.client.call('explain', { ref: paneId });
    const pid = explained.process?.pid ?? 0;
    expect(pid).toBeGreaterThan(1);
    process.kill(pid, 'SIGKILL');
    await page.getByText('The agent that was shared has ended.').waitFor();
    expect(await screen.textContent()).toBe('');
    expect(await screen.isHidden()).toBe(true);
    const { shares } = await lab.lab.client.call('list_shares', {});
    expect(shares).toMatchObject([{ id: share.id, status: 'ended' }]);
    expect(errors.filter((each) => !/410|404/.test(each))).toEqual([]);
  });

  it('says so when it was revoked, or never was', async () => {
    const paneId = await lab.agent('revoked');
    const { link, share } = await lab.lab.client.call('share_pane', { ref: paneId });
    const { page } = await lab.stranger();
    await page.goto(link);
    await page.getByText('live, read-only').waitFor();
    await lab.lab.client.call('revoke_share', { id: share.id });
    await page.getByText('This link has expired, was revoked').waitFor();
    expect(await page.locator('#screen').textContent()).toBe('');
    await page.goto(`${lab.url}/share/no-such-code`);
    await page.getByText('This link has expired, was revoked').waitFor();
  });
});
