// The states that a pane went through: a bar of the last hours, and each with how long it lasted.

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { safeText } from '../../render/safe-text.ts';
import type { HistoryEntry } from '../../schema/api/ledger.ts';
import type { PaneItem } from '../../schema/api/panes.ts';
import { formatAge } from '../../text/format-age.ts';
import { moodIcon } from '../components/icons.ts';
import { baseStyles, moodStyles } from '../components/styles.ts';
import { asProblem } from '../control/as-problem.ts';
import type { Dashboard } from '../control/dashboard.ts';
import { moodOfState, stateWord } from '../state/pane-words.ts';
import { timelineParts } from '../state/timeline.ts';

const HOUR_MS = 3_600_000;
const spans = [1, 6, 24] as const;
const ENTRIES_MAX = 300;
/** What could not be read is tried again so soon. */
const RETRY_MS = 2_000;

export class TimelineView extends LitElement {
  static override properties = {
    dashboard: { attribute: false },
    pane: { attribute: false },
    nowMs: { attribute: false },
    entries: { state: true },
    problem: { state: true },
    hours: { state: true },
  };
  static override styles = [
    baseStyles,
    moodStyles,
    css`
      :host {
        display: block;
        padding: 16px;
      }
      .bar {
        display: flex;
        justify-content: flex-end;
        height: 26px;
        border-radius: 6px;
        overflow: hidden;
        background: var(--quiet-back);
      }
      .bar i {
        background: var(--mood);
        min-width: 1px;
        border-right: 1px solid var(--back);
      }
      .bar .mood-idle,
      .bar .mood-none,
      .bar .mood-unknown {
        background: var(--line-strong);
      }
      .ends {
        display: flex;
        justify-content: space-between;
        font: var(--tiny) / 1.8 var(--mono);
        color: var(--dim);
      }
      .spans {
        display: flex;
        gap: 4px;
        justify-content: flex-end;
        margin-bottom: 8px;
      }
      .spans button[aria-pressed='true'] {
        background: var(--selected);
        border-color: var(--accent);
      }
      ol {
        margin: 16px 0 0;
        padding: 0;
        list-style: none;
      }
      li {
        display: grid;
        grid-template-columns: 20px minmax(0, 1fr) auto auto;
        gap: 12px;
        align-items: center;
        padding: 7px 4px;
        border-top: 1px solid var(--line);
        font-size: var(--small);
      }
      li > :first-child {
        color: var(--mood);
      }
      .state {
        color: var(--mood);
        font-weight: 550;
      }
      time,
      .lasted {
        font: var(--tiny) / 1.5 var(--mono);
        color: var(--dim);
        white-space: nowrap;
      }
      .lasted {
        min-width: 4ch;
        text-align: right;
      }
    `,
  ];

  declare dashboard: Dashboard;
  declare pane: PaneItem;
  declare nowMs: number;
  declare entries: readonly HistoryEntry[] | null;
  declare problem: string | null;
  declare hours: number;
  #readVersion = '';

  constructor() {
    super();
    this.entries = null;
    this.problem = null;
    this.hours = 6;
  }

  override willUpdate(changed: Map<string, unknown>): void {
    const before = changed.get('pane') as PaneItem | undefined;
    if (before && before.pane_key !== this.pane.pane_key) {
      this.entries = null;
      this.problem = null;
    }
    // Without a connection nothing can be read; it is when there is one.
    if (!this.dashboard.isLive) return;
    const { pane_key, state_version } = this.pane;
    const version = `${pane_key} ${state_version}`;
    if (version === this.#readVersion) return;
    this.#readVersion = version;
    void this.#read(version);
  }

  override render(): TemplateResult {
    const { entries, problem, hours, nowMs } = this;
    if (entries === null) return html`<p class="dim" role="status">${problem ?? 'Reading …'}</p>`;
    const parts = timelineParts(entries, { fromMs: nowMs - hours * HOUR_MS, nowMs });
    return html`<div class="spans" role="group" aria-label="How far back">
        ${spans.map(
          (each) =>
            html`<button
              aria-pressed=${each === hours}
              @click=${() => {
                this.hours = each;
              }}
            >
              ${each} h
            </button>`,
        )}
      </div>
      <div class="bar" aria-hidden="true">
        ${parts.map(
          ({ mood, share, state, fromMs, toMs }) =>
            html`<i
              class="mood-${mood}"
              style="width:${(share * 100).toFixed(3)}%"
              title="${stateWord(state)} for ${formatAge(toMs - fromMs)}"
            ></i>`,
        )}
      </div>
      <div class="ends" aria-hidden="true"><span>${hours} h ago</span><span>now</span></div>
      ${entries.length > 0 ? nothing : html`<p class="dim">Nothing is remembered of this pane.</p>`}
      <ol>
        ${entries.map((entry) => this.#entry(entry))}
      </ol>`;
  }

  #entry({ at, agent, state, reason_code, source, lasted_ms }: HistoryEntry): TemplateResult {
    const mood = agent === null ? 'none' : moodOfState(state);
    const notes = [reason_code, source].filter((each) => each !== null);
    const lasted = lasted_ms ?? this.nowMs - Date.parse(at);
    return html`<li class="mood-${mood}">
      <span>${moodIcon(mood)}</span>
      <span class="cut"
        ><span class="state">${agent === null ? 'no agent' : stateWord(state)}</span>
        <span class="dim"
          >${notes.map((each) => safeText(each ?? '')).join(' · ')}</span
        ></span
      >
      <time datetime=${at}>${new Date(at).toLocaleTimeString()}</time>
      <span class="lasted">${formatAge(lasted)}</span>
    </li>`;
  }

  #readAgain(version: string): void {
    if (version !== this.#readVersion) return;
    this.#readVersion = '';
    this.requestUpdate();
  }

  async #read(version: string): Promise<void> {
    try {
      const input = { ref: this.pane.ref, limit: ENTRIES_MAX };
      const { entries } = await this.dashboard.client.call('history', input);
      if (version === this.#readVersion) this.entries = entries;
    } catch (error) {
      if (version !== this.#readVersion) return;
      this.problem = asProblem(error).message;
      setTimeout(() => this.#readAgain(version), RETRY_MS);
    }
  }
}

customElements.define('timeline-view', TimelineView);
