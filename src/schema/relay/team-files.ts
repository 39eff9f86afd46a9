// The four files that declare teams, as they are written: `coders.toml`, `bundles/<name>.toml`,
// `policies.toml`, `tui.toml`. Keys are those of agentmux 0.2, so that its files load; what agtmux
// adds is optional. Unknown keys are refused. What the files say together is relay/config.

import { z } from 'zod';

const TEXT_MAX = 4_096;
const LIST_MAX = 256;

/** Ids and labels are trimmed, so that a blank never tells two apart. */
const word = z.string().trim().min(1, 'is empty').max(TEXT_MAX);
const label = z.string().trim().min(1, 'is empty').max(120);
const optionalId = z.string().trim().min(1, 'is empty').max(64);
const formatVersion = z.literal(1, 'only format-version = 1 is known');

/** Also the name of a tmux session: neither `.` nor `:`, which tmux would rewrite. */
const memberId = z
  .string()
  .trim()
  .regex(/^[A-Za-z][A-Za-z0-9_-]*$/, 'is no id: a letter, then letters, digits, "_" or "-"')
  .max(31, 'is longer than 31 characters');

const environmentSchema = z.strictObject({ name: word, value: word });

const tmuxCoderSchema = z.strictObject({
  'initial-command': word,
  'resume-command': word,
  'prompt-regex': z.string().min(1, 'is empty').max(TEXT_MAX).optional(),
  'prompt-inspect-lines': z.int().positive().optional(),
  'prompt-idle-column': z.int().nonnegative().optional(),
});

const turnTimeout = z.int().positive().max(86_400_000).optional();
const environment = z.array(environmentSchema).max(LIST_MAX).optional();

const acpCoderSchema = z.discriminatedUnion(
  'channel',
  [
    z.strictObject({
      channel: z.literal('stdio'),
      command: word,
      'turn-timeout-ms': turnTimeout,
      environment,
    }),
    z.strictObject({
      channel: z.literal('http'),
      url: word,
      headers: z.array(environmentSchema).max(LIST_MAX).optional(),
      'turn-timeout-ms': turnTimeout,
      environment,
    }),
  ],
  { error: 'is neither "stdio" nor "http"' },
);
export type AcpCoderTable = z.infer<typeof acpCoderSchema>;

export const codersFileSchema = z.strictObject({
  'format-version': formatVersion,
  coders: z
    .array(
      z.strictObject({
        id: optionalId,
        tmux: tmuxCoderSchema.optional(),
        acp: acpCoderSchema.optional(),
      }),
    )
    .min(1, 'declares no coder')
    .max(LIST_MAX),
});
export type CodersFile = z.infer<typeof codersFileSchema>;

/** When agtmux starts a member again whose program has ended. */
export const restartWhen = ['never', 'on-failure', 'always'] as const;

const restartSchema = z.strictObject({
  when: z.enum(restartWhen),
  /** In a row; a member that stays up for ten minutes begins anew. */
  attempts: z.int().min(1).max(100).default(5),
  /** Before the first restart. It doubles with each one in a row. */
  'backoff-ms': z.int().min(100).max(600_000).default(1_000),
});

export const bundleFileSchema = z.strictObject({
  'format-version': formatVersion,
  autostart: z.boolean().default(false),
  groups: z.array(word).max(LIST_MAX).default([]),
  /** A machine of `agtmux target list`. */
  target: word.default('local'),
  /** `private`: a tmux server of the bundle. `user`: the usual one of that machine. Or a path. */
  server: z
    .string()
    .regex(/^(?:private|user|\/[^\0\n]+)$/, 'is none of "private", "user" and the path of a socket')
    .default('private'),
  restart: restartSchema.optional(),
  sessions: z
    .array(
      z.strictObject({
        id: memberId,
        name: label.optional(),
        directory: word,
        coder: optionalId,
        'coder-session-id': word.optional(),
        policy: optionalId.optional(),
      }),
    )
    .max(LIST_MAX)
    .default([]),
});
export type BundleFile = z.infer<typeof bundleFileSchema>;

/** How far a capability reaches, from nobody to every bundle. */
export const scopes = ['none', 'self', 'all:home', 'all:all'] as const;
export type PolicyScope = (typeof scopes)[number];

const anyScope = z.enum(scopes, { error: `is none of the scopes ${scopes.join(', ')}` });
const homeScope = z.enum(scopes.slice(0, 3) as ['none', 'self', 'all:home'], {
  error: 'is none of the scopes none, self, all:home',
});

const controlsSchema = z.strictObject({
  find: anyScope,
  list: anyScope,
  look: anyScope,
  send: anyScope,
  /** Keys as they are. Nobody may who was not given it. */
  raww: homeScope.default('none'),
  do: z.record(word, anyScope).default({}),
  /** Where they are not set, `agents_may_answer` of config.toml decides. */
  approve: homeScope.optional(),
  spawn: homeScope.optional(),
});

export const policiesFileSchema = z.strictObject({
  'format-version': formatVersion,
  default: optionalId.optional(),
  policies: z
    .array(
      z.strictObject({
        id: optionalId,
        description: z.string().max(TEXT_MAX).optional(),
        controls: controlsSchema,
      }),
    )
    .max(LIST_MAX)
    .default([]),
});
export type PoliciesFile = z.infer<typeof policiesFileSchema>;

export const operatorsFileSchema = z.strictObject({
  'default-bundle': optionalId.optional(),
  'default-session': optionalId.optional(),
  sessions: z
    .array(z.strictObject({ id: memberId, name: label.optional(), policy: optionalId }))
    .max(LIST_MAX)
    .default([]),
});
export type OperatorsFile = z.infer<typeof operatorsFileSchema>;
