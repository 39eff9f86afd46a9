// The notifier: it steps the policy when a row changes and when a step is due, stores what was
// decided and hands the deliveries over. A decision counts once it is stored, so a restart neither
// repeats nor loses one. It asks nobody and delivers nothing itself.

import type { Episode } from '../schema/notify/episode.ts';
import type { NotifyConfig } from '../schema/notify/notify-config.ts';
import {
  emptyNotifyMemory,
  type MuteItem,
  type NotificationItem,
  type NotifyCommit,
  type NotifyMemory,
  type UserNotification,
} from '../schema/notify/user-notification.ts';
import type { WallTime } from '../text/hours.ts';
import { forChannel } from './message/for-channel.ts';
import type { NotifyChannel } from './message/notify-channel.ts';
import type { RuleFiringNews } from './policy/episodes.ts';
import { type Need, type PaneNeeds, type PaneSource, paneNeeds } from './policy/pane-needs.ts';
import {
  closePolicy,
  emptyPolicy,
  type PolicyResult,
  type PolicyRules,
  type PolicyState,
  stepPolicy,
} from './policy/policy.ts';
import { RuleAnswers } from './rule-answers.ts';
import { policyRules, storedMutes } from './rules.ts';
import { commitOf, type PaneContent } from './step-commit.ts';

/** How soon a step that could not be stored is made again. */
const STORE_RETRY_MS = 1_000;
/** A machine may sleep, and timers with it: look again at least this often. */
const TIMER_MAX_MS = 30_000;

/** Firings wait here only while nothing can be stored. */
const FIRINGS_MAX = 100;

export interface RuleOutcome {
  readonly isDelivered: boolean;
  /** Of its action in the audit trail. */
  readonly requestRef: string;
}

export interface NotifyStore {
  load(): { readonly memory: NotifyMemory; readonly episodes: readonly Episode[] };
  commit(step: NotifyCommit): void;
}

export interface NotifierOptions {
  readonly store: NotifyStore;
  readonly nowMs: () => number;
  readonly wallOf: (nowMs: number) => WallTime;
  readonly config: () => NotifyConfig;
  /** Names of the sessions and windows of workers. */
  readonly workers: () => readonly string[];
  readonly panes: () => Iterable<PaneSource>;
  readonly contentOf: (paneKey: string) => PaneContent | null;
  /** The panes that a person looks at. */
  readonly focused: () => ReadonlySet<string>;
  readonly channels: () => ReadonlyMap<string, NotifyChannel>;
  /** They are stored; called in the tick of the step. */
  readonly onDeliveries: (deliveries: NotifyCommit['deliveries']) => void;
  readonly onFault: (error: unknown) => void;
}

export class Notifier implements Disposable {
  readonly #options: NotifierOptions;
  readonly #listeners = new Set<() => void>();
  /** What each pane needed at the last step. */
  readonly #needs = new Map<string, string>();
  readonly #answers = new RuleAnswers();
  /** What rules did since the last step that was stored. */
  #firings: readonly RuleFiringNews[] = [];
  #memory: NotifyMemory = emptyNotifyMemory;
  #policy: PolicyState = emptyPolicy;
  #timer: NodeJS.Timeout | null = null;
  /** Changes may have been missed: the next step reads all panes. */
  #isBehind = true;
  #isBegun = false;

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  /** Goes on where the last life of the daemon ended. */
  begin(): void {
    try {
      this.#load();
    } catch (error) {
      // Without what it knows it would notify again of all that is open.
      this.#options.onFault(error);
      this.#timer = setTimeout(() => this.begin(), STORE_RETRY_MS).unref();
      return;
    }
    this.#isBegun = true;
    this.step();
  }

  /** Throws the fault of the store. */
  #load(): void {
    const { memory, episodes } = this.#options.store.load();
    this.#memory = memory;
    const { window, sentCount } = memory;
    const oldestFirst = episodes.toSorted((a, b) => a.sinceMs - b.sinceMs);
    const byId = new Map(oldestFirst.map((each) => [each.episodeId, each]));
    this.#policy = { episodes: byId, window, sentCount };
  }

  get isOn(): boolean {
    return this.#memory.isOn ?? this.#options.config().enabled;
  }

  /** Whether changes of rows are of interest. */
  get isActive(): boolean {
    return this.#isBegun && (this.isOn || this.#memory.wasOn);
  }

  get memory(): NotifyMemory {
    return this.#memory;
  }

  get episodes(): readonly Episode[] {
    return [...this.#policy.episodes.values()];
  }

  /** Calls back after each notification that was stored. */
  onNotification(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  /** Rows of these panes may have changed. */
  changed(panes: readonly PaneSource[]): void {
    if (!this.isActive) return;
    const changed = panes.flatMap((pane) => {
      const needs = this.#needsOf(pane);
      const text = JSON.stringify(needs);
      const before = this.#needs.get(pane.paneKey);
      if (before === text || (before === undefined && needs.needs.length === 0)) return [];
      if (needs.isGone) this.#needs.delete(pane.paneKey);
      else this.#needs.set(pane.paneKey, text);
      return [needs];
    });
    if (changed.length > 0) this.#step(changed);
  }

  /** A repeat rule answers the request of a pane. */
  ruleBegins(paneKey: string, requestId: string): void {
    this.#answers.begin(paneKey, requestId);
  }

  /** It has done so, or failed to: a request that is still open then needs a person. */
  ruleEnded(paneKey: string, requestId: string, outcome: RuleOutcome): void {
    const { isDelivered, requestRef } = outcome;
    const nowMs = this.#options.nowMs();
    this.#answers.end(paneKey, requestId, { isDelivered, nowMs });
    const pane = [...this.#options.panes()].find((each) => each.paneKey === paneKey);
    if (pane && this.isOn && this.#firings.length < FIRINGS_MAX) {
      const { subject } = this.#needsOf(pane);
      this.#firings = [...this.#firings, { paneKey, subject, requestRef, atMs: nowMs }];
    }
    this.step();
  }

  /** Time has passed, or the configuration is another. */
  step(): void {
    if (this.#isBegun) this.#step([]);
  }

  /** Null: as the configuration says. */
  switchOn(isOn: boolean | null): void {
    this.#remember({ isOn });
    this.step();
  }

  mute(rule: MuteItem): void {
    const mutes = [...storedMutes(this.#memory.mutes, this.#options.nowMs()), rule];
    this.#remember({ mutes });
    this.step();
  }

  /** The rules that were removed; all of them where no id is given. */
  unmute(muteId: string | null): readonly MuteItem[] {
    const current = storedMutes(this.#memory.mutes, this.#options.nowMs());
    const isMeant = (each: MuteItem): boolean => muteId === null || each.muteId === muteId;
    this.#remember({ mutes: current.filter((each) => !isMeant(each)) });
    this.step();
    return current.filter(isMeant);
  }

  /** A notification that says nothing but that it works; it is stored for listeners. */
  test(isForTerminals: boolean): UserNotification {
    if (!this.#isBegun) this.#load();
    const atMs = this.#options.nowMs();
    const sentCount = this.#policy.sentCount + 1;
    const items = [testItem(atMs)];
    const notification = {
      number: sentCount,
      atMs,
      isTest: true,
      isForTerminals,
      items,
      moreCount: 0,
    };
    this.#save({
      atMs,
      memory: { ...this.#memory, sentCount },
      ...{ changedEpisodes: [], forgottenIds: [], entries: [], deliveries: [] },
      notifications: [notification],
    });
    this.#policy = { ...this.#policy, sentCount };
    return notification;
  }

  #remember(change: Partial<NotifyMemory>): void {
    if (!this.#isBegun) this.#load();
    this.#save({
      atMs: this.#options.nowMs(),
      memory: { ...this.#memory, ...change },
      ...{ changedEpisodes: [], forgottenIds: [], entries: [], deliveries: [], notifications: [] },
    });
  }

  #step(panes: readonly PaneNeeds[]): void {
    const nowMs = this.#options.nowMs();
    const { isOn } = this;
    if (this.#answers.expire(nowMs)) this.#isBehind = true;
    const { wasOn } = this.#memory;
    if (!isOn && !wasOn) {
      this.#schedule(null);
      return;
    }
    const result = isOn ? this.#stepOn(panes, nowMs) : closePolicy(this.#policy, nowMs);
    try {
      this.#store(result, nowMs, isOn);
      this.#isBehind = !isOn;
      this.#firings = [];
      const dueMs = Math.min(result.dueMs ?? Infinity, this.#answers.dueMs ?? Infinity);
      this.#schedule(Number.isFinite(dueMs) ? dueMs : null);
    } catch (error) {
      // Nothing was decided: the same step is made again, with all that happened since.
      this.#isBehind = true;
      this.#needs.clear();
      this.#schedule(nowMs + STORE_RETRY_MS);
      this.#options.onFault(error);
    }
  }

  #stepOn(panes: readonly PaneNeeds[], nowMs: number): PolicyResult {
    const { wallOf, focused } = this.#options;
    const isBaseline = !this.#memory.wasOn;
    return stepPolicy(this.#policy, {
      nowMs,
      wall: wallOf(nowMs),
      rules: this.#rules(nowMs),
      panes: this.#isBehind || isBaseline ? this.#allPanes() : panes,
      firings: this.#firings,
      focused: focused(),
      isBaseline,
    });
  }

  #rules(nowMs: number): PolicyRules {
    return policyRules(this.#options.config(), storedMutes(this.#memory.mutes, nowMs));
  }

  #needsOf(pane: PaneSource): PaneNeeds {
    const found = paneNeeds(pane, this.#options.workers());
    const isFree = ({ requestId }: Need) => !this.#answers.has(pane.paneKey, requestId);
    return { ...found, needs: found.needs.filter(isFree) };
  }

  /** Those that there are, and those with an open episode that are forgotten. */
  #allPanes(): readonly PaneNeeds[] {
    this.#needs.clear();
    const panes = [...this.#options.panes()].map((pane) => this.#needsOf(pane));
    for (const each of panes) this.#needs.set(each.paneKey, JSON.stringify(each));
    const open = this.episodes.filter(({ endedAtMs }) => endedAtMs === null);
    const lost = new Map(
      open
        .filter(({ paneKey }) => !this.#needs.has(paneKey))
        .map(({ paneKey, subject }) => [paneKey, subject]),
    );
    const gone = {
      needs: [],
      snoozedUntilMs: null,
      isHidden: false,
      isGone: true,
      isAtRest: false,
    };
    return [...panes, ...[...lost].map(([paneKey, subject]) => ({ paneKey, subject, ...gone }))];
  }

  /** Throws the fault of the store; then nothing has changed. */
  #store(result: PolicyResult, nowMs: number, isOn: boolean): void {
    const { channels, config, contentOf } = this.#options;
    const before = { policy: this.#policy, memory: this.#memory };
    const commit = commitOf(before, result, { nowMs, isOn, contentOf });
    if (commit !== null) {
      const known = channels();
      const open = [...new Set(config().channels)].flatMap((name) => known.get(name) ?? []);
      const deliveries = commit.notifications.flatMap((each) =>
        open
          .filter((channel) => forChannel(each, channel) !== null)
          .map((channel) => ({ number: each.number, channel: channel.name })),
      );
      this.#save({ ...commit, deliveries });
      this.#options.onDeliveries(deliveries);
    }
    this.#policy = result.state;
  }

  #save(commit: NotifyCommit): void {
    this.#options.store.commit(commit);
    this.#memory = commit.memory;
    if (commit.notifications.length === 0) return;
    for (const listener of this.#listeners) listener();
  }

  #schedule(dueMs: number | null): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (dueMs === null) return;
    const waitMs = Math.max(0, Math.min(TIMER_MAX_MS, dueMs - this.#options.nowMs()));
    this.#timer = setTimeout(() => this.step(), waitMs).unref();
  }

  [Symbol.dispose](): void {
    this.#isBegun = false;
    this.#schedule(null);
  }
}

const testItem = (atMs: number): NotificationItem => ({
  paneKey: '',
  ref: '',
  agent: null,
  target: 'local',
  session: null,
  place: '',
  kind: 'completion',
  sinceMs: atMs,
  ...{ title: null, request: null, prompt: null, message: null, path: null },
});
