// Messages between agents and people: the threads, one thread with its receipts and a reply, and a
// new message.

import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { repeat } from 'lit/directives/repeat.js';
import {
  answerable,
  isOpenMessage,
  partyName,
  receiptWords,
  type Thread,
  threadsOf,
} from '../../render/messages/threads.ts';
import { safeText } from '../../render/safe-text.ts';
import type { MessageItem, PartyList, ReceiptItem } from '../../schema/relay/message-schemas.ts';
import { counted } from '../../text/counted.ts';
import { icon } from '../components/icons.ts';
import { outcomeLine } from '../components/outcome-line.ts';
import { richText, richTextStyles } from '../components/rich-text.ts';
import { baseStyles, moodStyles, pageStyles } from '../components/styles.ts';
import { textBlockStyles } from '../components/text-block.ts';
import { asProblem } from '../control/as-problem.ts';
import type { Dashboard } from '../control/dashboard.ts';
import type { OutcomeWords } from '../state/action-words.ts';
import { ageText } from '../state/pane-words.ts';
import { routeHash } from '../state/route.ts';
import { messagesStyles } from './messages-styles.ts';

/** The thread that is written, and not there yet. */
export const NEW_THREAD = 'new';

/** Who may be written to is asked for again so soon, where it could not be read. */
const PARTIES_MS = 2_000;

export class MessagesPage extends LitElement {
  static override properties = {
    dashboard: { attribute: false },
    thread: { attribute: false },
    canAct: { attribute: false },
    nowMs: { attribute: false },
    tick: { attribute: false },
    parties: { state: true },
    chosen: { state: true },
    outcome: { state: true },
    isSending: { state: true },
    problem: { state: true },
  };
  static override styles = [
    ...[baseStyles, pageStyles, moodStyles, textBlockStyles, richTextStyles, messagesStyles],
  ];

  declare dashboard: Dashboard;
  /** The thread that is shown; null for the list of them. */
  declare thread: string | null;
  declare canAct: boolean;
  declare nowMs: number;
  declare tick: number;
  declare parties: PartyList | null;
  declare chosen: ReadonlySet<string>;
  declare outcome: OutcomeWords | null;
  declare isSending: boolean;
  declare problem: string | null;
  /** When they were last asked for. */
  #partiesAtMs = Number.NEGATIVE_INFINITY;

  constructor() {
    super();
    this.parties = null;
    this.chosen = new Set();
    this.outcome = null;
    this.isSending = false;
    this.problem = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.dashboard.messages.show(true);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.dashboard.messages.show(false);
  }

  override willUpdate(changed: Map<string, unknown>): void {
    if (changed.has('thread')) {
      this.outcome = null;
      this.chosen = new Set();
      this.parties = null;
      this.#partiesAtMs = Number.NEGATIVE_INFINITY;
    }
    // The page may have been opened before the connection; what failed is tried again.
    const isDue = performance.now() - this.#partiesAtMs > PARTIES_MS;
    const isMissing = this.thread === NEW_THREAD && this.parties === null;
    if (isMissing && isDue && this.dashboard.isLive) void this.#readParties();
  }

  override updated(): void {
    const thread = this.#threads.find(({ id }) => id === this.thread);
    if (thread && thread.unreadCount > 0) void this.dashboard.messages.markRead(thread);
  }

  override render(): TemplateResult {
    return html`<div class="inner">
      ${this.#page()}
      ${outcomeLine(this.outcome)}
    </div>`;
  }

  #page(): TemplateResult {
    if (this.thread === null) return this.#list();
    return this.thread === NEW_THREAD ? this.#write() : this.#one();
  }

  get #me(): string {
    return this.dashboard.messages.inbox?.party.id ?? '';
  }

  get #threads(): readonly Thread[] {
    return threadsOf(this.dashboard.messages.inbox?.messages ?? [], this.#me);
  }

  #list(): TemplateResult {
    const { inbox, problem } = this.dashboard.messages;
    const threads = this.#threads;
    const name = inbox && safeText(partyName(inbox.party));
    const you = name ? html`<span class="dim cut">you are ${name}</span>` : nothing;
    return html`<div class="head">
        <h1>Messages</h1>
        ${you}
        <a class="button" href=${routeHash({ page: 'messages', thread: NEW_THREAD })}
          >${icon('send')}New</a
        >
      </div>
      ${
        inbox === null
          ? html`<p class="dim" role="status">${problem ?? 'Reading …'}</p>`
          : threads.length === 0
            ? html`<div class="empty">
              ${icon('messages')}<b>No messages yet.</b>
              <span
                >Agents write to each other and to you with <code>agtmux msg send</code>, or by
                MCP. You can begin: a message is typed to its agent when that rests.</span
              >
            </div>`
            : html`<ul aria-label="Threads">
              ${repeat(
                threads,
                ({ id }) => id,
                (each) => this.#row(each),
              )}
            </ul>`
      }`;
  }

  #row({ id, subject, parties, messages, lastAt, unreadCount }: Thread): TemplateResult {
    const names = parties.map((each) => safeText(partyName(each))).join(', ');
    const isOpen = messages.some(isOpenMessage);
    const count = counted(messages.length, 'message');
    const words = unreadCount > 0 ? `${unreadCount} new` : isOpen ? 'queued' : count;
    return html`<li class=${unreadCount > 0 ? 'unread' : ''}>
      <a href=${routeHash({ page: 'messages', thread: id })}>
        <span class="subject cut">${safeText(subject)}</span>
        <time datetime=${lastAt}>${ageText(lastAt, this.nowMs)}</time>
        <span class="dim cut">${names}</span>
        <span class="dim">${words}</span>
      </a>
    </li>`;
  }

  #one(): TemplateResult {
    const thread = this.#threads.find(({ id }) => id === this.thread);
    const back = html`<a
      class="button plain icon"
      href=${routeHash({ page: 'messages', thread: null })}
      aria-label="All messages"
      >${icon('back')}</a
    >`;
    if (!thread) {
      const isKnown = this.dashboard.messages.inbox !== null;
      return html`<div class="head">${back}<h1>Messages</h1></div>
        <p class="dim" role="status">${isKnown ? 'This thread is not there.' : 'Reading …'}</p>`;
    }
    return html`<div class="head">${back}<h1 class="cut">${safeText(thread.subject)}</h1></div>
      <ol>
        ${repeat(
          thread.messages,
          ({ message_id }) => message_id,
          (each) => this.#message(each),
        )}
      </ol>
      ${this.#reply(thread)}`;
  }

  #message(message: MessageItem): TemplateResult {
    const { from, body, created_at: at, attachments, receipts } = message;
    const isMine = from.id === this.#me;
    const cancel = (): Promise<void> => this.#do(() => this.dashboard.messages.cancel(message));
    return html`<li class="message ${isMine ? 'mine' : ''}">
      <div class="from">
        <b>${safeText(partyName(from))}</b>
        <time datetime=${at}>${ageText(at, this.nowMs)}</time>
      </div>
      ${richText(body)}
      ${attachments.map(
        (path) => html`<span class="path mono">${icon('attach')}${safeText(path)}</span>`,
      )}
      <ul class="receipts" aria-label="Receipts">
        ${receipts.map((each) => receiptLine(each))}
        ${
          isOpenMessage(message) && isMine
            ? html`<li>
              <button class="plain" ?disabled=${!this.canAct} @click=${cancel}>Take back</button>
            </li>`
            : nothing
        }
      </ul>
    </li>`;
  }

  #reply(thread: Thread): TemplateResult {
    const message = answerable(thread, this.#me);
    if (message === null) {
      const names = thread.parties.map((each) => safeText(partyName(each))).join(', ');
      return html`<p class="dim">Nobody in it has written to you: ${names}.</p>`;
    }
    const isOff = !this.canAct || this.isSending;
    const name = safeText(partyName(message.from));
    // What was begun in one thread is not for the people of another.
    const form = html`<form @submit=${(event: SubmitEvent) => this.#sendReply(event, message)}>
      <textarea name="text" rows="3" aria-label="Reply" placeholder="Reply" required></textarea>
      <div class="under">
        ${
          message.receipts.length > 1
            ? html`<label><input type="checkbox" name="all" />to all of them</label>`
            : nothing
        }
        <button class="primary" ?disabled=${isOff}>Reply to ${name}</button>
      </div>
    </form>`;
    return html`${keyed(thread.id, form)}`;
  }

  #write(): TemplateResult {
    const { parties } = this;
    const isOff = !this.canAct || this.isSending || this.chosen.size === 0;
    return html`<div class="head">
        <a
          class="button plain icon"
          href=${routeHash({ page: 'messages', thread: null })}
          aria-label="All messages"
          >${icon('back')}</a
        >
        <h1>New message</h1>
      </div>
      ${
        parties === null
          ? html`<p class="dim" role="status">${this.problem ?? 'Reading …'}</p>`
          : this.#recipients(parties)
      }
      <form @submit=${(event: SubmitEvent) => this.#sendNew(event)}>
        <input
          type="text"
          name="subject"
          maxlength="300"
          aria-label="Subject"
          placeholder="Subject (may be empty)"
        />
        <textarea
          name="text"
          rows="5"
          aria-label="Message"
          placeholder="Message"
          required
        ></textarea>
        <div class="under">
          <span class="dim">It is typed when each rests, with your name on it.</span>
          <button class="primary" ?disabled=${isOff}>Send to ${this.chosen.size}</button>
        </div>
      </form>`;
  }

  #recipients({ parties }: PartyList): TemplateResult {
    const all = parties.filter(({ is_you, may_send }) => !is_you && may_send);
    if (all.length === 0)
      return html`<p class="dim">
        There is nobody to write to: no agent runs, and no team is declared.
      </p>`;
    const toggle = (id: string): void => {
      const chosen = new Set(this.chosen);
      if (!chosen.delete(id)) chosen.add(id);
      this.chosen = chosen;
    };
    return html`<ul class="parties" aria-label="Recipients">
      ${all.map(
        (each) => html`<li>
          <label
            ><input
              type="checkbox"
              .checked=${this.chosen.has(each.id)}
              @change=${() => toggle(each.id)}
            /><span class="cut">${safeText(partyName(each))}</span
            ><span class="dim cut"
              >${each.kind === 'operator' ? 'a person' : safeText(each.state ?? 'not up')}</span
            ></label
          >
        </li>`,
      )}
    </ul>`;
  }

  async #sendNew(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    // Behind an await the event has no target any more.
    const form = event.target as HTMLFormElement;
    const fields = new FormData(form);
    const message = {
      to: [...this.chosen],
      bundle: null,
      subject: String(fields.get('subject') ?? ''),
      text: String(fields.get('text') ?? ''),
    };
    await this.#do(() => this.dashboard.messages.send(message));
    if (this.outcome?.word === 'sent') {
      form.reset();
      this.chosen = new Set();
    }
  }

  async #sendReply(event: SubmitEvent, message: MessageItem): Promise<void> {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const fields = new FormData(form);
    const text = String(fields.get('text') ?? '');
    await this.#do(() => this.dashboard.messages.reply(message, text, fields.has('all')));
    if (this.outcome?.word === 'sent') form.reset();
  }

  async #do(act: () => Promise<OutcomeWords>): Promise<void> {
    this.isSending = true;
    this.outcome = null;
    this.outcome = await act();
    this.isSending = false;
  }

  async #readParties(): Promise<void> {
    this.#partiesAtMs = performance.now();
    try {
      this.parties = await this.dashboard.client.call('list_parties', {});
      this.problem = null;
    } catch (error) {
      this.problem = asProblem(error).message;
    }
  }
}

function receiptLine(receipt: ReceiptItem): TemplateResult {
  const { mood, text } = receiptWords(receipt);
  const name = { good: 'check', open: 'snooze', bad: 'close' } as const;
  return html`<li class=${mood}>
    ${icon(name[mood])}<span>${safeText(partyName(receipt.recipient))}: ${safeText(text)}</span>
  </li>`;
}

customElements.define('messages-page', MessagesPage);
