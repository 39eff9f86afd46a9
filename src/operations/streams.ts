// The stream of changes: a snapshot, then what changes. Streams belong to a connection, which
// servers/session.ts keeps; what they send is made by the port.

import { ok, refuse } from '../schema/outcome.ts';
import { type Operation, operation, streamOperation } from './ports/operation.ts';

export const streamOperations: readonly Operation[] = [
  streamOperation('subscribe', {
    summary: 'Opens a stream: a snapshot, then changes, resumable by cursor.',
    scope: 'read',
    ports: ['streams'],
    open: ({ streams }, input, sink) => ok(streams.open(input, sink)),
  }),
  operation('unsubscribe', {
    summary: 'Ends a stream of this connection.',
    scope: 'read',
    ports: [],
    run: (_ports, { subscription }, call) =>
      call.closeStream(subscription)
        ? ok({ ok: true as const })
        : refuse('E_REF_NOT_FOUND', `this connection has no stream ${subscription}`),
  }),
];
