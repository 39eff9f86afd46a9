// Agents on another machine, behind a real sshd: their terminals, keys and files through the web
// service.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../live/tmux-server.ts';
import { isSshdMissing } from '../ssh/sshd.ts';
import { Printer, subscribe, untilSame } from './printer.ts';
import { type WebLab as Web, WebLab } from './web-lab.ts';

const [KEYS, UPLOAD] = [0x02, 0x04];

describe.skipIf(isSshdMissing)('agents on another machine', () => {
  let web: Web;
  let printer: Printer;

  beforeAll(async () => {
    web = await WebLab.open({ attach: 'always', isRemote: true });
    printer = await Printer.open(web, 'work', 'vm1::work');
  });
  afterAll(() => web[Symbol.asyncDispose]());

  it('a terminal is streamed as it prints, cell by cell', async () => {
    await eventually(async () => {
      const peer = await web.peer();
      const reply = await subscribe(peer, printer);
      peer.socket.terminate();
      return reply['live'] === true;
    }, 'it is read as it prints');
    const peer = await web.peer();
    printer.print('\x1b[2J\x1b[H\x1b[1;31mfar\x1b[0m 日本');
    expect(await subscribe(peer, printer)).toMatchObject({ cols: 100, rows: 30, live: true });
    await untilSame(peer, printer, 'the viewer sees the screen');
    printer.print('\r\n\x1b[44mand more\x1b[0m');
    await untilSame(peer, printer, 'the viewer sees what is printed later');
  });

  it('keys reach the agent byte for byte', async () => {
    const peer = await web.peer();
    const { file } = await web.reader('typed', 'vm1::typed');
    const read = (): string => readFileSync(file, 'utf8');
    // Until its processes there were read, keys for it are refused.
    while (read() === '') {
      const { length } = peer.messages;
      peer.sendFrame(KEYS, 'vm1::typed', '|');
      await eventually(() => read() !== '' || peer.messages.length > length, 'a key or an error');
    }
    peer.sendFrame(KEYS, 'vm1::typed', 'héllo');
    peer.sendFrame(KEYS, 'vm1::typed', '\x1b[Z');
    await eventually(() => read().endsWith('|héllo\x1b[Z'), 'the program reads what was typed');
  });
});

describe.skipIf(isSshdMissing)('files for an agent on another machine', () => {
  let web: Web;
  let workDir: string;
  let paneId: string;

  const agentIn = async (session: string, folder: string): Promise<string> => {
    const pane = web.lab.openShell(session);
    web.lab.typeLine(pane, `cd '${folder}'`);
    await web.lab.startAgent(pane);
    await web.untilListed(`vm1::${session}`);
    return pane;
  };
  beforeAll(async () => {
    web = await WebLab.open({ isRemote: true });
    workDir = join(web.lab.live.folder, 'far work');
    mkdirSync(workDir);
    paneId = await agentIn('work', workDir);
  });
  afterAll(() => web[Symbol.asyncDispose]());

  const uploads = (): string => join(workDir, '.agtmux', 'uploads');
  const upload = (agent: string, name: string, mime: string, bytes: Uint8Array): void =>
    void web.peer().then((peer) => {
      const head = Buffer.from(`${name}\0${mime}\0`);
      peer.sendFrame(UPLOAD, agent, Buffer.concat([head, bytes]));
    });
  const shows = (pane: string, text: string): Promise<unknown> =>
    eventually(
      () => web.lab.screen(pane).replaceAll('\n', '').includes(text),
      `${text} is in the box`,
    );

  it('it is kept beside the work, for its owner alone, and named from there', async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7) % 256));
    upload('vm1::work', "it's.bin", 'application/x', bytes);
    await shows(paneId, 'it_s.bin');
    const [name = ''] = readdirSync(uploads());
    expect(readFileSync(join(uploads(), name))).toEqual(bytes);
    expect(statSync(join(uploads(), name)).mode & 0o777).toBe(0o600);
    expect(statSync(uploads()).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(workDir, '.agtmux', '.gitignore'), 'utf8')).toBe('*\n');
    await shows(paneId, `./.agtmux/uploads/${name}`);
  });

  it('old files of ours go, others stay, and an image is named by its whole path', async () => {
    const [old, foreign] = [
      join(uploads(), `${'1'.repeat(13)}-1-old.bin`),
      join(uploads(), 'mine'),
    ];
    for (const path of [old, foreign]) writeFileSync(path, 'x');
    upload('vm1::work', 'a.png', 'image/png', Buffer.from('\x89PNG\0'));
    await shows(paneId, `${workDir}/.agtmux/uploads/`);
    expect([old, foreign].map((path) => existsSync(path))).toEqual([false, true]);
  });

  it('a folder that is a link is not followed: the state folder there takes the file', async () => {
    const linked = join(web.lab.live.folder, 'linked');
    const elsewhere = join(web.lab.live.folder, 'elsewhere');
    mkdirSync(linked);
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(linked, '.agtmux'));
    const pane = await agentIn('linked', linked);
    upload('vm1::linked', 'far.bin', 'application/x', Buffer.from([0, 1]));
    await shows(pane, '/agtmux/uploads/');
    expect(readdirSync(elsewhere)).toEqual([]);
    const home = web.lab.remote?.sshd.home ?? '';
    const folder = join(home, '.local', 'state', 'agtmux', 'uploads');
    expect(readdirSync(folder)).toHaveLength(1);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });
});
