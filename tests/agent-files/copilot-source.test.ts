// Copilot CLI's own files: which sessions are a process's, which of them is the pane's, and what
// follows. The processes are shells that hold the file open which the real one holds open.

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import { id, type SessionKey } from '../../src/schema/ids.ts';
import { AgentFilesStage, type StagedProcess, startProcess } from './agent-files-stage.ts';

/** Each line names a session that it opens; `-` before it leaves that session. */
const script = `
while read -r session; do
  case $session in
    -*) exec 8>&-; rm -f "$0/\${session#-}/inuse.$$.lock" ;;
    *)
      [ -z "$held" ] || exec 9>&8
      held=yes
      exec 8>"$0/$session/inuse.$$.hold"
      : >"$0/$session/inuse.$$.lock" ;;
  esac
done`;

class Copilot {
  readonly #state: string;
  readonly process: StagedProcess;

  constructor({ folder }: AgentFilesStage, isWrapped = false) {
    this.#state = join(folder, 'home', 'session-state');
    mkdirSync(this.#state, { recursive: true });
    const shell = ['bash', '-c', script, this.#state] as const;
    this.process = isWrapped
      ? startProcess('bash', '-c', '"$@" <&0; :', 'wrapper', ...shell)
      : startProcess(...shell);
  }

  open(session: string): void {
    mkdirSync(join(this.#state, session), { recursive: true });
    this.process.write(session);
  }

  leave(session: string): void {
    this.process.write(`-${session}`);
  }

  tell(session: string, type: string, data: object = {}, more: object = {}): void {
    const line = { type, data, id: `${Math.random()}`, timestamp: new Date().toISOString() };
    appendFileSync(this.#file(session), `${JSON.stringify({ ...line, ...more })}\n`);
  }

  write(session: string, text: string): void {
    mkdirSync(join(this.#state, session), { recursive: true });
    writeFileSync(this.#file(session), text);
  }

  turn(session: string, content: string): void {
    this.tell(session, 'user.message', { content });
    this.tell(session, 'assistant.message', { toolRequests: [] });
  }

  #file(session: string): string {
    return join(this.#state, session, 'events.jsonl');
  }
}

describe('the events of Copilot CLI', () => {
  it('are evidence of the process that has the session open, of two in one folder', async () => {
    const stage = new AgentFilesStage('copilot');
    const [one, two] = [new Copilot(stage), new Copilot(stage, true)];
    one.open('session-1');
    two.open('session-2');
    stage.live('%1', one.process.pid);
    stage.live('%2', two.process.pid);
    one.turn('session-1', 'first');
    two.tell('session-2', 'user.message', { content: 'second' });
    const turn = ['user.message: running', 'assistant.message: completed'];
    await stage.until(
      () => stage.claimsOf('%1').length === 2 && stage.claimsOf('%2').length === 1,
      'both',
    );
    expect(stage.claimsOf('%1')).toEqual(turn);
    expect(stage.claimsOf('%2')).toEqual(turn.slice(0, 1));
    expect(stage.evidence('%2')[0]?.sessionKey).toBe(id<SessionKey>('session-2'));
  });

  it('begin with the last turn, and go on with what is written', async () => {
    const stage = new AgentFilesStage('copilot');
    const copilot = new Copilot(stage);
    copilot.open('session-1');
    const file = join(root, 'tests', 'fixtures', 'samples', 'copilot-events.jsonl');
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    const last = lines.findLastIndex((line) => line.startsWith('{"type": "user.message"'));
    copilot.write('session-1', `${lines.join('\n')}\n`);
    stage.live('%1', copilot.process.pid, { startedAtMs: 0 });
    await stage.until(() => stage.claimsOf('%1').length > 1, 'the last turn');
    expect(stage.evidence('%1')[0]?.type).toBe('user.message');
    expect(stage.evidence('%1').length).toBeLessThanOrEqual(lines.length - last);
    copilot.tell('session-1', 'user.message', { content: 'live' });
    const isLive = () => stage.evidence('%1').at(-1)?.activity?.prompt === 'live';
    await stage.until(isLive, 'what was written then');
  });

  it('say nothing of a turn that another process began', async () => {
    const stage = new AgentFilesStage('copilot');
    const copilot = new Copilot(stage);
    copilot.open('session-1');
    copilot.turn('session-1', 'before');
    const startedAtMs = Date.now() + 60_000;
    stage.live('%1', copilot.process.pid, { startedAtMs });
    const timestamp = new Date(startedAtMs + 1_000).toISOString();
    copilot.tell('session-1', 'session.resume', {}, { timestamp });
    await stage.until(() => stage.claimsOf('%1').length > 0, 'the session was resumed');
    expect(stage.claimsOf('%1')).toEqual(['session.resume: began']);
  });

  it('are those of the session that was last given a prompt', async () => {
    const stage = new AgentFilesStage('copilot');
    const copilot = new Copilot(stage);
    copilot.open('old');
    stage.live('%1', copilot.process.pid);
    copilot.turn('old', 'one');
    await stage.until(() => stage.claimsOf('%1').length === 2, 'the first session');
    copilot.open('new');
    copilot.turn('new', 'two');
    await stage.until(() => stage.claimsOf('%1').length === 4, 'the second session');
    copilot.tell('old', 'assistant.turn_start');
    copilot.tell('new', 'abort');
    await stage.until(() => stage.claimsOf('%1').length === 5, 'the second session again');
    expect(stage.claimsOf('%1').at(-1)).toBe('abort: interrupted');
    copilot.turn('old', 'three');
    await stage.until(() => stage.claimsOf('%1').length === 7, 'the first session again');
    expect(stage.evidence('%1').at(-1)?.sessionKey).toBe(id<SessionKey>('old'));
  });

  it('are read to the last line of a session that the process has left', async () => {
    const stage = new AgentFilesStage('copilot');
    const copilot = new Copilot(stage);
    copilot.open('session-1');
    stage.live('%1', copilot.process.pid);
    copilot.tell('session-1', 'user.message', { content: 'one' });
    await stage.until(() => stage.claimsOf('%1').length === 1, 'the session');
    copilot.leave('session-1');
    copilot.tell('session-1', 'session.shutdown');
    await stage.until(() => stage.claimsOf('%1').length === 2, 'that it is over');
    expect(stage.claimsOf('%1').at(-1)).toBe('session.shutdown: began');
  });

  it('say nothing of the turn when a subagent wrote them, but its dialogs are asked', async () => {
    const stage = new AgentFilesStage('copilot');
    const copilot = new Copilot(stage);
    copilot.open('session-1');
    stage.live('%1', copilot.process.pid);
    const ofChild = { agentId: 'child' };
    copilot.tell('session-1', 'user.message', { content: 'delegate' });
    copilot.tell('session-1', 'user.message', { content: 'do it' }, ofChild);
    copilot.tell('session-1', 'assistant.message', { toolRequests: [] }, ofChild);
    copilot.tell('session-1', 'permission.requested', { requestId: 'r1' }, ofChild);
    await stage.until(() => stage.claimsOf('%1').length === 2, 'the dialog');
    expect(stage.claimsOf('%1')).toEqual([
      'user.message: running',
      'permission.requested: waiting_approval',
    ]);
  });
});
