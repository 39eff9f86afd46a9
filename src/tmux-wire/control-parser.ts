// The stream of `tmux -C` as replies and notifications. No I/O: byte strings in, items out. Replies
// are matched by the time and number of their own guards, so that a line of a captured screen which
// looks like a guard stays a line of the reply.

import { type Notification, readNotification } from './notification.ts';

/** The answer to one command. `%error` is data: tmux refused, the connection is fine. */
export interface Reply {
  readonly kind: 'reply';
  readonly ok: boolean;
  readonly number: number;
  /** 1: to a command of this client. 0: to one that tmux ran by itself, such as a hook. */
  readonly flags: number;
  /** Byte strings; see bytes.ts. */
  readonly lines: readonly string[];
}

/** More was sent than any answer of ours needs; the connection cannot be trusted any more. */
export interface Overflow {
  readonly kind: 'overflow';
  readonly what: 'line' | 'reply';
}

/**
 * The end of a reply with no reply open: an earlier line was taken for the end, so what was read
 * since then cannot be trusted. A screen that guesses the guard of its own capture does that.
 */
export interface Desync {
  readonly kind: 'desync';
}

export type ControlItem = Reply | Notification | Overflow | Desync;

/** A capture of a wide pane with its attributes is some 100 kB; a listing of 1,000 panes 500 kB. */
const LINE_LENGTH_MAX = 4_000_000;
export const REPLY_LENGTH_MAX = 32_000_000;
/** What a line costs besides its own bytes: lines with nothing in them fill the memory as well. */
const LINE_COST = 16;

interface OpenReply {
  readonly time: string;
  readonly number: string;
  readonly flags: string;
  readonly lines: string[];
  length: number;
}

/** What a reply takes of the memory, about. */
export const replyLength = ({ lines }: Reply): number =>
  lines.reduce((length, line) => length + line.length + LINE_COST, 0);

const guard = /^%(begin|end|error) (\d+) (\d+) (\d+)$/;

export interface ControlParser {
  /** What the bytes so far have completed. Never throws. */
  feed(bytes: string): ControlItem[];
}

export function controlParser(): ControlParser {
  let rest = '';
  let open: OpenReply | null = null;

  const inReply = (reply: OpenReply, line: string): ControlItem | null => {
    const [, word, time, number, flags] = guard.exec(line) ?? [];
    const isSame = time === reply.time && number === reply.number && flags === reply.flags;
    if (word !== undefined && word !== 'begin' && isSame) {
      open = null;
      const { lines } = reply;
      return {
        kind: 'reply',
        ok: word === 'end',
        number: Number(number),
        flags: Number(flags),
        lines,
      };
    }
    reply.lines.push(line);
    reply.length += line.length + LINE_COST;
    if (reply.length <= REPLY_LENGTH_MAX) return null;
    open = null;
    return { kind: 'overflow', what: 'reply' };
  };

  const onLine = (line: string): ControlItem | null => {
    if (open) return inReply(open, line);
    const [, word, time = '', number = '', flags = ''] = guard.exec(line) ?? [];
    if (word === undefined) return readNotification(line);
    if (word !== 'begin') return { kind: 'desync' };
    open = { time, number, flags, lines: [], length: 0 };
    return null;
  };

  return {
    feed(bytes) {
      const items: ControlItem[] = [];
      // A line that comes in many pieces is put together once, when its end is there.
      const lines = bytes.includes('\n') ? (rest + bytes).split('\n') : [rest + bytes];
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const item = onLine(line);
        if (item) items.push(item);
      }
      if (rest.length > LINE_LENGTH_MAX) {
        rest = '';
        items.push({ kind: 'overflow', what: 'line' });
      }
      return items;
    },
  };
}
