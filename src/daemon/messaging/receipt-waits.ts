// Callers that wait until it is known what became of a message, or until one comes.

import { untilAborted } from '../../platform/until-aborted.ts';
import type { StoredMessage } from '../../schema/relay/message.ts';
import type { MessageTable } from '../../store/tables/messages.ts';

export class ReceiptWaits {
  readonly #table: Pick<MessageTable, 'find'>;
  readonly #listeners = new Set<() => void>();

  constructor(table: Pick<MessageTable, 'find'>) {
    this.#table = table;
  }

  /** A receipt has changed. */
  changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** The message once nothing of it is open, or the time is over. Rejects when it is given up. */
  async settled(
    stored: StoredMessage,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<StoredMessage> {
    const now = (): StoredMessage => this.#table.find(stored.messageId) ?? stored;
    const isOver = (): boolean => now().receipts.every(({ settledAtMs }) => settledAtMs !== null);
    await this.until(isOver, waitMs, signal);
    return now();
  }

  /** Returns once it holds after a change, or the time is over. Rejects when it is given up. */
  async until(isOver: () => boolean, waitMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const listener = (): void => {
      try {
        if (isOver()) resolve();
      } catch (error) {
        // The store fails: that is for the one who waits, not for the one who writes.
        reject(error);
      }
    };
    const timer = setTimeout(resolve, waitMs);
    this.#listeners.add(listener);
    try {
      listener();
      await untilAborted(promise, signal);
    } finally {
      clearTimeout(timer);
      this.#listeners.delete(listener);
    }
  }
}
