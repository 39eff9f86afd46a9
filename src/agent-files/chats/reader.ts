// Finds the chat of one live Gemini CLI or Qwen Code and follows it for its last words. Their hooks
// report their state; the chat is found by the session that a hook named, else by the folder, and
// then only where one agent works in it. Two agents in one folder without a session are left alone.

import { join } from 'node:path';
import { LineRecords } from '../conversations/line-records.ts';
import { CoalescedTask } from '../files/coalesced-task.ts';
import { LineFollower } from '../files/line-follower.ts';
import type { AgentFilesContext, LiveAgent } from '../readers/agent-files-source.ts';
import type { AgentReader } from '../readers/agent-readers.ts';
import { LastWords } from '../readers/last-words.ts';
import type { ChatFolder, FindChatFolder } from './chat-folders.ts';

/** A chat appears with its first prompt; another one by a command, which is seldom. */
const YOUNG_MS = 60_000;
const LOOK_MS = 10_000;
/** A change that the watch of a chat missed is read after this many looks. */
const FOLLOW_LOOKS = 4;
/** The recorded start of a process may be too late by this much. */
const START_SLACK_MS = 2_000;
/** Chats of one folder that are looked at, the newest names first. */
const CHATS_MAX = 40;

/** The source of an agent's last words, as its rule file calls it. */
export const chatSourceName = (agent: string): string => `${agent}-chat`;

export interface ChatReaderOptions {
  readonly context: AgentFilesContext;
  readonly agent: LiveAgent;
  readonly find: FindChatFolder;
  /** Whether no other agent of the kind works in the same folder. */
  readonly isAlone: (agent: LiveAgent) => boolean;
}

export class ChatReader implements AgentReader {
  readonly #options: ChatReaderOptions;
  #agent: LiveAgent;
  #path: string | null = null;
  #follower: LineFollower | null = null;
  #lookCount = 0;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #lookedKey: string | null = null;
  readonly #task: CoalescedTask;

  constructor(options: ChatReaderOptions) {
    this.#options = options;
    this.#agent = options.agent;
    this.#task = new CoalescedTask(
      () => this.#look(),
      (error) => options.context.onProblem(`its chats: ${String(error)}`),
    );
    this.#task.request();
  }

  update(agent: LiveAgent): void {
    this.#agent = agent;
  }

  look(): void {
    this.#lookCount += 1;
    if (this.#lookCount % FOLLOW_LOOKS === 0) this.#follower?.look();
    const { runtime } = this.#agent;
    const nowMs = this.#options.context.daemon.nowMs();
    const isYoung = nowMs - runtime.startedAtMs < YOUNG_MS && this.#path === null;
    const isOther = runtime.sessionKey !== this.#lookedKey;
    if (isYoung || isOther || nowMs - this.#lookedAtMs >= LOOK_MS) this.#task.request();
  }

  [Symbol.dispose](): void {
    this.#task[Symbol.dispose]();
    this.#follower?.[Symbol.dispose]();
    this.#follower = null;
  }

  async #look(): Promise<void> {
    const { context, find } = this.#options;
    const { runtime, pane } = this.#agent;
    this.#lookedAtMs = context.daemon.nowMs();
    this.#lookedKey = runtime.sessionKey;
    const chats = await find(context.files, { pid: runtime.pid, cwd: pane.facts.path });
    const found = chats && (await this.#chatOf(chats));
    if (!found || this.#task.isEnded || found.path === this.#path) return;
    this.#path = found.path;
    const follower = this.#follow(found.path);
    const current = () => (this.#follower === follower ? follower : null);
    context.announce(runtime.runtimeId, {
      agent: runtime.agent,
      sessionId: found.sessionId,
      records: new LineRecords(context.files, found.path, current),
      child: () => null,
    });
  }

  #follow(path: string): LineFollower {
    const { context } = this.#options;
    const { runtime } = this.#agent;
    const source = chatSourceName(runtime.agent);
    const words = new LastWords({ context, source, runtime, name: path });
    this.#follower?.[Symbol.dispose]();
    this.#follower = new LineFollower({
      files: context.files,
      path,
      isBoundary: (text) => text.includes('"user"') && words.has('prompt', text),
      onLines: ({ lines }) =>
        words.submit(lines.map(({ text, offset }) => ({ text, position: offset }))),
      onProblem: context.onProblem,
    });
    return this.#follower;
  }

  async #chatOf({ folder, sessionOf }: ChatFolder) {
    const { runtime } = this.#agent;
    const listed = (await this.#options.context.files.list(folder)) ?? [];
    const names = [...listed].sort().reverse();
    const chats = names.flatMap((name) => {
      const sessionId = sessionOf(name);
      return sessionId === null ? [] : [{ path: join(folder, name), sessionId }];
    });
    const key = runtime.sessionKey;
    if (key !== null) return chats.find(({ sessionId }) => key.startsWith(sessionId)) ?? null;
    return this.#options.isAlone(this.#agent) ? this.#newest(chats.slice(0, CHATS_MAX)) : null;
  }

  /** The one that was last written to, if that was in the life of the agent. */
  async #newest<Chat extends { readonly path: string }>(chats: readonly Chat[]) {
    const { files, toDaemonMs } = this.#options.context;
    let newest: { readonly chat: Chat; readonly atMs: number } | null = null;
    for (const chat of chats) {
      const facts = await files.facts(chat.path);
      const atMs = facts === null ? 0 : toDaemonMs(facts.modifiedAtMs);
      if (atMs > (newest?.atMs ?? 0)) newest = { chat, atMs };
    }
    const sinceMs = this.#agent.runtime.startedAtMs - START_SLACK_MS;
    return newest !== null && newest.atMs >= sinceMs ? newest.chat : null;
  }
}
