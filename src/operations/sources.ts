// How events come in: from hooks and scripts as they are, from third-party sources after a hello,
// in deliveries with a receipt, acknowledgements and heartbeats. The rules of a registration are
// source-registry.ts; pulling is daemon/pulling/source-pull.ts.

import { randomUUID } from 'node:crypto';
import { isAbsolute } from 'node:path';
import type { IngestEvent, IngestResult } from '../schema/api/ingest.ts';
import { SOURCE_PROTOCOL_VERSION, type SourceHello } from '../schema/api/sources.ts';
import { sourceChannel } from '../schema/ids.ts';
import { type Outcome, ok, refuse } from '../schema/outcome.ts';
import { header } from './answer/pane-item.ts';
import { type Operation, type OperationCall, operation, sourceActor } from './ports/operation.ts';
import type { PanesPort, Ports, SourcesPort } from './ports/ports.ts';
import {
  acknowledge,
  HEARTBEAT_INTERVAL_MS,
  noteCommitted,
  noteContact,
  noteDelivery,
  type RegisteredSource,
  register,
  SOURCES_MAX,
  type SourceMoment,
  setRevoked,
  sourceItem,
  sourceState,
} from './ports/source-registry.ts';

const ingestEvents = operation('ingest_events', {
  summary: 'Submits events of hooks and scripts; the reply has the outcome of each.',
  scope: 'control',
  // A source delivers by source_push_events, which holds it to its agent and stops when revoked.
  actors: ['user'],
  ports: ['sources'],
  run: async ({ sources }, { events }) => ok({ results: [...(await sources.ingest(events))] }),
});

function momentOf(panes: PanesPort, nowMs: number): SourceMoment {
  return { nowMs, channelDownMs: panes.world().config.channelDownMs };
}

const sourceHello = operation('source_hello', {
  summary: 'Registers a third-party source, as which the connection acts from then on.',
  scope: 'control',
  actors: ['user', 'source'],
  ports: ['panes', 'sources', 'adapters', 'daemon'],
  run: (ports, hello, call) => {
    const { panes, sources, daemon } = ports;
    const before = sources.registry.get(hello.source_id);
    const refusal = refuseHello(ports, hello, before);
    if (refusal) return refusal;
    const nowMs = call.nowMs();
    const stored = sources.loadCursor(sourceChannel(hello.source_id));
    const record = register(before, hello, { nowMs, committed: stored?.committed ?? null });
    sources.registry.set(record.sourceId, record);
    sources.changed();
    if (record.lastContactAtMs !== null) sources.beat(record.channel);
    call.actAs(sourceActor(record.sourceId));
    const moment = momentOf(panes, nowMs);
    return ok({
      source_id: record.sourceId,
      state: sourceState(record, moment),
      nonce: daemon.info().nonce,
      protocol_version: SOURCE_PROTOCOL_VERSION,
      committed_cursor: record.committed,
      heartbeat_interval_ms: HEARTBEAT_INTERVAL_MS,
      down_after_ms: moment.channelDownMs,
    });
  },
});

function refuseHello(
  { adapters, sources }: Pick<Ports, 'adapters' | 'sources'>,
  hello: SourceHello,
  before: RegisteredSource | undefined,
): Outcome<never> | null {
  const who = `source ${hello.source_id}`;
  if (before?.isRevoked) return refuse('source_revoked', `${who} was revoked`);
  if (hello.protocol_version !== SOURCE_PROTOCOL_VERSION) {
    const ours = `this daemon speaks ${SOURCE_PROTOCOL_VERSION}`;
    return refuse('E_INPUT_INVALID', `${who}: protocol_version ${hello.protocol_version}; ${ours}`);
  }
  if (hello.mode === 'pull' && !isAbsolute(hello.socket_path ?? '')) {
    return refuse('E_INPUT_INVALID', `${who}: pull needs socket_path, an absolute path`);
  }
  const adapter = adapters.list().adapters.find(({ agent }) => agent === hello.agent);
  if (!adapter?.enabled) {
    return refuse('source_inadmissible', `${who}: agent ${hello.agent} has no enabled adapter`);
  }
  // A revoked source stays registered, so that it stays silent, and does not count in the limit.
  const active = [...sources.registry.values()].filter(({ isRevoked }) => !isRevoked);
  if (!before && active.length >= SOURCES_MAX) {
    return refuse('source_inadmissible', `${who}: ${SOURCES_MAX} sources are registered already`);
  }
  return null;
}

/** The registration of a caller that may send now. */
function findSender(
  { daemon, sources }: Pick<Ports, 'daemon' | 'sources'>,
  { source_id, nonce }: { readonly source_id: string; readonly nonce: string },
): Outcome<RegisteredSource> {
  if (nonce !== daemon.info().nonce) {
    return refuse('runtime_nonce_mismatch', `source ${source_id}: the daemon was restarted`);
  }
  const record = sources.registry.get(source_id);
  if (!record) return refuse('source_registry_miss', `source ${source_id} is not registered`);
  if (record.isRevoked) return refuse('source_revoked', `source ${source_id} was revoked`);
  return ok(record);
}

const pushEvents = operation('source_push_events', {
  summary: 'A delivery of a registered source, answered after the commit with a receipt.',
  scope: 'control',
  actors: ['user', 'source'],
  ports: ['sources', 'daemon'],
  run: async (ports, input, call) => {
    const found = findSender(ports, input);
    if (!found.ok) return found;
    const { sources } = ports;
    const { sourceId, mode } = found.value;
    if (mode !== 'push') {
      return refuse('source_not_active', `source ${sourceId} is a pull source; it cannot push`);
    }
    const results = await deliver(sources, found.value, input.events);
    const nowMs = call.nowMs();
    const current = sources.registry.get(sourceId);
    if (!current || current.isRevoked) {
      return refuse('source_revoked', `source ${sourceId} was revoked meanwhile`);
    }
    const delivery = { events: input.events.length, nowMs };
    const record = noteCommitted(noteContact(current, nowMs), input.cursor ?? null, delivery);
    const token = randomUUID();
    sources.registry.set(sourceId, noteDelivery(record, token));
    sources.beat(record.channel);
    sources.saveCursor(record.channel, record);
    return ok({ results, committed_cursor: record.committed, delivery_token: token });
  },
});

/** Ingests a source's events: only for its own agent, each with an id. */
export async function deliver(
  sources: SourcesPort,
  { agent, channel, sourceId }: RegisteredSource,
  events: readonly IngestEvent[],
): Promise<IngestResult[]> {
  const judged = events.map((event) => ({ event, code: refusalCodeOf(event, agent) }));
  const fit = judged.filter(({ code }) => code === null);
  const ingested = await sources.ingest(
    fit.map(({ event }) => ({ ...event, agent })),
    channel,
  );
  const results = ingested[Symbol.iterator]();
  return judged.map(({ event, code }, index): IngestResult => {
    const eventId = event.event_id ?? `${sourceId}#${index}`;
    if (code === null) {
      const result = results.next();
      if (!result.done) return result.value;
    }
    const detail =
      code === 'source_inadmissible'
        ? `source ${sourceId} speaks for ${agent} only`
        : 'the event has neither event_id nor dedupe_key';
    return { event_id: eventId, outcome: 'refused', code, detail };
  });
}

/** An event that comes again after a rewind must be recognised by its name. */
function refusalCodeOf(event: IngestEvent, agent: string): string | null {
  if (event.agent !== undefined && event.agent !== agent) return 'source_inadmissible';
  const isNamed = event.event_id !== undefined || event.dedupe_key !== undefined;
  return isNamed ? null : 'invalid_source_event';
}

const ack = operation('source_ack', {
  summary: 'Acknowledges a commit: the source may drop what it delivered.',
  scope: 'control',
  actors: ['user', 'source'],
  ports: ['sources', 'daemon'],
  run: (ports, input, call) => {
    const found = findSender(ports, input);
    if (!found.ok) return found;
    const record = acknowledge(found.value, input.delivery_token);
    if (!record) {
      return refuse('unknown_delivery_token', `source ${input.source_id}: no such delivery`);
    }
    return noteCall(ports.sources, record, call);
  },
});

const heartbeat = operation('source_heartbeat', {
  summary: 'The heartbeat of a registered source. It renews no claim.',
  scope: 'control',
  actors: ['user', 'source'],
  ports: ['sources', 'daemon'],
  run: (ports, input, call) => {
    const found = findSender(ports, input);
    if (!found.ok) return found;
    if (found.value.mode === 'pull' && found.value.lastContactAtMs === null) {
      return refuse('source_not_active', `source ${input.source_id} has not answered a pull yet`);
    }
    return noteCall(ports.sources, found.value, call);
  },
});

/** Notes that the source has called. */
function noteCall(sources: SourcesPort, record: RegisteredSource, call: OperationCall) {
  sources.registry.set(record.sourceId, noteContact(record, call.nowMs()));
  sources.beat(record.channel);
  return ok({ ok: true as const });
}

const listRegistry = operation('list_source_registry', {
  summary: 'The third-party sources, their state and their cursor.',
  scope: 'read',
  ports: ['panes', 'sources'],
  run: ({ panes, sources }, _input, call) => {
    const moment = momentOf(panes, call.nowMs());
    const items = [...sources.registry.values()].map((record) => sourceItem(record, moment));
    return ok({ ...header(moment.nowMs), sources: items });
  },
});

const revokeSource = operation('revoke_source', {
  summary: 'Silences a third-party source until it is restored or the daemon ends.',
  scope: 'admin',
  actors: ['user'],
  ports: ['panes', 'sources'],
  run: ({ panes, sources }, { source_id, restore = false }, call) => {
    const before = sources.registry.get(source_id);
    if (!before) return refuse('source_registry_miss', `source ${source_id} is not registered`);
    const record = setRevoked(before, !restore);
    sources.registry.set(source_id, record);
    sources.changed();
    return ok(sourceItem(record, momentOf(panes, call.nowMs())));
  },
});

export const sourceOperations: readonly Operation[] = [
  ingestEvents,
  sourceHello,
  pushEvents,
  ack,
  heartbeat,
  listRegistry,
  revokeSource,
];
