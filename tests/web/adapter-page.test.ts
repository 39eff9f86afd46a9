// A page as people have written it for the adapter, on a server of its own: it loads the component
// from the service, opens the WebSocket by itself and encodes its frames, in a real browser.

import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { isChromiumMissing, openChromium } from './chromium.ts';
import { Printer } from './printer.ts';
import { TOKEN, type WebLab as Web, WebLab } from './web-lab.ts';

const pageOf = (service: string): string => `<!doctype html><meta charset="utf-8"><title>t</title>
<link rel="stylesheet" href="${service}/shared/styles.css">
<body style="margin:0;height:100vh"><div id="terminals" style="height:100vh"></div>
<script type="module">
import { BinaryMsgType, decodeBinaryFrame, encodeBinaryFrame, TmuxAdapterWeb }
  from '${service}/tmux-adapter-web/index.js';
import { createBadge } from '${service}/shared/utils.js';
document.body.append(createBadge('connecting'));
const name = decodeURIComponent(location.hash.slice(1));
const terminal = document.createElement('tmux-adapter-web');
terminal.setAttribute('name', name);
terminal.style.height = '100%';
globalThis.seen = { isAdapter: terminal instanceof TmuxAdapterWeb, events: [], replies: [] };
const socket = new WebSocket('${service.replace('http', 'ws')}/ws?token=${TOKEN}');
socket.binaryType = 'arraybuffer';
const send = (type, detail) => socket.send(encodeBinaryFrame(type, detail.name, detail.data));
terminal.addEventListener('terminal-ready', ({ detail }) => seen.events.push(detail));
terminal.addEventListener('terminal-input', ({ detail }) =>
  send(BinaryMsgType.KeyboardInput, detail));
terminal.addEventListener('terminal-resize', ({ detail }) => {
  globalThis.wanted = detail;
  send(BinaryMsgType.Resize, { name: detail.name, data: detail.cols + ':' + detail.rows });
});
terminal.addEventListener('file-upload', ({ detail }) =>
  send(BinaryMsgType.FileUpload, { name: detail.name, data: detail.payload }));
socket.onmessage = ({ data }) => {
  if (typeof data === 'string') {
    seen.replies.push(JSON.parse(data));
    return;
  }
  const { msgType, payload } = decodeBinaryFrame(data);
  if (msgType === BinaryMsgType.TerminalSnapshot) {
    terminal.reset();
    terminal.write(payload);
  } else if (msgType === BinaryMsgType.TerminalOutput) terminal.write(payload);
};
socket.onopen = () => {
  document.getElementById('terminals').append(terminal);
  socket.send(JSON.stringify({ id: '1', type: 'subscribe-output', agent: name }));
};
</script>`;

describe.skipIf(isTmuxMissing || isChromiumMissing)('a page of the adapter', () => {
  let web: Web;
  let browser: Browser;
  let server: Server;
  let place = '';

  beforeAll(async () => {
    [web, browser] = await Promise.all([WebLab.open({ attach: 'always' }), openChromium()]);
    server = createServer((_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(pageOf(web.url));
    });
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
    const address = server.address();
    place = `http://localhost:${typeof address === 'object' && address ? address.port : 0}/`;
  });
  afterAll(async () => {
    await browser?.close();
    await new Promise((resolve) => server?.close(resolve));
    await web?.[Symbol.asyncDispose]();
  });

  const open = async (agent: string): Promise<Page> => {
    const context = await browser.newContext({ viewport: { width: 1_000, height: 500 } });
    const page = await context.newPage();
    await page.goto(`${place}#${encodeURIComponent(agent)}`);
    return page;
  };
  const untilShows = (page: Page, text: string): Promise<unknown> =>
    eventually(
      () =>
        page.evaluate<boolean>(`document.querySelector('tmux-adapter-web')?.screenText
        .includes(${JSON.stringify(text)}) ?? false`),
      `the page shows ${text}`,
    );

  it('shows what is printed, types byte for byte, and has the window to its own size', async () => {
    const { paneId, file } = await web.reader('work');
    const printer = new Printer(web, 'work', paneId);
    printer.print('\x1b[2J\x1b[Hhello from the pane');
    const page = await open('work');
    await untilShows(page, 'hello from the pane');
    expect(await page.evaluate('[seen.isAdapter, seen.events[0].name]')).toEqual([true, 'work']);
    expect(await page.evaluate('seen.replies[0]')).toMatchObject({
      ...{ id: '1', type: 'subscribe-output', ok: true },
    });
    const size = (): string => `${printer.size.cols}x${printer.size.rows}`;
    await eventually(
      async () =>
        size() ===
        (await page.evaluate("globalThis.wanted && [wanted.cols, wanted.rows].join('x')")),
      'the window has the size that the page asked for',
    );
    expect(size()).not.toBe('100x30');
    printer.print('\r\n日本 after it');
    await untilShows(page, '日本 after it');
    await page.evaluate("document.querySelector('tmux-adapter-web').focus()");
    await page.keyboard.type('typed');
    await page.keyboard.press('Shift+Tab');
    await eventually(() => readFileSync(file, 'utf8').endsWith('typed\x1b[Z'), 'the keys arrive');
    await page.context().close();
    await eventually(() => size() === '100x30', 'the window has its own size again');
  });

  it('a file that is dropped is kept for the agent', async () => {
    const work = join(web.lab.live.folder, 'dropped');
    mkdirSync(work);
    const pane = web.lab.openShell('files');
    web.lab.typeLine(pane, `cd '${work}'`);
    await web.lab.startAgent(pane);
    await web.untilListed('files');
    const page = await open('files');
    await eventually(() => page.evaluate<boolean>('seen.events.length > 0'), 'it is there');
    await page.evaluate(`{
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array([1, 0, 2])], 'a.png', { type: 'image/png' }));
      document.querySelector('.xterm-helper-textarea').dispatchEvent(
        new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    }`);
    const uploads = join(work, '.agtmux', 'uploads');
    await eventually(
      () => readdirSync(work).includes('.agtmux') && readdirSync(uploads).length === 1,
      'it is kept',
    );
    await page.context().close();
  });

  it('reads the component, and nothing else of the service over HTTP', async () => {
    const page = await open('none');
    const answer = (path: string): Promise<string> =>
      page.evaluate<string>(
        `fetch('${web.url}${path}').then(({ status }) => String(status), () => 'blocked')`,
      );
    expect(await answer('/tmux-adapter-web/index.js')).toBe('200');
    expect(await answer('/shared/protocol.js')).toBe('200');
    for (const path of ['/', '/index.html', '/session', `/metrics?token=${TOKEN}`, '/shared/no']) {
      expect([path, await answer(path)]).toEqual([path, 'blocked']);
    }
    await page.context().close();
  });
});
