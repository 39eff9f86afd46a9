// A question to the person before something is done that cannot be taken back.

import { css, html, LitElement, nothing } from 'lit';
import { baseStyles } from './styles.ts';

export interface Confirmation {
  readonly title: string;
  readonly text: string;
  /** The buttons besides "Cancel", the mildest first. */
  readonly choices: readonly { readonly value: string; readonly label: string }[];
}

export class ConfirmDialog extends LitElement {
  static override properties = { confirmation: { state: true } };
  static override styles = [
    baseStyles,
    css`
      dialog {
        border: 1px solid var(--line-strong);
        border-radius: 12px;
        background: var(--surface);
        color: var(--text);
        padding: 20px;
        width: min(440px, calc(100vw - 32px));
        box-shadow: 0 12px 40px rgb(0 0 0 / 30%);
      }
      dialog::backdrop {
        background: rgb(0 0 0 / 45%);
      }
      h2 {
        font-size: 1.0625rem;
        margin-bottom: 6px;
      }
      p {
        color: var(--dim);
        font-size: var(--small);
        overflow-wrap: anywhere;
      }
      div {
        display: flex;
        flex-wrap: wrap;
        gap: 8px;
        justify-content: flex-end;
        margin-top: 18px;
      }
    `,
  ];

  declare confirmation: Confirmation | null;
  #settle: ((value: string | null) => void) | null = null;

  constructor() {
    super();
    this.confirmation = null;
  }

  /** The value of the chosen button; null where the person does not want it. */
  async ask(confirmation: Confirmation): Promise<string | null> {
    this.#settle?.(null);
    this.confirmation = confirmation;
    await this.updateComplete;
    const { promise, resolve } = Promise.withResolvers<string | null>();
    this.#settle = resolve;
    this.renderRoot.querySelector('dialog')?.showModal();
    return promise;
  }

  override render() {
    if (this.confirmation === null) return nothing;
    const { title, text, choices } = this.confirmation;
    return html`<dialog aria-labelledby="title" @close=${() => this.#end(null)}>
      <h2 id="title">${title}</h2>
      <p>${text}</p>
      <div>
        <button autofocus @click=${() => this.#end(null)}>Cancel</button>
        ${choices.map(
          ({ value, label }) =>
            html`<button class="danger" @click=${() => this.#end(value)}>${label}</button>`,
        )}
      </div>
    </dialog>`;
  }

  #end(value: string | null): void {
    const settle = this.#settle;
    this.#settle = null;
    this.renderRoot.querySelector('dialog')?.close();
    settle?.(value);
  }
}

customElements.define('confirm-dialog', ConfirmDialog);
