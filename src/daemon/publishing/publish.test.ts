// The publisher against readers of every kind: whatever they miss, they end with the same panes.

import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  agents,
  claim,
  evidence,
  local,
  paneFacts,
  paneKey,
  Run,
  runtimeId,
  T0,
} from '../../../tests/scenario.ts';
import { crowdedTargets, paneItem } from '../../operations/answer/pane-item.ts';
import type { OpenStream } from '../../operations/ports/stream-message.ts';
import type { PaneItem, SummaryItem } from '../../schema/api/panes.ts';
import type { Subscribed } from '../../schema/api/stream.ts';
import { type PushName, pushSchemas } from '../../schema/api/stream.ts';
import type { Change } from '../../schema/change.ts';
import type { EventDraft } from '../../schema/event.ts';
import { id } from '../../schema/ids.ts';
import { messageLine } from '../../servers/json-rpc.ts';
import { Publisher } from './publish.ts';

const readers = {
  lastSeenAtMs: () => T0,
  isAttached: () => false,
  gitCheckout: () => ({ branch: null, worktree: null }),
  takesText: () => false,
};

/** The core run by hand, published after each step as the daemon's loop does. */
class Stage {
  readonly run: Run;
  readonly publisher: Publisher;
  nowMs = T0 + 1_000;

  constructor(count: number) {
    this.run = new Run(agents(count));
    const world = () => this.run.world;
    this.publisher = new Publisher({
      ...{ nonce: 'n', world, readers, outages: () => [] },
      nowMs: () => this.nowMs,
    });
  }

  step(work: () => void): void {
    const before = this.run.world;
    this.nowMs += 1;
    work();
    this.publisher.publish({ changes: changesBetween(before, this.run.world) });
  }

  says(index: number, state: 'running' | 'waiting_approval' | 'completed', tool?: string): void {
    const activity = tool === undefined ? {} : { activity: { tool } };
    this.step(() =>
      this.run.see(
        evidence('hooks', this.nowMs, [claim(state)], {
          runtimeId: runtimeId(index),
          type: state,
          ...activity,
        }),
      ),
    );
  }

  tell(...facts: readonly EventDraft[]): void {
    this.step(() => this.run.apply(...facts));
  }

  /** What a reader that missed nothing has. */
  truth(): ReadonlyMap<string, PaneItem> {
    const { world } = this.run;
    const view = { world, readers, crowded: crowdedTargets(world) };
    const here = [...world.panes.values()].filter(({ goneAtMs }) => goneAtMs === null);
    return new Map(here.map((pane) => [pane.paneKey, paneItem(view, pane)]));
  }
}

/** Tests run the pure core, which keeps its changes to itself; these are the ones that matter. */
function changesBetween(before: Run['world'], after: Run['world']): Change[] {
  const changes: Change[] = [];
  for (const [key, pane] of after.panes) {
    const old = before.panes.get(key);
    const { facts, targetId, goneAtMs, row } = pane;
    if (old?.facts !== facts || old.goneAtMs !== goneAtMs) {
      changes.push({ kind: 'pane', paneKey: key, facts, targetId, goneAtMs, atMs: T0 });
    }
    if (old?.row === row) continue;
    const expectedVersion = old?.row.stateVersion ?? null;
    changes.push({
      kind: 'row',
      paneKey: key,
      row,
      expectedVersion,
      eventId: id('e'),
      atMs: row.updatedAtMs,
    });
  }
  for (const key of before.panes.keys()) {
    if (!after.panes.has(key)) changes.push({ kind: 'pane_forgotten', paneKey: key });
  }
  return changes;
}

/** A reader that applies what it is sent; its buffer is the test's to fill. */
class Reader {
  readonly messages: { readonly method: PushName; readonly params: never }[] = [];
  panes = new Map<string, PaneItem>();
  summary: SummaryItem | null = null;
  cursor: string | undefined;
  bufferedBytes = 0;
  stream: OpenStream<Subscribed> | null = null;

  open(publisher: Publisher): this {
    const cursor = this.cursor === undefined ? {} : { cursor: this.cursor };
    this.stream = publisher.open(cursor, {
      send: (message) => this.#take(messageLine('s1', message)),
      bufferedBytes: () => this.bufferedBytes,
    });
    this.stream.start();
    return this;
  }

  names(): string[] {
    return this.messages.map(({ method }) => method);
  }

  #take(line: string): void {
    expect(line.endsWith('\n')).toBe(true);
    const { method, params } = JSON.parse(line) as { method: PushName; params: never };
    const push = pushSchemas[method].parse(params) as {
      cursor: string;
      panes?: PaneItem[];
      removed?: string[];
      summary?: SummaryItem;
    };
    this.messages.push({ method, params });
    this.cursor = push.cursor;
    if (push.summary) this.summary = push.summary;
    if (method === 'snapshot') this.panes.clear();
    if (method !== 'snapshot' && method !== 'state_changed') return;
    for (const pane of push.panes ?? []) {
      if (pane.presence === 'missing') this.panes.delete(pane.pane_key);
      else this.panes.set(pane.pane_key, pane);
    }
    for (const key of push.removed ?? []) this.panes.delete(key);
  }
}

afterEach(() => {
  vi.useRealTimers();
});

describe('a reader', () => {
  test('gets a snapshot, then only what changed, in the tick of the change', () => {
    const stage = new Stage(3);
    const reader = new Reader().open(stage.publisher);
    expect(reader.names()).toEqual(['snapshot']);
    stage.says(1, 'waiting_approval');
    expect(reader.names()).toEqual([
      'snapshot',
      'state_changed',
      'attention_changed',
      'summary_changed',
    ]);
    const changed = reader.messages[1]?.params as unknown as { panes: PaneItem[] };
    expect(changed.panes.map(({ pane_key }) => pane_key)).toEqual([paneKey(1)]);
    expect(reader.panes).toEqual(stage.truth());
    expect(reader.summary?.needs_action).toBe(1);
  });

  test('gets the panes that changed together in one message', () => {
    const stage = new Stage(3);
    const reader = new Reader().open(stage.publisher);
    stage.step(() => {
      for (const index of [0, 1, 2]) {
        stage.run.see(
          evidence('hooks', T0 + 9, [claim('running')], { runtimeId: runtimeId(index) }),
        );
      }
    });
    const states = reader.messages.filter(({ method }) => method === 'state_changed');
    expect(states.map(({ params }) => (params as { panes: unknown[] }).panes.length)).toEqual([3]);
  });

  test('gets minor changes merged, and at once with the next notable change', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const stage = new Stage(2);
    const reader = new Reader().open(stage.publisher);
    stage.says(0, 'running', 'start');
    const before = reader.messages.length;
    for (let n = 0; n < 50; n += 1) stage.says(0, 'running', `tool ${n}`);
    expect(reader.messages).toHaveLength(before);
    vi.advanceTimersByTime(250);
    expect(reader.names().slice(before)).toEqual(['state_changed']);
    expect(reader.panes.get(paneKey(0))?.activity.tool).toBe('tool 49');
    stage.says(0, 'running', 'later');
    stage.says(1, 'waiting_approval');
    const last = reader.messages.findLast(({ method }) => method === 'state_changed');
    expect(last?.params).toMatchObject({
      panes: [{ pane_key: paneKey(0) }, { pane_key: paneKey(1) }],
    });
    expect(reader.panes).toEqual(stage.truth());
  });

  test('gets a changed title and a changed branch, which change no row', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const stage = new Stage(1);
    const reader = new Reader().open(stage.publisher);
    const facts = paneFacts(0, { title: 'a new title' });
    stage.tell({ type: 'pane.changed', atMs: stage.nowMs, paneKey: paneKey(0), facts });
    vi.advanceTimersByTime(250);
    expect(reader.panes.get(paneKey(0))?.pane_title).toBe('a new title');
    const before = reader.messages.length;
    stage.publisher.touch([paneKey(0)]);
    vi.advanceTimersByTime(250);
    expect(reader.messages).toHaveLength(before + 1);
  });

  test('gets longer references when a second server appears, and short ones after it', () => {
    const stage = new Stage(1);
    const reader = new Reader().open(stage.publisher);
    const facts = paneFacts(5, { server: '/tmp/other' });
    stage.tell({ type: 'pane.appeared', atMs: stage.nowMs, paneKey: id('other'), facts });
    expect(reader.panes.get(paneKey(0))?.ref).toBe('pane:local+default/work/%400/%250');
    stage.tell({ type: 'pane.gone', atMs: stage.nowMs, paneKey: id('other'), reason: 'closed' });
    expect(reader.panes.get(paneKey(0))?.ref).toBe('pane:local/work/%400/%250');
  });

  test('that is slow gets no queue, and one snapshot when it has caught up', () => {
    const stage = new Stage(2);
    const reader = new Reader().open(stage.publisher);
    reader.stream?.drained();
    reader.bufferedBytes = 2 * 1024 * 1024;
    for (let n = 0; n < 100; n += 1) stage.says(n % 2, n % 4 < 2 ? 'running' : 'completed');
    expect(reader.messages).toHaveLength(1);
    reader.bufferedBytes = 0;
    reader.stream?.drained();
    expect(reader.names()).toEqual(['snapshot', 'snapshot']);
    expect(reader.messages[1]?.params).toMatchObject({ reason: 'slow_reader' });
    expect(reader.panes).toEqual(stage.truth());
    stage.says(0, 'waiting_approval');
    expect(reader.names().slice(2)).toContain('state_changed');
  });

  test('that comes after another has left gets the current counts', () => {
    const stage = new Stage(1);
    const first = new Reader().open(stage.publisher);
    stage.says(0, 'waiting_approval');
    stage.says(0, 'running');
    first.stream?.[Symbol.dispose]();
    stage.says(0, 'waiting_approval');
    const second = new Reader().open(stage.publisher);
    expect(second.summary?.by_state.waiting_approval).toBe(1);
    stage.says(0, 'running');
    expect(second.names()).toContain('summary_changed');
    expect(second.summary?.by_state.waiting_approval).toBe(0);
  });

  test('is sent nothing after it has left', () => {
    const stage = new Stage(1);
    const reader = new Reader().open(stage.publisher);
    reader.stream?.[Symbol.dispose]();
    stage.says(0, 'running');
    expect(reader.names()).toEqual(['snapshot']);
    expect(stage.publisher.subscriberCount).toBe(0);
  });
});

describe('a cursor', () => {
  test('of a flush that was cut off resumes with the rest of that flush', () => {
    const stage = new Stage(2);
    const reader = new Reader();
    const cut = stage.publisher.open(
      {},
      {
        bufferedBytes: () => 0,
        send: ({ type, cursor }) => {
          // The connection dies after the first message of the flush.
          if (type === 'state_changed') reader.cursor = cursor;
        },
      },
    );
    cut.start();
    stage.says(0, 'running');
    stage.says(1, 'waiting_approval');
    cut[Symbol.dispose]();
    reader.open(stage.publisher);
    expect(reader.stream?.reply.resumed).toBe(true);
    expect(reader.names()).toEqual(['attention_changed', 'summary_changed']);
    expect(reader.messages[0]?.params).toMatchObject({
      panes: [{ pane_key: paneKey(1), attention: { kinds: ['approval'] } }],
    });
  });

  test('resumes with what changed and what is gone, and nothing else', () => {
    const stage = new Stage(3);
    const reader = new Reader().open(stage.publisher);
    reader.stream?.[Symbol.dispose]();
    stage.says(1, 'running');
    stage.tell({ type: 'pane.gone', atMs: stage.nowMs, paneKey: paneKey(2), reason: 'closed' });
    stage.tell({ type: 'pane.forgotten', atMs: stage.nowMs, paneKey: paneKey(2) });
    reader.open(stage.publisher);
    expect(reader.stream?.reply.resumed).toBe(true);
    expect(reader.messages[1]?.params).toMatchObject({
      panes: [{ pane_key: paneKey(1) }],
      removed: [paneKey(2)],
    });
    expect(reader.panes).toEqual(stage.truth());
  });

  test('resumes without the panes of a target that was removed', () => {
    const stage = new Stage(2);
    const reader = new Reader().open(stage.publisher);
    reader.stream?.[Symbol.dispose]();
    stage.tell({ type: 'target.removed', atMs: stage.nowMs, targetId: local });
    reader.open(stage.publisher);
    expect(reader.stream?.reply.resumed).toBe(true);
    expect(reader.panes.size).toBe(0);
  });

  test.each(['other:1', 'n:999', 'n:-1', 'n:', 'n:1e3', ''])(
    '%j is answered by a snapshot',
    (cursor) => {
      const stage = new Stage(1);
      const reader = new Reader();
      reader.cursor = cursor;
      reader.open(stage.publisher);
      expect(reader.stream?.reply.resumed).toBe(false);
      expect(reader.messages[0]?.params).toMatchObject({ reason: 'invalid_cursor' });
    },
  );

  test('cannot be resumed once gone panes were forgotten', () => {
    const stage = new Stage(1);
    const reader = new Reader().open(stage.publisher);
    reader.stream?.[Symbol.dispose]();
    const first = reader.cursor;
    for (let n = 0; n < 5_000; n += 1) {
      stage.publisher.publish({ changes: [{ kind: 'pane_forgotten', paneKey: id(`gone ${n}`) }] });
    }
    reader.cursor = first;
    reader.open(stage.publisher);
    expect(reader.messages[1]?.params).toMatchObject({ reason: 'invalid_cursor' });
    reader.stream?.[Symbol.dispose]();
    reader.open(stage.publisher);
    expect(reader.stream?.reply.resumed).toBe(true);
  });
});

const steps = fc.array(
  fc.record({
    what: fc.constantFrom('says', 'works', 'title', 'gone', 'forget', 'leave', 'slow', 'drain'),
    index: fc.integer({ min: 0, max: 4 }),
    n: fc.integer({ min: 0, max: 2 }),
  }),
  { maxLength: 40 },
);

test('readers that leave, lag and come back all end with the same panes', () => {
  fc.assert(
    fc.property(steps, (plan) => {
      const stage = new Stage(5);
      const list = [0, 1, 2].map(() => new Reader().open(stage.publisher));
      for (const { what, index, n } of plan) play(stage, list[n] as Reader, what, index, n);
      for (const reader of list) {
        reader.bufferedBytes = 0;
        reader.stream?.drained();
        if (reader.stream === null) reader.open(stage.publisher);
      }
      // Opening one more sends what waits to be merged.
      const fresh = new Reader().open(stage.publisher);
      for (const reader of [...list, fresh]) {
        expect(reader.panes).toEqual(stage.truth());
        expect(reader.summary).toEqual(fresh.summary);
      }
      stage.publisher[Symbol.dispose]();
    }),
    { numRuns: 150 },
  );
});

/** One step of a plan, for the fleet or for one reader. */
function play(stage: Stage, reader: Reader, doing: string, index: number, n: number): void {
  const isHere = stage.run.world.panes.get(paneKey(index))?.goneAtMs === null;
  if (['leave', 'slow', 'drain'].includes(doing)) playReader(stage, reader, doing);
  else if (isHere) playPane(stage, doing, index, n);
  else if (doing === 'forget') {
    stage.tell({ type: 'pane.forgotten', atMs: stage.nowMs, paneKey: paneKey(index) });
  }
}

function playPane(stage: Stage, doing: string, index: number, n: number): void {
  const atMs = stage.nowMs;
  const key = paneKey(index);
  if (doing === 'says') {
    stage.says(index, (['running', 'waiting_approval', 'completed'] as const)[n] ?? 'running');
  } else if (doing === 'works') {
    stage.says(index, 'running', `tool ${atMs}`);
  } else if (doing === 'title') {
    const facts = paneFacts(index, { title: `title ${atMs}` });
    stage.tell({ type: 'pane.changed', atMs, paneKey: key, facts });
  } else if (doing === 'gone') {
    stage.tell({ type: 'pane.gone', atMs, paneKey: key, reason: 'closed' });
  }
}

function playReader(stage: Stage, reader: Reader, doing: string): void {
  if (doing === 'slow') {
    reader.bufferedBytes = 64 * 1024 * 1024;
  } else if (doing === 'drain') {
    reader.bufferedBytes = 0;
    reader.stream?.drained();
  } else if (reader.stream === null) {
    reader.bufferedBytes = 0;
    reader.open(stage.publisher);
  } else {
    reader.stream[Symbol.dispose]();
    reader.stream = null;
  }
}
