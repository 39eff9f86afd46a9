// Two or more agents in the inside of a daemon, that write to each other over real connections,
// each proven to be the agent that it speaks for.

import { type ActionResult, delivered } from '../../src/acting/action-result.ts';
import type { DaemonClient } from '../../src/client/client.ts';
import { proveIdentity } from '../../src/client/prove-identity.ts';
import { memberParty } from '../../src/daemon/messaging/parties.ts';
import { noRoster, type Roster, type RosterMember } from '../../src/daemon/messaging/roster.ts';
import { type Controls, nothing } from '../../src/relay/policy/decide.ts';
import type { RuntimeId } from '../../src/schema/ids.ts';
import type { SentMessage } from '../../src/schema/relay/message-schemas.ts';
import { agents, paneKey, runtimeId } from '../scenario.ts';
import { Inside } from './fixture.ts';

export interface TypedMessage {
  readonly runtimeId: RuntimeId | null;
  readonly text: string;
}

export class MessageLab {
  readonly inside: Inside;
  /** What was typed, in its order. */
  readonly typed: TypedMessage[] = [];
  /** What typing comes to, once it has begun. */
  outcome: () => ActionResult | Promise<ActionResult> = () => delivered('typed');

  private constructor(inside: Inside) {
    this.inside = inside;
    inside.act = async ({ order, commit, pane }) => {
      if (!commit()) return { result: 'dry_run', detail: 'would type' };
      if (order.kind === 'send') {
        this.typed.push({ runtimeId: pane.row.runtimeId, text: order.input.text });
      }
      return this.outcome();
    };
  }

  static async open(count = 2): Promise<MessageLab> {
    const inside = await new Inside(agents(count)).serve();
    for (let index = 0; index < count; index += 1) inside.says(index, 'running');
    return new MessageLab(inside);
  }

  /** A connection that is proven to come from this agent's pane. */
  async agent(index: number): Promise<DaemonClient> {
    const { inside } = this;
    const agent = [...inside.engine.world.runtimes.values()].find(
      (each) => each.runtimeId === runtimeId(index),
    );
    if (agent?.pid === null || !agent) throw new Error(`agent ${index} has no process`);
    const { pid, startedAtMs } = agent;
    const client = await inside.connect();
    inside.processes = {
      read: (each) =>
        each === process.pid
          ? { ppid: pid, startedAtMs: 1 }
          : each === pid
            ? { ppid: 1, startedAtMs }
            : null,
    };
    await proveIdentity(client);
    inside.processes = { read: () => null };
    return client;
  }

  /** A connection that no agent is above. */
  async person(): Promise<DaemonClient> {
    const client = await this.inside.connect();
    await proveIdentity(client);
    return client;
  }

  /** Lets time go by, longer than any pause, and looks at the queues. */
  tick(ms = 3_000): void {
    this.inside.nowMs += ms;
    this.inside.messaging.tick();
  }

  /** The bodies in what was typed to an agent, in their order. */
  bodiesOf(index: number): readonly string[] {
    return this.typed
      .filter((each) => each.runtimeId === runtimeId(index))
      .flatMap(({ text }) => text.split('\n').filter((line) => line.startsWith('body ')));
  }
}

export interface Declared {
  readonly bundle: string;
  readonly member: string;
  /** Whose pane it is. */
  readonly index: number;
  readonly controls?: Partial<Controls>;
}

/** Members by their panes, each with a policy of its own. */
export function rosterOf(lab: MessageLab, declared: readonly Declared[]): Roster {
  const members = declared.map(({ bundle, member, index, controls }): RosterMember => {
    return {
      ...{ party: memberParty(bundle, member), bundle, id: member, name: null, target: 'local' },
      policy: { origin: 'policies.toml: tight', controls: { ...nothing, ...controls } },
      ...{ prompt: null, transport: null },
      pane: () => lab.inside.engine.world.panes.get(paneKey(index)) ?? null,
    };
  });
  return { ...noRoster, members: () => members };
}

export const statusesOf = ({ message }: Pick<SentMessage, 'message'>): readonly string[] =>
  message.receipts.map(({ status }) => status);

export const refOf = (index: number): string => `runtime:${runtimeId(index)}`;
