// The visible list of everything that can be asked of the daemon, with its access and its actor.
// docs/reference/operations.md is generated from it; a door offers these and nothing else.

import { refuse } from '../schema/outcome.ts';
import { explainOperations } from './explain.ts';
import { healthOperations } from './health.ts';
import { hookOperations } from './hooks.ts';
import { ingestOperations } from './ingest.ts';
import { type Operation, operation } from './operation.ts';
import { paneOperations } from './panes.ts';
import { previewOperations } from './preview.ts';
import { sourceOperations } from './sources.ts';
import { targetOperations } from './targets.ts';

/** Streams belong to a connection, so the door itself opens and closes them. */
const streamOperations: readonly Operation[] = [
  operation('subscribe', {
    summary: 'Opens a stream: a snapshot, then changes, resumable by cursor.',
    access: 'read',
    run: () => refuse('E_INPUT_INVALID', 'subscribe needs a connection that stays open'),
  }),
  operation('unsubscribe', {
    summary: 'Ends a stream of this connection.',
    access: 'read',
    run: () => refuse('E_INPUT_INVALID', 'unsubscribe needs the connection of the stream'),
  }),
];

export const operationTable: readonly Operation[] = [
  ...healthOperations,
  ...paneOperations,
  ...explainOperations,
  ...previewOperations,
  ...ingestOperations,
  ...targetOperations,
  ...hookOperations,
  ...sourceOperations,
  ...streamOperations,
];

/** Dotted names, that follow the namespaces of the protocol. */
export const operationAliases: Readonly<Record<string, string>> = {
  'source.hello': 'source_hello',
  'source.push_events': 'source_push_events',
  'source.ack': 'source_ack',
  'source.heartbeat': 'source_heartbeat',
  'source.list': 'list_source_registry',
  'source.revoke': 'revoke_source',
};

const byName: ReadonlyMap<string, Operation> = new Map(
  operationTable.map((each) => [each.name, each]),
);

/** The operation of that name or alias. */
export function findOperation(name: string): Operation | undefined {
  const alias = Object.hasOwn(operationAliases, name) ? operationAliases[name] : undefined;
  return byName.get(alias ?? name);
}
