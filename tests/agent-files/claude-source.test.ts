// Which files of Claude Code are believed, for whom, and as which evidence. The processes are
// real ones that sleep; the daemon is a table.

import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AgentFilesWatch } from '../../src/agent-files/agent-files-watch.ts';
import {
  PanelessClaudeSessions,
  type PanelessSession,
} from '../../src/agent-files/claude/paneless-sessions.ts';
import { LocalFiles } from '../../src/agent-files/files/local-files.ts';
import { type Registry, setEnabled } from '../../src/agents/registry.ts';
import { configSchema } from '../../src/schema/config.ts';
import type { Evidence } from '../../src/schema/evidence.ts';
import { id, type SessionKey } from '../../src/schema/ids.ts';
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
import { FakeClaude } from './fake-claude.ts';

const WAIT_MS = 20_000;

function start(command: readonly string[], env: Record<string, string>): number {
  const [program = '', ...args] = command;
  const options = { env: { PATH: process.env['PATH'] ?? '', ...env }, stdio: 'ignore' as const };
  const child = spawn(program, args, { ...options, detached: true });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} does not start`);
  onTestFinished(() => {
    if (child.signalCode === null) process.kill(-pid, 'SIGKILL');
  });
  return pid;
}

/** A process that could be an agent, its files, and the watch of the machine that it is on. */
class Stage {
  readonly folder: string = makeFolder();
  readonly config: string = join(this.folder, 'config');
  readonly cwd: string = join(this.folder, 'my.project');
  readonly daemon: TestDaemon = new TestDaemon();
  registry: Registry = registry;
  readonly pid: number;
  readonly claude: FakeClaude;
  readonly #watch: AgentFilesWatch;

  constructor(command: readonly string[] = ['sleep', '600']) {
    this.daemon.now = Date.now();
    this.pid = start(command, { CLAUDE_CONFIG_DIR: this.config });
    this.claude = this.fake(this.pid);
    this.#watch = new AgentFilesWatch({
      targetId: address.targetId,
      files: new LocalFiles(),
      daemon: this.daemon,
      registry: () => this.registry,
      config: () => configSchema.parse({}),
      servers: () => [address],
      isLocal: true,
      toDaemonMs: (hostMs) => hostMs,
      announce: () => {},
      gate: () => openGate,
      onProblem: () => {},
    });
    onTestFinished(() => this.#watch[Symbol.dispose]());
  }

  fake(pid: number): FakeClaude {
    return new FakeClaude({ config: this.config, pid, cwd: this.cwd, sessionId: 'session-a' });
  }

  /** An agent with that process lives in the pane. */
  live(changes: Partial<KnownRuntime> = {}): void {
    const startedAtMs = this.daemon.now - 60_000;
    const current = runtime({ pid: this.pid, startedAtMs, ...changes });
    this.daemon.panes.set('%1', knownPane(current, { path: this.cwd }));
    this.look();
  }

  look(): void {
    this.daemon.now = Math.max(this.daemon.now + 1, Date.now());
    this.#watch.beat(this.daemon.now);
  }

  evidence(source = 'claude-session-file'): readonly Evidence[] {
    return this.daemon.submitted.flatMap((each) =>
      each.kind === 'evidence' && each.evidence.source === source ? [each.evidence] : [],
    );
  }

  /** Waits for evidence of a source that fits. */
  until(check: (evidence: Evidence) => boolean, source?: string): Promise<Evidence> {
    return eventually(
      () => {
        this.look();
        return this.evidence(source).findLast(check);
      },
      'there is such evidence',
      WAIT_MS,
    );
  }

  /** The source has had the time to read whatever there is. */
  async settled(): Promise<void> {
    const before = this.daemon.submitted.length;
    await eventually(
      () => {
        this.look();
        return this.daemon.submitted.length > before + 40;
      },
      'it has beaten for a while',
      WAIT_MS,
    );
  }
}

const says = (word: string) => (each: Evidence) => each.claims.some((claim) => claim.says === word);

describe('the session file', () => {
  it('is evidence of the process that wrote it, repeated while it stands', async () => {
    const stage = new Stage();
    stage.claude.status('busy');
    stage.live();
    const first = await stage.until(says('running'));
    expect(first).toMatchObject({ runtimeId: 'runtime-1', sessionKey: 'session-a' });
    await stage.until((each) => says('running')(each) && each.ingestedAtMs > first.ingestedAtMs);
  });

  it('of a process that has ended and whose id came again is nobody’s', async () => {
    const stage = new Stage();
    stage.claude.status('busy', { procStart: '17' });
    stage.live();
    await stage.settled();
    expect(stage.evidence()).toEqual([]);
  });

  it('reports that another session has begun', async () => {
    const stage = new Stage();
    stage.claude.status('idle');
    stage.live();
    await stage.until(says('at_rest'));
    stage.claude.sessionId = 'session-b';
    stage.claude.status('idle');
    const began = await stage.until(says('began'));
    expect(began.sessionKey).toBe('session-b');
    stage.claude.status('busy');
    await stage.until(says('running'));
    stage.claude.status('idle');
    await stage.until((each) => says('at_rest')(each) && each.sessionKey === 'session-b');
  });

  it('takes its word back when it is gone', async () => {
    const stage = new Stage();
    stage.claude.status('busy');
    stage.live();
    await stage.until(says('running'));
    stage.claude.exits();
    await stage.until((each) => each.claims.length === 0);
  });

  it('says nothing while the adapter is off', async () => {
    const stage = new Stage();
    stage.registry = setEnabled(registry, 'claude', false);
    stage.claude.status('busy');
    stage.live();
    stage.look();
    expect(stage.daemon.submitted).toEqual([]);
    stage.registry = registry;
    await stage.until(says('running'));
  });

  it('of the program that a wrapper started is the agent’s', async () => {
    const stage = new Stage(['sh', '-c', 'sleep 600; sleep 600']);
    stage.live();
    const children = `/proc/${stage.pid}/task/${stage.pid}/children`;

    const child = await eventually(() => Number(readFileSync(children, 'utf8')), 'it has a child');
    stage.fake(child).status('busy');
    await stage.until(says('running'));
    // The wrapper lives on, and so does the file; what it says is nobody's word.
    process.kill(child, 'SIGKILL');
    await stage.until((each) => each.claims.length === 0);
  });

  it('says nothing while it is broken or names paths', async () => {
    const stage = new Stage();
    writeFileSync(stage.claude.sessionFile, '{"pid":');
    stage.live();
    await stage.settled();
    stage.claude.status('busy', { sessionId: '../../etc/x' });
    await stage.settled();
    expect(stage.evidence()).toEqual([]);
  });
});

describe('the transcript', () => {
  it('is read back to the prompt of the last turn, as old news', async () => {
    const stage = new Stage();
    const agoMs = stage.daemon.now - 40_000;
    stage.claude.prompt('first', agoMs);
    stage.claude.turnEnds(agoMs + 1);
    stage.claude.prompt('second', agoMs + 2);
    stage.claude.interrupted(agoMs + 3);
    stage.claude.status('idle');
    stage.live();
    await stage.until(says('completed'), 'claude-transcript');
    const transcript = stage.evidence('claude-transcript');
    const words = transcript.flatMap(({ claims }) => claims.map((claim) => claim.says));
    expect(words).toEqual(['running', 'interrupted', 'completed']);
    expect(transcript.every(({ backfill }) => backfill)).toBe(true);
    expect(transcript.map(({ eventTimeMs }) => eventTimeMs - agoMs)).toEqual([2, 3, 3]);
  });

  it('of a session that was resumed says nothing of the time before the process', async () => {
    const stage = new Stage();
    stage.claude.prompt('days ago', stage.daemon.now - 1_000_000);
    stage.claude.turnEnds(stage.daemon.now - 1_000_000);
    stage.claude.status('idle');
    stage.live();
    await stage.until(says('at_rest'));
    await stage.settled();
    stage.claude.prompt('today');
    await stage.until(says('running'), 'claude-transcript');
    expect(stage.evidence('claude-transcript')).toHaveLength(1);
  });

  it('is found by the session of the hooks where there is no session file', async () => {
    const stage = new Stage();
    stage.live({ sessionKey: id<SessionKey>('session-a') });
    stage.claude.prompt('hello');
    await stage.until(says('running'), 'claude-transcript');
  });

  it('is found under a name that was cut', async () => {
    const stage = new Stage();
    const cwd = join(stage.folder, 'long.'.repeat(60));
    const folder = `${cwd.replace(/[^a-zA-Z0-9]/g, '-').slice(0, 200)}-1k2j3`;
    const path = join(stage.config, 'projects', folder, 'session-a.jsonl');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
    stage.claude.status('busy', { cwd });
    stage.live();
    await stage.until(says('running'));
    const message = { role: 'user', content: 'hello' };
    const timestamp = new Date().toISOString();
    writeFileSync(path, `${JSON.stringify({ type: 'user', uuid: 'u', timestamp, message })}\n`);
    await stage.until(says('running'), 'claude-transcript');
  });
});

describe('sessions in no pane', () => {
  it('are those of living processes that no pane holds', async () => {
    const home = makeFolder();
    const config = join(home, '.claude');
    const startedAtMs = Date.now() - 60_000;
    const fake = (pid: number, sessionId: string) =>
      new FakeClaude({ config, pid, cwd: '/work', sessionId, startedAtMs });
    const outside = start(['sleep', '600'], {});
    const sleeper = start(['sleep', '600'], {});
    fake(outside, 'session-a').status('busy');
    fake(sleeper, 'session-b').status('busy');
    // A process that is older than the file says: of another life.
    fake(process.pid, 'session-c').status('busy', { procStart: '17' });
    const files = Object.assign(new LocalFiles(), { home });
    let seen: readonly PanelessSession[] | null = null;
    let nowMs = Date.now();
    const elsewhere = new PanelessClaudeSessions({
      files,
      nowMs: () => nowMs,
      heldPids: () => new Set([sleeper]),
      isListed: () => false,
      onSessions: (sessions) => {
        seen = sessions;
      },
      onProblem: () => {},
    });
    onTestFinished(() => elsewhere[Symbol.dispose]());
    // One that has just been seen may be of a pane that is not known yet.
    await eventually(() => seen, 'they were looked at', WAIT_MS);
    expect(seen).toEqual([]);
    nowMs += 5_000;
    elsewhere.look();
    await eventually(() => seen?.length, 'one is seen', WAIT_MS);
    expect(seen).toMatchObject([{ pid: outside, sessionId: 'session-a', cwd: '/work' }]);
    // While it writes its file anew it is not over.
    const looked = () => {
      seen = null;
      elsewhere.look();
      return eventually(() => seen, 'they were looked at', WAIT_MS);
    };
    writeFileSync(fake(outside, 'session-a').sessionFile, '{"pid":');
    await looked();
    expect(await looked()).toMatchObject([{ pid: outside, sessionId: 'session-a' }]);
    process.kill(-outside, 'SIGKILL');
    await eventually(
      () => {
        elsewhere.look();
        return seen?.length === 0;
      },
      'it is over with its process',
      WAIT_MS,
    );
  });
});
