// Makes the pages under docs/agents: one an agent, and their index. Programs, sources, hooks and
// recorded versions come from the code and the corpus, scores from docs/accuracy.md and
// docs/scoreboard.md; what only a person can say is in agent-notes.ts. Run by `npm run docs`.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Adapter } from '../src/agents/adapter.ts';
import { type AgentHooks, agentHooks, type HookFile } from '../src/hooks/agent-hooks.ts';
import { builtInFolder, loadRegistry, readRuleFile } from '../src/sources/rule-files.ts';
import { agentLimits, namingTitle, namingTitles, sourceNotes } from './agent-notes.ts';
import { cell } from './docs-cell.ts';
import { root } from './script-entry.ts';

const SCREEN = 'screen';
/** The agent without a program: its sources serve all others. */
const GENERIC = 'generic';
/** Sources that are on the screen or in the terminal's stream, and in no file or socket. */
const paneSources = new Set(['title', 'osc-7501', 'codex-exec']);

/** The sources of its own file, best first: without those that every agent has. */
function ownSources(agent: string): readonly string[] {
  const { content } = readRuleFile(join(builtInFolder(), agent, 'screen.toml'));
  return (content as { sources: { name: string }[] }).sources.map(({ name }) => name);
}

/** Whether the source works only once hooks are installed. */
const isHook = (agent: string, name: string): boolean =>
  agentHooks.some((hooks) => hooks.agent === agent) &&
  sourceNotes[name] === undefined &&
  /-(?:hooks|notify|events|extension)$/.test(name);

const listed = (words: Iterable<string>): string =>
  [...words].map((word) => `\`${word}\``).join(', ');

const bullets = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n');

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(line)].join('\n');
}

interface PageRow {
  readonly section: string;
  /** Its cells by the head of their column. */
  readonly cells: Readonly<Record<string, string>>;
}

/** The rows about an agent in the tables of a page that have these columns. */
function rowsOf(page: string, agent: string, columns: readonly string[]): readonly PageRow[] {
  let section = '';
  let heads: readonly string[] = [];
  return readFileSync(join(root, 'docs', page), 'utf8')
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('## ')) section = line.slice(3);
      const texts = line.split('|').map((text) => text.trim());
      if (!line.startsWith('|')) heads = [];
      else if (heads.length === 0) heads = texts;
      if (texts[1] !== agent || !columns.every((column) => heads.includes(column))) return [];
      const cells = Object.fromEntries(heads.map((head, place) => [head, texts[place] ?? '']));
      return [{ section, cells }];
    });
}

const recordedRows = (agent: string): readonly PageRow[] =>
  rowsOf('accuracy.md', agent, ['agent', 'records', 'macro F1']);

const liveColumns = ['version', 'mode', 'score', 'waits missed', 'measured'];
const liveRows = (agent: string): readonly PageRow[] =>
  rowsOf('scoreboard.md', agent, ['agent', ...liveColumns]);

/** The versions that were recorded, newest first, and how many recordings there are. */
function recordingsOf(agent: string): { versions: readonly string[]; count: number } {
  const files = globSync('*.json', { cwd: join(root, 'corpus', agent) });
  const versions = files.map((file) => {
    const text = readFileSync(join(root, 'corpus', agent, file), 'utf8');
    return String((JSON.parse(text) as { agent_version?: unknown }).agent_version ?? '');
  });
  const known = new Set(versions.filter((version) => /^\d/.test(version)));
  const newest = new Intl.Collator('en', { numeric: true });
  return {
    versions: [...known].sort((one, other) => newest.compare(other, one)),
    count: files.length,
  };
}

function identifySection({ identify, title }: Adapter): string {
  const facts = [
    `its program: ${listed(identify.executables)}`,
    ...(identify.packages.length > 0 ? [`the npm package ${listed(identify.packages)}`] : []),
    ...(identify.paths.length > 0 ? [`a path that holds ${listed(identify.paths)}`] : []),
  ];
  return [
    '## How it is recognised',
    `By the processes of the pane, whatever wraps them:\n\n${bullets(facts)}`,
    `Where processes cannot be seen, as behind ssh, ${title} is recognised by its screen.`,
  ].join('\n\n');
}

function sourcesSection({ agent }: Adapter): string {
  const read = ownSources(agent)
    .filter((name) => name !== SCREEN && !isHook(agent, name))
    .map((name) => {
      const isName = name === 'title' && namingTitles.has(agent);
      return `\`${name}\`: ${isName ? namingTitle : sourceNotes[name]}`;
    });
  return [
    '## What is read without hooks',
    `Best first:\n\n${bullets([...read, '`screen`: what the pane shows, by rules'])}`,
    '[Your own agent](../your-own-agent.md) lists what every agent may use besides: pane ' +
      'options,\nOSC 3008, OSC 7501, `agtmux emit` and `agtmux run`.',
  ].join('\n\n');
}

function eventsOf(file: HookFile): string {
  if (file.kind === 'entries') return listed(new Set(file.wanted.map(({ event }) => event)));
  return file.kind === 'notify' ? 'the key `notify`' : 'a file of its own';
}

function hooksSection(adapter: Adapter, hooks: AgentHooks | undefined): string {
  if (hooks === undefined) return '## What hooks add\n\nagtmux installs no hooks for it.';
  const setup = { home: '~', env: {}, project: '.', emitter: 'agtmux-emit' };
  const scopes = (['user', 'project'] as const).map((scope) => ({
    scope,
    files: hooks.files(setup, scope) ?? [],
  }));
  const folders = new Map<string, HookFile>();
  for (const { scope, files } of scopes) {
    for (const file of files) {
      const own = file.kind === 'own' && files.length > 1;
      folders.set(`${scope}|${own ? file.path.replace(/[^/]*$/, '') : file.path}`, file);
    }
  }
  const rows = [...folders].map(([key, file]) => {
    const [scope = '', path = ''] = key.split('|');
    return [scope, `\`${path}\``, eventsOf(file)];
  });
  return [
    '## What hooks add',
    'The same states from the agent itself, sooner and with the text of a request.',
    `\`\`\`console\n$ agtmux hooks diff ${adapter.agent}\n\`\`\``,
    table(['scope', 'file', 'what agtmux adds'], rows),
    ...(hooks.note === undefined ? [] : [hooks.note]),
    '[Hooks](../hooks.md) says how they are installed and removed.',
  ].join('\n\n');
}

function scoreSection(agent: string): string {
  const accuracy = recordedRows(agent);
  const live = liveRows(agent);
  const { versions, count } = recordingsOf(agent);
  const recorded =
    count === 0 ? 'There is no recording of it.' : `Recordings: ${count}, of ${listed(versions)}.`;
  const tables = [
    ...(accuracy.length === 0
      ? []
      : [
          table(
            ['recorded screens', 'recordings scored', 'macro F1'],
            accuracy.map(({ section, cells }) => [
              section.toLowerCase(),
              cells['records'] ?? '',
              cells['macro F1'] ?? '',
            ]),
          ),
        ]),
    ...(live.length === 0
      ? ['It was not run against the live daemon.']
      : [
          table(
            liveColumns.map((column) => (column === 'version' ? 'live, version' : column)),
            live.map(({ cells }) => liveColumns.map((column) => cells[column] ?? '')),
          ),
        ]),
  ];
  const how = 'How this is measured: [Accuracy](../accuracy.md), [Scoreboard](../scoreboard.md).';
  return ['## Score', recorded, ...tables, how].join('\n\n');
}

function renderAgent(adapter: Adapter): string {
  const hooks = agentHooks.find(({ agent }) => agent === adapter.agent);
  return `${[
    `# ${adapter.title}`,
    `Generated by \`npm run docs\` from \`src/agents/${adapter.agent}\`, the hook table, ` +
      `the corpus and\n` +
      'the measurements; do not edit by hand. Limits are in `scripts/agent-notes.ts`.',
    `Its name in agtmux is \`${adapter.agent}\`, as in \`agtmux list panes --agent ` +
      `${adapter.agent}\`.`,
    identifySection(adapter),
    sourcesSection(adapter),
    hooksSection(adapter, hooks),
    '## Known limits',
    bullets(agentLimits[adapter.agent] ?? []),
    scoreSection(adapter.agent),
  ].join('\n\n')}\n`;
}

/** The modes of the scoreboard that the index shows. */
const liveModes = ['without hooks', 'with hooks', 'over ssh'];

function renderIndex(adapters: readonly Adapter[]): string {
  const rows = adapters.map((adapter) => {
    const { agent, title } = adapter;
    const files = ownSources(agent).some(
      (name) => sourceNotes[name] !== undefined && !paneSources.has(name),
    );
    const live = liveRows(agent);
    const scores = liveModes.map(
      (mode) => live.find(({ cells }) => cells['mode'] === mode)?.cells['score'] ?? '-',
    );
    return [
      `[${title}](${agent}.md)`,
      `\`${agent}\``,
      files ? 'yes' : '-',
      agentHooks.some((hooks) => hooks.agent === agent) ? 'yes' : '-',
      ...scores,
    ];
  });
  const heads = ['agent', 'name', 'files or sockets', 'hooks', ...liveModes];
  return `# Agents that agtmux knows

Generated by \`npm run docs\`; do not edit by hand.

Each is recognised by its process and its screen. The third column says whether agtmux also reads
what the agent writes by itself, the fourth whether \`agtmux hooks install\` knows it. The last
columns are live scores: the share of time in which the daemon was right about the real program in
the latest run ([Scoreboard](../scoreboard.md)); \`-\` means that it was not measured.

${table(heads, rows)}

Anything else can report its state too: [Your own agent](../your-own-agent.md).
`;
}

/** The pages by their path. A source without words is an error, as is an agent without limits. */
export function agentPages(): Readonly<Record<string, () => string>> {
  const adapters = loadRegistry({}).adapters.filter(({ agent }) => agent !== GENERIC);
  for (const { agent } of adapters) {
    const unnamed = ownSources(agent).find(
      (name) => name !== SCREEN && sourceNotes[name] === undefined && !isHook(agent, name),
    );
    if (unnamed) throw new Error(`${agent}: no words for source ${unnamed} in agent-notes.ts`);
    if (agentLimits[agent] === undefined) throw new Error(`${agent}: no limits in agent-notes.ts`);
  }
  return {
    'docs/agents/README.md': () => renderIndex(adapters),
    ...Object.fromEntries(
      adapters.map((adapter) => [`docs/agents/${adapter.agent}.md`, () => renderAgent(adapter)]),
    ),
  };
}
