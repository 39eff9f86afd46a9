// The lag from a change in a pane to the subscribed client, per channel, each with a baseline
// measured at the same moments. Fake agents of several kinds work at the same time at irregular
// intervals, so that no figure follows the daemon's poll interval.

import { hasAttachFault } from '../../src/tmux/quiet-gate.ts';
import { monoMs, pause, until } from './clock.ts';
import { type FakePane, makeSession, openTerminal, type PaneKind } from './fake-panes.ts';
import { startDaemonFarFrom } from './far-daemon.ts';
import { type Check, type Spread, spreadOf } from './figures.ts';
import { startDaemon } from './live-daemon.ts';
import { ATTACH_ALWAYS, DEFAULT_SOCKET, emitterFile, Place } from './place.ts';
import { RawClient } from './raw-client.ts';
import { type Expected, hookTurn, oscTurn, screenTurns, titleTurns } from './recordings.ts';
import { RowWatch } from './row-watch.ts';
import { timedRun } from './timed-run.ts';

/** A change that no push reports within this time counts as missed. */
const MISSED_MS = 5_000;

export type Channel = 'screen' | 'title' | 'osc' | 'emitter' | 'option';

export interface ChannelFigures {
  readonly channel: Channel;
  readonly lag: Spread;
  readonly missed: readonly string[];
  readonly baseline: Spread;
  readonly baselineName: string;
}

export type LagCounts = Readonly<Record<Channel, number>>;

/** The result of one change; a lag of null was missed. */
interface Sample {
  readonly name: string;
  readonly lagMs: number | null;
  readonly baselineMs: number | null;
}

interface Bench {
  readonly place: Place;
  readonly watch: RowWatch;
  readonly raw: RawClient;
}

interface ChannelSpec {
  readonly kinds: readonly PaneKind[];
  readonly pauseMs: readonly [number, number];
  readonly baselineName: string;
  readonly stepsOf: (pane: FakePane, bench: Bench) => readonly (() => Promise<Sample>)[];
}

const channels: Readonly<Record<Channel, ChannelSpec>> = {
  screen: {
    kinds: ['claude', 'codex', 'gemini'],
    pauseMs: [300, 900],
    baselineName: 'raw %output',
    stepsOf: (pane, bench) =>
      pane.kind === 'shell' ? [] : terminalSteps(pane, bench, screenTurns[pane.kind]()),
  },
  title: {
    kinds: ['claude', 'codex', 'gemini'],
    pauseMs: [200, 500],
    baselineName: 'raw %output',
    stepsOf: (pane, bench) =>
      pane.kind === 'shell' ? [] : terminalSteps(pane, bench, titleTurns[pane.kind]),
  },
  osc: {
    kinds: ['codex', 'codex'],
    // Faster than this, the rate limit per pane would delay them.
    pauseMs: [260, 400],
    baselineName: 'raw %output',
    stepsOf: (pane, bench) => terminalSteps(pane, bench, oscTurn),
  },
  emitter: {
    kinds: ['claude', 'claude'],
    pauseMs: [40, 160],
    baselineName: 'a tmux process',
    stepsOf: emitterSteps,
  },
  option: {
    kinds: ['claude', 'codex', 'gemini'],
    pauseMs: [100, 900],
    baselineName: 'a tmux process',
    stepsOf: optionSteps,
  },
};

/** Bytes that reach the pane's terminal; the stamp is taken right before. */
function terminalSteps(
  pane: FakePane,
  { watch, raw }: Bench,
  steps: readonly { readonly bytes: string; readonly expected: Expected }[],
): readonly (() => Promise<Sample>)[] {
  const write = openTerminal(pane.tty);
  return steps.map(({ bytes, expected }) => async () => {
    const push = watch.next(pane.paneId, expected, MISSED_MS);
    const rawOutput = raw.next(pane.paneId, MISSED_MS);
    const changedMs = monoMs();
    write(bytes);
    const [pushedAtMs, rawAtMs] = await Promise.all([push, rawOutput]);
    return {
      name: nameOf(pane, expected, watch),
      lagMs: pushedAtMs && pushedAtMs - changedMs,
      baselineMs: rawAtMs && rawAtMs - changedMs,
    };
  });
}

/** Our emitter, run as a hook of the pane's agent; what it takes itself is part of the lag. */
function emitterSteps(pane: FakePane, { place, watch }: Bench): readonly (() => Promise<Sample>)[] {
  const env = {
    ...place.env,
    TMUX: `${place.socket},${place.serverPid()},0`,
    TMUX_PANE: pane.paneId,
    CLAUDE_PID: String(pane.pid),
  };
  const sessionId = `5e551011-0000-4000-8000-${String(pane.pid).padStart(12, '0')}`;
  return hookTurn().map(({ event, payload, expected }) => async () => {
    const push = watch.next(pane.paneId, expected, MISSED_MS);
    const args = ['--source', 'claude-hooks', '--agent', 'claude', '--event', event];
    const { startedMs } = await timedRun(emitterFile, args, { env, input: payload(sessionId) });
    const pushedAtMs = await push;
    return {
      name: nameOf(pane, expected, watch),
      lagMs: pushedAtMs && pushedAtMs - startedMs,
      baselineMs: await tmuxProcessMs(place, ['display-message', '-p', 'x']),
    };
  });
}

/** An option that another program sets. */
function optionSteps(pane: FakePane, { place, watch }: Bench): readonly (() => Promise<Sample>)[] {
  const turn: readonly (readonly [string, Expected])[] = [
    ['running', ['running']],
    ['awaiting_input', ['waiting_input']],
    ['running', ['running']],
    ['done', ['completed']],
  ];
  return turn.map(([word, expected]) => async () => {
    const push = watch.next(pane.paneId, expected, MISSED_MS);
    const changedMs = monoMs();
    const args = ['set-option', '-p', '-t', pane.paneId, '@agent_state', word];
    const baselineMs = await tmuxProcessMs(place, args);
    const pushedAtMs = await push;
    const name = nameOf(pane, expected, watch);
    return { name, lagMs: pushedAtMs && pushedAtMs - changedMs, baselineMs };
  });
}

async function tmuxProcessMs(place: Place, args: readonly string[]): Promise<number> {
  const { env, socket } = place;
  const { startedMs, endedMs } = await timedRun('tmux', ['-u', '-S', socket, ...args], { env });
  return endedMs - startedMs;
}

const nameOf = ({ kind, paneId }: FakePane, expected: Expected, watch: RowWatch): string =>
  `${kind} to ${expected.join('/')}, is ${watch.stateOf(paneId)}`;

async function measureChannel(
  channel: Channel,
  bench: Bench,
  { panes, count }: { readonly panes: readonly FakePane[]; readonly count: number },
): Promise<ChannelFigures> {
  const { pauseMs, baselineName, stepsOf } = channels[channel];
  const [leastMs, mostMs] = pauseMs;
  const each = Math.ceil(count / panes.length);
  const series = panes.map(async (pane) => {
    const steps = stepsOf(pane, bench);
    const samples: Sample[] = [];
    // One round before the counted ones: files are open and code is warm.
    for (let turn = -steps.length; turn < each; turn += 1) {
      await pause(leastMs + Math.random() * (mostMs - leastMs));
      const sample = await steps.at(turn % steps.length)?.();
      if (sample && turn >= 0) samples.push(sample);
    }
    return samples;
  });
  const samples = (await Promise.all(series)).flat();
  const present = (value: number | null): value is number => value !== null;
  return {
    channel,
    lag: spreadOf(samples.map(({ lagMs }) => lagMs).filter(present)),
    missed: samples.filter(({ lagMs }) => lagMs === null).map(({ name }) => name),
    baseline: spreadOf(samples.map(({ baselineMs }) => baselineMs).filter(present)),
    baselineName,
  };
}

export interface LagOptions {
  readonly isSsh?: boolean;
  /** With control clients whatever the version of tmux. */
  readonly isAttached?: boolean;
}

/**
 * Measures the channels that are counted, one after the other, on panes of their own, here or over
 * ssh. An OSC is read only where tmux is attached to.
 */
export async function measureLag(
  counts: LagCounts,
  { isSsh = false, isAttached = false }: LagOptions = {},
): Promise<readonly ChannelFigures[]> {
  using place = isSsh ? new Place(DEFAULT_SOCKET) : new Place();
  const toml = isAttached ? ATTACH_ALWAYS : '';
  const version = place.tmux('-V').replace('tmux ', '');
  const hasTaps = isAttached || !hasAttachFault(version);
  const names = (Object.keys(channels) as Channel[]).filter(
    (channel) => counts[channel] > 0 && (channel !== 'osc' || hasTaps),
  );
  const panes = new Map<Channel, readonly FakePane[]>();
  const all = makeSession(
    place,
    'lag',
    names.flatMap((channel) => channels[channel].kinds),
  );
  for (const channel of names) {
    const from = [...panes.values()].flat().length;
    panes.set(channel, all.slice(from, from + channels[channel].kinds.length));
  }
  place.configure(toml);
  await using daemon = isSsh
    ? await startDaemonFarFrom({ vm1: place }, { toml })
    : await startDaemon(place);
  using watch = new RowWatch(await daemon.connect());
  using raw = new RawClient(place, 'lag');
  await until('every agent is known', 20_000, () =>
    all.every(({ paneId }) => watch.stateOf(paneId) !== null),
  );
  const figures: ChannelFigures[] = [];
  for (const channel of names) {
    const part = { panes: panes.get(channel) ?? [], count: counts[channel] };
    figures.push(await measureChannel(channel, { place, watch, raw }, part));
  }
  return figures;
}

interface Budget {
  readonly point: 'p95Ms' | 'p99Ms' | 'maxMs';
  readonly limitMs: number;
}

const budgets: Readonly<Record<Channel, Budget>> = {
  screen: { point: 'p95Ms', limitMs: 1_000 },
  title: { point: 'p95Ms', limitMs: 300 },
  osc: { point: 'p99Ms', limitMs: 50 },
  emitter: { point: 'p99Ms', limitMs: 50 },
  option: { point: 'maxMs', limitMs: 1_300 },
};

/** Over ssh: every change within 1.5 s, our emitter within 300 ms. */
const sshBudgets: Readonly<Record<Channel, Budget>> = {
  screen: { point: 'p95Ms', limitMs: 1_500 },
  title: { point: 'p95Ms', limitMs: 1_500 },
  osc: { point: 'p95Ms', limitMs: 1_500 },
  emitter: { point: 'p95Ms', limitMs: 300 },
  option: { point: 'p95Ms', limitMs: 1_500 },
};

/** Budgets of the channels; `factor` loosens those that a busy machine would break. */
export function lagChecks(
  figures: readonly ChannelFigures[],
  factor: number,
  { isSsh = false }: { readonly isSsh?: boolean } = {},
): readonly Check[] {
  return figures.flatMap(({ channel, lag, missed }) => {
    const { point, limitMs } = (isSsh ? sshBudgets : budgets)[channel];
    const name = `${channel} ${point.replace('Ms', '')}`;
    return [
      { name, value: lag[point], limit: limitMs * factor, unit: 'ms' },
      { name: `${channel} missed`, value: missed.length, limit: 1, unit: '' },
    ];
  });
}
