// `<agtmux-terminal>` in a real browser, on a page of its own, with a real service and a real tmux.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { isChromiumMissing, openChromium } from './chromium.ts';
import { Printer } from './printer.ts';
import { TOKEN, type WebLab as Web, WebLab } from './web-lab.ts';

const PAGE = `<!doctype html><meta charset="utf-8"><meta name="viewport"
  content="width=device-width"><title>t</title><body style="margin:0;height:100vh">
  <script type="module" src="page.js"></script>`;
const SCRIPT = `import '/tmux-adapter-web/agtmux-terminal.js';
const [token, agent, ...attributes] = decodeURIComponent(location.hash.slice(1)).split(' ');
const terminal = document.createElement('agtmux-terminal');
terminal.token = token;
terminal.setAttribute('agent', agent);
terminal.style.height = '100vh';
for (const attribute of attributes) terminal.toggleAttribute(attribute, true);
globalThis.states = [];
globalThis.errors = [];
terminal.addEventListener('agtmux-terminal-state', ({ detail }) => states.push(detail.state));
terminal.addEventListener('agtmux-terminal-error', ({ detail }) => errors.push(detail.error));
document.body.append(terminal);
`;
/** A terminal as the page sees it. */
interface Shown {
  focus(): void;
  readonly state: string;
  readonly screenText: string;
  sendKeys(data: string): boolean;
}

describe.skipIf(isTmuxMissing || isChromiumMissing)('a terminal in a browser', () => {
  let web: Web;
  let browser: Browser;
  let printer: Printer;
  let read: () => string;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'agtmux-page-'));
    writeFileSync(join(folder, 'index.html'), PAGE);
    writeFileSync(join(folder, 'page.js'), SCRIPT);
    const input = { debug_serve_dir: folder };
    [web, browser] = await Promise.all([WebLab.open({ attach: 'always', input }), openChromium()]);
    const { paneId, file } = await web.reader('work');
    printer = new Printer(web, 'work', paneId);
    read = () => readFileSync(file, 'utf8');
  });
  afterAll(async () => {
    await browser?.close();
    await web?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = async (
    attributes = '',
    options: BrowserContextOptions = {},
    agent = 'work',
  ): Promise<Page> => {
    const context = await browser.newContext({
      viewport: { width: 1_000, height: 600 },
      ...options,
    });
    const page = await context.newPage();
    await page.goto(`${web.url}/#${encodeURIComponent(`${TOKEN} ${agent} ${attributes}`.trim())}`);
    return page;
  };
  const terminal = <Result>(page: Page, get: (shown: Shown) => Result): Promise<Result> =>
    page.$eval('agtmux-terminal', get as never) as Promise<Result>;
  const untilShows = (page: Page, text: string): Promise<unknown> =>
    eventually(
      async () => (await terminal(page, ({ screenText }) => screenText)).includes(text),
      `the browser shows ${text}`,
    );

  it('shows what is printed, and types what is typed', async () => {
    printer.print('\x1b[2J\x1b[Hhello from the pane');
    const page = await open();
    await untilShows(page, 'hello from the pane');
    expect(await terminal(page, ({ state }) => state)).toMatch(/live|captured/);
    printer.print('\r\n日本 and more');
    await untilShows(page, '日本 and more');
    await terminal(page, (shown) => shown.focus());
    await page.keyboard.type('typed');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Control+c');
    await eventually(() => read().endsWith('typed\x1b[Z\x1b[A\x03'), 'the keys arrive');
    await page.context().close();
  });

  it('has the size of the pane, fits the page, and never resizes the window', async () => {
    const page = await open('', {
      viewport: { width: 390, height: 700 },
      hasTouch: true,
      isMobile: true,
    });
    await untilShows(page, 'hello');
    const rows = await terminal(page, ({ screenText }) => screenText.split('\n').length);
    expect(rows).toBe(30);
    await eventually(
      () =>
        page.evaluate<boolean>(
          "document.querySelector('.xterm-screen').getBoundingClientRect().width <= innerWidth",
        ),
      'it is drawn so small that it fits',
    );
    expect(printer.size).toEqual({ cols: 100, rows: 30 });
    printer.run('resize-window', '-t', printer.pane, '-x', '60', '-y', '20');
    printer.print('\x1b[2J\x1b[Hsmaller');
    await untilShows(page, 'smaller');
    expect(await terminal(page, ({ screenText }) => screenText.split('\n').length)).toBe(20);
    printer.run('resize-window', '-t', printer.pane, '-x', '100', '-y', '30');
    await page.context().close();
  });

  it('keeps the size of the pane when what runs in it asks for another one', async () => {
    const page = await open();
    const rows = async (): Promise<number> =>
      (await terminal(page, ({ screenText }) => screenText)).split('\n').length;
    await eventually(async () => (await rows()) === 30, 'it has the size of the pane');
    printer.print('\x1b[8;5;20t\x1b[2J\x1b[Hasked in vain');
    await untilShows(page, 'asked in vain');
    expect(await rows()).toBe(30);
    await page.context().close();
  });

  it('says where a link leads whose words say otherwise', async () => {
    printer.print('\x1b[2J\x1b[Hno link yet');
    const page = await open();
    await untilShows(page, 'no link yet');
    // Older versions of tmux keep no links, so that a snapshot would have none.
    const link = (address: string): string => `\x1b]8;;${address}\x1b\\`;
    const words = `${link('https://evil.example/x')}https://good.example${link('')}`;
    printer.print(`\x1b[2J\x1b[H${words}`);
    await untilShows(page, 'good.example');
    const title = (): Promise<string | null> =>
      page.locator('tmux-adapter-web').getAttribute('title');
    const box = await page.locator('.xterm-screen').boundingBox();
    if (box === null) throw new Error('no screen');
    await eventually(async () => {
      await page.mouse.move(box.x + 200, box.y + 100);
      await page.mouse.move(box.x + 30, box.y + 5);
      return (await title()) === 'https://evil.example/x';
    }, 'it says so');
    await page.mouse.move(box.x + 200, box.y + 200);
    await eventually(async () => (await title()) === null, 'it says so of the link alone');
    await page.context().close();
  });

  it('keys that a phone lacks are buttons, Ctrl holds for one, and a finger scrolls', async () => {
    const lines = Array.from({ length: 200 }, (_, index) => `line ${index}`);
    printer.print(`\x1b[2J\x1b[H${lines.join('\r\n')}\r\n`);
    const page = await open('', {
      viewport: { width: 390, height: 700 },
      hasTouch: true,
      isMobile: true,
    });
    await untilShows(page, 'line 199');
    const before = read().length;
    for (const name of ['Esc', '⇧Tab', '↑', '⏎']) await page.getByText(name, { exact: true }).tap();
    await eventually(() => read().slice(before) === '\x1b\x1b[Z\x1b[A\r', 'the buttons type');
    await page.getByText('Ctrl', { exact: true }).tap();
    await terminal(page, (shown) => shown.focus());
    await page.keyboard.type('cc');
    await eventually(() => read().endsWith('\x03c'), 'the first is with Ctrl');
    const session = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...ys: number[]) =>
      session.send('Input.dispatchTouchEvent', {
        ...{ type, touchPoints: ys.map((y) => ({ x: 150, y })) },
      });
    await touch('touchStart', 100);
    for (let y = 120; y <= 300; y += 20) await touch('touchMove', y);
    await touch('touchEnd');
    await eventually(
      async () => !(await terminal(page, ({ screenText }) => screenText)).includes('line 199'),
      'it has scrolled back',
    );
    await page.context().close();
  });

  it('an image that is pasted or dropped is given to the agent, one too large is not', async () => {
    const work = mkdtempSync(join(web.lab.live.folder, 'work-'));
    const pane = web.lab.openShell('images');
    web.lab.typeLine(pane, `cd '${work}'`);
    await web.lab.startAgent(pane);
    await web.untilListed('images');
    const page = await open('', {}, 'images');
    await eventually(() => terminal(page, ({ state }) => state === 'live'), 'it is live');
    await page.waitForSelector('.xterm-helper-textarea', { state: 'attached' });
    const give = (type: 'paste' | 'drop', name: string, size: number): Promise<unknown> =>
      page.evaluate(`{
        const data = new DataTransfer();
        const bytes = new Uint8Array(${size});
        bytes.set([0x89, 0x50, 0x4e, 0x47, 0]);
        data.items.add(new File([bytes], '${name}', { type: 'image/png' }));
        const event = '${type}' === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
          : new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true });
        document.querySelector('.xterm-helper-textarea').dispatchEvent(event);
      }`);
    const kept = (): readonly string[] => {
      const folder = join(work, '.agtmux', 'uploads');
      return existsSync(folder) ? readdirSync(folder) : [];
    };
    await give('paste', 'pasted.png', 1_000);
    await eventually(() => kept().some((name) => name.endsWith('-pasted.png')), 'it is kept');
    await untilShows(page, '/.agtmux/uploads/');
    await give('drop', 'dropped.png', 2_000);
    await eventually(() => kept().some((name) => name.endsWith('-dropped.png')), 'it is kept');
    await give('paste', 'large.png', 8 * 1024 * 1024 + 1);
    const errors = (): Promise<string[]> =>
      page.evaluate(() => (globalThis as unknown as { errors: string[] }).errors);
    await eventually(
      async () => (await errors()).some((each) => each.includes('large.png is larger')),
      'no',
    );
    // Also by the method, which the button of the dashboard calls: the connection stays.
    await page.evaluate(`document.querySelector('agtmux-terminal').paste(
      new File([new Uint8Array(9 * 1024 * 1024)], 'huge.png'))`);
    await eventually(async () => (await errors()).some((each) => each.includes('huge.png')), 'no');
    const states = await page.evaluate(
      () => (globalThis as unknown as { states: string[] }).states,
    );
    expect(states).not.toContain('reconnecting');
    await page.context().close();
  });

  it('a read-only one shows, and types nothing', async () => {
    printer.print('\x1b[2J\x1b[Hto be read');
    const page = await open('readonly');
    await untilShows(page, 'to be read');
    const before = read();
    await terminal(page, (shown) => shown.focus());
    await page.keyboard.type('nothing');
    expect(await terminal(page, (shown) => shown.sendKeys('x'))).toBe(false);
    const other = await open();
    await untilShows(other, 'to be read');
    await terminal(other, (shown) => shown.sendKeys('y'));
    await eventually(() => read() === `${before}y`, 'only the other one types');
    await Promise.all([page, other].map((each) => each.context().close()));
  });

  it('a connection that is lost comes back, with what was printed meanwhile', async () => {
    const page = await open();
    await untilShows(page, 'to be read');
    const states = (): Promise<string[]> =>
      page.evaluate(() => (globalThis as unknown as { states: string[] }).states);
    web.opener.close();
    await eventually(async () => (await states()).includes('reconnecting'), 'it says so');
    expect(await page.locator('[role=status]').textContent()).toContain('Reconnecting');
    printer.print('\x1b[2J\x1b[Hprinted meanwhile');
    const again = await web.lab.live.client();
    const port = Number(new URL(web.url).port);
    await again.call('open_web', { port, auth_token: TOKEN, debug_serve_dir: folder });
    await untilShows(page, 'printed meanwhile');
    expect(await terminal(page, ({ state }) => state)).toBe('live');
    expect(await page.locator('[role=status]').textContent()).toBe('');
  });
});
