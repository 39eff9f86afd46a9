// Where a prompt for one agent is written, and what came of the last one.

import { css, html, LitElement } from 'lit';
import type { PaneItem } from '../../schema/api/panes.ts';
import type { Dashboard } from '../control/dashboard.ts';
import type { OutcomeWords } from '../state/action-words.ts';
import type { PromptDraft } from '../state/drafts.ts';
import { icon } from './icons.ts';
import { outcomeLine } from './outcome-line.ts';
import { baseStyles, moodStyles } from './styles.ts';

const LOOK_ONLY = 'This browser may look and not act. Pair it with a link that may.';
const ROWS_MAX = 8;

export class PromptBox extends LitElement {
  static override properties = {
    dashboard: { attribute: false },
    pane: { attribute: false },
    isBusy: { attribute: false },
    canAct: { attribute: false },
    outcome: { state: true },
  };
  static override styles = [
    baseStyles,
    moodStyles,
    css`
      form {
        display: grid;
        grid-template-columns: minmax(0, 1fr) auto;
        gap: 6px 8px;
        align-items: end;
      }
      textarea {
        max-height: 30vh;
        padding: 7px 10px;
      }
      .under {
        grid-column: 1 / -1;
        display: flex;
        gap: 4px 12px;
        align-items: center;
        flex-wrap: wrap;
      }
      .under .outcome {
        flex: 1;
      }
      p.dim {
        font-size: var(--tiny);
      }
      label {
        display: inline-flex;
        gap: 6px;
        align-items: center;
        font-size: var(--tiny);
        color: var(--dim);
        white-space: nowrap;
      }
      button.primary {
        min-height: 38px;
      }
    `,
  ];

  declare dashboard: Dashboard;
  declare pane: PaneItem;
  declare isBusy: boolean;
  declare canAct: boolean;
  declare outcome: OutcomeWords | null;

  constructor() {
    super();
    this.outcome = null;
  }

  override focus(): void {
    this.renderRoot.querySelector('textarea')?.focus();
  }

  override willUpdate(changed: Map<string, unknown>): void {
    const before = changed.get('pane') as PaneItem | undefined;
    if (before && before.runtime_id !== this.pane.runtime_id) this.outcome = null;
  }

  override render() {
    const { agent } = this.pane;
    const { text, moment } = this.#draft;
    const rows = Math.min(ROWS_MAX, text.split('\n').length);
    const isOff = agent === null || !this.canAct;
    const hint = agent === null ? 'No agent is in this pane' : `Prompt for ${agent}`;
    const { mayAct } = this.dashboard;
    return html`<form @submit=${this.#submit}>
      <textarea
        rows=${rows}
        aria-label=${hint}
        placeholder=${hint}
        .value=${text}
        ?disabled=${isOff}
        enterkeyhint="send"
        @input=${this.#input}
        @keydown=${this.#keydown}
      ></textarea>
      <button class="primary" ?disabled=${isOff || this.isBusy || text.trim() === ''}>
        ${icon('send')}${moment === 'now' ? 'Send' : 'Queue'}
      </button>
      <div class="under">
        <label
          ><input type="checkbox" .checked=${moment === 'idle'} @change=${this.#setMoment} />
          when it rests</label
        >
        ${mayAct ? outcomeLine(this.outcome) : html`<p class="dim">${LOOK_ONLY}</p>`}
      </div>
    </form>`;
  }

  /** What was written for one agent is not for another, and is still there when one comes back. */
  get #draft(): PromptDraft {
    return this.dashboard.drafts.of(this.pane);
  }

  #keep(change: Partial<PromptDraft>): void {
    this.dashboard.drafts.keep(this.pane, change);
    this.requestUpdate();
  }

  #input(event: Event): void {
    this.#keep({ text: (event.target as HTMLTextAreaElement).value });
  }

  /** Enter sends, Shift+Enter begins a line; on a phone the key of the keyboard begins one. */
  #keydown(event: KeyboardEvent): void {
    const isPhone = matchMedia('(pointer: coarse)').matches;
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || isPhone) return;
    event.preventDefault();
    void this.#send();
  }

  #setMoment(event: Event): void {
    this.#keep({ moment: (event.target as HTMLInputElement).checked ? 'idle' : 'now' });
  }

  #submit(event: Event): void {
    event.preventDefault();
    void this.#send();
  }

  async #send(): Promise<void> {
    const { pane } = this;
    const { text, moment } = this.#draft;
    if (text.trim() === '' || this.isBusy || !this.canAct) return;
    this.outcome = null;
    const outcome = await this.dashboard.send(pane, text, moment);
    const { drafts } = this.dashboard;
    // Kept, it would be sent once more by mistake.
    if (outcome.mood === 'good' && drafts.of(pane).text === text) drafts.keep(pane, { text: '' });
    // Another agent may be shown by now.
    if (this.pane.runtime_id === pane.runtime_id) this.outcome = outcome;
  }
}

customElements.define('prompt-box', PromptBox);
