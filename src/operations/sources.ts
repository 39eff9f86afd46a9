// How programs of others join: hello, deliveries with a receipt, acknowledgements and beats. The
// rules of a registration are source-registry.ts; asking pull sources is source-pull.ts of the
// daemon.

import { randomUUID } from 'node:crypto';
import { isAbsolute } from 'node:path';
import type { IngestEvent, IngestResult } from '../schema/api/ingest.ts';
import { SOURCE_PROTOCOL_VERSION } from '../schema/api/sources.ts';
import { type Outcome, ok, refuse } from '../schema/outcome.ts';
import type { Context } from './context.ts';
import { type Operation, operation } from './operation.ts';
import { header } from './pane-item.ts';
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
  sourceChannel,
  sourceItem,
  sourceState,
} from './source-registry.ts';

function momentOf(context: Context): SourceMoment {
  const { channelDownMs } = context.world().config;
  return { nowMs: context.nowMs(), channelDownMs };
}

const sourceHello = operation('source_hello', {
  summary: 'Registers a third-party source; its answer says where to go on.',
  access: 'control',
  actor: 'source',
  run: (context, hello) => {
    const before = context.sources.get(hello.source_id);
    const refusal = refuseHello(context, hello, before);
    if (refusal) return refusal;
    const nowMs = context.nowMs();
    const stored = context.loadSourceCursor(sourceChannel(hello.source_id));
    const record = register(before, hello, { nowMs, committed: stored?.committed ?? null });
    context.sources.set(record.sourceId, record);
    context.sourcesChanged();
    if (record.lastHeardAtMs !== null) context.beat(record.channel);
    return ok({
      source_id: record.sourceId,
      state: sourceState(record, momentOf(context)),
      nonce: context.info().nonce,
      protocol_version: SOURCE_PROTOCOL_VERSION,
      committed_cursor: record.committed,
      heartbeat_interval_ms: HEARTBEAT_INTERVAL_MS,
      down_after_ms: context.world().config.channelDownMs,
    });
  },
});

function refuseHello(
  context: Context,
  hello: {
    readonly source_id: string;
    readonly agent: string;
    readonly protocol_version: number;
    readonly mode: 'push' | 'pull';
    readonly socket_path?: string | undefined;
  },
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
  const adapter = context.adapters().adapters.find(({ agent }) => agent === hello.agent);
  if (!adapter?.enabled) {
    return refuse('source_inadmissible', `${who}: agent ${hello.agent} has no enabled adapter`);
  }
  if (!before && heardCount(context) >= SOURCES_MAX) {
    return refuse('source_inadmissible', `${who}: ${SOURCES_MAX} sources are registered already`);
  }
  return null;
}

/** A revoked source is remembered, so that it stays silent, and takes nobody's place. */
const heardCount = ({ sources }: Context): number =>
  [...sources.values()].filter(({ isRevoked }) => !isRevoked).length;

/** The record of a caller that may speak now. */
function speaker(
  context: Context,
  { source_id, nonce }: { readonly source_id: string; readonly nonce: string },
): Outcome<RegisteredSource> {
  if (nonce !== context.info().nonce) {
    return refuse('runtime_nonce_mismatch', `source ${source_id}: the daemon was restarted`);
  }
  const record = context.sources.get(source_id);
  if (!record) return refuse('source_registry_miss', `source ${source_id} is not registered`);
  if (record.isRevoked) return refuse('source_revoked', `source ${source_id} was revoked`);
  return ok(record);
}

const pushEvents = operation('source_push_events', {
  summary: 'A delivery of a registered source, answered after the commit with a receipt.',
  access: 'control',
  actor: 'source',
  run: async (context, input) => {
    const found = speaker(context, input);
    if (!found.ok) return found;
    const { sourceId, mode } = found.value;
    if (mode !== 'push') {
      return refuse('source_not_active', `source ${sourceId} is a pull source and is asked`);
    }
    const results = await deliver(context, found.value, input.events);
    const nowMs = context.nowMs();
    const current = context.sources.get(sourceId);
    if (!current || current.isRevoked) {
      return refuse('source_revoked', `source ${sourceId} was revoked meanwhile`);
    }
    const told = { events: input.events.length, nowMs };
    const record = noteCommitted(noteContact(current, nowMs), input.cursor ?? null, told);
    const token = randomUUID();
    context.sources.set(sourceId, noteDelivery(record, token));
    context.beat(record.channel);
    context.saveSourceCursor(record.channel, record.fetched, record.committed);
    return ok({ results, committed_cursor: record.committed, delivery_token: token });
  },
});

/** Hands a source's events in. It may speak for its own agent only, and must name its events. */
export async function deliver(
  context: Context,
  { agent, channel, sourceId }: RegisteredSource,
  events: readonly IngestEvent[],
): Promise<IngestResult[]> {
  const judged = events.map((event) => ({ event, code: codeOf(event, agent) }));
  const fit = judged.filter(({ code }) => code === null);
  const told = await context.ingest(
    fit.map(({ event }) => ({ ...event, agent })),
    channel,
  );
  const answers = told[Symbol.iterator]();
  return judged.map(({ event, code }, index): IngestResult => {
    const eventId = event.event_id ?? `${sourceId}#${index}`;
    if (code === null) {
      const answer = answers.next();
      if (!answer.done) return answer.value;
    }
    const detail =
      code === 'source_inadmissible'
        ? `source ${sourceId} speaks for ${agent} only`
        : 'the event has neither event_id nor dedupe_key';
    return { event_id: eventId, outcome: 'refused', code, detail };
  });
}

/** What is told twice after a rewind must be known again by its name. */
function codeOf(event: IngestEvent, agent: string): string | null {
  if (event.agent !== undefined && event.agent !== agent) return 'source_inadmissible';
  const isNamed = event.event_id !== undefined || event.dedupe_key !== undefined;
  return isNamed ? null : 'invalid_source_event';
}

const ack = operation('source_ack', {
  summary: 'The source has noted a commit and may forget what it had delivered.',
  access: 'control',
  actor: 'source',
  run: (context, input) => {
    const found = speaker(context, input);
    if (!found.ok) return found;
    const record = acknowledge(found.value, input.delivery_token);
    if (!record) {
      return refuse('unknown_delivery_token', `source ${input.source_id}: no such delivery`);
    }
    context.sources.set(input.source_id, noteContact(record, context.nowMs()));
    context.beat(record.channel);
    return ok({ ok: true as const });
  },
});

const heartbeat = operation('source_heartbeat', {
  summary: 'A registered source lives. It renews no claim.',
  access: 'control',
  actor: 'source',
  run: (context, input) => {
    const found = speaker(context, input);
    if (!found.ok) return found;
    if (found.value.mode === 'pull' && found.value.lastHeardAtMs === null) {
      return refuse('source_not_active', `source ${input.source_id} has not answered a pull yet`);
    }
    context.sources.set(input.source_id, noteContact(found.value, context.nowMs()));
    context.beat(found.value.channel);
    return ok({ ok: true as const });
  },
});

const listRegistry = operation('list_source_registry', {
  summary: 'The third-party sources, their state and how far they were read.',
  access: 'read',
  run: (context) => {
    const moment = momentOf(context);
    const sources = [...context.sources.values()].map((record) => sourceItem(record, moment));
    return ok({ ...header(moment.nowMs), sources });
  },
});

const revokeSource = operation('revoke_source', {
  summary: 'Silences a third-party source until it is restored or the daemon ends.',
  access: 'admin',
  actor: 'user',
  run: (context, { source_id, restore = false }) => {
    const before = context.sources.get(source_id);
    if (!before) return refuse('source_registry_miss', `source ${source_id} is not registered`);
    const record = setRevoked(before, !restore);
    context.sources.set(source_id, record);
    context.sourcesChanged();
    return ok(sourceItem(record, momentOf(context)));
  },
});

export const sourceOperations: readonly Operation[] = [
  sourceHello,
  pushEvents,
  ack,
  heartbeat,
  listRegistry,
  revokeSource,
];
