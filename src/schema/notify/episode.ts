// What the policy of notifications decides about, as it is stored: episodes, the reasons of its
// decisions, and the rules by which a person mutes some of them.

import { z } from 'zod';
import { atMsSchema } from '../shapes.ts';
import { notifyKindSchema } from './notify-kind.ts';

/** Why somebody is notified. */
export const notifyReasons = [
  'at_once',
  'dwell',
  'cooldown_over',
  'digest',
  'mute_over',
  'snooze_over',
  'left',
  'still_open',
] as const;

/** Why nobody is. */
export const holdReasons = [
  'over',
  'seen',
  'gone',
  'muted',
  'kind_off',
  'subagent',
  'old',
  'open_before',
  'off',
] as const;

export const decisionReasonSchema = z.enum([...notifyReasons, ...holdReasons]);
export type DecisionReason = z.infer<typeof decisionReasonSchema>;

/** Whose request it is, as mutes name it. */
export const notifySubjectSchema = z.object({
  agent: z.string().nullable(),
  target: z.string(),
  /** Linked and grouped sessions show a pane more than once. */
  sessions: z.array(z.string()),
  /** A worker of an orchestrator, whose requests are not the person's. */
  isSubagent: z.boolean(),
});
export type NotifySubject = z.infer<typeof notifySubjectSchema>;

/** What an undecided episode waits for. */
export const notifyWaits = [
  'dwell',
  'cooldown',
  'digest',
  'mute',
  'snooze',
  'focus',
  'confirmation',
] as const;
export type NotifyWait = (typeof notifyWaits)[number];

/** One thing that a person is needed for, from its start to its end: notified once at most. */
export const episodeSchema = z.object({
  episodeId: z.string(),
  paneKey: z.string(),
  requestId: z.string(),
  kind: notifyKindSchema,
  sinceMs: atMsSchema,
  subject: notifySubjectSchema,
  /** Hashes of what is asked, by field: two sources may name one dialog differently. */
  ask: z.record(z.string(), z.number()),
  status: z.enum(['pending', 'notified', 'held']),
  /** Before this it is not decided. */
  readyAtMs: atMsSchema,
  /** What it waited for last. */
  wait: z.enum(notifyWaits).nullable(),
  /** Its state cannot be read now, so that nobody knows whether it is still open. */
  isHidden: z.boolean(),
  decidedAtMs: atMsSchema.nullable(),
  snoozedUntilMs: atMsSchema.nullable(),
  endedAtMs: atMsSchema.nullable(),
});
export type Episode = z.infer<typeof episodeSchema>;

/** Notifications that follow each other closely: the later ones become one. */
export const digestWindowSchema = z.object({
  openedAtMs: atMsSchema,
  sentCount: z.number().int().nonnegative(),
});
export type DigestWindow = z.infer<typeof digestWindowSchema>;

/** What is muted: everything that fits all fields that are set. */
export const muteRuleSchema = z.object({
  agent: z.string().max(64).optional(),
  /** `*` stands for any text. */
  session: z.string().max(200).optional(),
  target: z.string().max(128).optional(),
  /** `22:00-07:00`, as text/hours.ts reads it. */
  hours: z.string().max(64).optional(),
  untilMs: atMsSchema.optional(),
});
export type MuteRule = z.infer<typeof muteRuleSchema>;
