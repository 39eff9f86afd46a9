// Replies to messages that came through a spool: where no command reaches the daemon, an agent runs
// the emitter of its hooks instead. Who replies is read off the processes above the emitter.

import { senderPids } from '../../agents/signals/lineage.ts';
import type { TargetId } from '../../schema/ids.ts';
import type { SpoolEvent } from './spool-file.ts';

/** What an agent passes to the emitter as `--source`; `--event` is the id of the message. */
export const REPLY_SOURCE = 'agtmux-reply';

export interface SpoolReply {
  readonly targetId: TargetId;
  /** The same event may come again; it is one reply. */
  readonly eventId: string;
  readonly messageId: string;
  readonly text: string;
  /** The processes that may have written it, nearest first. */
  readonly pids: readonly number[];
}

export function repliesIn(
  events: readonly SpoolEvent[],
  targetId: TargetId,
): { readonly replies: readonly SpoolReply[]; readonly others: readonly SpoolEvent[] } {
  const replies = events
    .filter(({ source }) => source === REPLY_SOURCE)
    .map(({ event_id: eventId, type: messageId, payload, env }) => ({
      ...{ targetId, eventId, messageId },
      // A text that is JSON was parsed.
      text: typeof payload === 'string' ? payload : JSON.stringify(payload ?? ''),
      pids: senderPids(env?.['AGTMUX_LINEAGE']) ?? [],
    }));
  return { replies, others: events.filter(({ source }) => source !== REPLY_SOURCE) };
}
