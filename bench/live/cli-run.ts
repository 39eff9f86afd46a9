// What one question on the command line costs beside a bare Node, with a daemon that runs. Both
// take turns in one run, because machines are shared and noisy.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './clock.ts';
import { makeSession } from './fake-panes.ts';
import { type Check, type Spread, spreadOf } from './figures.ts';
import { startDaemon } from './live-daemon.ts';
import { agtmuxBin, Place, root } from './place.ts';
import { timedRun } from './timed-run.ts';

export interface CliFigures {
  readonly bareNode: Spread;
  readonly listPanes: Spread;
  readonly tmuxStatus: Spread;
  /** Packages in the daemon's files that it must not load at rest. */
  readonly heavyPackages: readonly string[];
}

/** These serve the web and MCP; a daemon at rest has no use for them. */
const heavy: Readonly<Record<string, RegExp>> = {
  hono: /node_modules\/(@hono\/[^/]+|hono)\//,
  ws: /node_modules\/ws\//,
  'the MCP SDK': /node_modules\/@modelcontextprotocol\//,
};

/**
 * Packages bundled into what the daemon loads without being asked: its entry, and every chunk that
 * this reaches by plain imports. The bundler names the origin of each module in a comment.
 */
export function heavyPackages(): readonly string[] {
  const dist = join(root, 'dist');
  const files = new Set(['daemon/main.js', 'tmux/tap-worker.js']);
  let all = '';
  for (const file of files) {
    const text = readFileSync(join(dist, file), 'utf8');
    all += text;
    for (const [, chunk] of text.matchAll(
      /^(?:import|export)[^'"]*["']\.\.?\/(?:chunks\/)?([\w-]+\.js)["']/gm,
    )) {
      if (chunk) files.add(`chunks/${chunk}`);
    }
  }
  const known = globSync('chunks/*.js', { cwd: dist });
  if (known.length === 0 || files.size < 3) throw new Error('dist/ is not built as expected');
  return Object.entries(heavy)
    .filter(([, pattern]) => pattern.test(all))
    .map(([name]) => name);
}

export async function measureCli(count: number): Promise<CliFigures> {
  using place = new Place();
  makeSession(place, 'cli', ['claude', 'codex', 'gemini', 'shell', 'shell']);
  await using daemon = await startDaemon(place);
  const client = await daemon.connect();
  await until('every agent is known', 20_000, async () => {
    const { summary } = await client.call('list_panes', {});
    return summary.agents === 3;
  });
  client.close();
  const socket = ['--socket-path', daemon.socketPath];
  const commands = {
    bareNode: ['-e', '0'],
    listPanes: [agtmuxBin, 'list', 'panes', ...socket],
    tmuxStatus: [agtmuxBin, 'tmux-status', ...socket],
  } as const;
  const names = Object.keys(commands) as (keyof typeof commands)[];
  const spent = { bareNode: [], listPanes: [], tmuxStatus: [] } as Record<string, number[]>;
  for (let turn = -2; turn < count; turn += 1) {
    for (const name of names) {
      const run = await timedRun(process.execPath, commands[name], { env: place.env });
      if (turn >= 0) spent[name]?.push(run.endedMs - run.startedMs);
    }
  }
  return {
    bareNode: spreadOf(spent['bareNode'] ?? []),
    listPanes: spreadOf(spent['listPanes'] ?? []),
    tmuxStatus: spreadOf(spent['tmuxStatus'] ?? []),
    heavyPackages: heavyPackages(),
  };
}

export function cliChecks(figures: CliFigures, factor: number): readonly Check[] {
  const { bareNode, listPanes, tmuxStatus } = figures;
  const check = (name: string, { p50Ms }: Spread): Check => ({
    name: `${name} / node -e 0, median`,
    value: p50Ms / bareNode.p50Ms,
    limit: 2 * factor,
    unit: 'x',
  });
  return [
    check('list panes', listPanes),
    check('tmux-status', tmuxStatus),
    { name: 'heavy packages', value: figures.heavyPackages.length, limit: 1, unit: '' },
  ];
}
