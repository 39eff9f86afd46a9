// The live terminal of an agent. Its code is loaded when the first one is opened; a pane without an
// agent has its screen alone.

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { PaneItem } from '../../schema/api/panes.ts';
import { icon } from '../components/icons.ts';
import { baseStyles } from '../components/styles.ts';
import type { Dashboard } from '../control/dashboard.ts';

/** The part of `<agtmux-terminal>` that is used here; importing its type would load it. */
interface Terminal extends HTMLElement {
  paste(what: string | File): Promise<void>;
}

export class TerminalView extends LitElement {
  static override properties = {
    dashboard: { attribute: false },
    pane: { attribute: false },
    canAct: { attribute: false },
    isLive: { attribute: false },
    isLoaded: { state: true },
    hasFailed: { state: true },
  };
  static override styles = [
    baseStyles,
    css`
      :host {
        box-sizing: border-box;
        display: grid;
        grid-template-rows: minmax(0, 1fr) auto;
        height: 100%;
        position: relative;
        padding: 8px 0 0 10px;
        background: #0d1117;
      }
      agtmux-terminal {
        min-width: 0;
        min-height: 0;
        height: 100%;
      }
      .attach {
        position: absolute;
        top: 8px;
        right: 16px;
        opacity: 0.85;
        z-index: 2;
      }
      p {
        padding: 16px;
        color: #9aa6b6;
        font-size: var(--small);
      }
    `,
  ];

  declare dashboard: Dashboard;
  declare pane: PaneItem;
  declare canAct: boolean;
  declare isLive: boolean;
  declare isLoaded: boolean;
  declare hasFailed: boolean;

  constructor() {
    super();
    this.isLoaded = customElements.get('agtmux-terminal') !== undefined;
    this.hasFailed = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (!this.isLoaded) void this.#load();
  }

  override render(): TemplateResult {
    const { runtime_id: runtime, agent } = this.pane;
    if (runtime === null || agent === null || this.hasFailed) {
      return html`<screen-view
        .dashboard=${this.dashboard}
        .pane=${this.pane}
        .isLive=${this.isLive}
      ></screen-view>`;
    }
    if (!this.isLoaded) return html`<p role="status">Opening the terminal …</p>`;
    return html`<agtmux-terminal
        ref="runtime:${runtime}"
        ?readonly=${!this.canAct}
      ></agtmux-terminal>
      ${this.canAct ? this.#attach() : nothing}`;
  }

  #attach(): TemplateResult {
    const pick = (): void => this.renderRoot.querySelector('input')?.click();
    return html`<button class="attach" title="Give the agent a file or an image" @click=${pick}>
        ${icon('attach')}<span class="hidden-text">Attach a file</span>
      </button>
      <input type="file" hidden aria-label="File for the agent" @change=${this.#give} />`;
  }

  async #give(event: Event): Promise<void> {
    const field = event.target as HTMLInputElement;
    const [file] = field.files ?? [];
    field.value = '';
    if (file) await this.renderRoot.querySelector<Terminal>('agtmux-terminal')?.paste(file);
  }

  async #load(): Promise<void> {
    try {
      await import('../terminal/agtmux-terminal.ts');
      this.isLoaded = true;
    } catch {
      // Without a connection its code may not be there: then the screen is shown.
      this.hasFailed = true;
    }
  }
}

customElements.define('terminal-view', TerminalView);
