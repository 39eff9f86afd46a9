// `agtmux log` of an agent on another machine, over a real sshd: as text, as JSON, followed, and in
// a pager on a real terminal, which is handed nothing that it or the terminal acts on.

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { FakeClaude } from '../agent-files/fake-claude.ts';
import { eventually } from '../live/tmux-server.ts';
import { isSshdMissing } from '../ssh/sshd.ts';
import { LiveTui } from '../tui/live-tui.ts';
import { fakeAgent } from './live-agents.ts';
import { LiveDaemon } from './live-daemon.ts';
import { introduce, RemoteHost } from './remote-host.ts';

const TURNS = 60;
const secret = `ghp_${'x'.repeat(36)}`;
/** What terminals and less act on: sequences, a bell, overstrikes, a link. */
const hostile = [
  ...['a\x1b]0;owned\x07', 'b\x1b[2J', 'c\x08\x08d_\x08e', '\x1b]8;;http://x\x1b\\f'],
  ...['\x1b]8;;\x1b\\', 'g\x9b31mh', '\r!i', '\x1bcj'],
].join('');

describe.skipIf(isSshdMissing)('agtmux log over ssh', () => {
  let remote: RemoteHost;
  let live: LiveDaemon;
  let claude: FakeClaude;
  let ref: string;

  beforeAll(async () => {
    remote = await RemoteHost.start();
    live = new LiveDaemon();
    introduce(live, { vm1: remote });
    live.tmux.newSession('home', 'cat');
    const { tmux } = remote;
    const pane = fakeAgent(tmux, 'claude', 'work');
    const cwd = join(tmux.folder, 'my.project');
    mkdirSync(cwd);
    const config = join(tmux.folder, '.claude');
    claude = new FakeClaude({ config, pid: pane.pid, cwd, sessionId: 'session-a' });
    for (let turn = 0; turn < TURNS; turn += 1) {
      claude.prompt(`prompt-${turn} ${hostile} ${secret}`);
      claude.says({ type: 'text', text: `answer-${turn} ${hostile}` });
    }
    claude.status('idle');
    await live.start();
    const client = await live.client();
    await client.call('add_target', { name: 'vm1', kind: 'ssh' });
    ref = await eventually(
      async () => {
        const { conversations } = await client.call('list_conversations', {});
        return conversations[0]?.pane_key ?? null;
      },
      'the conversation is found',
      30_000,
    );
  });

  afterAll(async () => {
    await live[Symbol.asyncDispose]();
    await remote[Symbol.asyncDispose]();
  });

  afterEach(() => {
    const sessions = live.tmux.run('list-sessions', '-F', '#{session_name}').split('\n');
    if (sessions.includes('view')) live.tmux.run('kill-session', '-t', 'view');
  });

  const opened = (env: Record<string, string>, ...args: readonly string[]) =>
    new LiveTui(live, { args: ['log', ref, '--all', ...args], env, rows: 20, columns: 100 });

  test('where the output is no terminal is whole, in order and without a pager', async () => {
    const pager = join(live.folder, 'no-pager');
    writeFileSync(pager, '#!/bin/sh\necho PAGED\n');
    chmodSync(pager, 0o755);
    const { code, out } = await live.cliWith({ PAGER: pager }, 'log', ref, '--all');
    expect(code).toBe(0);
    const words = [...out.matchAll(/(?:prompt|answer)-\d+/g)].map(([word]) => word);
    expect(words).toEqual(
      Array.from({ length: TURNS }, (_, turn) => [`prompt-${turn}`, `answer-${turn}`]).flat(),
    );
    expect(out).not.toContain('PAGED');
    expect(out).not.toContain(secret);
    const json = await live.cli('log', ref, '--json', '--last', '4');
    const kinds = json.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).entry.kind);
    expect(kinds).toEqual(['prompt', 'text', 'prompt', 'text']);
  });

  test('a long text opens in less, which gives the terminal back', async () => {
    const tui = opened({ TERM: 'screen' });
    await tui.shows('prompt-0');
    expect(tui.screen()).not.toContain('ended with');
    expect(tui.format('#{pane_current_command} #{pane_title}')).not.toContain('owned');
    tui.keys('G');
    await tui.shows(`answer-${TURNS - 1}`);
    tui.type('?prompt-30');
    tui.keys('Enter');
    await tui.shows('prompt-30');
    // Ctrl-C belongs to the pager. Here it would end the shell around us as well.
    process.kill(tui.pid, 'SIGINT');
    tui.type('?prompt-10');
    tui.keys('Enter');
    await tui.shows('prompt-10');
    tui.keys('q');
    expect((await tui.ended()).code).toBe(0);
  });

  test('the pager gets its arguments, no shell, and only text and colours', async () => {
    const pager = join(live.folder, 'pager');
    const got = join(live.folder, 'got');
    writeFileSync(pager, `#!/bin/sh\necho "$@" > ${got}.args\ncat > ${got}\n`);
    chmodSync(pager, 0o755);
    const tui = opened({ TERM: 'screen', PAGER: `${pager} one two` });
    expect((await tui.ended()).code).toBe(0);
    expect(readFileSync(`${got}.args`, 'utf8')).toBe('one two\n');
    const text = readFileSync(got, 'utf8');
    expect(text).toContain(`answer-${TURNS - 1}`);
    expect(text).toContain('\x1b[1m');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: only colours may be left.
    expect(text.replace(/\x1b\[\d+m/g, '')).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  });

  test.each([
    ['with --no-pager', ['--no-pager'], 'ended with 0'],
    ['of what fits on the screen', ['--last', '4'], 'ended with 0'],
  ])('no pager is started %s', async (_, args, shown) => {
    const all = args[0] === '--last' ? ['log', ref] : ['log', ref, '--all'];
    const env = { TERM: 'screen', PAGER: '/bin/false' };
    const tui = new LiveTui(live, { args: [...all, ...args], env, rows: 30, columns: 160 });
    await tui.shows(shown);
    expect(tui.screen()).toContain(`answer-${TURNS - 1}`);
  });

  test('--follow goes on with what the agent says there, without a pager', async () => {
    const env = { TERM: 'screen', PAGER: '/bin/false' };
    const tui = new LiveTui(live, { args: ['log', ref, '--follow'], env, rows: 20, columns: 100 });
    await tui.shows(`answer-${TURNS - 1}`);
    claude.says({ type: 'text', text: 'what came later' });
    await tui.shows('what came later');
    process.kill(tui.pid, 'SIGINT');
    expect((await tui.ended()).code).toBe(130);
  });

  test('l in the live view shows it, follows what the agent says, and goes back', async () => {
    const tui = new LiveTui(live, { rows: 40, columns: 120 });
    await tui.shows('proj-1');
    tui.keys('l');
    // The preview of the list has the last words alone.
    await tui.shows(`answer-${TURNS - 2}`);
    expect(tui.screen()).not.toContain(secret);
    expect(tui.format('#{pane_title}')).not.toContain('owned');
    claude.says({ type: 'text', text: 'said while it is shown' });
    claude.says({ type: 'text', text: 'and after that' });
    await tui.shows('and after that');
    expect(tui.screen()).toContain('said while it is shown');
    tui.keys('Escape');
    await tui.hides('said while it is shown');
    tui.keys('q');
    expect((await tui.ended()).code).toBe(0);
  });
});
