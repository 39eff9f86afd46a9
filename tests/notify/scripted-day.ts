// A day of 500 changes of rows, played to the real notifier over the real store: its timers run on
// the test's clock, its panes and the person's eyes are the test's own. It can be restarted at any
// moment, as a daemon that ends and begins again.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { deliveredResult, type NotifyChannel } from '../../src/notify/message/notify-channel.ts';
import { Notifier } from '../../src/notify/notifier.ts';
import { NotifyQueue } from '../../src/notify/notify-queue.ts';
import type { PaneSource } from '../../src/notify/policy/pane-needs.ts';
import { id, type RequestId } from '../../src/schema/ids.ts';
import { notifySchema } from '../../src/schema/notify/notify-config.ts';
import type { OpenRequest, PaneFacts, PaneRow } from '../../src/schema/pane.ts';
import { type AttentionKind, attentionKinds } from '../../src/schema/state.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { paneFacts } from '../scenario.ts';
import {
  MUTED_AGENT,
  OFF_KIND,
  QUIET_HOURS,
  QUIET_SECOND,
  quietScene,
  type RowChange,
  type Scene,
  type SceneStep,
  scenes,
  WORKERS,
} from './day-scenes.ts';

export const T0 = Date.UTC(2026, 6, 1);
const DAY_SECONDS = 86_400;
const TRANSITIONS = 500;
/** Longer than any scene with the digest that it opens. */
const SLOT_SECONDS = 400;

export interface PlacedScene {
  readonly scene: Scene;
  readonly startSecond: number;
  readonly index: number;
}

const isRow = (step: SceneStep): step is RowChange & { readonly at: number } => 'requests' in step;
const rowsOf = ({ steps }: Scene): number => steps.filter(isRow).length;

/** Each scene in turn, and short ones at the end, so that there are exactly 500 changes of rows. */
export function planDay(): readonly PlacedScene[] {
  const placed: PlacedScene[] = [{ scene: quietScene, startSecond: QUIET_SECOND, index: 0 }];
  const [shortest] = scenes;
  let left = TRANSITIONS - rowsOf(quietScene);
  for (let slot = 0, turn = 0; left > 0; slot += 1) {
    const startSecond = slot * SLOT_SECONDS;
    // The quiet half-hour has its own scene.
    if (startSecond >= QUIET_SECOND && startSecond < QUIET_SECOND + 2_000) continue;
    const next = scenes[turn % scenes.length];
    const scene = next && rowsOf(next) <= left ? next : shortest;
    if (!scene || rowsOf(scene) > left) throw new Error('the scenes do not add up');
    placed.push({ scene, startSecond, index: placed.length });
    left -= rowsOf(scene);
    turn += 1;
    if (startSecond + SLOT_SECONDS > DAY_SECONDS) throw new Error('the day is too short');
  }
  return placed;
}

export const transitionCount = (day: readonly PlacedScene[]): number =>
  day.reduce((sum, { scene }) => sum + rowsOf(scene), 0);

const paneName = ({ index }: PlacedScene, pane: string): string => `${index}/${pane}`;

/** `second pane kind reason number`: what the table says, over the whole day. */
export function expectedLines(day: readonly PlacedScene[]): readonly string[] {
  const lines = day.flatMap((placed) =>
    placed.scene.decisions.map((line) => {
      const [second = '', pane = '', kind, reason, letter = ''] = line.split(' ');
      const at = placed.startSecond + Number(second);
      const group = letter === '-' ? null : `${placed.index} ${letter}`;
      return { at, text: `${at} ${paneName(placed, pane)} ${kind} ${reason}`, group };
    }),
  );
  lines.sort((a, b) => a.at - b.at);
  const numbers = new Map<string, number>();
  for (const { group } of lines) {
    if (group !== null && !numbers.has(group)) numbers.set(group, numbers.size + 1);
  }
  return lines.map(({ text, group }) => `${text} ${group === null ? '-' : numbers.get(group)}`);
}

interface DayEvent {
  readonly atMs: number;
  readonly placed: PlacedScene;
  readonly step: SceneStep;
}

export class ScriptedDay {
  readonly #path: string;
  readonly #panes = new Map<string, PaneSource>();
  readonly #focused = new Set<string>();
  /** `number:channel`, as they arrived. */
  readonly arrived: string[] = [];
  readonly faults: unknown[] = [];
  restartCount = 0;
  #store: Store;
  #notifier: Notifier;
  #queue: NotifyQueue;

  constructor() {
    vi.useFakeTimers({ now: T0 - 60_000 });
    const folder = mkdtempSync(join(tmpdir(), 'agtmux-day-'));
    this.#path = join(folder, 'agtmux.db');
    [this.#store, this.#notifier, this.#queue] = this.#open();
    onTestFinished(async () => {
      this.#notifier[Symbol.dispose]();
      vi.useRealTimers();
      await this.#queue[Symbol.asyncDispose]();
      this.#store[Symbol.dispose]();
      rmSync(folder, { recursive: true, force: true });
    });
  }

  /** Plays it; `restarts` says after which events, and how long after them, the daemon restarts. */
  async play(
    day: readonly PlacedScene[],
    restarts: (index: number) => readonly number[] = () => [],
  ): Promise<void> {
    const events = day
      .flatMap((placed) =>
        placed.scene.steps.map((step): DayEvent => {
          return { atMs: T0 + (placed.startSecond + step.at) * 1_000, placed, step };
        }),
      )
      .sort((a, b) => a.atMs - b.atMs);
    for (const [index, event] of events.entries()) {
      await this.#pass(event.atMs);
      this.#happen(event);
      const nextMs = events[index + 1]?.atMs ?? Number.POSITIVE_INFINITY;
      // A start looks at once, so that a person who has just left would be found sooner.
      if ('looksAt' in event.step) continue;
      for (const afterMs of restarts(index)) {
        const atMs = event.atMs + afterMs;
        if (atMs >= nextMs) continue;
        await this.#pass(atMs);
        await this.#restart();
      }
    }
    await this.#pass(T0 + DAY_SECONDS * 1_000);
  }

  /** Every decision of the day, as `expectedLines` has them. */
  lines(): readonly string[] {
    return this.#store.notify
      .log(1_000)
      .toReversed()
      .map(({ atMs, paneKey, kind, reason, number }) => {
        return `${(atMs - T0) / 1_000} ${paneKey} ${kind} ${reason} ${number ?? '-'}`;
      });
  }

  deliveries() {
    return this.#store.notify.log(1_000).flatMap(({ deliveries }) => deliveries);
  }

  async #pass(toMs: number): Promise<void> {
    await vi.advanceTimersByTimeAsync(Math.max(0, toMs - Date.now()));
  }

  async #restart(): Promise<void> {
    this.#notifier[Symbol.dispose]();
    const ended = this.#queue[Symbol.asyncDispose]();
    await vi.advanceTimersByTimeAsync(0);
    await ended;
    this.#store[Symbol.dispose]();
    [this.#store, this.#notifier, this.#queue] = this.#open();
    this.restartCount += 1;
  }

  #happen({ placed, step, atMs }: DayEvent): void {
    if ('isOn' in step) this.#notifier.switchOn(step.isOn);
    else if ('muteSession' in step) {
      const untilMs = T0 + (placed.startSecond + step.toSecond) * 1_000;
      this.#notifier.mute({ muteId: `m${placed.index}`, session: step.muteSession, untilMs });
    } else if ('looksAt' in step) {
      this.#focused.clear();
      if (step.looksAt !== null) this.#focused.add(paneName(placed, step.looksAt));
    } else {
      const pane = paneOf(step, placed, atMs);
      this.#panes.set(pane.paneKey, pane);
      this.#notifier.changed([pane]);
    }
  }

  #open(): [Store, Notifier, NotifyQueue] {
    const store = openStore({ path: this.#path });
    const nowMs = () => Date.now();
    const onFault = (error: unknown) => this.faults.push(error);
    const channels = new Map(['first', 'second'].map((name) => [name, this.#channel(name)]));
    const queue = new NotifyQueue({
      ...{ store: store.notify, nowMs, onFault },
      channel: (name) => channels.get(name),
    });
    const config = notifySchema.parse({
      enabled: true,
      kinds: attentionKinds.filter((kind) => kind !== OFF_KIND),
      quietHours: [QUIET_HOURS],
      muteAgents: [MUTED_AGENT],
      command: { first: { run: ['true'] }, second: { run: ['true'] } },
      channels: ['first', 'second'],
    });
    const notifier = new Notifier({
      ...{ store: store.notify, nowMs, onFault },
      wallOf: (ms) => {
        const at = new Date(ms);
        return { day: at.getUTCDay(), minute: at.getUTCHours() * 60 + at.getUTCMinutes() };
      },
      config: () => config,
      workers: () => [WORKERS],
      panes: () => this.#panes.values(),
      contentOf: () => null,
      focused: () => this.#focused,
      channels: () => channels,
      onDeliveries: (deliveries) => queue.add(deliveries),
    });
    queue.begin();
    notifier.begin();
    return [store, notifier, queue];
  }

  #channel(name: string): NotifyChannel {
    return {
      ...{ name, kinds: attentionKinds, include: [] },
      deliver: async ({ number }) => {
        this.arrived.push(`${number}:${name}`);
        return deliveredResult();
      },
    };
  }
}

function paneOf(change: RowChange, placed: PlacedScene, atMs: number): PaneSource {
  const { session = 'work', agent = 'claude', is, agoSeconds = 0, snoozedToSecond } = change;
  const sinceMs = atMs - agoSeconds * 1_000;
  const requests = change.requests.map((text): OpenRequest => {
    const [, seen = '', kind = '', requestId = ''] = /^(-?)(\w+) (\S+)$/.exec(text) ?? [];
    const { command } = change;
    return {
      requestId: id<RequestId>(requestId),
      kind: kind as AttentionKind,
      sinceMs,
      seen: seen !== '',
      ...(command === undefined ? {} : { detail: { kind: 'approval', command } }),
    };
  });
  const base = paneFacts(placed.index);
  const [location] = base.locations;
  const facts: PaneFacts = {
    ...base,
    locations: location ? [{ ...location, sessionName: session }] : [],
  };
  const row = {
    presence: is === 'gone' ? 'missing' : 'managed',
    state: is === 'hidden' ? 'unknown' : is === 'atRest' ? 'completed' : 'running',
    agent,
    attention: {
      kinds: requests.map(({ kind }) => kind),
      sinceMs,
      requests,
      ...(snoozedToSecond === undefined
        ? {}
        : { snoozedUntilMs: T0 + (placed.startSecond + snoozedToSecond) * 1_000 }),
    },
  } as unknown as PaneRow;
  return { paneKey: paneName(placed, change.pane), targetName: 'local', facts, row };
}
