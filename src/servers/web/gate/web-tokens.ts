// The tokens that let people into the web service, kept in one file as hashes: who reads the file
// gets in nowhere. Also the tokens of one life of a door, which no file holds.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { Fault } from '../../../platform/fault.ts';
import { type Outcome, ok, refuse } from '../../../schema/outcome.ts';
import {
  type NewWebToken,
  type WebScope,
  type WebToken,
  type WebTokenKind,
  webScopes,
  webTokenKinds,
} from '../../../schema/web/open-web.ts';

/** More than this nobody can tell apart. */
const TOKENS_MAX = 64;
/** A browser that was not used for so long has to be paired again. */
const BROWSER_UNUSED_MS = 30 * 86_400_000;
/** How exactly the last use is known after a restart: each time is a write. */
const WRITE_EVERY_MS = 600_000;
/** 192 bits: nobody guesses one. */
const SECRET_BYTES = 24;

/** Who holds a token: its id, and what it permits. */
export interface TokenHolder {
  readonly id: string;
  readonly scope: WebScope;
}

const storedSchema = z.array(
  z.object({
    id: z.string().regex(/^[a-z0-9]{1,16}$/),
    name: z.string().max(64),
    scope: z.enum(webScopes),
    createdAtMs: z.number(),
    kind: z.enum(webTokenKinds).default('program'),
    usedAtMs: z.number().nullable().default(null),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
  }),
);
type StoredToken = z.infer<typeof storedSchema>[number];

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

export const newSecret = (): string => `agw_${randomBytes(SECRET_BYTES).toString('base64url')}`;

/** Whether the secret has this hash. The time that it takes says nothing. */
const isSame = (secret: string, sha256: Buffer): boolean => timingSafeEqual(hashOf(secret), sha256);

/** One secret that is kept in memory alone, as its hash. */
export class SecretHash {
  readonly #sha256: Buffer;

  constructor(secret: string) {
    this.#sha256 = hashOf(secret);
  }

  matches(secret: string): boolean {
    return isSame(secret, this.#sha256);
  }
}

export class WebTokens {
  readonly #file: string;
  readonly #nowMs: () => number;
  readonly #listeners = new Set<(tokenId: string) => void>();
  /** The last uses, to the second, as long as the daemon runs. */
  readonly #usedAtMs = new Map<string, number>();
  #tokens: readonly StoredToken[];

  constructor(file: string, nowMs: () => number) {
    this.#file = file;
    this.#nowMs = nowMs;
    this.#tokens = read(file);
  }

  get all(): readonly WebToken[] {
    return this.#current().map((each) => shown({ ...each, usedAtMs: this.#lastUse(each) }));
  }

  /** Without browsers that were not used for too long. */
  #current(): readonly StoredToken[] {
    return this.#tokens.filter((each) => this.#isCurrent(each));
  }

  #isCurrent(token: StoredToken): boolean {
    const lastMs = this.#lastUse(token) ?? token.createdAtMs;
    return token.kind === 'program' || this.#nowMs() - lastMs < BROWSER_UNUSED_MS;
  }

  #lastUse({ id, usedAtMs }: StoredToken): number | null {
    return this.#usedAtMs.get(id) ?? usedAtMs;
  }

  /** A browser leaves, or is paired anew. Tokens of programs stay. */
  endBrowser(tokenId: string): void {
    const found = this.#tokens.find(({ id }) => id === tokenId);
    if (found?.kind === 'browser') this.revoke(tokenId);
  }

  /** Calls it with the id of each token that is refused from then on; returns its removal. */
  onEnded(listener: (tokenId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Null for a secret of no token. All are compared, whichever fits. */
  holderOf(secret: string): TokenHolder | null {
    let found: StoredToken | null = null;
    for (const each of this.#tokens) {
      if (isSame(secret, Buffer.from(each.sha256, 'hex'))) found = each;
    }
    if (found === null || !this.#isCurrent(found)) return null;
    this.#used(found);
    return { id: found.id, scope: found.scope };
  }

  /** It was used over a connection that it had opened before. */
  markUsed(tokenId: string): void {
    const token = this.#tokens.find(({ id }) => id === tokenId);
    if (token) this.#used(token);
  }

  /** A time that cannot be stored keeps nobody out. */
  #used(token: StoredToken): void {
    const usedAtMs = this.#nowMs();
    this.#usedAtMs.set(token.id, usedAtMs);
    if (token.usedAtMs !== null && usedAtMs - token.usedAtMs < WRITE_EVERY_MS) return;
    const tokens = this.#tokens.map((each) => (each === token ? { ...each, usedAtMs } : each));
    try {
      this.#write(tokens);
    } catch {
      this.#tokens = tokens;
    }
  }

  /** Throws a Fault where it cannot be written; then nothing has changed. */
  create(name: string, scope: WebScope, kind: WebTokenKind = 'program'): Outcome<NewWebToken> {
    const current = this.#current();
    if (current.length >= TOKENS_MAX) {
      const what = `there are ${TOKENS_MAX} tokens and browsers already`;
      return refuse('E_INPUT_INVALID', `${what}; revoke one with agtmux web token revoke`);
    }
    const secret = newSecret();
    const token: StoredToken = {
      ...{ id: randomBytes(4).toString('hex'), name, scope, kind },
      ...{ createdAtMs: this.#nowMs(), usedAtMs: null, sha256: hexOf(secret) },
    };
    const gone = this.#tokens.filter((each) => !current.includes(each));
    this.#write([...current, token]);
    for (const { id } of gone) this.#end(id);
    return ok({ ...shown(token), token: secret });
  }

  rotate(tokenId: string): Outcome<NewWebToken> {
    const before = this.#tokens.find(({ id }) => id === tokenId);
    if (!before) return unknown(tokenId);
    const secret = newSecret();
    const token = { ...before, createdAtMs: this.#nowMs(), usedAtMs: null, sha256: hexOf(secret) };
    this.#write(this.#tokens.map((each) => (each === before ? token : each)));
    this.#end(tokenId);
    return ok({ ...shown(token), token: secret });
  }

  revoke(tokenId: string): Outcome<WebToken> {
    const token = this.#tokens.find(({ id }) => id === tokenId);
    if (!token) return unknown(tokenId);
    this.#write(this.#tokens.filter((each) => each !== token));
    this.#end(tokenId);
    return ok(shown(token));
  }

  #end(tokenId: string): void {
    this.#usedAtMs.delete(tokenId);
    for (const listener of this.#listeners) listener(tokenId);
  }

  #write(tokens: readonly StoredToken[]): void {
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      const draft = `${this.#file}.new`;
      writeFileSync(draft, `${JSON.stringify(tokens)}\n`, { mode: 0o600, flush: true });
      renameSync(draft, this.#file);
    } catch (cause) {
      const detail = cause instanceof Error ? cause.message : String(cause);
      throw new Fault('store_unwritable', { about: this.#file, detail, cause });
    }
    this.#tokens = tokens;
  }
}

const hexOf = (secret: string): string => hashOf(secret).toString('hex');

const unknown = (tokenId: string) => refuse('E_WEB_TOKEN_UNKNOWN', `no token ${tokenId}`);

const shown = ({ id, name, scope, kind, createdAtMs, usedAtMs }: StoredToken): WebToken => ({
  ...{ id, name, scope, kind },
  created_at: new Date(createdAtMs).toISOString(),
  used_at: usedAtMs === null ? null : new Date(usedAtMs).toISOString(),
});

/** A file that cannot be read lets nobody in. */
function read(file: string): readonly StoredToken[] {
  try {
    return storedSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return [];
  }
}
