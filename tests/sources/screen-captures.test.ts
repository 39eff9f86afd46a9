// The captures of screens, with a link whose answers the test holds back: what comes too late, and
// what shares a process where nothing is attached.

import { beforeEach, describe, expect, it } from 'vitest';
import { type Config, defaultConfig } from '../../src/schema/config.ts';
import type { TitleOrigin } from '../../src/sources/panes/title-source.ts';
import { ScreenCaptures, type ScreenReading } from '../../src/sources/watch/screen-captures.ts';
import type { CapturedScreen } from '../../src/tmux/capture.ts';
import type { LinkState, TmuxLink } from '../../src/tmux/link.ts';
import type { Reply } from '../../src/tmux-wire/control-parser.ts';
import { adapter, channel, knownPane, recorded, runtime, saidBy, TestDaemon } from './fixture.ts';

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
let looks: ScreenCaptures;
let runs: Run[];
let gone: Set<string>;
let seen: ScreenReading[];
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
      reply(true, '80 24 0 0 0 0 100 a title'),
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
  looks = new ScreenCaptures({
    link: { status: { state }, run } as unknown as TmuxLink,
    daemon,
    channel,
    config: () => config,
    known: (paneId) => daemon.panes.get(paneId) ?? null,
    agentIn: ({ runtime }) => runtime && { runtime, adapter: adapter('opencode') },
    titleOrigin: () => titleOrigin,
    onSeen: (each) => seen.push(each),
    onStranger: () => {},
    onFault: () => {},
    onFree: () => {},
  });
}

function follow(...paneIds: readonly string[]): void {
  for (const paneId of paneIds) daemon.panes.set(paneId, knownPane(null, { paneId }));
  looks.follow(new Set(paneIds), daemon.now);
}

beforeEach(() => {
  daemon = new TestDaemon();
  runs = [];
  gone = new Set();
  seen = [];
  titleOrigin = 'own';
  shown = new Map();
});

describe('a look at a screen', () => {
  it('is kept until the pane is no longer followed', async () => {
    make('connected');
    follow('%1');
    looks.run(daemon.now);
    await runs[0]?.answer();
    expect(looks.viewOf('%1', 100)).not.toBeNull();
    follow();
    expect(looks.viewOf('%1', 100)).toBeNull();
  });

  it('that comes back when the pane has left is not kept', async () => {
    make('connected');
    follow('%1');
    looks.run(daemon.now);
    follow();
    await runs[0]?.answer();
    expect(looks.viewOf('%1', 100)).toBeNull();
    expect(looks.count).toBe(0);
  });

  it.each([
    ['own', 'running'],
    ['foreign', 'running'],
    ['left_at_work', null],
  ] as const)('under a title that is %s, a while after the start', async (origin, said) => {
    make('connected');
    follow('%1');
    shown.set('%1', recorded('opencode/006-running').screen);
    const young = runtime({ startedAtMs: daemon.now });
    daemon.panes.set('%1', knownPane(young, { paneId: '%1' }));
    titleOrigin = origin;
    for (const laterMs of [0, 3_000]) {
      daemon.now += laterMs;
      looks.ask('%1', daemon.now);
      looks.run(daemon.now);
      await runs.at(-1)?.answer();
    }
    expect(seen.map(({ look }) => saidBy(look.evidence)?.[0] ?? null)).toEqual([null, said]);
  });

  it('is one line for up to sixteen panes that are due while we are attached', () => {
    make('connected');
    const paneIds = Array.from({ length: 20 }, (_, index) => `%${index}`);
    follow(...paneIds);
    looks.run(daemon.now);
    expect(runs.map((each) => each.paneIds)).toEqual([paneIds.slice(0, 16), paneIds.slice(16)]);
  });

  it('waits for others where there are many, but not when there was no room', async () => {
    make('connected');
    const paneIds = Array.from({ length: config.screen.looksMax + 1 }, (_, index) => `%${index}`);
    follow(...paneIds);
    looks.run(daemon.now);
    for (const run of [...runs]) await run.answer();
    expect(looks.nextMs).toBe(daemon.now);
    looks.run(daemon.now);
    await runs.at(-1)?.answer();
    expect(runs.flatMap((each) => each.paneIds)).toHaveLength(paneIds.length);
    looks.ask('%1', daemon.now + 1);
    expect(looks.nextMs).toBe(daemon.now + paneIds.length);
  });
});

describe('the styles of a screen', () => {
  it('are asked for where its rules need them, at once, and only as long', async () => {
    make('connected');
    daemon.panes.set('%1', knownPane(runtime(), { paneId: '%1' }));
    looks.follow(new Set(['%1']), daemon.now);
    const lookAt = async (name: string): Promise<boolean> => {
      shown.set('%1', recorded(name).screen);
      looks.ask('%1', daemon.now);
      looks.run(daemon.now);
      await runs.at(-1)?.answer();
      return runs.at(-1)?.commands.flat().includes('-e') === true;
    };
    expect(await lookAt('opencode/006-running')).toBe(false);
    daemon.now += 1_000;
    expect(await lookAt('opencode/old-605-waiting_approval')).toBe(false);
    daemon.now += 1;
    expect(looks.nextMs).toBe(daemon.now);
    expect(await lookAt('opencode/old-605-waiting_approval')).toBe(true);
    daemon.now += 1_000;
    expect(await lookAt('opencode/006-running')).toBe(true);
    daemon.now += 1_000;
    expect(await lookAt('opencode/006-running')).toBe(false);
    expect(seen.map(({ look }) => saidBy(look.evidence)?.[0] ?? null)).toEqual([
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
    looks.run(daemon.now);
    expect(runs.map(({ paneIds }) => paneIds)).toEqual([['%1', '%2', '%3']]);
    expect(looks.nextMs).toBe(Number.POSITIVE_INFINITY);
    await runs[0]?.answer();
    expect(looks.count).toBe(3);
    looks.changed('%1', daemon.now);
    looks.ask('%2', daemon.now);
    looks.run(daemon.now + 100);
    expect(runs).toHaveLength(1);
    expect(looks.nextMs).toBe(daemon.now + config.screen.lookMs);
    looks.run(looks.nextMs);
    expect(runs[1]?.paneIds.toSorted()).toEqual(['%1', '%2']);
  });

  it('a pane that is gone costs only itself', async () => {
    make('degraded');
    gone.add('%2');
    follow('%1', '%2', '%3');
    looks.run(daemon.now);
    await runs[0]?.answer();
    expect(looks.count).toBe(1);
    expect(runs[1]?.paneIds).toEqual(['%3']);
    await runs[1]?.answer();
    expect(looks.count).toBe(2);
    expect(looks.viewOf('%3', 100)).not.toBeNull();
    expect(looks.nextMs).toBeLessThan(Number.POSITIVE_INFINITY);
  });
});
