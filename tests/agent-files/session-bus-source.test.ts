// What opencode tells by its server and by its log: a real server in a real process, and real
// processes that append to one log. Nothing of it is a mock but the agent.

import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fetchSnapshot } from '../../src/agent-files/session-bus/server-snapshot.ts';
import { id, type SessionKey } from '../../src/schema/ids.ts';
import { AgentFilesStage, type StagedProcess, startProcess } from './agent-files-stage.ts';

const program = join(import.meta.dirname, 'fake-bus.mjs');
const SERVER = 'opencode-http';
const LOG = 'opencode-log';

class Bus {
  readonly process: StagedProcess = startProcess(process.execPath, program);

  order(order: object): void {
    this.process.write(JSON.stringify(order));
  }

  event(type: string, properties: object): void {
    this.order({ event: { id: `evt_${Math.random()}`, type, properties } });
  }

  status(sessionID: string, type: string): void {
    this.event('session.status', { sessionID, status: { type } });
  }
}

describe('the server of opencode', () => {
  it('gives the standing state when it is found, and then the changes', async () => {
    const stage = new AgentFilesStage('opencode');
    const bus = new Bus();
    const permission = { id: 'per_1', sessionID: 'ses_2', permission: 'bash', metadata: {} };
    bus.order({
      answers: {
        '/session/status': { ses_1: { type: 'busy' }, ses_2: { type: 'busy' } },
        '/session/ses_1': { id: 'ses_1', title: 'main' },
        '/session/ses_2': { id: 'ses_2', parentID: 'ses_1', title: 'a subagent' },
        '/permission': [permission],
      },
    });
    stage.live('%1', bus.process.pid);
    await stage.until(() => stage.claimsOf('%1', SERVER).length === 2, 'what stands');
    expect(stage.claimsOf('%1', SERVER)).toEqual([
      'session.status: running',
      'permission.asked: waiting_approval',
    ]);
    const replied = { sessionID: 'ses_2', requestID: 'per_1', reply: 'once' };
    bus.event('permission.replied', replied);
    bus.event('session.idle', { sessionID: 'ses_2' });
    bus.event('session.idle', { sessionID: 'ses_1' });
    await stage.until(() => stage.claimsOf('%1', SERVER).length === 4, 'what changed');
    expect(stage.claimsOf('%1', SERVER).slice(2)).toEqual([
      'permission.replied: running',
      'session.idle: completed',
    ]);
    expect(stage.evidence('%1', SERVER).at(-1)?.sessionKey).toBe(id<SessionKey>('ses_1'));
  });

  it('is asked again after the connection was lost, also for what was answered then', async () => {
    const stage = new AgentFilesStage('opencode');
    const bus = new Bus();
    stage.live('%1', bus.process.pid);
    await stage.until(() => stage.claimsOf('%1', SERVER).length === 1, 'what stands');
    expect(stage.claimsOf('%1', SERVER)).toEqual(['session.status: at_rest']);
    bus.status('ses_1', 'busy');
    bus.event('question.asked', { id: 'que_1', sessionID: 'ses_1', questions: [] });
    await stage.until(() => stage.claimsOf('%1', SERVER).length === 3, 'the question');
    bus.order({ answers: { '/session/status': { ses_1: { type: 'busy' } } }, cut: true });
    await stage.until(() => stage.claimsOf('%1', SERVER).length === 5, 'what stands then');
    expect(stage.claimsOf('%1', SERVER).slice(3)).toEqual([
      'permission.replied: running',
      'session.status: running',
    ]);
  });

  it('gives the standing state only when every question is answered', async () => {
    let permissionStatus = 500;
    const server = createServer(({ url }, response) => {
      const status = { '/session/status': 200, '/permission': permissionStatus }[url ?? ''] ?? 404;
      response.writeHead(status).end('{}');
    });
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    expect(await fetchSnapshot(port)).toBeNull();
    // Of a version that has no such thing.
    permissionStatus = 404;
    expect(await fetchSnapshot(port)).toMatchObject({ permissions: [], questions: [] });
  });

  it('that wants a password is left alone, and that is reported once', async () => {
    const stage = new AgentFilesStage('opencode');
    const bus = new Bus();
    bus.order({ lock: true });
    stage.live('%1', bus.process.pid);
    await stage.until(() => stage.problems.length > 0, 'the problem');
    expect(stage.problems).toEqual([
      `opencode: the server of process ${bus.process.pid} wants a password`,
    ]);
    expect(stage.claimsOf('%1')).toEqual([]);
  });
});

/** Appends given lines to the log, as an agent with a run of its own. */
class Logger {
  readonly process: StagedProcess;
  readonly #run: string;

  constructor({ folder }: AgentFilesStage, run: string) {
    this.#run = run;
    mkdirSync(join(folder, 'log'), { recursive: true });
    const script = 'exec 9>>"$0"; while read -r line; do echo "$line" >&9; done';
    this.process = startProcess('bash', '-c', script, join(folder, 'log', 'opencode.log'));
  }

  line(rest: string): void {
    this.process.write(lineOf(this.#run, rest, Date.now()));
  }
}

const lineOf = (run: string, rest: string, atMs: number): string =>
  `timestamp=${new Date(atMs).toISOString()} level=INFO run=${run} ${rest}`;

describe('the log of opencode', () => {
  it('is evidence of the process that wrote the line, of two that share it', async () => {
    const stage = new AgentFilesStage('opencode');
    const [one, two] = [new Logger(stage, 'aaaa1111'), new Logger(stage, 'bbbb2222')];
    stage.live('%1', one.process.pid);
    stage.live('%2', two.process.pid);
    one.line('message=loop session.id=ses_1 step=0');
    await stage.until(() => stage.claimsOf('%1', LOG).length === 1, 'the first');
    two.line('message=loop session.id=ses_2 step=0');
    two.line('message=asking id=per_1 permission=bash patterns="[\\"./x.sh\\"]"');
    await stage.until(() => stage.claimsOf('%2', LOG).length === 2, 'the second');
    one.line('message="exiting loop" session.id=ses_1');
    await stage.until(() => stage.claimsOf('%1', LOG).length === 2, 'the first again');
    expect(stage.claimsOf('%1', LOG)).toEqual(['log:loop: running', 'log:exiting loop: completed']);
    expect(stage.claimsOf('%2', LOG)).toEqual([
      'log:loop: running',
      'log:asking: waiting_approval',
    ]);
    const asked = stage.evidence('%2', LOG).at(-1)?.claims[0]?.request;
    expect(asked).toEqual({ kind: 'approval', tool: 'bash', text: './x.sh' });
  });

  it('begins with the last turn, without those of subagents', async () => {
    const stage = new AgentFilesStage('opencode');
    const old = (rest: string, agoMs: number) => lineOf('aaaa1111', rest, Date.now() - agoMs);
    mkdirSync(join(stage.folder, 'log'));
    const lines = [
      old('message=loop session.id=ses_0 step=0', 90_000),
      old('message=loop session.id=ses_1 step=0', 20_000),
      old('message="exiting loop" session.id=ses_1', 19_000),
      old('message=loop session.id=ses_1 step=0', 18_000),
      old('message=created id=ses_2 parentID=ses_1 title=x', 17_000),
      old('message=loop session.id=ses_2 step=0', 16_000),
      old('message="exiting loop" session.id=ses_2', 15_000),
    ];
    writeFileSync(join(stage.folder, 'log', 'opencode.log'), `${lines.join('\n')}\n`);
    const logger = new Logger(stage, 'aaaa1111');
    logger.line('message=cancel session.id=ses_1');
    stage.live('%1', logger.process.pid);
    await stage.until(() => stage.claimsOf('%1', LOG).length >= 2, 'the last turn');
    expect(stage.claimsOf('%1', LOG)).toEqual(['log:loop: running', 'log:cancel: interrupted']);
  });
});
