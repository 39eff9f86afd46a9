// The agents that clients of the web service see, kept by one stream of changes for all of them.
// Says what was added, removed and updated; the clients decide whom to send it to.

import type { Actor } from '../../operations/ports/operation.ts';
import type { StreamMessage, StreamPane } from '../../operations/ports/stream-message.ts';
import { type OperationHost, Session } from '../session.ts';
import { AgentNames } from './agent-names.ts';

/** An agent as clients get it. */
export interface AgentItem {
  readonly name: string;
  readonly runtime: string;
  readonly workDir: string;
  /** Whether a person looks at its session; programs do not count. */
  readonly attached: boolean;
}

/** An agent with what operations need to find it. */
export interface ListedAgent {
  readonly item: AgentItem;
  readonly paneKey: string;
  readonly runtimeId: string;
}

export type AgentEvent =
  | { readonly kind: 'added' | 'removed'; readonly agent: ListedAgent }
  | { readonly kind: 'updated'; readonly agent: ListedAgent; readonly before: ListedAgent }
  | { readonly kind: 'counted' };

const RUNTIME = 'runtime:';

const reader: Actor = { kind: 'user', id: 'web', scopes: ['read'] };

type Item = StreamPane['item'];

export class AgentList implements Disposable {
  readonly #session: Session;
  readonly #names = new AgentNames();
  readonly #agents = new Map<string, ListedAgent>();
  readonly #workDir: string;
  readonly #onEvents: (events: readonly AgentEvent[]) => void;

  /** With a `workDir`, only agents in it or below. */
  constructor(
    host: OperationHost,
    workDir: string,
    onEvents: (events: readonly AgentEvent[]) => void,
  ) {
    this.#workDir = workDir.replace(/\/+$/, '');
    this.#onEvents = onEvents;
    this.#session = new Session({
      ...host,
      actor: reader,
      streamsMax: 1,
      push: (_subscription, message) => this.#take(message),
    });
    this.#session.call('subscribe', { topics: ['state_changed'] }, (result) => {
      if (!result.ok) throw new Error(`no stream of agents: ${result.problem.message}`);
    });
  }

  /** Sorted by name. */
  get all(): readonly ListedAgent[] {
    return [...this.#agents.values()].sort((one, other) =>
      one.item.name < other.item.name ? -1 : 1,
    );
  }

  get count(): number {
    return this.#agents.size;
  }

  /** By its name, or by `runtime:` and its id: no session has a colon in its name. */
  called(name: string): ListedAgent | null {
    const runtimeId = name.startsWith(RUNTIME) ? name.slice(RUNTIME.length) : null;
    for (const agent of this.#agents.values()) {
      if (agent.item.name === name || agent.runtimeId === runtimeId) return agent;
    }
    return null;
  }

  /** Whether it is there, by whatever name. */
  has({ paneKey, runtimeId }: ListedAgent): boolean {
    return this.#agents.get(paneKey)?.runtimeId === runtimeId;
  }

  [Symbol.dispose](): void {
    this.#session[Symbol.dispose]();
  }

  #take(message: StreamMessage): void {
    const events: AgentEvent[] = [];
    if (message.type === 'snapshot') {
      const keys = new Set(message.panes.map(({ item }) => item.pane_key));
      const gone = [...this.#agents.keys()].filter((paneKey) => !keys.has(paneKey));
      events.push(...this.#leave(gone), ...this.#read(message.panes));
    } else if (message.type === 'state_changed') {
      events.push(...this.#leave(message.removed), ...this.#read(message.panes));
    }
    if (events.length === 0) return;
    const isCountChanged = events.some(({ kind }) => kind === 'added' || kind === 'removed');
    this.#onEvents(isCountChanged ? [...events, { kind: 'counted' }] : events);
  }

  /** First what left, so that its name is free for who comes. */
  #read(panes: readonly StreamPane[]): readonly AgentEvent[] {
    const items = panes.map(({ item }) => item).sort(byPlace);
    const left = items.filter((item) => !this.#isListed(item)).map(({ pane_key: key }) => key);
    const here = items.filter((item) => this.#isListed(item));
    return [...this.#leave(left), ...here.flatMap((item) => this.#enter(item))];
  }

  #leave(paneKeys: readonly string[]): readonly AgentEvent[] {
    return paneKeys.flatMap((paneKey): AgentEvent[] => {
      const agent = this.#agents.get(paneKey);
      this.#names.release(paneKey);
      this.#agents.delete(paneKey);
      return agent ? [{ kind: 'removed', agent }] : [];
    });
  }

  #enter(item: Item): readonly AgentEvent[] {
    const before = this.#agents.get(item.pane_key);
    const agent = this.#agentOf(item);
    if (agent === null) return [];
    this.#agents.set(item.pane_key, agent);
    if (!before) return [{ kind: 'added', agent }];
    // An agent that was started anew in its place is another one, by whatever name.
    if (before.item.name !== agent.item.name || before.runtimeId !== agent.runtimeId) {
      return [
        { kind: 'removed', agent: before },
        { kind: 'added', agent },
      ];
    }
    const isSame = JSON.stringify(before.item) === JSON.stringify(agent.item);
    return isSame ? [] : [{ kind: 'updated', agent, before }];
  }

  #agentOf(item: Item): ListedAgent | null {
    const { identity, pane_key: paneKey, runtime_id: runtimeId, agent: runtime } = item;
    if (!identity || runtimeId === null || runtime === null) return null;
    const { target, server, session_name: sessionName, pane_id: paneId } = identity;
    const name = this.#names.nameOf({ paneKey, target, server, sessionName, paneId });
    const { current_path: workDir, attached } = item;
    return { item: { name, runtime, workDir, attached }, paneKey, runtimeId };
  }

  #isListed({ identity, presence, agent, runtime_id, dead, current_path }: Item): boolean {
    const isAgent = presence === 'managed' && agent !== null && runtime_id !== null && !dead;
    if (!isAgent || identity === null) return false;
    const dir = this.#workDir;
    return dir === '' || current_path === dir || current_path.startsWith(`${dir}/`);
  }
}

/** In the order in which panes were made, so that a restart gives the same names. */
function byPlace({ identity: one }: Item, { identity: other }: Item): number {
  return Number(one?.pane_id.slice(1) ?? 0) - Number(other?.pane_id.slice(1) ?? 0);
}
