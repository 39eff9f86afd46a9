// Who may import whom: one row for each folder under src/, those to come included, and inside a row
// the order of its own folders. A folder that is not listed may not exist. ARCHITECTURE.md explains
// the shape; tests/tidy.test.ts holds it.

export type LazyImport = {
  readonly layers: readonly string[];
  // Only files whose path matches may do so; every file of the layer when absent.
  readonly from?: RegExp;
};

export type LayerRow = {
  // Pure folders have no I/O, no clock, no randomness and nothing to wait for.
  readonly pure: boolean;
  readonly imports: readonly string[];
  // Layers whose types may be named but whose code may not be loaded.
  readonly typeImports?: readonly string[];
  // Layers that may be reached by `import()` only, so that a quick command stays quick.
  readonly lazyImports?: readonly LazyImport[];
  // npm packages. Each one is argued for in docs/decisions.
  readonly packages: readonly string[];
  // Whether Node's own modules may be used.
  readonly node: boolean;
  // The folders in it ("rooms"), the lowest first: each may import itself and those before it. The
  // files at the root of the layer are the last room; one that others stand on is listed by name.
  readonly rooms?: readonly string[];
};

const pure = { pure: true, node: false } as const;
const shell = { pure: false, node: true } as const;

export const importTable: Readonly<Record<string, LayerRow>> = {
  // What every layer may share: no packages, so that quick commands can load it.
  text: { ...pure, imports: [], packages: [] },
  schema: {
    ...pure,
    imports: ['text'],
    packages: ['zod'],
    // Shapes that the others are made of come first.
    rooms: [
      'problems',
      'shapes.ts',
      'ids.ts',
      'state.ts',
      'evidence.ts',
      'notify',
      '.',
      'relay',
      'web',
      'api',
      'order',
    ],
  },
  core: {
    ...pure,
    imports: ['text', 'schema'],
    packages: [],
    rooms: ['phase.ts', 'world.ts', 'evidence', 'identity', 'state', 'reduce', 'view'],
  },
  agents: {
    ...pure,
    imports: ['text', 'schema'],
    packages: [],
    rooms: [
      ...['screen', 'adapter.ts', 'identify', 'signals', 'conversation', 'shared'],
      ...['amp', 'auggie', 'claude', 'cline', 'codex', 'copilot', 'cursor', 'gemini', 'generic'],
      ...['kilo', 'opencode', 'pi', 'qwen'],
      ...['.', 'classify'],
    ],
  },
  'tmux-wire': { ...pure, imports: ['schema'], packages: [] },
  platform: {
    ...shell,
    imports: ['schema'],
    packages: ['smol-toml'],
    rooms: ['text', 'rpc', 'files', 'process'],
  },
  tmux: {
    ...shell,
    imports: ['text', 'schema', 'tmux-wire', 'platform'],
    packages: ['@xterm/headless'],
    rooms: ['taps', 'views', 'invocation.ts', 'socket-probe.ts', 'host.ts', 'plain'],
  },
  ssh: {
    ...shell,
    imports: ['schema', 'tmux-wire', 'tmux', 'platform'],
    packages: [],
    rooms: ['connection', 'probe', 'remote'],
  },
  sources: {
    ...shell,
    imports: ['schema', 'agents', 'tmux-wire', 'tmux', 'platform'],
    // They hand in observations; what comes of them is decided in the core.
    typeImports: ['core'],
    packages: ['@xterm/headless', 'smol-toml'],
    // What all sources share, then one folder for each kind of signal, then the watch of a server.
    rooms: ['.', 'spool', 'taps', 'processes', 'panes', 'watch'],
  },
  'agent-files': {
    ...shell,
    imports: ['schema', 'agents', 'tmux-wire', 'tmux', 'platform', 'sources'],
    typeImports: ['core'],
    packages: ['ws'],
    rooms: [
      ...['files', 'conversations', 'readers', 'claude', 'cline', 'codex', 'copilot'],
      ...['session-bus', 'chats'],
    ],
  },
  // The only layer that types into panes.
  acting: {
    ...shell,
    imports: ['schema', 'agents', 'tmux-wire', 'tmux', 'platform'],
    packages: [],
    // Keys and prompts, then what answers a dialog.
    rooms: ['.', 'dialogs'],
  },
  // Node's own files are behind an interface: the same work is done on other machines.
  hooks: {
    ...shell,
    imports: ['platform'],
    typeImports: ['schema'],
    packages: ['smol-toml'],
    rooms: ['text', '.', 'mcp'],
  },
  store: {
    ...shell,
    imports: ['schema', 'platform'],
    packages: [],
    rooms: ['sqlite', 'tables', 'teams', 'migrations', 'migrations/first', 'readers'],
  },
  config: { ...shell, imports: ['text', 'schema', 'platform'], packages: ['smol-toml', 'zod'] },
  // Also in the process of the command, where no daemon answers.
  doctor: {
    ...shell,
    imports: [
      ...['text', 'schema', 'platform', 'tmux-wire', 'tmux', 'sources', 'hooks', 'store', 'config'],
    ],
    packages: [],
  },
  recording: {
    ...shell,
    imports: ['schema', 'core', 'platform', 'tmux-wire', 'tmux', 'store'],
    packages: [],
  },
  operations: {
    ...shell,
    imports: ['text', 'schema', 'core'],
    packages: ['zod'],
    rooms: ['ports', 'answer', 'acting', 'teams', 'relay', 'web'],
  },
  servers: {
    ...shell,
    imports: ['text', 'schema', 'operations', 'platform'],
    packages: [
      '@agentclientprotocol/sdk',
      '@hono/node-server',
      '@modelcontextprotocol/server',
      'hono',
      're2js',
      'ws',
      'zod',
    ],
    rooms: [
      ...['input-problem.ts', 'access.ts', 'json-rpc.ts', 'session.ts', 'rpc-peer.ts'],
      ...['rpc-over-http.ts', 'web/gate', 'web/pairing', 'web/converter', 'web'],
    ],
  },
  daemon: {
    ...shell,
    // The composition root: the only folder that knows all the others on the daemon's side.
    imports: [
      'text',
      'schema',
      'core',
      'agents',
      'tmux-wire',
      'platform',
      'tmux',
      'ssh',
      'sources',
      'agent-files',
      'acting',
      'hooks',
      'store',
      'config',
      'doctor',
      'recording',
      'operations',
      'servers',
      'render',
      'notify',
      'relay',
    ],
    lazyImports: [{ layers: ['mcp'], from: /^src\/daemon\/doors\// }],
    packages: ['smol-toml', 'zod'],
    // daemon-core.ts puts the first three together; the rest stands on it.
    rooms: [
      'engine',
      'health',
      'life',
      'daemon-core.ts',
      'acting',
      'hooks',
      'publishing',
      'pulling',
      'watching',
      'viewing',
      'conversing',
      'doors',
      'notifying',
      'teams',
      'messaging/identity',
      'messaging',
      'callers',
      'acp',
      'ports',
    ],
  },
  client: { ...shell, imports: ['platform'], typeImports: ['schema'], packages: [] },
  // Also for browsers: it loads nothing of Node. Of the other two it uses files that load nothing.
  'web-client': {
    pure: false,
    node: false,
    imports: ['platform', 'client'],
    typeImports: ['schema'],
    packages: [],
  },
  // Text for people, from data alone. It reads times, so it may name Date; it asks for none.
  render: {
    pure: false,
    node: false,
    imports: ['text', 'platform'],
    typeImports: ['schema'],
    packages: [],
    // What is told of all agents together, and of what was done to them.
    rooms: ['.', 'overview', 'acting', 'conversation', 'teams', 'messages'],
  },
  cli: {
    ...shell,
    imports: ['text', 'client', 'platform', 'render', 'tui'],
    typeImports: ['schema'],
    lazyImports: [
      { layers: ['daemon', 'servers', 'config', 'doctor'] },
      { layers: ['mcp'], from: /^src\/cli\/commands\/mcp\// },
      { layers: ['demo'], from: /^src\/cli\/commands\/setup\/demo\b/ },
      { layers: ['hooks'], from: /^src\/cli\/commands\/\w+\/(?:hooks|uninstall|mcp-entries)\b/ },
      { layers: ['relay'], from: /^src\/cli\/commands\/teams\// },
      {
        layers: ['core', 'agents', 'sources'],
        from: /^src\/cli\/commands\/\w+\/(?:classify|hooks|doctor|demo)\b/,
      },
    ],
    packages: ['uqr'],
    // The root only loads commands later, by import().
    rooms: [
      ...['.', 'output', 'completion', 'supervisor', 'menu-bar', 'watch', 'send', 'requests'],
      ...[
        'commands/overview',
        'commands/panes',
        'commands/actions',
        'commands/rules',
        'commands/setup',
        'commands/web',
        'commands/teams',
        'commands/messages',
        'commands/mcp',
        'commands/acp',
      ],
      'commands/notify',
    ],
  },
  // Of the schema only the order by attention is code; the rest would load zod.
  tui: {
    ...shell,
    imports: ['text', 'client', 'platform', 'render', 'schema'],
    packages: [],
    rooms: [
      ...['preferences.ts', 'model.ts', 'key-rows', 'key-table.ts', 'keys.ts', 'message.ts'],
      'steps.ts',
      ...['rows', 'view', 'pages', 'jump', 'acting', 'teams'],
    ],
  },
  // The tools by which agents use agtmux: a client of the daemon, started by the agents themselves.
  mcp: {
    ...shell,
    imports: ['text', 'client', 'platform', 'render'],
    typeImports: ['schema'],
    lazyImports: [{ layers: ['relay'], from: /^src\/mcp\/tools\/spawn-tools\b/ }],
    packages: ['@modelcontextprotocol/server', 'zod'],
    rooms: [
      ...['caller.ts', 'daemon-calls.ts', 'tool-result.ts', 'tool.ts', 'agent-fact.ts'],
      ...['message-fact.ts', 'transitions.ts', 'tools', 'resources.ts', 'mcp-server.ts'],
    ],
  },
  demo: { ...shell, imports: ['client', 'platform'], packages: [] },
  // Of the schema only the order by attention is code; the rest would load zod.
  web: {
    pure: false,
    node: false,
    imports: ['text', 'schema', 'render', 'web-client'],
    packages: ['@xterm/addon-fit', '@xterm/xterm', 'lit'],
    // What is shown as data, then what draws it.
    rooms: ['public', 'terminal', 'state', 'control', 'components', 'pane', 'pages'],
  },
  // What a person is told: a pure policy, and the channels that deliver. Loaded while it is on.
  notify: {
    ...shell,
    imports: ['text', 'schema', 'platform', 'render'],
    packages: [],
    rooms: ['policy', 'message', 'push', 'channels'],
  },
  // Teams. Their files, how their members come and go, and what they write to each other.
  relay: {
    ...shell,
    imports: ['text', 'schema', 'core', 'platform'],
    packages: ['@agentclientprotocol/sdk', 're2js', 'smol-toml', 'zod'],
    rooms: ['config', 'bundles', 'policy', 'messages', 'acp'],
  },
};

// Node modules that only some layers may use, and what the others use in their place.
export const guardedNodeModules: Readonly<
  Record<string, { readonly layers: readonly string[]; readonly instead: string }>
> = {
  'node:child_process': {
    layers: ['platform'],
    instead: 'processes start in platform/process/child.ts',
  },
  'node:sqlite': {
    // Agents keep sessions in databases of their own, which only their readers open.
    layers: ['store', 'daemon', 'agent-files'],
    instead: 'SQLite is hidden behind store/',
  },
};

// Packages a unit test may use whatever its layer.
export const testPackages: readonly string[] = ['vitest', 'fast-check'];

// Programs that are started by their own path; nothing imports them.
export const entryFiles: readonly string[] = [
  'src/cli/main.ts',
  'src/daemon/main.ts',
  'src/store/damage-worker.ts',
  'src/tmux/tap-worker.ts',
  'src/client/client.ts',
  'src/web-client/web-client.ts',
  'src/web/app.ts',
  'src/web/terminal/agtmux-terminal.ts',
  'src/web/terminal/adapter-page.ts',
  'src/web/page-worker.ts',
  'src/web/share-page.ts',
];

// Packages that were weighed and refused, each with the reason.
export const forbiddenPackages: Readonly<Record<string, string>> = {
  'better-sqlite3': 'needs a compiler or crashes on old Node; node:sqlite does the same work',
  'dependency-cruiser': 'does not see TypeScript files under TypeScript 7; the tidy test does',
  eslint: 'has no typed rules under TypeScript 7; biome does format and lint in one',
  execa: 'brings 18 packages; platform/process/child.ts owns the long-lived processes that we need',
  fastify: 'brings 47 packages; hono with its server and ws are three',
  ink: 'brings 37 packages and 240 ms to start; plain ANSI rows do the same',
  node: 'needs an install script; tools/runtime brings Node without one',
  'node-pty': 'needs a compiler; tmux is the terminal',
  ssh2: "does not read the user's ssh configuration; the system's ssh does",
  tsdown: 'cannot be installed; esbuild bundles',
};
