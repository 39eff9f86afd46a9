// The web service: opened for as long as its caller stays connected, and the tokens that let others
// in. Tokens are kept as hashes, so each is shown once.

import { z } from 'zod';
import { publicUrlSchema } from '../shapes.ts';

/** Long enough for a token of ours; a shorter text can be guessed. */
const TOKEN_LENGTH_MIN = 8;
const TOKEN_LENGTH_MAX = 256;

export const webScopes = ['read', 'control'] as const;
export type WebScope = (typeof webScopes)[number];

/** `program`: shown when it was made. `browser`: came by a pairing link, and is its cookie. */
export const webTokenKinds = ['program', 'browser'] as const;
export type WebTokenKind = (typeof webTokenKinds)[number];

const tokenId = z.string().regex(/^[a-z0-9]{1,16}$/, 'is not the id of a token');

export const openWebInputSchema = z.strictObject({
  host: z.string().min(1).max(255).default('127.0.0.1'),
  /** 0: any free port. */
  port: z.number().int().min(0).max(65_535).default(8_080),
  /** Only agents in this folder or below it; empty: all. An absolute path. */
  work_dir: z.string().max(4_096).default(''),
  /** Patterns of `host` or `host:port`, in which `*` stands for any text. */
  allowed_origins: z.array(z.string().min(1).max(255)).max(64).default(['localhost:*']),
  /** A token of the caller's own; absent: one is made. */
  auth_token: z.string().min(TOKEN_LENGTH_MIN).max(TOKEN_LENGTH_MAX).optional(),
  /** Lets everybody in who reaches the port; only on loopback. */
  no_auth: z.boolean().default(false),
  /** Serves the files of this folder at `/`, for development. An absolute path. */
  debug_serve_dir: z.string().max(4_096).optional(),
  /** Where people reach it, if not where it listens: `https://agents.example.com`. */
  public_url: publicUrlSchema.default(''),
  /** Files in PEM format, absolute paths: it speaks TLS. Both or none. */
  tls_cert: z.string().max(4_096).default(''),
  tls_key: z.string().max(4_096).default(''),
});
export type OpenWebInput = z.output<typeof openWebInputSchema>;

/** A link that lets one browser in, once. */
export const pairingSchema = z.object({
  link: z.string(),
  scope: z.enum(webScopes),
  expires_at: z.iso.datetime(),
});
export type Pairing = z.infer<typeof pairingSchema>;

export const openedWebSchema = z.object({
  /** Where it listens: `http://127.0.0.1:8080`. */
  url: z.string(),
  /** The token that was made, shown this once; null where the caller has one, or none is needed. */
  token: z.string().nullable(),
  /** What lets one browser in; null where nobody needs that. */
  pairing: pairingSchema.nullable(),
});
export type OpenedWeb = z.infer<typeof openedWebSchema>;

export const webTokenSchema = z.object({
  id: z.string(),
  name: z.string(),
  scope: z.enum(webScopes),
  kind: z.enum(webTokenKinds),
  created_at: z.iso.datetime(),
  /** To the hour; null for one that was never used. */
  used_at: z.iso.datetime().nullable(),
});
export type WebToken = z.infer<typeof webTokenSchema>;

/** A token that was just made: the one time that it is shown. */
export const newWebTokenSchema = webTokenSchema.extend({ token: z.string() });
export type NewWebToken = z.infer<typeof newWebTokenSchema>;

export const webSchemas = {
  open_web: { input: openWebInputSchema, output: openedWebSchema },
  pair_web: {
    input: z.strictObject({
      scope: z.enum(webScopes).default('control'),
      /** What the browser is called in the list of tokens; absent: what it says of itself. */
      name: z.string().min(1).max(64).optional(),
    }),
    output: pairingSchema,
  },
  list_web_tokens: {
    input: z.strictObject({}),
    output: z.object({ tokens: z.array(webTokenSchema) }),
  },
  create_web_token: {
    input: z.strictObject({
      name: z.string().min(1).max(64),
      scope: z.enum(webScopes).default('control'),
    }),
    output: newWebTokenSchema,
  },
  /** The old token is refused from then on, and its connections are closed. */
  rotate_web_token: { input: z.strictObject({ id: tokenId }), output: newWebTokenSchema },
  revoke_web_token: { input: z.strictObject({ id: tokenId }), output: webTokenSchema },
} as const;
