// The browsers that want to be notified, and the key that we push with: one file, because a
// subscription is of no use with another key. Where a message goes is for the channel.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../../platform/fault.ts';
import {
  PUSH_SUBSCRIPTIONS_MAX,
  type StoredPush,
  storedPushSchema,
} from '../../schema/notify/push-schemas.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import { arePushKeys } from './push-encryption.ts';
import { type IdentityKeys, newIdentityKeys } from './push-identity.ts';

export type PushSubscription = Readonly<StoredPush['subscriptions'][number]>;

/** What came of the last message to it, in this life of the daemon. */
export interface LastPush {
  readonly atMs: number;
  readonly problem: string | null;
}

export interface PushSubscriptionsOptions {
  readonly file: string;
  readonly nowMs: () => number;
}

export class PushSubscriptions {
  readonly #options: PushSubscriptionsOptions;
  readonly #last = new Map<string, LastPush>();
  #isTokenCurrent: (tokenId: string) => boolean = () => true;
  #stored: StoredPush | null;

  constructor(options: PushSubscriptionsOptions) {
    this.#options = options;
    this.#stored = read(options.file);
  }

  /** From now on a subscription counts only while the token of its browser lets somebody in. */
  followTokens(isCurrent: (tokenId: string) => boolean): void {
    this.#isTokenCurrent = isCurrent;
  }

  /** Made when it is first asked for. Throws a Fault where it cannot be stored. */
  get keys(): IdentityKeys {
    return this.#content().keys;
  }

  /** Those of tokens that were revoked, or were not used for too long, are gone. */
  get all(): readonly PushSubscription[] {
    const known = this.#stored?.subscriptions ?? [];
    const current = known.filter(
      ({ tokenId }) => tokenId === null || this.#isTokenCurrent(tokenId),
    );
    if (current.length < known.length) this.#keep(current);
    return current;
  }

  lastOf(subscriptionId: string): LastPush | null {
    return this.#last.get(subscriptionId) ?? null;
  }

  /** The same browser again takes the place of what was known of it. */
  add(given: Omit<PushSubscription, 'id' | 'createdAtMs'>): Outcome<PushSubscription> {
    const { endpoint, keys } = given;
    const url = URL.parse(endpoint);
    if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') {
      return refuse('E_INPUT_INVALID', 'the endpoint of a subscription begins with https://');
    }
    if (!arePushKeys(keys)) {
      return refuse('E_INPUT_INVALID', 'these are not the keys of a subscription');
    }
    const subscriptionId = subscriptionIdOf(endpoint);
    const others = this.all.filter(({ id }) => id !== subscriptionId);
    if (others.length >= PUSH_SUBSCRIPTIONS_MAX) {
      const what = `${PUSH_SUBSCRIPTIONS_MAX} browsers are notified already`;
      return refuse('E_PRECONDITION_FAILED', `${what}; switch one of them off`);
    }
    const createdAtMs = this.#options.nowMs();
    const added: PushSubscription = { ...given, id: subscriptionId, createdAtMs };
    this.#write({ keys: this.keys, subscriptions: [...others, added] });
    this.#last.delete(subscriptionId);
    return ok(added);
  }

  /** False where there is none. Throws a Fault where that cannot be stored. */
  remove(subscriptionId: string): boolean {
    const known = this.all;
    const left = known.filter(({ id }) => id !== subscriptionId);
    if (left.length === known.length) return false;
    this.#write({ keys: this.keys, subscriptions: left });
    this.#last.delete(subscriptionId);
    return true;
  }

  /** The token was revoked, or has another secret now. */
  removeToken(tokenId: string): void {
    const known = this.#stored?.subscriptions ?? [];
    const left = known.filter((each) => each.tokenId !== tokenId);
    if (left.length < known.length) this.#keep(left);
  }

  /** The push service says that the browser is gone. */
  gone(subscriptionId: string): void {
    this.#keep(this.all.filter(({ id }) => id !== subscriptionId));
    this.#last.delete(subscriptionId);
  }

  pushed(subscriptionId: string, problem: string | null): void {
    this.#last.set(subscriptionId, { atMs: this.#options.nowMs(), problem });
  }

  /** What cannot be written now counts all the same, for this life of the daemon. */
  #keep(left: readonly PushSubscription[]): void {
    const stored = { keys: this.keys, subscriptions: [...left] };
    try {
      this.#write(stored);
    } catch {
      this.#stored = stored;
    }
  }

  #content(): StoredPush {
    if (this.#stored === null) this.#write({ keys: newIdentityKeys(), subscriptions: [] });
    if (this.#stored === null) throw new Error('nothing was written');
    return this.#stored;
  }

  /** Throws a Fault; then nothing has changed. */
  #write(stored: StoredPush): void {
    const { file } = this.#options;
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      const draft = `${file}.new`;
      writeFileSync(draft, `${JSON.stringify(stored)}\n`, { mode: 0o600, flush: true });
      renameSync(draft, file);
    } catch (cause) {
      const detail = cause instanceof Error ? cause.message : String(cause);
      throw new Fault('store_unwritable', { about: file, detail, cause });
    }
    this.#stored = stored;
  }
}

/** A browser can name it without telling its endpoint. */
const subscriptionIdOf = (endpoint: string): string =>
  createHash('sha256').update(endpoint).digest('hex').slice(0, 16);

/** A file that cannot be read is as none: browsers subscribe again, to a new key. */
function read(file: string): StoredPush | null {
  try {
    return storedPushSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
}
