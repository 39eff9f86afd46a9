// One pane in the list. It is drawn again only when the pane itself, its age or its selection has
// changed.

import { css, html, LitElement, nothing } from 'lit';
import { lastWords, workNotes } from '../../render/pane-notes.ts';
import { safeText } from '../../render/safe-text.ts';
import type { PaneItem } from '../../schema/api/panes.ts';
import {
  ageText,
  moodOf,
  needText,
  paneAbout,
  paneName,
  paneOtherPlace,
  paneStateWords,
  shownSince,
  spokenAge,
} from '../state/pane-words.ts';
import { routeHash } from '../state/route.ts';
import { moodIcon } from './icons.ts';
import { baseStyles, moodStyles } from './styles.ts';

export class PaneListRow extends LitElement {
  static override properties = {
    pane: { attribute: false },
    age: { attribute: false },
    isSelected: { attribute: false },
    isBusy: { attribute: false },
  };
  static override styles = [
    baseStyles,
    moodStyles,
    css`
      :host {
        display: block;
        content-visibility: auto;
        contain-intrinsic-size: auto 56px;
      }
      a {
        display: grid;
        grid-template-columns: 20px minmax(0, 1fr) auto;
        gap: 1px 10px;
        padding: 8px 12px;
        border-radius: var(--radius);
        color: var(--text);
        text-decoration: none;
      }
      a:hover {
        background: var(--hover);
      }
      a[aria-current='true'] {
        background: var(--selected);
      }
      .mark {
        color: var(--mood);
        padding-top: 3px;
      }
      /* What tells a pane apart is never cut; what it is about takes what is left, or a line. */
      .title {
        display: flex;
        flex-wrap: wrap;
        gap: 0 8px;
        min-width: 0;
      }
      .name {
        font-weight: 550;
        overflow-wrap: anywhere;
      }
      .about {
        flex: 1 1 8ch;
        min-width: 8ch;
        color: var(--dim);
      }
      .age {
        color: var(--dim);
        font: var(--tiny) / 1.7 var(--mono);
        min-width: 4ch;
        text-align: right;
      }
      .line {
        grid-column: 2 / 4;
        display: flex;
        gap: 0 8px;
        color: var(--dim);
        font-size: var(--small);
        min-width: 0;
      }
      .state {
        color: var(--mood);
        font-weight: 550;
        white-space: nowrap;
      }
      .needed {
        grid-column: 2 / 4;
        margin-top: 4px;
        padding: 4px 8px;
        border-radius: 6px;
        background: var(--mood-back);
        color: var(--text);
        font: var(--tiny) / 1.5 var(--mono);
        display: -webkit-box;
        -webkit-box-orient: vertical;
        -webkit-line-clamp: 2;
        overflow: hidden;
        overflow-wrap: anywhere;
      }
      .notes {
        margin-left: auto;
        white-space: nowrap;
        font-size: var(--tiny);
        line-height: 1.7;
      }
      .turns {
        transform-origin: 8px 8px;
        animation: turn 2.4s linear infinite;
      }
      @keyframes turn {
        to {
          transform: rotate(1turn);
        }
      }
    `,
  ];

  declare pane: PaneItem;
  /** As text, so that a second that changes nothing draws nothing. */
  declare age: string;
  declare isSelected: boolean;
  declare isBusy: boolean;

  override render() {
    const { pane, age } = this;
    const mood = moodOf(pane);
    const needed = needText(pane);
    const words = needed === '' ? safeText(lastWords(pane)) : '';
    const { git_branch: branch, agent } = pane;
    const place = paneOtherPlace(pane);
    const notes = workNotes(pane).join(' · ');
    const last = pane.last_known;
    return html`<a
      class="mood-${mood}"
      href=${routeHash({ page: 'pane', ref: pane.ref, tab: 'terminal' })}
      aria-current=${this.isSelected}
    >
      <span class="mark">${moodIcon(mood)}</span>
      <span class="title"
        ><span class="name">${paneName(pane)}</span>
        <span class="about cut">${paneAbout(pane)}</span></span
      >
      <span class="age" aria-hidden="true">${age}</span>
      <span class="line">
        <span class="state">${paneStateWords(pane)}${last ? `, was ${last.state}` : nothing}</span>
        <span class="cut">${[agent, place, branch].filter(Boolean).map(one).join(' · ')}</span>
        <span class="notes">${this.isBusy ? 'acting …' : notes}</span>
      </span>
      ${needed === '' ? nothing : html`<span class="needed">${needed}</span>`}
      ${words === '' ? nothing : html`<span class="line"><span class="cut">${words}</span></span>`}
      <span class="hidden-text">for ${spokenAge(shownSince(pane), Date.now())}</span>
    </a>`;
  }
}

const one = (text: string | null): string => safeText(text ?? '');

/** The age of a pane as its row shows it. */
export const rowAge = (pane: PaneItem, nowMs: number): string => ageText(shownSince(pane), nowMs);

customElements.define('pane-row', PaneListRow);
