// A Codex without Codex: processes of that name which hold the files open that the real one does,
// and an app server that speaks the recorded words of 0.166 over a real WebSocket on a Unix socket.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { dirname, join } from 'node:path';
import { type WebSocket, WebSocketServer } from 'ws';

/** The id of a thread that was born then, of version 7 as Codex makes them. */
export function threadIdOf(bornAtMs: number, tail: number): string {
  const hex = Math.trunc(bornAtMs).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${String(tail).padStart(12, '0')}`;
}

export interface FakeThread {
  readonly id: string;
  readonly cwd: string;
  readonly status?: unknown;
  readonly name?: string;
  readonly path?: string;
  readonly ephemeral?: boolean;
}

export const idle = { type: 'idle' };
export const active = (...activeFlags: readonly string[]) => ({ type: 'active', activeFlags });

export class FakeAppServer implements AsyncDisposable {
  readonly requests: string[] = [];
  /** Called when a thread was read, in the tick of the answer. */
  onRead: () => void = () => {};
  /** The clock by which it stamps its notices. */
  clockMs: () => number = () => Date.now();
  readonly #threads = new Map<string, FakeThread>();
  readonly #http: Server = createServer();
  readonly #sockets: WebSocketServer;

  constructor(socketPath: string) {
    mkdirSync(dirname(socketPath), { recursive: true });
    this.#sockets = new WebSocketServer({ server: this.#http, perMessageDeflate: false });
    this.#sockets.on('connection', (socket) => {
      socket.on('message', (data) => this.#answer(socket, JSON.parse(String(data))));
    });
    this.#http.listen(socketPath);
  }

  /** Threads that were there before anybody connected. */
  hold(...threads: readonly FakeThread[]): void {
    for (const thread of threads) this.#threads.set(thread.id, thread);
  }

  start(thread: FakeThread): void {
    this.hold(thread);
    this.#tell('thread/started', { thread: recorded(thread) });
  }

  status(thread: FakeThread, status: unknown): void {
    this.hold({ ...thread, status });
    this.#tell('thread/status/changed', { threadId: thread.id, status });
  }

  close(thread: FakeThread): void {
    this.#tell('thread/closed', { threadId: thread.id });
  }

  rename(thread: FakeThread, name: string): void {
    this.hold({ ...thread, name });
    this.#tell('thread/name/updated', { threadId: thread.id, threadName: name });
  }

  /** Whatever this is, it is sent to everybody. */
  shout(text: string): void {
    for (const socket of this.#sockets.clients) socket.send(text);
  }

  get clientCount(): number {
    return this.#sockets.clients.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#sockets.close();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  #answer(socket: WebSocket, message: { id?: number; method: string; params?: unknown }): void {
    const { id, method, params } = message;
    this.requests.push(method);
    if (id === undefined) return;
    const threadId = String((params as { threadId?: unknown } | undefined)?.threadId);
    const thread = this.#threads.get(threadId);
    const results: Readonly<Record<string, unknown>> = {
      initialize: { userAgent: 'codex-tui/0.166.0', platformOs: 'linux' },
      'thread/loaded/list': { data: [...this.#threads.keys()], nextCursor: null },
      'thread/read': { thread: thread && recorded(thread), readState: null },
    };
    socket.send(JSON.stringify({ id, result: results[method] }));
    if (method === 'thread/read') this.onRead();
  }

  #tell(method: string, params: unknown): void {
    this.shout(JSON.stringify({ method, params, emittedAtMs: this.clockMs() }));
  }
}

const recorded = ({ id, cwd, name, path, status, ephemeral = false }: FakeThread) => ({
  id,
  parentThreadId: null,
  preview: '',
  ephemeral,
  createdAt: Math.trunc(Date.now() / 1_000),
  status: status === undefined ? idle : status,
  path: path ?? null,
  cwd,
  originator: 'codex-tui',
  source: 'vscode',
  threadSource: ephemeral ? 'thread_title' : 'user',
  name: name ?? null,
  turns: [],
});

/** A process called codex that holds these files open until it is killed. */
export function startCodex(
  folder: string,
  options: {
    readonly home: string;
    readonly cwd: string;
    readonly open?: readonly string[];
    readonly args?: readonly string[];
    /** What it opens too when it is written a line. */
    readonly later?: string;
  },
): ChildProcess {
  const program = join(folder, 'bin', 'codex');
  const script = join(folder, 'bin', `${randomUUID()}.sh`);
  if (!existsSync(program)) {
    mkdirSync(dirname(program), { recursive: true });
    copyFileSync('/bin/dash', program);
  }
  const { home, cwd, open = [], args = [], later = '/dev/null' } = options;
  const lines = open.map((path, index) => `exec ${index + 3}>>'${path}'`);
  const wait = 'read -r line';
  writeFileSync(script, [...lines, wait, `exec 9>>'${later}'`, wait, ''].join('\n'));
  for (const path of [...open, later]) mkdirSync(dirname(path), { recursive: true });
  mkdirSync(cwd, { recursive: true });
  return spawn(program, [script, ...args], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', CODEX_HOME: home },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}

/** The rollout of a thread, as 0.166 writes it. */
export class FakeRollout {
  readonly path: string;
  readonly threadId: string;
  #ordinal = 0;

  constructor(home: string, threadId: string) {
    this.threadId = threadId;
    const name = `rollout-2026-11-15T07-02-17-${threadId}.jsonl`;
    this.path = join(home, 'sessions', '2026', '11', '15', name);
    mkdirSync(dirname(this.path), { recursive: true });
  }

  meta(source: unknown = 'cli'): void {
    const program = { originator: 'codex-tui', cli_version: '0.166.0' };
    const payload = { id: this.threadId, cwd: '/p', source, thread_source: 'user', ...program };
    this.#line('session_meta', { ...payload, timestamp: new Date().toISOString() });
  }

  event(type: string, more: object = {}): void {
    this.#line('event_msg', { type, ...more });
  }

  #line(type: string, payload: object): void {
    const timestamp = new Date().toISOString();
    const line = JSON.stringify({ timestamp, ordinal: this.#ordinal, type, payload });
    this.#ordinal += 1;
    appendFileSync(this.path, `${line}\n`);
  }
}
