// Living Codexes for tests: real processes of that name, their folder, and the watch of the machine
// that they are on. The daemon is a table, and its clock can be put forward.

import type { ChildProcess } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { AgentFilesWatch } from '../../src/agent-files/agent-files-watch.ts';
import { LocalFiles } from '../../src/agent-files/files/local-files.ts';
import type { StartGate } from '../../src/agent-files/readers/agent-files-source.ts';
import { configSchema } from '../../src/schema/config.ts';
import type { Evidence } from '../../src/schema/evidence.ts';
import { type AgentName, id, type RuntimeId } from '../../src/schema/ids.ts';
import type { KnownRuntime } from '../../src/sources/known-pane.ts';
import { eventually } from '../live/tmux-server.ts';
import {
  address,
  knownPane,
  makeFolder,
  registry,
  runtime,
  TestDaemon,
} from '../sources/fixture.ts';
import { openGate } from './agent-files-stage.ts';
import { FakeAppServer, type FakeThread, startCodex, threadIdOf } from './fake-codex.ts';

const WAIT_MS = 20_000;
export const SERVER = 'codex-app-server';
export const ROLLOUT = 'codex-rollout';

export class CodexStage {
  readonly folder: string = makeFolder();
  readonly home: string = join(this.folder, 'codex-home');
  readonly cwd: string = join(this.folder, 'project');
  readonly socketPath: string = join(this.folder, 'real.sock');
  readonly daemon: TestDaemon = new TestDaemon();
  readonly problems: string[] = [];
  config: object;
  /** Who says whether a server that has failed may be started again. */
  gate: StartGate = openGate;
  readonly #watch: AgentFilesWatch;
  readonly #current = new Map<string, KnownRuntime>();
  readonly #children = new Map<string, ChildProcess>();
  #count = 0;

  constructor(config: object = {}) {
    this.config = config;
    this.daemon.now = Date.now();
    const control = join(this.home, 'app-server-control');
    mkdirSync(control, { recursive: true });
    symlinkSync(this.socketPath, join(control, 'app-server-control.sock'));
    this.#watch = new AgentFilesWatch({
      targetId: address.targetId,
      files: new LocalFiles(),
      daemon: this.daemon,
      registry: () => registry,
      config: () => configSchema.parse(this.config),
      servers: () => [address],
      isLocal: true,
      toDaemonMs: (hostMs) => hostMs,
      announce: () => {},
      gate: () => ({
        isOpen: () => this.gate.isOpen(),
        failed: (problem) => this.gate.failed(problem),
      }),
      onProblem: (problem) => this.problems.push(problem),
    });
    onTestFinished(() => this.end());
  }

  /** Nothing is watched any more. */
  end(): void {
    this.#watch[Symbol.dispose]();
  }

  serve(socketPath: string = this.socketPath): FakeAppServer {
    const server = new FakeAppServer(socketPath);
    onTestFinished(() => server[Symbol.asyncDispose]());
    return server;
  }

  /** A Codex in a pane of its own; returns the name of its runtime. */
  live(options: { title?: string; open?: string[]; args?: string[]; later?: string } = {}): string {
    this.#count += 1;
    const { title = 'project', ...more } = options;
    const child = startCodex(this.folder, { home: this.home, cwd: this.cwd, ...more });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    const name = `runtime-${this.#count}`;
    const current = runtime({
      runtimeId: id<RuntimeId>(name),
      agent: id<AgentName>('codex'),
      pid: child.pid ?? 0,
      startedAtMs: Date.now() - 60_000,
    });
    this.#current.set(name, current);
    this.#children.set(name, child);
    this.title(name, title);
    return name;
  }

  /** Has it open the file that comes next. */
  order(name: string): void {
    this.#children.get(name)?.stdin?.write('\n');
  }

  title(name: string, title: string): void {
    const paneId = `%${name.slice('runtime-'.length)}`;
    this.daemon.panes.set(paneId, knownPane(this.#current.get(name) ?? null, { paneId, title }));
  }

  /** A thread of the folder, born that long after the start of the processes. */
  thread(afterMs: number, more: Partial<FakeThread> = {}): FakeThread {
    this.#count += 1;
    const bornAtMs = Date.now() - 60_000 + afterMs;
    return { id: threadIdOf(bornAtMs, this.#count), cwd: this.cwd, ...more };
  }

  /** Looks, so much later than it is. */
  look(laterMs = 1): void {
    this.daemon.now = Math.max(this.daemon.now + laterMs, Date.now());
    this.#watch.beat(this.daemon.now);
  }

  evidence(source: string): readonly Evidence[] {
    return this.daemon.submitted.flatMap((each) =>
      each.kind === 'evidence' && each.evidence.source === source ? [each.evidence] : [],
    );
  }

  /** Waits for evidence of a runtime that says this. */
  until(name: string, word: string, source = SERVER): Promise<Evidence> {
    const fits = (each: Evidence): boolean =>
      each.runtimeId === name &&
      (each.type === word || each.claims.some(({ says }) => says === word));
    return eventually(
      () => {
        this.look();
        return this.evidence(source).findLast(fits);
      },
      `${name} is ${word} by ${source}`,
      WAIT_MS,
    );
  }
}
