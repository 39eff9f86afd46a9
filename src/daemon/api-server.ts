// How others reach the daemon: the operations over the socket, the streams of changes, and the
// third-party sources that are pulled.

import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { PaneLocks } from '../acting/pane-locks.ts';
import type { PaneRecord } from '../core/world.ts';
import type { HudPort, PanesPort, Ports } from '../operations/ports/ports.ts';
import type { TeamsPort } from '../operations/ports/teams-port.ts';
import { gitBranches } from '../platform/files/git-branch.ts';
import type { HudContent } from '../render/overview/hud-lines.ts';
import type { Change } from '../schema/change.ts';
import { isAcpKey } from '../schema/ids.ts';
import type { PaneFacts } from '../schema/pane.ts';
import { SocketServer } from '../servers/socket.ts';
import type { ServerAddress } from '../sources/known-pane.ts';
import type { AcpMembers } from './acp/acp-members.ts';
import { actOnPane } from './acting/act-on-pane.ts';
import { ActionRunner } from './acting/action-runner.ts';
import type { DeliveryQueue } from './acting/delivery-queue.ts';
import { RepeatRules, type RuleFiring } from './acting/repeat-rules.ts';
import type { ResumeRunner } from './acting/resume-runner.ts';
import type { Typing } from './acting/typing.ts';
import type { CallerRights } from './callers/caller-rights.ts';
import { Conversations } from './conversing/conversations.ts';
import type { DaemonCore } from './daemon-core.ts';
import { openWebDoors } from './doors/open-web-doors.ts';
import type { Shares } from './doors/shares.ts';
import type { WebDoors } from './doors/web-doors.ts';
import type { DaemonMetrics } from './health/daemon-metrics.ts';
import { channelSignals } from './health/missed-channels.ts';
import { endedServerSignals } from './health/outages.ts';
import { hooksPort } from './hooks/hooks-work.ts';
import { prepareFolder } from './life/instance-lock.ts';
import type { Messaging } from './messaging/messaging.ts';
import {
  openCallerRights,
  openDeliveries,
  openMessaging,
  openResumes,
  openTyping,
} from './open-acting.ts';
import { actionsPort } from './ports/actions.ts';
import { adaptersPort } from './ports/adapters.ts';
import { callersPort } from './ports/callers.ts';
import { daemonPort } from './ports/daemon.ts';
import { doctorPort } from './ports/doctor.ts';
import { openMetrics } from './ports/metrics.ts';
import { localFolderOf, panesPort } from './ports/panes.ts';
import { type NotifyPortsParts, notifyPorts } from './ports/push.ts';
import { recordingsPort } from './ports/recordings.ts';
import { sourcesPort } from './ports/sources.ts';
import { hudContent } from './publishing/hud-content.ts';
import { Publisher } from './publishing/publish.ts';
import { SourcePull } from './pulling/source-pull.ts';
import { openViews } from './viewing/open-views.ts';
import type { PaneViews } from './viewing/pane-views.ts';
import type { Collectors } from './watching/collectors.ts';

/** Within the time that the daemon has to end. */
const ACTIONS_END_MS = 3_000;

export interface ApiServerOptions {
  readonly core: DaemonCore;
  readonly collectors: Collectors;
  readonly notifications: Omit<NotifyPortsParts, 'store' | 'nowMs'>;
  readonly teams: TeamsPort;
  readonly acp: AcpMembers;
  readonly hud: HudPort;
  readonly stop: (reason: string) => void;
  readonly onDefect: (error: unknown) => void;
}

export class ApiServer implements AsyncDisposable {
  readonly #options: ApiServerOptions;
  /** Identifies this run of the daemon: cursors and registrations of another are invalid. */
  readonly #nonce = randomBytes(9).toString('base64url');
  readonly #panes: PanesPort;
  readonly #publisher: Publisher;
  readonly #server: SocketServer;
  readonly #metrics: DaemonMetrics;
  readonly #pull: SourcePull;
  readonly #runner: ActionRunner;
  readonly #rules: RepeatRules;
  readonly #typing: Typing;
  readonly #web: WebDoors;
  readonly #shares: Shares;
  readonly #views: PaneViews;
  readonly #conversations: Conversations;
  readonly #callers: CallerRights;
  readonly #resumes: ResumeRunner;
  readonly #deliveries: DeliveryQueue;
  readonly #messaging: Messaging;
  /** Why there is no socket, as last logged. */
  #problem: string | null = null;
  /** As last published. */
  #outages = '[]';
  #isClosed = false;

  constructor(options: ApiServerOptions) {
    this.#options = options;
    const { core } = options;
    const { nowMs } = core;
    this.#metrics = this.#openMetrics();
    this.#panes = this.#openPanes();
    const world = () => core.shownWorld();
    this.#publisher = new Publisher({
      ...{ nonce: this.#nonce, world, readers: this.#panes },
      ...{ outages: this.#panes.outages, nowMs },
    });
    const { collectors, teams } = options;
    this.#callers = openCallerRights(core, collectors, () => this.#messaging);
    this.#resumes = openResumes(core, collectors, { teams, callers: this.#callers });
    this.#deliveries = openDeliveries(core, {
      type: (...action) => this.#runner.deliver(...action),
      onDefect: options.onDefect,
    });
    const locks = new PaneLocks();
    this.#runner = this.#openRunner(locks);
    this.#typing = openTyping(core, options.collectors, locks);
    this.#deliveries.begin();
    this.#messaging = this.#openMessaging();
    this.#messaging.begin();
    options.collectors.onReply((reply) => this.#messaging.takeReply(reply));
    this.#rules = this.#openRules();
    const onDefect = (error: unknown) => options.onDefect(error);
    this.#views = openViews(core, options.collectors.watchers, onDefect);
    const { transcripts } = options.collectors;
    this.#conversations = new Conversations({ world, transcripts, onDefect });
    const webHost = () => ({ ports, nowMs, onDefect });
    const doors = openWebDoors(core, options.notifications.push, webHost);
    ({ web: this.#web, shares: this.#shares } = doors);
    const ports = this.#openPorts();
    this.#server = new SocketServer({
      path: core.place.socketPath,
      host: { ports, nowMs, onDefect },
      limits: () => ({ lineBytesMax: core.config.limits.requestBytesMax }),
    });
    this.#pull = new SourcePull({
      sources: ports.sources,
      nowMs,
      random: Math.random,
      onTrouble: (sourceId, code, detail) => this.#sourceTrouble(sourceId, code, detail),
      onDefect,
    });
    core.loop.onApplied((applied) => {
      this.#publisher.publish(applied);
      this.#metrics.applied(applied);
      for (const signal of channelSignals(core.engine.world, applied)) core.signal(signal);
      const { isEndExpected } = options.teams;
      const ended = endedServerSignals(core.engine.world, applied, isEndExpected);
      for (const signal of ended) core.signal(signal);
      for (const change of applied.changes) this.#changed(change);
      this.#rules.follow();
    });
    options.collectors.watchers.onAttached((address) => this.#attachedChanged(address));
    core.onAlerts(() => this.#alertsChanged());
    core.storeHealth.onChange(() => this.#publisher.touchAll());
    core.onFault(({ code }) => this.#metrics.fault(code));
  }

  #alertsChanged(): void {
    const outages = JSON.stringify(this.#panes.outages());
    if (outages === this.#outages) return;
    this.#outages = outages;
    this.#publisher.outagesChanged();
  }

  #changed(change: Change): void {
    const { core } = this.#options;
    if (change.kind === 'target_removed') {
      core.signal({ kind: 'target_removed', targetId: change.targetId });
    }
    // Reads the branch ahead of the first listing.
    const pane = change.kind === 'pane' && core.engine.world.panes.get(change.paneKey);
    if (pane) this.#panes.gitCheckout(pane);
  }

  /** What the HUD shows. */
  hudContent(): HudContent {
    return hudContent(this.#panes);
  }

  /** Resolves when clients can connect. */
  async open(): Promise<void> {
    await this.#server.listen();
    void this.#web.follow();
    this.#options.core.onConfig(() => void this.#web.follow());
  }

  #openPanes(): PanesPort {
    const { core, collectors } = this.#options;
    const branches = gitBranches(core.nowMs, (folder) => this.#branchChanged(folder));
    const { watchers, targets } = collectors;
    const gitCheckout = (folder: string) => branches.of(folder);
    const screenOf: AcpMembers['screenOf'] = (...pane) => this.#options.acp.screenOf(...pane);
    return panesPort({ core, watchers, targets, gitCheckout, screenOf });
  }

  #openPorts(): Ports {
    const { core, collectors, stop, notifications, teams, acp, hud } = this.#options;
    const { nowMs, loop, store } = core;
    const { watchers, targets, ingestOptions } = collectors;
    return {
      panes: this.#panes,
      actions: actionsPort({
        ...{ nowMs, loop, watchers },
        runner: this.#runner,
        typing: this.#typing,
        uploads: {
          nowMs,
          ownFolder: join(core.place.paths.stateDir, 'uploads'),
          perform: (...order) => this.#runner.perform(...order),
          keepAt: (...upload) => targets.keepUpload(...upload),
        },
        trail: store.actions,
      }),
      ...{ repeatRules: this.#rules, resumes: this.#resumes, deliveries: this.#deliveries },
      messages: this.#messaging.port,
      callers: callersPort({ core, processes: collectors.processes, rights: this.#callers }),
      history: store,
      targets,
      sources: sourcesPort({
        ...{ nowMs, loop, store, ingestOptions },
        onChange: () => this.#pull.follow(),
      }),
      adapters: adaptersPort(core),
      daemon: daemonPort({
        core,
        nonce: this.#nonce,
        servers: () => watchers.info(),
        metrics: () => this.#metrics.text(),
        stop,
      }),
      hooks: hooksPort((targetId, signal) => targets.hookMachine(targetId, signal), nowMs),
      doctor: doctorPort(core),
      recordings: recordingsPort(core),
      ...notifyPorts({ ...notifications, store: store.notify, nowMs }),
      ...{ teams, acp, hud, shares: this.#shares },
      ...{ streams: this.#publisher, web: this.#web, views: this.#views },
      conversations: this.#conversations,
    };
  }

  #openMessaging(): Messaging {
    const { core, collectors, teams, acp, onDefect } = this.#options;
    return openMessaging(core, teams, acp, {
      ...{ onDefect, processes: collectors.processes },
      capture: (...pane) => this.#panes.capture(...pane),
      perform: (...action) => this.#runner.perform(...action),
      mayAnswer: (...caller) => this.#callers.mayAnswer(...caller),
      type: (...action) => this.#runner.deliver(...action),
    });
  }

  /** Types queued prompts and messages whose moment has come. */
  deliver(): void {
    this.#deliveries.tick();
    this.#messaging.tick();
  }

  #openRunner(locks: PaneLocks): ActionRunner {
    const { core, collectors, acp } = this.#options;
    const { nowMs, store, adapters } = core;
    const world = () => core.shownWorld();
    const parts = {
      ...{ nowMs, world },
      registry: () => adapters.registry,
      linkAt: (facts: PaneFacts) => collectors.watchers.linkAt(facts),
      processesAt: (facts: PaneFacts) => collectors.watchers.processesAt(facts),
      loop: core.loop,
      commandTimeoutMs: () => core.config.tmux.commandTimeoutMs,
    };
    const runner = new ActionRunner({
      ...{ nowMs, locks },
      world,
      lastSeenAtMs: (pane) => this.#panes.lastSeenAtMs(pane),
      actions: store.actions,
      callers: this.#callers,
      act: (scene) => (isAcpKey(scene.pane.paneKey) ? acp.act(scene) : actOnPane(parts, scene)),
      queue: this.#deliveries,
      log: (fault) => core.fault(fault, 'actions'),
    });
    runner.closeOpen();
    return runner;
  }

  #openRules(): RepeatRules {
    const { core, notifications, onDefect } = this.#options;
    return new RepeatRules({
      nowMs: core.nowMs,
      world: () => core.shownWorld(),
      isOn: () => core.config.acting.repeatRules,
      rules: core.store.repeatRules,
      runner: this.#runner,
      callers: this.#callers,
      onAnswer: ({ paneKey }, requestId) => notifications.notifier.ruleBegins(paneKey, requestId),
      onFiring: (firing) => this.#ruleFired(firing),
      onFault: (fault) => core.fault(fault, 'repeat rules'),
      onDefect,
    });
  }

  #ruleFired({ rule, paneKey, requestId, requestRef, result, detail }: RuleFiring): void {
    const { core, notifications } = this.#options;
    const { rule_id: ruleId, count_left: countLeft } = rule;
    core.log.info({ ruleId, countLeft, paneKey, detail }, `a repeat rule fired: ${result}`);
    const isDelivered = result === 'delivered';
    notifications.notifier.ruleEnded(paneKey, requestId, { isDelivered, requestRef });
  }

  #sourceTrouble(sourceId: string, code: string, detail: string): void {
    const { core } = this.#options;
    core.log.warn({ sourceId, code, detail }, 'a source could not be read');
    core.signal({ kind: 'event_refused', source: sourceId, code });
  }

  /** A cleaner of temporary files may remove the socket or its folder: both are made again. */
  async keepOpen(): Promise<void> {
    const { log } = this.#options.core;
    const problem = await this.#reopen().catch((error: unknown) => String(error));
    if (problem !== null && problem !== this.#problem) log.error({ problem }, 'no socket');
    this.#problem = problem;
  }

  /** Null when clients can connect, else the problem; it is retried later. */
  async #reopen(): Promise<string | null> {
    if (this.#isClosed || this.#server.isReachable()) return null;
    const { log, place } = this.#options.core;
    const folder = prepareFolder(dirname(place.socketPath));
    if (!folder.ok) return folder.refusal.message;
    // Fails when the path has a file that is not our socket.
    await this.#server.listen();
    log.warn({}, 'the socket was removed and is created again');
    return null;
  }

  /** A changed branch causes no event in a quiet pane, so branches are polled. */
  readBranches(): void {
    const { panes } = this.#options.core.engine.world;
    for (const pane of panes.values()) if (pane.goneAtMs === null) this.#panes.gitCheckout(pane);
  }

  #branchChanged(folder: string): void {
    this.#touch((pane) => localFolderOf(pane) === folder);
  }

  /** People attach and leave without an event in the panes that they see. */
  #attachedChanged({ targetId, server }: ServerAddress): void {
    this.#touch(({ facts }) => facts?.targetId === targetId && facts.server === server);
  }

  #touch(isTouched: (pane: PaneRecord) => boolean): void {
    const panes = [...this.#options.core.engine.world.panes.values()];
    this.#publisher.touch(panes.filter(isTouched).map(({ paneKey }) => paneKey));
  }

  #openMetrics(): DaemonMetrics {
    return openMetrics(this.#options.core, {
      watches: () => this.#options.collectors.watchers.counts,
      clients: () => ({
        connections: this.#server.connectionCount,
        subscribers: this.#publisher.subscriberCount,
        web: this.#web.clientCount,
        viewers: this.#views.viewerCount,
        sized_windows: this.#views.sizedCount,
      }),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#pull[Symbol.dispose]();
    await this.#web[Symbol.asyncDispose]();
    await this.#views[Symbol.asyncDispose]();
    this.#conversations[Symbol.dispose]();
    this.#publisher[Symbol.dispose]();
    this.#resumes[Symbol.dispose]();
    await this.#server[Symbol.asyncDispose]();
    // Keys were pressed: the outcome is written before tmux and the store are left.
    const typing = [this.#runner, this.#deliveries, this.#messaging];
    await Promise.all(typing.map((each) => each.settle(ACTIONS_END_MS)));
    this.#messaging[Symbol.dispose]();
    this.#typing[Symbol.dispose]();
  }
}
