// The screen of a pane as it is, once a second, for who does not need a terminal: text and colours
// alone, as small as the window asks for. Reading does not resize anything.

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { PaneItem } from '../../schema/api/panes.ts';
import type { Preview } from '../../schema/api/preview.ts';
import { baseStyles } from '../components/styles.ts';
import { asProblem } from '../control/as-problem.ts';
import type { Dashboard } from '../control/dashboard.ts';
import { screenLines } from '../state/screen-lines.ts';

const PAUSE_MS = 1_000;

export class PaneScreenView extends LitElement {
  static override properties = {
    dashboard: { attribute: false },
    pane: { attribute: false },
    isLive: { attribute: false },
    preview: { state: true },
    problem: { state: true },
  };
  static override styles = [
    baseStyles,
    css`
      :host {
        /* Programs choose colours for a dark terminal. */
        color-scheme: dark;
        display: block;
        height: 100%;
        background: var(--screen-back);
        overflow: auto;
        container-type: inline-size;
      }
      pre {
        color: var(--screen-text);
        /* As wide as the pane is, between what can be read and what is comfortable. */
        font: clamp(7px, calc(100cqw / var(--columns) / 0.605), 14px) / 1.35 var(--mono);
        padding: 10px 12px;
        width: max-content;
      }
      p {
        padding: 16px;
        color: var(--dim);
        font-size: var(--small);
      }
    `,
  ];

  declare dashboard: Dashboard;
  declare pane: PaneItem;
  declare isLive: boolean;
  declare preview: Preview | null;
  declare problem: string | null;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor() {
    super();
    this.preview = null;
    this.problem = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#timer = setTimeout(() => this.#read(), 0);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  override willUpdate(changed: Map<string, unknown>): void {
    const before = changed.get('pane') as PaneItem | undefined;
    if (before && before.pane_key !== this.pane.pane_key) this.preview = null;
  }

  override render(): TemplateResult {
    const { preview, problem } = this;
    if (preview === null) return html`<p role="status">${problem ?? 'Reading the screen …'}</p>`;
    const lines = screenLines(preview.lines);
    const columns = `--columns:${preview.columns}`;
    return html`<pre style=${columns} tabindex="0" aria-label="The screen of the pane">${lines.map(
      (pieces) =>
        html`${pieces.map(({ text, css: look }) =>
          look === '' ? text : html`<span style=${look}>${text}</span>`,
        )}${'\n'}`,
    )}</pre>
      ${problem === null ? nothing : html`<p>${problem}</p>`}`;
  }

  async #read(): Promise<void> {
    const { ref, pane_key: key } = this.pane;
    if (this.isLive && !document.hidden) {
      try {
        const preview = await this.dashboard.client.call('preview', { ref });
        if (this.pane.pane_key === key) this.preview = preview;
        this.problem = null;
      } catch (error) {
        this.problem = asProblem(error).message;
      }
    }
    if (this.isConnected) this.#timer = setTimeout(() => this.#read(), PAUSE_MS);
  }
}

customElements.define('screen-view', PaneScreenView);
