// Files for an agent (frame 0x04): where they are kept, what is pasted, and what is refused.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { type WebLab as Web, WebLab, WebPeer } from './web-lab.ts';

const [KEYS, UPLOAD] = [0x02, 0x04];

describe.skipIf(isTmuxMissing)('uploads', () => {
  let web: Web;
  let paneId: string;
  let workDir: string;

  const agentIn = async (session: string, folder: string): Promise<string> => {
    const pane = web.lab.openShell(session);
    web.lab.typeLine(pane, `cd '${folder}'`);
    await web.lab.startAgent(pane);
    await web.untilListed(session);
    return pane;
  };
  beforeAll(async () => {
    web = await WebLab.open();
    workDir = join(web.lab.live.folder, 'work');
    mkdirSync(workDir);
    paneId = await agentIn('work', workDir);
  });
  afterAll(() => web[Symbol.asyncDispose]());

  const payload = (name: string, mime: string, bytes: Uint8Array | string): Buffer =>
    Buffer.concat([Buffer.from(`${name}\0${mime}\0`), Buffer.from(bytes)]);
  const kept = (): string[] => readdirSync(join(workDir, '.agtmux', 'uploads')).sort();
  /** What is submitted once the upload is in the box. */
  const submitted = async (
    peer: WebPeer,
    parts: readonly [name: string, mime: string, bytes: Uint8Array | string],
    shown: string,
    { agent = 'work', pane = paneId } = {},
  ): Promise<string> => {
    peer.sendFrame(UPLOAD, agent, payload(...parts));
    const screen = () => web.lab.screen(pane).replaceAll('\n', '');
    await eventually(() => screen().includes(shown), `${shown} is in the box`);
    const count = web.lab.received().length;
    peer.sendFrame(KEYS, agent, '\r');
    await eventually(() => web.lab.received().length > count, 'it is submitted');
    return web.lab.received().at(-1)?.submitted ?? '';
  };

  it('a text is pasted as one, with its lines', async () => {
    const peer = await web.peer();
    const text = 'first line\r\nsecond line\n';
    expect(await submitted(peer, ['notes.txt', 'text/plain', text], 'second')).toBe(
      'first line\nsecond line\n',
    );
  });

  it('other files are kept and named from where the agent works, for itself alone', async () => {
    const peer = await web.peer();
    const bytes = Buffer.from([0, 1, 2, 255]);
    const text = await submitted(peer, ['data.bin', 'application/x', bytes], '-data.bin');
    expect(text).toMatch(/^\.\/\.agtmux\/uploads\/\d+-\d+-data\.bin $/);
    const path = join(workDir, text.trim());
    expect(readFileSync(path)).toEqual(bytes);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(workDir, '.agtmux')).mode & 0o777).toBe(0o700);
    expect(statSync(join(workDir, '.agtmux', 'uploads')).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(workDir, '.agtmux', '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('an image is named by its whole path, and so is a long text by its relative one', async () => {
    const peer = await web.peer();
    const image = await submitted(peer, ['a b.png', 'image/png', '\x89PNG\0'], '-a_b.png');
    expect(image.startsWith(`${workDir}/.agtmux/uploads/`)).toBe(true);
    const long = await submitted(
      peer,
      ['long.txt', 'text/plain', 'x'.repeat(300_000)],
      '-long.txt',
    );
    expect(long).toMatch(/^\.\/\.agtmux\/uploads\/.*-long\.txt $/);
  });

  it.each([
    ['../../../etc/passwd', 'passwd'],
    ['..\\..\\evil.bin', 'evil.bin'],
    ['/etc/cron.d/x', 'x'],
    ['', 'attachment.bin'],
    ['..', 'attachment.bin'],
    ['.hidden', 'hidden'],
    ['a;rm -rf $HOME`x`.bin', 'a_rm_-rf__HOME_x_.bin'],
    ['日本.bin', '日本.bin'],
  ])('the name %j leads nowhere else', async (name, safe) => {
    const peer = await web.peer();
    const before = kept();
    const text = await submitted(peer, [name, 'x', '\0'], safe.slice(0, 6));
    const [added] = kept().filter((each) => !before.includes(each));
    expect(added?.replace(/^\d+-\d+-/, '')).toBe(safe);
    expect(text).toBe(`./.agtmux/uploads/${added} `);
    expect(readdirSync(web.lab.live.folder)).not.toContain(safe);
  });

  it('a link in the place of the folder is not followed', async () => {
    const folder = mkdtempSync(join(web.lab.live.folder, 'linked-'));
    const elsewhere = mkdtempSync(join(web.lab.live.folder, 'elsewhere-'));
    symlinkSync(elsewhere, join(folder, '.agtmux'));
    const pane = await agentIn('linked', folder);
    const peer = await web.peer();
    const at = { agent: 'linked', pane };
    const text = await submitted(peer, ['data.bin', 'x', '\0'], '-data.bin', at);
    expect(readdirSync(elsewhere)).toEqual([]);
    const own = join(web.lab.live.folder, 'state', 'agtmux', 'uploads');
    expect(text.startsWith(`${own}/`)).toBe(true);
    expect(readFileSync(text.trim(), 'latin1')).toBe('\0');
  });

  it('a file over 8 MB is refused with its size, and one of 8 MB is taken', async () => {
    const peer = await web.peer();
    const limit = 8 * 1024 * 1024;
    peer.sendFrame(UPLOAD, 'work', payload('big.bin', 'x', Buffer.alloc(limit + 1)));
    const error = `file upload work: file "big.bin" too large: ${limit + 1} bytes (max ${limit})`;
    expect(await peer.error(error)).toEqual({ type: 'error', ok: false, error });
    await submitted(peer, ['fits.bin', 'x', Buffer.alloc(limit)], '-fits.bin');
    expect(kept().filter((name) => name.endsWith('-big.bin'))).toEqual([]);
  });

  it('nothing is pasted into an open dialog, and nothing is kept for it', async () => {
    const peer = await web.peer();
    await peer.call('send-prompt', { agent: 'work', prompt: 'ask' });
    await web.lab.untilState(paneId, ['waiting_approval']);
    const before = kept();
    peer.sendFrame(UPLOAD, 'work', payload('one.txt', 'text/plain', '1'));
    await peer.error('file upload work: ');
    expect(kept()).toEqual(before);
    expect(web.lab.received().at(-1)?.chosen).toBeUndefined();
    peer.sendFrame(KEYS, 'work', '\x1b');
    await web.lab.untilState(paneId, ['idle', 'completed']);
  });

  it('what is no upload, and one for no agent, is an error', async () => {
    const peer = await web.peer();
    peer.sendFrame(UPLOAD, 'work', 'name only');
    await peer.error('file upload work: expected fileName');
    peer.sendFrame(UPLOAD, 'none', payload('a', 'b', 'c'));
    await peer.error('file upload none: agent not found');
  });

  it('a token to read gives no files', async () => {
    const client = await web.lab.live.client();
    const { token } = await client.call('create_web_token', { name: 'wall', scope: 'read' });
    const peer = new WebPeer(new WebSocket(`${web.url.replace('http', 'ws')}/ws?token=${token}`));
    await peer.opened;
    const before = kept();
    peer.sendFrame(UPLOAD, 'work', payload('a.bin', 'x', '\0'));
    await peer.error('upload_file needs control access');
    expect(kept()).toEqual(before);
    peer.socket.close();
  });
});
