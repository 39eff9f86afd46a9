// The codes of pairing links: each lets one browser in, once, and soon. They are kept in memory as
// hashes alone, so a restart of the daemon ends them all.

import { createHash, randomBytes } from 'node:crypto';
import type { PairingOffer } from '../../../operations/ports/web-port.ts';

export const CODE_MS: number = 10 * 60_000;
/** Who needs more at a time makes them by a program; the oldest go. */
const CODES_MAX = 64;
/** 160 bits: nobody guesses one, and the QR code stays small. */
const CODE_BYTES = 20;
const CODE_LENGTH_MAX = 64;

interface OpenCode extends PairingOffer {
  readonly expiresAtMs: number;
}

export class PairingCodes {
  readonly #nowMs: () => number;
  /** By hash. A lookup by the hash of what came says nothing about the code. */
  readonly #open = new Map<string, OpenCode>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  create(offer: PairingOffer): { readonly code: string; readonly expiresAtMs: number } {
    const code = randomBytes(CODE_BYTES).toString('base64url');
    const expiresAtMs = this.#nowMs() + CODE_MS;
    this.#open.set(hashOf(code), { ...offer, expiresAtMs });
    const [oldest] = this.#open.keys();
    if (this.#open.size > CODES_MAX && oldest !== undefined) this.#open.delete(oldest);
    return { code, expiresAtMs };
  }

  /** What the code offers; null where it is none, was used or is too old. It works once. */
  take(code: string): PairingOffer | null {
    if (code.length > CODE_LENGTH_MAX) return null;
    const hash = hashOf(code);
    const found = this.#open.get(hash);
    this.#open.delete(hash);
    return found && this.#nowMs() < found.expiresAtMs ? found : null;
  }
}

const hashOf = (code: string): string => createHash('sha256').update(code).digest('hex');
