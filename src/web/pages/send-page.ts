// One prompt for many agents: who gets it, the text, and what came of it for each.

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { safeText } from '../../render/safe-text.ts';
import type { PaneItem } from '../../schema/api/panes.ts';
import { byPlace } from '../../schema/order/order.ts';
import { moodIcon } from '../components/icons.ts';
import { outcomeLine } from '../components/outcome-line.ts';
import { baseStyles, moodStyles, pageStyles } from '../components/styles.ts';
import type { Dashboard } from '../control/dashboard.ts';
import type { OutcomeWords } from '../state/action-words.ts';
import type { PromptMoment } from '../state/drafts.ts';
import type { Fleet } from '../state/fleet.ts';
import { fleetSections, listOrder, noFilter } from '../state/fleet-list.ts';
import {
  moodOf,
  paneAbout,
  paneName,
  paneOtherPlace,
  paneStateWords,
} from '../state/pane-words.ts';

/** More at once would only wait in the daemon. */
const AT_ONCE = 4;

export class SendPage extends LitElement {
  static override properties = {
    dashboard: { attribute: false },
    fleet: { attribute: false },
    canAct: { attribute: false },
    tick: { attribute: false },
    chosen: { state: true },
    outcomes: { state: true },
    text: { state: true },
    moment: { state: true },
    isSending: { state: true },
  };
  static override styles = [
    ...[baseStyles, pageStyles, moodStyles],
    css`
      form {
        max-width: 820px;
        margin: 0 auto;
        display: grid;
        gap: 12px;
      }
      ul {
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--surface);
        max-height: 50vh;
        overflow-y: auto;
      }
      li + li {
        border-top: 1px solid var(--line);
      }
      li label {
        display: grid;
        grid-template-columns: auto 16px minmax(0, 1fr) auto;
        gap: 10px;
        align-items: center;
        padding: 8px 12px;
        min-height: 42px;
        font-size: var(--small);
        cursor: pointer;
      }
      .mark,
      .state {
        color: var(--mood);
      }
      .state {
        font-weight: 550;
      }
      li .outcome {
        padding: 0 12px 6px 50px;
      }
      .under {
        display: flex;
        gap: 12px;
        align-items: center;
        justify-content: flex-end;
        font-size: var(--small);
      }
      .under label {
        display: flex;
        gap: 6px;
        align-items: center;
        margin-right: auto;
        color: var(--dim);
      }
    `,
  ];

  declare dashboard: Dashboard;
  declare fleet: Fleet;
  declare canAct: boolean;
  declare tick: number;
  declare chosen: ReadonlySet<string>;
  declare outcomes: ReadonlyMap<string, OutcomeWords>;
  declare text: string;
  declare moment: PromptMoment;
  declare isSending: boolean;

  constructor() {
    super();
    this.chosen = new Set();
    this.outcomes = new Map();
    this.text = '';
    this.moment = 'idle';
    this.isSending = false;
  }

  override render(): TemplateResult {
    const agents = this.#agents();
    const count = agents.filter((pane) => this.chosen.has(keyOf(pane))).length;
    const isAll = count === agents.length && count > 0;
    const cannot = !this.canAct || this.isSending || count === 0 || this.text.trim() === '';
    return html`<form @submit=${this.#submit}>
      <h1>Send to many</h1>
      ${agents.length === 0 ? html`<p class="dim">No agent runs now.</p>` : nothing}
      <ul aria-label="Agents">
        ${repeat(agents, keyOf, (pane) => this.#row(pane))}
      </ul>
      <textarea
        rows="4"
        aria-label="Prompt"
        placeholder="The same prompt for each of them"
        .value=${this.text}
        @input=${(event: Event) => {
          this.text = (event.target as HTMLTextAreaElement).value;
        }}
      ></textarea>
      <div class="under">
        <label
          ><input
            type="checkbox"
            .checked=${this.moment === 'idle'}
            @change=${(event: Event) => {
              this.moment = (event.target as HTMLInputElement).checked ? 'idle' : 'now';
            }}
          />
          when each rests</label
        >
        <button type="button" @click=${() => this.#chooseAll(!isAll)}>
          ${isAll ? 'Choose none' : 'Choose all'}
        </button>
        <button class="primary" ?disabled=${cannot}>
          ${count === 0 ? 'Send' : `Send to ${count}`}
        </button>
      </div>
    </form>`;
  }

  /** By their places: no row moves away from under a finger because a state has changed. */
  #agents(): readonly PaneItem[] {
    const list = { filter: noFilter, grouping: 'agent', withShells: false } as const;
    return listOrder(fleetSections(this.fleet, list))
      .filter(({ agent }) => agent !== null)
      .toSorted(byPlace);
  }

  #row(pane: PaneItem): TemplateResult {
    const key = keyOf(pane);
    const mood = moodOf(pane);
    const outcome = this.outcomes.get(key);
    return html`<li class="mood-${mood}">
      <label
        ><input
          type="checkbox"
          .checked=${this.chosen.has(key)}
          @change=${(event: Event) => this.#choose(key, (event.target as HTMLInputElement).checked)}
        /><span class="mark">${moodIcon(mood)}</span
        ><span class="cut"
          >${paneName(pane)} <span class="dim">${factsOf(pane)}</span></span
        ><span class="state">${paneStateWords(pane)}</span></label
      >
      ${outcome ? outcomeLine(outcome) : nothing}
    </li>`;
  }

  #choose(key: string, isChosen: boolean): void {
    const chosen = new Set(this.chosen);
    if (isChosen) chosen.add(key);
    else chosen.delete(key);
    this.chosen = chosen;
  }

  #chooseAll(isChosen: boolean): void {
    this.chosen = new Set(isChosen ? this.#agents().map(keyOf) : []);
  }

  async #submit(event: Event): Promise<void> {
    event.preventDefault();
    const { text, moment } = this;
    const left = this.#agents().filter((pane) => this.chosen.has(keyOf(pane)));
    this.isSending = true;
    this.outcomes = new Map();
    const next = async (): Promise<void> => {
      for (let pane = left.shift(); pane; pane = left.shift()) {
        const outcome = await this.dashboard.send(pane, text, moment);
        this.outcomes = new Map(this.outcomes).set(keyOf(pane), outcome);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
    this.isSending = false;
    // Sent once more by mistake, it would be typed twice.
    const areGood = [...this.outcomes.values()].every(({ mood }) => mood === 'good');
    if (areGood && this.text === text) this.text = '';
  }
}

const factsOf = (pane: PaneItem): string =>
  [safeText(pane.agent ?? ''), paneOtherPlace(pane), paneAbout(pane)].filter(Boolean).join(' · ');

/** An agent that was started anew in the same pane was not chosen. */
const keyOf = ({ runtime_id: runtime, pane_key: key }: PaneItem): string => runtime ?? key;

customElements.define('send-page', SendPage);
