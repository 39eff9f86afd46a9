// Our own views show the screens of agents, and the ssh of the demo hides nothing: a pane with one
// of them in its foreground holds no agent.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadCorpus } from '../../bench/accuracy/corpus.ts';
import { root } from '../../scripts/script-entry.ts';
import { viewRecord } from '../../src/agents/classify/classify-pane.ts';
import { identifyPane } from '../../src/agents/identify/identify-pane.ts';
import type { ProcessInfo } from '../../src/agents/identify/process-tree.ts';
import { parseVisibleRecord } from '../../src/schema/record.ts';
import { loadRegistry } from '../../src/sources/rule-files.ts';

const { adapters } = loadRegistry({});
const [screen] = loadCorpus(join(root, 'corpus')).flatMap(({ name, raw }) => {
  const visible = name === 'codex/104-running' ? parseVisibleRecord(raw) : null;
  return visible === null ? [] : [viewRecord(visible, true)];
});

/** The agent of a pane whose processes were each started by the one before. */
function agentOf(command: string, ...tree: readonly (readonly string[])[]): string | null {
  if (screen === undefined) throw new Error('it is not recorded');
  const processes = tree.map(
    (argv, index): ProcessInfo => ({
      pid: index + 1,
      ppid: index,
      comm: argv[0] ?? '',
      argv,
      stat: 'S+',
    }),
  );
  return identifyPane({ processes, command, screen }, adapters).adapter?.agent ?? null;
}

const node = ['/usr/bin/node', '/opt/agtmux/bin/agtmux.js'];
const ssh = ['ssh', '-F', '/tmp/demo/ssh_config', 'build-vm'];

describe('a pane that shows the screen of an agent', () => {
  it('holds that agent where only ssh is seen', () => {
    expect(agentOf('ssh', ['bash'], ssh)).toBe('codex');
  });

  it('holds none where `npm start` runs the demo, which started the ssh', () => {
    const npm = [['bash'], ['npm start'], ['sh', '-c', 'node scripts/start.mjs']];
    const start = ['node', 'scripts/start.mjs'];
    expect(agentOf('node', ...npm, start, [...node, 'demo'], ssh)).toBeNull();
  });

  it.each([
    [[...node, 'demo'], [...node, 'daemon', 'run', '--socket-path', '/tmp/s'], ssh],
    [['/usr/bin/node', '--no-warnings', '/usr/bin/agtmux'], ssh],
    [
      [...node, 'tui'],
      ['tmux', 'attach', '-t', '=work'],
    ],
    [[...node, 'sidebar'], ssh],
    [[...node, 'tui']],
  ])('holds none where the first process is agtmux: %j', (...tree) => {
    expect(agentOf('node', ...tree)).toBeNull();
  });

  it('holds the agent that runs a command of agtmux, and the one under `agtmux run`', () => {
    expect(agentOf('codex', ['bash'], ['codex'], ['sh'], [...node, 'wait'])).toBe('codex');
    expect(agentOf('node', ['bash'], [...node, 'run', '--', 'codex'], ['codex'])).toBe('codex');
  });
});
