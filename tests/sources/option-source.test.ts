// The pane options as evidence: what others set counts, what stood there before does not, and an
// event of our emitter comes by its spool file alone.

import { beforeEach, describe, expect, it } from 'vitest';
import { OptionSource, type PaneOptions } from '../../src/sources/panes/option-source.ts';
import { OwnOptions } from '../../src/sources/panes/own-options.ts';
import {
  adapter,
  channel,
  claimsOf,
  noOptions,
  registry,
  row,
  runtime,
  T0,
  TestDaemon,
} from './fixture.ts';

let daemon: TestDaemon;
let source: OptionSource;

beforeEach(() => {
  daemon = new TestDaemon();
  source = new OptionSource(daemon, channel, () => registry);
});

const none: PaneOptions = { state: '', kind: '', name: '', event: '' };
const claude = runtime();

/** Reads a second after the reading before. */
function read(options: Partial<PaneOptions>) {
  daemon.now += 1_000;
  return source.read(
    '%1',
    { runtime: claude, adapter: adapter('claude') },
    { ...none, ...options },
  );
}

describe('an option', () => {
  it('that is set while the agent runs is its claim', () => {
    read({});
    expect(read({ state: 'running' })).toMatchObject({
      runtimeId: claude.runtimeId,
      source: 'pane-option',
      kind: 'level',
      eventTimeMs: T0 + 2_000,
      claims: [{ says: 'running' }],
    });
    expect(claimsOf(read({ state: 'awaiting_input', kind: 'permission' }))).toEqual([
      'waiting_approval',
    ]);
  });

  it('that stood there before is no claim until it changes', () => {
    expect(read({ state: 'running' })).toBeNull();
    daemon.now += 60_000;
    expect(read({ state: 'running' })).toBeNull();
    expect(claimsOf(read({ state: 'idle' }))).toEqual(['at_rest']);
  });

  it('that was a claim before the daemon was restarted is one again', () => {
    const restored = runtime({ hasOptionClaim: true });
    const readRestored = (options: Partial<PaneOptions>) =>
      source.read('%1', { runtime: restored, adapter: adapter('claude') }, { ...none, ...options });
    expect(claimsOf(readRestored({ state: 'running' }))).toEqual(['running']);
    source = new OptionSource(daemon, channel, () => registry);
    expect(readRestored({ state: 'running', event: '1-1:claude-hooks:1' })).toBeNull();
  });

  it('is read again within the 30 s after which it would fall, and not at each listing', () => {
    read({});
    read({ state: 'running' });
    let readCount = 0;
    for (let second = 0; second < 30; second += 1) if (read({ state: 'running' })) readCount += 1;
    expect(readCount).toBeGreaterThanOrEqual(3);
    expect(readCount).toBeLessThanOrEqual(10);
  });

  it('keeps the moment of its change when it is read again', () => {
    read({});
    const changedAtMs = read({ state: 'running' })?.eventTimeMs;
    daemon.now += 10_000;
    expect(read({ state: 'running' })?.eventTimeMs).toBe(changedAtMs);
  });

  it('that is unset withdraws its claim', () => {
    read({});
    read({ state: 'running' });
    expect(claimsOf(read({}))).toEqual([]);
  });

  it('with an unknown word withdraws its claim', () => {
    read({});
    read({ state: 'running' });
    expect(claimsOf(read({ state: 'pondering' }))).toEqual([]);
  });

  it('counts under a name of the user’s own', () => {
    read({});
    expect(claimsOf(read({ state: 'running', name: 'reviewer' }))).toEqual(['running']);
  });

  it('that names another agent is not this one’s claim', () => {
    read({});
    expect(claimsOf(read({ state: 'running', name: 'codex' })) ?? []).toEqual([]);
  });
});

describe('an event of our emitter', () => {
  it('is never claimed a second time by its option', () => {
    read({});
    expect(read({ state: 'running', event: 'e1:claude-hooks:1' })).toBeNull();
    expect(read({ state: 'idle', event: 'e2:claude-hooks:2' })).toBeNull();
  });

  it('takes back what another tool had set', () => {
    read({});
    expect(claimsOf(read({ state: 'running' }))).toEqual(['running']);
    expect(claimsOf(read({ state: 'idle', event: 'e1:claude-hooks:1' }))).toEqual([]);
  });

  it('does not keep another tool from speaking after it', () => {
    read({});
    read({ state: 'running', event: 'e1:claude-hooks:1' });
    expect(claimsOf(read({ state: 'idle', event: 'e1:claude-hooks:1' }))).toEqual(['at_rest']);
  });
});

describe('in a pane without an agent', () => {
  const generic = adapter('generic');
  const claimsIn = (options: Partial<PaneOptions>) =>
    source.unclaimed('%1', generic, { ...none, ...options })?.claims.map(({ says }) => says) ??
    null;
  const unclaimed = (options: Partial<PaneOptions>) => {
    const says = claimsIn(options);
    source.note('%1', { ...none, ...options });
    return says;
  };

  it('a value that is set while we look says that somebody there is one', () => {
    expect(unclaimed({})).toBeNull();
    expect(unclaimed({ state: 'running' })).toEqual(['running']);
    expect(unclaimed({ state: 'running' })).toBeNull();
  });

  it('a value that nobody has dealt with says so again', () => {
    unclaimed({});
    expect(claimsIn({ state: 'running' })).toEqual(['running']);
    expect(claimsIn({ state: 'running' })).toEqual(['running']);
  });

  it('a value that was there before says nothing, nor one that nobody knows', () => {
    expect(unclaimed({ state: 'running' })).toBeNull();
    expect(unclaimed({ state: 'pondering' })).toBeNull();
    expect(unclaimed({})).toBeNull();
    expect(unclaimed({ state: 'exited' })).toBeNull();
  });

  it('an event of our emitter makes nobody an agent: it speaks for itself', () => {
    unclaimed({});
    expect(unclaimed({ state: 'idle', event: 'e1:claude-hooks:1' })).toBeNull();
    expect(unclaimed({ state: 'running', event: 'e1:claude-hooks:1' })).toEqual(['running']);
  });

  it('a pane that is gone is forgotten', () => {
    unclaimed({});
    source.keepPanes(new Set());
    expect(unclaimed({ state: 'running' })).toBeNull();
  });
});

describe('runtimes', () => {
  it('that are gone are forgotten', () => {
    read({});
    source.keep(new Set([claude.runtimeId]));
    expect(claimsOf(read({ state: 'running' }))).toEqual(['running']);
    source.keep(new Set());
    expect(read({ state: 'running' })).toBeNull();
  });
});

describe('which options are a pane’s own', () => {
  const show = (state: string | null, paneId = '%1') =>
    row({ paneId, options: { ...noOptions, '@agent_state': state } });

  const state = (value: string) => new Map([['@agent_state' as const, value]]);

  it('is asked only when what the pane shows has changed', () => {
    const own = new OwnOptions();
    expect(own.isUnknown(show(null))).toBe(false);
    expect(own.isUnknown(show('running'))).toBe(true);
    expect(own.isUnknown(show('running'))).toBe(true);
    own.answered('%1', state('running'));
    expect(own.isUnknown(show('running'))).toBe(false);
    expect(own.isUnknown(show('idle'))).toBe(true);
  });

  it('tells a state that was taken back from one that is not known yet', () => {
    const own = new OwnOptions();
    own.isUnknown(show('running'));
    expect(own.hasNone(show('running'))).toBe(false);
    own.answered('%1', state('running'));
    expect(own.hasNone(show('running'))).toBe(false);
    own.isUnknown(show('exited'));
    own.answered('%1', state('exited'));
    expect(own.hasNone(show('exited'))).toBe(true);
    own.isUnknown(show(null));
    expect(own.hasNone(show(null))).toBe(true);
  });

  it('decides what counts: an inherited value speaks for no pane', () => {
    const own = new OwnOptions();
    own.isUnknown(show('running'));
    expect(own.of(show('running'))).toBeNull();
    own.answered('%1', new Map());
    expect(own.of(show('running'))).toEqual(none);
    own.answered('%1', state('running'));
    expect(own.of(show('running'))).toEqual({ ...none, state: 'running' });
  });

  it('counts nothing that something above the pane hides', () => {
    const own = new OwnOptions();
    own.isUnknown(show('running'));
    own.answered('%1', state('idle'));
    expect(own.of(show('running'))).toEqual(none);
  });

  it('is known without asking where nothing is set', () => {
    const own = new OwnOptions();
    own.isUnknown(show(null));
    expect(own.of(show(null))).toEqual(none);
  });

  it('leaves out values that nobody of ours writes', () => {
    const own = new OwnOptions();
    const odd = row({ options: { ...noOptions, '@agent_state': { invalid: true } } });
    expect(own.isUnknown(odd)).toBe(false);
    expect(own.of(odd)).toEqual(none);
  });

  it('is forgotten with its pane', () => {
    const own = new OwnOptions();
    own.isUnknown(show('running'));
    own.answered('%1', state('running'));
    own.answered('%2', state('running'));
    own.keep(new Set());
    expect(own.of(show('running'))).toBeNull();
    expect(own.isUnknown(show('running'))).toBe(true);
  });
});
