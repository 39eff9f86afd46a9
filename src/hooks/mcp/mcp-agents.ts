// Where each agent keeps its MCP servers, and how it writes one: for all projects of the user. Pure
// data and paths.

import { isAbsolute, join } from 'node:path';

/** How `agtmux mcp` is started. */
export interface McpProgram {
  readonly command: string;
  readonly args: readonly string[];
}

export interface McpUser {
  readonly home: string;
  /** The environment variables that set where agents keep their files. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type McpFile =
  | {
      readonly kind: 'json';
      /** The first of them that exists; else the first. */
      readonly paths: readonly string[];
      /** The member of the file that holds all servers. */
      readonly servers: string;
      readonly entry: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'toml'; readonly paths: readonly string[]; readonly program: McpProgram };

export interface McpAgent {
  readonly agent: string;
  /** Names of its program. */
  readonly programs: readonly string[];
  /** Its folder: where this exists, the agent is used here. */
  readonly folder: (user: McpUser) => string;
  readonly file: (user: McpUser, program: McpProgram) => McpFile;
  readonly note: string;
}

const folderIn = ({ env, home }: McpUser, variable: string, usual: string): string => {
  const named = env[variable];
  return named !== undefined && isAbsolute(named) ? named : join(home, usual);
};

const restart = 'A running agent has the tools after its next start.';

const claudeFolder = (user: McpUser): string => folderIn(user, 'CLAUDE_CONFIG_DIR', '.claude');
const claude: McpAgent = {
  agent: 'claude',
  programs: ['claude'],
  folder: claudeFolder,
  file: (user, { command, args }) => ({
    kind: 'json',
    // Beside its folder, unless that was moved.
    paths: [
      user.env['CLAUDE_CONFIG_DIR']
        ? join(claudeFolder(user), '.claude.json')
        : join(user.home, '.claude.json'),
    ],
    servers: 'mcpServers',
    entry: { type: 'stdio', command, args },
  }),
  note: `${restart} Claude Code shows the tools to its model by name, and the rest on a search.`,
};

const codexFolder = (user: McpUser): string => folderIn(user, 'CODEX_HOME', '.codex');
const codex: McpAgent = {
  agent: 'codex',
  programs: ['codex'],
  folder: codexFolder,
  file: (user, program) => ({
    kind: 'toml',
    paths: [join(codexFolder(user), 'config.toml')],
    program,
  }),
  note: restart,
};

/** An agent with one JSON file in its folder. */
const jsonAgent = (traits: {
  readonly agent: string;
  readonly folder: (user: McpUser) => string;
  readonly files: readonly string[];
  readonly servers?: string;
  readonly entry: (program: McpProgram) => Readonly<Record<string, unknown>>;
  readonly note?: string;
}): McpAgent => ({
  agent: traits.agent,
  programs: [traits.agent],
  folder: traits.folder,
  file: (user, program) => ({
    kind: 'json',
    paths: traits.files.map((name) => join(traits.folder(user), name)),
    servers: traits.servers ?? 'mcpServers',
    entry: traits.entry(program),
  }),
  note: traits.note ?? restart,
});

const plain = ({ command, args }: McpProgram) => ({ command, args });
const oneList = ({ command, args }: McpProgram) => ({
  ...{ type: 'local', command: [command, ...args], enabled: true },
});
const xdg =
  (name: string) =>
  (user: McpUser): string =>
    join(folderIn(user, 'XDG_CONFIG_HOME', '.config'), name);

export const mcpAgents: readonly McpAgent[] = [
  claude,
  codex,
  jsonAgent({
    agent: 'gemini',
    folder: (user) => join(folderIn(user, 'GEMINI_CLI_HOME', ''), '.gemini'),
    files: ['settings.json'],
    entry: plain,
  }),
  jsonAgent({
    agent: 'copilot',
    folder: (user) => folderIn(user, 'COPILOT_HOME', '.copilot'),
    files: ['mcp-config.json'],
    entry: (program) => ({ type: 'local', ...plain(program), tools: ['*'] }),
    note: 'A running Copilot has the tools within seconds.',
  }),
  jsonAgent({
    agent: 'opencode',
    folder: xdg('opencode'),
    files: ['opencode.json', 'opencode.jsonc'],
    servers: 'mcp',
    entry: oneList,
  }),
  jsonAgent({
    agent: 'kilo',
    folder: xdg('kilo'),
    files: ['kilo.json'],
    servers: 'mcp',
    entry: oneList,
  }),
  jsonAgent({
    agent: 'qwen',
    folder: (user) => folderIn(user, 'QWEN_HOME', '.qwen'),
    files: ['settings.json'],
    entry: plain,
    note: 'A running Qwen Code has the tools within seconds.',
  }),
  jsonAgent({
    agent: 'cline',
    folder: (user) => folderIn(user, 'CLINE_DIR', '.cline'),
    files: ['data/settings/cline_mcp_settings.json'],
    entry: (program) => ({ transport: { type: 'stdio', ...plain(program) } }),
  }),
];
