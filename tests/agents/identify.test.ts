// Who is in a pane: the process tree decides; where it cannot be read, the command's own name, or a
// wrapper or opaque command with a screen that proves the agent. Titles alone never do.

import { describe, expect, it } from 'vitest';
import { viewRecord } from '../../src/agents/classify/classify-pane.ts';
import { commandName, isOpaque, isShell } from '../../src/agents/identify/command.ts';
import { identifyPane } from '../../src/agents/identify/identify-pane.ts';
import { matchesProcess } from '../../src/agents/identify/match.ts';
import { type ProcessInfo, parseProcessTree } from '../../src/agents/identify/process-tree.ts';
import { loadRegistry } from '../../src/sources/rule-files.ts';

const { adapters } = loadRegistry({});
const BOX = ['❯ hello', '', '─'.repeat(60), '❯ ', '─'.repeat(60), '  ? for shortcuts'];

const EMPTY = { capture: [], pane_title: '', pane_current_command: '', cols: 80, rows: 24 };

interface Pane {
  readonly tree?: readonly (readonly string[])[];
  readonly command: string;
  readonly title?: string;
  readonly lines?: readonly string[];
  readonly tagged?: string;
}

// Each row of the tree is one process, the child of the row before it.
function processes(rows: readonly (readonly string[])[]): readonly ProcessInfo[] {
  return rows.map((argv, index) => ({
    pid: 100 + index,
    ppid: 99 + index,
    comm: commandName(argv[0] ?? ''),
    argv,
  }));
}

function identify({ tree, command, title = '', lines = [], tagged }: Pane) {
  const screen = viewRecord({
    capture: [...lines],
    pane_title: title,
    pane_current_command: command,
    cols: 80,
    rows: 24,
  });
  return identifyPane(
    { processes: tree ? processes(tree) : null, command, screen, tagged },
    adapters,
  );
}

const agentOf = (pane: Pane): string | null => identify(pane).adapter?.agent ?? null;
const under = (...argv: string[]): Pane => ({ tree: [['-zsh'], argv], command: 'node' });

describe('a process tree', () => {
  it.each<readonly [string, readonly string[]]>([
    ['claude', ['/usr/bin/claude', '--continue']],
    ['claude', ['claude']],
    ['claude', ['2.1.325']],
    ['claude', ['/home/u/.local/share/claude/versions/2.1.325', '--resume']],
    [
      'claude',
      ['node', '--max-old-space-size', '8000', '/x/node_modules/@anthropic-ai/claude-code/cli.js'],
    ],
    ['codex', ['/x/node_modules/@openai/codex-linux-x64/vendor/x/bin/codex', '--no-daemon']],
    ['codex', ['node', '/usr/local/bin/codex']],
    [
      'gemini',
      ['/opt/node/bin/node', '/x/node_modules/@google/gemini-cli/dist/index.js', '-m', 'x'],
    ],
    ['gemini', ['npx', '-y', '@google/gemini-cli@latest']],
    ['gemini', ['npm', 'exec', '@google/gemini-cli']],
    ['opencode', ['bun', 'run', '/x/node_modules/opencode-ai/bin/opencode']],
    ['copilot', ['/x/node_modules/@github/copilot-linux-x64/copilot']],
    ['qwen', ['deno', 'run', '-A', 'npm:@qwen-code/qwen-code@0.24']],
    ['kilo', ['bunx', '@kilocode/cli']],
    ['codex', ['npx', '-p', '@openai/codex', 'codex']],
    ['codex', ['npx', '--package=@openai/codex', 'codex']],
    ['claude', ['2.1.326-beta.1']],
    ['gemini', ['node', '--odd', '9', '/x/node_modules/@google/gemini-cli/dist/index.js']],
    ['codex', ['node', '/x/node_modules/@openai/codex-sdk/node_modules/@openai/codex/bin/c.js']],
    ['cursor', ['/home/u/.local/share/cursor-agent/versions/2026/node', 'index.js']],
  ])('finds %s in %j', (agent, argv) => {
    expect(agentOf(under(...argv))).toBe(agent);
  });

  it.each<readonly string[]>([
    ['node'],
    ['node', '/home/dev/codex/server.js'],
    ['node', 'gemini.js'],
    ['node', '-e', 'console.log("claude")'],
    ['node', '--require', '/x/node_modules/@google/gemini-cli/x.js', 'server.js'],
    ['less', '/home/dev/claude/notes.md'],
    ['vim', 'codex'],
    ['git', '-C', '/work/claude', 'status'],
    ['codex', 'app-server', '--listen', 'unix:///x'],
    ['cline', '--cline-hub-daemon'],
    ['tail', '-f', '/x/node_modules/@openai/codex/log'],
    ['claude-monitor'],
    ['codex', '-c', 'a=b', 'app-server'],
    ['node', '/x/node_modules/@openai/codex/bin/codex.js', 'app-server'],
    ['node', '/x/node_modules/@anthropic-ai/claude-code/cli.js', 'mcp', 'serve'],
    ['npm', 'run', 'claude'],
    ['node', 'server.js', '/x/node_modules/@google/gemini-cli/dist/index.js'],
    ['node', '/x/node_modules/@google/gemini-cli/node_modules/some-mcp/index.js'],
    ['/x/node_modules/@anthropic-ai/claude-code/vendor/ripgrep/rg', 'foo'],
  ])('finds no agent in %j', (...argv) => {
    expect(agentOf(under(...argv))).toBeNull();
  });

  it('takes the outermost agent as the runtime and the others as its children', () => {
    const found = identify({
      tree: [['bash'], ['claude'], ['bash', '-c', 'codex exec'], ['codex', 'exec']],
      command: 'claude',
    });
    expect(found.adapter?.agent).toBe('claude');
    expect(found.process?.pid).toBe(101);
    expect(found.children.map((child) => child.adapter.agent)).toEqual(['codex']);
  });

  const row = (pid: number, ppid: number, stat: string, ...argv: string[]): ProcessInfo => ({
    pid,
    ppid,
    stat,
    comm: commandName(argv[0] ?? ''),
    argv,
  });
  const screen = viewRecord(EMPTY);
  const look = (...all: ProcessInfo[]) =>
    identifyPane({ processes: all, command: 'node', screen }, adapters);

  it('prefers an agent that runs to a stopped one, and the foreground', () => {
    const shell = row(1, 0, 'Ss', 'bash');
    const found = look(shell, row(2, 1, 'T', 'claude'), row(3, 1, 'S+', 'codex'));
    expect(found).toMatchObject({ adapter: { agent: 'codex' }, suspended: false, children: [] });
    const two = look(shell, row(2, 1, 'S', 'claude'), row(3, 1, 'S+', 'codex'));
    expect(two.adapter?.agent).toBe('codex');
  });

  it('counts a wrapper and the program that it starts as one', () => {
    const script = '/x/node_modules/@google/gemini-cli/dist/index.js';
    const wrapper = row(2, 1, 'S+', 'node', '/usr/bin/gemini');
    const inner = row(3, 2, 'S+', 'node', script);
    expect(look(row(1, 0, 'Ss', 'bash'), wrapper, inner).children).toEqual([]);
    const shell = row(4, 3, 'S+', 'bash');
    const started = look(wrapper, inner, shell, row(5, 4, 'S+', 'node', script));
    expect(started.children.map(({ process }) => process.pid)).toEqual([5]);
  });

  it('is cut before a pattern of not_argv sees it', () => {
    const [claude] = adapters.filter(({ agent }) => agent === 'claude');
    const identifySpec = { ...claude!.identify, notArgv: [/end$/] };
    const long = row(2, 1, 'S+', 'claude', `${'x'.repeat(600)}end`);
    expect(matchesProcess(identifySpec, long)).toBe(true);
  });

  it('outranks title, command and screen', () => {
    const pane = {
      tree: [['bash'], ['node']],
      command: 'node',
      title: '✳ Claude Code',
      lines: BOX,
    };
    expect(agentOf(pane)).toBeNull();
    expect(agentOf({ ...pane, tree: [['bash'], ['sleep', '3']], command: 'claude' })).toBeNull();
  });

  it('knows a stopped agent, and does not count a dead one', () => {
    const row = { pid: 2, ppid: 1, comm: 'claude', argv: ['claude'] };
    const screen = identify({ command: 'bash' });
    expect(screen.adapter).toBeNull();
    const view = viewRecord({
      capture: [],
      pane_title: '',
      pane_current_command: '',
      cols: 1,
      rows: 1,
    });
    const look = (stat: string) =>
      identifyPane({ processes: [{ ...row, stat }], command: 'bash', screen: view }, adapters);
    expect(look('T').suspended).toBe(true);
    expect(look('Z').adapter).toBeNull();
  });
});

describe('without a process tree', () => {
  it.each(['claude', '/usr/bin/claude', 'Claude', 'claude.exe', '2.1.325'])(
    '%s is claude',
    (command) => {
      expect(identify({ command })).toMatchObject({
        basis: 'command',
        adapter: { agent: 'claude' },
      });
    },
  );

  it.each(['node', 'ssh', 'mosh-client', 'docker', 'podman', 'kubectl', 'tmux'])(
    '%s needs a screen that proves the agent',
    (command) => {
      expect(agentOf({ command, lines: BOX })).toBe('claude');
      expect(agentOf({ command, lines: ['$ ls'] })).toBeNull();
      expect(agentOf({ command, title: '✳ Claude Code' })).toBeNull();
    },
  );

  it('a wrapper with a title alone is rejected, and says so', () => {
    const found = identify({ command: 'node', title: '✳ Claude Code' });
    expect(found).toMatchObject({ adapter: null, reason: 'signature_guard_rejected' });
  });

  it.each(['bash', '-zsh', '/usr/local/bin/fish', 'Dash', 'less', 'vim', 'sleep', 'python3'])(
    'neither screen nor title promotes over %s',
    (command) => {
      expect(agentOf({ command, lines: BOX, title: '✳ Claude Code' })).toBeNull();
    },
  );

  it('no command promotes by its screen for a raw screen only', () => {
    expect(agentOf({ command: '', lines: BOX })).toBeNull();
    const raw = viewRecord({ ...EMPTY, capture: BOX });
    const found = identifyPane(
      { processes: null, command: '', screen: raw, isRaw: true },
      adapters,
    );
    expect(found.adapter?.agent).toBe('claude');
  });

  it('a tag promotes an opaque pane or any command, and never a shell', () => {
    expect(identify({ command: 'mywrapper', tagged: 'codex' })).toMatchObject({ basis: 'tag' });
    expect(identify({ command: 'ssh', tagged: 'codex' })).toMatchObject({ basis: 'tag' });
    expect(agentOf({ command: 'bash', tagged: 'codex' })).toBeNull();
  });
});

describe('an opaque pane', () => {
  it('is one whose foreground runs elsewhere', () => {
    const pane = { tree: [['bash'], ['ssh', 'vm1']], command: 'ssh', lines: BOX };
    expect(identify(pane)).toMatchObject({ opaque: true, basis: 'screen' });
    const inner = { tree: [['bash'], ['sudo', 'ssh', 'h'], ['ssh', 'h']], command: 'sudo' };
    expect(identify({ ...inner, lines: BOX })).toMatchObject({ opaque: true, basis: 'screen' });
    expect(isOpaque('docker', ['exec', '-it', 'x', 'sh'])).toBe(true);
    expect(isOpaque('docker', ['ps'])).toBe(false);
  });
});

describe('command names', () => {
  it.each([
    'zsh',
    '-zsh',
    '/bin/bash',
    'FISH',
    'sh',
    'dash',
    'nu',
    'pwsh',
    'tcsh',
    'csh',
    'ksh',
    'ash',
  ])('%s is a shell', (command) => expect(isShell(command)).toBe(true));
});

describe('a recorded tree', () => {
  it('is read with its forest marks, and broken rows are skipped', () => {
    const text = [
      '  PID  PPID STAT COMMAND         COMMAND',
      '10560 16395 Ss   bash            bash --norc',
      '10620 10560 Sl+   \\_ claude       \\_ /opt/claude --continue',
      'what is this',
    ].join('\n');
    expect(parseProcessTree(text)).toEqual([
      { pid: 10560, ppid: 16395, stat: 'Ss', comm: 'bash', argv: ['bash', '--norc'] },
      { pid: 10620, ppid: 10560, stat: 'Sl+', comm: 'claude', argv: ['/opt/claude', '--continue'] },
    ]);
  });
});
