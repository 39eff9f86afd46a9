// Keys of a viewer (frame 0x02) down to the bytes that the program reads, and frames that are none:
// with plain commands, and through a control client.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { type WebLab as Web, WebLab, WebPeer } from './web-lab.ts';

const KEYS = 0x02;
const SIZE = 0x03;

describe.skipIf(isTmuxMissing).each(['when_safe', 'always'] as const)(
  'with attach %s',
  (attach) => {
    let web: Web;
    let paneId: string;
    let file: string;

    beforeAll(async () => {
      web = await WebLab.open({ attach });
      ({ paneId, file } = await web.reader('raw'));
      // Keys are refused until the daemon has seen that the agent is in the foreground.
      const peer = await web.peer();
      while (read() === '') {
        const { length } = peer.messages;
        peer.sendFrame(KEYS, 'raw', '|');
        await eventually(() => read() !== '' || peer.messages.length > length, 'a key or an error');
      }
    });
    afterAll(() => web[Symbol.asyncDispose]());

    const read = (): string => readFileSync(file, 'latin1');
    /** What arrives of a payload, with a letter behind it that shows its end. */
    const arriving = async (peer: WebPeer, payload: Uint8Array | string): Promise<string> => {
      const before = read().length;
      peer.sendFrame(KEYS, 'raw', payload);
      peer.sendFrame(KEYS, 'raw', '|');
      await eventually(() => read().length > before && read().endsWith('|'), 'the keys arrive');
      return read().slice(before, -1);
    };

    it.each([
      ['\x1b[Z', '\x1b[Z'],
      ['\x1b[A', '\x1b[A'],
      ['\x1bOB', '\x1b[B'],
      ['\x1b[C', '\x1b[C'],
      ['\x1bOD', '\x1b[D'],
      ['\x1b[H', '\x1b[1~'],
      ['\x1bOF', '\x1b[4~'],
      ['\x1b[5~', '\x1b[5~'],
      ['\x1b[6~', '\x1b[6~'],
      ['\x1b[2~', '\x1b[2~'],
      ['\x1b[3~', '\x1b[3~'],
      ['\x1bOP', '\x1bOP'],
      ['\x1bOS', '\x1bOS'],
      ['\x1b[15~', '\x1b[15~'],
      ['\x1b[24~', '\x1b[24~'],
      ['\x1b', '\x1b'],
      ['\x7f', '\x7f'],
    ])('the key %j arrives as its pane encodes it', async (payload, expected) => {
      expect(await arriving(await web.peer(), payload)).toBe(expected);
    });

    it.each([
      '\r',
      '\t',
      '\x03',
      '\0',
      '\x1b[1;5C',
      'Enter',
      '-x ; kill-server',
      '#{pid}',
      '\x1b[200~a\rb\x1b[201~',
    ])('any other bytes arrive as they are: %j', async (payload) => {
      expect(await arriving(await web.peer(), payload)).toBe(payload);
    });

    it('every byte, UTF-8 and a long paste arrive as they are', async () => {
      const peer = await web.peer();
      const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
      expect(await arriving(peer, bytes)).toBe(bytes.toString('latin1'));
      const text = Buffer.from('日本語 👩‍💻 é '.repeat(700));
      expect(await arriving(peer, text)).toBe(text.toString('latin1'));
    });

    it('keys that come quicker than they are typed keep their order', async () => {
      const peer = await web.peer();
      const before = read().length;
      const words = Array.from({ length: 400 }, (_, index) => `${index},`);
      for (const word of words) peer.sendFrame(KEYS, 'raw', word);
      await eventually(() => read().endsWith('399,'), 'all arrive');
      expect(read().slice(before)).toBe(words.join(''));
    });

    it('the trail says who typed how much, and not what', async () => {
      const peer = await web.peer();
      await arriving(peer, 'a secret');
      const { actions } = await web.lab.client.call('list_actions', { limit: 500 });
      const typed = actions.filter(({ kind }) => kind === 'type');
      expect(typed.length).toBeGreaterThan(0);
      expect(typed.every(({ actor }) => actor.startsWith('user:web:own:'))).toBe(true);
      expect(JSON.stringify(actions)).not.toContain('secret');
    });

    it('only a listed agent gets keys, whatever tmux would find by that name', async () => {
      const peer = await web.peer();
      const before = read().length;
      for (const name of ['none', paneId, 'raw:0.0', '=raw', 'ra', 'home']) {
        peer.sendFrame(KEYS, name, 'x');
        const error = `keyboard input ${name}: agent not found`;
        expect(await peer.error(error)).toEqual({ type: 'error', ok: false, error });
      }
      peer.sendFrame(KEYS, 'raw', '');
      await arriving(peer, '');
      expect(read().slice(before)).toBe('|');
    });

    it('keys are refused while the pane is in copy mode, and typed after it', async () => {
      const peer = await web.peer();
      const { tmux } = web.lab.live;
      tmux.run('copy-mode', '-t', paneId);
      peer.sendFrame(KEYS, 'raw', 'q');
      await peer.error('keyboard input raw: the pane is in copy mode');
      expect(tmux.run('display-message', '-p', '-t', paneId, '#{pane_in_mode}')).toBe('1');
      tmux.run('send-keys', '-t', paneId, '-X', 'cancel');
      expect(await arriving(peer, 'q')).toBe('q');
    });

    it('keys for an agent that has ended do not reach the shell', async () => {
      const { paneId: shell } = await web.reader('ending');
      const peer = await web.peer();
      const line = `${web.lab.hitText('ending')}\r`;
      const pid = (await web.lab.pane(shell))?.pid ?? 0;
      // What is typed while a process still ends stays in its terminal, whoever types it.
      await web.lab.live.kill(pid, 'SIGKILL');
      for (let tries = 0; tries < 20; tries += 1) peer.sendFrame(KEYS, 'ending', line);
      await peer.error('keyboard input ending: ');
      await eventually(() => {
        peer.sendFrame(KEYS, 'ending', line);
        return peer.messages.some(
          ({ error }) => error === 'keyboard input ending: agent not found',
        );
      }, 'it is not listed');
      web.lab.typeLine(shell, 'echo d""one');
      await eventually(() => web.lab.screen(shell).includes('done'), 'the shell answers');
      expect(web.lab.wasRunByShell('ending')).toBe(false);
    });

    it('a token to read types no key', async () => {
      const client = await web.lab.live.client();
      const { token } = await client.call('create_web_token', { name: 'wall', scope: 'read' });
      const peer = new WebPeer(new WebSocket(`${web.url.replace('http', 'ws')}/ws?token=${token}`));
      await peer.opened;
      const before = read().length;
      peer.sendFrame(KEYS, 'raw', 'x');
      await peer.error('type_keys needs control access');
      expect(read()).toHaveLength(before);
      peer.socket.close();
    });

    it('keys that come after the token was revoked are not typed', async () => {
      const client = await web.lab.live.client();
      const { id, token } = await client.call('create_web_token', { name: 'lost' });
      const peer = new WebPeer(new WebSocket(`${web.url.replace('http', 'ws')}/ws?token=${token}`));
      await peer.opened;
      const before = read().length;
      // It does not see that it is told to leave.
      peer.socket.pause();
      await client.call('revoke_web_token', { id });
      peer.sendFrame(KEYS, 'raw', 'late');
      peer.socket.resume();
      expect(await peer.untilClosed()).toMatchObject({ code: 1008 });
      await arriving(await web.peer(), 'q');
      expect(read().slice(before)).toBe('q|');
    });

    it('a viewer that goes away while it types holds up nobody', async () => {
      for (let round = 0; round < 20; round += 1) {
        const peer = await web.peer();
        for (let key = 0; key < 20; key += 1) peer.sendFrame(KEYS, 'raw', 'x'.repeat(2_000));
        if (round % 2 === 0) peer.socket.close();
        else peer.socket.terminate();
      }
      const last = await web.peer();
      last.sendFrame(KEYS, 'raw', '|');
      await eventually(() => read().endsWith('|'), 'the key of another viewer arrives');
    });

    it.each([
      ['80', 'invalid resize payload for raw: expected cols:rows'],
      ['a:b', 'invalid resize payload for raw: non-numeric cols/rows'],
      ['1:1', 'invalid resize payload for raw: 1x1 out of range'],
    ])('the size %j is refused', async (payload, error) => {
      const peer = await web.peer();
      peer.sendFrame(SIZE, 'raw', payload);
      expect(await peer.error(error)).toEqual({ type: 'error', ok: false, error });
    });

    it('frames that are none get an error, and the connection goes on', async () => {
      const peer = await web.peer();
      for (const bytes of ['\x02', '\x02raw', '\x02\0x', '']) peer.socket.send(Buffer.from(bytes));
      await peer.error('invalid binary message: missing agent separator');
      await peer.error('invalid binary message: missing agent name');
      await peer.error('invalid binary message: frame too short');
      peer.sendFrame(0x09, 'raw', 'x');
      await peer.error('unknown binary message type: 0x09');
      expect(await peer.call('list-agents')).toMatchObject({ type: 'list-agents' });
    });
  },
);
