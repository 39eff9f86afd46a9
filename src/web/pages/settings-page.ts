// How the page looks, whether this browser is notified, and how it is paired no more.

import './push-setting.ts';
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { ConfirmDialog } from '../components/confirm-dialog.ts';
import { baseStyles, pageStyles } from '../components/styles.ts';
import type { Dashboard } from '../control/dashboard.ts';
import { themes } from '../state/page-preferences.ts';

export class SettingsPage extends LitElement {
  static override properties = {
    dashboard: { attribute: false },
    tick: { attribute: false },
    problem: { state: true },
  };
  static override styles = [
    baseStyles,
    pageStyles,
    css`
      .inner {
        max-width: 620px;
        gap: 22px;
      }
      h2 {
        font-size: var(--small);
        margin-bottom: 8px;
      }
      section {
        display: grid;
        gap: 6px;
        font-size: var(--small);
      }
      .choices {
        display: flex;
        gap: 6px;
        flex-wrap: wrap;
      }
      button[aria-pressed='true'] {
        background: var(--selected);
        border-color: var(--accent);
      }
      .problem {
        color: var(--error);
      }
      label {
        display: flex;
        gap: 8px;
        align-items: center;
        min-height: 34px;
      }
    `,
  ];

  declare dashboard: Dashboard;
  declare tick: number;
  declare problem: string;

  constructor() {
    super();
    this.problem = '';
  }

  override render(): TemplateResult {
    const { preferences } = this.dashboard;
    return html`<div class="inner">
      <h1>Settings</h1>
      <section>
        <h2>Colours</h2>
        <div class="choices" role="group" aria-label="Colours">
          ${themes.map(
            (theme) => html`<button
              aria-pressed=${theme === preferences.theme}
              @click=${() => this.dashboard.prefer({ theme })}
            >
              ${theme === 'system' ? 'as the system' : theme}
            </button>`,
          )}
        </div>
      </section>
      <section>
        <h2>List</h2>
        <label
          ><input
            type="checkbox"
            .checked=${preferences.withShells}
            @change=${(event: Event) =>
              this.dashboard.prefer({ withShells: (event.target as HTMLInputElement).checked })}
          />
          Also show panes without an agent</label
        >
      </section>
      <push-setting .dashboard=${this.dashboard} .isLive=${this.dashboard.isLive}></push-setting>
      ${this.dashboard.isPaired ? this.#browser() : nothing}
    </div>`;
  }

  #browser(): TemplateResult {
    const { mayAct, isLive } = this.dashboard;
    const scope = mayAct ? 'look and act' : 'look, and not act';
    return html`<section>
        <h2>This browser</h2>
        <p>It is paired, and may ${scope}. It keeps the list of panes for when it is offline.</p>
        <div class="choices">
          <button class="danger" ?disabled=${!isLive} @click=${() => this.#unpair()}>
            Unpair this browser
          </button>
        </div>
        <p class="problem" role="alert">${this.problem}</p>
      </section>
      <confirm-dialog></confirm-dialog>`;
  }

  async #unpair(): Promise<void> {
    const dialog = this.renderRoot.querySelector('confirm-dialog');
    if (!(dialog instanceof ConfirmDialog)) return;
    const chosen = await dialog.ask({
      title: 'Unpair this browser?',
      text: 'It is let in again by a new link from agtmux web pair alone. What it keeps goes too.',
      choices: [{ value: 'yes', label: 'Unpair' }],
    });
    if (chosen !== null) this.problem = await this.dashboard.unpair();
  }
}

customElements.define('settings-page', SettingsPage);
