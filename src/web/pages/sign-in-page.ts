// What a browser sees that was not let in: how it is paired.

import { css, html, LitElement, type TemplateResult } from 'lit';
import { baseStyles, moodStyles } from '../components/styles.ts';
import type { Dashboard } from '../control/dashboard.ts';

/** The code in a pairing link, or the code itself. */
export function pairingCode(text: string): string {
  const trimmed = text.trim();
  const after = /[#?&](?:code=)?([A-Za-z0-9_-]{6,})$/.exec(trimmed)?.[1];
  return after ?? trimmed;
}

export class SignInPage extends LitElement {
  static override properties = {
    dashboard: { attribute: false },
    problem: { state: true },
    isPairing: { state: true },
  };
  static override styles = [
    baseStyles,
    moodStyles,
    css`
      :host {
        display: grid;
        place-items: center;
        min-height: 100dvh;
        padding: 24px;
        overflow-y: auto;
      }
      form {
        width: min(440px, 100%);
        display: grid;
        gap: 14px;
      }
      h1 {
        font-size: 1.375rem;
      }
      ol {
        margin: 0;
        padding-left: 20px;
        display: grid;
        gap: 8px;
        font-size: var(--small);
        color: var(--dim);
      }
      code {
        font: var(--small) / 1 var(--mono);
        color: var(--text);
        background: var(--raised);
        padding: 2px 6px;
        border-radius: 5px;
        white-space: nowrap;
      }
      .row {
        display: flex;
        gap: 8px;
      }
      .problem {
        color: var(--error);
        font-size: var(--small);
        min-height: 20px;
      }
    `,
  ];

  declare dashboard: Dashboard;
  declare problem: string;
  declare isPairing: boolean;

  constructor() {
    super();
    this.problem = '';
    this.isPairing = false;
  }

  override render(): TemplateResult {
    return html`<form @submit=${this.#submit}>
      <h1>Pair this browser</h1>
      <ol>
        <li>On the machine of your agents, run: <code>agtmux web pair</code></li>
        <li>Open the link that it prints here, or scan its code with a phone.</li>
      </ol>
      <p class="dim">Or paste the link:</p>
      <div class="row">
        <input
          id="code"
          type="text"
          autocomplete="off"
          spellcheck="false"
          aria-label="Pairing link or code"
          placeholder="Pairing link or code"
        />
        <button class="primary" ?disabled=${this.isPairing}>Pair</button>
      </div>
      <p class="problem" role="alert">${this.problem}</p>
    </form>`;
  }

  async #submit(event: Event): Promise<void> {
    event.preventDefault();
    const field = this.renderRoot.querySelector<HTMLInputElement>('#code');
    const code = pairingCode(field?.value ?? '');
    if (code === '') return;
    this.isPairing = true;
    this.problem = await pair(code);
    this.isPairing = false;
    if (this.problem === '') this.dashboard.client.reconnect();
  }
}

/** Empty when the browser is let in from now on. */
async function pair(code: string): Promise<string> {
  try {
    const reply = await fetch('/pair', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    if (reply.ok) return '';
    if (reply.status === 429) {
      return 'Too many wrong codes came from here. Wait a minute, then try again.';
    }
    const { error, hint } = (await reply.json()) as {
      readonly error: string;
      readonly hint: string;
    };
    return `${error} ${hint}`.trim();
  } catch {
    return 'The service does not answer. Is agtmux web still open?';
  }
}

customElements.define('sign-in-page', SignInPage);
