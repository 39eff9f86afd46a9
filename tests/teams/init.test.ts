// The files that `agtmux bundle init` writes: they are valid, they start the agents that are
// installed, and nothing that is there is written over.

import { chmodSync, copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { adapterOf } from '../../src/agents/registry.ts';
import { resumeArgv } from '../../src/agents/resume-argv.ts';
import { starterCoders } from '../../src/relay/config/starter-files.ts';
import { loadRegistry } from '../../src/sources/rule-files.ts';
import { LiveDaemon } from '../daemon-live/live-daemon.ts';

let live: LiveDaemon;
let config: string;

beforeAll(() => {
  live = new LiveDaemon();
  config = join(live.folder, 'config', 'agtmux');
  live.env['TMUX_TMPDIR'] = join(live.folder, 't');
  live.env['SHELL'] = '/bin/sh';
  mkdirSync(join(live.folder, 't'));
  const bin = join(live.folder, 'agents');
  mkdirSync(bin);
  for (const name of ['claude', 'codex', 'gemini', 'copilot', 'opencode']) {
    // A shell that waits for input, in the place of an agent.
    copyFileSync('/bin/dash', join(bin, name));
    chmodSync(join(bin, name), 0o755);
  }
  live.env['PATH'] = `${bin}:${live.env['PATH']}`;
  live.tmux.newSession('home', 'cat');
});
afterAll(() => live[Symbol.asyncDispose]());

it('the resume commands of all coders are those that agtmux resume uses', () => {
  const id = '11111111-1111-4111-8111-111111111111';
  for (const [name, { start, resume }] of Object.entries(starterCoders)) {
    const key = name === 'opencode' ? 'ses_1234567890abcdef' : id;
    const adapter = adapterOf(loadRegistry({}), name);
    const argv = adapter?.resume ? resumeArgv(adapter.resume, key, []) : null;
    expect(resume.replace('{coder-session-id}', key)).toBe(argv?.join(' '));
    expect(start).toBe(adapter?.resume?.program);
  }
});

it('init, validate and up bring up two of the agents that are installed', async () => {
  const init = await live.cli('bundle', 'init', 'review', '--dir', live.folder);
  const names = ['coders.toml', 'policies.toml', 'tui.toml', 'bundles/review.toml'];
  const lines = names.map((name) => `wrote  ${join(config, name)}\n`);
  expect(init).toMatchObject({
    ...{ code: 0, err: '' },
    out: `${lines.join('')}agtmux bundle up review starts it.\n`,
  });
  const modeOf = (path: string): number => statSync(path).mode & 0o777;
  expect(names.map((name) => modeOf(join(config, name)))).toEqual(names.map(() => 0o600));
  expect(modeOf(join(config, 'bundles'))).toBe(0o700);
  const validate = await live.cli('bundle', 'validate');
  expect(validate).toMatchObject({ code: 0, out: `${config} is valid: review\n` });
  await live.start();
  const up = await live.cli('bundle', 'up', 'review');
  expect([up.code, up.out]).toEqual([0, 'up  review: 2 of 2 ready; created author, reviewer\n']);
  const { out } = await live.cli('bundle', 'status', 'review', '--json');
  const { sessions } = JSON.parse(out).bundles[0];
  expect(sessions.map((each: Record<string, string>) => [each['id'], each['coder']])).toEqual([
    ['author', 'claude'],
    ['reviewer', 'codex'],
  ]);
  expect((await live.cli('bundle', 'down', 'review', '--yes')).code).toBe(0);
}, 60_000);

it('a file that is there is kept, also one that is not valid, which is said', async () => {
  writeFileSync(join(config, 'coders.toml'), 'format-version = 2\n');
  const init = await live.cli('bundle', 'init', 'other', '--coder', 'gemini');
  expect(init.out).toContain(`kept   ${join(config, 'coders.toml')}\n`);
  expect(init.out).toContain(`wrote  ${join(config, 'bundles', 'other.toml')}\n`);
  expect(init.out).toMatch(/not valid: agtmux bundle validate says why\.\n$/);
  expect(readFileSync(join(config, 'coders.toml'), 'utf8')).toBe('format-version = 2\n');
  const unknown = await live.cli('bundle', 'init', '--coder', 'nobody');
  expect([unknown.code, unknown.err]).toEqual([64, expect.stringContaining('claude, codex')]);
  expect((await live.cli('bundle', 'init', '../x')).code).toBe(64);
});
