// A chat with an ACP member: lines are prompts or answers, its words are printed as they come.
// Leaving ends nothing: the member belongs to the daemon.

import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DaemonClient, DaemonError } from '../../../client/client.ts';
import { safeText } from '../../../render/safe-text.ts';
import type { AcpMemberItem } from '../../../schema/relay/acp-api.ts';
import type { Call } from '../../command.ts';
import { openDaemon } from '../../daemon-link.ts';
import { EXIT_UNAVAILABLE } from '../../exit-codes.ts';
import { ACTION_TIMEOUT_MS } from '../actions/action-options.ts';
import { ChatText } from './chat-text.ts';
import { findMember } from './find-member.ts';

const WAIT_MS = 5_000;
const CALL_MS = WAIT_MS + 10_000;
const LOOK_MS = 100;

class Chat {
  readonly #call: Call;
  readonly #client: DaemonClient;
  readonly #text = new ChatText();
  #member: AcpMemberItem;
  #after = 0;
  isOver = false;
  exitCode = 0;

  constructor(call: Call, client: DaemonClient, member: AcpMemberItem) {
    this.#call = call;
    this.#client = client;
    this.#member = member;
  }

  /** Prints what comes, until the chat is over or the member has ended. */
  async follow(): Promise<void> {
    const { name } = this.#member;
    const first = await this.#client.call('read_acp_updates', { name });
    this.#after = first.next;
    this.#write(`acp:${name} is ${first.member.status}. Ctrl-D leaves.\n`);
    while (!this.isOver) {
      const input = { name, after: this.#after, wait_ms: WAIT_MS };
      const reply = await this.#client.call('read_acp_updates', input, { timeoutMs: CALL_MS });
      this.#after = reply.next;
      this.#member = reply.member;
      if (reply.is_cut) this.#write(`${this.#text.endLine()}[some of it is not kept any more]\n`);
      for (const { update } of reply.updates) this.#write(this.#text.text(update));
      const { status, detail } = reply.member;
      if (status !== 'stopped' && status !== 'failed') continue;
      this.#write(
        `${this.#text.endLine()}${status}${detail === null ? '' : `: ${safeText(detail)}`}\n`,
      );
      this.exitCode = EXIT_UNAVAILABLE;
      this.isOver = true;
    }
  }

  /** One line of the person. */
  async take(line: string): Promise<void> {
    const text = line.trim();
    if (text === '') return;
    const { request } = this.#text;
    const { pane_key: ref } = this.#member;
    const caller_pid = process.pid;
    if (request === null) {
      await this.#act(this.#client.call('send', { ref, text: line, caller_pid }, wait));
      return;
    }
    const label = request.labels[Number(text) - 1] ?? text;
    const input = { ref, request_id: request.requestId, choice: { label }, caller_pid };
    await this.#act(this.#client.call('choose', input, wait));
  }

  /** Ctrl-C: ends the turn; false where there is none. */
  async interrupt(): Promise<boolean> {
    if (!(await this.isInTurn())) return false;
    const input = { ref: this.#member.pane_key, caller_pid: process.pid };
    await this.#act(this.#client.call('interrupt', input, wait));
    return true;
  }

  /** Waits until the turn is over, or it asks for something. */
  async settled(): Promise<void> {
    while (!this.isOver && (await this.isInTurn()) && this.#text.request === null) {
      await sleep(LOOK_MS);
    }
  }

  /** Waits until all that it has sent is printed. */
  async drained(): Promise<void> {
    const { next } = await this.#client.call('read_acp_updates', { name: this.#member.name });
    for (let waitedMs = 0; this.#after < next && waitedMs < WAIT_MS; waitedMs += LOOK_MS) {
      await sleep(LOOK_MS);
    }
  }

  async isInTurn(): Promise<boolean> {
    return (await findMember(this.#client, this.#member.name)).in_turn;
  }

  async #act(report: Promise<unknown>): Promise<void> {
    try {
      await report;
    } catch (error) {
      if (!(error instanceof DaemonError)) throw error;
      this.#write(`${this.#text.endLine()}${safeText(error.message)}\n`);
    }
  }

  #write(text: string): void {
    if (text !== '') this.#call.io.writeOut(text);
  }
}

const wait = { timeoutMs: ACTION_TIMEOUT_MS };

export async function runAttachMember(call: Call): Promise<number> {
  const client = await openDaemon(call);
  const lines = createInterface({ input: process.stdin, terminal: process.stdin.isTTY === true });
  try {
    const chat = new Chat(call, client, await findMember(client, call.args[0] ?? ''));
    const following = chat.follow().finally(() => lines.close());
    lines.on('SIGINT', () => {
      chat.interrupt().then(
        (isInterrupted) => isInterrupted || lines.close(),
        () => lines.close(),
      );
    });
    const typing = takeLines(chat, lines);
    await Promise.race([following, typing]);
    chat.isOver = true;
    return chat.exitCode;
  } finally {
    lines.close();
    process.stdin.destroy();
    client.close();
  }
}

async function takeLines(chat: Chat, lines: AsyncIterable<string>): Promise<void> {
  for await (const line of lines) {
    if (chat.isOver) return;
    await chat.take(line);
    // A person may type into the turn; lines of a file wait for its end.
    if (process.stdin.isTTY !== true) await chat.settled();
  }
  if (chat.isOver || process.stdin.isTTY === true) return;
  await chat.settled();
  await chat.drained();
}
