// Which thread of an app server belongs to which pane. The server does not name its clients, so it
// is found out: by the pane's own title, by the command line, by what was so before, by thread and
// process being born together, and by the working directory last. A pair counts when it is the only
// one on both sides. A client that may have moved to another thread has none until that is clear.

import type { RuntimeId } from '../../schema/ids.ts';
import { type CodexThread, isTitleOf } from './thread.ts';

/** A living TUI that works with the server. */
export interface CodexClient {
  readonly runtimeId: RuntimeId;
  readonly startedAtMs: number;
  /** Null where it cannot be read, or where the server works elsewhere. */
  readonly cwd: string | null;
  readonly title: string;
  /** The thread that its command line names. */
  readonly resumes: string | null;
}

/** Null: there is a thread that may be its own, and it is not clear which. */
export type ThreadBindings = ReadonlyMap<RuntimeId, CodexThread | null>;

export interface ThreadBindingInput {
  readonly clients: readonly CodexClient[];
  readonly threads: readonly CodexThread[];
  readonly lastThreads: ReadonlyMap<RuntimeId, string>;
  /** Threads whose client has ended: they go on without a pane. */
  readonly releasedThreads: ReadonlySet<string>;
  readonly nowMs: number;
}

/** The start of a process is known to within this. */
const START_SLACK_MS = 2_000;
/** A TUI that has to start the server first takes four seconds to its thread. */
const BIRTH_MS = 10_000;
/** Codex 0.166 closes a thread 60 s after its last client left; until then two may be open. */
const MOVED_MS = 75_000;

type Match = (client: CodexClient, thread: CodexThread) => boolean;

export function bindThreads(input: ThreadBindingInput): ThreadBindings {
  const { clients, lastThreads, releasedThreads, nowMs } = input;
  const threads = input.threads.filter(({ isMain }) => isMain);
  const pairs = new Map<RuntimeId, CodexThread>();
  const isFree = (thread: CodexThread): boolean => ![...pairs.values()].includes(thread);

  /** Binds the pairs that are the only ones on both sides. */
  const settle = (matches: Match): void => {
    const waiting = clients.filter(({ runtimeId }) => !pairs.has(runtimeId));
    const free = threads.filter(isFree);
    for (const client of waiting) {
      const [thread, ...others] = free.filter((each) => matches(client, each));
      if (thread === undefined || others.length > 0) continue;
      const rivals = waiting.filter((each) => matches(each, thread));
      if (rivals.length === 1) pairs.set(client.runtimeId, thread);
    }
  };
  /** A thread without a client that may be where this one has gone. */
  const mayHaveMoved: Match = (client, from) =>
    threads.some(
      (to) =>
        isFree(to) &&
        !releasedThreads.has(to.id) &&
        isSamePlace(client, to) &&
        isYounger(to, from) &&
        nowMs - (to.bornAtMs ?? 0) < MOVED_MS &&
        !isBornWithAnother(to, client),
    );
  const isBornWithAnother = (thread: CodexThread, client: CodexClient): boolean =>
    clients.some((each) => each !== client && !pairs.has(each.runtimeId) && isBorn(each, thread));

  settle((client, thread) => isTitleOf(client.title, thread));
  const titled = new Set(pairs.keys());
  settle(({ runtimeId, resumes }, { id }) => {
    return (lastThreads.get(runtimeId) ?? resumes) === id;
  });
  settle((client, thread) => !releasedThreads.has(thread.id) && isBorn(client, thread));
  settle(
    (client, thread) =>
      !releasedThreads.has(thread.id) &&
      client.cwd !== null &&
      client.cwd === thread.cwd &&
      isSince(client, thread) &&
      !clients.some((each) => each !== client && isBorn(each, thread)),
  );
  const doubtful = clients.filter((client) => {
    const thread = pairs.get(client.runtimeId);
    if (titled.has(client.runtimeId)) return false;
    if (thread !== undefined) return mayHaveMoved(client, thread);
    const mayBeOwn: Match = (of, each) => isSamePlace(of, each) && isSince(of, each);
    return threads.some(
      (each) => isFree(each) && !releasedThreads.has(each.id) && mayBeOwn(client, each),
    );
  });
  return new Map<RuntimeId, CodexThread | null>([
    ...pairs,
    ...doubtful.map(({ runtimeId }) => [runtimeId, null] as const),
  ]);
}

const isSamePlace: Match = (client, thread) =>
  client.cwd === null || thread.cwd === null || client.cwd === thread.cwd;

/** What was there before the process is another's, unless title or command line name it. */
const isSince: Match = ({ startedAtMs }, thread) =>
  thread.bornAtMs !== null && thread.bornAtMs >= startedAtMs - START_SLACK_MS;

const isBorn: Match = (client, thread) => {
  const isSoon = (thread.bornAtMs ?? 0) <= client.startedAtMs + BIRTH_MS;
  return isSoon && isSince(client, thread) && isSamePlace(client, thread);
};

const isYounger = (thread: CodexThread, than: CodexThread): boolean =>
  (thread.bornAtMs ?? 0) > (than.bornAtMs ?? 0);
