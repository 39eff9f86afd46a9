import { describe, expect, it } from 'vitest';
import { normaliseSignal } from '../agent-sources.ts';
import { parseLogLine } from './session-log.ts';

const stamp = 'timestamp=2026-11-15T20:54:30.818Z level=INFO run=9d2b017c';
const error = stamp.replace('INFO', 'ERROR');

function says(line: string): unknown {
  const result = normaliseSignal('opencode', 'opencode-log', line, { nowMs: 1 });
  if (result.kind !== 'claims') return result.kind;
  return result.claims.map(({ says, about, reason }) => [says, about, reason]);
}

describe('a line of the log', () => {
  it.each([
    [`${stamp} message=loop session.id=ses_1 step=0`, ['running', 'turn', undefined]],
    [`${stamp} message=asking id=per_1 permission=bash`, ['waiting_approval', 'per_1', undefined]],
    [`${stamp} message=asking id=que_1 questions=1`, ['waiting_input', 'que_1', undefined]],
    [`${stamp} message=replied requestID=que_1`, ['running', 'que_1', undefined]],
    [`${stamp} message=rejected requestID=que_1`, ['interrupted', 'que_1', undefined]],
    [`${stamp} message="exiting loop" session.id=ses_1`, ['completed', 'turn', undefined]],
    [`${stamp} message=cancel session.id=ses_1`, ['interrupted', 'turn', undefined]],
    [`${error} message=process error=Aborted`, ['interrupted', 'turn', undefined]],
    [`${error} message=process error="scripted 400"`, ['error', 'turn', 'api_error']],
    [`${error} message="stream error" error.error="x"`, ['running', 'turn', 'retrying']],
  ])('%s', (line, claim) => {
    expect(says(line)).toEqual([claim]);
  });

  it('of another kind is ignored, and any other text is unknown', () => {
    expect(says(`${stamp} message=init`)).toBe('ignored');
    expect(says(`${stamp} message=process session.id=ses_1`)).toBe('ignored');
    expect(says('INFO  2026-11-15T20:52:51 +2ms service=bus type=x')).toBe('unknown');
    expect(says('')).toBe('unknown');
  });

  it('names no command: a command of two parts is two patterns', () => {
    const asking = `${stamp} message=asking id=per_1 permission=bash`;
    const line = `${asking} patterns="[\\"./a\\",\\"rm b\\"]"`;
    const result = normaliseSignal('opencode', 'opencode-log', line, { nowMs: 1 });
    const [claim] = result.kind === 'claims' ? result.claims : [];
    expect(claim?.request).toEqual({ kind: 'approval', tool: 'bash', text: './a, rm b' });
  });

  it('never covers completions', () => {
    const line = `${stamp} message="exiting loop" session.id=ses_1`;
    const result = normaliseSignal('kilo', 'kilo-log', line, { nowMs: 1 });
    expect(result.kind === 'claims' && result.claims[0]?.covers).not.toContain('completed');
  });

  it('is parsed with quoted values, up to a limit', () => {
    expect(parseLogLine('a=1 b="x \\" y=2" c=')).toEqual({ a: '1', b: 'x " y=2', c: '' });
    expect(Object.keys(parseLogLine('k=v '.repeat(100_000)))).toEqual(['k']);
    expect(parseLogLine(`toString=x ${'"'.repeat(100_000)}`)['toString']).toBe('x');
  });
});
