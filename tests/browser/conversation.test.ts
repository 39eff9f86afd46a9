// The conversation of an agent in a real Chromium: live, read back, and with nothing of it run.

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FakeClaude } from '../agent-files/fake-claude.ts';
import { eventually } from '../live/tmux-server.ts';
import { BrowserLab, isBrowserMissing } from './browser-lab.ts';
import { phone } from './dashboard-browser.ts';

let lab: BrowserLab;
let claude: FakeClaude;
let hash: string;

const words = (text: string): object => ({ type: 'text', text });
const calls = (id: string, name: string, input: object): object => ({
  ...{ type: 'tool_use', id, name, input },
});

const part = (page: Page, text: string) => page.locator('.part').filter({ hasText: text });

describe.skipIf(isBrowserMissing)('a conversation on the page', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    lab = await BrowserLab.open();
    const config = join(lab.lab.live.folder, 'home', '.claude');
    const paneId = await lab.agent('talk', { before: `export CLAUDE_CONFIG_DIR='${config}'` });
    await lab.lab.client.call('send', { ref: paneId, text: 'who are you' });
    const { pid } = await eventually(() => lab.lab.received().at(-1), 'it took a prompt');
    const cwd = lab.lab.live.folder;
    claude = new FakeClaude({ config, pid, cwd, sessionId: randomUUID() });
    for (let at = 0; at < 400; at += 1) claude.says(words(`earlier words ${at}.`));
    claude.prompt('please look\nat this');
    claude.says(words('I will **look** at `it`.\n\n- first\n- second'));
    claude.status('idle');
    const ref = (await lab.lab.pane(paneId))?.ref ?? '';
    hash = `#/pane/${encodeURIComponent(ref)}/conversation`;
    await eventually(async () => {
      const page = await lab.lab.client.call('read_conversation', { ref }).catch(() => null);
      return (page?.entries.length ?? 0) > 0;
    }, 'its transcript is known');
  }, 120_000);
  afterEach(() => lab.closeVisits());
  afterAll(() => lab?.[Symbol.asyncDispose]());

  it('shows what was said, and what is said now', async () => {
    const { page, errors } = await lab.visit(hash);
    await page.locator('.prompt').filter({ hasText: 'please look' }).waitFor();
    await part(page, 'I will look at it.').locator('code').waitFor();
    claude.prompt('and now?');
    await page.locator('.prompt').filter({ hasText: 'and now?' }).waitFor();
    claude.says(words('Now this.'));
    await part(page, 'Now this.').waitFor();
    expect(errors).toEqual([]);
  });

  it('folds tools, with what they got and gave inside and their changes in colours', async () => {
    const { page } = await lab.visit(hash, phone);
    claude.says(calls('t1', 'Bash', { command: 'ls -l' }));
    await part(page, 'ls -l').getByText('…').waitFor();
    claude.returns('t1', 'total 0\nfile-of-the-listing');
    const tool = part(page, 'ls -l');
    await tool.getByText('ok').waitFor();
    expect(await tool.getByText('file-of-the-listing').count()).toBe(0);
    await tool.locator('summary').tap();
    await tool.getByText('file-of-the-listing').waitFor();
    const edit = { file_path: '/x/app.ts', old_string: 'old()', new_string: 'new()' };
    claude.says(calls('t2', 'Edit', edit));
    const lines = ['-old()', '+new()', ' same'];
    const hunk = { oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines };
    const toolUseResult = { filePath: '/x/app.ts', structuredPatch: [hunk] };
    claude.returns('t2', 'edited', { toolUseResult });
    const change = part(page, '/x/app.ts');
    await change.locator('.place').waitFor();
    expect(await change.locator('.plus').allInnerTexts()).toEqual(['+new()\n']);
    expect(await change.locator('.minus').allInnerTexts()).toEqual(['-old()\n']);
    claude.says(calls('t3', 'Bash', { command: 'false' }));
    claude.returns('t3', 'it broke', { is_error: true });
    await part(page, 'false').locator('.status.error').waitFor();
  });

  it('shows questions with their answers, and errors', async () => {
    const { page } = await lab.visit(hash);
    const options = [{ label: 'Postgres' }, { label: 'SQLite' }];
    const questions = [{ question: 'Which database?', header: 'db', options }];
    claude.says(calls('q1', 'AskUserQuestion', { questions }));
    const question = page
      .locator('.part[data-kind=question]')
      .filter({ hasText: 'Which database?' });
    await question.getByText('SQLite').waitFor();
    const answers = { 'Which database?': 'SQLite' };
    claude.returns('q1', 'answered', { toolUseResult: { questions, answers } });
    await question.getByText('Question, answered').waitFor();
    expect(await question.locator('.chosen').allInnerTexts()).toEqual(['SQLite']);
    claude.failed();
    await page.locator('.part[data-kind=error]').getByText('API Error: 500').waitFor();
  });

  it('reads back to its first words, and stays where it was', async () => {
    const { page } = await lab.visit(hash);
    await page.locator('.prompt').first().waitFor();
    expect(await part(page, 'earlier words 0.').count()).toBe(0);
    const more = page.getByRole('button', { name: 'Show what came before' });
    await eventually(async () => {
      // The page reads on by itself at its top, and the button may be gone by then.
      if ((await more.count()) > 0) await more.click({ timeout: 1_000 }).catch(() => null);
      return (await part(page, 'earlier words 0.').count()) === 1;
    }, 'its first words are there');
    const texts = await page.locator('.part').allTextContents();
    const numbers = texts
      .flatMap((text) => /^\s*earlier words (\d+)/.exec(text)?.[1] ?? [])
      .map(Number);
    expect(numbers).toEqual(Array.from({ length: 400 }, (_, at) => at));
    await page.getByRole('button', { name: 'Newest' }).click();
    const leftPx = (): Promise<number> =>
      page.locator('.scroll').evaluate((each) => {
        const px = (name: string): number => Number(Reflect.get(each, name));
        return px('scrollHeight') - px('scrollTop') - px('clientHeight');
      });
    await eventually(async () => (await leftPx()) < 80, 'it is at its end');
  });

  it('a long text is cut, and whole when it is wanted', async () => {
    const { page } = await lab.visit(hash);
    claude.says(words(`${'long '.repeat(10_000)}the very end`));
    await page.getByRole('button', { name: /Show all 50012 characters/ }).click();
    await part(page, 'the very end').waitFor();
  });

  it('goes on after the connection was lost, each entry once', async () => {
    const { page, context } = await lab.visit(hash);
    await page.locator('.part').last().waitFor();
    lab.closeService();
    await page.getByText(/offline, as of|connecting, as of/).waitFor();
    claude.says(words('said meanwhile'));
    const { port } = new URL(lab.url);
    await eventually(async () => {
      await lab.openService(Number(port)).catch(() => null);
      return (await page.getByText('live', { exact: true }).count()) === 1;
    }, 'it is live again');
    await part(page, 'said meanwhile').waitFor();
    expect(await part(page, 'said meanwhile').count()).toBe(1);
    expect(context.pages()).toHaveLength(1);
  });
});
