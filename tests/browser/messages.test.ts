// Messages and teams in a real Chromium: written, delivered to a real pane, answered and read, with
// their receipts; and the members of a team as they come up.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SentMessage } from '../../src/schema/relay/message-schemas.ts';
import { eventually } from '../live/tmux-server.ts';
import { policies } from '../teams/team-lab.ts';
import { BrowserLab, isBrowserMissing } from './browser-lab.ts';
import { desk, phone } from './dashboard-browser.ts';

let lab: BrowserLab;
let paneId: string;

const received = (text: string): boolean =>
  lab.lab.received().some(({ submitted }) => submitted?.includes(text) ?? false);

describe.skipIf(isBrowserMissing)('messages on the page', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    lab = await BrowserLab.open();
    paneId = await lab.agent('work');
  }, 120_000);
  afterEach(() => lab.closeVisits());
  afterAll(() => lab?.[Symbol.asyncDispose]());

  it.each([
    ['desk', desk],
    ['phone', phone],
  ] as const)('one is written on a %s, and typed to its agent', async (name, size) => {
    const { page, errors } = await lab.visit('#/', size);
    await page.getByRole('link', { name: 'Messages' }).first().click();
    await page.getByRole('link', { name: 'New' }).click();
    await page.getByRole('list', { name: 'Recipients' }).getByText(/work/).click();
    await page.getByLabel('Subject').fill(`From a ${name}`);
    await page.getByLabel('Message', { exact: true }).fill(`please look at the ${name}`);
    await page.getByRole('button', { name: 'Send to 1' }).click();
    await page.locator('messages-page').getByText('sent', { exact: true }).waitFor();
    await eventually(() => received(`please look at the ${name}`), 'the agent has it');
    await page.getByRole('link', { name: 'All messages' }).click();
    await page.getByRole('list', { name: 'Threads' }).getByText(`From a ${name}`).click();
    const receipts = page.getByRole('list', { name: 'Receipts' });
    await receipts.getByText(/delivered|unconfirmed/).waitFor();
    expect(errors).toEqual([]);
  });

  it('one that comes is counted, read when it is seen, and answered in its thread', async () => {
    const { page } = await lab.visit();
    await lab.lab.untilState(paneId, ['idle', 'completed']);
    const { out } = await lab.lab.live.cli('msg', 'who', '--json');
    const { you } = JSON.parse(out) as { readonly you: { readonly id: string } };
    const words = ['--subject', 'Done?', '-m', 'Is **it** done?', '--json'];
    const sent = await lab.lab.live.cli('msg', 'send', you.id, ...words);
    const { message } = JSON.parse(sent.out) as SentMessage;
    await page.getByRole('link', { name: 'Messages 1' }).waitFor();
    await page.goto(`${lab.url}/#/messages/${message.thread_id}`);
    await page.locator('messages-page strong').getByText('it').waitFor();
    await page.getByRole('link', { name: 'Messages', exact: true }).waitFor();
    await page.getByLabel('Reply').fill('It is.');
    await page.getByRole('button', { name: /^Reply to/ }).click();
    await page.locator('li.message').filter({ hasText: 'It is.' }).waitFor();
  });

  it('a reply that was begun in one thread is not in the box of another', async () => {
    const { page } = await lab.visit();
    const { out } = await lab.lab.live.cli('msg', 'who', '--json');
    const { you } = JSON.parse(out) as { readonly you: { readonly id: string } };
    const threads: string[] = [];
    for (const subject of ['One', 'Other']) {
      const words = ['--subject', subject, '-m', subject, '--json'];
      const sent = await lab.lab.live.cli('msg', 'send', you.id, ...words);
      threads.push((JSON.parse(sent.out) as SentMessage).message.thread_id);
    }
    await page.goto(`${lab.url}/#/messages/${threads[0]}`);
    await page.getByRole('heading', { name: 'One' }).waitFor();
    await page.getByLabel('Reply').fill('for one alone');
    await page.goto(`${lab.url}/#/messages/${threads[1]}`);
    await page.getByRole('heading', { name: 'Other' }).waitFor();
    expect(await page.getByLabel('Reply').inputValue()).toBe('');
  });

  it('a new message that was begun without a connection has its recipients with one', async () => {
    const { page } = await lab.visit();
    const { port } = new URL(lab.url);
    lab.closeService();
    await page.getByText(/offline, as of/).waitFor();
    await page.evaluate("location.hash = '#/messages/new'");
    await page.getByRole('heading', { name: 'New message' }).waitFor();
    await eventually(async () => {
      await lab.openService(Number(port)).catch(() => null);
      return (await page.getByText('live', { exact: true }).count()) === 1;
    }, 'it is live again');
    await page.getByRole('list', { name: 'Recipients' }).getByText(/work/).waitFor();
  });

  it('what waits can be taken back', async () => {
    const { page } = await lab.visit('#/messages/new');
    await lab.lab.client.call('send', { ref: paneId, text: 'work' });
    await lab.lab.untilState(paneId, ['running']);
    await page.getByRole('list', { name: 'Recipients' }).getByText(/work/).click();
    await page.getByLabel('Subject').fill('Never mind');
    await page.getByLabel('Message', { exact: true }).fill('to be taken back');
    await page.getByRole('button', { name: 'Send to 1' }).click();
    await page.goto(`${lab.url}/#/messages`);
    await page.getByRole('list', { name: 'Threads' }).getByText('Never mind').click();
    await page.getByRole('button', { name: 'Take back' }).click();
    await page
      .getByText(/not delivered/)
      .first()
      .waitFor();
    lab.lab.typeKeys(paneId, 'Escape');
    await lab.lab.untilState(paneId, ['idle', 'completed']);
    expect(received('to be taken back')).toBe(false);
  });

  it('teams have their members, what is wrong, and the command that brings them up', async () => {
    const { page } = await lab.visit('#/teams');
    await page.getByText('No team is declared.').waitFor();
    const config = join(lab.lab.live.folder, 'config', 'agtmux');
    mkdirSync(join(config, 'bundles'), { recursive: true });
    const coder = `[[coders]]\nid = "stay"\n[coders.tmux]\n`;
    const lines = `initial-command = "exec sleep 1000"\nresume-command = "x"\n`;
    writeFileSync(join(config, 'policies.toml'), policies);
    writeFileSync(join(config, 'coders.toml'), `format-version = 1\n${coder}${lines}`);
    const session = `[[sessions]]\nid = "tester"\ncoder = "stay"\ndirectory = "/tmp"\n`;
    writeFileSync(join(config, 'bundles', 'shop.toml'), `format-version = 1\n${session}`);
    const team = page.getByRole('article', { name: 'Team shop' });
    await team.getByText('tester').waitFor();
    await team.getByText('not up').waitFor();
    await team.getByRole('button', { name: 'Up' }).click();
    await page.getByLabel('Command').getByText('agtmux bundle up shop').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    writeFileSync(join(config, 'bundles', 'broken.toml'), 'format-version = "x"\n');
    await page.getByText(/broken\.toml/).waitFor();
  });
});
