// What one agent asks: the command, the diff or the question, and a button for each option by its
// label. What is sent names what was shown, so that an answer never meets another question.

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { unreadText } from '../../render/pane-notes.ts';
import { safeText } from '../../render/safe-text.ts';
import type { ChooseInput } from '../../schema/api/acting.ts';
import type { PaneItem } from '../../schema/api/panes.ts';
import type { Dashboard } from '../control/dashboard.ts';
import type { OutcomeWords } from '../state/action-words.ts';
import {
  hasCheckboxes,
  type InboxItem,
  isSnoozed,
  optionMood,
  shownKey,
} from '../state/open-requests.ts';
import { ageText, paneAbout, paneName, paneOtherPlace } from '../state/pane-words.ts';
import { ReadClock } from '../state/read-clock.ts';
import { routeHash } from '../state/route.ts';
import { icon, moodIcon } from './icons.ts';
import { outcomeLine } from './outcome-line.ts';
import { baseStyles, moodStyles } from './styles.ts';
import { multiline, textBlock, textBlockStyles } from './text-block.ts';

const SNOOZE_MS = 30 * 60_000;

export class RequestCard extends LitElement {
  static override properties = {
    dashboard: { attribute: false },
    item: { attribute: false },
    place: { attribute: false },
    age: { attribute: false },
    isBusy: { attribute: false },
    canAct: { attribute: false },
    withPane: { attribute: false },
    outcome: { state: true },
    isOpen: { state: true },
    isRead: { state: true },
  };
  static override styles = [
    baseStyles,
    moodStyles,
    textBlockStyles,
    css`
      article {
        border: 1px solid var(--line);
        border-left: 4px solid var(--mood);
        border-radius: var(--radius);
        background: var(--surface);
        padding: 12px 14px 10px;
        display: grid;
        gap: 10px;
      }
      header {
        display: flex;
        align-items: center;
        gap: 8px;
        min-width: 0;
        font-size: var(--small);
      }
      .kind {
        display: inline-flex;
        align-items: center;
        gap: 6px;
        color: var(--mood);
        font-weight: 650;
        white-space: nowrap;
      }
      .age {
        margin-left: auto;
        color: var(--dim);
        font: var(--tiny) / 1.5 var(--mono);
        white-space: nowrap;
      }
      .who {
        overflow-wrap: anywhere;
        color: var(--text);
        font-weight: 550;
        text-decoration: none;
      }
      header .dim {
        flex: 1 1 0;
      }
      .who:hover {
        text-decoration: underline;
      }
      .text {
        white-space: pre-wrap;
        overflow-wrap: anywhere;
        font-size: 0.9375rem;
      }
      .label {
        color: var(--dim);
        font-size: var(--tiny);
        margin-bottom: 3px;
      }
      .options {
        display: flex;
        flex-wrap: wrap;
        gap: 8px;
      }
      .options button {
        text-align: left;
        justify-content: flex-start;
        max-width: 100%;
        overflow-wrap: anywhere;
      }
      .options .number {
        font: var(--tiny) / 1 var(--mono);
        opacity: 0.75;
      }
      label.several {
        display: flex;
        gap: 8px;
        align-items: center;
        min-height: 34px;
        font-size: var(--small);
        flex-basis: 100%;
      }
      form {
        display: flex;
        gap: 8px;
      }
      footer {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0 4px;
        margin: -4px -10px -4px;
      }
      footer button {
        color: var(--dim);
      }
      footer .outcome {
        flex: 1 1 200px;
        padding: 0 10px;
      }
      footer .outcome.none {
        flex: 0;
        padding: 0;
      }
      @media (max-width: 560px) {
        /* Whose request it is has a line of its own, or both would be cut. */
        header {
          flex-wrap: wrap;
          row-gap: 4px;
        }
        header .who {
          flex: 1;
          font-size: 0.9375rem;
        }
        header .age {
          margin-left: 0;
        }
        header .dim {
          flex: 1 0 100%;
          order: 1;
        }
        header .kind:has(+ .age) {
          flex: 1;
        }
        .options button {
          flex: 1 1 100%;
        }
      }
    `,
  ];

  declare dashboard: Dashboard;
  declare item: InboxItem;
  /** Another number whenever it moved, so that what is pressed there was meant for another one. */
  declare place: number;
  declare age: string;
  declare isBusy: boolean;
  declare canAct: boolean;
  /** Whether the card names its agent, as where cards of many stand together. */
  declare withPane: boolean;
  declare outcome: OutcomeWords | null;
  declare isOpen: boolean;
  /** Whether what it says stood there long enough to be read; else nothing can be chosen. */
  declare isRead: boolean;
  readonly #readClock = new ReadClock();

  constructor() {
    super();
    this.place = 0;
    this.withPane = true;
    this.canAct = true;
    this.outcome = null;
    this.isOpen = false;
    this.isRead = false;
  }

  override willUpdate(): void {
    const shown = `${this.place}\n${shownKey(this.item)}`;
    if (!this.#readClock.show(shown)) return;
    this.isRead = false;
    // The second frame begins when the first one was shown.
    requestAnimationFrame(() => {
      requestAnimationFrame(() => {
        this.#readClock.drawn(shown, performance.now());
        this.#untilRead();
      });
    });
  }

  /** Chooses the option of that place, from 1 on; for keys. */
  chooseNumber(place: number): void {
    const option = this.item.request.detail?.options?.[place - 1];
    if (option && !hasCheckboxes(this.item.request)) void this.#choose({ label: option.label });
  }

  #untilRead(): void {
    const leftMs = this.#readClock.leftMs(performance.now());
    if (leftMs === 0) this.isRead = true;
    // Words that are not drawn yet begin anew by themselves.
    else if (Number.isFinite(leftMs)) setTimeout(() => this.#untilRead(), leftMs);
  }

  /** Whether nothing can be chosen now. */
  get #isOff(): boolean {
    return this.isBusy || !this.canAct || !this.isRead;
  }

  override render() {
    const { pane, request } = this.item;
    const { kind, detail, note } = request;
    const mood = kind === 'approval' ? 'approval' : 'question';
    const ref = routeHash({ page: 'pane', ref: pane.ref, tab: 'terminal' });
    const words = [detail?.text, note].filter((each) => each !== undefined);
    return html`<article class="mood-${mood}" aria-label="${kind} of ${paneName(pane)}">
      <header>
        <span class="kind">${moodIcon(mood)}${kind}</span>
        ${
          this.withPane
            ? html`<a class="who" href=${ref}>${paneName(pane)}</a>
              <span class="dim cut">${factsOf(pane).join(' · ')}</span>`
            : nothing
        }
        <span class="age">${isSnoozed(pane) ? 'put off' : `for ${this.age}`}</span>
      </header>
      ${block(detail?.tool ?? 'command', detail?.command)}
      ${block('file', detail?.file)}
      ${words.map((text) => html`<p class="text">${multiline(text)}</p>`)}
      ${this.#options()} ${this.#wayToPane(words.length > 0)}
      ${this.isOpen ? this.#own() : nothing}
      <footer>
        ${
          kind === 'approval' || request.takes_text
            ? html`<button class="plain" ?disabled=${this.isBusy} @click=${() => this.#toggle()}>
              ${kind === 'approval' ? 'Deny with a reason' : 'Answer in your own words'}
            </button>`
            : nothing
        }
        <button class="plain" @click=${() => this.#snooze()}>
          ${icon('snooze')}${isSnoozed(pane) ? 'Bring back' : 'Put off 30 min'}
        </button>
        ${outcomeLine(this.outcome)}
      </footer>
    </article>`;
  }

  /** What cannot be answered here, or not be read, is on the screen of the agent. */
  #wayToPane(hasWords: boolean): TemplateResult | typeof nothing {
    const { pane, request } = this.item;
    const { kind, detail } = request;
    const isRead = hasWords || detail?.command !== undefined || detail?.file !== undefined;
    const hasOptions = (detail?.options ?? []).length > 0;
    if (isRead && (hasOptions || request.takes_text)) return nothing;
    const ref = routeHash({ page: 'pane', ref: pane.ref, tab: 'terminal' });
    return html`${isRead ? nothing : html`<p class="text">${safeText(unreadText(kind, pane))}</p>`}
    ${
      this.withPane
        ? html`<div class="options"><a class="button" href=${ref}>Open the pane</a></div>`
        : nothing
    }`;
  }

  #options(): TemplateResult {
    const { request } = this.item;
    const options = request.detail?.options ?? [];
    const isOff = this.#isOff;
    if (options.length === 0) {
      if (request.kind !== 'approval') return html``;
      const choose = (role: 'approve' | 'deny') => (): void => void this.#choose({ role });
      return html`<div class="options">
        <button class="primary" ?disabled=${isOff} @click=${choose('approve')}>
          Approve
        </button>
        <button class="danger" ?disabled=${isOff} @click=${choose('deny')}>
          Deny
        </button>
      </div>`;
    }
    if (hasCheckboxes(request)) return this.#several();
    return html`<div class="options" role="group" aria-label="Options">
      ${options.map(({ label }, index) => {
        const mood = optionMood(label);
        const looks = { yes: index === 0 ? 'primary' : '', no: 'danger', other: '' }[mood];
        return html`<button
          class=${looks}
          ?disabled=${isOff}
          @click=${() => this.#choose({ label })}
        >
          <span class="number" aria-hidden="true">${index + 1}</span>${safeText(label)}
        </button>`;
      })}
    </div>`;
  }

  #several(): TemplateResult {
    const options = this.item.request.detail?.options ?? [];
    const submit = (event: Event): void => {
      event.preventDefault();
      const chosen = [...this.renderRoot.querySelectorAll<HTMLInputElement>('.several input')];
      const labels = options.filter((_, index) => chosen[index]?.checked).map(({ label }) => label);
      if (labels.length > 0) void this.#choose({ labels });
    };
    return html`<form class="options" @submit=${submit}>
      ${options.map(
        ({ label, checked }) =>
          html`<label class="several"
            ><input type="checkbox" ?checked=${checked ?? false} />${safeText(label)}</label
          >`,
      )}
      <button class="primary" ?disabled=${this.#isOff}>Answer</button>
    </form>`;
  }

  #own(): TemplateResult {
    const isApproval = this.item.request.kind === 'approval';
    const label = isApproval ? 'Why not' : 'Your answer';
    const submit = (event: SubmitEvent): void => {
      event.preventDefault();
      const field = this.renderRoot.querySelector<HTMLInputElement>('#own');
      const text = field?.value.trim() ?? '';
      if (text === '') return;
      void this.#choose(
        isApproval ? { role: 'deny', text, as_prompt: true } : { role: 'own_answer', text },
      );
    };
    return html`<form @submit=${submit}>
      <input id="own" type="text" maxlength="1000" aria-label=${label} placeholder=${label} />
      <button class=${isApproval ? 'danger' : 'primary'} ?disabled=${this.#isOff}>
        ${isApproval ? 'Deny' : 'Answer'}
      </button>
    </form>`;
  }

  #toggle(): void {
    this.isOpen = !this.isOpen;
    void this.updateComplete.then(() => {
      this.renderRoot.querySelector<HTMLInputElement>('#own')?.focus();
    });
  }

  async #choose(choice: ChooseInput['choice']): Promise<void> {
    if (this.#isOff) return;
    this.outcome = null;
    this.outcome = await this.dashboard.choose(this.item, choice);
  }

  async #snooze(): Promise<void> {
    const { pane } = this.item;
    this.outcome = await this.dashboard.snooze(pane, isSnoozed(pane) ? null : SNOOZE_MS);
  }
}

const factsOf = (pane: PaneItem): readonly string[] =>
  [safeText(pane.agent ?? ''), paneOtherPlace(pane), paneAbout(pane)].filter(Boolean);

function block(label: string, text: string | undefined): TemplateResult | typeof nothing {
  if (text === undefined || text === '') return nothing;
  return html`<div>
    <div class="label">${safeText(label)}</div>
    ${textBlock(label, text)}
  </div>`;
}

/** The age of a request as its card shows it. */
export const cardAge = ({ request }: InboxItem, nowMs: number): string =>
  ageText(request.since, nowMs);

customElements.define('request-card', RequestCard);
