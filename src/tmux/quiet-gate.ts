// When a control client may be attached to a server that could die of it: only while nothing
// happens there that tmux would notify a half-attached client of. What happens is known
// from listings by plain commands, and from the notifications of a client that is attached already.
// There is no longest wait. Pure: times come in as arguments.

import type { Reply } from '../tmux-wire/control-parser.ts';
import type { Notification } from '../tmux-wire/notification.ts';

/** A server that shows no change at all is observed for this long. */
const FIRST_MS = 500;
/** After changes in a row, as by a script that makes sessions. */
const AFTER_BURST_MS = 600;
/** Changes that are closer than this are one burst. */
const BURST_GAP_MS = 300;
/** On a busy machine an attach takes longer, about as long as a listing: so many times of it. */
const LISTING_FACTOR = 6;
/** A listing that took longer had other reasons. */
const LISTING_MS_MAX = 500;
/** Where changes keep coming. */
const AFTER_CHURN_MS = 3_000;
/** An earlier burst counts for this long. */
const MEMORY_MS = 10_000;
/** The first version in which the fault was looked for and is gone. */
const SAFE_MIN: readonly [number, number] = [3, 8];

/** What tmux sends to clients without a session too; a half-attached one gets nothing else. */
const dangerous: ReadonlySet<Notification['kind']> = new Set([
  'client-detached',
  'pane-mode-changed',
  'paste-buffer-changed',
  'paste-buffer-deleted',
  'session-renamed',
  'session-window-changed',
  'sessions-changed',
  'window-pane-changed',
]);

const PANE_FORMAT = [
  '#{session_id} #{window_id} #{window_active}',
  '#{pane_id} #{pane_active} #{pane_in_mode} #{session_name}',
].join(' ');

/**
 * Whether the server may die while a control client attaches: of a notification for a client that
 * has announced control mode and not finished its greeting (tmux pull request 4980, from 2026).
 * tmux 3.3a does under load; 3.5a was reported to. A version that is not known counts as one.
 */
export function hasAttachFault(version: string): boolean {
  const [, major, minor] = /^(?:next-)?(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined || minor === undefined) return true;
  const [safeMajor, safeMinor] = SAFE_MIN;
  return Number(major) < safeMajor || (Number(major) === safeMajor && Number(minor) < safeMinor);
}

/** Reads what such notifications are about. Sessions that come and go are counted. */
export function changeCommands(): string[][] {
  return [
    ['display-message', '-p', '#{next_session_id}'],
    ['list-clients', '-F', '#{client_pid} #{session_id}'],
    ['list-panes', '-a', '-F', PANE_FORMAT],
  ];
}

export class QuietGate {
  /** Since when nothing was missed; null while nobody looks. */
  #observedSinceMs: number | null = null;
  #listing = '';
  /** How long the last listing took. */
  #listingMs = 0;
  #lastChangeMs = Number.NEGATIVE_INFINITY;
  #burstStartMs = Number.NEGATIVE_INFINITY;
  /** When the burst before the last one ended. */
  #earlierBurstMs = Number.NEGATIVE_INFINITY;

  /** The replies to changeCommands, and how long they took. */
  listed(replies: readonly Reply[], nowMs: number, tookMs: number): void {
    this.#listingMs = Math.min(LISTING_MS_MAX, Math.max(tookMs, this.#listingMs / 2));
    const listing = JSON.stringify(replies.map(({ lines }) => lines));
    if (this.#observedSinceMs === null) this.#observedSinceMs = nowMs;
    else if (listing !== this.#listing) this.#changed(nowMs);
    this.#listing = listing;
  }

  notified({ kind }: Pick<Notification, 'kind'>, nowMs: number): void {
    if (dangerous.has(kind)) this.#changed(nowMs);
  }

  /** The client that received notifications is gone. */
  lost(): void {
    this.#observedSinceMs = null;
  }

  /** How long the next client has to wait at least; 0 when it may attach. */
  waitMs(nowMs: number): number {
    const sinceMs = Math.max(this.#observedSinceMs ?? nowMs, this.#lastChangeMs);
    const neededMs = Math.max(this.#neededMs(nowMs), this.#listingMs * LISTING_FACTOR);
    return Math.max(0, neededMs - (nowMs - sinceMs));
  }

  #neededMs(nowMs: number): number {
    if (nowMs - this.#earlierBurstMs < MEMORY_MS) return AFTER_CHURN_MS;
    if (this.#lastChangeMs - this.#burstStartMs >= AFTER_CHURN_MS) return AFTER_CHURN_MS;
    return nowMs - this.#lastChangeMs < MEMORY_MS ? AFTER_BURST_MS : FIRST_MS;
  }

  #changed(nowMs: number): void {
    if (nowMs - this.#lastChangeMs >= BURST_GAP_MS) {
      this.#earlierBurstMs = this.#lastChangeMs;
      this.#burstStartMs = nowMs;
    }
    this.#lastChangeMs = nowMs;
  }
}
