// `agtmux share` as a person runs it, on a real tmux: a link into the open service, the list, and
// the end of a share; and what the shell shows that an agent leaves behind.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtProgram } from '../built-program.ts';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { ask, WebLab } from './web-lab.ts';

const execute = promisify(execFile);

describe.skipIf(isTmuxMissing)('agtmux share', () => {
  let web: WebLab;
  beforeAll(async () => {
    web = await WebLab.open();
  });
  afterAll(() => web?.[Symbol.asyncDispose]());

  const run = async (...args: readonly string[]): Promise<string> => {
    const words = [...builtProgram, 'share', ...args];
    const { stdout } = await execute(process.execPath, words, { env: web.lab.live.env });
    return stdout;
  };

  it('prints a link that shows the agent, lists it, and ends it', async () => {
    const paneId = await web.agent('work');
    const made = await run(paneId, '--expires', '15m');
    const link = /http:\S+/.exec(made)?.[0] ?? '';
    const id = /agtmux share revoke (\w+)/.exec(made)?.[1] ?? '';
    expect(made).toContain('Whoever opens this link sees work:0.0 until');
    expect(made).toContain('It leads to this machine alone.');
    const rows = `${new URL(link).pathname}/rows`;
    expect((await ask(web.url, rows)).status).toBe(200);
    const list = await run('list');
    expect(list).toMatch(new RegExp(`^${id} {2}live .* claude {2}work:0\\.0\\n$`));
    expect(list).not.toContain(link);
    expect(await run('revoke', id)).toBe(`The link of ${id} shows nothing any more.\n`);
    expect((await ask(web.url, rows)).status).toBe(404);
  });

  it('shows nothing of the shell that an agent leaves behind', async () => {
    const paneId = await web.agent('left');
    const { link } = JSON.parse(await run(paneId, '--json')) as { readonly link: string };
    const rows = `${new URL(link).pathname}/rows`;
    expect((await ask(web.url, rows)).status).toBe(200);
    const explained = await web.lab.client.call('explain', { ref: paneId });
    process.kill(explained.process?.pid ?? Number.NaN, 'SIGKILL');
    await eventually(async () => (await ask(web.url, rows)).status === 410, 'it has ended');
    web.lab.typeLine(paneId, 'echo of the shell');
    await eventually(() => web.lab.screen(paneId).includes('of the shell'), 'the shell prints');
    const reply = await ask(web.url, rows);
    expect([reply.status, reply.text.includes('of the shell')]).toEqual([410, false]);
  });
});
