// Every message, frame and path of seed 001 in the order of its text, over a real service, daemon
// and tmux: with a token and without one. Departures from it are in docs/web.md.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attachPerson } from '../live/tmux-person.ts';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { Printer, untilSame } from './printer.ts';
import { ask, askUpgrade, TOKEN, type WebLab as Web, WebLab, WebPeer } from './web-lab.ts';

const FRAME = { output: 0x01, keys: 0x02, size: 0x03, upload: 0x04, reset: 0x05 };
const UPLOAD_BYTES_MAX = 8 * 1024 * 1024;
const INLINE_BYTES_MAX = 256 * 1024;

describe.skipIf(isTmuxMissing).each([
  ['with a token', false, 'always'],
  ['with --no-auth', true, 'when_safe'],
] as const)('seed 001, %s', (_name, noAuth, attach) => {
  let web: Web;
  let folder: string;
  let workDir: string;
  let paneId: string;
  let typed: string;
  let printer: Printer;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'agtmux-seed-'));
    writeFileSync(join(folder, 'index.html'), 'a sample');
    web = await WebLab.open({ attach, noAuth, input: { debug_serve_dir: folder } });
    workDir = join(web.lab.live.folder, 'my work');
    mkdirSync(workDir);
    paneId = web.lab.openShell('my-project');
    web.lab.typeLine(paneId, `cd '${workDir}'`);
    await web.lab.startAgent(paneId);
    const reader = await web.reader('research');
    typed = reader.file;
    printer = new Printer(web, 'research', reader.paneId);
  }, 120_000);
  afterAll(async () => {
    await web?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const project = () => ({ name: 'my-project', runtime: 'claude', workDir, attached: false });
  const read = (): string => readFileSync(typed, 'latin1');
  /** Types until the daemon knows the agent so well that it is typed to. */
  const type = async (peer: WebPeer, payload: Uint8Array | string): Promise<string> => {
    const before = read().length;
    while (read().length === before) {
      const { length } = peer.messages;
      peer.sendFrame(FRAME.keys, 'research', payload);
      const isAnswered = () => read().length > before || peer.messages.length > length;
      await eventually(isAnswered, 'keys or an error');
    }
    peer.sendFrame(FRAME.keys, 'research', '|');
    await eventually(() => read().endsWith('|'), 'the keys arrive');
    return read().slice(before, -1);
  };
  const upload = (name: string, mime: string, bytes: Uint8Array | string): Buffer =>
    Buffer.concat([Buffer.from(`${name}\0${mime}\0`), Buffer.from(bytes)]);
  const boxShows = (text: string): Promise<unknown> =>
    eventually(
      () => web.lab.screen(paneId).replaceAll('\n', '').includes(text),
      `${text} is in the box`,
    );

  describe('connection', () => {
    it('one WebSocket at /ws; the token is asked for where there is one', async () => {
      const bearer = { Authorization: `Bearer ${TOKEN}` };
      const wrong = noAuth ? 101 : 401;
      expect((await askUpgrade(web.url, '/ws')).status).toBe(wrong);
      expect((await askUpgrade(web.url, '/ws?token=wrong')).status).toBe(wrong);
      expect((await askUpgrade(web.url, `/ws?token=${TOKEN}`)).status).toBe(101);
      expect((await askUpgrade(web.url, '/ws', bearer)).status).toBe(101);
      expect((await ask(web.url, `/ws?token=${TOKEN}`)).status).toBe(426);
    });

    it('pages of localhost:* are let in, and no other', async () => {
      const from = async (origin: string): Promise<number> =>
        (await askUpgrade(web.url, `/ws?token=${TOKEN}`, { Origin: origin })).status;
      expect(await from('http://localhost:3000')).toBe(101);
      expect(await from('https://localhost:5')).toBe(101);
      expect(await from(web.url)).toBe(101);
      expect(await from('http://evil.com')).toBe(403);
      expect(await from('http://localhost.evil.com:80')).toBe(403);
      expect(await from('null')).toBe(403);
    });
  });

  describe('requests', () => {
    it('list-agents', async () => {
      const peer = await web.peer();
      peer.socket.send('{"id":"1","type":"list-agents"}');
      const reply = await peer.message(({ id }) => id === '1', 'the reply');
      const other = { name: 'research', runtime: 'claude', attached: false };
      expect(reply).toMatchObject({ id: '1', type: 'list-agents', agents: [project(), other] });
      expect(Object.keys(reply)).toEqual(['id', 'type', 'agents']);
      const [first] = reply['agents'] as object[];
      expect(Object.keys(first ?? {})).toEqual(['name', 'runtime', 'workDir', 'attached']);
    });

    it('send-prompt, and its errors', async () => {
      const peer = await web.peer();
      const prompt = 'please review\nset-option -g @pwned yes\n\'"$(x);#{pid}';
      peer.socket.send(
        JSON.stringify({ id: '2', type: 'send-prompt', agent: 'my-project', prompt }),
      );
      expect(await peer.message(({ id }) => id === '2', 'the reply')).toMatchObject({
        ...{ id: '2', type: 'send-prompt', ok: true, result: 'delivered' },
      });
      expect(web.lab.received().at(-1)?.submitted).toBe(prompt);
      expect(web.lab.tmux.run('show-options', '-gqv', '@pwned')).toBe('');
      expect(await peer.call('send-prompt', { agent: 'none', prompt: 'x' })).toMatchObject({
        ...{ type: 'send-prompt', ok: false, error: 'agent not found' },
      });
    });

    it('subscribe-output: the reply, a screen at once, then what is printed', async () => {
      printer.print('\x1b[2J\x1b[H\x1b[1;32mbefore\x1b[0m');
      const peer = await web.peer();
      const order: (number | string)[] = [];
      peer.socket.on('message', (data: Buffer, isBinary) => {
        order.push(isBinary ? (data[0] ?? 0) : String(JSON.parse(data.toString())['type']));
      });
      const reply = await peer.call('subscribe-output', { agent: 'research' });
      expect(reply).toMatchObject({ type: 'subscribe-output', ok: true });
      await untilSame(peer, printer, 'it shows what was there');
      expect(order.slice(0, 3)).toEqual(['subscribe-output', FRAME.reset, FRAME.output]);
      expect(peer.frames[0]?.payload.toString()).toBe('\x1b[2J\x1b[H');
      expect(peer.frames.every(({ agent }) => agent === 'research')).toBe(true);
      printer.print('\r\n\x1b[44mafter 日本\x1b[0m');
      await untilSame(peer, printer, 'it shows what is printed');
      expect(await peer.call('unsubscribe-output', { agent: 'research' })).toEqual({
        ...{ id: expect.any(String), type: 'unsubscribe-output', ok: true },
      });
      const count = peer.frames.length;
      const other = await web.peer();
      await other.call('subscribe-output', { agent: 'research' });
      printer.print('\r\nunseen');
      await untilSame(other, printer, 'another viewer sees it');
      expect(peer.frames).toHaveLength(count);
      other.socket.close();
    });

    it('subscribe-output with "stream": false gives the history and no frame', async () => {
      printer.print('\x1b[2J\x1b[H\x1b[31mred\x1b[0m');
      const peer = await web.peer();
      const request = { agent: 'research', stream: false };
      await eventually(async () => {
        const reply = await peer.call('subscribe-output', request);
        return reply['ok'] === true && String(reply['history']).includes('\x1b[31mred');
      }, 'the history has what was printed');
      expect(peer.frames).toEqual([]);
    });

    it('subscribe-agents and its events, then unsubscribe-agents', async () => {
      const [peer, filtered] = [await web.peer(), await web.peer()];
      const reply = await peer.call('subscribe-agents');
      expect(reply).toMatchObject({ type: 'subscribe-agents', ok: true, totalAgents: 2 });
      expect(reply['agents']).toHaveLength(2);
      const narrow = { includeSessionFilter: '^re', excludeSessionFilter: 'x$' };
      expect(await filtered.call('subscribe-agents', narrow)).toMatchObject({
        ...{ agents: [{ name: 'research' }], totalAgents: 2 },
      });
      await web.agent('extra');
      const added = await peer.event('agent-added');
      expect(added).toMatchObject({ agent: { name: 'extra', runtime: 'claude', attached: false } });
      expect(added).not.toHaveProperty('id');
      expect(await peer.event('agents-count')).toEqual({ type: 'agents-count', totalAgents: 3 });
      expect(await filtered.event('agents-count')).toMatchObject({ totalAgents: 3 });
      const { tmux } = web.lab;
      const session = tmux.run('display-message', '-p', '-t', '=extra:', '#{session_id}');
      const person = await attachPerson(tmux, session);
      const isAttached = (is: boolean) => (message: object) =>
        JSON.stringify(message).includes(`"name":"extra"`) &&
        JSON.stringify(message).includes(`"attached":${is}`);
      await peer.event('agent-updated', isAttached(true));
      tmux.run('detach-client', '-t', person.name);
      await peer.event('agent-updated', isAttached(false));
      tmux.run('kill-session', '-t', '=extra');
      expect(await peer.event('agent-removed')).toEqual({ type: 'agent-removed', name: 'extra' });
      await peer.event('agents-count', ({ totalAgents }) => totalAgents === 2);
      const counts = peer.messages.filter(({ type }) => type === 'agents-count');
      expect(counts).toHaveLength(2);
      expect(filtered.messages.map(({ type }) => type)).not.toContain('agent-added');
      expect(await peer.call('unsubscribe-agents')).toMatchObject({ ok: true });
    });

    it('a session whose agent is dead is not listed', async () => {
      const peer = await web.peer();
      await peer.call('subscribe-agents');
      const zombie = await web.agent('zombie');
      const { pid } = (await web.lab.pane(zombie)) ?? {};
      await web.lab.live.kill(pid ?? 0, 'SIGKILL');
      await peer.event('agent-removed', ({ name }) => name === 'zombie');
      expect(web.lab.tmux.run('has-session', '-t', '=zombie')).toBe('');
      web.lab.tmux.run('kill-session', '-t', '=zombie');
    });

    it('what is no request', async () => {
      const peer = await web.peer();
      for (const [text, error] of [
        ['{"id":"9","type":"dance"}', 'unknown message type: dance'],
        ['{"type":"send-prompt","prompt":"x"}', 'agent field required'],
        ['{"type":"send-prompt","agent":"my-project"}', 'prompt field required'],
        ['{"type":"unsubscribe-output"}', 'agent field required'],
        ['{"id":9,"type":"list-agents"}', 'invalid JSON: '],
        ['not JSON', 'invalid JSON: '],
      ] as const) {
        peer.messages.splice(0);
        peer.socket.send(text);
        expect(await peer.error(error)).toMatchObject({ type: 'error', ok: false });
      }
    });
  });

  describe('binary frames', () => {
    it('0x02: special keys go by name, all else byte for byte', async () => {
      const peer = await web.peer();
      expect(await type(peer, '\x1b[Z')).toBe('\x1b[Z');
      expect(await type(peer, '\x1b[H')).toBe('\x1b[1~');
      expect(await type(peer, '\x1bOA')).toBe('\x1b[A');
      expect(await type(peer, '\x1b[15~')).toBe('\x1b[15~');
      expect(await type(peer, '\x1b[1;5C')).toBe('\x1b[1;5C');
      expect(await type(peer, '\x03\r\t\0é')).toBe(Buffer.from('\x03\r\t\0é').toString('latin1'));
    });

    it('0x03: sets the size while nobody is attached', async () => {
      const peer = await web.peer();
      peer.sendFrame(FRAME.size, 'research', '90:28');
      const isSize = (cols: number, rows: number) => () =>
        printer.size.cols === cols && printer.size.rows === rows;
      await eventually(isSize(90, 28), 'the window has the size');
      peer.sendFrame(FRAME.size, 'research', '90x28');
      await peer.error('invalid resize payload for research: expected cols:rows');
      peer.socket.close();
      await eventually(isSize(100, 30), 'the window has its own size again');
    });

    it('0x04: text is pasted, an image and other files are named, 8 MB is the most', async () => {
      const peer = await web.peer();
      const box = { agent: 'my-project' };
      const clear = async (): Promise<void> => {
        const count = web.lab.received().length;
        peer.sendFrame(FRAME.keys, box.agent, '\r');
        await eventually(() => web.lab.received().length > count, 'it is submitted');
      };
      peer.sendFrame(FRAME.upload, box.agent, upload('a.txt', 'text/plain', 'first\nsecond'));
      await boxShows('second');
      await clear();
      expect(web.lab.received().at(-1)?.submitted).toBe('first\nsecond');
      peer.sendFrame(FRAME.upload, box.agent, upload('b.png', 'image/png', '\x89PNG\0'));
      await boxShows('-b.png');
      await clear();
      expect(web.lab.received().at(-1)?.submitted).toMatch(/^\/.*\.agtmux\/uploads\/.*-b\.png $/);
      const long = 'x'.repeat(INLINE_BYTES_MAX + 1);
      peer.sendFrame(FRAME.upload, box.agent, upload('c.txt', 'text/plain', long));
      await boxShows('-c.txt');
      await clear();
      expect(web.lab.received().at(-1)?.submitted).toMatch(/^\.\/.*-c\.txt $/);
      const large = Buffer.alloc(UPLOAD_BYTES_MAX + 1);
      peer.sendFrame(FRAME.upload, box.agent, upload('d.bin', 'application/x', large));
      await peer.error('file upload my-project: file "d.bin" too large');
      const kept = readdirSync(join(workDir, '.agtmux', 'uploads'));
      expect(kept.some((name) => name.endsWith('-d.bin'))).toBe(false);
    });

    it('frames that are none, and frames for no agent', async () => {
      const peer = await web.peer();
      for (const bytes of ['\x02', '\x02research', '\x02\0x']) {
        peer.socket.send(Buffer.from(bytes));
      }
      await peer.error('invalid binary message: frame too short');
      await peer.error('invalid binary message: missing agent separator');
      await peer.error('invalid binary message: missing agent name');
      peer.sendFrame(0x09, 'research', 'x');
      await peer.error('unknown binary message type: 0x09');
      peer.sendFrame(FRAME.output, 'research', 'x');
      await peer.error('unknown binary message type: 0x01');
      for (const [frame, about] of [
        [FRAME.keys, 'keyboard input'],
        [FRAME.size, 'resize'],
        [FRAME.upload, 'file upload'],
      ] as const) {
        peer.sendFrame(frame, printer.pane, 'x');
        await peer.error(`${about} ${printer.pane}: agent not found`);
      }
    });
  });

  describe('over HTTP', () => {
    it('every reply is not to be stored, and says what the seed says', async () => {
      const paths: readonly (readonly [string, number, string])[] = [
        ['/healthz', 200, '{"ok":true}'],
        ['/readyz', 200, '{"ok":true}'],
        ['/tmux-adapter-web/index.js', 200, 'TmuxAdapterWeb'],
        ['/shared/protocol.js', 200, 'encodeBinaryFrame'],
        ['/index.html', 200, 'a sample'],
        ['/', 200, 'a sample'],
        ['/none', 404, ''],
        ['/../etc/passwd', 404, ''],
      ];
      for (const [path, status, text] of paths) {
        const reply = await ask(web.url, path);
        expect([path, reply.status]).toEqual([path, status]);
        expect(reply.text).toContain(text);
        expect([path, reply.headers['cache-control']]).toEqual([path, 'no-store']);
        const isOpen = /^\/(?:healthz|readyz|tmux-adapter-web|shared)/.test(path);
        const origin = reply.headers['access-control-allow-origin'];
        expect([path, origin]).toEqual([path, isOpen ? '*' : undefined]);
      }
    });

    it('POST /debug/log goes to the log of the daemon', async () => {
      const body = `hello from the page ${noAuth}`;
      expect((await ask(web.url, '/debug/log', { method: 'POST', body })).status).toBe(204);
      const log = join(web.lab.live.folder, 'state', 'agtmux', 'agtmuxd.log');
      await eventually(() => readFileSync(log, 'utf8').includes(`[UI] ${body}`), 'it is logged');
    });
  });

  it('--work-dir: the folder itself and those in it, and none that begins like it', async () => {
    const base = join(web.lab.live.folder, 'gt');
    for (const [index, dir] of [base, join(base, 'work'), `${base}-other`].entries()) {
      mkdirSync(dir, { recursive: true });
      const pane = web.lab.openShell(`dir${index}`);
      web.lab.typeLine(pane, `cd '${dir}'`);
      await web.lab.startAgent(pane);
      await web.untilListed(`dir${index}`);
    }
    for (const work_dir of [base, `${base}/`]) {
      const opener = await web.lab.live.client();
      const access = noAuth ? { no_auth: true } : { auth_token: TOKEN };
      const { url } = await opener.call('open_web', { port: 0, work_dir, ...access });
      const peer = WebPeer.at(`${url.replace('http', 'ws')}/ws?token=${TOKEN}`);
      await peer.opened;
      await eventually(async () => {
        const { agents } = await peer.call('list-agents');
        const names = (agents as { readonly name: string }[]).map(({ name }) => name);
        return names.join() === 'dir0,dir1';
      }, 'two of three are listed');
      const { totalAgents } = await peer.call('subscribe-agents');
      expect(totalAgents).toBe(2);
      peer.socket.close();
    }
  });

  it('when tmux ends, it is not ready and has no agents; a new server is found', async () => {
    const peer = await web.peer();
    await peer.call('subscribe-agents');
    web.lab.tmux.run('kill-server');
    await peer.event('agent-removed', ({ name }) => name === 'my-project');
    await eventually(async () => (await ask(web.url, '/readyz')).status === 503, 'it is not ready');
    const { ok, error } = JSON.parse((await ask(web.url, '/readyz')).text);
    expect([ok, error]).toEqual([false, expect.stringContaining('tmux control mode unavailable')]);
    await eventually(async () => {
      const { agents } = await peer.call('list-agents');
      return JSON.stringify(agents) === '[]';
    }, 'no agent is listed');
    await web.agent('my-project');
    await peer.event('agent-added', (event) => JSON.stringify(event).includes('my-project'));
    await eventually(async () => (await ask(web.url, '/readyz')).status === 200, 'it is ready');
  });
});
