// Actions on one pane: typing, answering, stopping. Every action has guards, may be a dry run, and
// leaves a report in the audit trail.

import { z } from 'zod';
import { type ActionSnapshot, deliveryMoments, deliveryStatuses } from '../action.ts';
import { requestSchema } from '../evidence.ts';
import { replyHeader } from '../shapes.ts';
import { stateSchema } from '../state.ts';
import { paneItemSchema } from './panes.ts';
import { refSchema } from './shapes.ts';

/** The longest text that is typed. */
const TEXT_LENGTH_MAX = 1_100_000;
const LABEL_LENGTH_MAX = 4_000;
const ACTIONS_LISTED_MAX = 500;

export const actionKinds = [
  'send',
  'press',
  'choose',
  'interrupt',
  'kill',
  'resume',
  'type',
  'paste',
  'message',
  'look',
] as const;
const requestRefSchema = z.string().min(1).max(200);

/** What every action takes: the pane, what must be true of it, and how it is asked for. */
const actionShape = {
  ref: refSchema,
  /** What the caller was shown. Anything else there is refused. */
  if_runtime: z.string().min(1).max(200).optional(),
  if_state: stateSchema.optional(),
  if_version: z.number().int().nonnegative().optional(),
  if_updated_within_ms: z.number().positive().optional(),
  /** Forgives an expired snapshot and a changed version; never another runtime. */
  force_stale: z.boolean().default(false),
  /** Checks everything and types nothing. */
  dry_run: z.boolean().default(false),
  /** The same request twice is one action; the second call returns the report of the first. */
  request_ref: requestRefSchema.optional(),
  /** The process that asks: one that an agent has started acts as that agent. */
  caller_pid: z.number().int().positive().optional(),
};

export const actionReportSchema = z.object({
  action_id: z.string(),
  request_ref: z.string().nullable(),
  kind: z.enum(actionKinds),
  pane_key: z.string(),
  runtime_id: z.string().nullable(),
  actor: z.string(),
  /** What was asked for, as JSON, without secrets and cut. */
  input: z.string(),
  asked_at: z.string(),
  /** Null while it runs. `queued`: it waits for its moment. `dry_run`: it would be done. */
  result: z.enum(['delivered', 'unconfirmed', 'refused', 'dry_run', 'queued']).nullable(),
  /** The code of a refusal. */
  code: z.string().nullable(),
  detail: z.string().nullable(),
  done_at: z.string().nullable(),
});
export type ActionReport = z.infer<typeof actionReportSchema>;

export const actionListSchema = z.object({
  ...replyHeader,
  actions: z.array(actionReportSchema),
});
export type ActionList = z.infer<typeof actionListSchema>;

/** An action on its way, as the audit trail keeps it. */
export interface ActionIntent {
  readonly actionId: string;
  readonly requestRef: string | null;
  readonly kind: ActionReport['kind'];
  readonly paneId: string | null;
  readonly snapshot: ActionSnapshot;
  readonly actor: string;
  readonly input: string;
}

/** A dialog or a question that waits for a person. */
export const openRequestItemSchema = z.object({
  request_id: z.string(),
  kind: z.enum(['approval', 'question']),
  since: z.iso.datetime(),
  seen: z.boolean(),
  detail: requestSchema.optional(),
  /** There where an answer may be given in words of one's own. */
  takes_text: z.boolean().optional(),
  /** Whose it is, with what an answer must name. */
  pane: paneItemSchema,
});
export type OpenRequestItem = z.infer<typeof openRequestItemSchema>;

export const requestListSchema = z.object({
  ...replyHeader,
  requests: z.array(openRequestItemSchema),
});
export type RequestList = z.infer<typeof requestListSchema>;

/** A dialog asks for no more. */
const OPTIONS_MAX = 32;
const ANSWER_LENGTH_MAX = 1_000;
const labelSchema = z.string().min(1).max(LABEL_LENGTH_MAX);
const answerTextSchema = z.string().min(1).max(ANSWER_LENGTH_MAX);
const roleSchema = z.enum(['approve', 'always', 'deny', 'own_answer']);

/** Refused for the agent that runs the caller. */
const exceptCaller = z.boolean().default(false);

export const sendInputSchema = z.strictObject({
  ...actionShape,
  text: z.string().min(1).max(TEXT_LENGTH_MAX),
  enter: z.boolean().default(true),
  /** The program takes a paste of several lines as one text, also where tmux cannot tell. */
  paste: z.boolean().default(false),
  /** Types although nothing shows that the agent takes it. */
  force: z.boolean().default(false),
  /**
   * Queues the text for this runtime: until it rests, or not before a time either; `reset` is the
   * end of its usage limit. The guards are for now, the runtime for then.
   */
  when: z
    .union([z.enum(['idle', 'reset']), z.strictObject({ at_ms: z.number().positive() })])
    .optional(),
  except_caller: exceptCaller,
});
export type SendInput = z.output<typeof sendInputSchema>;

/** A text for the input box of an agent, without Enter. */
export const pasteInputSchema = z.strictObject({
  ...actionShape,
  text: z.string().min(1).max(TEXT_LENGTH_MAX),
});
export type PasteInput = z.output<typeof pasteInputSchema>;

/** A text as it is, where a policy permits it. */
const writeRawSchema = z.strictObject({
  ref: refSchema,
  text: z.string().min(1).max(32_768),
  enter: z.boolean().default(true),
  request_ref: requestRefSchema.optional(),
  /** The identity of a person as tui.toml declares it. */
  as: z.string().min(1).max(64).optional(),
});

/** A longer list is a text, and texts are pasted. */
const KEYS_MAX = 32;

const moves = 'Up|Down|Left|Right|Home|End|PageUp|PageDown|NPage|PPage|IC|DC';
const functions = 'F[1-9]|F1[0-2]';
const edits = 'Enter|Escape|Tab|BSpace';
// tmux types any word that is no key letter by letter, so that only these names are taken: up to
// two of Ctrl, Meta and Shift before keys with such codes. 3.3a types `S-Tab` as text.
const keyName = new RegExp(
  `^(?:(?:[CMS]-){0,2}(?:${moves}|${functions})|(?:M-)?(?:${edits})|BTab|` +
    '(?:C-|M-|C-M-)?Space|(?:C-|M-|C-M-)[a-z]|[A-Za-z0-9])$',
);

export const pressInputSchema = z.strictObject({
  ...actionShape,
  keys: z
    .array(z.string().regex(keyName, 'is not a key such as Enter, Escape, BTab, C-l, Down or F5'))
    .min(1)
    .max(KEYS_MAX),
  /** Presses them although a dialog is open, or nothing shows what they do. */
  force: z.boolean().default(false),
  except_caller: exceptCaller,
});
export type PressInput = z.output<typeof pressInputSchema>;

export const chooseInputSchema = z.strictObject({
  ...actionShape,
  /** The request that the caller was shown; its command and options must be those on the screen. */
  request_id: z.string().min(1).max(2_048).optional(),
  choice: z.union([
    z.strictObject({ role: roleSchema }),
    z.strictObject({ label: labelSchema }),
    /** All that are chosen, of a question that takes several. */
    z.strictObject({ labels: z.array(labelSchema).min(1).max(OPTIONS_MAX) }),
    /** The text of an answer of one's own. */
    z.strictObject({ role: z.literal('own_answer'), text: answerTextSchema }),
    z.strictObject({
      role: z.literal('deny'),
      /** The reason, typed into the dialog where it takes one. */
      text: answerTextSchema,
      /** Elsewhere: deny, and send the reason as the next prompt. */
      as_prompt: z.boolean().optional(),
    }),
  ]),
});
export type ChooseInput = z.output<typeof chooseInputSchema>;

export const interruptInputSchema = z.strictObject(actionShape);
export type InterruptInput = z.output<typeof interruptInputSchema>;

export const killInputSchema = z.strictObject({
  ...actionShape,
  /** A stronger one is never sent by itself. */
  signal: z.enum(['INT', 'TERM', 'KILL']).default('INT'),
});
export type KillInput = z.output<typeof killInputSchema>;

/** A prompt that waits for its moment, or did. */
export const deliveryItemSchema = z.object({
  delivery_id: z.string(),
  /** Its report in the audit trail. */
  action_id: z.string(),
  runtime_id: z.string(),
  pane_key: z.string(),
  /** Null where the pane is gone. */
  pane: paneItemSchema.nullable(),
  actor: z.string(),
  /** The start of its text, without secrets; empty once it is settled. */
  text: z.string(),
  moment: z.enum(deliveryMoments),
  asked_at: z.iso.datetime(),
  due_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  status: z.enum(deliveryStatuses),
  /** What it waits for, or what came of it. */
  detail: z.string().nullable(),
  settled_at: z.iso.datetime().nullable(),
});
export type DeliveryItem = z.infer<typeof deliveryItemSchema>;

export const deliveryListSchema = z.object({
  ...replyHeader,
  deliveries: z.array(deliveryItemSchema),
});

const RULE_COUNT_MAX = 1_000;
const RULE_MS_MAX = 30 * 86_400_000;

/** A command that is approved without a person, in one folder for one kind of agent. */
export const repeatRuleSchema = z.object({
  rule_id: z.string(),
  target: z.string(),
  agent: z.string(),
  folder: z.string(),
  tool: z.string().nullable(),
  /** Compared letter by letter. */
  command: z.string(),
  count_left: z.number().int(),
  fired_count: z.number().int(),
  created_by: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  last_fired_at: z.iso.datetime().nullable(),
  revoked_at: z.iso.datetime().nullable(),
});
export type RepeatRule = z.infer<typeof repeatRuleSchema>;

const addRepeatRuleSchema = z.strictObject({
  ref: refSchema,
  /** An open approval: the rule is for its exact command. */
  request_id: z.string().min(1).max(2_048),
  /** As the caller was shown the request: its command may be another by now. */
  if_version: actionShape.if_version,
  /** How often it approves, the open request included. */
  count: z.number().int().min(1).max(RULE_COUNT_MAX),
  expires_in_ms: z.number().int().min(1_000).max(RULE_MS_MAX),
  caller_pid: actionShape.caller_pid,
});
export type AddRepeatRuleInput = z.output<typeof addRepeatRuleSchema>;

export const actingSchemas = {
  add_repeat_rule: { input: addRepeatRuleSchema, output: repeatRuleSchema },
  list_repeat_rules: {
    input: z.strictObject({ all: z.boolean().default(false) }),
    output: z.object({
      ...replyHeader,
      rules: z.array(repeatRuleSchema),
    }),
  },
  revoke_repeat_rule: {
    input: z.strictObject({
      rule_id: z.string().min(1).max(64),
      caller_pid: actionShape.caller_pid,
    }),
    output: repeatRuleSchema,
  },
  write_raw: { input: writeRawSchema, output: actionReportSchema },
  kill: { input: killInputSchema, output: actionReportSchema },
  send: { input: sendInputSchema, output: actionReportSchema },
  press: { input: pressInputSchema, output: actionReportSchema },
  choose: { input: chooseInputSchema, output: actionReportSchema },
  interrupt: { input: interruptInputSchema, output: actionReportSchema },
  list_requests: {
    input: z.strictObject({ ref: refSchema.optional() }),
    output: requestListSchema,
  },
  list_deliveries: {
    input: z.strictObject({
      ref: refSchema.optional(),
      /** Also what came of those that do not wait any more. */
      include_settled: z.boolean().default(false),
    }),
    output: deliveryListSchema,
  },
  cancel_delivery: {
    input: z.strictObject({ delivery_id: z.string().min(1).max(200) }),
    output: deliveryItemSchema,
  },
  list_actions: {
    input: z.strictObject({
      ref: refSchema.optional(),
      request_ref: requestRefSchema.optional(),
      limit: z.number().int().min(1).max(ACTIONS_LISTED_MAX).default(50),
    }),
    output: actionListSchema,
  },
} as const;
