// What was said and done in a pane, live, from the agent's own transcript; what came before is read
// page by page. It stays at its end while that is in sight.

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { repeat } from 'lit/directives/repeat.js';
import { gapText } from '../../render/conversation/log-lines.ts';
import type { ConversationEntry } from '../../schema/api/conversation.ts';
import type { PaneItem } from '../../schema/api/panes.ts';
import { icon } from '../components/icons.ts';
import { richTextStyles } from '../components/rich-text.ts';
import { baseStyles, moodStyles } from '../components/styles.ts';
import { textBlockStyles } from '../components/text-block.ts';
import { asProblem } from '../control/as-problem.ts';
import type { Dashboard } from '../control/dashboard.ts';
import {
  applyConversation,
  type ConversationPart,
  type ConversationText,
  conversationParts,
  emptyConversation,
  isFull,
  withEarlier,
} from '../state/conversation.ts';
import { type PartField, type PartView, partStyles, partTemplate } from './conversation-parts.ts';

/** Entries that come first, and of each page before them. */
const LAST = 150;
const PAGE = 200;
/** Nearer than this to its end it follows, and to its start it reads what came before. */
const END_PX = 60;
const START_PX = 300;
const WHOLE_TEXT_MAX = 2_000_000;

export class ConversationView extends LitElement implements PartView {
  static override properties = {
    dashboard: { attribute: false },
    pane: { attribute: false },
    text: { state: true },
    problem: { state: true },
    isReading: { state: true },
    isAtEnd: { state: true },
  };
  static override styles = [
    ...[baseStyles, moodStyles, textBlockStyles, richTextStyles, partStyles],
    css`
      :host {
        display: block;
        position: relative;
        height: 100%;
      }
      .scroll {
        height: 100%;
        overflow-y: auto;
        overscroll-behavior: contain;
        overflow-anchor: none;
        padding: 12px 16px 20px;
      }
      .inner {
        max-width: 860px;
        margin: 0 auto;
        display: grid;
        gap: 10px;
      }
      .head {
        justify-self: center;
      }
      .empty {
        padding: 12vh 20px;
        text-align: center;
        color: var(--dim);
        display: grid;
        gap: 8px;
      }
      .empty b {
        color: var(--text);
        font-weight: 600;
      }
      .newest {
        position: absolute;
        right: 18px;
        bottom: 14px;
        box-shadow: 0 2px 10px rgb(0 0 0 / 25%);
      }
    `,
  ];

  declare dashboard: Dashboard;
  declare pane: PaneItem;
  declare text: ConversationText;
  declare problem: string | null;
  declare isReading: boolean;
  declare isAtEnd: boolean;
  #stream: Disposable | null = null;
  #cursor: string | undefined;
  /** The pane and the conversation that are watched. */
  #watched = '';
  /** A subagent's, if it is shown. */
  #child: string | null = null;
  readonly #open = new Set<string>();
  readonly #whole = new Map<string, string>();
  /** The height before what is drawn on top. */
  #heightBefore: number | null = null;

  constructor() {
    super();
    this.text = emptyConversation;
    this.problem = null;
    this.isReading = false;
    this.isAtEnd = true;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stream?.[Symbol.dispose]();
    this.#stream = null;
    this.#watched = '';
  }

  override willUpdate(changed: Map<string, unknown>): void {
    const before = changed.get('pane') as PaneItem | undefined;
    if (before && before.pane_key !== this.pane.pane_key) this.#child = null;
    if (this.isConnected) this.#watch();
  }

  override render(): TemplateResult {
    const { text, problem } = this;
    const parts = conversationParts(text.entries);
    return html`<div
        class="scroll"
        tabindex="0"
        role="log"
        aria-label="Conversation"
        @scroll=${this.#scrolled}
      >
        <div class="inner">
          ${this.#head()}
          ${parts.length === 0 ? this.#empty() : nothing}
          ${repeat(
            parts,
            ({ key }) => key,
            (part) => guard(this.#guards(part), () => partTemplate(part, this)),
          )}
          ${problem === null ? nothing : html`<p class="dim" role="status">${problem}</p>`}
        </div>
      </div>
      ${
        this.isAtEnd || parts.length === 0
          ? nothing
          : html`<button class="newest" @click=${() => this.#toEnd()}>
              ${icon('down')}Newest
            </button>`
      }`;
  }

  override updated(changed: Map<string, unknown>): void {
    const scroll = this.#scroll;
    if (!scroll) return;
    // A part that is opened stays where it is.
    if (!changed.has('text') && !changed.has('isAtEnd')) {
      this.#scrolled();
      return;
    }
    if (this.#heightBefore !== null) {
      scroll.scrollTop += scroll.scrollHeight - this.#heightBefore;
      this.#heightBefore = null;
    } else if (this.isAtEnd) scroll.scrollTop = scroll.scrollHeight;
  }

  isOpen(key: string): boolean {
    return this.#open.has(key);
  }

  setOpen(key: string, isOpen: boolean): void {
    if (isOpen) this.#open.add(key);
    else this.#open.delete(key);
    this.requestUpdate();
  }

  textOf(entry: ConversationEntry, field: PartField): string {
    const text = (entry as unknown as Readonly<Record<string, unknown>>)[field];
    return this.#whole.get(wholeKey(entry, field)) ?? (typeof text === 'string' ? text : '');
  }

  fetchWhole(entry: ConversationEntry, field: PartField): void {
    void this.#try(async () => {
      const which = this.#which();
      let whole = '';
      let from: number | null = 0;
      while (from !== null && whole.length < WHOLE_TEXT_MAX) {
        const input = { ...which, cursor: entry.cursor, field, from };
        const piece: { readonly text: string; readonly next: number | null } =
          await this.dashboard.client.call('read_conversation_text', input);
        whole += piece.text;
        from = piece.next;
      }
      this.#whole.set(wholeKey(entry, field), whole);
    });
  }

  openChild(conversation: string): void {
    this.#child = conversation;
    this.requestUpdate();
  }

  /** What a part is drawn from: it is drawn anew if one of them changed. */
  #guards({ entry, result, answer, diffs, key }: ConversationPart): unknown[] {
    const isOpen = this.#open.has(key) || this.#open.has(`diff ${entry.seq}`);
    const openDiffs = diffs.filter(({ seq }) => this.#open.has(`diff ${seq}`)).length;
    return [entry.cursor, result, answer, diffs.length, isOpen, openDiffs, this.#whole.size];
  }

  #head(): TemplateResult | typeof nothing {
    const { text } = this;
    const back = (): void => {
      this.#child = null;
      this.requestUpdate();
    };
    return html`${
      this.#child === null
        ? nothing
        : html`<button class="head" @click=${back}>${icon('back')}Back to the agent</button>`
    }
    ${
      text.hasEarlier
        ? html`<button
            class="head plain"
            ?disabled=${this.isReading}
            @click=${() => this.#earlier()}
          >
            ${this.isReading ? 'Reading …' : 'Show what came before'}
          </button>`
        : nothing
    }
    ${
      isFull(text)
        ? html`<p class="dim">What came before is shown by <code>agtmux log --all</code>.</p>`
        : nothing
    }
    ${text.gap === null ? nothing : html`<p class="dim">${gapText(text.gap)}</p>`}`;
  }

  #empty(): TemplateResult {
    const { conversation, isWhole } = this.text;
    if (this.problem !== null) return html``;
    if (conversation !== null && isWhole)
      return html`<div class="empty"><b>Nothing was said yet.</b></div>`;
    if (conversation !== null || !this.dashboard.isLive)
      return html`<p class="empty" role="status">Reading …</p>`;
    return html`<div class="empty">
      <b>No conversation is known here.</b>
      <span
        >agtmux reads the transcripts of claude, codex, gemini, copilot, opencode, kilo and qwen.
        What is said in one of them comes up here by itself.</span
      >
    </div>`;
  }

  #which() {
    const { ref } = this.pane;
    return this.#child === null ? { ref } : { ref, conversation: this.#child };
  }

  #watch(): void {
    const watched = `${this.pane.pane_key} ${this.#child ?? ''}`;
    if (watched === this.#watched) return;
    this.#watched = watched;
    this.#stream?.[Symbol.dispose]();
    this.#cursor = undefined;
    this.text = emptyConversation;
    this.problem = null;
    this.isAtEnd = true;
    this.#open.clear();
    this.#whole.clear();
    this.#stream = this.dashboard.client.watch('watch_conversation', {
      input: () => ({
        ...this.#which(),
        ...(this.#cursor === undefined ? { last: LAST } : { last: LAST, cursor: this.#cursor }),
      }),
      onMessage: (message) => {
        this.text = applyConversation(this.text, message);
        const isShort = this.text.entries.length < LAST / 2;
        // Fewer came than were asked for: there are no more.
        if (message.type === 'conversation_caught_up' && isShort) {
          this.text = { ...this.text, hasEarlier: false };
        }
        if ('cursor' in message.data) this.#cursor = message.data.cursor;
        if (message.type === 'conversation_began' && message.data.is_snapshot) {
          this.#cursor = undefined;
        }
      },
      onRefused: ({ message }) => {
        this.problem = message;
      },
    });
  }

  get #scroll(): HTMLElement | null {
    return this.renderRoot.querySelector<HTMLElement>('.scroll');
  }

  #scrolled(): void {
    const scroll = this.#scroll;
    if (!scroll) return;
    const { scrollTop, scrollHeight, clientHeight } = scroll;
    this.isAtEnd = scrollHeight - scrollTop - clientHeight < END_PX;
    if (scrollTop < START_PX && scrollHeight > clientHeight && this.text.isWhole && !this.isAtEnd)
      this.#earlier();
  }

  #toEnd(): void {
    this.isAtEnd = true;
    this.requestUpdate();
  }

  #earlier(): void {
    const [first] = this.text.entries;
    if (this.isReading || !this.text.hasEarlier || !first) return;
    this.isReading = true;
    const watched = this.#watched;
    void this.#try(async () => {
      const input = { ...this.#which(), before: first.cursor, limit: PAGE };
      const page = await this.dashboard.client.call('read_conversation', input);
      if (watched !== this.#watched || this.text.entries[0] !== first) return;
      this.#heightBefore = this.#scroll?.scrollHeight ?? null;
      this.isAtEnd = false;
      this.text = withEarlier(this.text, page);
    }).finally(() => {
      this.isReading = false;
    });
  }

  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.problem = null;
    } catch (error) {
      this.problem = asProblem(error).message;
    }
    this.requestUpdate();
  }
}

const wholeKey = ({ cursor }: ConversationEntry, field: PartField): string => `${cursor} ${field}`;

customElements.define('conversation-view', ConversationView);
