// How the page looks, what this browser keeps, and whether it is installed.

import './push-setting.ts';
import { css, html, LitElement, type TemplateResult } from 'lit';
import { baseStyles } from '../components/styles.ts';
import type { Dashboard } from '../control/dashboard.ts';
import { themes } from '../state/page-preferences.ts';

export class SettingsPage extends LitElement {
  static override properties = {
    dashboard: { attribute: false },
    tick: { attribute: false },
  };
  static override styles = [
    baseStyles,
    css`
      :host {
        display: block;
        height: 100%;
        overflow-y: auto;
        padding: 16px 16px calc(24px + env(safe-area-inset-bottom));
      }
      .inner {
        max-width: 620px;
        margin: 0 auto;
        display: grid;
        gap: 22px;
      }
      h1 {
        font-size: 1.125rem;
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
    </div>`;
  }
}

customElements.define('settings-page', SettingsPage);
