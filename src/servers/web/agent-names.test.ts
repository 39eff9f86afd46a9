// The names by which clients call agents: stable, and never two of one name.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AgentNames, type AgentPlace } from './agent-names.ts';

const at = (paneKey: string, place: Partial<AgentPlace> = {}): AgentPlace => ({
  ...{ paneKey, target: 'local', server: '/tmp/tmux-0/default', sessionName: 'work' },
  paneId: `%${paneKey}`,
  ...place,
});

it('the first agent of a session is called as the session, others get their own names', () => {
  const names = new AgentNames();
  expect(names.nameOf(at('1'))).toBe('work');
  expect(names.nameOf(at('2'))).toBe('work:%2');
  expect(names.nameOf(at('3', { target: 'vm1' }))).toBe('vm1::work');
  expect(names.nameOf(at('4', { server: '/tmp/other' }))).toBe('work:%4');
  expect(names.nameOf(at('5', { server: '/tmp/other', paneId: '%2' }))).toBe('work:%2:other');
});

it('an agent keeps its name when another one leaves, and its session can rename it', () => {
  const names = new AgentNames();
  names.nameOf(at('1'));
  names.nameOf(at('2'));
  names.release('1');
  expect(names.nameOf(at('2'))).toBe('work:%2');
  expect(names.nameOf(at('3'))).toBe('work');
  expect(names.nameOf(at('3', { sessionName: 'home' }))).toBe('home');
  expect(names.nameOf(at('4'))).toBe('work');
});

it('whatever comes and goes, no two agents have one name', () => {
  const sessionName = fc.constantFrom('work', 'home', 'vm1::work', 'a b', "we'ird", '');
  const place = fc.record({
    paneKey: fc.constantFrom('1', '2', '3', '4', '5'),
    target: fc.constantFrom('local', 'vm1'),
    server: fc.constantFrom('/a/s', '/b/s'),
    sessionName,
    paneId: fc.constantFrom('%1', '%2'),
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(place, fc.boolean()), { maxLength: 40 }), (steps) => {
      const names = new AgentNames();
      const held = new Map<string, string>();
      for (const [each, isLeaving] of steps) {
        if (isLeaving) {
          names.release(each.paneKey);
          held.delete(each.paneKey);
        } else held.set(each.paneKey, names.nameOf(each));
        expect(new Set(held.values()).size).toBe(held.size);
      }
    }),
  );
});
