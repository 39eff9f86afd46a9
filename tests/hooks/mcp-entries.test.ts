// Our MCP server in the agents' own configuration: added once, updated, and removed without a
// trace, whatever the layout of the file.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localEdits } from '../../src/hooks/local-edits.ts';
import {
  type McpAction,
  mcpAgentNames,
  workOnMcpEntries,
} from '../../src/hooks/mcp/mcp-installer.ts';

let home = '';
let nowMs = 1_700_000_000_000;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'agtmux-mcp-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const program = { command: 'agtmux', args: ['mcp'] };
const work = (action: McpAction, agents: readonly string[], args = program.args) => {
  nowMs += 1;
  const user = { home, env: {} };
  return workOnMcpEntries({
    ...{ action, agents, files: localEdits, user, nowMs },
    program: { ...program, args },
  });
};
const put = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

describe('the entry of every agent', () => {
  it.each(mcpAgentNames)('%s: comes with a file of its own and goes with it', async (agent) => {
    const [done] = await work('install', [agent]);
    expect(done).toMatchObject({ state: 'installed', change: 'created', problem: null });
    const path = done?.path ?? '';
    const text = readFileSync(path, 'utf8');
    expect(text).toContain('agtmux');
    expect(await work('status', [agent])).toMatchObject([{ state: 'installed', change: 'none' }]);
    expect(await work('install', [agent])).toMatchObject([{ change: 'none' }]);
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(await work('install', [agent], ['mcp', '--other'])).toMatchObject([
      { change: 'changed' },
    ]);
    expect(await work('status', [agent])).toMatchObject([{ state: 'outdated' }]);
    expect(await work('uninstall', [agent])).toMatchObject([{ change: 'removed' }]);
    expect(existsSync(path)).toBe(false);
  });

  it('writes what each host reads', async () => {
    const done = await work('install', mcpAgentNames);
    const entryOf = (agent: string): unknown => {
      const { path } = done.find((each) => each.agent === agent) ?? { path: '' };
      const root = JSON.parse(readFileSync(path, 'utf8')) as Record<string, never>;
      return (root['mcpServers'] ?? root['mcp'])?.['agtmux'];
    };
    expect(entryOf('claude')).toEqual({ type: 'stdio', ...program });
    expect(entryOf('copilot')).toEqual({ type: 'local', ...program, tools: ['*'] });
    const oneList = { type: 'local', command: ['agtmux', 'mcp'], enabled: true };
    expect(entryOf('opencode')).toEqual(oneList);
    expect(entryOf('cline')).toEqual({ transport: { type: 'stdio', ...program } });
    const codex = readFileSync(join(home, '.codex/config.toml'), 'utf8');
    expect(codex).toContain('[mcp_servers.agtmux]\ncommand = "agtmux"\nargs = ["mcp"]\n');
    expect(codex).toContain('"TMUX_PANE"');
  });

  it('works on the agents of this machine where none is named', async () => {
    expect(await work('install', [])).toEqual([]);
    mkdirSync(join(home, '.gemini'));
    expect((await work('status', [])).map(({ agent }) => agent)).toEqual(['gemini']);
  });
});

const json = [
  '{}',
  '{}\n',
  '{\n}\n',
  '{"theme":"dark"}',
  '{\n  "theme": "dark"\n}\n',
  '{\n\t"theme": "dark",\n\t"mcpServers": {}\n}',
  '{\r\n    "mcpServers": {\r\n        "other": { "command": "x" }\r\n    }\r\n}\r\n',
  '{ "mcpServers": { "other": {"command":"x"} }, "last": [1,2] }',
  '\uFEFF{\n  "mcpServers": {\n    "other": {}\n  }\n}',
];
const toml = [
  'model = "gpt"',
  'model = "gpt"\n',
  'model = "gpt"\r\n[projects."/srv"]\r\ntrust_level = "trusted"\r\n',
  '# mine\n\n[mcp_servers.other]\ncommand = "x"\n\n\n',
  'text = """\n[not_a_table]\n"""\n',
];

describe('a file of the user', () => {
  it.each(json)('JSON %j is as before after the removal', async (text) => {
    const path = join(home, '.gemini/settings.json');
    put(path, text);
    expect(await work('install', ['gemini'])).toMatchObject([
      { state: 'installed', change: 'changed', problem: null },
    ]);
    const { mcpServers, ...rest } = JSON.parse(readFileSync(path, 'utf8').replace('\uFEFF', ''));
    expect(mcpServers.agtmux).toEqual(program);
    const { mcpServers: _before, ...others } = JSON.parse(text.replace('\uFEFF', ''));
    expect(rest).toEqual(others);
    await work('uninstall', ['gemini']);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it.each(toml)('TOML %j is as before after the removal', async (text) => {
    const path = join(home, '.codex/config.toml');
    put(path, text);
    expect(await work('install', ['codex'])).toMatchObject([{ state: 'installed', problem: null }]);
    await work('uninstall', ['codex']);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('of Codex loses what Codex has added below our table, and nothing else', async () => {
    const path = join(home, '.codex/config.toml');
    put(path, 'model = "gpt"\n');
    await work('install', ['codex']);
    const added = '\n[mcp_servers.agtmux.tools.look]\napproval_mode = "approve"\n';
    const own = '\n[projects."/srv"]\ntrust_level = "trusted"\n';
    put(path, readFileSync(path, 'utf8') + added + own);
    await work('uninstall', ['codex']);
    expect(readFileSync(path, 'utf8')).toBe(`model = "gpt"\n${own}`);
  });

  it.each([
    ['', '\n# mine\n[x]\na = 1\n'],
    ['model = "gpt"\n', '\n\n# mine\n'],
    ['model = "gpt"\r\n', '# mine\r\n\r\n[x]\r\na = 1\r\n'],
  ])('TOML %j keeps %j below our table', async (before, below) => {
    const path = join(home, '.codex/config.toml');
    put(path, before);
    await work('install', ['codex']);
    put(path, readFileSync(path, 'utf8') + below);
    expect(await work('uninstall', ['codex'])).toMatchObject([
      { state: 'absent', change: 'changed' },
    ]);
    expect(readFileSync(path, 'utf8')).toBe(before + below);
  });

  it('of Codex keeps keys and comments in our table, with another command line', async () => {
    const path = join(home, '.codex/config.toml');
    const table = (args: string): string =>
      [
        ...['# ours', '[mcp_servers.agtmux] # here', 'startup_timeout_sec = 20', ''],
        ...['command = "agtmux" # found', `args = ${args} # why`, 'enabled_tools = [', '  "look",'],
        ...[']', '', '[mcp_servers.agtmux.env]', 'A = "1"', '', '# mine', '[x]', ''],
      ].join('\n');
    put(path, table('[\n  "mcp", # old\n]'));
    expect(await work('status', ['codex'])).toMatchObject([{ state: 'installed' }]);
    await work('install', ['codex'], ['mcp', '--new']);
    expect(readFileSync(path, 'utf8')).toBe(table('["mcp", "--new"]'));
    await work('uninstall', ['codex']);
    expect(readFileSync(path, 'utf8')).toBe('# ours\n\n# mine\n[x]\n');
  });

  it('of Codex gets lines that our table lacks, and our table where it is missing', async () => {
    const path = join(home, '.codex/config.toml');
    put(path, '[mcp_servers.agtmux]\nenabled = false');
    await work('install', ['codex']);
    const lines = ['args = ["mcp"]', 'command = "agtmux"', 'enabled = false'];
    expect(readFileSync(path, 'utf8')).toBe(['[mcp_servers.agtmux]', ...lines].join('\n'));
    put(path, '[mcp_servers.agtmux.env]\nA = "1"\n');
    expect(await work('install', ['codex'])).toMatchObject([{ state: 'installed', problem: null }]);
    expect(await work('uninstall', ['codex'])).toMatchObject([{ change: 'removed' }]);
  });

  it.each([
    ['gemini', ['"mcpServers"', '"agtmux"']],
    ['cline', ['"mcpServers"', '"agtmux"']],
    ['cline', ['"mcpServers"', '"agtmux"', '"transport"']],
    ['opencode', ['"mcp"', '"agtmux"']],
  ])('of %s keeps what was set in our entry, in %j', async (agent, members) => {
    const [done] = await work('install', [agent]);
    const path = done?.path ?? '';
    const added = ' "disabled": true, "env": {"A": "1"}, // mine\n';
    const edit = (text: string): string => {
      let at = 0;
      for (const member of members) at = text.indexOf('{', text.indexOf(member, at)) + 1;
      return text.slice(0, at) + added + text.slice(at);
    };
    const plain = readFileSync(path, 'utf8');
    put(path, edit(plain));
    expect(await work('status', [agent])).toMatchObject([{ state: 'installed' }]);
    expect(await work('install', [agent])).toMatchObject([{ change: 'none' }]);
    expect(await work('install', [agent], ['mcp', '--new'])).toMatchObject([{ change: 'changed' }]);
    const text = readFileSync(path, 'utf8');
    expect(text).toBe(edit(plain).replace('"mcp"]', '"mcp","--new"]'));
    expect(await work('uninstall', [agent])).toMatchObject([{ change: 'removed' }]);
    expect(existsSync(path)).toBe(false);
  });

  it('of Gemini gets the members that our entry lacks', async () => {
    const path = join(home, '.gemini/settings.json');
    put(path, '{"mcpServers":{"agtmux":{"trust":true,"command":7}}}');
    expect(await work('status', ['gemini'])).toMatchObject([{ state: 'outdated' }]);
    await work('install', ['gemini']);
    const entry = '{"trust":true,"command":"agtmux", "args": ["mcp"]}';
    expect(readFileSync(path, 'utf8')).toBe(`{"mcpServers":{"agtmux":${entry}}}`);
  });

  it.each([
    ['gemini', '.gemini/settings.json', '{ "mcpServers": 7 }'],
    ['gemini', '.gemini/settings.json', '{ broken'],
    ['gemini', '.gemini/settings.json', '{"mcpServers":{"agtmux":{}},"mcpServers":{}}'],
    ['codex', '.codex/config.toml', 'broken ='],
    ['codex', '.codex/config.toml', '[mcp_servers]\nagtmux = { command = "x" }\n'],
  ])('%s %s %j is left as it is', async (agent, name, text) => {
    const path = join(home, name);
    put(path, text);
    const [done] = await work('install', [agent]);
    expect(done).toMatchObject({ state: 'unreadable', change: 'none' });
    expect(done?.problem).not.toBeNull();
    expect(readFileSync(path, 'utf8')).toBe(text);
  });
});
