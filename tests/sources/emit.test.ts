// The words of `agtmux emit` and what they claim.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NormaliseContext } from '../../src/agents/adapter.ts';
import { emitEvents } from '../../src/agents/shared/emit.ts';
import { type AgentName, id, type SourceName } from '../../src/schema/ids.ts';
import { T0 } from './fixture.ts';

const context: NormaliseContext = {
  agent: id<AgentName>('my-agent'),
  source: { name: id<SourceName>('emit'), kind: 'edge', covers: [], rank: 3 },
  nowMs: T0,
};

const emit = (event: string, payload: unknown = {}) => emitEvents({ event, payload }, context);

describe('a word', () => {
  it.each([
    ['running', 'running'],
    ['waiting_approval', 'waiting_approval'],
    ['waiting_input', 'waiting_input'],
    ['awaiting_input', 'waiting_input'],
    ['completed', 'completed'],
    ['done', 'completed'],
    ['idle', 'at_rest'],
    ['interrupted', 'interrupted'],
    ['error', 'error'],
  ])('%s says %s of the turn', (word, says) => {
    expect(emit(word)).toMatchObject({
      kind: 'claims',
      type: `emit:${word}`,
      claims: [{ about: 'turn', says, rank: 3, basis: 'signal' }],
    });
  });

  it('ends everything that stood before', () => {
    const result = emit('running');
    if (result.kind !== 'claims') throw new Error('it tells nothing');
    expect(result.claims[0]?.covers).toEqual(
      expect.arrayContaining(['error', 'waiting_approval', 'waiting_input', 'completed', 'idle']),
    );
  });

  it('may ask for one thing among several, in words', () => {
    expect(emit('waiting_approval', { request_id: 'r-1', text: 'Delete it?' })).toMatchObject({
      claims: [{ about: 'r-1', request: { kind: 'approval', text: 'Delete it?' } }],
    });
    expect(emit('waiting_input', { message: 'Which one?' })).toMatchObject({
      claims: [{ about: 'turn', request: { kind: 'question', text: 'Which one?' } }],
    });
  });

  it('may hold the activity and the session', () => {
    expect(emit('running', { title: 'Fix it', tool: 'make', session_key: 's-1' })).toMatchObject({
      activity: { title: 'Fix it', tool: 'make' },
      sessionKey: 's-1',
    });
  });

  it('exited says that the agent is over, and claims nothing', () => {
    expect(emit('exited')).toMatchObject({ kind: 'claims', claims: [], ended: true });
  });

  it('that nobody knows is refused as unknown, also a name of Object.prototype', () => {
    for (const word of ['pondering', '', 'Running', 'constructor', '__proto__', 'toString']) {
      expect(emit(word).kind).toBe('unknown');
    }
  });
});

describe('whatever is emitted', () => {
  it('never throws', () => {
    fc.assert(
      fc.property(fc.anything(), (raw) => {
        expect(['claims', 'unknown', 'ignored']).toContain(emitEvents(raw, context).kind);
      }),
    );
  });
});
