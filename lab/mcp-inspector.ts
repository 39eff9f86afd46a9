// The official MCP inspector as a host of our server: it lists the tools in both eras of the
// protocol and calls every one. It runs below a made-up agent in a pane, which is then the caller.

import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DaemonClient } from '../src/client/client.ts';
import { proveIdentity } from '../src/client/prove-identity.ts';
import { mcpTools } from '../src/mcp/mcp-server.ts';
import { shellQuote, shellQuoteAll } from '../src/platform/text/shell-quote.ts';
import { builtProgram } from '../tests/built-program.ts';
import { fakeAgent, type LivePane } from '../tests/daemon-live/live-agents.ts';
import { LiveDaemon } from '../tests/daemon-live/live-daemon.ts';
import { eventually } from '../tests/live/tmux-server.ts';
import { ensureInstalled } from './install.ts';
import type { HostResult } from './mcp-hosts.ts';
import { type Probe, probesOf, QUESTION } from './mcp-probes.ts';

const inspector = {
  ...{ name: 'mcp-inspector', packageName: '@modelcontextprotocol/inspector', version: '2.12.0' },
};
const PROGRAM = 'clients/launcher/build/index.js';
const CALL_MS = 90_000;

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The inspector in the pane of an agent. */
class Inspector {
  readonly #live: LiveDaemon;
  readonly #pane: LivePane;
  readonly #program: string;

  constructor(live: LiveDaemon, pane: LivePane, program: string) {
    this.#live = live;
    this.#pane = pane;
    this.#program = program;
  }

  async run(...words: readonly string[]): Promise<Ran> {
    const folder = mkdtempSync(join(this.#live.folder, 'inspector-'));
    const [out, err, code] = ['out', 'err', 'code'].map((name) => join(folder, name));
    const settings = Object.entries(this.#live.env).map(([name, value]) => `${name}=${value}`);
    // Which variables it hands on is its own affair: those of the daemon are named.
    const handed = settings.flatMap((setting) => (/^XDG_/.test(setting) ? ['-e', setting] : []));
    const server = [process.execPath, ...builtProgram, 'mcp'];
    const all = ['env', '-i', ...settings, process.execPath, this.#program, '--cli']
      .concat(server)
      .concat(handed, words);
    const script = join(folder, 'run.sh');
    const files = [out, err, `${code}.part`, `${code}.part`, code].map((each) =>
      shellQuote(each ?? ''),
    );
    const [toOut, toErr, toPart, part, whole] = files;
    const line = `${shellQuoteAll(all)} > ${toOut} 2> ${toErr}; echo $? > ${toPart}`;
    writeFileSync(script, `${line}; mv ${part} ${whole}\n`);
    this.#pane.type(`run sh ${script} < /dev/null`);
    await eventually(() => existsSync(code ?? ''), `the inspector has ended: ${words}`, CALL_MS);
    const [shown = '', errors = '', ended = ''] = [out, err, code].map((file) =>
      readFileSync(file ?? '', 'utf8'),
    );
    return { code: Number(ended), out: shown, err: errors };
  }
}

async function listed(tool: Inspector): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const era of ['legacy', 'modern']) {
    const words = ['--protocol-era', era, '--method', 'tools/list', '--strict', '--format', 'json'];
    const { code, out, err } = await tool.run(...words);
    // An error in a schema ends it with a code of its own.
    if (code !== 0) {
      problems.push(`tools/list (${era}) ended with ${code}: ${err.slice(-500)}`);
      continue;
    }
    const { result } = JSON.parse(out) as { result: { tools: { name: string }[] } };
    const names = result.tools.map(({ name }) => name);
    const missing = mcpTools.filter(({ name }) => !names.includes(name));
    problems.push(...missing.map(({ name }) => `${name} is not listed (${era})`));
  }
  return problems;
}

async function called(
  tool: Inspector,
  { tool: name, args, returns }: Probe,
): Promise<string | null> {
  const words = ['--method', 'tools/call', '--tool-name', name];
  const ran = await tool.run(...words, '--tool-args-json', JSON.stringify(args));
  const returned = `${ran.out}${ran.err}`;
  return returns.test(returned) ? null : `${name} (exit code ${ran.code}) returned ${returned}`;
}

export async function tryInspector(): Promise<HostResult> {
  const install = await ensureInstalled(inspector);
  const program = join(install, 'node_modules', inspector.packageName, PROGRAM);
  await using live = new LiveDaemon();
  live.tmux.newSession('home', 'cat');
  await live.start();
  const pane = fakeAgent(live.tmux, 'claude', 'claude');
  // It works: nothing is typed to it.
  pane.show('claude/104-running');
  const client = await live.client(CALL_MS);
  await proveIdentity(client);
  return await inspect(new Inspector(live, pane, program), client, pane.paneId);
}

async function inspect(tool: Inspector, client: DaemonClient, ref: string): Promise<HostResult> {
  const person = (await client.call('whoami', {})).party.id;
  const item = await eventually(
    async () => {
      const { panes } = await client.call('list_panes', {});
      return panes.find(({ identity, state }) => identity?.pane_id === ref && state === 'running');
    },
    'the agent is recognised',
    CALL_MS,
  );
  const self = `runtime:${item.runtime_id}`;
  const { message } = await client.call('send_message', { to: [self], message: QUESTION });
  const probes = probesOf({ ref, self, person, messageId: message.message_id });
  const missing = await listed(tool);
  const wrong: string[] = [];
  for (const probe of probes) {
    const problem = await called(tool, probe);
    if (problem !== null) wrong.push(problem);
  }
  return {
    listed: missing.length === 0 ? mcpTools.length : 0,
    called: probes.length - wrong.length,
    problems: [...missing, ...wrong],
  };
}
