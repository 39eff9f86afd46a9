// The schema of events accepts all that the engine emits, and refuses what could do harm.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allStreams, interleave, someChoices } from '../../tests/laws/streams.ts';
import {
  agents,
  claim,
  config,
  evidence,
  local,
  paneFacts,
  paneKey,
  Run,
  runtimeId,
  runtimeStarts,
  T0,
} from '../../tests/scenario.ts';
import { eventSchema, type WorldEvent } from './event.ts';
import type { Evidence } from './evidence.ts';
import { rowSchema } from './pane.ts';

function wholeLife(pieces: readonly Evidence[], marks: readonly number[]): Run {
  const run = new Run(agents(2));
  pieces.forEach((piece, index) => {
    run.see(piece);
    if (marks[index % marks.length] === 1) run.tick(piece.ingestedAtMs + 700);
    if (marks[index % marks.length] === 2) {
      run.see({ ...piece, runtimeId: null, bind: null, dedupeKey: `p${index}` });
    }
  });
  const lastMs = Math.max(T0, ...pieces.map(({ ingestedAtMs }) => ingestedAtMs));
  run.pass(lastMs, lastMs + 60_000, ['hooks', 'file'], 5_000);
  run.apply({ type: 'daemon.started', atMs: lastMs + 60_001, config }).tick(lastMs + 62_002);
  run.apply(runtimeStarts(0, 2, lastMs + 70_000));
  const listing = { targetId: local, server: 'default', generation: null, panes: [], atMs: lastMs };
  return run.observe({ kind: 'listing', listing }).tick(lastMs + 300_000);
}

const runs = fc
  .tuple(allStreams(), someChoices, someChoices)
  .map(([streams, choices, marks]) => wholeLife(interleave(streams, choices), marks));

describe('what the engine emits fits the schema', () => {
  test('event by event, in memory and as JSON, and nothing is lost', () => {
    fc.assert(
      fc.property(runs, ({ events }) => {
        for (const event of events) {
          expect(eventSchema.parse(event)).toEqual(event);
          expect(eventSchema.parse(JSON.parse(JSON.stringify(event)))).toEqual(event);
        }
      }),
      { numRuns: 100 },
    );
  });

  test('and so does every row', () => {
    fc.assert(
      fc.property(runs, ({ world }) => {
        for (const { row } of world.panes.values()) expect(rowSchema.parse(row)).toEqual(row);
      }),
      { numRuns: 100 },
    );
  });

  test('and a run that meets every kind of event', () => {
    const { events } = everyKind();
    const kinds = eventSchema.options.map(({ shape }) => shape.type.value);
    expect([...new Set(events.map(({ type }) => type))].sort()).toEqual([...kinds].sort());
    for (const event of events) expect(eventSchema.parse(event)).toEqual(event);
  });
});

/** One small story for each kind of event. */
function everyKind(): Run {
  const run = new Run(agents(3));
  const screen = (atMs: number, sinceMs: number) =>
    evidence('screen', atMs, [claim('at_rest', { basis: 'anchored' })], {
      kind: 'level',
      eventTimeMs: sinceMs,
      runtimeId: runtimeId(1),
    });
  const file = (atMs: number) =>
    evidence('file', atMs, [claim('running', { rank: 0 })], { kind: 'level', eventTimeMs: T0 });
  const look = (found: null, atMs: number) => ({
    kind: 'scan' as const,
    scan: {
      paneKey: paneKey(2),
      atMs,
      tree: { found, pidGone: false, exitCode: null, crashed: false },
    },
  });
  // A second look, a settling, a judged silence, a demotion, a doubt, a stuck agent.
  run.see(screen(T0, T0), screen(T0 + 250, T0), file(T0));
  run.see(evidence('hooks', T0 + 10, [claim('waiting_approval')]), file(T0 + 2_000));
  run.tick(T0 + 2_000);
  run.see(evidence('osc', T0 + 10, [claim('running')], { runtimeId: runtimeId(1) }));
  const title = (atMs: number, says: 'running' | 'at_rest') =>
    evidence('title', atMs, [claim(says)], { kind: 'level', runtimeId: runtimeId(1) });
  run.see(title(T0 + 2_500, 'running'), title(T0 + 3_300, 'at_rest'));
  run.tick(T0 + 4_000);
  const blind = claim('running', { covers: ['completed'] });
  run.see(evidence('wrapper', T0 + 5_000, [blind], { runtimeId: runtimeId(2) }));
  run.see(evidence('hooks', T0 + 5_000, [claim('completed')], { runtimeId: runtimeId(1) }));
  run.see(evidence('lost', T0, [], { runtimeId: null, dedupeKey: 'lost' }));
  run.pass(T0 + 6_000, T0 + 700_000, ['hooks', 'wrapper'], 4_000);
  // Looks, a stop, a waking, a target, a pane that changes and goes, a person.
  run.observe(look(null, T0 + 700_000));
  const atMs = T0 + 700_001;
  const target = { targetId: local, name: 'local', kind: 'local', connectionRef: null } as const;
  run.apply(
    { type: 'runtime.found', atMs, runtimeId: runtimeId(2) },
    { type: 'runtime.suspended', atMs, runtimeId: runtimeId(2), suspended: true },
    { type: 'runtime.killed', atMs, runtimeId: runtimeId(2) },
    { type: 'attention.seen', atMs, paneKey: paneKey(1), requestIds: [] },
    { type: 'attention.snoozed', atMs, paneKey: paneKey(1), untilMs: atMs + 60_000 },
    { type: 'attention.woken', atMs, paneKey: paneKey(1) },
    { type: 'pane.named', atMs, paneKey: paneKey(1), alias: 'api' },
    { type: 'target.changed', atMs, target: { ...target, health: 'ok' } },
    { type: 'pane.changed', atMs, paneKey: paneKey(1), facts: paneFacts(1, { title: 'x' }) },
    { type: 'pane.gone', atMs, paneKey: paneKey(1), reason: 'closed' },
    { type: 'config.changed', atMs, config },
    { type: 'host.woke', atMs },
    { type: 'store.recovered', atMs },
    { type: 'runtime.found', atMs, runtimeId: runtimeId(0) },
  );
  run.tick(T0 + 900_000).observe(look(null, T0 + 900_001), look(null, T0 + 900_002));
  return run.apply({ type: 'target.removed', atMs: T0 + 900_003, targetId: local });
}

describe('what could do harm is refused', () => {
  const observed = (changes: object) => ({
    type: 'evidence.observed',
    eventId: 'e1',
    atMs: T0,
    disposition: 'apply',
    evidence: { ...evidence('hooks', T0, [claim('running')]), ...changes },
  });
  const event = (changes: object) => ({
    type: 'runtime.missed',
    eventId: 'e1',
    atMs: T0,
    runtimeId: runtimeId(0),
    ...changes,
  });
  const fits = (value: unknown) => eventSchema.safeParse(value).success;

  test('and a valid event is accepted', () => {
    expect(fits(observed({}))).toBe(true);
    expect(fits(event({}))).toBe(true);
  });

  const hostile: [string, unknown][] = [
    ['a kind that nobody knows', event({ type: 'runtime.forged' })],
    ['no id', event({ eventId: '' })],
    ['an id without end', event({ eventId: 'x'.repeat(2_049) })],
    ['a negative time', event({ atMs: -1 })],
    ['a time that is no number', event({ atMs: Number.NaN })],
    ['an endless time', event({ atMs: Number.POSITIVE_INFINITY })],
    ['a time as text', event({ atMs: '1' })],
    ['a flood of claims', observed({ claims: Array.from({ length: 65 }, () => claim('running')) })],
    ['a state that nobody knows', observed({ claims: [{ ...claim('running'), says: 'happy' }] })],
    ['a negative rank', observed({ claims: [claim('running', { rank: -1 })] })],
    ['a broken rank', observed({ claims: [claim('running', { rank: 1.5 })] })],
    ['a negative sequence', observed({ sourceSeq: -1 })],
    ['a text without end', observed({ activity: { prompt: 'x'.repeat(4_001) } })],
    ['no dedupe key', observed({ dedupeKey: '' })],
    ['no event time', observed({ eventTimeMs: undefined })],
  ];
  test.each(hostile)('%s', (_name, value) => {
    expect(fits(value)).toBe(false);
  });

  test('an ssh host that would be read as an option', () => {
    const target = { targetId: 'vm1', name: 'vm1', kind: 'ssh', health: 'ok' };
    const changed = (connectionRef: string) => ({
      type: 'target.changed',
      eventId: 'e1',
      atMs: T0,
      target: { ...target, connectionRef },
    });
    expect(fits(changed('-oProxyCommand=sh'))).toBe(false);
    expect(fits(changed('vm1.example.org'))).toBe(true);
  });

  test('a pane in more places than there are', () => {
    const facts = paneFacts(0);
    const locations = Array.from({ length: 65 }, () => facts.locations[0]);
    const appeared = { type: 'pane.appeared', eventId: 'e1', atMs: T0, paneKey: paneKey(0) };
    expect(fits({ ...appeared, facts })).toBe(true);
    expect(fits({ ...appeared, facts: { ...facts, locations } })).toBe(false);
  });
});

test('an event of a newer writer with one more field is read without it', () => {
  const event: WorldEvent = {
    type: 'host.woke',
    eventId: 'e1' as WorldEvent['eventId'],
    atMs: T0,
  };
  expect(eventSchema.parse({ ...event, later: true })).toEqual(event);
});
