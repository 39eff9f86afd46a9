// The view on a live daemon and a real tmux: every page by keys, changes as they happen, sizes, the
// way there, and a terminal that is given back however it ends.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { textWidth } from '../../src/render/width.ts';
import { jump } from '../../src/tui/jump/jump.ts';
import { fakeAgent, fakeCommand, LivePane } from '../daemon-live/live-agents.ts';
import { LiveDaemon } from '../daemon-live/live-daemon.ts';
import { attachPerson } from '../live/tmux-person.ts';
import { eventually, isTmuxMissing, privateTmux } from '../live/tmux-server.ts';
import { GIVEN_BACK, LiveTui, type TuiStart } from './live-tui.ts';

async function makeStage() {
  const lab = new LiveDaemon();
  const claude = fakeAgent(lab.tmux, 'claude', 'work');
  const window = ['new-window', '-d', '-P', '-F', '#{pane_id}', '-t', '=work:', '-n', 'review'];
  const codex = new LivePane(lab.tmux, lab.tmux.run(...window, fakeCommand(lab.tmux, 'codex')));
  lab.tmux.newSession('shell');
  const daemonPid = await lab.start().catch(async (error: unknown) => {
    await lab[Symbol.asyncDispose]();
    throw error;
  });
  claude.show('claude/111-waiting_approval');
  return { lab, claude, codex, daemonPid };
}

async function stage() {
  const made = await makeStage();
  onTestFinished(() => made.lab[Symbol.asyncDispose]());
  return made;
}

async function open(lab: LiveDaemon, start: TuiStart = {}): Promise<LiveTui> {
  const tui = new LiveTui(lab, start);
  await tui.shows('waiting_approval');
  return tui;
}

const withoutAges = (text: string): string => text.replaceAll(/\d+[smhd]\b/g, 'AGE');

const lineWith = (screen: string, text: string): string =>
  screen.split('\n').find((line) => line.includes(text)) ?? '';

/** Where the line between list and preview stands. */
const cellsBeforeBar = (line: string): number => textWidth(line.slice(0, line.indexOf('│')));

describe.skipIf(isTmuxMissing)('the view in a real tmux', () => {
  it('shows every page by keys, and what changes while it is open', async () => {
    const { lab, claude, codex, daemonPid } = await stage();
    // Called bare, with a terminal: the same view.
    const tui = await open(lab, { args: [] });
    await tui.shows('1. Yes');
    // The counts come with a message of their own.
    let screen = await tui.shows('1 needs you');
    expect(lineWith(screen, '▸')).toContain('waiting_approval');
    expect(screen).toContain('approval for');

    // The preview is what the pane shows, and the pane is not touched by it.
    expect(screen).toContain(
      lineWith(lab.tmux.run('capture-pane', '-p', '-t', claude.paneId), 'Do you want').trim(),
    );
    expect(claude.format('#{pane_width}x#{pane_height} #{pane_in_mode}')).toBe('80x24 0');

    tui.type('e');
    screen = await tui.shows('Claims (');
    const explanation = await lab.cli('explain', claude.paneId);
    for (const fact of ['agent:', 'pane:', 'process:', 'evidence:', 'needs you:']) {
      const line = withoutAges(lineWith(explanation.out, fact)).slice(0, 40);
      expect(withoutAges(lineWith(screen, fact))).toContain(line);
    }
    tui.keys('Escape');
    await tui.hides('Claims (');
    tui.type('?');
    await tui.shows('show the pane in your client');
    tui.type('q');

    await tui.shows('local/shell');
    tui.type('/codex');
    await tui.hides('local/shell');
    tui.keys('Escape');
    await tui.shows('local/shell');
    tui.type('a');
    await tui.shows('[agents only]');
    await tui.hides('local/shell');
    tui.type('!');
    await tui.hides('work:1.0');
    tui.keys('Escape');
    await tui.shows('work:1.0');
    tui.type('p');
    await tui.hides('1. Yes');
    tui.type('p');
    await tui.shows('1. Yes');

    // Somebody answers in the pane: the row changes by itself.
    claude.show('claude/104-running');
    await tui.shows('no agent needs you');
    codex.show('codex/0.101.0-105-running');
    await tui.until(
      (text) => / codex /.test(lineWith(text, 'running')) || text.includes('2>'),
      '2 run',
    );

    // The view brings back a daemon that died, and not one that was stopped.
    await lab.kill(daemonPid, 'SIGKILL');
    await eventually(async () => {
      const client = await lab.client().catch(() => null);
      const hello = await client?.call('hello', {}).catch(() => null);
      return hello !== undefined && hello !== null && hello.pid !== daemonPid;
    }, 'another daemon answers');
    await tui.hides('not connected');
    await lab.cli('daemon', 'stop');
    await tui.shows('not connected, last seen');
    await lab.start();
    await tui.hides('not connected');
    tui.type('q');
    expect(await tui.ended()).toEqual({ code: 0, left: GIVEN_BACK });
  });

  it('fits every size while it runs, and hostile names and screens stay harmless', async () => {
    const { lab, claude, codex } = await stage();
    const log = join(lab.folder, 'bytes');
    const tui = await open(lab);
    lab.tmux.run('pipe-pane', '-t', tui.paneId, `cat > ${log}`);
    claude.print('\x1b]2;日本語🚀\u202e e\u0301\x1b\\');
    codex.print(
      '\x1b]2;$(x) #{pid} ; "q\'\x1b\\\x1b[31mred 日本語 🚀\x1b[0m\x1b]8;;http://x\x07link\x1b]8;;\x07',
    );
    lab.tmux.run('rename-window', '-t', codex.paneId, 'a;b $(x) #{pid} \'"');
    lab.tmux.run('rename-session', '-t', '=shell', '名前 🚀 do$llar');
    await tui.shows('名前');
    tui.type('j');
    for (const [columns, rows] of [
      [40, 20],
      [200, 40],
      [300, 50],
      [60, 10],
      [80, 24],
    ] as const) {
      tui.resize(columns, rows);
      const screen = await tui.until((text) => {
        const lines = text.split('\n');
        return lines.length === rows && /q quit$/.test(lines[rows - 1] ?? '');
      }, `the view stands on ${columns}x${rows}`);
      expect(screen.split('\n')[0]).toContain('agtmux');
      // What we count as a cell is a cell for tmux: the line between is straight.
      const between = screen.split('\n').slice(1, -1).map(cellsBeforeBar);
      if (columns >= 120) expect(new Set(between).size).toBe(1);
    }
    tui.resize(30, 4);
    await tui.shows('agtmux needs 40x6');
    tui.resize(100, 30);
    await tui.shows('q quit');
    tui.keys('C-l');
    tui.type('q');
    expect(await tui.ended()).toEqual({ code: 0, left: GIVEN_BACK });
    const own = [
      ...['\\[[0-9;:]*m', '\\[[0-9;]*H', '\\[[0-2]?[JK]'],
      '\\[\\?(?:1049|25|7|1000|1006|2004|2026)[hl]',
    ].join('|');
    const bytes = readFileSync(log, 'utf8');
    expect(bytes).toContain('日本語');
    const rest = bytes.replace(new RegExp(`\x1b(?:${own})`, 'g'), '').replace(/[\r\n]/g, '');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there.
    expect(rest).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/);
  });

  it('draws nothing while nothing changes', async () => {
    const { lab } = await stage();
    const tui = await open(lab);
    await tui.shows('1. Yes');
    tui.type('/work');
    tui.keys('Enter');
    const log = join(lab.folder, 'bytes');
    lab.tmux.run('pipe-pane', '-t', tui.paneId, `cat > ${log}`);
    tui.keys('C-l');
    await eventually(() => readFileSync(log, 'utf8').length > 500, 'it was drawn once');
    const before = readFileSync(log, 'utf8').length;
    // Two listings of the daemon take some three seconds.
    const client = await lab.client();
    const listingCount = async (): Promise<number> => {
      const { text } = await client.call('metrics', {});
      return Number(/what="listings"\} (\d+)/.exec(text)?.[1]);
    };
    const count = await listingCount();
    await eventually(async () => (await listingCount()) > count + 1, 'the daemon goes on');
    // Only ages: two or three lines a second, of a hundred cells at most.
    expect(readFileSync(log, 'utf8').length - before).toBeLessThan(6_000);
  });
});

describe.skipIf(isTmuxMissing)('the way to a pane', () => {
  it('is the client of the person, and only while the pane is the one listed', async () => {
    const { lab, claude } = await stage();
    const tui = await open(lab);
    const person = await attachPerson(lab.tmux, tui.format('#{session_id}'));
    const at = (): string =>
      lab.tmux
        .run('list-clients', '-F', '#{client_control_mode} #{session_name} #{pane_id}')
        .split('\n')
        .find((line) => line.startsWith('0 ')) ?? '';
    await eventually(() => at() === `0 view ${tui.paneId}`, 'the person sees the view');
    await tui.shows('1. Yes');
    tui.keys('Enter');
    await eventually(() => at() === `0 work ${claude.paneId}`, 'the person sees the agent');
    await tui.shows('Your client shows');

    const client = await lab.client();
    const item = await eventually(async () => {
      const { panes } = await client.call('list_panes', {});
      return panes.find(({ identity }) => identity?.pane_id === tui.paneId) ?? null;
    }, 'the view is listed');
    const place = item.identity ?? expect.fail('the view has a pane');
    const life = await client.call('preview', { ref: item.pane_key });
    const env = {
      PATH: process.env['PATH'],
      TMUX: `${lab.tmux.socketPath},${lab.tmux.serverPid()},0`,
      TMUX_PANE: claude.paneId,
    };
    const runInTerminal = () => expect.fail('there is a client to switch');
    const other = { ...life, pane_pid: life.pane_pid + 1 };
    expect(await jump({ env, place, life: other, runInTerminal })).toEqual({
      ok: false,
      problem: 'The pane is no longer the one that was listed.',
    });
    const gone = { ...life, pane_id: '%999' };
    const there = { ...place, pane_id: '%999' };
    expect((await jump({ env, place: there, life: gone, runInTerminal })).ok).toBe(false);
    expect(at()).toBe(`0 work ${claude.paneId}`);
    expect(await jump({ env, place, life, runInTerminal })).toEqual({ ok: true, how: 'switched' });
    expect(at()).toBe(`0 view ${tui.paneId}`);
    lab.tmux.run('detach-client', '-t', person.name);
    await person.exited;
    const nobody = await jump({ env, place, life, runInTerminal });
    expect(nobody).toMatchObject({ ok: false, problem: expect.stringContaining('No client') });
  });

  it('is the terminal itself outside tmux, until the person detaches', async () => {
    const { lab, codex } = await stage();
    // The agent is not in the current window of its session.
    codex.show('codex/110-waiting_approval');
    const tui = await open(lab, { without: ['TMUX', 'TMUX_PANE'] });
    const people = () =>
      lab.tmux
        .run('list-clients', '-F', '#{client_control_mode} #{pane_id} #{client_name}')
        .split('\n')
        .filter((line) => line.startsWith('0 '));
    await tui.shows('2 need you');
    tui.keys('/', 'codex', 'Enter');
    await tui.shows('[/codex]');
    tui.keys('Enter');
    const name = await eventually(
      () => people().find((line) => line.startsWith(`0 ${codex.paneId} `)),
      'the terminal shows the agent',
    );
    lab.tmux.run('detach-client', '-t', name.split(' ')[2] ?? '');
    await tui.shows(`You are back from ${codex.paneId}`);
    tui.keys('q');
    await tui.shows('ended with 0');
  });

  it('is a new window for a pane of another tmux server', async () => {
    const { lab, claude } = await stage();
    const own = privateTmux();
    onTestFinished(() => own[Symbol.dispose]());
    own.newSession('mine');
    const sessionId = own.run('display-message', '-p', '-t', '=mine:', '#{session_id}');
    const person = await attachPerson(own, sessionId);
    const client = await lab.client();
    const { panes } = await client.call('list_panes', {});
    const item = panes.find(({ identity }) => identity?.pane_id === claude.paneId);
    const place = item?.identity ?? expect.fail('the agent is listed');
    const life = await client.call('locate_pane', { ref: item?.pane_key ?? '' });
    const env = {
      PATH: process.env['PATH'],
      TMUX: `${own.socketPath},${own.serverPid()},${sessionId.slice(1)}`,
      TMUX_PANE: own.run('display-message', '-p', '-t', '=mine:', '#{pane_id}'),
    };
    const runInTerminal = () => expect.fail('there is a client with windows');
    const moved = { ...life, pane_pid: life.pane_pid + 1 };
    expect(await jump({ env, place, life: moved, runInTerminal })).toMatchObject({ ok: false });
    const opened = await jump({ env, place, life, runInTerminal });
    expect(opened).toEqual({ ok: true, how: 'window' });
    expect(own.run('list-windows', '-F', '#{window_name} #{window_active}')).toContain('local 1');
    await eventually(
      () =>
        lab.tmux
          .run('list-clients', '-F', '#{client_control_mode} #{pane_id}')
          .includes(`0 ${claude.paneId}`),
      'the window shows the agent',
    );
    own.run('detach-client', '-t', person.name);
    await person.exited;
  });
});

/** Throws, or loses its output, on request: what no caller can cause from outside. */
const onSignal = (what: string): string =>
  `--import=data:text/javascript,${encodeURIComponent(`process.on('SIGUSR2',()=>{${what}})`)}`;

const throwing = onSignal("throw new Error('made up')");
const losing = (code: string): string =>
  onSignal(`process.stdout.emit('error',Object.assign(new Error('write'),{code:'${code}'}))`);

/** As after many Ctrl-Z and fg; a warning of Node ends it with 9. */
const stopping = onSignal(
  "process.on('warning',()=>process.exit(9));for(let i=0;i<15;i+=1)process.emit('SIGCONT')",
);

describe.skipIf(isTmuxMissing)('the terminal is given back', () => {
  let lab: LiveDaemon;
  beforeAll(async () => {
    ({ lab } = await makeStage());
  });
  afterAll(() => lab?.[Symbol.asyncDispose]());
  afterEach(() => {
    lab.tmux.run('kill-session', '-t', '=view');
  });

  const signal = (name: NodeJS.Signals) => (tui: LiveTui) => process.kill(tui.pid, name);
  it.each<[string, number, (tui: LiveTui) => void, string?]>([
    ['q', 0, (tui) => tui.type('q')],
    ['Ctrl-C', 0, (tui) => tui.keys('C-c')],
    ['SIGINT', 130, signal('SIGINT')],
    ['SIGTERM', 143, signal('SIGTERM')],
    ['SIGHUP', 129, signal('SIGHUP')],
    ['SIGQUIT', 131, signal('SIGQUIT')],
    ['an error that nobody caught', 1, signal('SIGUSR2'), throwing],
    // As after `| head`: nothing is left to say, and that is no error.
    ['a terminal that takes no more', 0, signal('SIGUSR2'), losing('EPIPE')],
    ['a terminal that was closed', 129, signal('SIGUSR2'), losing('EIO')],
    ['a terminal that is not there', 129, signal('SIGUSR2'), losing('ENXIO')],
  ])('after %s', async (_how, code, end, nodeOptions) => {
    const env = nodeOptions === undefined ? {} : { NODE_OPTIONS: nodeOptions };
    const tui = await open(lab, { env, args: ['tui', '--mouse'] });
    end(tui);
    const { code: ended, left } = await tui.ended();
    expect({ code: ended, left }).toEqual({ code, left: GIVEN_BACK });
    if (nodeOptions === throwing) expect(tui.screen()).toContain('Error: made up');
  });

  it('after Ctrl-Z, and taken again after fg', async () => {
    const tui = await open(lab, { hasJobs: true });
    tui.keys('C-z');
    await tui.shows('stopped with');
    expect(tui.format('#{alternate_on} #{cursor_flag} #{wrap_flag}')).toBe('0 1 1');
    tui.keys('Enter');
    await tui.shows('waiting_approval');
    tui.type('q');
    expect((await tui.ended()).code).toBe(0);
  });

  it('after it was taken again many times, with no warning of Node over the picture', async () => {
    const tui = await open(lab, { env: { NODE_OPTIONS: stopping } });
    process.kill(tui.pid, 'SIGUSR2');
    tui.type('?');
    await tui.shows('give the pane a name of your own');
    tui.type('qq');
    expect(await tui.ended()).toEqual({ code: 0, left: GIVEN_BACK });
  });

  it('not after Ctrl-Z where no shell could take over', async () => {
    const tui = await open(lab);
    tui.keys('C-z');
    tui.type('?');
    await tui.shows('give the pane a name of your own');
    tui.type('qq');
    expect(await tui.ended()).toEqual({ code: 0, left: GIVEN_BACK });
  });
});
