// A daemon's inside without its sources: a real engine and store in a folder of their own, the
// publisher, and the door on a real Unix socket. Tests feed the engine by hand and ask as clients.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type ActionResult, delivered, wouldDo } from '../../src/acting/action-result.ts';
import { PaneLocks } from '../../src/acting/pane-locks.ts';
import { KnownTranscripts } from '../../src/agent-files/conversations/transcript.ts';
import { connectDaemon, type DaemonClient } from '../../src/client/client.ts';
import type { Observation } from '../../src/core/ingest.ts';
import { ActionRunner, type ActionScene } from '../../src/daemon/acting/action-runner.ts';
import type { AncestorReader } from '../../src/daemon/acting/calling-agent.ts';
import { DeliveryQueue } from '../../src/daemon/acting/delivery-queue.ts';
import { RepeatRules, type RuleFiring } from '../../src/daemon/acting/repeat-rules.ts';
import { ResumeRunner } from '../../src/daemon/acting/resume-runner.ts';
import type { CallerRights } from '../../src/daemon/callers/caller-rights.ts';
import { Conversations } from '../../src/daemon/conversing/conversations.ts';
import type { Shares } from '../../src/daemon/doors/shares.ts';
import type { WebDoors } from '../../src/daemon/doors/web-doors.ts';
import { type AppliedBatch, Engine } from '../../src/daemon/engine/engine.ts';
import type { Messaging } from '../../src/daemon/messaging/messaging.ts';
import { noRoster, type Roster } from '../../src/daemon/messaging/roster.ts';
import { actionsPort } from '../../src/daemon/ports/actions.ts';
import { teamsPort } from '../../src/daemon/ports/teams.ts';
import { Publisher } from '../../src/daemon/publishing/publish.ts';
import { Targets } from '../../src/daemon/watching/targets.ts';
import type { PaneScreen, Ports, StoredCursor } from '../../src/operations/ports/ports.ts';
import type { Fault } from '../../src/platform/fault.ts';
import { emptyTeamState, type TeamState } from '../../src/relay/config/team-state.ts';
import type { AdapterList, AlertItem } from '../../src/schema/api/health.ts';
import type { IngestEvent, IngestResult } from '../../src/schema/api/ingest.ts';
import type { OutageItem } from '../../src/schema/api/targets.ts';
import { type Config, defaultConfig } from '../../src/schema/config.ts';
import type { EventDraft } from '../../src/schema/event.ts';
import type { Evidence } from '../../src/schema/evidence.ts';
import type { HistoryStep } from '../../src/schema/history.ts';
import { type EventId, id, type RuntimeId } from '../../src/schema/ids.ts';
import { ok, refuse } from '../../src/schema/outcome.ts';
import { type Says, says } from '../../src/schema/state.ts';
import type { Target } from '../../src/schema/target.ts';
import type { OperationHost } from '../../src/servers/session.ts';
import { SocketServer } from '../../src/servers/socket.ts';
import type { ConnectionLimits } from '../../src/servers/socket-connection.ts';
import { builtInFolder, loadRegistry } from '../../src/sources/rule-files.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import type { DeliveryTable } from '../../src/store/tables/deliveries.ts';
import { agents, claim, evidence, local, runtimeId, T0 } from '../scenario.ts';
import { HandDrivenTarget } from './hand-driven-target.ts';
import { callerRightsOf, currentPort, openMessaging } from './messaging-inside.ts';
import { noAcpMembers } from './no-acp-members.ts';
import { type NotifyInside, notifyInside } from './notify-inside.ts';
import { timelinePort } from './timeline-port.ts';
import { webInside } from './web-inside.ts';

const builtIn = loadRegistry({ builtIn: builtInFolder() });
export const NONCE = 'life-1';

export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agtmux-api-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const iso = (atMs: number): string => new Date(atMs).toISOString();

/** The inside of a daemon. Time is the test's own and stands still until it is moved. */
export class Inside {
  readonly folder: string;
  readonly socketPath: string;
  readonly engine: Engine;
  readonly publisher: Publisher;
  readonly ports: Ports;
  readonly notify: NotifyInside;
  readonly transcripts: KnownTranscripts = new KnownTranscripts();
  readonly steps: HistoryStep[] = [];
  readonly alerts: AlertItem[] = [];
  readonly cursors = new Map<string, StoredCursor>();
  readonly ingested: IngestEvent[] = [];
  readonly defects: unknown[] = [];
  readonly messageFaults = new Set<string>();
  readonly disabled = new Set<string>();
  storeError: ReturnType<Ports['panes']['storeError']> = null;
  outages: readonly OutageItem[] = [];
  /** The watches of ssh targets that were opened, in their order. */
  readonly targetWatches: HandDrivenTarget[] = [];
  /** What typing does; the test decides. */
  act: (scene: ActionScene) => Promise<ActionResult> = async ({ commit }) =>
    commit() ? delivered('typed') : wouldDo('would type');
  /** The agent that runs every caller which names its process. */
  callingAgent: RuntimeId | null = null;
  /** Every caller that names its process is in a pane of a bundle that is not known now. */
  isCallerLost = false;
  agentsMayAnswer = false;
  isInstallGranted = false;
  isRepeatRulesOn = true;
  readonly firings: RuleFiring[] = [];
  isHudOn = false;
  /** Whether a person is attached to every session. */
  isAttached = false;
  /** Why no outcome of an action can be written. */
  trailFault: Fault | null = null;
  stopped: string | null = null;
  readonly webLog: string[] = [];
  readonly web: WebDoors;
  readonly #shares: Shares;
  webConfig: Config['web'] = defaultConfig.web;
  screen: PaneScreen | null = null;
  team: TeamState = emptyTeamState;
  readonly watched: string[] = [];
  onSourcesChanged: () => void = () => {};
  nowMs = T0 + 10_000;
  readonly deliveries: DeliveryQueue;
  messaging: Messaging;
  roster: Roster = noRoster;
  processes: AncestorReader = { read: () => null };
  messageLimits: Config['messages'] = defaultConfig.messages;
  #runner: ActionRunner | null = null;
  readonly rights: CallerRights;
  readonly #store: Store;
  readonly #listeners = new Set<() => void>();
  #server: SocketServer | null = null;
  #counter = 0;

  constructor(start: readonly EventDraft[] = agents(2), nonce = NONCE) {
    this.folder = makeFolder();
    this.socketPath = join(this.folder, 'agtmuxd.sock');
    const store = openStore({ path: join(this.folder, 'agtmux.db') });
    this.#store = store;
    onTestFinished(() => store[Symbol.dispose]());
    this.rights = callerRightsOf(this, store.startedAgents);
    const nextEventId = (): EventId => id(`e${++this.#counter}`);
    this.engine = new Engine({ store, nextEventId });
    const facts = start.map((fact): Observation => ({ kind: 'fact', fact }));
    this.#keep(this.engine.observe([localTarget, ...facts]));
    this.deliveries = this.openDeliveries();
    this.messaging = this.openMessaging();
    const panes = this.#panesPort();
    const pushFile = join(this.folder, 'web-push.json');
    this.notify = notifyInside({ store, pushFile }, () => this.nowMs);
    ({ web: this.web, shares: this.#shares } = webInside(this));
    this.publisher = new Publisher({
      nonce,
      world: () => this.engine.world,
      readers: panes,
      outages: () => this.outages,
      nowMs: () => this.nowMs,
    });
    this.ports = { ...this.#makePorts(nonce), panes, streams: this.publisher };
    onTestFinished(() => this.publisher[Symbol.dispose]());
  }

  /** Opens the door. */
  async serve(limits: Partial<ConnectionLimits> = {}): Promise<this> {
    this.#server = new SocketServer({
      path: this.socketPath,
      host: this.host,
      limits: () => limits,
    });
    await this.#server.listen();
    onTestFinished(() => this.#server?.[Symbol.asyncDispose]());
    return this;
  }

  /** What a door is given. */
  get host(): OperationHost {
    const onDefect = (error: unknown) => this.defects.push(error);
    return { ports: this.ports, nowMs: () => this.nowMs, onDefect };
  }

  async hangUp(): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
    this.#server = null;
  }

  get connectionCount(): number {
    return this.#server?.connectionCount ?? 0;
  }

  /** Applies observations as the daemon's loop does: commit, then publish. */
  observe(...observations: readonly Observation[]): AppliedBatch {
    const applied = this.engine.observe(observations);
    this.#keep(applied);
    this.publisher.publish(applied);
    for (const listener of this.#listeners) listener();
    return applied;
  }

  see(...pieces: readonly Evidence[]): AppliedBatch {
    return this.observe(
      ...pieces.map((piece): Observation => ({ kind: 'evidence', evidence: piece })),
    );
  }

  tell(...facts: readonly EventDraft[]): AppliedBatch {
    return this.observe(...facts.map((fact): Observation => ({ kind: 'fact', fact })));
  }

  /** One agent says something new. */
  says(index: number, word: Says, changes: Partial<Evidence> = {}): AppliedBatch {
    this.nowMs += 1;
    return this.see(
      evidence('hooks', this.nowMs, [claim(word)], {
        runtimeId: runtimeId(index),
        type: word,
        ...changes,
      }),
    );
  }

  /** Work goes on: the row changes, its state does not. */
  works(index: number, tool: string): AppliedBatch {
    return this.says(index, 'running', { activity: { tool } });
  }

  async connect(timeoutMs = 5_000): Promise<DaemonClient> {
    const client = await connectDaemon({ socketPath: this.socketPath, timeoutMs });
    onTestFinished(() => client.close());
    return client;
  }

  #keep({ changes }: AppliedBatch): void {
    for (const change of changes) {
      if (change.kind !== 'row' || change.expectedVersion === change.row.stateVersion) continue;
      const { row, paneKey } = change;
      this.steps.unshift({
        ...{ stepId: this.steps.length + 1, paneKey, runtimeId: row.runtimeId },
        agent: row.agent,
        state: row.state,
        reasonCode: row.reasonCode,
        presence: row.presence,
        source: row.evidence.source,
        stateVersion: row.stateVersion,
        atMs: row.updatedAtMs,
      });
    }
  }

  #adapters(): AdapterList {
    const adapter = (agent: string) => ({
      agent,
      title: agent,
      contract_version: '1',
      enabled: !this.disabled.has(agent),
      health: 'ok',
      capabilities: { event_driven: true },
      sources: [`${agent}-hooks`],
      rules: 3,
    });
    return {
      schema_version: 1,
      generated_at: iso(this.nowMs),
      adapters: ['claude', 'codex'].map(adapter),
      problems: [],
    };
  }

  #alert(alertId: string, change: Partial<AlertItem>) {
    const index = this.alerts.findIndex(({ alert_id }) => alert_id === alertId);
    const before = this.alerts[index];
    if (!before) return refuse('E_REF_NOT_FOUND', `no alert ${alertId}`);
    const alert = { ...before, ...change };
    this.alerts[index] = alert;
    return ok(alert);
  }

  async #ingest(events: readonly IngestEvent[], channel?: string): Promise<IngestResult[]> {
    this.ingested.push(...events);
    return events.map((event) => {
      const eventId = event.event_id ?? `event-${this.ingested.length}`;
      const word = says.find((each) => each === event.type);
      if (!word) return { event_id: eventId, outcome: 'ignored', code: null, detail: null };
      const index = Number(event.pane?.slice(1) ?? 0);
      const applied = this.see(
        evidence(event.source, event.event_time_ms ?? this.nowMs, [claim(word)], {
          eventId: id(eventId),
          dedupeKey: event.dedupe_key ?? eventId,
          runtimeId: runtimeId(index),
          channel: id(channel ?? 'api@local'),
          ingestedAtMs: this.nowMs,
        }),
      );
      const isNew = applied.events.some(({ type }) => type === 'evidence.observed');
      const outcome = isNew ? 'applied' : 'duplicate';
      return { event_id: eventId, outcome, code: null, detail: null };
    });
  }

  #panesPort(): Ports['panes'] {
    return {
      world: () => this.engine.world,
      onChange: (listener) => {
        this.#listeners.add(listener);
        return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
      },
      sightings: () => this.engine.sightings,
      storeError: () => this.storeError,
      outages: () => this.outages,
      lastSeenAtMs: (pane) => pane.row.updatedAtMs,
      isAttached: () => this.isAttached,
      takesText: (_pane, { kind }) => kind === 'question',
      gitCheckout: () => ({ branch: 'main', worktree: '/home/dev/project' }),
      capture: async () => this.screen,
    };
  }

  #makePorts(nonce: string): Omit<Ports, 'panes' | 'streams'> {
    return {
      targets: this.#targetsPort(),
      doctor: {
        examine: async (_report, _caller, nowMs) => ({
          schema_version: 1,
          generated_at: iso(nowMs),
          healthy: true,
          checks: [],
          cost: null,
        }),
      },
      recordings: { take: async ({ label, minutes }) => ({ state: label, minutes }) },
      hooks: { run: async () => refuse('E_HOOKS_FAILED', 'no files here') },
      callers: {
        find: () => this.callingAgent && { runtimeId: this.callingAgent, by: 'process' },
        grants: (runtimeId) => ({
          answer: this.rights.mayAnswerOthers(runtimeId),
          install_hooks: this.isInstallGranted,
        }),
        refuseStart: (witness, subject) => this.rights.refuseStart(witness, subject),
        starterOf: (witness) => this.rights.starterOf(witness),
        noteStarted: (starter, places) => this.rights.noteStarted(starter, places),
      },
      ...this.#actingPorts(),
      resumes: this.#resumesPort(),
      deliveries: this.deliveries,
      messages: currentPort(() => this.messaging),
      history: {
        history: ({ paneKey, sinceMs = 0, limit }) =>
          this.steps
            .filter((step) => paneKey === undefined || step.paneKey === paneKey)
            .filter(({ atMs }) => atMs >= sinceMs)
            .slice(0, limit),
        eventsOfRuntime: () => [],
        timeline: timelinePort(this.steps, () => this.engine.world),
        daemonRuns: { spans: (nowMs) => [{ fromMs: 0, toMs: nowMs }] },
      },
      adapters: {
        list: () => this.#adapters(),
        setEnabled: (agent, enabled) => {
          if (enabled) this.disabled.delete(agent);
          else this.disabled.add(agent);
          return this.#adapters();
        },
      },
      daemon: this.#daemonPort(nonce),
      notify: this.notify.port,
      push: this.notify.pushPort,
      hud: {
        status: () => ({ on: this.isHudOn, servers: [] }),
        set: async (on) => {
          this.isHudOn = on;
          return { on, servers: [] };
        },
      },
      sources: this.#sourcesPort(),
      ...{ teams: this.#teamsPort(), acp: noAcpMembers },
      web: this.web,
      shares: this.#shares,
      conversations: this.#conversationsPort(),
      views: {
        open: () => {
          const reply = { subscription: 'o1' };
          return { reply, start: () => {}, drained: () => {}, [Symbol.dispose]: () => {} };
        },
        resize: async () => refuse('E_PRECONDITION_FAILED', 'a person is attached to its session'),
        release: () => {},
      },
    };
  }

  #teamsPort(): Ports['teams'] {
    return teamsPort({
      ...{ state: () => this.team, fresh: () => this.team, world: () => this.engine.world },
      nowMs: () => this.nowMs,
      table: this.#store.bundles,
      installId: () => '00000000000000aa',
      tmuxOf: (target) => ({ targetId: id(target), userServer: 'default', socketFolder: '/tmp' }),
      watchServer: ({ server }, isWatched) => this.watched.push(`${server} ${isWatched}`),
    });
  }

  #conversationsPort(): Conversations {
    const conversations = new Conversations({
      world: () => this.engine.world,
      transcripts: this.transcripts,
      onDefect: (error) => this.defects.push(error),
    });
    onTestFinished(() => conversations[Symbol.dispose]());
    return conversations;
  }

  #targetsPort(): Ports['targets'] {
    const open = (target: Target, onHealth: () => void) => {
      const watch = new HandDrivenTarget(target, onHealth);
      this.targetWatches.push(watch);
      return watch;
    };
    return new Targets({ loop: this.#loop(), nowMs: () => this.nowMs, open });
  }

  get deliveryTable(): DeliveryTable {
    return this.#store.deliveries;
  }

  /** A queue over the same store, as after a restart. */
  openDeliveries(): DeliveryQueue {
    const queue = new DeliveryQueue({
      nowMs: () => this.nowMs,
      world: () => this.engine.world,
      registry: () => builtIn,
      table: this.#store.deliveries,
      expiryMs: () => defaultConfig.acting.queuedSendMs,
      type: (...action) => this.#typist().deliver(...action),
      log: (fault) => this.defects.push(fault),
      onDefect: (error) => this.defects.push(error),
    });
    queue.begin();
    return queue;
  }

  /** Messages over the same store, as after a restart. */
  openMessaging(): Messaging {
    return openMessaging(this, {
      ...{ store: this.#store, registry: builtIn, typist: () => this.#typist() },
      onApplied: (listener) => void this.#listeners.add(listener),
    });
  }

  #typist(): ActionRunner {
    if (!this.#runner) throw new Error('no runner');
    return this.#runner;
  }

  #actingPorts(): Pick<Ports, 'actions' | 'repeatRules'> {
    const watchers = { at: () => ({ tag: async () => ok(null) }) };
    const { actions } = this.#store;
    const locks = new PaneLocks();
    const runner = new ActionRunner({
      locks,
      nowMs: () => this.nowMs,
      world: () => this.engine.world,
      lastSeenAtMs: ({ row }) => row.updatedAtMs,
      actions: this.#trail(),
      callers: this.rights,
      act: (scene) => this.act(scene),
      queue: this.deliveries,
      log: (fault) => this.defects.push(fault),
    });
    this.#runner = runner;
    const nowMs = () => this.nowMs;
    const perform = runner.perform.bind(runner);
    const uploads = { nowMs, ownFolder: this.folder, perform, keepAt: () => null };
    const typing = { type: async () => refuse('E_REF_NOT_FOUND', 'no pane is watched here') };
    const parts = { nowMs, loop: this.#loop(), watchers, runner, typing, uploads, trail: actions };
    return { actions: actionsPort(parts), repeatRules: this.#rulesPort(runner) };
  }

  #rulesPort(runner: ActionRunner): Ports['repeatRules'] {
    const onDefect = (error: unknown) => this.defects.push(error);
    const rules = new RepeatRules({
      ...{ runner, onDefect, onFault: onDefect, rules: this.#store.repeatRules },
      ...{ nowMs: () => this.nowMs, world: () => this.engine.world },
      ...{ isOn: () => this.isRepeatRulesOn, callers: this.rights },
      onAnswer: () => {},
      onFiring: (firing) => this.firings.push(firing),
    });
    this.#listeners.add(() => rules.follow());
    return rules;
  }

  /** The trail, as long as it can be written. */
  #trail(): Store['actions'] {
    const { actions } = this.#store;
    return {
      ...actions,
      finish: (...args) => {
        if (this.trailFault) throw this.trailFault;
        return actions.finish(...args);
      },
    };
  }

  #resumesPort(): Ports['resumes'] {
    const resumes = new ResumeRunner({
      nowMs: () => this.nowMs,
      world: () => this.engine.world,
      onChange: (listener) => {
        this.#listeners.add(listener);
        return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
      },
      registry: () => builtIn,
      endedAgents: (query) => this.#store.endedAgents(query),
      actions: this.#trail(),
      loginOf: () => null,
      bundleOf: () => null,
      callers: this.rights,
      log: (fault) => this.defects.push(fault),
    });
    onTestFinished(() => resumes[Symbol.dispose]());
    return resumes;
  }

  #loop() {
    const world = () => this.engine.world;
    return {
      submit: (observations: readonly Observation[]) => this.observe(...observations),
      get world() {
        return world();
      },
    };
  }

  #daemonPort(nonce: string): Ports['daemon'] {
    return {
      config: () => ({ in_force: defaultConfig, waiting: [] }),
      info: () => ({
        protocol: 1,
        version: '0.1.0',
        pid: process.pid,
        nonce,
        started_at: iso(T0),
        socket: this.socketPath,
        database: 'agtmux.db',
        log_file: null,
        servers: [],
      }),
      metrics: () => 'agtmux_up 1\n',
      stop: (reason) => {
        this.stopped = reason;
      },
      alerts: ({ includeResolved }) =>
        this.alerts.filter((alert) => includeResolved || alert.resolved_at === null),
      acknowledgeAlert: (alertId) => this.#alert(alertId, { acknowledged_at: iso(this.nowMs) }),
      resolveAlert: (alertId) =>
        this.#alert(alertId, { resolved_at: iso(this.nowMs), resolved_by: 'operator' }),
    };
  }

  #sourcesPort(): Ports['sources'] {
    return {
      ingest: (events, channel) => this.#ingest(events, channel),
      beat: (channel) => {
        this.observe({ kind: 'heartbeat', channel, atMs: this.nowMs });
      },
      registry: new Map(),
      changed: () => this.onSourcesChanged(),
      loadCursor: (channel) => this.cursors.get(channel) ?? null,
      saveCursor: (channel, { fetched, committed }) => {
        this.cursors.set(channel, { fetched, committed });
      },
    };
  }
}

const localTarget: Observation = {
  kind: 'fact',
  fact: {
    type: 'target.changed',
    atMs: T0 - 2_000,
    target: { targetId: local, name: 'local', kind: 'local', connectionRef: null, health: 'ok' },
  },
};
