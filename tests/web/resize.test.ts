// The size that a viewer gives to a window (frame 0x03): refused while a person is there, and put
// back, whoever leaves and however the daemon ends.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attachPerson } from '../live/tmux-person.ts';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { type WebLab as Web, WebLab } from './web-lab.ts';

const SIZE = 0x03;

/** What is known of the window of a session. */
const sizeOf = (web: Web, session: string): string =>
  web.lab.tmux.run(
    ...['display-message', '-p', '-t', `=${session}:`],
    '#{window_width}x#{window_height} #{window-size}',
  );
const ownOption = (web: Web, session: string): string =>
  web.lab.tmux.run('show-options', '-wqv', '-t', `=${session}:`, 'window-size');
const untilSize = (web: Web, session: string, size: string): Promise<unknown> =>
  eventually(() => sizeOf(web, session) === size, `${session} is ${size}`).catch((error: Error) => {
    throw new Error(`${error.message}; it is ${sizeOf(web, session)}`);
  });
const layoutOf = (web: Web, session: string): string =>
  web.lab.tmux.run('display-message', '-p', '-t', `=${session}:`, '#{window_layout}');
const sessionId = (web: Web, session: string): string =>
  web.lab.tmux.run('display-message', '-p', '-t', `=${session}:`, '#{session_id}');

describe.skipIf(isTmuxMissing).each(['when_safe', 'always'] as const)(
  'the size of a window, with attach %s',
  (attach) => {
    let web: Web;

    beforeAll(async () => {
      web = await WebLab.open({ attach });
      await web.reader('sized');
    });
    afterAll(() => web[Symbol.asyncDispose]());

    it('it is set, shown to viewers, and put back at unsubscribe-output', async () => {
      const peer = await web.peer();
      peer.sendFrame(SIZE, 'sized', '60:20');
      await untilSize(web, 'sized', '60x20 manual');
      expect(await peer.call('subscribe-output', { agent: 'sized' })).toMatchObject({
        ...{ ok: true, cols: 60, rows: 20 },
      });
      peer.sendFrame(SIZE, 'sized', '70:25');
      await peer.event('output-mode', ({ cols, rows }) => cols === 70 && rows === 25);
      await peer.call('unsubscribe-output', { agent: 'sized' });
      await untilSize(web, 'sized', '100x30 latest');
      expect(ownOption(web, 'sized')).toBe('');
      expect(peer.messages.filter(({ type }) => type === 'error')).toEqual([]);
    });

    it('the last of many sizes is the one that holds', async () => {
      const peer = await web.peer();
      for (let cols = 20; cols <= 90; cols += 1) peer.sendFrame(SIZE, 'sized', `${cols}:20`);
      await untilSize(web, 'sized', '90x20 manual');
      peer.socket.terminate();
      await untilSize(web, 'sized', '100x30 latest');
    });

    it('it is put back when the last viewer leaves, and not before', async () => {
      const [first, second] = [await web.peer(), await web.peer()];
      for (const peer of [first, second]) await peer.call('subscribe-output', { agent: 'sized' });
      first.sendFrame(SIZE, 'sized', '50:12');
      await untilSize(web, 'sized', '50x12 manual');
      first.socket.terminate();
      // What was said before is done when a later request is answered.
      await second.call('subscribe-output', { agent: 'sized', stream: false });
      expect(sizeOf(web, 'sized')).toBe('50x12 manual');
      second.socket.terminate();
      await untilSize(web, 'sized', '100x30 latest');
    });

    it('the option that the window had is put back, and so are its panes', async () => {
      const { tmux } = web.lab;
      await web.reader('split');
      tmux.run('split-window', '-d', '-h', '-l', '20', '-t', '=split:', 'cat');
      tmux.run('split-window', '-d', '-v', '-l', '5', '-t', '=split:', 'cat');
      tmux.run('set-option', '-w', '-t', '=split:', 'window-size', 'smallest');
      const before = layoutOf(web, 'split');
      const peer = await web.peer();
      peer.sendFrame(SIZE, 'split', '31:9');
      await untilSize(web, 'split', '31x9 manual');
      peer.socket.close();
      await untilSize(web, 'split', '100x30 smallest');
      await eventually(() => layoutOf(web, 'split') === before, 'the panes are where they were');
      expect(ownOption(web, 'split')).toBe('smallest');
    });

    it('a size that somebody else has set since stays', async () => {
      const { tmux } = web.lab;
      const peer = await web.peer();
      peer.sendFrame(SIZE, 'sized', '60:20');
      await untilSize(web, 'sized', '60x20 manual');
      tmux.run('resize-window', '-t', '=sized:', '-x', '77', '-y', '22');
      peer.socket.terminate();
      const notes = join(web.lab.live.folder, 'state', 'agtmux', 'window-sizes.json');
      await eventually(() => readFileSync(notes, 'utf8') === '[]\n', 'it is given up');
      expect(sizeOf(web, 'sized')).toBe('77x22 manual');
      tmux.run('resize-window', '-t', '=sized:', '-x', '100', '-y', '30');
      tmux.run('set-option', '-wu', '-t', '=sized:', 'window-size');
    });

    it('while a person is attached it is refused, and put back when one attaches', async () => {
      const { tmux } = web.lab;
      const peer = await web.peer();
      peer.sendFrame(SIZE, 'sized', '60:20');
      await untilSize(web, 'sized', '60x20 manual');
      const person = await attachPerson(tmux, sessionId(web, 'sized'));
      await eventually(() => sizeOf(web, 'sized').endsWith(' latest'), 'it is the person’s again');
      const theirs = sizeOf(web, 'sized');
      peer.sendFrame(SIZE, 'sized', '61:21');
      const error = await peer.error('resize sized: a person is attached to its session');
      expect(error).toMatchObject({ type: 'error', ok: false });
      expect(sizeOf(web, 'sized')).toBe(theirs);
      tmux.run('detach-client', '-t', person.name);
      await person.exited;
      await eventually(async () => {
        peer.sendFrame(SIZE, 'sized', '62:22');
        return sizeOf(web, 'sized') === '62x22 manual';
      }, 'when the person has left it is set again');
      peer.socket.terminate();
      await eventually(() => sizeOf(web, 'sized').endsWith(' latest'), 'it is put back');
    });

    it('a size that is none, an unknown agent and a token to read change nothing', async () => {
      const before = sizeOf(web, 'sized');
      const peer = await web.peer();
      for (const [payload, error] of [
        ['', 'invalid resize payload for sized: expected cols:rows'],
        ['80', 'invalid resize payload for sized: expected cols:rows'],
        ['80:24:1', 'invalid resize payload for sized: expected cols:rows'],
        ['a:b', 'invalid resize payload for sized: non-numeric cols/rows'],
        ['1:1', 'invalid resize payload for sized: 1x1 out of range'],
        ['80:0', 'invalid resize payload for sized: 80x0 out of range'],
        ['99999:24', 'invalid resize payload for sized: 99999x24 out of range'],
      ] as const) {
        peer.sendFrame(SIZE, 'sized', payload);
        await peer.error(error);
      }
      peer.sendFrame(SIZE, 'home', '80:24');
      await peer.error('resize home: agent not found');
      const client = await web.lab.live.client();
      const { token } = await client.call('create_web_token', { name: 'wall', scope: 'read' });
      const reader = await web.peer(token);
      reader.sendFrame(SIZE, 'sized', '60:20');
      await reader.error('resize_window needs control access');
      expect(sizeOf(web, 'sized')).toBe(before);
    });
  },
);

describe.skipIf(isTmuxMissing)('a window that has a size of a viewer when the daemon ends', () => {
  it.each(['SIGKILL', 'SIGTERM'] as const)('%s: it is put back', async (signal) => {
    await using web = await WebLab.open();
    await web.reader('sized');
    const peer = await web.peer();
    peer.sendFrame(SIZE, 'sized', '60:20');
    await untilSize(web, 'sized', '60x20 manual');
    const { pid } = await web.lab.client.call('daemon_info', {});
    await web.lab.live.kill(pid, signal);
    if (signal === 'SIGKILL') {
      expect(sizeOf(web, 'sized')).toBe('60x20 manual');
      await web.lab.start();
    }
    await untilSize(web, 'sized', '100x30 latest');
    expect(ownOption(web, 'sized')).toBe('');
  });

  it('one of a tmux server that has ended meanwhile is forgotten', async () => {
    await using web = await WebLab.open();
    await web.reader('sized');
    const peer = await web.peer();
    peer.sendFrame(SIZE, 'sized', '60:20');
    await untilSize(web, 'sized', '60x20 manual');
    const { pid } = await web.lab.client.call('daemon_info', {});
    await web.lab.live.kill(pid, 'SIGKILL');
    web.lab.tmux.run('kill-server');
    // A server that is still ending takes no session.
    await eventually(() => {
      try {
        return web.lab.tmux.newSession('home', 'cat');
      } catch {
        return null;
      }
    }, 'another server runs');
    for (const name of ['one', 'two']) {
      web.lab.tmux.newSession(name, 'cat');
      web.lab.tmux.run('resize-window', '-t', `=${name}:`, '-x', '60', '-y', '20');
    }
    await web.lab.start();
    const notes = join(web.lab.live.folder, 'state', 'agtmux', 'window-sizes.json');
    expect(existsSync(notes)).toBe(true);
    await eventually(() => readFileSync(notes, 'utf8') === '[]\n', 'the note is given up');
    for (const name of ['one', 'two']) expect(sizeOf(web, name)).toBe('60x20 manual');
  });
});
