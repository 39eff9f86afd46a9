// Why a pane is in its state: each source with what it claims, who won, why the others lost, and
// the latest events.

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { safeText } from '../../render/safe-text.ts';
import type { Explanation, LedgerClaim } from '../../schema/api/ledger.ts';
import type { PaneItem } from '../../schema/api/panes.ts';
import { formatAge } from '../../text/format-age.ts';
import { baseStyles, moodStyles } from '../components/styles.ts';
import { asProblem } from '../control/as-problem.ts';
import type { Dashboard } from '../control/dashboard.ts';
import { ageText, stateWord } from '../state/pane-words.ts';

const EVENTS_MAX = 50;
/** What could not be read is tried again so soon. */
const RETRY_MS = 2_000;

export class LedgerView extends LitElement {
  static override properties = {
    dashboard: { attribute: false },
    pane: { attribute: false },
    nowMs: { attribute: false },
    explanation: { state: true },
    problem: { state: true },
  };
  static override styles = [
    baseStyles,
    moodStyles,
    css`
      :host {
        display: block;
        padding: 16px;
      }
      .why {
        font-size: 0.9375rem;
        margin-bottom: 14px;
        overflow-wrap: anywhere;
      }
      h3 {
        font-size: var(--small);
        color: var(--dim);
        font-weight: 550;
        margin: 20px 0 6px;
      }
      li {
        padding: 9px 0;
        border-top: 1px solid var(--line);
        font-size: var(--small);
        display: grid;
        gap: 2px;
      }
      .head {
        display: flex;
        gap: 10px;
        align-items: baseline;
      }
      .source {
        font-weight: 600;
      }
      .outcome {
        font-size: var(--tiny);
        font-weight: 600;
        padding: 1px 7px;
        border-radius: 999px;
        color: var(--mood);
        background: var(--mood-back);
        white-space: nowrap;
      }
      .at {
        margin-left: auto;
        font: var(--tiny) / 1.5 var(--mono);
        color: var(--dim);
        white-space: nowrap;
      }
    `,
  ];

  declare dashboard: Dashboard;
  declare pane: PaneItem;
  declare nowMs: number;
  declare explanation: Explanation | null;
  declare problem: string | null;
  #readVersion = '';

  constructor() {
    super();
    this.explanation = null;
    this.problem = null;
  }

  override willUpdate(changed: Map<string, unknown>): void {
    const before = changed.get('pane') as PaneItem | undefined;
    if (before && before.pane_key !== this.pane.pane_key) {
      this.explanation = null;
      this.problem = null;
    }
    // Without a connection nothing can be read; it is when there is one.
    if (!this.dashboard.isLive) return;
    const { pane_key, row_seq } = this.pane;
    const version = `${pane_key} ${row_seq}`;
    if (version === this.#readVersion) return;
    this.#readVersion = version;
    void this.#read(version);
  }

  override render(): TemplateResult {
    const { explanation, problem, nowMs } = this;
    if (explanation === null) {
      return html`<p class="dim" role="status">${problem ?? 'Reading …'}</p>`;
    }
    const { why, claims, events } = explanation;
    return html`<p class="why">${safeText(why)}</p>
      <h3>What each source says</h3>
      ${claims.length === 0 ? html`<p class="dim">No source claims anything.</p>` : nothing}
      <ul>
        ${claims.map((claim) => claimItem(claim))}
      </ul>
      <h3>Latest events</h3>
      <ul>
        ${events.map(
          ({ type, source, summary, event_time, disposition }) => html`<li>
            <span class="head"
              ><span class="source">${safeText(source ?? type)}</span>
              <span class="dim">${safeText(disposition ?? '')}</span>
              <span class="at">${ageText(event_time, nowMs)} ago</span></span
            >
            <span class="dim">${safeText(summary)}</span>
          </li>`,
        )}
      </ul>`;
  }

  #readAgain(version: string): void {
    if (version !== this.#readVersion) return;
    this.#readVersion = '';
    this.requestUpdate();
  }

  async #read(version: string): Promise<void> {
    try {
      const input = { ref: this.pane.ref, events: EVENTS_MAX };
      const explanation = await this.dashboard.client.call('explain', input);
      if (version === this.#readVersion) this.explanation = explanation;
    } catch (error) {
      if (version !== this.#readVersion) return;
      this.problem = asProblem(error).message;
      setTimeout(() => this.#readAgain(version), RETRY_MS);
    }
  }
}

const outcomeMoods: Readonly<Record<string, string>> = { won: 'running', supports: 'completed' };

function claimItem(claim: LedgerClaim): TemplateResult {
  const { source, says, outcome, why, age_ms: ageMs, channel_status: channel, rule } = claim;
  return html`<li class="mood-${outcomeMoods[outcome] ?? 'idle'}">
    <span class="head"
      ><span class="source">${safeText(source)}</span>
      <span>${says === null ? 'says nothing' : stateWord(says)}</span>
      <span class="outcome">${stateWord(outcome)}</span>
      <span class="at">${ageMs === null ? '' : `${formatAge(ageMs)} old`}</span></span
    >
    <span class="dim"
      >${[why, rule === null ? '' : `rule ${rule}`, channel === 'fresh' ? '' : `channel ${channel}`]
        .filter((each) => each !== '')
        .map((each) => safeText(each))
        .join(' · ')}</span
    >
  </li>`;
}

customElements.define('ledger-view', LedgerView);
