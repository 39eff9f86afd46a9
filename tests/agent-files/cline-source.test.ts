// Cline's own log: whose a line is, where reading begins, and what follows. The processes are
// shells that hold the log open, as the real one does.

import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AgentFilesStage, type StagedProcess, startProcess } from './agent-files-stage.ts';

class Cline {
  readonly #log: string;
  readonly process: StagedProcess;

  constructor({ folder }: AgentFilesStage) {
    const logs = join(folder, 'home', '.cline', 'data', 'logs');
    mkdirSync(logs, { recursive: true });
    this.#log = join(logs, 'cline.log');
    const script = 'exec 8>>"$0"; while read -r line; do :; done';
    this.process = startProcess('bash', '-c', script, this.#log);
  }

  /** A line as the program writes it; of another process where one is named. */
  log(event: string, properties: object = {}, pid = this.process.pid): void {
    const head = { level: 30, time: new Date().toISOString(), pid, name: 'cline.cli' };
    appendFileSync(this.#log, `${JSON.stringify({ ...head, event, properties })}\n`);
  }

  turn(status: string): void {
    this.log('session.input_sent');
    this.log('task.tokens');
    this.log('agent.run-started', { status: 'running' });
    this.log('agent.run-finished', { status });
  }
}

const turn = (end: string) => [
  'session.input_sent: running',
  'agent.run-started: running',
  `agent.run-finished: ${end}`,
];

describe('the log of Cline', () => {
  it('is evidence of the process that each line names, of two that share it', async () => {
    const stage = new AgentFilesStage('cline');
    const [one, two] = [new Cline(stage), new Cline(stage)];
    stage.live('%1', one.process.pid);
    stage.live('%2', two.process.pid);
    one.turn('aborted');
    two.turn('completed');
    const isRead = () => stage.claimsOf('%1').length === 3 && stage.claimsOf('%2').length === 3;
    await stage.until(isRead, 'both turns');
    expect(stage.claimsOf('%1')).toEqual(turn('interrupted'));
    expect(stage.claimsOf('%2')).toEqual(turn('completed'));
  });

  it('begins with the last prompt, and goes on with what is written', async () => {
    const stage = new AgentFilesStage('cline');
    const cline = new Cline(stage);
    cline.turn('completed');
    cline.turn('aborted');
    cline.log('session.input_sent', {}, 1);
    stage.live('%1', cline.process.pid);
    await stage.until(() => stage.claimsOf('%1').length >= 3, 'the last turn');
    expect(stage.claimsOf('%1')).toEqual(turn('interrupted'));
    cline.log('session.input_sent');
    await stage.until(() => stage.claimsOf('%1').length === 4, 'the next prompt');
  });

  it('passes over bytes that are no line of it', async () => {
    const stage = new AgentFilesStage('cline');
    const cline = new Cline(stage);
    stage.live('%1', cline.process.pid);
    cline.log('\u0000{"event":"session.aborted"}');
    cline.log('session.input_sent');
    await stage.until(() => stage.claimsOf('%1').length > 0, 'the prompt');
    expect(stage.claimsOf('%1')).toEqual(['session.input_sent: running']);
    expect(stage.problems).toEqual([]);
  });
});
