// One pane: what it asks, its terminal, what was said, the states it went through, why it is in
// this one, and the prompt box.

import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { backgroundNotes, reasonText, usageText } from '../../render/pane-notes.ts';
import { safeText } from '../../render/safe-text.ts';
import type { PaneItem } from '../../schema/api/panes.ts';
import { ConfirmDialog } from '../components/confirm-dialog.ts';
import { icon, moodIcon } from '../components/icons.ts';
import { outcomeLine } from '../components/outcome-line.ts';
import type { PromptBox } from '../components/prompt-box.ts';
import { cardAge } from '../components/request-card.ts';
import { baseStyles, moodStyles } from '../components/styles.ts';
import type { Dashboard } from '../control/dashboard.ts';
import type { OutcomeWords } from '../state/action-words.ts';
import { inboxItemsOf, inboxKey, isSnoozed, shownKey } from '../state/open-requests.ts';
import {
  ageText,
  moodOf,
  pageView,
  paneAbout,
  paneName,
  paneOtherPlace,
  panePlace,
  paneStateWords,
  shownSince,
} from '../state/pane-words.ts';
import { Places } from '../state/read-clock.ts';
import { type PaneTab, paneTabs, routeHash } from '../state/route.ts';
import { panePageStyles } from './pane-styles.ts';

const tabTitles: Readonly<Record<PaneTab, string>> = {
  terminal: 'Terminal',
  conversation: 'Conversation',
  timeline: 'Timeline',
  explain: 'Explain',
};

export class PanePage extends LitElement {
  static override properties = {
    dashboard: { attribute: false },
    pane: { attribute: false },
    tab: { attribute: false },
    canAct: { attribute: false },
    nowMs: { attribute: false },
    tick: { attribute: false },
    outcome: { state: true },
  };
  static override styles = [baseStyles, moodStyles, panePageStyles];

  declare dashboard: Dashboard;
  declare pane: PaneItem;
  declare tab: PaneTab;
  declare canAct: boolean;
  declare nowMs: number;
  declare tick: number;
  declare outcome: OutcomeWords | null;
  readonly #places = new Places();

  constructor() {
    super();
    this.outcome = null;
  }

  focusPrompt(): void {
    this.renderRoot.querySelector<PromptBox>('prompt-box')?.focus();
  }

  override willUpdate(changed: Map<string, unknown>): void {
    const before = changed.get('pane') as PaneItem | undefined;
    if (before && before.pane_key !== this.pane.pane_key) this.outcome = null;
  }

  override render(): TemplateResult {
    const { dashboard, pane, canAct } = this;
    const items = inboxItemsOf(pane);
    const places = this.#places.of(items.map(shownKey));
    const isBusy = dashboard.running.has(pane.pane_key);
    return html`<div class="body">
        ${this.#header()}
        ${this.outcome ? outcomeLine(this.outcome) : nothing}
        ${
          items.length === 0
            ? nothing
            : html`<div class="requests">
              ${repeat(
                items,
                inboxKey,
                (each, index) => html`<request-card
                  .dashboard=${dashboard}
                  .item=${each}
                  .place=${places[index] ?? 0}
                  .age=${cardAge(each, this.nowMs)}
                  .isBusy=${isBusy}
                  .canAct=${canAct}
                  .withPane=${false}
                ></request-card>`,
              )}
            </div>`
        }
        <nav aria-label="Views of the pane">
          ${paneTabs.map(
            (tab) => html`<a
              href=${routeHash({ page: 'pane', ref: pane.ref, tab })}
              aria-current=${tab === this.tab ? 'page' : 'false'}
              >${tabTitles[tab]}</a
            >`,
          )}
        </nav>
        <div class="tab" role="region" tabindex="0" aria-label=${tabTitles[this.tab]}>
          ${this.#tab()}
        </div>
      </div>
      <div class="prompt">
        <prompt-box
          .dashboard=${dashboard}
          .pane=${pane}
          .isBusy=${isBusy}
          .canAct=${canAct}
        ></prompt-box>
      </div>
      <confirm-dialog></confirm-dialog>`;
  }

  #header(): TemplateResult {
    const { pane, nowMs } = this;
    const { current_path: path } = pane;
    const mood = moodOf(pane);
    const view = pageView(nowMs);
    const facts = [
      ...[reasonText(view, pane), pane.agent, paneOtherPlace(pane), pane.git_branch],
      ...[...backgroundNotes(pane), usageText(pane)],
    ].filter((each) => each !== null && each !== '');
    return html`<header>
      <a class="button plain icon back" href=${routeHash({ page: 'fleet' })} aria-label="All panes"
        >${icon('back')}</a
      >
      <h1>
        <span class="name">${paneName(pane)}</span>
        <span class="about cut">${paneAbout(pane)}</span>
      </h1>
      <div class="actions">${this.#actions()}</div>
      <div class="facts">
        <span class="state mood-${mood}"
          >${moodIcon(mood)}${paneStateWords(pane)} ${ageText(shownSince(pane), nowMs)}</span
        >
        ${facts.map((each) => html`<span class="cut">${safeText(each ?? '')}</span>`)}
        ${path ? html`<span class="cut path">${safeText(path)}</span>` : nothing}
      </div>
      ${this.#words()}
    </header>`;
  }

  /** What was written last; the conversation has the whole texts. */
  #words(): TemplateResult | typeof nothing {
    const { prompt, message } = this.pane.activity;
    if (this.tab === 'conversation' || (prompt === null && message === null)) return nothing;
    const line = (label: string, text: string | null) =>
      text === null
        ? nothing
        : html`<div class="cut"><dt>${label}</dt> <dd>${safeText(text)}</dd></div>`;
    return html`<dl class="words">${line('prompt', prompt)}${line('message', message)}</dl>`;
  }

  #actions(): TemplateResult | typeof nothing {
    const { pane, canAct } = this;
    if (pane.agent === null) return nothing;
    const hasNews = pane.attention.requests.some(
      ({ kind, seen }) => kind !== 'approval' && kind !== 'question' && !seen,
    );
    const button = (
      name: 'stop' | 'kill' | 'snooze' | 'check',
      title: string,
      act: () => void,
    ): TemplateResult => html`<button
      class=${name === 'kill' ? 'danger' : ''}
      title=${title}
      aria-label=${title}
      ?disabled=${!canAct}
      @click=${act}
    >
      ${icon(name)}<span>${title}</span>
    </button>`;
    return html`${hasNews ? button('check', 'Seen', () => this.#markSeen()) : nothing}
    ${pane.state === 'running' ? button('stop', 'Interrupt', () => this.#interrupt()) : nothing}
    ${isSnoozed(pane) ? button('snooze', 'Bring back', () => this.#bringBack()) : nothing}
    ${button('kill', 'Kill', () => this.#kill())}`;
  }

  #tab(): TemplateResult {
    const { dashboard, pane, nowMs } = this;
    switch (this.tab) {
      case 'terminal':
        return html`<terminal-view
          .dashboard=${dashboard}
          .pane=${pane}
          .canAct=${dashboard.canAct}
          .isLive=${dashboard.isLive}
        ></terminal-view>`;
      case 'conversation':
        return html`<conversation-view .dashboard=${dashboard} .pane=${pane}></conversation-view>`;
      case 'timeline':
        return html`<timeline-view
          .dashboard=${dashboard}
          .pane=${pane}
          .nowMs=${nowMs}
        ></timeline-view>`;
      case 'explain':
        return html`<ledger-view
          .dashboard=${dashboard}
          .pane=${pane}
          .nowMs=${nowMs}
        ></ledger-view>`;
    }
  }

  get #dialog(): ConfirmDialog {
    const found = this.renderRoot.querySelector('confirm-dialog');
    if (!(found instanceof ConfirmDialog)) throw new Error('the page has no dialog');
    return found;
  }

  async #interrupt(): Promise<void> {
    const { pane } = this;
    const chosen = await this.#dialog.ask({
      title: `Interrupt ${safeText(pane.agent ?? '')}?`,
      text: `The turn of ${panePlace(pane)} ends; what it has done so far stays.`,
      choices: [{ value: 'yes', label: 'Interrupt' }],
    });
    if (chosen !== null) this.outcome = await this.dashboard.interrupt(pane);
  }

  async #kill(): Promise<void> {
    const { pane } = this;
    const chosen = await this.#dialog.ask({
      title: `Kill ${safeText(pane.agent ?? '')} in ${panePlace(pane)}?`,
      text: 'The agent and all that it started get the signal. The shell of the pane lives on.',
      choices: [
        { value: 'INT', label: 'SIGINT' },
        { value: 'TERM', label: 'SIGTERM' },
        { value: 'KILL', label: 'SIGKILL' },
      ],
    });
    if (chosen === 'INT' || chosen === 'TERM' || chosen === 'KILL') {
      this.outcome = await this.dashboard.kill(pane, chosen);
    }
  }

  async #markSeen(): Promise<void> {
    this.outcome = await this.dashboard.markSeen(this.pane);
  }

  async #bringBack(): Promise<void> {
    this.outcome = await this.dashboard.snooze(this.pane, null);
  }
}

customElements.define('pane-page', PanePage);
