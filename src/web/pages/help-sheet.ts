// The keys of the page, on a sheet.

import { css, html, LitElement, type TemplateResult } from 'lit';
import { icon } from '../components/icons.ts';
import { baseStyles } from '../components/styles.ts';

/** As in the live view of the terminal, where a key is in both. */
const keys: readonly (readonly [string, string])[] = [
  ['↑ ↓ or k j', 'select a pane'],
  ['n', 'the next agent that needs you'],
  ['/', 'search; Esc ends it'],
  ['i', 'the inbox: everything that agents ask'],
  ['1 – 9', 'in the inbox: choose that option of the first request'],
  ['s', 'write a prompt for the selected agent'],
  ['m', 'send a prompt to many agents'],
  ['g', 'messages between agents and you'],
  ['b', 'teams'],
  ['t  c  y  e', 'terminal, conversation, timeline, explain'],
  ['a', 'show or hide panes without an agent'],
  ['T', 'dark, light, or as the system'],
  ['Esc', 'back to the fleet'],
  ['?', 'this sheet'],
];

export class HelpSheet extends LitElement {
  static override styles = [
    baseStyles,
    css`
      dialog {
        border: 1px solid var(--line-strong);
        border-radius: 12px;
        background: var(--surface);
        color: var(--text);
        padding: 18px 20px 20px;
        width: min(520px, calc(100vw - 32px));
        box-shadow: 0 12px 40px rgb(0 0 0 / 30%);
      }
      dialog::backdrop {
        background: rgb(0 0 0 / 45%);
      }
      header {
        display: flex;
        justify-content: space-between;
        align-items: center;
        margin-bottom: 8px;
      }
      h2 {
        font-size: 1.0625rem;
      }
      dl {
        display: grid;
        grid-template-columns: auto 1fr;
        gap: 9px 18px;
        align-items: center;
        font-size: var(--small);
      }
    `,
  ];

  show(): void {
    this.renderRoot.querySelector('dialog')?.showModal();
  }

  override render(): TemplateResult {
    const close = (): void => this.renderRoot.querySelector('dialog')?.close();
    return html`<dialog aria-labelledby="title">
      <header>
        <h2 id="title">Keys</h2>
        <button class="plain icon" aria-label="Close" @click=${close}>${icon('close')}</button>
      </header>
      <dl>
        ${keys.map(
          ([key, what]) => html`<dt><kbd>${key}</kbd></dt>
            <dd>${what}</dd>`,
        )}
      </dl>
    </dialog>`;
  }
}

customElements.define('help-sheet', HelpSheet);
