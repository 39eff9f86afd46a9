// What the tests of the command line share: items as the daemon sends them, a daemon in small that
// answers with them over a real socket, and the command line run against it.

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../src/cli/main.ts';
import { packageVersion } from '../../src/platform/version.ts';
import type { PaneItem, PaneList, SummaryItem } from '../../src/schema/api/panes.ts';
import { countNeeds, sumOfNeeds } from '../../src/text/need.ts';

export const NOW = '2026-01-31T12:00:00.000Z';
const ago = (ms: number): string => new Date(Date.parse(NOW) - ms).toISOString();

export interface PaneOverrides extends Partial<Omit<PaneItem, 'identity'>> {
  readonly session?: string;
  readonly window?: number;
  readonly index?: number;
  readonly server?: string;
}

/** One pane with an agent at work, with the given changes. */
export function paneItem(overrides: PaneOverrides = {}): PaneItem {
  const { session = 'main', window = 1, index = 0, server = '/tmp/tmux-0/default' } = overrides;
  const { session: _s, window: _w, index: _i, server: _v, ...rest } = overrides;
  const target = rest.target ?? 'local';
  const identity = {
    target,
    server,
    session_name: session,
    session_id: '$1',
    window_id: '@1',
    window_index: window,
    window_name: 'win',
    pane_id: `%${index}`,
    pane_index: index,
  };
  return {
    identity,
    locations: [identity],
    ref: `pane:${target}/${encodeURIComponent(session.toWellFormed())}/@1/%25${index}`,
    pane_key: `${target}/${session}/${index}`,
    target,
    presence: 'managed',
    agent: 'claude',
    runtime_id: 'r1',
    pane_epoch: 1,
    pid: 4242,
    session_key: null,
    state: 'running',
    reason_code: null,
    until: null,
    last_known: null,
    evidence: {
      mode: 'deterministic',
      source: 'claude-hooks',
      rule: 'Stop',
      confidence: 'high',
      at: ago(5_000),
    },
    signature_class: 'deterministic',
    signature_reason: 'process',
    signature_confidence: 1,
    signature_inputs: {
      provider_hint: false,
      cmd_match: true,
      poller_match: false,
      title_match: false,
    },
    binding: 'managed_deterministic_fresh',
    attention: { kinds: [], since: null, requests: [], snoozed_until: null },
    activity: {
      last_at: null,
      tool: null,
      prompt: null,
      message: null,
      title: null,
      background_count: 0,
      subagents: [],
      usage: null,
    },
    alias: null,
    title: 'Fix the parser',
    title_quality: 'session',
    pane_title: 'claude',
    current_cmd: 'claude',
    current_path: '/home/dev/project',
    git_branch: 'main',
    git_worktree: '/home/dev/project',
    attached: false,
    floating: false,
    dead: false,
    opaque: false,
    state_version: 3,
    row_seq: 7,
    since: ago(65_000),
    updated_at: ago(65_000),
    last_seen_at: ago(1_000),
    ...rest,
  };
}

const noStates = {
  error: 0,
  waiting_approval: 0,
  waiting_input: 0,
  running: 0,
  completed: 0,
  idle: 0,
  unknown: 0,
};

export function summaryOf(panes: readonly PaneItem[]): SummaryItem {
  const agents = panes.filter(({ presence }) => presence === 'managed');
  const by_state = { ...noStates };
  for (const { state } of agents) by_state[state] += 1;
  const needs = countNeeds(panes);
  return {
    panes: panes.length,
    agents: agents.length,
    by_state,
    by_agent: { claude: agents.length },
    by_target: { local: { agents: agents.length, by_state, needs_action: sumOfNeeds(needs) } },
    needs,
    needs_action: sumOfNeeds(needs),
  };
}

export function paneList(panes: readonly PaneItem[], more: Partial<PaneList> = {}): PaneList {
  return {
    schema_version: 1,
    generated_at: NOW,
    filters: {},
    store_error: null,
    summary: summaryOf(panes),
    partial: false,
    requested_targets: ['local'],
    responded_targets: ['local'],
    target_errors: [],
    outages: [],
    panes: [...panes],
    ...more,
  };
}

export type Handler = (params: never, socket: Socket) => unknown;

/** A refusal as the daemon words it. */
export class Refused {
  readonly error: object;
  constructor(code: string, rpcCode: number, message: string, hint: string, more: object = {}) {
    this.error = { code: rpcCode, message, data: { code, hint, ...more } };
  }
}

/** Answers what it has a handler for, and remembers what it was asked. */
export class SmallDaemon {
  readonly folder: string;
  readonly socketPath: string;
  readonly asked: { method: string; params: unknown }[] = [];
  readonly sockets = new Set<Socket>();
  readonly handlers: Record<string, Handler> = {
    hello: () => ({ protocol: 1, version: packageVersion(), pid: process.pid, nonce: 'n' }),
  };
  #server: Server | null = null;

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'agtmux-cli-'));
    this.socketPath = join(this.folder, 'd.sock');
  }

  async start(): Promise<void> {
    const server = createServer((socket) => this.#serve(socket));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.socketPath, resolve));
  }

  /** Ends the server and every connection, as a daemon that dies. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    const closed = new Promise((resolve) => (server ? server.close(resolve) : resolve(null)));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  push(method: string, params: object): void {
    for (const socket of this.sockets) {
      socket.write(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`);
    }
  }

  #serve(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('error', () => {});
    let rest = '';
    socket.setEncoding('utf8').on('data', (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#answer(JSON.parse(line), socket);
    });
  }

  #answer(
    { id, method, params }: { id: number; method: string; params: unknown },
    socket: Socket,
  ): void {
    this.asked.push({ method, params });
    const handler = this.handlers[method];
    const result = handler
      ? handler(params as never, socket)
      : new Refused('E_INPUT_INVALID', -32601, `no method ${method}`, '');
    const body = result instanceof Refused ? { error: result.error } : { result };
    socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
  }
}

/** Runs one command line in this process and returns its output. */
export async function runHere(
  ...args: readonly string[]
): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const code = await runCli(['node', 'agtmux', ...args], {
    writeOut: (text) => {
      out += text;
    },
    writeErr: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}
