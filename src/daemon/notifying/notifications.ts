// Notifications in the daemon: the notifier behind the loop, the deliveries beside it, and the
// channels of the configuration in force. What is notified is decided in src/notify.

import { join } from 'node:path';
import { nameToType } from '../../core/view/pane-names.ts';
import { titleOf } from '../../core/view/title.ts';
import type { PaneRecord } from '../../core/world.ts';
import { openChannels } from '../../notify/channels/open-channels.ts';
import { WEB_PUSH, WebPushChannel } from '../../notify/channels/web-push.ts';
import type { NotifyChannel } from '../../notify/message/notify-channel.ts';
import { Notifier } from '../../notify/notifier.ts';
import { NotifyQueue } from '../../notify/notify-queue.ts';
import type { PaneSource } from '../../notify/policy/pane-needs.ts';
import { PushSubscriptions } from '../../notify/push/push-subscriptions.ts';
import type { PaneContent } from '../../notify/step-commit.ts';
import type { Change } from '../../schema/change.ts';
import { id, type PaneKey } from '../../schema/ids.ts';
import type { NotifyConfig } from '../../schema/notify/notify-config.ts';
import type { UserNotification } from '../../schema/notify/user-notification.ts';
import type { OpenRequest } from '../../schema/pane.ts';
import type { KnownPane } from '../../sources/known-pane.ts';
import type { WallTime } from '../../text/hours.ts';
import { countNeeds, sumOfNeeds } from '../../text/need.ts';
import type { DaemonCore } from '../daemon-core.ts';
import { ruleFiringText } from './rule-firing-text.ts';

export interface NotificationsOptions {
  readonly core: DaemonCore;
  /** The panes that people have on screen. */
  readonly shownPanes: () => readonly KnownPane[];
  /** The button of a notification was pressed. */
  readonly onClick: (notification: UserNotification) => void;
}

export class Notifications implements AsyncDisposable {
  readonly notifier: Notifier;
  readonly queue: NotifyQueue;
  readonly push: PushSubscriptions;
  readonly #options: NotificationsOptions;
  #channels: ReadonlyMap<string, NotifyChannel & Partial<Disposable>> = new Map();
  /** The configuration that the channels were made of. */
  #configText = '';

  constructor(options: NotificationsOptions) {
    this.#options = options;
    const { core } = options;
    this.push = new PushSubscriptions({
      file: join(core.place.paths.stateDir, 'web-push.json'),
      nowMs: core.nowMs,
    });
    const onFault = (error: unknown): void => core.fault(error, 'notifications');
    this.queue = new NotifyQueue({
      store: core.store.notify,
      channel: (name) => this.#channels.get(name),
      nowMs: core.nowMs,
      onFault,
      onEnd: ({ channel, status, detail, number }) => {
        const problem = status === 'delivered' ? null : (detail ?? status);
        core.signal({ kind: 'notify', channel, problem });
        if (problem === null) return;
        core.log.warn({ channel, number, status, detail }, 'a notification was not delivered');
      },
    });
    this.notifier = new Notifier({
      store: core.store.notify,
      nowMs: core.nowMs,
      wallOf: wallTime,
      config: () => this.config,
      workers: () => core.config.tui.workers,
      panes: () => [...core.engine.world.panes.values()].map((pane) => this.#sourceOf(pane)),
      contentOf: (paneKey) => this.#contentOf(paneKey),
      focused: () => new Set(options.shownPanes().map(({ paneKey }) => paneKey)),
      channels: () => this.#channels,
      onDeliveries: (deliveries) => this.queue.add(deliveries),
      onFault,
    });
  }

  /** Called when rows are those of this life of the daemon. */
  begin(): void {
    const { core } = this.#options;
    this.#followConfig();
    core.onConfig(() => {
      this.#followConfig();
      this.notifier.step();
    });
    core.loop.onApplied(({ changes }) => this.#changed(changes));
    this.queue.begin();
    this.notifier.begin();
  }

  /** What the API shows of it. */
  get parts() {
    const { notifier, queue, push } = this;
    return {
      ...{ notifier, queue, push },
      channels: () => this.channels,
      config: () => this.config,
      pushChannel: () => this.pushChannel,
    };
  }

  /** Pushes are used as soon as a browser wants them. */
  get config(): NotifyConfig {
    const { notify } = this.#options.core.config;
    if (this.push.all.length === 0 || notify.channels.includes(WEB_PUSH)) return notify;
    return { ...notify, channels: [...notify.channels, WEB_PUSH] };
  }

  /** The channel of pushes; null before it is open. */
  get pushChannel(): WebPushChannel | null {
    const channel = this.#channels.get(WEB_PUSH);
    return channel instanceof WebPushChannel ? channel : null;
  }

  get channels(): ReadonlyMap<string, NotifyChannel> {
    return this.#channels;
  }

  #followConfig(): void {
    const { core, onClick } = this.#options;
    const config = core.config.notify;
    const text = JSON.stringify(config);
    if (text === this.#configText) return;
    this.#configText = text;
    this.#closeChannels();
    const { env, platform } = process;
    const push = { subscriptions: this.push, needCount: () => this.#needCount() };
    const uid = process.getuid?.() ?? 0;
    this.#channels = openChannels(config, { env, platform, uid, onClick, push });
  }

  #needCount(): number {
    const panes = [...this.#options.core.shownWorld().panes.values()];
    return sumOfNeeds(countNeeds(panes.map(({ row }) => row)));
  }

  #changed(changes: readonly Change[]): void {
    if (!this.notifier.isActive) return;
    const { panes } = this.#options.core.engine.world;
    const keys = new Set(
      changes.flatMap((each) => (each.kind === 'row' || each.kind === 'pane' ? each.paneKey : [])),
    );
    const changed = [...keys].flatMap((paneKey) => panes.get(paneKey) ?? []);
    if (changed.length > 0) this.notifier.changed(changed.map((pane) => this.#sourceOf(pane)));
  }

  #sourceOf({ paneKey, facts, row, targetId }: PaneRecord): PaneSource {
    const { targets } = this.#options.core.engine.world;
    return { paneKey, facts, row, targetName: targets.get(targetId)?.name ?? targetId };
  }

  #contentOf(paneKey: string): PaneContent | null {
    const { engine, store, nowMs } = this.#options.core;
    const { world } = engine;
    const pane = world.panes.get(id<PaneKey>(paneKey));
    if (!pane) return null;
    const { facts, row, targetId, alias } = pane;
    const [location] = facts?.locations ?? [];
    const { requests } = row.attention;
    return {
      paneKey,
      ref: nameToType(world, pane),
      agent: row.agent,
      target: world.targets.get(targetId)?.name ?? targetId,
      session: location?.sessionName ?? null,
      place: location
        ? `${location.sessionName}:${location.windowIndex}.${location.paneIndex}`
        : 'no pane',
      title: alias ?? titleOf(world, pane).title,
      prompt: row.activity.prompt ?? null,
      message: row.activity.message ?? null,
      path: facts?.path ?? pane.seatPath ?? null,
      requestText: (requestId) => {
        const firing = ruleFiringText(store, requestId, nowMs());
        if (firing !== null) return firing;
        const request = requests.find((each) => each.requestId === requestId);
        return request ? requestText(request) : null;
      },
    };
  }

  #closeChannels(): void {
    for (const each of this.#channels.values()) each[Symbol.dispose]?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.notifier[Symbol.dispose]();
    await this.queue[Symbol.asyncDispose]();
    this.#closeChannels();
  }
}

/** What a request asks for, or how an agent ended; null where nothing of it was read. */
function requestText({ detail, note }: OpenRequest): string | null {
  const texts = [detail?.tool, detail?.command ?? detail?.file, detail?.text, note];
  return texts.filter((each) => each !== undefined).join(': ') || null;
}

/** By the clock of this machine. */
function wallTime(nowMs: number): WallTime {
  const at = new Date(nowMs);
  return { day: at.getDay(), minute: at.getHours() * 60 + at.getMinutes() };
}
