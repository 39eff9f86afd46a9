// The menu of `agtmux menubar`, read back as SwiftBar and xbar read it: whatever a title holds, no
// line, level, parameter or markup comes from it. And the plugin file, which is run.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pluginName, pluginText, writePlugin } from '../../src/cli/menu-bar/plugin-file.ts';
import {
  type MenuBarData,
  renderMenuBar,
  renderNoDaemon,
} from '../../src/render/overview/menu-bar.ts';
import type { View } from '../../src/render/view.ts';
import type { PaneItem } from '../../src/schema/api/panes.ts';
import { NOW, paneItem, paneList, runHere, SmallDaemon, summaryOf } from './fixture.ts';

const view: View = { width: 200, color: false, unicode: true, nowMs: Date.parse(NOW) };
const program = ['/opt/my node/node', '/opt/agtmux.js'];

function dataOf(panes: readonly PaneItem[], windowName = 'win'): MenuBarData {
  const list = paneList(panes);
  const { by_state, needs_action, agents } = summaryOf(panes);
  const counts = { agents, by_state, needs_action };
  const [first] = panes;
  const { target = 'local', server = '', session_name = 'main' } = first?.identity ?? {};
  const identity = { target, server, session_name };
  return {
    panes: list,
    sessions: {
      ...list,
      sessions: [
        {
          ...{ identity, panes: panes.length, ...counts, top_state: 'running', title: 'x' },
          ...{ by_target: {}, representative_ref: null, top_pane: null },
        },
      ],
    },
    windows: {
      ...list,
      windows: [
        {
          identity: { ...identity, window_id: '@1', window_index: 1 },
          ...{ window_name: windowName, panes: panes.length, ...counts },
          ...{ top_state: 'running', waiting: 0, running: 1 },
        },
      ],
    },
  };
}

interface ReadLine {
  readonly level: number;
  readonly text: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Reads a menu as both programs do: the first bar ends the text, quotes hold blanks. */
function readMenu(menu: string): readonly ReadLine[] {
  const lines = menu.split('\n');
  expect(lines.pop()).toBe('');
  return lines
    .filter((line) => line !== '---')
    .map((line) => {
      const [text = '', rest = ''] = [line.slice(0, line.indexOf('|')), line.split('|').at(-1)];
      expect(line.split('|')).toHaveLength(2);
      const dashes = /^(?:--)*/.exec(text)?.[0] ?? '';
      const pairs = [...rest.matchAll(/ (\w+)=(?:"([^"]*)"|'([^']*)'|([^\s"']+))/g)];
      expect(pairs.map(([pair]) => pair).join('')).toBe(rest);
      return {
        level: dashes.length / 2,
        text: text.slice(dashes.length).trim(),
        parameters: Object.fromEntries(
          pairs.map(([, name = '', double, single, bare]) => [
            name,
            double ?? single ?? bare ?? '',
          ]),
        ),
      };
    });
}

describe('the menu', () => {
  const panes = [
    paneItem({
      state: 'waiting_approval',
      runtime_id: 'abc-1',
      attention: { kinds: ['approval'], since: NOW, requests: [], snoozed_until: null },
    }),
    paneItem({ index: 1, runtime_id: 'abc-2', agent: 'codex' }),
  ];

  it('has who needs a person first, then sessions, windows and agents with their ages', () => {
    const menu = renderMenuBar(view, dataOf(panes), program);
    const shown = readMenu(menu).map(({ level, text }) => `${'  '.repeat(level)}${text}`);
    expect(shown[0]).toBe('1! 1>');
    expect(shown).toEqual(
      expect.arrayContaining([
        '2 agents in 2 panes, 1 needs you: 1 waiting_approval, 1 running',
        '! claude 1m main:1.0 Fix the parser',
        '  waiting_approval for 1m, read 1s ago',
        'Answer them all',
        '> main: 2 agents, 1 needs you',
        '  > 1: win (2 agents)',
        '    > codex 1m main:1.1 Fix the parser',
      ]),
    );
  });

  it('offers the four actions of each agent, by its runtime', () => {
    const lines = readMenu(renderMenuBar(view, dataOf(panes), program));
    const actions = lines
      .filter(({ parameters }) => Object.values(parameters).includes('runtime:abc-2'))
      .map(({ parameters }) => parameters);
    expect(actions.map(({ param2 }) => param2)).toEqual(['attach', 'send', 'view-output', 'kill']);
    expect(actions[0]).toEqual({
      ...{ emojize: 'false', ansi: 'false', terminal: 'true', refresh: 'false' },
      ...{ bash: '/opt/my node/node', param1: '/opt/agtmux.js', param2: 'attach' },
      param3: 'runtime:abc-2',
    });
  });

  it('says that no daemon runs, and offers to start it', () => {
    const lines = readMenu(renderNoDaemon(view, program));
    expect(lines.map(({ text }) => text).slice(0, 3)).toEqual([
      'agtmux ?',
      'No daemon runs.',
      'Start the daemon',
    ]);
    expect(lines[2]?.parameters).toMatchObject({ param2: 'daemon', param3: 'start' });
  });

  it('offers no action where the path of the program cannot be written', () => {
    const lines = readMenu(renderMenuBar(view, dataOf(panes), [`/a"b'c/node`]));
    expect(lines.every(({ parameters }) => !('bash' in parameters))).toBe(true);
  });
});

const hostile = [
  'x | bash=/bin/sh param1=-c param2="rm -rf /" terminal=false',
  '---',
  '--sub | href=https://evil.example',
  'a\nb | bash=evil',
  'a\r\nInjected | refresh=true',
  'a\u2028b|shell=x',
  '" bash="x',
  "' bash='x",
  '\\u007c bash=x',
  '\\n| bash=x',
  ':sparkles: :gear.badge:',
  '\u001b[31mred',
  '｜ bash=x',
  '',
];

describe('hostile titles and names', () => {
  /** Of the same panes with harmless names; only texts may differ. */
  const skeleton = (menu: string) =>
    readMenu(menu).map(({ level, parameters }) => ({ level, parameters }));

  const menuWith = (text: string): string => {
    const pane = paneItem({ title: text, alias: text, agent: 'claude', session: text });
    return renderMenuBar(view, dataOf([pane], text), program);
  };

  it.each(hostile)('%j adds no line, no level and no parameter', (text) => {
    const menu = menuWith(text);
    expect(skeleton(menu)).toEqual(skeleton(menuWith('plain')));
    expect(menu).not.toMatch(/:[\w.+-]+:/);
    expect(menu).not.toContain('\\');
  });

  it('nor does any other text', () => {
    const plain = skeleton(menuWith('plain'));
    const noise = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc
        .array(fc.constantFrom('|', '-', '--', '\n', ' bash=x', '"', "'", '\\', ':a:', '='), {
          maxLength: 12,
        })
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(noise, (text) => {
        expect(skeleton(menuWith(text))).toEqual(plain);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the plugin file', () => {
  const folderOf = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'agtmux-menu-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  };

  it('runs the program with every word and variable as it is', () => {
    const folder = folderOf();
    const words = ['/bin/sh', '-c', 'printf "%s\\n" "$XDG_STATE_HOME" "$0" "$1"', "it's $HOME; x"];
    const state = '/tmp/a b"c\'d$(x)';
    const text = pluginText(words, { XDG_STATE_HOME: state });
    const file = writePlugin(folder, pluginName(5), text);
    expect(file).toBe(join(folder, 'agtmux.5s.sh'));
    expect(statSync(file).mode & 0o777).toBe(0o755);
    expect(execFileSync(file, { encoding: 'utf8' })).toBe(`${state}\nit's $HOME; x\nmenubar\n`);
  });

  it('replaces its own file and no other', () => {
    const folder = folderOf();
    writePlugin(folder, pluginName(5), pluginText(['/bin/true'], {}));
    const file = writePlugin(folder, pluginName(5), pluginText(['/bin/false'], {}));
    expect(readFileSync(file, 'utf8')).toContain('/bin/false');
    writeFileSync(file, '#!/bin/sh\necho mine\n');
    expect(() => writePlugin(folder, pluginName(5), 'x')).toThrow('was not written by agtmux');
    expect(() => writePlugin(join(folder, 'no'), pluginName(5), 'x')).toThrow('there is no folder');
  });
});

describe('the command', () => {
  it('prints the menu of the daemon, and starts none', async () => {
    await using daemon = new SmallDaemon();
    const args = ['menubar', '-s', daemon.socketPath] as const;
    const none = await runHere(...args);
    expect(none).toMatchObject({ code: 0 });
    expect(none.out).toContain('No daemon runs. | emojize=false ansi=false\n');
    await daemon.start();
    const data = dataOf([paneItem()]);
    daemon.handlers['list_panes'] = () => data.panes;
    daemon.handlers['list_sessions'] = () => data.sessions;
    daemon.handlers['list_windows'] = () => data.windows;
    const { code, out } = await runHere(...args);
    expect(code).toBe(0);
    expect(out.split('\n')[0]).toBe('1> | emojize=false ansi=false');
    expect(out).toContain('claude 1m main:1.0 Fix the parser');
  });
});
