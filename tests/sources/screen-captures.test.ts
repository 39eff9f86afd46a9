// The captures of screens, with a link whose answers the test holds back: what comes too late, and
// what shares a process where nothing is attached.

import { beforeEach, describe, expect, it } from 'vitest';
import { type Config, defaultConfig } from '../../src/schema/config.ts';
import { type ScreenJudgement, ScreenSource } from '../../src/sources/panes/screen-source.ts';
import type { TitleOrigin } from '../../src/sources/panes/title-source.ts';
import {
  noResult,
  type PaneCapture,
  ScreenCaptures,
} from '../../src/sources/watch/screen-captures.ts';
import type { CapturedScreen } from '../../src/tmux/capture.ts';
import type { LinkState, TmuxLink } from '../../src/tmux/link.ts';
import type { Reply } from '../../src/tmux-wire/control-parser.ts';
import { adapter, channel, claimsOf, knownPane, recorded, runtime, TestDaemon } from './fixture.ts';

const config: Config = defaultConfig;
const reply = (ok: boolean, ...lines: readonly string[]): Reply => ({
  ...{ kind: 'reply', ok, number: 1, flags: 1 },
  lines,
});

interface Run {
  readonly commands: readonly (readonly string[])[];
  readonly paneIds: readonly string[];
  readonly answer: () => Promise<void>;
}

let daemon: TestDaemon;
let captures: ScreenCaptures;
let screens: ScreenSource;
let runs: Run[];
let gone: Set<string>;
let judgements: ScreenJudgement[];
let titleOrigin: TitleOrigin;
/** What the panes show, with styles; of a pane that is not in it, some text. */
let shown: Map<string, CapturedScreen>;

function linesOf(paneId: string, isStyled: boolean): readonly string[] {
  const screen = shown.get(paneId);
  if (screen === undefined) return [`screen of ${paneId}`];
  const lines = isStyled ? screen.ansi.split('\n') : screen.lines;
  return lines.map((line) => Buffer.from(line).toString('latin1'));
}

/** The replies of tmux to captures of these panes: the first that is gone ends them. */
function repliesTo(paneIds: readonly string[], isStyled: boolean): readonly Reply[] {
  const replies: Reply[] = [];
  for (const paneId of paneIds) {
    if (gone.has(paneId)) return [...replies, reply(true, '     '), reply(false, 'no such pane')];
    replies.push(
      reply(true, '80 24 0 0 1 0 0 100 a title'),
      reply(true, ...linesOf(paneId, isStyled)),
    );
  }
  return replies;
}

function make(state: LinkState): void {
  const run: TmuxLink['run'] = (commands) => {
    const { promise, resolve } = Promise.withResolvers<readonly Reply[]>();
    const paneIds = commands
      .filter(([name]) => name === 'capture-pane')
      .map((each) => each.at(-1) ?? '');
    const answer = async (): Promise<void> => {
      resolve(repliesTo(paneIds, commands.flat().includes('-e')));
      await new Promise((done) => setImmediate(done));
    };
    runs.push({ commands, paneIds, answer });
    return promise;
  };
  const link = { status: { state }, run } as unknown as TmuxLink;
  captures = new ScreenCaptures({ link, config: () => config, nowMs: daemon.nowMs });
  screens = new ScreenSource(daemon, channel);
}

/** Captures what is due, as the watch of a server does. */
function capture(nowMs: number): void {
  for (const line of captures.take(nowMs)) void captureLine(line);
}

async function captureLine(line: readonly string[]): Promise<void> {
  for await (const captured of captures.capture(line)) {
    for (const each of captured) captures.done(each, judge(each) ?? noResult);
  }
}

function judge({ paneId, screen }: PaneCapture): ScreenJudgement | null {
  if (screen === null) return null;
  const current = daemon.panes.get(paneId)?.runtime ?? null;
  const agent = current && { runtime: current, adapter: adapter('opencode') };
  const judgement = screens.read(paneId, screen, agent, titleOrigin);
  judgements.push(judgement);
  return judgement;
}

function follow(...paneIds: readonly string[]): void {
  for (const paneId of paneIds) daemon.panes.set(paneId, knownPane(null, { paneId }));
  for (const paneId of captures.follow(new Set(paneIds), daemon.now)) screens.forget(paneId);
}

beforeEach(() => {
  daemon = new TestDaemon();
  runs = [];
  gone = new Set();
  judgements = [];
  titleOrigin = 'own';
  shown = new Map();
});

describe('the capture of a screen', () => {
  it('is kept until the pane is no longer followed', async () => {
    make('connected');
    follow('%1');
    capture(daemon.now);
    await runs[0]?.answer();
    expect(screens.viewOf('%1', 100)).not.toBeNull();
    follow();
    expect(screens.viewOf('%1', 100)).toBeNull();
  });

  it('that comes back when the pane has left is not kept', async () => {
    make('connected');
    follow('%1');
    capture(daemon.now);
    follow();
    await runs[0]?.answer();
    expect(screens.viewOf('%1', 100)).toBeNull();
    expect(judgements).toEqual([]);
  });

  it.each([
    ['own', 'running'],
    ['foreign', 'running'],
    ['left_at_work', null],
  ] as const)('under a title that is %s, a while after the start', async (origin, expected) => {
    make('connected');
    follow('%1');
    shown.set('%1', recorded('opencode/006-running').screen);
    const young = runtime({ startedAtMs: daemon.now });
    daemon.panes.set('%1', knownPane(young, { paneId: '%1' }));
    titleOrigin = origin;
    for (const laterMs of [0, 3_000]) {
      daemon.now += laterMs;
      captures.schedule.ask('%1', daemon.now);
      capture(daemon.now);
      await runs.at(-1)?.answer();
    }
    expect(judgements.map(({ evidence }) => claimsOf(evidence)?.[0] ?? null)).toEqual([
      null,
      expected,
    ]);
  });

  it('is one line for up to sixteen panes that are due while we are attached', () => {
    make('connected');
    const paneIds = Array.from({ length: 20 }, (_, index) => `%${index}`);
    follow(...paneIds);
    capture(daemon.now);
    expect(runs.map((each) => each.paneIds)).toEqual([paneIds.slice(0, 16), paneIds.slice(16)]);
  });

  it('waits for others where there are many, but not when there was no room', async () => {
    make('connected');
    const paneIds = Array.from({ length: config.screen.looksMax + 1 }, (_, index) => `%${index}`);
    follow(...paneIds);
    capture(daemon.now);
    for (const run of [...runs]) await run.answer();
    expect(captures.nextMs).toBe(daemon.now);
    capture(daemon.now);
    await runs.at(-1)?.answer();
    expect(runs.flatMap((each) => each.paneIds)).toHaveLength(paneIds.length);
    captures.schedule.ask('%1', daemon.now + 1);
    expect(captures.nextMs).toBe(daemon.now + paneIds.length);
  });
});

describe('the styles of a screen', () => {
  it('are asked for where its rules need them, at once, and only as long', async () => {
    make('connected');
    daemon.panes.set('%1', knownPane(runtime(), { paneId: '%1' }));
    captures.follow(new Set(['%1']), daemon.now);
    const captureOf = async (name: string): Promise<boolean> => {
      shown.set('%1', recorded(name).screen);
      captures.schedule.ask('%1', daemon.now);
      capture(daemon.now);
      await runs.at(-1)?.answer();
      return runs.at(-1)?.commands.flat().includes('-e') === true;
    };
    expect(await captureOf('opencode/006-running')).toBe(false);
    daemon.now += 1_000;
    expect(await captureOf('opencode/old-605-waiting_approval')).toBe(false);
    daemon.now += 1;
    expect(captures.nextMs).toBe(daemon.now);
    expect(await captureOf('opencode/old-605-waiting_approval')).toBe(true);
    daemon.now += 1_000;
    expect(await captureOf('opencode/006-running')).toBe(true);
    daemon.now += 1_000;
    expect(await captureOf('opencode/006-running')).toBe(false);
    expect(judgements.map(({ evidence }) => claimsOf(evidence)?.[0] ?? null)).toEqual([
      'running',
      null,
      'waiting_approval',
      'running',
      'running',
    ]);
  });
});

describe('where each command is a process', () => {
  it('screens that are due share one, and the next waits for its turn', async () => {
    make('degraded');
    follow('%1', '%2', '%3');
    capture(daemon.now);
    expect(runs.map(({ paneIds }) => paneIds)).toEqual([['%1', '%2', '%3']]);
    expect(captures.nextMs).toBe(Number.POSITIVE_INFINITY);
    await runs[0]?.answer();
    expect(judgements).toHaveLength(3);
    captures.schedule.changed('%1', daemon.now);
    captures.schedule.ask('%2', daemon.now);
    capture(daemon.now + 100);
    expect(runs).toHaveLength(1);
    expect(captures.nextMs).toBe(daemon.now + config.screen.lookMs);
    capture(captures.nextMs);
    expect(runs[1]?.paneIds.toSorted()).toEqual(['%1', '%2']);
  });

  it('a pane that is gone costs only itself', async () => {
    make('degraded');
    gone.add('%2');
    follow('%1', '%2', '%3');
    capture(daemon.now);
    await runs[0]?.answer();
    expect(judgements).toHaveLength(1);
    expect(runs[1]?.paneIds).toEqual(['%3']);
    await runs[1]?.answer();
    expect(judgements).toHaveLength(2);
    expect(screens.viewOf('%3', 100)).not.toBeNull();
    expect(captures.nextMs).toBeLessThan(Number.POSITIVE_INFINITY);
  });
});
