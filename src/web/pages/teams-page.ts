// Teams: the bundles that are declared, their members with their states, and what went wrong. A
// bundle comes up and goes down by a command, because its agents get the environment of a shell.

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { safeText } from '../../render/safe-text.ts';
import type {
  BundleAction,
  BundleItem,
  BundleList,
  TeamMemberItem,
} from '../../schema/relay/bundle-api.ts';
import { icon, moodIcon } from '../components/icons.ts';
import { baseStyles, moodStyles, pageStyles } from '../components/styles.ts';
import { asProblem } from '../control/as-problem.ts';
import type { Dashboard } from '../control/dashboard.ts';
import { ageText, moodOfState, stateWord } from '../state/pane-words.ts';
import { routeHash } from '../state/route.ts';
import { messagesStyles } from './messages-styles.ts';

const PAUSE_MS = 2_500;

export class TeamsPage extends LitElement {
  static override properties = {
    dashboard: { attribute: false },
    nowMs: { attribute: false },
    list: { state: true },
    problem: { state: true },
    command: { state: true },
    isCopied: { state: true },
  };
  static override styles = [
    ...[baseStyles, pageStyles, moodStyles, messagesStyles],
    css`
      article {
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--surface);
        padding: 12px 14px;
        display: grid;
        gap: 10px;
      }
      h2 {
        font-size: 1rem;
      }
      .facts {
        display: flex;
        flex-wrap: wrap;
        gap: 2px 12px;
        font-size: var(--small);
        color: var(--dim);
      }
      .state {
        color: var(--mood);
        background: var(--mood-back);
        font: 600 var(--small) / 1.5 var(--font);
        padding: 1px 10px;
        border-radius: 999px;
      }
      .buttons {
        margin-left: auto;
        display: flex;
        gap: 6px;
      }
      .members a,
      .members span.row {
        display: grid;
        grid-template-columns: 20px minmax(0, 1fr) auto;
        gap: 8px;
        align-items: center;
        padding: 7px 10px;
        border: 0;
        border-radius: 6px;
        background: var(--raised);
        font-size: var(--small);
      }
      .members {
        gap: 4px;
      }
      .members svg,
      .word {
        color: var(--mood);
      }
      .bad {
        color: var(--error);
        font-size: var(--small);
        overflow-wrap: anywhere;
      }
      dialog {
        border: 1px solid var(--line-strong);
        border-radius: 12px;
        background: var(--surface);
        color: var(--text);
        padding: 18px 20px;
        width: min(520px, calc(100vw - 32px));
      }
      dialog::backdrop {
        background: rgb(0 0 0 / 45%);
      }
      dialog > div {
        display: grid;
        gap: 12px;
      }
      pre {
        font: var(--small) / 1.5 var(--mono);
        background: var(--screen-back);
        border: 1px solid var(--line);
        border-radius: 6px;
        padding: 8px 10px;
        overflow-x: auto;
      }
      .row-of-buttons {
        display: flex;
        justify-content: flex-end;
        gap: 8px;
      }
    `,
  ];

  declare dashboard: Dashboard;
  declare nowMs: number;
  declare list: BundleList | null;
  declare problem: string | null;
  declare command: string;
  declare isCopied: boolean;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor() {
    super();
    this.list = null;
    this.problem = null;
    this.command = '';
    this.isCopied = false;
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

  override render(): TemplateResult {
    const { list, problem } = this;
    const isReading = list === null && problem === null;
    return html`<div class="inner">
        <div class="head"><h1>Teams</h1></div>
        ${problem === null ? nothing : html`<p class="bad" role="status">${problem}</p>`}
        ${isReading ? html`<p class="dim" role="status">Reading …</p>` : nothing}
        ${(list?.problems ?? []).map(
          ({ file, line, key, message }) =>
            html`<p class="bad">
              ${safeText(`${file}:${line}${key === '' ? '' : ` ${key}`}: ${message}`)}
            </p>`,
        )}
        ${list && list.bundles.length === 0 ? this.#empty() : nothing}
        ${repeat(
          list?.bundles ?? [],
          ({ id }) => id,
          (each) => this.#bundle(each),
        )}
      </div>
      ${this.#dialog()}`;
  }

  #empty(): TemplateResult {
    return html`<div class="empty">
      ${icon('teams')}<b>No team is declared.</b>
      <span
        >A team is a file that says which agents work together, where, and who may write to whom.
        <code>agtmux bundle init</code> writes one to start from.</span
      >
    </div>`;
  }

  #bundle(bundle: BundleItem): TemplateResult {
    const { id, state, startup_health: health, sessions, target, groups, restart } = bundle;
    const mood = state === 'down' ? 'idle' : health === 'healthy' ? 'running' : 'error';
    const facts = [
      target === 'local' ? '' : `on ${target}`,
      groups.length === 0 ? '' : `in ${groups.join(', ')}`,
      restart === 'never' ? '' : `restarts ${restart}`,
      `${bundle.ready_session_count} of ${sessions.length} ready`,
    ].filter((each) => each !== '');
    const words = state === 'down' ? 'down' : health === 'healthy' ? 'up' : 'up, degraded';
    return html`<article class="mood-${mood}" aria-label="Team ${safeText(id)}">
      <div class="head">
        <h2 class="cut">${safeText(id)}</h2>
        <span class="state">${words}</span>
        <div class="buttons">
          ${
            state === 'down'
              ? this.#button(id, 'up', 'Up')
              : html`${this.#button(id, 'restart', 'Restart')} ${this.#button(id, 'down', 'Down')}`
          }
        </div>
      </div>
      <div class="facts">${facts.map((each) => html`<span>${safeText(each)}</span>`)}</div>
      ${
        bundle.state_reason === null
          ? nothing
          : html`<p class=${state === 'down' ? 'dim' : 'bad'}>${safeText(bundle.state_reason)}</p>`
      }
      <ul class="members" aria-label="Members">
        ${sessions.map((each) => member(each))}
      </ul>
      ${bundle.recent_startup_failures.map(
        ({ session_id: who, reason, timestamp }) => html`<p class="bad">
          ${safeText(who)}, ${ageText(timestamp, this.nowMs)} ago: ${safeText(reason)}
        </p>`,
      )}
    </article>`;
  }

  #button(id: string, action: BundleAction, title: string): TemplateResult {
    const show = (): void => {
      this.command = `agtmux bundle ${action} ${quoted(id)}`;
      this.isCopied = false;
      this.renderRoot.querySelector('dialog')?.showModal();
    };
    const looks = action === 'down' ? 'danger' : '';
    return html`<button class=${looks} @click=${show}>${title}</button>`;
  }

  #dialog(): TemplateResult {
    const copy = async (): Promise<void> => {
      await navigator.clipboard?.writeText(this.command).catch(() => {});
      this.isCopied = navigator.clipboard !== undefined;
    };
    return html`<dialog aria-labelledby="how">
      <div>
        <h2 id="how">Run this in a shell</h2>
        <p class="dim">
          Its agents get the environment and the rights of the shell that brings them up, so a page
          cannot do it. What happens is shown here.
        </p>
        <pre tabindex="0" aria-label="Command">${this.command}</pre>
        <form method="dialog" class="row-of-buttons">
          <button type="button" @click=${copy}>${this.isCopied ? 'Copied' : 'Copy'}</button>
          <button class="primary">Close</button>
        </form>
      </div>
    </dialog>`;
  }

  async #read(): Promise<void> {
    if (this.dashboard.isLive && !document.hidden) {
      try {
        this.list = await this.dashboard.client.call('list_bundles', {});
        this.problem = null;
      } catch (error) {
        this.problem = asProblem(error).message;
      }
    }
    if (this.isConnected) this.#timer = setTimeout(() => this.#read(), PAUSE_MS);
  }
}

/** A word for a shell. */
const quoted = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

function member(item: TeamMemberItem): TemplateResult {
  const { id, name, coder, state, agent, presence, restarts, ref } = item;
  const mood = presence !== 'live' || state === null ? 'none' : moodOfState(state);
  const word =
    presence === 'absent'
      ? 'not up'
      : presence === 'dead'
        ? 'has ended'
        : stateWord(state ?? 'unknown');
  const more = restarts === 0 ? '' : ` · started again ${restarts} times`;
  const inside = html`${moodIcon(mood)}<span class="cut"
      ><b>${safeText(name ?? id)}</b>
      <span class="dim">${safeText(`${agent ?? coder}${more}`)}</span></span
    ><span class="word">${word}</span>`;
  return html`<li class="mood-${mood}">
    ${
      ref === null || presence !== 'live'
        ? html`<span class="row">${inside}</span>`
        : html`<a href=${routeHash({ page: 'pane', ref, tab: 'terminal' })}>${inside}</a>`
    }
  </li>`;
}

customElements.define('teams-page', TeamsPage);
