// What a claim ends, where sources see the same moment at different times.

import { describe, expect, test } from 'vitest';
import { claim, evidence, Run, T0 } from '../../../tests/scenario.ts';

const file = (atMs: number) =>
  evidence('file', atMs, [claim('waiting_approval', { rank: 0 })], { kind: 'level' });
const screen = (atMs: number) =>
  evidence('screen', atMs, [claim('running', { rank: 9, basis: 'anchored' })], {
    kind: 'level',
    tier: 'heuristic',
  });
const title = (atMs: number) =>
  evidence('title', atMs, [claim('running', { rank: 9 })], { kind: 'level' });
const hook = (atMs: number) => evidence('hooks', atMs, [claim('running', { rank: 1 })]);

test('a screen or title that was drawn before a dialog opened does not end it', () => {
  expect(new Run().see(file(T0), screen(T0 + 300)).row().state).toBe('waiting_approval');
  expect(new Run().see(file(T0), title(T0 + 300)).row().state).toBe('waiting_approval');
});

test('a screen that is drawn well after a dialog opened ends it', () => {
  expect(new Run().see(file(T0), screen(T0 + 900)).row().state).toBe('running');
});

test('an event after a dialog opened ends it at once', () => {
  expect(new Run().see(file(T0), hook(T0 + 1)).row().state).toBe('running');
});

test('work that was drawn before the turn ended does not go on', () => {
  const ended = evidence('hooks', T0, [claim('completed', { rank: 1 })]);
  expect(new Run().see(ended, screen(T0 + 300)).row().state).toBe('completed');
  expect(new Run().see(ended, screen(T0 + 900)).row().state).toBe('running');
});

describe('"interrupted" on a screen', () => {
  const drawn = (says: 'at_rest' | 'interrupted' | 'running', atMs: number, sinceMs = atMs) =>
    evidence('screen', atMs, [claim(says, { rank: 9, basis: 'anchored' })], {
      kind: 'level',
      tier: 'heuristic',
      eventTimeMs: sinceMs,
    });
  const twice = (says: 'at_rest' | 'interrupted') => [
    drawn(says, T0 + 300),
    drawn(says, T0 + 500, T0 + 300),
  ];
  const working = drawn('running', T0 - 900);

  test('ends running that an event reported just before it', () => {
    const run = new Run().see(working, hook(T0), ...twice('interrupted'));
    expect(run.row()).toMatchObject({ state: 'idle', reasonCode: 'interrupted' });
  });

  test('ends more than rest does, which ends nothing so young', () => {
    const run = new Run().see(working, hook(T0), ...twice('at_rest'));
    expect(run.row().state).toBe('running');
  });

  test('does not end running where the screen showed none before it', () => {
    expect(new Run().see(hook(T0), ...twice('interrupted')).row().state).toBe('running');
  });

  test('does not end a dialog that an event reported just before it', () => {
    const approval = evidence('hooks', T0, [claim('waiting_approval', { rank: 1 })]);
    const run = new Run().see(working, approval, ...twice('interrupted'));
    expect(run.row().state).toBe('waiting_approval');
  });
});
