// A thread of Codex as its app server describes it, and what can be read from a thread's id and a
// pane's title. Ids are UUIDs of version 7: their first 48 bits are the time of birth.

import { parseCodexTitle } from '../../agents/codex/title.ts';
import {
  type Fields,
  fieldsAt,
  flagAt,
  idAt,
  textAt,
  valueAt,
} from '../../agents/signals/fields.ts';

export interface CodexThread {
  readonly id: string;
  /** Null where the id is not of version 7. */
  readonly bornAtMs: number | null;
  readonly cwd: string | null;
  readonly name: string | null;
  /** Where its rollout is or will be. */
  readonly path: string | null;
  /** A person's own thread: not a hidden one that makes up titles, nor one of a subagent. */
  readonly isMain: boolean;
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;
const wholeUuid = new RegExp(`^${uuid.source}$`);
const rolloutName = new RegExp(`/rollout-[^/]*-(${uuid.source})\\.jsonl$`);
/** A title shows this many characters of an id; they are still unique. */
const CUT_ID_LENGTH = 29;

export const isThreadId = (text: string): boolean => wholeUuid.test(text);

export const threadOfRollout = (path: string): string | null => rolloutName.exec(path)?.[1] ?? null;

export function bornAtMs(threadId: string): number | null {
  const isVersion7 = isThreadId(threadId) && threadId[14] === '7';
  return isVersion7 ? Number.parseInt(threadId.replaceAll('-', '').slice(0, 12), 16) : null;
}

/** A thread as thread/read and thread/started give it; null where it has no id of a thread. */
export function threadOf(fields: Fields): CodexThread | null {
  const id = idAt(fields, 'id');
  if (id === undefined || !isThreadId(id)) return null;
  const isSubagent =
    idAt(fields, 'parentThreadId') !== undefined || fieldsAt(fields, 'source') !== undefined;
  const purpose = textAt(fields, 'threadSource') ?? 'user';
  const path = textAt(fields, 'path') ?? '';
  return {
    id,
    bornAtMs: bornAtMs(id),
    cwd: textAt(fields, 'cwd') ?? null,
    name: textAt(fields, 'name') ?? null,
    path: threadOfRollout(path) === id ? path : null,
    isMain: !flagAt(fields, 'ephemeral') && !isSubagent && purpose === 'user',
  };
}

/** Whether the first line of a rollout says that a person works with the thread. */
export function isMainRollout(meta: Fields): boolean {
  const purpose = textAt(meta, 'payload.thread_source') ?? 'user';
  const source = valueAt(meta, 'payload.source');
  return purpose === 'user' && (source === undefined || typeof source === 'string');
}

/** Whether a pane's title is that of the thread: by its id where that is shown, or by its name. */
export function isTitleOf(paneTitle: string, { id, name }: CodexThread): boolean {
  const parts = parseCodexTitle(paneTitle.trim());
  const title = parts.title ?? paneTitle.trim();
  if (title.includes(id.slice(0, CUT_ID_LENGTH))) return true;
  // A name alone may be the project's, which is all that a title shows of a thread without a name.
  return name !== null && title.startsWith(`${name} | `);
}
