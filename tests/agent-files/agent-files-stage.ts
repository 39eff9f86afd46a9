// A stage for the sources that read what agents write themselves: real processes in the place of
// agents, the watch of this machine, and a daemon that is a table.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { AgentFilesWatch } from '../../src/agent-files/agent-files-watch.ts';
import type { Transcript } from '../../src/agent-files/conversations/transcript.ts';
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

/** Whatever fails may be started again. */
export const openGate: StartGate = { isOpen: () => true, failed: () => {} };

const WAIT_MS = 20_000;

export interface StagedProcess {
  readonly pid: number;
  /** One line to its standard input. */
  write(line: string): void;
  kill(): void;
}

/** A process of its own group, ended with the test. */
export const startProcess = (program: string, ...args: readonly string[]): StagedProcess =>
  startProcessWith({}, program, ...args);

/** One with more environment, which can be read from its first moment on. */
export function startProcessWith(
  env: Readonly<Record<string, string>>,
  program: string,
  ...args: readonly string[]
): StagedProcess {
  const child: ChildProcessByStdio<Writable, null, null> = spawn(program, args, {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
    env: { ...process.env, ...env },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} does not start`);
  child.stdin.on('error', () => {});
  const kill = (): void => {
    if (child.signalCode === null && child.exitCode === null) process.kill(-pid, 'SIGKILL');
  };
  onTestFinished(kill);
  return { pid, kill, write: (line) => child.stdin.write(`${line}\n`) };
}

export class AgentFilesStage {
  readonly folder: string = makeFolder();
  readonly daemon: TestDaemon = new TestDaemon();
  readonly problems: string[] = [];
  readonly transcripts: Transcript[] = [];
  readonly #agent: string;
  readonly #watch: AgentFilesWatch;

  constructor(agent: string) {
    this.#agent = agent;
    this.daemon.now = Date.now();
    this.#watch = new AgentFilesWatch({
      targetId: address.targetId,
      files: new LocalFiles(),
      daemon: this.daemon,
      registry: () => registry,
      config: () => configSchema.parse({}),
      servers: () => [address],
      isLocal: true,
      toDaemonMs: (hostMs) => hostMs,
      announce: (_runtimeId, transcript) => this.transcripts.push(transcript),
      gate: () => openGate,
      onProblem: (problem) => this.problems.push(problem),
    });
    onTestFinished(() => this.#watch[Symbol.dispose]());
  }

  /** An agent with that process lives in the pane. */
  live(
    paneId: string,
    pid: number,
    changes: Partial<KnownRuntime> & { title?: string; path?: string } = {},
  ): void {
    const { title = 'host', path, ...more } = changes;
    const current = runtime({
      runtimeId: id<RuntimeId>(`runtime of ${paneId}`),
      agent: id<AgentName>(this.#agent),
      pid,
      startedAtMs: Date.now() - 60_000,
      ...more,
    });
    this.daemon.panes.set(
      paneId,
      knownPane(current, { paneId, title, ...(path === undefined ? {} : { path }) }),
    );
  }

  /** The claims about a pane's agent, in their order: `type: says` of each claim. */
  claimsOf(paneId: string, source?: string): readonly string[] {
    return this.evidence(paneId, source).flatMap(({ type, claims }) =>
      claims.map(({ says }) => `${type}: ${says}`),
    );
  }

  evidence(paneId: string, source?: string): readonly Evidence[] {
    return this.daemon.submitted.flatMap((each) => {
      if (each.kind !== 'evidence' || each.evidence.runtimeId !== `runtime of ${paneId}`) return [];
      return source === undefined || each.evidence.source === source ? [each.evidence] : [];
    });
  }

  /** Looks as the daemon does until the check gives something. */
  until<T>(check: () => T, what: string): Promise<Exclude<NonNullable<T>, false>> {
    return eventually(
      () => {
        this.daemon.now = Math.max(this.daemon.now + 1, Date.now());
        this.#watch.beat(this.daemon.now);
        return check();
      },
      what,
      WAIT_MS,
    );
  }
}
