// Events: everything that may change the world, in the past tense. Each is kept in the store, and
// the world is nothing but the events replayed. What the clock decides (demotion, expiry, settling)
// is an event too, made by core/due, so that replay agrees with the live daemon.

import { z } from 'zod';
import { engineConfigSchema } from './config.ts';
import { evidenceSchema } from './evidence.ts';
import type {
  AgentName,
  ChannelName,
  EventId,
  PaneKey,
  RequestId,
  RuntimeId,
  SessionKey,
  SourceName,
  TargetId,
} from './ids.ts';
import { ALIAS_LENGTH_MAX, paneFactsSchema, signatureInputsSchema } from './pane.ts';
import { atMsSchema, branded } from './shapes.ts';
import { channelStatusSchema, stateSchema } from './state.ts';
import { targetSchema } from './target.ts';

const header = { eventId: branded<EventId>(), atMs: atMsSchema };
const event = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.object({ ...header, type: z.literal(type), ...shape });

const runtimeId = branded<RuntimeId>();
const paneKey = branded<PaneKey>();
const slot = { runtimeId, source: branded<SourceName>(), about: z.string() };

export const runtimeBasisSchema = z.enum([
  'process',
  'event',
  'osc',
  'option',
  'tag',
  'command',
  'screen',
]);

export const eventSchema = z.discriminatedUnion('type', [
  /** The daemon, at start: rows wait to be reconfirmed; the constants of this run. */
  event('daemon.started', { config: engineConfigSchema }),
  /** The daemon, when a reload of config.toml changed a constant of this run. */
  event('config.changed', { config: engineConfigSchema }),
  /** The daemon, when the clock shows that the machine slept. */
  event('host.woke', {}),
  /** The daemon, when a commit succeeds after others failed: rows wait to be reconfirmed. */
  event('store.recovered', {}),
  /** Target health and additions; by the target's supervisor. */
  event('target.changed', { target: targetSchema }),
  event('target.removed', { targetId: branded<TargetId>() }),
  /** core/identity/instance, from a listing of one tmux server. */
  event('pane.appeared', { paneKey, facts: paneFactsSchema }),
  event('pane.changed', { paneKey, facts: paneFactsSchema }),
  event('pane.gone', { paneKey, reason: z.enum(['closed', 'respawned', 'server_gone']) }),
  /** A person gave the pane a name, or took it away (null). */
  event('pane.named', { paneKey, alias: z.string().min(1).max(ALIAS_LENGTH_MAX).nullable() }),
  /** core/due, when a gone pane's tombstone has lasted long enough. */
  event('pane.forgotten', { paneKey }),
  /** core/identity/presence, from the process source or bound evidence. */
  event('runtime.started', {
    runtimeId,
    paneKey,
    /** Set for a paneless agent: its target and working folder. */
    seat: z
      .object({ targetId: branded<TargetId>(), path: z.string().max(4096).optional() })
      .optional(),
    agent: branded<AgentName>(),
    pid: z.number().int().positive().nullable(),
    startedAtMs: atMsSchema,
    basis: runtimeBasisSchema,
    signature: signatureInputsSchema,
    sessionKey: branded<SessionKey>().optional(),
  }),
  /** A readable process tree without the agent: once is doubt, twice is gone. */
  event('runtime.missed', { runtimeId }),
  event('runtime.found', { runtimeId }),
  event('runtime.suspended', { runtimeId, suspended: z.boolean() }),
  /** The daemon, before the signal of a kill that was asked for. */
  event('runtime.killed', { runtimeId }),
  event('runtime.ended', {
    runtimeId,
    reason: z.enum(['process_gone', 'no_agent', 'pane_gone', 'replaced', 'target_removed']),
    exitCode: z.number().int().nullable(),
    crashed: z.boolean(),
    /** The signal that ended it, where one did and it was observed. */
    signal: z.string().max(16).optional(),
    /** It ran under `agtmux run`: a clean exit is shown too. */
    wrapped: z.boolean().optional(),
    /** What it was doing, where it ended in the middle of a turn. */
    during: stateSchema.optional(),
  }),
  /** core/due: running with no sign of work, or with one again. */
  event('runtime.stuck', { runtimeId, stuck: z.boolean() }),
  /** Any source, through core/ingest. */
  event('evidence.observed', {
    evidence: evidenceSchema,
    /** `late` is kept for the ledger and changes nothing. */
    disposition: z.enum(['apply', 'late', 'pending_bind']),
  }),
  /** core/due: pending evidence that found no runtime in time. */
  event('evidence.dropped', { droppedEventId: branded<EventId>() }),
  /** core/ingest: the second reading of a value that needed one. */
  event('claim.confirmed', slot),
  /** core/due: a level source still disagrees; its claim gets the stamp `assertedAtMs`. */
  event('claim.settled', { ...slot, assertedAtMs: atMsSchema }),
  /** core/due: the source is down, or was not read for too long. */
  event('claim.expired', slot),
  /** core/due: an old edge claim that no working source could contradict. */
  event('claim.weakened', { runtimeId, claimAtMs: atMsSchema }),
  /** core/due: no source reported a completion in time. */
  event('rest.judged', { runtimeId, restAtMs: atMsSchema }),
  /** core/due: `completed` is no longer news. */
  event('state.demoted', { paneKey, runtimeId, stateVersion: z.number().int() }),
  /** core/due: the wait for reconfirmation after a start is over. */
  event('reconfirm.ended', { runtimeId }),
  /** core/ingest and core/due: a channel's freshness changed. Never touches a claim by itself. */
  event('channel.changed', { channel: branded<ChannelName>(), status: channelStatusSchema }),
  /** A person looked at the pane, or a client called mark_seen. */
  event('attention.seen', { paneKey, requestIds: z.array(branded<RequestId>()).max(256) }),
  /** A person puts off what the pane asks for now. */
  event('attention.snoozed', { paneKey, untilMs: atMsSchema }),
  /** core/due, at the end of that time; or a person. */
  event('attention.woken', { paneKey }),
]);
export type WorldEvent = z.infer<typeof eventSchema>;
export type EventType = WorldEvent['type'];
export type EventOf<Type extends EventType> = Extract<WorldEvent, { type: Type }>;

/** An event that has no id yet: core decides what happened, the shell numbers it. */
export type EventDraft = WorldEvent extends infer Each
  ? Each extends WorldEvent
    ? Omit<Each, 'eventId'>
    : never
  : never;

declare const redacted: unique symbol;
/** An event whose texts went through core/redact. Nothing else may reach the store. */
export type RedactedEvent = WorldEvent & { readonly [redacted]: true };
