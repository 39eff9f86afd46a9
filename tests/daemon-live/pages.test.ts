// Runs what the pages tell a reader to run: the commands of their console blocks against a daemon
// and a tmux of their own, the lines for tmux.conf, the worked example of docs/your-own-agent.md.
// What a command needs beyond that is written behind it, and then it is parsed alone (tests/pages).

import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, isTmuxMissing, privateTmux } from '../live/tmux-server.ts';
import { commandsOf, type Page, readPages } from '../pages/read-pages.ts';
import { installCommand } from './installed-command.ts';
import { fakeAgent, LivePane } from './live-agents.ts';
import { LiveDaemon, Subscriber } from './live-daemon.ts';

const TEST_MS = 120_000;
const COMMAND_MS = 60_000;

const pages = readPages();
const pagesWithCommands = pages.filter((page) =>
  commandsOf(page).some(({ needs }) => needs === null),
);
const pageAt = (path: string): Page => {
  const page = pages.find((each) => each.path === path);
  if (page === undefined) throw new Error(`no page ${path}`);
  return page;
};

interface Finished {
  readonly code: number;
  readonly output: string;
}

/** Runs a command line as a shell in a pane does. */
function runLine(line: string, cwd: string, env: Record<string, string>): Promise<Finished> {
  return new Promise((resolve) => {
    const child = execFile(
      '/bin/sh',
      ['-c', line],
      { cwd, env, timeout: COMMAND_MS },
      (_, out, err) => resolve({ code: child.exitCode ?? -1, output: out + err }),
    );
    child.stdin?.end();
  });
}

/** The command line of a pane that runs a program as the agent `builder`. */
function wrapped(live: LiveDaemon, bin: string, program: string): string {
  const env = Object.entries(live.env).map(([name, value]) => `'${name}=${value}'`);
  return `exec env ${env.join(' ')} "${bin}/agtmux" run --name builder -- ${program}`;
}

describe.skipIf(isTmuxMissing)('the commands of a page', () => {
  let live: LiveDaemon;
  let env: Record<string, string>;

  beforeAll(async () => {
    live = new LiveDaemon();
    fakeAgent(live.tmux, 'claude', 'agent').show('claude/111-waiting_approval');
    const bin = installCommand(live.folder);
    live.tmux.newSession('builder', wrapped(live, bin, 'cat'));
    const TMUX = `${live.tmux.socketPath},0,0`;
    env = { ...live.env, TMUX, TMUX_PANE: '%1', PATH: `${bin}:${live.env['PATH']}` };
    // The folder by which hooks find that an agent is used here.
    mkdirSync(join(live.env['HOME'] ?? '', '.claude'));
    await live.start();
    using subscriber = new Subscriber(await live.client());
    await subscriber.state('%0', 'waiting_approval');
    await subscriber.until('%1', ({ agent }) => agent === 'builder', 'the builder is found');
  });

  afterAll(async () => {
    await live[Symbol.asyncDispose]();
  });

  test.each(pagesWithCommands.map((page) => ({ path: page.path, page })))(
    '$path: each runs and ends with the exit code that the page names',
    async ({ path, page }) => {
      const cwd = join(live.folder, 'work', path.replaceAll('/', '-'));
      mkdirSync(cwd, { recursive: true });
      for (const { where, command, needs, exitCodes } of commandsOf(page)) {
        if (needs !== null) continue;
        const { code, output } = await runLine(command, cwd, env);
        const isExpected = exitCodes.includes(code);
        expect(isExpected, `${where}: ${command}: exit code ${code}\n${output}`).toBe(true);
      }
    },
    TEST_MS,
  );
});

describe.skipIf(isTmuxMissing)('the lines for tmux.conf', () => {
  const blocks = pages.flatMap(({ path, blocks: all }) =>
    all
      .filter(({ language }) => language === 'tmux')
      .map(({ text, line }) => ({ where: `${path}:${line}`, text })),
  );

  test.each(blocks)('$where is accepted by tmux', ({ text }) => {
    using tmux = privateTmux();
    tmux.newSession('main');
    const file = join(tmux.folder, 'tmux.conf');
    const lines = text.split('\n').filter((line) => !/# needs /.test(line));
    writeFileSync(file, `${lines.join('\n')}\n`);
    expect(tmux.run('source-file', '-v', file)).not.toMatch(/unknown|invalid|error/i);
  });
});

describe.skipIf(isTmuxMissing)('the worked example of Your own agent', () => {
  test(
    'shows the states that the page promises, with the question',
    async () => {
      await using live = new LiveDaemon();
      const { blocks } = pageAt('docs/your-own-agent.md');
      const rules = blocks.find(({ language }) => language === 'toml')?.text ?? '';
      const script = blocks.find(({ language }) => language === 'js')?.text ?? '';
      const agents = join(live.folder, 'config', 'agtmux', 'agents');
      mkdirSync(agents, { recursive: true });
      writeFileSync(join(agents, 'robo.toml'), rules);
      const robo = join(live.folder, 'robo');
      writeFileSync(robo, `${script}\n`);
      chmodSync(robo, 0o755);
      const command = `exec env 'PATH=${live.env['PATH']}' '${robo}'`;
      const pane = LivePane.of(live.tmux, live.tmux.newSession('robo', command));
      await live.start();
      using subscriber = new Subscriber(await live.client());
      const { agent } = await subscriber.state(pane.paneId, 'running', 'at work');
      expect(agent).toBe('robo');
      pane.type('');
      const asking = await subscriber.state(pane.paneId, 'waiting_approval', 'asking');
      expect(JSON.stringify(asking)).toContain('Allow rm -r build');
      pane.type('y');
      await subscriber.state(pane.paneId, 'running', 'at work again');
      pane.type('');
      await subscriber.state(pane.paneId, 'completed', 'at rest');
    },
    TEST_MS,
  );

  test(
    'the escape sequences of the page move a wrapped program through the states that it names',
    async () => {
      // As the page says for tmux before 3.8.
      await using live = new LiveDaemon({ attach: 'always' });
      const { blocks } = pageAt('docs/your-own-agent.md');
      const sequences = blocks
        .flatMap(({ text }) => text.split('\n'))
        .filter((line) => line.startsWith("printf '\\033]3008"));
      expect(sequences).toHaveLength(3);
      const command = wrapped(live, installCommand(live.folder), 'env PS1= sh');
      const pane = LivePane.of(live.tmux, live.tmux.newSession('builder', command));
      await live.start();
      using subscriber = new Subscriber(await live.client());
      await subscriber.until(
        pane.paneId,
        ({ agent }) => agent === 'builder',
        'the builder is found',
      );
      // What is printed before the session is tapped is read by nobody: once more until one is.
      await eventually(() => {
        pane.type(sequences[2] ?? '');
        return subscriber.row(pane.paneId)?.state === 'completed';
      }, 'the terminal is read');
      for (const [index, state] of (
        ['running', 'waiting_approval', 'completed'] as const
      ).entries()) {
        pane.type(sequences[index] ?? '');
        await subscriber.state(pane.paneId, state);
      }
    },
    TEST_MS,
  );
});
