// Names that bite: sessions, windows, titles, folders and options full of what means something to
// tmux, a shell, JSON or a terminal. Every command works with them, references lead back to their
// pane, and nothing that a terminal acts on is ever printed.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../../src/cli/main.ts';
import type { DaemonClient } from '../../src/client/client.ts';
import type { PaneItem } from '../../src/schema/api/panes.ts';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { fakeCommand, LivePane } from './live-agents.ts';
import { LiveDaemon } from './live-daemon.ts';

const names = [
  'a;b',
  'a"b\'c',
  '#{pid}',
  '#(touch x)',
  '$(x)',
  'do$llar',
  'tab\there',
  'new\nline',
  'back\\slash\\n',
  'crab 🦀 é 漢字',
  'x'.repeat(200),
  '-dash',
  '%1',
  '=x',
  '@0',
  '$0',
  'a%2Fb',
  '*?[x]',
  'escape\u001b[31m',
  'bidi\u202eevil\u2066',
  'c1\u009b31m',
  '`x`',
  '  blanks  ',
];
/** Titles go through tmux's own parser of output, which takes what is no control. */
const titles = [
  ...names,
  'zero\u200bwidth',
  '\ud83d\udc69\u200d\ud83d\udcbb',
  'a\u0085b',
  '\\033[31m',
];

/** Escapes, C0 but line feeds, C1 and everything that turns the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unsafe = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

interface Bitten {
  readonly name: string;
  readonly title: string;
  readonly path: string;
  readonly pane: LivePane;
}

describe.skipIf(isTmuxMissing)('names that bite', () => {
  let live: LiveDaemon;
  let client: DaemonClient;
  let bitten: readonly Bitten[] = [];
  let listed: readonly PaneItem[] = [];

  beforeAll(async () => {
    live = new LiveDaemon();
    bitten = titles.map((title, index) => bite(live, index, title));
    await live.start();
    client = await live.client();
    await eventually(async () => {
      const { panes } = await client.call('list_panes', { agent: 'claude' });
      listed = panes;
      return panes.length === bitten.length;
    }, 'every agent is found');
  });
  afterAll(async () => {
    await live?.[Symbol.asyncDispose]();
  });

  /** Runs a command and checks that what it prints is harmless. */
  const agtmux = async (...args: readonly string[]) => {
    let out = '';
    let err = '';
    const code = await runCli(['node', 'agtmux', '--socket-path', live.socketPath, ...args], {
      writeOut: (text) => {
        out += text;
      },
      writeErr: (text) => {
        err += text;
      },
    });
    const found = unsafe.exec(out + err);
    if (found) throw new Error(`${args.join(' ')} printed ${JSON.stringify(found[0])}: ${out}`);
    return { code, out, err };
  };
  const rowOf = ({ pane }: Bitten): PaneItem => {
    const row = listed.find(({ identity }) => identity?.pane_id === pane.paneId);
    if (!row) throw new Error(`${pane.paneId} is not listed`);
    return row;
  };

  test('are listed as tmux has them', () => {
    expect(listed.some((row) => unsafe.test(row.current_path))).toBe(true);
    expect(listed.some((row) => unsafe.test(row.pane_title))).toBe(true);
    for (const each of bitten) {
      const row = rowOf(each);
      const own = (format: string): string => each.pane.format(format);
      expect(row.identity?.session_name.trimEnd()).toBe(own('#{session_name}'));
      expect(row.identity?.window_name.trimEnd()).toBe(own('#{window_name}'));
      expect(row.pane_title.trimEnd()).toBe(own('#{pane_title}'));
      expect(row.current_path).toBe(each.path);
    }
  });

  test('lead back to their pane by reference, as text and as JSON', async () => {
    for (const each of bitten) {
      const { ref, pane_key: key } = rowOf(each);
      const explained = await agtmux('explain', ref, '--json');
      expect({ ref, code: explained.code, err: explained.err }).toEqual({ ref, code: 0, err: '' });
      expect(JSON.parse(explained.out).pane.pane_key).toBe(key);
      expect(await agtmux('explain', ref)).toMatchObject({ code: 0, err: '' });
      const history = await agtmux('history', ref, '--json');
      expect(JSON.parse(history.out).entries[0]).toMatchObject({ pane_key: key, ref });
      expect(await agtmux('history', ref)).toMatchObject({ code: 0, err: '' });
      expect(await agtmux('tag', ref, '--agent', 'claude')).toMatchObject({ code: 0, err: '' });
      expect(await agtmux('tag', ref, '--clear')).toMatchObject({ code: 0, err: '' });
    }
  });

  test('lead back to their pane as tables print them, or to what to type instead', async () => {
    const keyOf = async (name: string) => {
      const { code, out } = await agtmux('explain', '--json', '--', name);
      const answer = JSON.parse(out);
      return { code, key: answer.pane?.pane_key, refs: answer.error?.candidates ?? [] };
    };
    for (const each of bitten) {
      const { identity, pane_key: key } = rowOf(each);
      const name = `${identity?.session_name}:${identity?.window_index}.${identity?.pane_index}`;
      const found = await keyOf(name);
      if (found.code === 0) expect([name, found.key]).toEqual([name, key]);
      else {
        // A session that is called like the id of another one.
        expect([name, found.code]).toEqual([name, 75]);
        const keys = await Promise.all(found.refs.map(({ ref }: { ref: string }) => keyOf(ref)));
        expect(keys.map((each) => each.key)).toContain(key);
      }
    }
  });

  test('are the names by which every listing filters', async () => {
    for (const each of bitten) {
      const { identity, pane_key: key } = rowOf(each);
      const session = identity?.session_name ?? '';
      for (const filter of [`--session=${session}`, `--target-session=local/${session}`]) {
        const panes = await agtmux('list', 'panes', filter, '--json');
        expect(panes).toMatchObject({ code: 0, err: '' });
        const keys = JSON.parse(panes.out).panes.map((row: PaneItem) => row.pane_key);
        expect([filter, ...keys]).toEqual([filter, key]);
      }
      const windows = await agtmux('list', 'windows', `--session=${session}`, '--json');
      expect(JSON.parse(windows.out).windows).toMatchObject([
        { window_name: identity?.window_name, agents: 1 },
      ]);
      const sessions = await agtmux('list', 'sessions', `--session=${session}`, '--json');
      expect(JSON.parse(sessions.out).sessions).toMatchObject([
        { identity: { session_name: session }, agents: 1 },
      ]);
    }
  });

  test('are those that events name', async () => {
    for (const each of bitten) {
      const { ref, pane_key: key } = rowOf(each);
      const reply = await agtmux('emit', `--pane=${ref}`, '--agent=claude', '--type=running');
      expect({ ref, ...reply }).toMatchObject({ ref, code: 0, err: '' });
      const { pane } = await client.call('explain', { ref });
      expect(pane).toMatchObject({ pane_key: key, state: 'running' });
    }
  });

  test.each(['panes', 'windows', 'sessions'])('are printed harmlessly: %s', async (scope) => {
    for (const more of [[], ['--json'], ['--ascii'], ['--sort', 'target']]) {
      const list = await agtmux('list', scope, ...more);
      expect({ scope, more, ...list }).toMatchObject({ code: 0, err: '' });
      const isTable = more[0] !== '--json';
      expect(list.out.split('\n').length).toBeGreaterThan(isTable ? names.length : 1);
    }
    const watch = ['watch', '--once', '--scope', scope, '--format'];
    expect(await agtmux(...watch, 'table')).toMatchObject({ code: 0, err: '' });
    const watched = await agtmux(...watch, 'jsonl');
    expect(watched).toMatchObject({ code: 0, err: '' });
    const lines = watched.out.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(names.length);
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty('type');
  });

  test('are printed harmlessly by every other command', async () => {
    for (const args of [['status'], ['status', '--json'], ['alerts'], ['daemon', 'status']]) {
      expect([0, 1]).toContain((await agtmux(...args)).code);
    }
    expect(await agtmux('tmux-status')).toMatchObject({ code: 0 });
    expect(await agtmux('history', '--limit', '500')).toMatchObject({ code: 0 });
    expect(await agtmux('metrics')).toMatchObject({ code: 0 });
  });

  test('are named harmlessly in a refusal', async () => {
    for (const name of names.map((each) => `${each}, none`)) {
      expect((await agtmux('explain', `pane:local/${name}/0/0`)).code).not.toBe(0);
      expect((await agtmux('explain', `pane:local/${encodeURIComponent(name)}/0/0`)).code).toBe(66);
      expect((await agtmux('explain', `--events=1`, `--`, name)).code).not.toBe(0);
      expect((await agtmux('tag', `--agent=${name}`, '--', name)).code).not.toBe(0);
    }
  });

  test('and names that people give stay when the daemon is killed', async () => {
    const [first] = bitten;
    if (!first) throw new Error('no pane');
    const { ref, pane_key: key } = rowOf(first);
    const alias = 'näme "of" my;own #{pid}';
    expect(await agtmux('name', ref, alias)).toMatchObject({ code: 0, err: '' });
    const { pid } = await client.call('daemon_info', {});
    process.kill(pid, 'SIGKILL');
    await live.ended(pid);
    await live.start();
    client = await live.client();
    const { out } = await agtmux('explain', alias, '--json');
    expect(JSON.parse(out).pane).toMatchObject({ pane_key: key, alias });
    expect(await agtmux('name', alias, '--clear')).toMatchObject({ code: 0, err: '' });
  });
});

/** A fake claude in a session, a window and a folder of that name, with that title and options. */
function bite({ tmux, folder }: LiveDaemon, index: number, title: string): Bitten {
  const name = names[index] ?? `plain ${index}`;
  const path = join(folder, 'work', name);
  mkdirSync(path, { recursive: true });
  // tmux expands formats in names that it is given by command.
  const plain = (text: string): string => text.replaceAll('#', '##');
  const size = ['-x', '80', '-y', '24', '-c', plain(path)];
  const session = tmux.run(
    'new-session',
    ...['-d', '-P', '-F', '#{session_id}', '-s', plain(name), ...size],
    fakeCommand(tmux, 'claude'),
  );
  const paneId = tmux.run('display-message', '-p', '-t', session, '#{pane_id}');
  tmux.run('rename-window', '-t', paneId, '--', plain(name));
  tmux.run('set-option', '-p', '-t', paneId, '@agent_name', name);
  tmux.run('set-option', '-p', '-t', paneId, '@agent_state', `${name}\n%exit`);
  const pane = new LivePane(tmux, paneId);
  // Both ways to a title: the program's own, and the user's, which takes more.
  if (index % 2 === 0) pane.print(`\u001b]2;${title}\u001b\\`);
  else tmux.run('select-pane', '-t', paneId, '-T', plain(title));
  return { name, title, path, pane };
}
