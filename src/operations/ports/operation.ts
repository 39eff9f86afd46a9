// The shape of one operation: its name, who may call it, for how long it may run, the ports it
// needs, what goes in and comes out. Every door calls operations through servers/session.ts.

import type { z } from 'zod';
import { type OperationName, operationSchemas } from '../../schema/api/operations.ts';
import type { RuntimeId } from '../../schema/ids.ts';
import type { Outcome } from '../../schema/outcome.ts';
import type { AgentGrants } from '../../schema/relay/callers.ts';
import type { ProvenCaller } from '../../schema/relay/message.ts';
import type { CallerWitness } from './callers-port.ts';
import type { Cancellation, PortName, Ports } from './ports.ts';
import type { OpenStream, StreamSink } from './stream-message.ts';

/** read: looks. control: changes what an agent does or the daemon replies. admin: the daemon. */
export type Scope = 'read' | 'control' | 'admin';

/**
 * user: any peer of the Unix socket. source: a connection registered by `source_hello`. agent: one
 * that acts for an agent since its `agent_hello`.
 */
export const actorKinds = ['user', 'source', 'agent'] as const;
export type ActorKind = (typeof actorKinds)[number];

/** Who calls. A door makes it; servers/access.ts decides by it. */
export interface Actor {
  readonly kind: ActorKind;
  /** The name of the actor, for people and logs. */
  readonly id: string;
  readonly scopes: readonly Scope[];
  /** Absent: nothing is proven. A door that checks tokens knows its people itself. */
  readonly proven?: ProvenCaller;
  /** The token of the web service by which it was let in. */
  readonly tokenId?: string;
  /** What `begin_proof` has handed out on this connection. */
  readonly challenge?: string;
}

/** What a source may do: feed the daemon and look, and nothing that is for the user alone. */
export const sourceActor = (sourceId: string): Actor => ({
  kind: 'source',
  id: sourceId,
  scopes: ['read', 'control'],
});

/** The id of an agent that nobody could recognise. */
export const UNKNOWN_AGENT = 'unknown';

/** An agent looks and types; it installs hooks only where the user has granted that. */
export const agentActor = (runtimeId: RuntimeId | null, grants: AgentGrants): Actor => ({
  kind: 'agent',
  id: runtimeId ?? UNKNOWN_AGENT,
  scopes: grants.install_hooks ? ['read', 'control', 'admin'] : ['read', 'control'],
});

/** The agent that calls; null where nobody knows which one. Undefined: no agent calls. */
export const agentOf = ({ kind, id }: Actor): RuntimeId | null | undefined => {
  if (kind !== 'agent') return undefined;
  return id === UNKNOWN_AGENT ? null : (id as RuntimeId);
};

/** What an operation knows of its caller. */
export const witnessOf = (actor: Actor, callerPid?: number): CallerWitness => ({
  proven: actor.proven,
  agent: agentOf(actor),
  callerPid,
});

/** One call, as the operation sees it. */
export interface OperationCall extends Cancellation {
  readonly actor: Actor;
  /** The same for all calls of one connection, and for no other. */
  readonly connection: object;
  readonly nowMs: () => number;
  /** The caller's later calls on this connection are made by this actor. */
  readonly actAs: (actor: Actor) => void;
  /** Ends a stream of this connection; false when it has no such stream. */
  readonly closeStream: (subscription: string) => boolean;
  /** Has it disposed of when the caller's connection ends. */
  readonly keep: (resource: AsyncDisposable) => void;
}

/** An operation that does not answer in this time is stuck. */
const DEADLINE_MS = 30_000;

interface OperationShape {
  readonly name: string;
  /** One sentence for the reference page. */
  readonly summary: string;
  readonly scope: Scope;
  /** Which kinds of actors may call it. */
  readonly actors: readonly ActorKind[];
  /** The caller is told `timeout` after this, and the work is aborted unless it has committed. */
  readonly deadlineMs: number;
  readonly ports: readonly PortName[];
  readonly input: z.ZodType;
  readonly output: z.ZodType;
}

type Reply<Value> = Outcome<Value> | Promise<Outcome<Value>>;

/** Runs and replies once. */
export interface CallOperation extends OperationShape {
  readonly kind: 'call';
  readonly run: (ports: Ports, input: unknown, call: OperationCall) => Reply<unknown>;
}

/** Replies and goes on sending until the stream is closed. */
export interface StreamOperation extends OperationShape {
  readonly kind: 'stream';
  readonly open: (ports: Ports, input: unknown, sink: StreamSink) => Outcome<OpenStream>;
}

export type Operation = CallOperation | StreamOperation;

type Schemas = typeof operationSchemas;
type Input<Name extends OperationName> = z.output<Schemas[Name]['input']>;
type Output<Name extends OperationName> = z.output<Schemas[Name]['output']>;

interface Parts<Port extends PortName> {
  readonly summary: string;
  readonly scope: Scope;
  /** Absent: every kind. */
  readonly actors?: readonly ActorKind[];
  readonly deadlineMs?: number;
  readonly ports: readonly Port[];
}

const defaults = { actors: actorKinds, deadlineMs: DEADLINE_MS } as const;

/** An operation with the schemas that its name has in schema/api/operations.ts. */
export function operation<Name extends OperationName, Port extends PortName>(
  name: Name,
  parts: Parts<Port> & {
    readonly run: (
      ports: Pick<Ports, Port>,
      input: Input<Name>,
      call: OperationCall,
    ) => Reply<Output<Name>>;
  },
): Operation {
  // Inputs in the table are what the schema has checked: the types meet there.
  const built = { kind: 'call', ...defaults, ...parts, name, ...operationSchemas[name] };
  return built as unknown as Operation;
}

export function streamOperation<Name extends OperationName, Port extends PortName>(
  name: Name,
  parts: Parts<Port> & {
    readonly open: (
      ports: Pick<Ports, Port>,
      input: Input<Name>,
      sink: StreamSink,
    ) => Outcome<OpenStream>;
  },
): Operation {
  const built = { kind: 'stream', ...defaults, ...parts, name, ...operationSchemas[name] };
  return built as unknown as Operation;
}
