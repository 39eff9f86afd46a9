// The list of all panes: counts, search, filters, and the sections with their rows.

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { outageLine } from '../../render/outages.ts';
import { safeText } from '../../render/safe-text.ts';
import { icon } from '../components/icons.ts';
import { rowAge } from '../components/pane-row.ts';
import { baseStyles, moodStyles } from '../components/styles.ts';
import type { Dashboard } from '../control/dashboard.ts';
import type { Fleet } from '../state/fleet.ts';
import {
  agentChoices,
  type FilterChoice,
  type FleetFilter,
  type FleetSection,
  isFiltered,
  listGroupings,
  noFilter,
  stateChoices,
  targetChoices,
} from '../state/fleet-list.ts';
import { moodOfState, pageView } from '../state/pane-words.ts';

export class FleetList extends LitElement {
  static override properties = {
    dashboard: { attribute: false },
    fleet: { attribute: false },
    sections: { attribute: false },
    filter: { attribute: false },
    selected: { attribute: false },
    nowMs: { attribute: false },
    tick: { attribute: false },
  };
  static override styles = [
    baseStyles,
    moodStyles,
    css`
      :host {
        display: flex;
        flex-direction: column;
        min-height: 0;
        height: 100%;
      }
      .tools {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 8px;
        padding: 10px 12px;
        border-bottom: 1px solid var(--line);
      }
      .search {
        position: relative;
      }
      .search svg {
        position: absolute;
        left: 10px;
        top: 50%;
        translate: 0 -50%;
        color: var(--dim);
      }
      .search input {
        padding-left: 32px;
      }
      .chips {
        display: flex;
        flex-wrap: wrap;
        gap: 6px;
      }
      .chips button {
        min-height: 30px;
        padding: 2px 9px;
        border-radius: 999px;
        white-space: nowrap;
        border-color: var(--line);
        flex: none;
      }
      .chips button b {
        color: var(--mood);
        font: 650 var(--small) / 1 var(--mono);
      }
      .chips button[aria-pressed='true'] {
        background: var(--mood-back);
        border-color: var(--mood);
      }
      @media (max-width: 560px) {
        .chips {
          gap: 5px;
        }
        .chips button {
          min-height: 36px;
          padding: 2px 10px;
          font-size: var(--tiny);
        }
        /* One line of them, which a finger moves: the rest is for the agents. */
        .chips {
          flex-wrap: nowrap;
          overflow-x: auto;
          scrollbar-width: none;
          margin: 0 -12px;
          padding: 2px 12px;
        }
      }
      .selects {
        display: flex;
        gap: 8px;
      }
      .selects select {
        width: auto;
        flex: 1 1 auto;
        min-width: 0;
        min-height: 30px;
        font-size: var(--tiny);
        color: var(--dim);
        padding: 2px 6px;
        border-color: var(--line);
      }
      @media (pointer: coarse) {
        .selects {
          gap: 5px;
        }
        .selects select {
          min-height: 40px;
          padding: 2px;
          /* Smaller text makes phones zoom in. */
          font-size: 16px;
        }
      }
      .rows {
        flex: 1;
        overflow-y: auto;
        padding: 4px 6px calc(12px + env(safe-area-inset-bottom));
        overscroll-behavior: contain;
      }
      h2 {
        position: sticky;
        top: -4px;
        z-index: 1;
        background: var(--back);
        font-size: var(--tiny);
        font-weight: 600;
        color: var(--dim);
      }
      h2 .title {
        display: block;
        padding: 8px 12px 5px;
      }
      h2 button {
        width: 100%;
        justify-content: flex-start;
        border: 0;
        background: none;
        color: inherit;
        font: inherit;
        min-height: 30px;
        padding: 4px 12px;
      }
      h2.needs {
        color: var(--approval);
      }
      h2 .count {
        font: 600 var(--tiny) / 1 var(--mono);
      }
      h2 button[aria-expanded='false'] svg {
        rotate: -90deg;
      }
      .outage {
        margin: 6px 6px 0;
        padding: 8px 10px;
        border-radius: var(--radius);
        font-size: var(--small);
        color: var(--error);
        background: var(--error-back);
        overflow-wrap: anywhere;
      }
      .empty {
        padding: 32px 20px;
        text-align: center;
        color: var(--dim);
        display: grid;
        gap: 10px;
        justify-items: center;
      }
      code {
        font: var(--small) / 1 var(--mono);
        color: var(--text);
      }
    `,
  ];

  declare dashboard: Dashboard;
  declare fleet: Fleet;
  declare sections: readonly FleetSection[];
  declare filter: FleetFilter;
  declare selected: string | null;
  declare nowMs: number;
  /** Changes when something changed that no other property has. */
  declare tick: number;

  focusSearch(): void {
    const field = this.renderRoot.querySelector('input');
    field?.focus();
    field?.select();
  }

  override render(): TemplateResult {
    const { fleet, sections, nowMs } = this;
    const { grouping } = this.dashboard.preferences;
    const view = pageView(nowMs);
    return html`<div class="tools">
        <div class="search">
          ${icon('search')}
          <input
            type="search"
            placeholder="Search panes, prompts, branches …"
            aria-label="Search the fleet"
            .value=${this.filter.text}
            @input=${this.#search}
          />
        </div>
        <div class="chips" role="group" aria-label="Filter by state">
          ${stateChoices(fleet).map((choice) => this.#chip(choice))}
        </div>
        <div class="selects">
          ${this.#select('target', 'All machines', targetChoices(fleet))}
          ${this.#select('agent', 'All agents', agentChoices(fleet))}
          <select aria-label="Group by" @change=${this.#group}>
            ${listGroupings.map(
              (each) =>
                html`<option value=${each} ?selected=${each === grouping}>
                  by ${each}
                </option>`,
            )}
          </select>
        </div>
      </div>
      <div class="rows">
        ${fleet.outages.map(
          (outage) => html`<p class="outage">${safeText(outageLine(view, outage))}</p>`,
        )}
        ${sections.length === 0 ? this.#empty() : nothing}
        ${repeat(
          sections,
          ({ key }) => key,
          (section) => this.#section(section),
        )}
      </div>`;
  }

  #section({ key, title, isNeeds, panes }: FleetSection): TemplateResult {
    const { collapsed } = this.dashboard.preferences;
    const isCollapsed = !isNeeds && collapsed.includes(key);
    const toggle = (): void => {
      const rest = collapsed.filter((each) => each !== key);
      this.dashboard.prefer({ collapsed: isCollapsed ? rest : [...rest, key] });
    };
    return html`<section>
      <h2 class=${isNeeds ? 'needs' : ''}>
        ${
          isNeeds
            ? html`<span class="title">${title} <span class="count">${panes.length}</span></span>`
            : html`<button aria-expanded=${!isCollapsed} @click=${toggle}>
              ${icon('down')}${safeText(title)} <span class="count">${panes.length}</span>
            </button>`
        }
      </h2>
      ${
        isCollapsed
          ? nothing
          : repeat(
              panes,
              ({ pane_key }) => pane_key,
              (pane) => html`<pane-row
                .pane=${pane}
                .age=${rowAge(pane, this.nowMs)}
                .isSelected=${pane.pane_key === this.selected}
                .isBusy=${this.dashboard.running.has(pane.pane_key)}
              ></pane-row>`,
            )
      }
    </section>`;
  }

  #chip({ value, title, count }: FilterChoice): TemplateResult {
    const mood = value === 'needs' ? 'approval' : value === 'none' ? 'none' : moodOfState(value);
    const isOn = this.filter.state === value;
    return html`<button
      class="mood-${mood}"
      aria-pressed=${isOn}
      @click=${() => this.#set({ state: isOn ? '' : value })}
    >
      <b>${count}</b>${title}
    </button>`;
  }

  #select(
    name: 'target' | 'agent',
    all: string,
    choices: readonly FilterChoice[],
  ): TemplateResult | typeof nothing {
    if (choices.length < 2 && this.filter[name] === '') return nothing;
    return html`<select
      aria-label="Filter by ${name === 'target' ? 'machine' : name}"
      .value=${this.filter[name]}
      @change=${(event: Event) => this.#set({ [name]: (event.target as HTMLSelectElement).value })}
    >
      <option value="" ?selected=${this.filter[name] === ''}>${all}</option>
      ${choices.map(
        ({ value, title, count }) =>
          html`<option value=${value} ?selected=${this.filter[name] === value}>
            ${safeText(title)} (${count})
          </option>`,
      )}
    </select>`;
  }

  #empty(): TemplateResult {
    if (this.fleet.asOf === null)
      return html`<p class="empty" role="status">Reading the fleet …</p>`;
    if (isFiltered(this.filter)) {
      return html`<div class="empty">
        <p>No pane fits the filter.</p>
        <button @click=${() => this.#set(noFilter)}>Show all</button>
      </div>`;
    }
    return html`<div class="empty">
      <p>No agent runs in tmux now.</p>
      <p>
        Start one in any pane, such as <code>claude</code> or <code>codex</code>; it appears here by
        itself.
      </p>
    </div>`;
  }

  #search(event: Event): void {
    this.#set({ text: (event.target as HTMLInputElement).value });
  }

  #group(event: Event): void {
    const value = (event.target as HTMLSelectElement).value;
    const grouping = listGroupings.find((each) => each === value);
    if (grouping) this.dashboard.prefer({ grouping });
  }

  #set(change: Partial<FleetFilter>): void {
    const detail = { ...this.filter, ...change };
    this.dispatchEvent(new CustomEvent('filter', { detail }));
  }
}

customElements.define('fleet-list', FleetList);
