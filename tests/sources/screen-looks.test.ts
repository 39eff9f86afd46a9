// The captures of screens, with a link whose answers the test holds back: what comes too late, and
// what shares a process where nothing is attached.

import { beforeEach, describe, expect, it } from 'vitest';
import { type Config, defaultConfig } from '../../src/schema/config.ts';
import { ScreenLooks } from '../../src/sources/screen-looks.ts';
import type { LinkState, TmuxLink } from '../../src/tmux/link.ts';
import type { Reply } from '../../src/tmux-wire/control-parser.ts';
import { channel, knownPane, TestDaemon } from './fixture.ts';

const config: Config = defaultConfig;
const reply = (ok: boolean, ...lines: readonly string[]): Reply => ({
  ...{ kind: 'reply', ok, number: 1, flags: 1 },
  lines,
});

interface Run {
  readonly paneIds: readonly string[];
  readonly answer: () => Promise<void>;
}

let daemon: TestDaemon;
let looks: ScreenLooks;
let runs: Run[];
let gone: Set<string>;

/** The replies of tmux to captures of these panes: the first that is gone ends them. */
function repliesTo(paneIds: readonly string[]): readonly Reply[] {
  const replies: Reply[] = [];
  for (const paneId of paneIds) {
    if (gone.has(paneId)) return [...replies, reply(true, '     '), reply(false, 'no such pane')];
    replies.push(reply(true, '80 24 0 0 0 0 100 a title'), reply(true, `screen of ${paneId}`));
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
      resolve(repliesTo(paneIds));
      await new Promise((done) => setImmediate(done));
    };
    runs.push({ paneIds, answer });
    return promise;
  };
  looks = new ScreenLooks({
    link: { status: { state }, run } as unknown as TmuxLink,
    daemon,
    channel,
    config: () => config,
    known: (paneId) => daemon.panes.get(paneId) ?? null,
    agentIn: () => null,
    isForeignTitle: () => false,
    onSeen: () => {},
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

  it('is one line for up to eight panes that are due while we are attached', () => {
    make('connected');
    const paneIds = Array.from({ length: 10 }, (_, index) => `%${index}`);
    follow(...paneIds);
    looks.run(daemon.now);
    expect(runs.map((each) => each.paneIds)).toEqual([paneIds.slice(0, 8), paneIds.slice(8)]);
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
