// What was seen of Copilot's events and of opencode's bus in the real programs, replayed through
// the engine: lines that come after the turn has ended, and parts of it that others wrote.

import { describe, expect, it } from 'vitest';
import { Run, T0 } from '../../scenario.ts';
import { type Step, stateOf, tell } from './signal.ts';

const copilot = (type: string, data: object = {}, more: object = {}): Step => ({
  agent: 'copilot',
  source: 'copilot-events',
  raw: { type, data, ...more },
});
const bus = (type: string, properties: object = {}): Step => ({
  agent: 'opencode',
  source: 'opencode-http',
  raw: { type, properties },
});

/** The state after each of the steps, 100 ms apart. */
function states(...steps: readonly Step[]): readonly string[] {
  const run = new Run();
  return steps.map((step, at) => {
    tell(run, at * 100, step);
    return stateOf(run);
  });
}

/** The state some time after the last of the steps. */
function ending(...steps: readonly Step[]): string {
  const run = new Run();
  for (const [at, step] of steps.entries()) tell(run, at * 100, step);
  run.tick(T0 + steps.length * 100 + 600);
  return stateOf(run);
}

describe('copilot', () => {
  const prompt = copilot('user.message', { content: 'go' });
  const asked = copilot('permission.requested', { requestId: 'r1' });
  const answered = (kind: string) =>
    copilot('permission.completed', { requestId: 'r1', result: { kind } });

  it('a dialog that Esc has closed ends after its turn', () => {
    const esc = [copilot('assistant.turn_end'), copilot('abort'), answered('cancelled')];
    expect(ending(prompt, asked, ...esc)).toBe('idle/interrupted');
    expect(states(prompt, asked, answered('approved')).at(-1)).toBe('running');
    const denied = answered('denied-interactively-by-user');
    expect(states(prompt, asked, denied).at(-1)).toBe('running');
  });

  it('a question is over when its tool is, and not when another is', () => {
    const call = { toolCallId: 'c1', toolName: 'ask_user', arguments: { message: 'Which?' } };
    const question = copilot('tool.execution_start', call);
    const other = copilot('tool.execution_complete', { toolCallId: 'c2' });
    const toolTelemetry = { properties: { elicitation_action: 'cancel' } };
    const over = copilot('tool.execution_complete', { toolCallId: 'c1', toolTelemetry });
    expect(states(prompt, question, other, over).slice(1)).toEqual([
      'waiting_input',
      'waiting_input',
      'running',
    ]);
    const response = copilot('human_response.recorded', { toolCallId: 'c1' });
    expect(states(prompt, question, response).at(-1)).toBe('running');
  });

  it('a subagent that has finished does not end the turn', () => {
    const message = copilot('assistant.message', { toolRequests: [] }, { agentId: 'child' });
    expect(ending(prompt, message, copilot('abort', {}, { agentId: 'child' }))).toBe('running');
  });

  it('a session that was left with an error leaves none', () => {
    const error = copilot('session.error', { statusCode: 400 });
    expect(ending(prompt, error)).toBe('error/api_error');
    expect(ending(prompt, error, copilot('session.shutdown'))).toBe('idle');
  });
});

describe('opencode', () => {
  const status = (type: string) => bus('session.status', { sessionID: 's', status: { type } });
  const idle = [status('idle'), bus('session.idle', { sessionID: 's' })];
  const answer = (more: object) =>
    bus('message.updated', { sessionID: 's', info: { parentID: 'm', role: 'assistant', ...more } });

  it('a turn that is stopped while it tries again has an answer without an end', () => {
    const stopped = answer({ time: { completed: 2 }, tokens: { output: 0 } });
    expect(ending(status('busy'), status('retry'), stopped, ...idle)).toBe('idle/interrupted');
    const over = answer({ time: { completed: 2 }, tokens: { output: 9 }, finish: 'stop' });
    expect(ending(status('busy'), over, ...idle)).toBe('completed');
  });

  it('an answer that failed is read, though it has a parent', () => {
    const failed = answer({ error: { name: 'APIError', data: { statusCode: 400 } } });
    expect(ending(status('busy'), failed, ...idle)).toBe('error/api_error');
  });

  it('a question that is not answered ends the turn', () => {
    const asked = bus('question.asked', { id: 'que_1', sessionID: 's' });
    const rejected = bus('question.rejected', { requestID: 'que_1', sessionID: 's' });
    expect(ending(status('busy'), asked, rejected, ...idle)).toBe('idle/interrupted');
  });
});
