// What viewers of a terminal are sent, compared cell by cell with what tmux shows: through taps,
// and by captures where there is no tap.

import { appendFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repeats } from '../length.ts';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { Printer, subscribe, untilSame } from './printer.ts';
import { readTerminal, scrolledOff } from './viewer-terminal.ts';
import { type WebLab as Web, WebLab, type WebPeer } from './web-lab.ts';

const [OUTPUT, RESET] = [0x01, 0x05];

const pictures: readonly (readonly [string, string])[] = [
  [
    'plain text and colours',
    '\x1b[2J\x1b[H\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3;48;5;200mtrue\x1b[0m',
  ],
  ['colours over several lines', '\x1b[2J\x1b[H\x1b[1;42mone\r\ntwo\r\nthree\x1b[0m'],
  ['wide characters and emoji', '\x1b[2J\x1b[H日本語 wide 한국어\r\né à\r\n'],
  // A capture of tmux 3.3 leaves out cells that were erased with a background.
  ['a background', '\x1b[2J\x1b[H\x1b[44mblue     \x1b[0m\r\nafter'],
  ['a line that fills its row', `\x1b[2J\x1b[H${'x'.repeat(100)}`],
  ['text after a full row', `\x1b[2J\x1b[H${'y'.repeat(100)}z`],
  ['a scroll region', '\x1b[2J\x1b[5;10r\x1b[10;1Ha\r\nb\r\nc\x1b[r\x1b[20;5H'],
  ['lines of the line-drawing set', '\x1b[2J\x1b[H\x1b(0lqqk\x1b(B plain'],
  ['the alternate screen', 'main\x1b[?1049h\x1b[2J\x1b[3;3Halternate \x1b[7minverse'],
  ['the main screen again', '\x1b[0m\x1b[?1049l back'],
  ['a hidden cursor and inserted text', '\x1b[2J\x1b[Habc\x1b[H\x1b[4hX\x1b[4l\x1b[?25l\x1b[?25h'],
];

describe.skipIf(isTmuxMissing).each([
  ['always', true],
  ['when_safe', false],
] as const)('with attach %s', (attach, live) => {
  let web: Web;
  let printer: Printer;

  beforeAll(async () => {
    web = await WebLab.open({ attach });
    printer = await Printer.open(web, 'shown');
    // The tap opens when the agent was found and the server is quiet.
    await eventually(async () => {
      const peer = await web.peer();
      const reply = await subscribe(peer, printer);
      peer.socket.terminate();
      return reply['live'] === live;
    }, 'output is read as expected');
  });
  afterAll(() => web[Symbol.asyncDispose]());

  it('the reply says how the terminal is shown, and a reset and a snapshot follow', async () => {
    printer.print('\x1b[2J\x1b[Hhello');
    const peer = await web.peer();
    const reply = await subscribe(peer, printer);
    expect(reply).toEqual({
      ...{ id: reply['id'], type: 'subscribe-output', ok: true },
      ...{ cols: 100, rows: 30, live },
    });
    await untilSame(peer, printer, 'the viewer sees the screen');
    const [first, second] = peer.frames;
    expect([first?.type, first?.payload.toString()]).toEqual([RESET, '\x1b[2J\x1b[H']);
    expect(second?.type).toBe(OUTPUT);
  });

  it.each(pictures)('who comes later and who was there both see %s', async (_name, picture) => {
    const early = await web.peer();
    await subscribe(early, printer);
    printer.print(picture);
    await untilSame(early, printer, 'who was there sees it');
    const late = await web.peer();
    await subscribe(late, printer);
    await untilSame(late, printer, 'who comes later sees it');
    printer.print('+');
    await untilSame(late, printer, 'what is printed after it is in its place');
  });

  it('another size is another snapshot, and viewers are told', async () => {
    const peer = await web.peer();
    await subscribe(peer, printer);
    printer.print('\x1b[2J\x1b[Hbefore the resize');
    printer.run('resize-window', '-t', printer.pane, '-x', '60', '-y', '20');
    await peer.event('output-mode', ({ cols, rows }) => cols === 60 && rows === 20);
    await untilSame(peer, printer, 'the viewer sees the new size');
    printer.run('resize-window', '-t', printer.pane, '-x', '100', '-y', '30');
    await peer.event('output-mode', ({ cols }) => cols === 100);
    await untilSame(peer, printer, 'the viewer sees the old size');
  });

  it('the history comes with the snapshot, the newest 2,000 lines of it', async () => {
    const lines = Array.from({ length: 3_000 }, (_, index) => `line ${index}`);
    printer.print(`\x1b[2J\x1b[3J\x1b[H${lines.join('\r\n')}\r\n`);
    await eventually(
      () => printer.run('capture-pane', '-p', '-t', printer.pane).includes('2999'),
      'x',
    );
    const peer = await web.peer();
    await subscribe(peer, printer);
    await untilSame(peer, printer, 'the viewer sees the screen');
    const terminal = await readTerminal(peer.output(printer.name), printer.size);
    const off = scrolledOff(terminal).filter((line) => line !== '');
    expect(off.at(0)).toMatch(/^line \d+$/);
    const from = Number(off.at(0)?.slice(5));
    expect(off).toEqual(lines.slice(from, from + off.length));
    expect(off.length).toBeGreaterThan(1_900);
  });

  it('the history alone comes in one reply, and no frame follows', async () => {
    printer.print('\x1b[2J\x1b[H\x1b[31mcolour');
    const peer = await web.peer();
    await eventually(async () => {
      const { history } = await peer.call('subscribe-output', { agent: 'shown', stream: false });
      return String(history).includes('\x1b[31mcolour');
    }, 'the history has what was printed');
    expect(peer.frames).toEqual([]);
  });

  it('after unsubscribe-output no frame comes, and doing it twice is no error', async () => {
    const [peer, other] = [await web.peer(), await web.peer()];
    await subscribe(peer, printer);
    await subscribe(other, printer);
    expect(await peer.call('unsubscribe-output', { agent: 'shown' })).toMatchObject({ ok: true });
    const count = peer.frames.length;
    printer.print('\x1b[2J\x1b[Hunseen');
    await untilSame(other, printer, 'the other one sees it');
    expect(peer.frames).toHaveLength(count);
    expect(await peer.call('unsubscribe-output', { agent: 'none' })).toMatchObject({ ok: true });
    expect(await peer.call('unsubscribe-output')).toMatchObject({ error: 'agent field required' });
    expect(await peer.call('subscribe-output', { agent: 'none' })).toMatchObject({
      ...{ type: 'subscribe-output', ok: false, error: 'agent not found' },
    });
  });

  it('many viewers see the same through one client of tmux', async () => {
    const before = web.lab.live.tmuxClients().length;
    const peers = await Promise.all(Array.from({ length: 20 }, () => web.peer()));
    await Promise.all(peers.map((peer) => subscribe(peer, printer)));
    printer.print('\x1b[2J\x1b[Hfor all');
    for (const peer of peers) await untilSame(peer, printer, 'each of them sees it');
    expect(web.lab.live.tmuxClients()).toHaveLength(before);
  });

  it('a viewer that stops reading gets a fresh screen, and holds up nobody', async () => {
    const [slow, quick] = [await web.peer(), await web.peer()];
    await subscribe(slow, printer);
    await subscribe(quick, printer);
    slow.socket.pause();
    for (let round = 0; round < 60; round += 1) {
      printer.print(`${`${round} `.repeat(20)}${'x'.repeat(79)}\r\n`.repeat(800));
    }
    printer.print('\x1b[2J\x1b[Hthe end');
    await untilSame(quick, printer, 'who reads sees the end');
    slow.socket.resume();
    await untilSame(slow, printer, 'who reads again sees the end');
  });

  it('who watches an agent by its runtime goes on when its session is renamed', async () => {
    const named = await Printer.open(web, 'before');
    const panes = (await web.lab.client.call('list_panes', { session: 'before' })).panes;
    const byRuntime = new Printer(web, `runtime:${panes[0]?.runtime_id}`, named.pane);
    const [peer, other] = [await web.peer(), await web.peer()];
    await peer.call('subscribe-agents');
    expect(await subscribe(peer, byRuntime)).toMatchObject({ ok: true });
    expect(await subscribe(other, named)).toMatchObject({ ok: true });
    named.run('rename-session', '-t', '=before', 'after');
    await peer.event('agent-removed', ({ name }) => name === 'before');
    await peer.event('agent-added', ({ agent }) => JSON.stringify(agent).includes('"after"'));
    // Its name may be that of another one from now on.
    await other.event('output-ended', ({ agent }) => agent === 'before');
    named.print('\x1b[2J\x1b[Hafter the renaming');
    await untilSame(peer, byRuntime, 'it sees what is printed after it');
    expect(peer.messages.filter(({ type }) => type === 'output-ended')).toEqual([]);
    named.run('kill-session', '-t', '=after');
    await peer.event('output-ended', ({ agent }) => agent === byRuntime.name);
  });

  it('an agent that ends is not shown any more', async () => {
    const ending = await Printer.open(web, 'ending');
    const peer = await web.peer();
    await peer.call('subscribe-agents');
    await subscribe(peer, ending);
    ending.run('kill-session', '-t', '=ending');
    await peer.event('agent-removed', ({ name }) => name === 'ending');
    expect(await subscribe(peer, ending)).toMatchObject({ ok: false, error: 'agent not found' });
  });
});

describe.skipIf(isTmuxMissing)('with tap on-view', () => {
  it('a terminal is tapped while somebody views it, and no longer', async () => {
    await using web = await WebLab.open({
      attach: 'always',
      prepare: (live) => live.configure('[tmux]\ntap = "on-view"\n'),
    });
    const printer = await Printer.open(web, 'shown');
    const taps = async (): Promise<number> => {
      const { servers } = await web.lab.client.call('daemon_info', {});
      return servers.reduce((sum, server) => sum + server.taps, 0);
    };
    expect(await taps()).toBe(0);
    const peer = await web.peer();
    await subscribe(peer, printer);
    await eventually(async () => (await taps()) === 1, 'a tap opens');
    await peer.event('output-mode', ({ live }) => live === true);
    printer.print('\x1b[2J\x1b[Hprinted');
    await untilSame(peer, printer, 'the viewer sees what is printed');
    await peer.call('unsubscribe-output', { agent: 'shown' });
    await eventually(async () => (await taps()) === 0, 'the tap closes');
  });
});

describe.skipIf(isTmuxMissing)('through a tap', () => {
  let web: Web;
  let printer: Printer;

  beforeAll(async () => {
    web = await WebLab.open({ attach: 'always' });
    printer = await Printer.open(web, 'shown');
    await eventually(async () => {
      const peer = await web.peer();
      const reply = await subscribe(peer, printer);
      peer.socket.terminate();
      return reply['live'] === true;
    }, 'the pane is tapped');
  });
  afterAll(() => web[Symbol.asyncDispose]());

  it('who comes while a program prints misses no line and gets none twice', async () => {
    const LINES = 200 * Math.max(6, repeats(30));
    let next = 0;
    const printSome = (): void => {
      for (let count = 0; count < 200 && next < LINES; count += 1, next += 1) {
        printer.print(`\x1b[3${next % 8}mnumber ${next}\x1b[0m\r\n`);
      }
    };
    printer.print('\x1b[2J\x1b[3J\x1b[H');
    const peers: WebPeer[] = [];
    while (next < LINES) {
      printSome();
      const peer = await web.peer();
      await subscribe(peer, printer);
      peers.push(peer);
    }
    for (const peer of peers) {
      await untilSame(peer, printer, 'the viewer sees the end');
      const terminal = await readTerminal(peer.output(printer.name), printer.size);
      const seen = scrolledOff(terminal).filter((line) => line !== '');
      const from = Number(seen[0]?.slice('number '.length));
      const expected = Array.from({ length: seen.length }, (_, at) => `number ${from + at}`);
      expect(seen).toEqual(expected);
    }
  });

  it.each([
    ['a sequence', '\x1b[2J\x1b[H\x1b[3', '1mred\x1b[0m'],
    ['attributes', '\x1b[2J\x1b[H\x1b[1;44m', 'still bold\x1b[0m'],
    ['a character', '\x1b[2J\x1b[H\xe6\x97', '\xa5 day'],
    ['a title', '\x1b[2J\x1b[H\x1b]2;half a ti', 'tle\x07text'],
  ])('who comes in the middle of %s sees it as it is', async (_name, first, second) => {
    const early = await web.peer();
    await subscribe(early, printer);
    const tty = printer.run('display-message', '-p', '-t', printer.pane, '#{pane_tty}');
    appendFileSync(tty, Buffer.from(first, 'latin1'));
    await untilSame(early, printer, 'the first half is shown');
    const late = await web.peer();
    await subscribe(late, printer);
    appendFileSync(tty, Buffer.from(second, 'latin1'));
    await untilSame(early, printer, 'who was there sees the whole');
    await untilSame(late, printer, 'who came in the middle sees the whole');
  });

  it('a pane that floods is not paused while somebody views it', async () => {
    const peer = await web.peer();
    await subscribe(peer, printer);
    for (let round = 0; round < 100; round += 1) printer.print('flood '.repeat(5_000));
    printer.print('\x1b[2J\x1b[Hafter the flood');
    await untilSame(peer, printer, 'the viewer sees the end of the flood');
  });
});
