// The read-only shares: their codes as hashes in one file, and the screens of the last second, so
// that many viewers cost as much as one.

import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Share, SharesPort, ShareView } from '../../operations/ports/shares-port.ts';
import { Fault } from '../../platform/fault.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import { SHARES_MAX, type StoredShare, storedSharesSchema } from '../../schema/web/share.ts';

/** 160 bits: nobody guesses one. */
const CODE_BYTES = 20;
const CODE_LENGTH_MAX = 64;
/** How long a screen serves everybody who asks. */
const VIEW_MS = 1_000;
/** A reading that takes longer is given up. */
const READ_MS = 8_000;

/** How exactly the last look is known after a restart: each time is a write. */
const VIEWED_EVERY_MS = 600_000;

interface Viewing {
  readonly atMs: number;
  readonly view: Promise<Outcome<ShareView>>;
}

export interface SharesOptions {
  readonly file: string;
  readonly nowMs: () => number;
  readonly linkBase: () => string | null;
}

export class Shares implements SharesPort {
  readonly #options: SharesOptions;
  readonly #viewings = new Map<string, Viewing>();
  readonly #viewedAtMs = new Map<string, number>();
  #stored: readonly StoredShare[];

  constructor(options: SharesOptions) {
    this.#options = options;
    this.#stored = read(options.file);
  }

  linkBase = (): string | null => this.#options.linkBase();

  /** Throws a Fault where it cannot be written; then nothing has changed. */
  create: SharesPort['create'] = (given) => {
    const current = this.#current();
    if (current.length >= SHARES_MAX) {
      const what = `there are ${SHARES_MAX} shares already`;
      return refuse('E_PRECONDITION_FAILED', `${what}; end one with agtmux share revoke`);
    }
    const code = randomBytes(CODE_BYTES).toString('base64url');
    const share: StoredShare = {
      ...given,
      ...{ id: randomBytes(4).toString('hex'), sha256: hashOf(code) },
      ...{ createdAtMs: this.#options.nowMs(), viewedAtMs: null },
    };
    this.#write([...current, share]);
    return ok({ share: this.#shown(share), code });
  };

  /** A lookup by the hash of what came says nothing about the code. */
  find: SharesPort['find'] = (code) => {
    if (code.length > CODE_LENGTH_MAX) return null;
    const hash = hashOf(code);
    const found = this.#current().find(({ sha256 }) => sha256 === hash);
    return found ? this.#shown(found) : null;
  };

  list: SharesPort['list'] = () => this.#current().map((each) => this.#shown(each));

  revoke: SharesPort['revoke'] = (shareId) => {
    const left = this.#stored.filter(({ id }) => id !== shareId);
    if (left.length === this.#stored.length) return false;
    this.#write(left);
    this.#forget(shareId);
    return true;
  };

  /** Who made them is refused from now on. */
  removeToken(tokenId: string): void {
    const ended = this.#stored.filter((each) => each.tokenId === tokenId);
    if (ended.length === 0) return;
    const left = this.#stored.filter((each) => each.tokenId !== tokenId);
    for (const { id } of ended) this.#forget(id);
    try {
      this.#write(left);
    } catch {
      // It counts all the same, for this life of the daemon.
      this.#stored = left;
    }
  }

  view: SharesPort['view'] = ({ id }, reading) => {
    const nowMs = this.#options.nowMs();
    this.#viewed(id, nowMs);
    const before = this.#viewings.get(id);
    if (before && Math.abs(nowMs - before.atMs) < VIEW_MS) return before.view;
    // Of no viewer's own: it goes on when the one who came first leaves.
    const view = reading(AbortSignal.timeout(READ_MS));
    const viewing = { atMs: nowMs, view };
    this.#viewings.set(id, viewing);
    const fail = (): void => {
      if (this.#viewings.get(id) === viewing) this.#viewings.delete(id);
    };
    view.catch(fail);
    return view;
  };

  /** A look that cannot be stored is one all the same. */
  #viewed(shareId: string, viewedAtMs: number): void {
    this.#viewedAtMs.set(shareId, viewedAtMs);
    const isDue = ({ id, viewedAtMs: lastMs }: StoredShare): boolean =>
      id === shareId && (lastMs === null || viewedAtMs - lastMs >= VIEWED_EVERY_MS);
    if (!this.#stored.some(isDue)) return;
    try {
      this.#write(this.#stored.map((each) => (isDue(each) ? { ...each, viewedAtMs } : each)));
    } catch {
      // The next look tries again.
    }
  }

  #current(): readonly StoredShare[] {
    const nowMs = this.#options.nowMs();
    const current = this.#stored.filter(({ expiresAtMs }) => nowMs < expiresAtMs);
    for (const each of this.#stored) if (!current.includes(each)) this.#forget(each.id);
    return current;
  }

  #forget(shareId: string): void {
    this.#viewings.delete(shareId);
    this.#viewedAtMs.delete(shareId);
  }

  #shown({ sha256: _, ...share }: StoredShare): Share {
    return { ...share, viewedAtMs: this.#viewedAtMs.get(share.id) ?? share.viewedAtMs };
  }

  #write(stored: readonly StoredShare[]): void {
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

const hashOf = (code: string): string => createHash('sha256').update(code).digest('hex');

/** A file that cannot be read shows nobody anything. */
function read(file: string): readonly StoredShare[] {
  try {
    return storedSharesSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return [];
  }
}
