// Reads the newest entries of a conversation, or all of it, page by page, in their order.

import type { DaemonClient } from '../../client/client.ts';
import type { ConversationPage } from '../../schema/api/conversation.ts';

const PAGE = 500;
const TIMEOUT_MS = 30_000;

export type LogPage = Pick<ConversationPage, 'conversation' | 'entries'>;

export interface ReadLogOptions {
  readonly ref: string;
  /** Null: everything. */
  readonly last: number | null;
  /** False: nothing more is wanted. */
  readonly print: (page: LogPage) => Promise<boolean>;
}

/** Returns the cursor after the last one that was read. */
export async function readLast(
  client: DaemonClient,
  { ref, last, print }: ReadLogOptions,
): Promise<string> {
  const first = last === null ? null : await newest(client, ref, last);
  let after = first?.after;
  for (const page of first?.pages ?? []) if (!(await print(page))) return page.after;
  for (;;) {
    const from = after === undefined ? { from_start: true } : { after };
    const page = await read(client, { ref, ...from, limit: PAGE });
    after = page.after;
    if (!(await print(page)) || !page.has_more) return after;
  }
}

/** Pages back until there are enough entries. */
async function newest(client: DaemonClient, ref: string, last: number) {
  const pages: ConversationPage[] = [];
  let left = last;
  let before: string | undefined;
  let after: string | undefined;
  do {
    const limit = Math.max(1, Math.min(PAGE, left));
    const page = await read(client, { ref, limit, ...(before === undefined ? {} : { before }) });
    after ??= page.after;
    if (left > 0) pages.unshift(page);
    left -= page.entries.length;
    before = page.before ?? undefined;
  } while (left > 0 && before !== undefined);
  return { pages, after };
}

export const read = (
  client: DaemonClient,
  input: Parameters<typeof client.call<'read_conversation'>>[1],
): Promise<ConversationPage> => client.call('read_conversation', input, { timeoutMs: TIMEOUT_MS });
