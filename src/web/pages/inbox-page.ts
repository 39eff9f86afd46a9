// Everything that agents ask, on all machines, the oldest first. Keys answer the first card.

import { css, html, LitElement, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { icon } from '../components/icons.ts';
import { cardAge, type RequestCard } from '../components/request-card.ts';
import { baseStyles, pageStyles } from '../components/styles.ts';
import type { Dashboard } from '../control/dashboard.ts';
import type { Fleet } from '../state/fleet.ts';
import { inboxItems, inboxKey, shownKey } from '../state/open-requests.ts';
import { Places } from '../state/read-clock.ts';

export class InboxPage extends LitElement {
  static override properties = {
    dashboard: { attribute: false },
    fleet: { attribute: false },
    canAct: { attribute: false },
    nowMs: { attribute: false },
    tick: { attribute: false },
  };
  static override styles = [
    baseStyles,
    pageStyles,
    css`
      .head {
        display: flex;
        align-items: baseline;
        gap: 10px;
      }
      .empty {
        text-align: center;
        color: var(--dim);
        padding: 15vh 16px;
        display: grid;
        gap: 8px;
        justify-items: center;
      }
      .empty svg {
        width: 36px;
        height: 36px;
        stroke-width: 1.1;
      }
      .empty b {
        color: var(--text);
        font-weight: 600;
      }
    `,
  ];

  declare dashboard: Dashboard;
  declare fleet: Fleet;
  declare canAct: boolean;
  declare nowMs: number;
  declare tick: number;
  readonly #places = new Places();

  /** The option of that place on the first card, once it could be read. */
  chooseNumber(place: number): void {
    this.renderRoot.querySelector<RequestCard>('request-card')?.chooseNumber(place);
  }

  override render(): TemplateResult {
    const all = inboxItems(this.fleet);
    if (all.length === 0) {
      return html`<div class="empty">
        ${icon('completed')}
        <b>Nothing is asked.</b>
        <span>What agents want approved or answered comes up here.</span>
      </div>`;
    }
    const places = this.#places.of(all.map(shownKey));
    return html`<div class="inner">
      <div class="head">
        <h1>Inbox</h1>
        <span class="dim">${all.length} open, the longest wait first</span>
      </div>
      ${repeat(
        all,
        inboxKey,
        (item, index) => html`<request-card
          .dashboard=${this.dashboard}
          .item=${item}
          .place=${places[index] ?? 0}
          .age=${cardAge(item, this.nowMs)}
          .isBusy=${this.dashboard.running.has(item.pane.pane_key)}
          .canAct=${this.canAct}
        ></request-card>`,
      )}
    </div>`;
  }
}

customElements.define('inbox-page', InboxPage);
