// What the pages of messages and teams request. Messages need a proven identity: that of the person
// at the terminal, or of the agent in whose pane the view runs. Loaded with the first request.

import { randomUUID } from 'node:crypto';
import { DaemonError } from '../../client/client.ts';
import { proveIdentity } from '../../client/prove-identity.ts';
import { ReconnectingClient } from '../../client/reconnecting-client.ts';
import type { ChildExit } from '../../platform/process/child.ts';
import { safeText } from '../../render/safe-text.ts';
import type { OperationMap, OperationName } from '../../schema/api/operations.ts';
import type { Inbox, MessageItem } from '../../schema/relay/message-schemas.ts';
import type { CallDaemon } from '../acting/request-action.ts';
import type { DaemonReply, Message, TeamEffect } from '../message.ts';
import type { WrittenMessage } from '../model.ts';

const MESSAGES_MAX = 200;
/** A message may wait for the rest of its recipients; no longer is it watched for at once. */
const WAIT_MS = 1_500;
const TIMEOUT_MS = 20_000;

/**
 * What a command printed stays on the screen below its words until the person goes back. Ctrl-C
 * ends the command, and then the wait.
 */
const AND_BACK = `trap : INT
printf '%s\\n' "$1"
shift
"$@"
code=$?
printf '\\n%s' 'Enter goes back to the live view. '
read -r _
exit "$code"`;

export interface TeamCallsOptions {
  readonly socketPath: string;
  /** The words that run agtmux again, for the same daemon. */
  readonly program: readonly string[];
  /** As whoever asks. */
  readonly call: CallDaemon;
  readonly runInTerminal: (words: readonly string[]) => Promise<ChildExit>;
}

export class TeamCalls implements Disposable {
  readonly #options: TeamCallsOptions;
  readonly #client: ReconnectingClient;
  #unanswered: { readonly key: string; readonly ref: string } | null = null;

  constructor(options: TeamCallsOptions) {
    this.#options = options;
    this.#client = new ReconnectingClient(options.socketPath, proveIdentity);
  }

  async request(effect: TeamEffect): Promise<Message> {
    switch (effect.kind) {
      case 'read-messages':
        return { type: 'messages-read', answer: await this.#read() };
      case 'mark-read':
        return { type: 'messages-read', answer: await this.#markRead(effect.ids) };
      case 'send-message': {
        const { draft } = effect;
        return { type: 'message-sent', draft, answer: await this.#send(draft) };
      }
      case 'cancel-message':
        return { type: 'message-canceled', answer: await this.#cancel(effect.id) };
      case 'read-teams':
        return { type: 'teams-read', answer: await this.#options.call('list_bundles', {}) };
      case 'run-bundle':
        return this.#runBundle(effect);
    }
  }

  /** By the command, in this terminal: it asks before it ends members that work. */
  async #runBundle({
    bundle,
    action,
  }: Extract<TeamEffect, { kind: 'run-bundle' }>): Promise<Message> {
    const { program, runInTerminal } = this.#options;
    // No shell reads a name as a line.
    const title = `$ agtmux bundle ${action} ${safeText(bundle)}`;
    const shell = ['/bin/sh', '-c', AND_BACK, 'agtmux', title];
    const words = [...shell, ...program, 'bundle', action, '--', bundle];
    const { code, error } = await runInTerminal(words);
    const end = error === null ? endOf(code) : `cannot run: ${error}`;
    const text = `agtmux bundle ${action} ${bundle} ${end}.`;
    return { type: 'notice', text, isProblem: code !== 0 };
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }

  #read(): Promise<DaemonReply<Inbox>> {
    return this.#call('list_inbox', { box: 'all', limit: MESSAGES_MAX });
  }

  /** What the reader has before the eyes is read; then the messages as they are. */
  async #markRead(ids: readonly string[]): Promise<DaemonReply<Inbox>> {
    for (const id of ids) await this.#call('read_message', { message_id: id });
    return this.#read();
  }

  /** The same text to the same people after a reply that was lost is the same message. */
  async #send(draft: WrittenMessage): Promise<DaemonReply<MessageItem>> {
    const key = JSON.stringify(draft);
    const ref = this.#unanswered?.key === key ? this.#unanswered.ref : randomUUID();
    const answer = await this.#sendAs(draft, ref);
    this.#unanswered = answer.ok ? null : { key, ref };
    return answer;
  }

  async #sendAs(draft: WrittenMessage, ref: string): Promise<DaemonReply<MessageItem>> {
    const content = { message: draft.text, wait_ms: WAIT_MS, request_ref: ref };
    if (draft.kind === 'reply') {
      const { message, isToAll: all } = draft;
      const input = { ...content, message_id: message.message_id, all };
      return messageOf(await this.#call('reply_message', input));
    }
    const { to, subject } = draft;
    const named = subject.trim() === '' ? content : { ...content, subject: subject.trim() };
    return messageOf(
      to.isBundle
        ? await this.#call('broadcast_message', { ...named, bundle: to.id })
        : await this.#call('send_message', { ...named, to: [to.id] }),
    );
  }

  async #cancel(id: string): Promise<DaemonReply<MessageItem>> {
    return messageOf(await this.#call('cancel_message', { message_id: id }));
  }

  /** Rejects only on our own bugs: a proof that cannot be opened is a problem like any other. */
  async #call<Name extends OperationName>(
    name: Name,
    input: OperationMap[Name]['input'],
  ): Promise<DaemonReply<OperationMap[Name]['output']>> {
    const options = { timeoutMs: TIMEOUT_MS };
    try {
      const value = await this.#client.ask((client) => client.call(name, input, options));
      return { ok: true, value };
    } catch (error) {
      if (error instanceof DaemonError) {
        const { message, code, hint } = error;
        return { ok: false, problem: message, code, hint };
      }
      if (error instanceof Error && 'syscall' in error)
        return { ok: false, problem: error.message };
      throw error;
    }
  }
}

const messageOf = (
  answer: DaemonReply<{ readonly message: MessageItem }>,
): DaemonReply<MessageItem> => (answer.ok ? { ok: true, value: answer.value.message } : answer);

function endOf(code: number | null): string {
  if (code === 0) return 'is done';
  // Its exit code where some members are up and others are not.
  return code === 1 ? 'is done in part' : `ended with exit code ${code ?? 'none'}`;
}
