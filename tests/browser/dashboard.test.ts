// The dashboard in a real Chromium, on a desk and on a phone: what a person does with it.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fakeAgent } from '../daemon-live/live-agents.ts';
import { eventually } from '../live/tmux-server.ts';
import { BrowserLab, isBrowserMissing } from './browser-lab.ts';
import { desk, ONE_PIXEL, phone } from './dashboard-browser.ts';

let lab: BrowserLab;
let workPane: string;
let askPane: string;

const rowOf = (page: Page, place: string) => page.locator('pane-row').filter({ hasText: place });

const chosen = (): readonly unknown[] =>
  lab.lab.received().flatMap((each) => (each.chosen === undefined ? [] : [each.chosen]));

/** Has the asker ask, without the page. */
const ask = (text: string): Promise<unknown> => lab.lab.client.call('send', { ref: askPane, text });

describe.skipIf(isBrowserMissing)('the dashboard', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    lab = await BrowserLab.open();
    workPane = await lab.agent('work');
    askPane = await lab.agent('asker', { script: 'fake-asker.mjs' });
  }, 120_000);
  afterEach(() => lab.closeVisits());
  afterAll(() => lab?.[Symbol.asyncDispose]());

  it('asks a stranger to pair, and a link lets in once', async () => {
    const { page } = await lab.stranger();
    await page.goto(lab.url);
    await page.getByRole('heading', { name: 'Pair this browser' }).waitFor();
    const link = await lab.pairingLink();
    await page.getByLabel('Pairing link or code').fill('wrong-code');
    await page.getByRole('button', { name: 'Pair' }).click();
    await page.getByText('The link was used, or is too old. Run agtmux web pair').waitFor();
    // Whatever else the service says is shown as it is.
    const refusal = { error: 'There is no room.', hint: 'Revoke a token.' };
    await page.route('**/pair', (route) => route.fulfill({ status: 409, json: refusal }));
    await page.getByRole('button', { name: 'Pair' }).click();
    await page.getByText('There is no room. Revoke a token.').waitFor();
    await page.unroute('**/pair');
    await page.getByLabel('Pairing link or code').fill(link);
    await page.getByRole('button', { name: 'Pair' }).click();
    await rowOf(page, 'work:0.0').waitFor();
    const other = await lab.stranger();
    await other.page.goto(link);
    await other.page.getByText('The link was used').waitFor();
  });

  it('shows states as they change, and its title counts who needs a person', async () => {
    const { page, errors } = await lab.visit();
    const row = rowOf(page, 'work:0.0');
    await row.getByText(/idle|completed/).waitFor();
    await lab.lab.client.call('send', { ref: workPane, text: 'work' });
    await row.getByText('running').waitFor();
    lab.lab.typeKeys(workPane, 'Escape');
    await row.getByText(/idle|completed/).waitFor();
    await ask('shell');
    await page.getByRole('link', { name: '1 needs you' }).waitFor();
    expect(await page.title()).toBe('(1) agtmux');
    await page.getByRole('article').getByRole('button', { name: /No$/ }).click();
    await eventually(() => chosen().at(-1) === 'No', 'it was denied');
    await page.getByText('no agent needs you').waitFor();
    expect(errors).toEqual([]);
  });

  it('a prompt is written, sent, and said to be delivered', async () => {
    const { page } = await lab.visit();
    await rowOf(page, 'work:0.0').click();
    await page.getByLabel('Prompt for claude').fill('say hello\nand more');
    await page.keyboard.press('Enter');
    await page.getByText('delivered', { exact: true }).waitFor();
    const isTaken = (): boolean =>
      lab.lab.received().some(({ submitted }) => submitted === 'say hello\nand more');
    expect(isTaken()).toBe(true);
  });

  it('a prompt that was begun is there in a smaller window and after another page', async () => {
    const { page } = await lab.visit();
    await rowOf(page, 'work:0.0').click();
    const prompt = page.getByLabel('Prompt for claude');
    await prompt.fill('half a prompt');
    await page.getByRole('checkbox', { name: 'when it rests' }).check();
    await page.setViewportSize(phone);
    await page.locator('fleet-list').waitFor({ state: 'detached' });
    expect(await prompt.inputValue()).toBe('half a prompt');
    await page.getByRole('link', { name: 'All panes' }).click();
    await rowOf(page, 'asker:0.0').click();
    await page.locator('pane-page').getByText('asker:0.0').waitFor();
    expect(await prompt.inputValue()).toBe('');
    expect(await page.getByRole('checkbox', { name: 'when it rests' }).isChecked()).toBe(false);
    await page.getByRole('link', { name: 'All panes' }).click();
    await rowOf(page, 'work:0.0').click();
    await prompt.waitFor();
    expect(await prompt.inputValue()).toBe('half a prompt');
    await page.getByRole('checkbox', { name: 'when it rests' }).uncheck();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('delivered', { exact: true }).waitFor();
    expect(await prompt.inputValue()).toBe('');
  });

  it('its terminal is opened, typed into, and given an image', async () => {
    const { page, errors } = await lab.visit();
    await rowOf(page, 'work:0.0').click();
    const terminal = page.locator('agtmux-terminal');
    const shows = (text: string): Promise<unknown> =>
      eventually(async () => {
        const shown = await terminal.evaluate((each) => Reflect.get(each, 'screenText'));
        return String(shown).includes(text);
      }, `the terminal shows ${text}`);
    await shows('for shortcuts');
    await terminal.click();
    await page.keyboard.type('typed by hand');
    await shows('typed by hand');
    await page.keyboard.press('Enter');
    const took = (text: string) => (): boolean =>
      lab.lab.received().some(({ submitted }) => submitted?.includes(text) ?? false);
    await eventually(took('typed by hand'), 'the agent took it');
    const buffer = Buffer.from(ONE_PIXEL, 'base64');
    const image = { name: 'a <b>shot.png', mimeType: 'image/png', buffer };
    await page.getByLabel('File for the agent').setInputFiles(image);
    await shows('.agtmux/uploads');
    await page.keyboard.press('Enter');
    await eventually(took('.png'), 'the agent was told where the image is');
    expect(errors).toEqual([]);
  });

  it('a question is answered by its label, and several by their boxes', async () => {
    const { page } = await lab.visit('#/inbox');
    await ask('one');
    const card = page.getByRole('article');
    await card.getByText('Which database?').waitFor();
    await card.getByRole('button', { name: 'SQLite' }).click();
    await eventually(() => chosen().at(-1) === 'SQLite', 'it was answered');
    await page.getByText('Nothing is asked.').waitFor();
    await lab.lab.untilState(askPane, ['idle', 'completed']);
    await ask('many');
    await card.getByText('Which features?').waitFor();
    await card.getByLabel('Auth').check();
    await card.getByLabel('Cache').check();
    await card.getByRole('button', { name: 'Answer', exact: true }).click();
    await eventually(() => /Auth.*Cache/.test(String(chosen().at(-1))), 'several were chosen');
    await lab.lab.untilState(askPane, ['idle', 'completed']);
  });

  it('a sign-in menu that cannot be read says what it is and leads to its pane', async () => {
    const qwen = fakeAgent(lab.lab.live.tmux, 'qwen', 'signin');
    qwen.show('qwen/0.24.4-015-waiting_input');
    const { page } = await lab.visit('#/inbox');
    const card = page.getByRole('article', { name: 'question of signin:0.0' });
    await card.getByText('What this sign-in menu of qwen says is on its screen.').waitFor();
    expect(await card.getByRole('button', { name: 'Answer in your own words' }).count()).toBe(0);
    await card.getByRole('link', { name: 'Open the pane' }).click();
    await page.getByRole('heading', { name: 'signin:0.0' }).waitFor();
    lab.lab.live.tmux.run('kill-session', '-t', '=signin');
    await eventually(async () => (await lab.lab.pane(qwen.paneId)) === undefined, 'it is gone');
  });

  it('a key or a click as a card came up is not taken for an answer to it', async () => {
    const { page } = await lab.visit('#/inbox');
    await page.getByText('Nothing is asked.').waitFor();
    await page.evaluate(`{
      const card = () => document.querySelector('agtmux-app').shadowRoot
        .querySelector('inbox-page').shadowRoot.querySelector('request-card');
      const press = () => {
        const key = { key: '1', bubbles: true, composed: true };
        document.body.dispatchEvent(new KeyboardEvent('keydown', key));
        card().shadowRoot.querySelector('.options button').click();
      };
      const look = () => card() ? press() : requestAnimationFrame(look);
      look();
    }`);
    await ask('one');
    await page.getByRole('article').getByText('Which database?').waitFor();
    await eventually(async () => {
      await page.keyboard.press('2');
      return (await page.getByText('Nothing is asked.').count()) === 1;
    }, 'it is answered by a later key');
    expect(chosen().at(-1)).toBe('SQLite');
    await lab.lab.untilState(askPane, ['idle', 'completed']);
  });

  it('on a phone a terminal keeps its room and its keys below what the agent asks', async () => {
    const { page } = await lab.visit('#/', phone);
    await ask('shell');
    await rowOf(page, 'asker:0.0').tap();
    await page.getByRole('article').waitFor();
    const keys = page.getByRole('toolbar', { name: 'Keys' });
    await keys.scrollIntoViewIfNeeded();
    const [bar, terminal, prompt] = await Promise.all([
      keys.boundingBox(),
      page.locator('tmux-adapter-web').boundingBox(),
      page.getByLabel('Prompt for claude').boundingBox(),
    ]);
    expect(terminal?.height).toBeGreaterThan(phone.height / 3);
    expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeLessThanOrEqual(prompt?.y ?? 0);
    lab.lab.typeKeys(askPane, 'Escape');
    await lab.lab.untilState(askPane, ['idle', 'completed']);
  });

  it('on a phone one thing is shown at a time, and an approval takes two touches', async () => {
    const { page, errors } = await lab.visit('#/', phone);
    await ask('shell');
    await page.getByRole('link', { name: /Inbox/ }).tap();
    await page.getByRole('article').getByRole('button', { name: /Yes$/ }).tap();
    await eventually(() => chosen().at(-1) === 'Yes', 'it was approved');
    await page.getByRole('link', { name: 'Fleet' }).tap();
    await rowOf(page, 'work:0.0').tap();
    // Its room is taller than what the agent shows: a touch anywhere in it is one on the terminal.
    await page.locator('.xterm-helper-textarea').waitFor({ state: 'attached' });
    await eventually(async () => {
      // A touch while the page still moves may land beside it.
      await page.locator('agtmux-terminal').tap();
      return (await focusedElement(page)) === 'xterm-helper-textarea';
    }, 'the terminal has the focus');
    await page.getByRole('link', { name: 'Explain' }).tap();
    await page.getByText('What each source says').waitFor();
    await page.getByRole('link', { name: 'Timeline' }).tap();
    await page.locator('timeline-view li').first().waitFor();
    await page.getByRole('link', { name: 'All panes' }).tap();
    await rowOf(page, 'work:0.0').waitFor();
    expect(errors).toEqual([]);
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBe(phone.width);
  });

  it('on a phone nothing of the list is cut at its side', async () => {
    const { page } = await lab.visit('#/', phone);
    await rowOf(page, 'work:0.0').waitFor();
    for (const part of await page.locator('.search input, .selects select, pane-row').all()) {
      const box = await part.boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(phone.width);
    }
    const long = 'one-of-many-sessions-whose-names-begin-with-the-same-words';
    await lab.agent(long);
    const row = rowOf(page, `${long}:0.0`);
    const isWhole = (each: Element): boolean => each.scrollWidth <= each.clientWidth;
    expect(await row.locator('.name').evaluate(isWhole)).toBe(true);
    await row.tap();
    const heading = page.getByRole('heading', { name: `${long}:0.0` });
    expect(await heading.evaluate(isWhole)).toBe(true);
    // A picture alone does not say what ends an agent.
    expect(await page.getByRole('button', { name: 'Kill' }).innerText()).toContain('Kill');
    lab.lab.live.tmux.run('kill-session', '-t', `=${long}`);
  });

  it('an agent is killed only after it was confirmed', async () => {
    const paneId = await lab.agent('doomed');
    const { page } = await lab.visit();
    await rowOf(page, 'doomed:0.0').click();
    await page.getByRole('button', { name: 'Kill' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect((await lab.lab.pane(paneId))?.presence).toBe('managed');
    await page.getByRole('button', { name: 'Kill' }).click();
    await page.getByRole('button', { name: 'SIGTERM' }).click();
    await eventually(async () => (await lab.lab.pane(paneId))?.agent === null, 'it is gone');
  });

  it('one prompt goes to many, each with its outcome', async () => {
    await lab.lab.untilState(askPane, ['idle', 'completed']);
    const { page } = await lab.visit('#/send');
    await page.getByRole('button', { name: 'Choose all' }).click();
    await page.getByRole('textbox', { name: 'Prompt' }).fill('nothing of note');
    await page.getByRole('button', { name: 'Send to 2' }).click();
    const outcomes = page.locator('send-page').getByRole('status');
    await eventually(async () => (await outcomes.count()) === 2, 'both have an outcome');
    expect(await outcomes.allInnerTexts()).toEqual(
      Array(2).fill(expect.stringMatching(/delivered|queued|unconfirmed/)),
    );
  });

  it('an agent that was started anew is not among those that were chosen before', async () => {
    const paneId = await lab.agent('chosen');
    const { page } = await lab.visit('#/send');
    const row = page.locator('send-page li').filter({ hasText: 'chosen:0.0' });
    await row.getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Send to 1' }).waitFor();
    await lab.lab.client.call('kill', { ref: paneId, signal: 'KILL' });
    await eventually(async () => (await lab.lab.pane(paneId))?.agent === null, 'it is gone');
    await lab.lab.startAgent(paneId);
    await row.waitFor();
    expect(await row.getByRole('checkbox').isChecked()).toBe(false);
    await row.getByRole('checkbox').check();
    const prompt = page.getByRole('textbox', { name: 'Prompt' });
    await prompt.fill('to the new one');
    await page.getByRole('button', { name: 'Send to 1' }).click();
    await row.getByText(/delivered|queued/).waitFor();
    // Pressed again, it would be typed twice.
    await eventually(async () => (await prompt.inputValue()) === '', 'the text is gone');
    lab.lab.live.tmux.run('kill-session', '-t', '=chosen');
  });

  it('keys walk the list, search it and say what they do', async () => {
    const { page } = await lab.visit();
    await page.keyboard.press('j');
    await expect.poll(() => page.url()).toContain('#/pane/');
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await page.keyboard.type('asker');
    await eventually(async () => (await page.locator('pane-row').count()) === 1, 'one is left');
    await page.getByLabel('Search the fleet').fill('nothing like that');
    await page.getByText('No pane fits the filter.').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await rowOf(page, 'work:0.0').waitFor();
  });

  it('who may only look is told so, and nothing is done', async () => {
    const { page } = await lab.stranger();
    await page.goto(await lab.pairingLink('read'));
    await rowOf(page, 'work:0.0').click();
    await page.getByText('This browser may look and not act').first().waitFor();
    expect(await page.getByLabel('Prompt for claude').isDisabled()).toBe(true);
  });

  it('a browser that is unpaired is let in no more, and keeps nothing of the fleet', async () => {
    const { page } = await lab.visit();
    await rowOf(page, 'work:0.0').waitFor();
    const kept = (): Promise<string | null> =>
      page.evaluate('localStorage.getItem("agtmux.fleet")');
    await eventually(async () => (await kept())?.includes('work') ?? false, 'the fleet is kept');
    await page.goto(`${lab.url}/#/settings`);
    await page.getByRole('button', { name: 'Unpair this browser' }).click();
    await page.getByRole('button', { name: 'Unpair', exact: true }).click();
    await page.getByRole('heading', { name: 'Pair this browser' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Pair this browser' }).waitFor();
    expect((await kept()) ?? '').not.toContain('work');
  });

  it('axe finds nothing serious on a desk and on a phone, dark and light', async () => {
    await ask('shell');
    const [pane] = (await lab.lab.client.call('list_panes', { session: 'asker' })).panes;
    const ref = encodeURIComponent(pane?.ref ?? '');
    const tabs = ['', '/conversation', '/timeline', '/explain'].map((tab) => `pane/${ref}${tab}`);
    const pages = ['', 'inbox', 'send', 'messages', 'messages/new', 'teams', 'settings'];
    const hashes = [...pages, ...tabs];
    for (const size of [desk, phone]) {
      const { page } = await lab.visit('#/', size);
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await seriousFaults(page, hashes)).toEqual([]);
      }
    }
    lab.lab.typeKeys(askPane, 'Escape');
    await lab.lab.untilState(askPane, ['idle', 'completed']);
  });

  it('without the service it shows what it knew, and goes on by itself', async () => {
    const { page } = await lab.visit();
    await rowOf(page, 'work:0.0').waitFor();
    const { port } = new URL(lab.url);
    lab.closeService();
    await page.getByText(/offline, as of/).waitFor();
    expect(await rowOf(page, 'work:0.0').count()).toBe(1);
    await eventually(async () => {
      await lab.openService(Number(port)).catch(() => null);
      return (await page.getByText('live', { exact: true }).count()) === 1;
    }, 'it is live again');
  });

  it.each([
    ['explain', 'ledger-view h3'],
    ['timeline', 'timeline-view li'],
  ])('a page that was opened at %s without a connection reads it with one', async (tab, part) => {
    const { page, context } = await lab.visit();
    await rowOf(page, 'work:0.0').waitFor();
    await page.evaluate('navigator.serviceWorker.ready.then(() => null)');
    const kept = (): Promise<string | null> =>
      page.evaluate('localStorage.getItem("agtmux.fleet")');
    await eventually(async () => (await kept())?.includes('work') ?? false, 'the fleet is kept');
    const [pane] = (await lab.lab.client.call('list_panes', { session: 'work' })).panes;
    await page.goto(`${lab.url}/#/pane/${encodeURIComponent(pane?.ref ?? '')}/${tab}`);
    await page.locator(part).first().waitFor();
    await context.setOffline(true);
    await page.reload();
    await page.getByText(/offline, as of|connecting, as of/).waitFor();
    await context.setOffline(false);
    await page.getByText('live', { exact: true }).waitFor();
    await page.locator(part).first().waitFor();
  });

  it('opens without any connection, from what was kept of it', async () => {
    const { page, context } = await lab.visit();
    await rowOf(page, 'work:0.0').waitFor();
    await page.evaluate('navigator.serviceWorker.ready.then(() => null)');
    await eventually(
      async () => (await page.evaluate('localStorage.getItem("agtmux.fleet")')) !== null,
      'the fleet is kept',
    );
    // Of what browsers keep, only older versions of the page go.
    await page.evaluate(`Promise.all([
      caches.open('of another page'),
      caches.open('agtmux-older'),
      navigator.serviceWorker.ready.then((worker) => worker.unregister()),
    ]).then(() => null)`);
    await page.reload();
    await page.evaluate('navigator.serviceWorker.ready.then(() => null)');
    const kept = (): Promise<string[]> => page.evaluate('caches.keys()');
    await eventually(async () => !(await kept()).includes('agtmux-older'), 'the older one goes');
    expect(await kept()).toContain('of another page');
    await context.setOffline(true);
    await page.reload();
    await page.getByText(/offline, as of|connecting, as of/).waitFor();
    await rowOf(page, 'work:0.0').waitFor();
    await context.setOffline(false);
    await page.getByText('live', { exact: true }).waitFor();
  });
});

/** The class of the element that keys go to, through every shadow root. */
const focusedElement = (page: Page): Promise<unknown> =>
  page.evaluate(() => {
    let focused = document.activeElement;
    while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
    return focused?.className;
  });

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

const AXE_RUN = 'axe.run(document, { resultTypes: ["violations"] }).then((all) => all.violations)';

/** What axe finds on each of the page's views: where, which rule, and the first that breaks it. */
async function seriousFaults(page: Page, hashes: readonly string[]): Promise<readonly unknown[]> {
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8'));
  const found: unknown[] = [];
  for (const hash of hashes) {
    await page.goto(`${lab.url}/#/${hash}`);
    await page.getByText('live', { exact: true }).waitFor();
    const all = await page.evaluate<readonly Violation[]>(AXE_RUN);
    const serious = all.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    found.push(...serious.map(({ id, nodes }) => [hash, id, nodes[0]?.html]));
  }
  return found;
}
