// The shape of an agent's rule file (screen.toml, or a user's own). One file has everything that is
// data: how the agent is recognised, its sources, and what its screen means. Reading the
// TOML is left to sources/rule-files; compiling it to registry.ts.

import { z } from 'zod';
import { confidenceSchema, reasonCodeSchema, saysSchema, stateSchema } from './state.ts';

const name = z.string().regex(/^[a-z][a-z0-9_.-]{0,63}$/);
const pattern = z.string().min(1).max(1000);
const LIST_MAX = 64;
const patterns = z.array(pattern).max(LIST_MAX);
const words = z.array(z.string().min(1).max(200)).max(LIST_MAX);
const lineCount = z.number().int().min(1).max(200);

/** One thing that must be true of the screen. See docs of screen/conditions.ts. */
export interface ConditionFile {
  region?: string | undefined;
  lines?: number | undefined;
  match?: string | undefined;
  text?: string | undefined;
  title?: string | undefined;
  alternate?: boolean | undefined;
  empty?: boolean | undefined;
  mark?: string | undefined;
  all?: ConditionFile[] | undefined;
  any?: ConditionFile[] | undefined;
  not?: ConditionFile[] | undefined;
}

const conditionSchema: z.ZodType<ConditionFile> = z.lazy(() =>
  z.strictObject({
    region: name.optional(),
    lines: lineCount.optional(),
    match: pattern.optional(),
    text: pattern.optional(),
    title: pattern.optional(),
    alternate: z.boolean().optional(),
    empty: z.boolean().optional(),
    mark: name.optional(),
    all: conditions.optional(),
    any: conditions.optional(),
    not: conditions.optional(),
  }),
);
const conditions = z.array(conditionSchema).min(1).max(LIST_MAX);

const groupShape = {
  all: conditions.optional(),
  any: conditions.optional(),
  not: conditions.optional(),
};

export const regionFileSchema = z.strictObject({
  within: name.optional(),
  before: pattern.optional(),
  after: pattern.optional(),
  from: pattern.optional(),
  optional: z.boolean().default(false),
  first: lineCount.optional(),
  last: lineCount.optional(),
});
export type RegionFile = z.infer<typeof regionFileSchema>;

const pickSchema = z.strictObject({
  region: name,
  lines: lineCount.optional(),
  match: pattern.optional(),
  text: pattern.optional(),
  split: z.boolean().optional(),
});
export type PickFile = z.infer<typeof pickSchema>;

/** One place to read from, or several: the first that yields something wins. */
const picksSchema = z
  .union([pickSchema, z.array(pickSchema).min(1).max(8)])
  .transform((picks): PickFile[] => (Array.isArray(picks) ? picks : [picks]))
  .optional();

export const extractFileSchema = z.strictObject({
  question: picksSchema,
  tool: picksSchema,
  command: picksSchema,
  file: picksSchema,
  options: picksSchema,
  until: picksSchema,
});
export type ExtractFile = z.infer<typeof extractFileSchema>;

export const ruleFileSchema = z
  .strictObject({
    id: name,
    priority: z.number().int().min(0).max(1000),
    says: saysSchema.optional(),
    reason: reasonCodeSchema.optional(),
    confidence: confidenceSchema.default('high'),
    anchored: z.boolean().default(true),
    no_update: z.boolean().default(false),
    enabled: z.boolean().default(true),
    ...groupShape,
    extract: z.union([name, extractFileSchema]).optional(),
    /** Recordings that this rule decides, as `folder/file` without the ending. */
    proof: words.default([]),
    /** Why there is no recording, and where the rule comes from. Keeps confidence under high. */
    unproven: z.string().min(10).max(300).optional(),
  })
  .refine((rule) => rule.no_update !== (rule.says !== undefined), 'needs `says` or `no_update`')
  .refine(
    (rule) => rule.unproven === undefined || rule.proof.length === 0,
    'has recordings, so `unproven` does not belong there',
  )
  .refine((rule) => rule.all !== undefined || rule.any !== undefined, 'needs `all` or `any`');
export type RuleFile = z.infer<typeof ruleFileSchema>;

const identifyFileSchema = z.strictObject({
  priority: z.number().int().min(0).max(1000).default(500),
  executables: words.default([]),
  packages: words.default([]),
  paths: words.default([]),
  version_argv0: z.boolean().default(false),
  not_argv: patterns.default([]),
  shared_argv: patterns.default([]),
  one_shot: words.default([]),
  titles: patterns.default([]),
  screens: z.array(z.strictObject(groupShape)).max(LIST_MAX).default([]),
});

const sourceFileSchema = z.strictObject({
  name: name,
  mode: z.enum(['subscribe', 'poll']),
  kind: z.enum(['edge', 'level']),
  tier: z.enum(['deterministic', 'heuristic']).default('deterministic'),
  covers: z.array(stateSchema).max(7).default([]),
  rank: z.number().int().min(0).max(99),
  parameters: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
    .default({}),
});

/** A pane option that another tool sets. Options that agtmux publishes are no evidence. */
const optionFileSchema = z.strictObject({
  name: z
    .string()
    .regex(/^@[A-Za-z0-9_-]{1,60}$/, 'must be an option of a user, such as @claude_status')
    .refine((option) => !/^@(?:agtmux|agent)_/i.test(option), 'is one of our own'),
  /** What each of its values claims. */
  map: z
    .record(z.string().min(1).max(200), saysSchema)
    .refine((map) => Object.keys(map).length <= LIST_MAX, `has more than ${LIST_MAX} words`),
  tier: z.enum(['deterministic', 'heuristic']).default('deterministic'),
});
export type OptionFile = z.infer<typeof optionFileSchema>;

const eventFileSchema = z
  .strictObject({
    source: name,
    /** Where the event's name is in the payload, as keys joined by dots. */
    field: z.string().min(1).max(200),
    equals: z.string().max(200),
    says: saysSchema.optional(),
    reason: reasonCodeSchema.optional(),
    ended: z.boolean().default(false),
    ignore: z.boolean().default(false),
    session: z.string().max(200).optional(),
  })
  .refine(
    (event) => event.ignore || event.ended || event.says,
    'needs `says`, `ended` or `ignore`',
  );
export type EventFile = z.infer<typeof eventFileSchema>;

const capabilitiesFileSchema = z.strictObject({
  event_driven: z.boolean(),
  polling_required: z.boolean(),
  supports_waiting_approval: z.boolean(),
  supports_waiting_input: z.boolean(),
  supports_completed: z.boolean(),
});

const screenOnly = {
  event_driven: false,
  polling_required: true,
  supports_waiting_approval: true,
  supports_waiting_input: true,
  supports_completed: false,
};

/** A text that the agent's input box does not take as a prompt. */
const trapFileSchema = z.strictObject({
  match: pattern,
  /** `blank`: one blank at its end makes it a prompt. `refuse`: it is not sent. */
  cure: z.enum(['blank', 'refuse']),
  why: z.string().min(10).max(200),
});

const keysSchema = z
  .array(z.string().regex(/^[A-Za-z-]{1,12}$/))
  .min(1)
  .max(4);

/** An option that takes a text: the keys that open its field, where being marked does not. */
const fieldFileSchema = z.strictObject({ open: keysSchema.optional() });

/** A question that takes several options. */
const severalFileSchema = z.strictObject({
  /** Switches the marked option. */
  toggle: keysSchema,
  /** Pressed after the last option; on the option that submits, where there is one. */
  submit: keysSchema,
  submit_option: pattern.optional(),
  /** A row that shows that the list goes on above or below. */
  scrolled: pattern.optional(),
  /** A row of the page that shows the answers again, and the keys that accept it. */
  review: pattern.optional(),
  confirm: keysSchema.default(['Enter']),
});

/** How this agent is typed to. Everything here was seen on the real program. */
const actingFileSchema = z.strictObject({
  /** Keys that stop a turn, one after the other, by the names that tmux has for them. */
  interrupt: z
    .array(z.string().regex(/^[A-Za-z-]{1,12}$/))
    .min(1)
    .max(4),
  /** How long a paste or a move of a mark takes to settle: an Enter before that is lost. */
  settle_ms: z.number().int().min(0).max(2_000).default(100),
  /** More bytes do not arrive as they are. */
  text_bytes_max: z.number().int().min(1_000).max(10_000_000).default(1_000_000),
  /** What stands in the box for a long paste; a group `lines` or `chars` has its size. */
  paste_mark: pattern.optional(),
  /** The labels that allow once, allow for longer, refuse, and take a text. */
  approve: pattern.optional(),
  always: pattern.optional(),
  deny: pattern.optional(),
  /** Keys that refuse, where the option that does so asks for a text first. */
  deny_keys: keysSchema.optional(),
  own_answer: pattern.optional(),
  /** How the option that refuses takes a reason, and the own answer its text. */
  reason_field: fieldFileSchema.optional(),
  /** The first row of the page that asks for a reason, once the option that refuses was chosen. */
  reason_page: pattern.optional(),
  answer_field: fieldFileSchema.optional(),
  several: severalFileSchema.optional(),
  /** The first row of the input box where its text is no prompt: a shell, a note, a search. */
  other_mode: pattern.optional(),
  traps: z.array(trapFileSchema).max(LIST_MAX).default([]),
  /** Keys that end the agent or change what it may do: only `force` presses them. */
  key_traps: z
    .array(
      z.strictObject({
        keys: keysSchema,
        /** So often in one list of keys; once is enough where it is absent. */
        times: z.number().int().min(1).max(4).default(1),
        why: z.string().min(10).max(200),
      }),
    )
    .max(LIST_MAX)
    .default([]),
});

/** How the agent is started again with an earlier session of its own. */
const resumeFileSchema = z.strictObject({
  /** The program as it is found on PATH. */
  program: z.string().regex(/^[A-Za-z0-9_.][A-Za-z0-9_.-]{0,59}$/),
  /** Its arguments; `{id}` stands for the id of the session. Others go before them. */
  args: z
    .array(z.string().min(1).max(100))
    .min(1)
    .max(8)
    .refine((args) => args.some((each) => each.includes('{id}')), 'needs `{id}`'),
  /** The whole of an id of a session. */
  id: pattern,
});

export const agentFileSchema = z.strictObject({
  name,
  title: z.string().max(100).optional(),
  contract_version: z.string().max(20),
  identify: identifyFileSchema.default(() => identifyFileSchema.parse({})),
  capabilities: capabilitiesFileSchema.default(screenOnly),
  sources: z.array(sourceFileSchema).max(LIST_MAX).default([]),
  events: z.array(eventFileSchema).max(500).default([]),
  options: z.array(optionFileSchema).max(8).default([]),
  regions: z.record(name, regionFileSchema).default({}),
  marks: z.record(name, z.strictObject(groupShape)).default({}),
  extracts: z.record(name, extractFileSchema).default({}),
  input: z
    .strictObject({
      region: name,
      prompt: pattern,
      placeholder: pattern.optional(),
      mark: name.optional(),
    })
    .optional(),
  acting: actingFileSchema.optional(),
  resume: resumeFileSchema.optional(),
  rules: z.array(ruleFileSchema).max(500).default([]),
});
export type AgentFile = z.infer<typeof agentFileSchema>;
