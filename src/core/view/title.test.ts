// What a pane is called, by five levels, and which pane stands for a session.

import { describe, expect, test } from 'vitest';
import {
  agents,
  claim,
  evidence,
  paneFacts,
  paneKey,
  Run,
  runtimeId,
  runtimeStarts,
  T0,
} from '../../../tests/scenario.ts';
import type { Evidence } from '../../schema/evidence.ts';
import { id } from '../../schema/ids.ts';
import type { PaneFacts } from '../../schema/pane.ts';
import { representativePane, titleOf } from './title.ts';

const title = (run: Run, index = 0) => {
  const pane = run.world.panes.get(paneKey(index));
  if (!pane) throw new Error('no pane');
  return titleOf(run.world, pane);
};
const shows = (run: Run, changes: Partial<PaneFacts>) =>
  run.apply({
    type: 'pane.changed',
    atMs: T0 + 1,
    paneKey: paneKey(0),
    facts: paneFacts(0, changes),
  });
const calls = (atMs: number, name: string | null, changes: Partial<Evidence> = {}) =>
  evidence('hooks', atMs, [], { activity: { title: name }, ...changes });

describe('the title of a pane is', () => {
  test('the name that the agent gives its session, before all', () => {
    const run = shows(new Run(), { title: 'live' }).see(calls(T0 + 2, ' Fix the tests '));
    expect(title(run)).toEqual({ title: 'Fix the tests', level: 'session' });
  });

  test('then the last name that was bound there', () => {
    const run = shows(new Run(), { title: 'live' });
    run.see(calls(T0 + 2, 'first'), calls(T0 + 3, 'second'), calls(T0 + 4, null));
    expect(title(run)).toEqual({ title: 'second', level: 'history' });
  });

  test('then what tmux shows as its title', () => {
    expect(title(shows(new Run(), { title: ' live ' }))).toEqual({ title: 'live', level: 'pane' });
  });

  test('never an empty name', () => {
    const run = shows(new Run(), { title: 'live' }).see(calls(T0 + 2, ''));
    expect(title(run)).toEqual({ title: 'live', level: 'pane' });
  });

  test('never the name of the machine, which tmux gives every new pane', () => {
    const run = shows(new Run(), { title: 'laptop', isHostTitle: true, path: '/home/me/project' });
    expect(title(run)).toEqual({ title: 'project', level: 'path' });
  });

  test('then the last folder of its path', () => {
    const run = shows(new Run(), { title: '  ', path: '/home/me/project/' });
    expect(title(run)).toEqual({ title: 'project', level: 'path' });
  });

  test('then its agent', () => {
    expect(title(shows(new Run(), { path: '/' }))).toEqual({ title: 'claude', level: 'fallback' });
  });

  test('then its id, where there is no agent', () => {
    const run = shows(new Run(agents().slice(0, -1)), { path: '' });
    expect(title(run)).toEqual({ title: '%0', level: 'fallback' });
  });

  test('not that of an agent that has left', () => {
    const run = new Run().see(calls(T0 + 2, 'old session')).apply({
      type: 'runtime.ended',
      atMs: T0 + 5,
      runtimeId: runtimeId(0),
      reason: 'process_gone',
      exitCode: 0,
      crashed: false,
    });
    expect(title(run)).toEqual({ title: 'project', level: 'path' });
  });

  test('not that of the agent before it', () => {
    const run = new Run().see(calls(T0 + 2, 'old session')).apply(runtimeStarts(0, 2, T0 + 90));
    expect(title(run)).toEqual({ title: 'project', level: 'path' });
  });

  test('the newest, when two sources tell it, in any order', () => {
    const older = calls(T0 + 2, 'older');
    const newer = evidence('osc', T0 + 8, [], { activity: { title: 'newer' } });
    for (const order of [
      [older, newer],
      [newer, older],
    ]) {
      expect(title(new Run().see(...order)).title).toBe('newer');
    }
  });

  test('and the history stays short', () => {
    const run = new Run();
    for (let index = 0; index < 40; index += 1) run.see(calls(T0 + index, `title ${index}`));
    const bound = run.world.panes.get(paneKey(0))?.boundTitles ?? [];
    expect(bound.length).toBeLessThanOrEqual(8);
    expect(bound.at(-1)).toBe('title 39');
  });
});

describe('a session is represented by', () => {
  const represent = (run: Run) =>
    representativePane(run.world, [...run.world.panes.values()])?.facts?.paneId;
  const three = () => new Run(agents(3));
  const handshake = (index: number, atMs: number) =>
    evidence('hooks', atMs, [], {
      runtimeId: runtimeId(index),
      sessionKey: id(`s-${index}`),
    });
  const works = (index: number, atMs: number) =>
    evidence('hooks', atMs, [claim('running')], { runtimeId: runtimeId(index) });

  test('the pane with the latest handshake, whichever worked since', () => {
    const run = three().see(handshake(1, T0 + 5), handshake(2, T0 + 9), works(0, T0 + 50));
    expect(represent(run)).toBe('%2');
  });

  test('then the one that worked last', () => {
    expect(represent(three().see(works(0, T0 + 5), works(1, T0 + 9)))).toBe('%1');
    const tied = three().see(handshake(0, T0 + 5), handshake(1, T0 + 5), works(1, T0 + 9));
    expect(represent(tied)).toBe('%1');
  });

  test('then the first by its id as text', () => {
    expect(represent(three())).toBe('%0');
    const run = new Run(agents(11));
    const some = [9, 10].flatMap((index) => run.world.panes.get(paneKey(index)) ?? []);
    expect(representativePane(run.world, some)?.facts?.paneId).toBe('%10');
  });

  test('the same pane in whatever order they are given', () => {
    const run = three().see(handshake(1, T0 + 5));
    const all = [...run.world.panes.values()];
    expect(representativePane(run.world, all)).toBe(
      representativePane(run.world, all.toReversed()),
    );
  });

  test('nothing when there is no pane', () => {
    expect(representativePane(new Run([]).world, [])).toBeNull();
  });
});
