// Foreign text in a real Chromium: whatever agents, panes, files and people are called and write,
// nothing of it becomes markup or runs. Each way in is tried with each text.

import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeClaude } from '../agent-files/fake-claude.ts';
import { eventually } from '../live/tmux-server.ts';
import { BrowserLab, isBrowserMissing } from './browser-lab.ts';
import { desk, ONE_PIXEL, phone, type Visit } from './dashboard-browser.ts';

const RUN = 'window.hit=1';
const texts: readonly string[] = [
  `<img src=x onerror=${RUN}>`,
  `"><script>${RUN}</script>`,
  `'" onmouseover="${RUN}" x="`,
  `<svg/onload=${RUN}>`,
  `</style></pre></template><iframe srcdoc="<script>parent.${RUN}</script>">`,
  `[x](javascript:${RUN})`,
  `<a href="javascript:${RUN}">x</a>`,
  `\${${RUN}} {{${RUN}}} <!--?lit$1$-->`,
];
const all = texts.join(' ');
/** tmux has neither in the names of sessions, and a file no slash. */
const asName = (text: string): string => text.replace(/[.:]/g, '_');

let lab: BrowserLab;
let claude: FakeClaude;
let paneId: string;
let ref: string;

/** What no text of ours is: markup that runs, wherever in the shadows it is. */
const FIND_MARKUP = `(() => {
  const found = [];
  const visit = (root) => {
    for (const each of root.querySelectorAll('*')) {
      const name = each.localName;
      if (/^(?:img|iframe|object|embed|base)$/.test(name)) found.push(name);
      if (name === 'script' && !each.src) found.push('script');
      for (const { name: attribute, value } of each.attributes) {
        if (/^on/.test(attribute)) found.push(name + ' ' + attribute);
        const leads = /^(?:href|src|action|srcdoc)$/.test(attribute);
        if (leads && /^\\s*(?:javascript|data):/i.test(value)) found.push(name + ' ' + value);
      }
      if (each.shadowRoot) visit(each.shadowRoot);
    }
  };
  visit(document);
  return { found, hit: window.hit ?? null };
})()`;

/** Nothing ran, nothing is markup, and the page complained of nothing. */
async function isClean({ page, errors }: Visit): Promise<void> {
  expect(await page.evaluate(FIND_MARKUP)).toEqual({ found: [], hit: null });
  expect(errors).toEqual([]);
}

const open = async ({ page }: Visit, hash: string): Promise<void> => {
  await page.goto(`${lab.url}/#/${hash}`);
  await page.getByText('live', { exact: true }).waitFor();
};

const shown = (page: Page, text: string) => page.getByText(text).first().waitFor();

describe.skipIf(isBrowserMissing)('foreign text on the page', { timeout: 120_000 }, () => {
  let visits: readonly Visit[];

  beforeAll(async () => {
    lab = await BrowserLab.open();
    const folder = join(lab.lab.live.folder, asName(texts[0] ?? ''));
    mkdirSync(folder);
    const config = join(lab.lab.live.folder, 'home', '.claude');
    const before = `cd '${folder}'; export CLAUDE_CONFIG_DIR='${config}'`;
    paneId = await lab.agent(asName(texts[0] ?? ''), { before });
    await lab.lab.client.call('send', { ref: paneId, text: 'hello' });
    const { pid } = await eventually(() => lab.lab.received().at(-1), 'it took a prompt');
    claude = new FakeClaude({ config, pid, cwd: folder, sessionId: randomUUID() });
    ref = (await lab.lab.pane(paneId))?.ref ?? '';
    visits = [await lab.visit('#/', desk), await lab.visit('#/', phone)];
  }, 120_000);
  afterAll(() => lab?.[Symbol.asyncDispose]());

  it('names of sessions, windows and folders are text', async () => {
    for (const [index, text] of texts.entries()) {
      lab.lab.openShell(`${index}${asName(text)}`);
    }
    lab.lab.tmux.run('rename-window', '-t', paneId, asName(all).slice(0, 200));
    for (const visit of visits) {
      await open(visit, 'settings');
      await open(visit, '');
      await visit.page.keyboard.press('a');
      await shown(visit.page, '0<img src=x onerror');
      await isClean(visit);
      for (const tab of ['', '/timeline', '/explain']) {
        await open(visit, `pane/${encodeURIComponent(ref)}${tab}`);
        await visit.page.locator('pane-page h1').waitFor();
        await isClean(visit);
      }
      await visit.page.keyboard.press('a');
    }
  });

  it('titles of panes are text', async () => {
    for (const text of texts) {
      lab.lab.tmux.run('select-pane', '-t', paneId, '-T', `✳ ${text}`);
      const [start = ''] = text.split('=');
      for (const visit of visits) {
        await open(visit, '');
        await shown(visit.page, start.trim().slice(0, 8));
        await visit.page.locator('pane-row').first().hover();
        await isClean(visit);
      }
    }
  });

  it('prompts and what agents ask are text', async () => {
    await lab.lab.untilState(paneId, ['idle', 'completed']);
    for (const text of texts) {
      await lab.lab.client.call('send', { ref: paneId, text: `ask: ${text}` });
      for (const visit of visits) {
        await open(visit, 'inbox');
        await visit.page.getByRole('article').waitFor();
        await isClean(visit);
        await open(visit, `pane/${encodeURIComponent(ref)}`);
        await visit.page.getByRole('article').waitFor();
        await isClean(visit);
      }
      lab.lab.typeKeys(paneId, 'Escape');
      await lab.lab.untilState(paneId, ['idle', 'completed']);
    }
  });

  it('all parts of a transcript are text', async () => {
    claude.status('idle');
    for (const [at, text] of texts.entries()) {
      claude.prompt(text);
      claude.says({ type: 'thinking', thinking: text });
      claude.says({
        type: 'text',
        text: `${text}\n# ${text}\n- ${text}\n\`\`\`${text}\n${text}\n\`\`\``,
      });
      claude.says({ type: 'text', text: `[${text}](https://x.example) **${text}** \`${text}\`` });
      const input = { file_path: text, old_string: text, new_string: text };
      claude.says({ type: 'tool_use', id: `t${at}`, name: at % 2 ? 'Edit' : text, input });
      const hunk = { lines: [`-${text}`, `+${text}`] };
      const toolUseResult = { filePath: text, structuredPatch: [hunk] };
      claude.returns(`t${at}`, text, { toolUseResult });
      const questions = [{ question: text, header: text, options: [{ label: text }] }];
      claude.says({
        type: 'tool_use',
        id: `q${at}`,
        name: 'AskUserQuestion',
        input: { questions },
      });
      claude.returns(`q${at}`, text, { toolUseResult: { questions, answers: { [text]: text } } });
      const agent = { agentId: 'child', agentType: text, prompt: text };
      claude.returns(`c${at}`, text, { toolUseResult: agent });
      claude.writes({ type: text, subtype: text, text });
    }
    claude.says({ type: 'text', text: 'the end of it' });
    for (const visit of visits) {
      await open(visit, `pane/${encodeURIComponent(ref)}/conversation`);
      await shown(visit.page, 'the end of it');
      const folds = visit.page.locator('conversation-view summary');
      for (const each of await folds.all()) await each.click();
      await eventually(
        async () => (await visit.page.locator('conversation-view .inside pre').count()) > 8,
        'tools are open',
      );
      await isClean(visit);
    }
  });

  it('messages are text, with their subjects and the names in them', async () => {
    const { out } = await lab.lab.live.cli('msg', 'who', '--json');
    const { you } = JSON.parse(out) as { readonly you: { readonly id: string } };
    for (const text of texts) {
      const words = [`--subject=${text}`, '-m', `${text}\n# ${text}\n[${text}](${text})`];
      expect((await lab.lab.live.cli('msg', 'send', you.id, ...words)).code).toBe(0);
    }
    for (const visit of visits) {
      await open(visit, 'messages/new');
      await visit.page.getByRole('list', { name: 'Recipients' }).waitFor();
      await isClean(visit);
      await open(visit, 'messages');
      const threads = visit.page.getByRole('list', { name: 'Threads' }).getByRole('link');
      await eventually(async () => (await threads.count()) === texts.length, 'all are there');
      await isClean(visit);
      const links = await threads.all();
      const hashes = await Promise.all(links.map((link) => link.getAttribute('href')));
      for (const hash of hashes) {
        await open(visit, hash?.slice(2) ?? '');
        await visit.page.locator('li.message').waitFor();
        await isClean(visit);
      }
    }
  });

  it('names of files, and links that hold any of it, are text', async () => {
    const [visit] = visits;
    if (!visit) throw new Error('no visit');
    await open(visit, `pane/${encodeURIComponent(ref)}`);
    const terminal = visit.page.locator('agtmux-terminal');
    const shows = (text: string): Promise<unknown> =>
      eventually(async () => {
        const screen = await terminal.evaluate((each) => Reflect.get(each, 'screenText'));
        return String(screen).replaceAll(/\s/g, '').includes(text);
      }, `the terminal shows ${text}`);
    await shows('forshortcuts');
    for (const text of texts) {
      const name = `${text.replaceAll('/', '_')}.png`;
      const file = { name, mimeType: 'image/png', buffer: Buffer.from(ONE_PIXEL, 'base64') };
      await visit.page.getByLabel('File for the agent').setInputFiles(file);
    }
    await shows('.agtmux/uploads');
    await isClean(visit);
    for (const text of texts) {
      await open(visit, `pane/${encodeURIComponent(text)}/${encodeURIComponent(text)}`);
      await visit.page.getByText('This pane is gone').waitFor();
      await isClean(visit);
    }
  });
});
