// Where a prompt for one agent is written, and what came of the last one.

import { css, html, LitElement } from 'lit';
import type { PaneItem } from '../../schema/api/panes.ts';
import type { Dashboard, PromptMoment } from '../control/dashboard.ts';
import type { OutcomeWords } from '../state/action-words.ts';
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
    moment: { state: true },
    outcome: { state: true },
    text: { state: true },
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
  declare moment: PromptMoment;
  declare outcome: OutcomeWords | null;
  declare text: string;

  constructor() {
    super();
    this.moment = 'now';
    this.outcome = null;
    this.text = '';
  }

  override focus(): void {
    this.renderRoot.querySelector('textarea')?.focus();
  }

  override willUpdate(changed: Map<string, unknown>): void {
    const before = changed.get('pane') as PaneItem | undefined;
    // What was written for one agent is not for another.
    if (before && before.runtime_id !== this.pane.runtime_id) {
      this.text = '';
      this.outcome = null;
    }
  }

  override render() {
    const { agent } = this.pane;
    const rows = Math.min(ROWS_MAX, this.text.split('\n').length);
    const isOff = agent === null || !this.canAct;
    const hint = agent === null ? 'No agent is in this pane' : `Prompt for ${agent}`;
    const { mayAct } = this.dashboard;
    return html`<form @submit=${this.#submit}>
      <textarea
        rows=${rows}
        aria-label=${hint}
        placeholder=${hint}
        .value=${this.text}
        ?disabled=${isOff}
        enterkeyhint="send"
        @input=${this.#input}
        @keydown=${this.#keydown}
      ></textarea>
      <button class="primary" ?disabled=${isOff || this.isBusy || this.text.trim() === ''}>
        ${icon('send')}${this.moment === 'now' ? 'Send' : 'Queue'}
      </button>
      <div class="under">
        <label
          ><input type="checkbox" .checked=${this.moment === 'idle'} @change=${this.#setMoment} />
          when it rests</label
        >
        ${mayAct ? outcomeLine(this.outcome) : html`<p class="dim">${LOOK_ONLY}</p>`}
      </div>
    </form>`;
  }

  #input(event: Event): void {
    this.text = (event.target as HTMLTextAreaElement).value;
  }

  /** Enter sends, Shift+Enter begins a line; on a phone the key of the keyboard begins one. */
  #keydown(event: KeyboardEvent): void {
    const isPhone = matchMedia('(pointer: coarse)').matches;
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || isPhone) return;
    event.preventDefault();
    void this.#send();
  }

  #setMoment(event: Event): void {
    this.moment = (event.target as HTMLInputElement).checked ? 'idle' : 'now';
  }

  #submit(event: Event): void {
    event.preventDefault();
    void this.#send();
  }

  async #send(): Promise<void> {
    const { text, pane, moment } = this;
    if (text.trim() === '' || this.isBusy || !this.canAct) return;
    this.outcome = null;
    const outcome = await this.dashboard.send(pane, text, moment);
    // Another agent may be shown by now.
    if (this.pane.runtime_id !== pane.runtime_id) return;
    this.outcome = outcome;
    if (outcome.mood === 'good' && this.text === text) this.text = '';
  }
}

customElements.define('prompt-box', PromptBox);
