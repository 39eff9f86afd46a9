// On and off for push messages to this browser, with the reason where there are none, and the other
// browsers that get them.

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { PushStatus } from '../../schema/notify/push-schemas.ts';
import { baseStyles } from '../components/styles.ts';
import { asProblem } from '../control/as-problem.ts';
import type { Dashboard } from '../control/dashboard.ts';
import {
  type PushState,
  readPushState,
  switchPushOff,
  switchPushOn,
  testPush,
} from '../control/push.ts';

const reasons: Readonly<Partial<Record<PushState, string>>> = {
  insecure:
    'This address is not secure, so browsers allow neither installing nor notifications. Open ' +
    'the dashboard over https, or on localhost; docs/web.md says how.',
  unsupported:
    'This browser has no push messages here. On an iPhone or iPad, add the page to the home ' +
    'screen and open it from there.',
  denied:
    'This browser was told not to notify for this address. Allow it in the settings of the ' +
    'browser, and load the page again.',
};

export class PushSetting extends LitElement {
  static override properties = {
    dashboard: { attribute: false },
    isLive: { attribute: false },
    status: { state: true },
    state: { state: true },
    words: { state: true },
    isBusy: { state: true },
  };
  static override styles = [
    baseStyles,
    css`
      :host {
        display: grid;
        gap: 8px;
        font-size: var(--small);
      }
      h2 {
        font-size: var(--small);
        margin-bottom: 2px;
      }
      .row {
        display: flex;
        gap: 8px;
        flex-wrap: wrap;
        align-items: center;
      }
      ul {
        list-style: none;
        margin: 0;
        padding: 0;
        display: grid;
        gap: 4px;
      }
      li {
        display: flex;
        gap: 8px;
        align-items: center;
        justify-content: space-between;
      }
    `,
  ];

  declare dashboard: Dashboard;
  declare isLive: boolean;
  declare status: PushStatus | null;
  declare state: PushState | null;
  declare words: string;
  declare isBusy: boolean;

  constructor() {
    super();
    this.status = null;
    this.state = isSecureContext ? null : 'insecure';
    this.words = '';
    this.isBusy = false;
  }

  override updated(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('isLive') && this.isLive) void this.#do(async () => '');
  }

  override render(): TemplateResult {
    const { state, status } = this;
    const reason = state === null ? undefined : reasons[state];
    return html`<h2>Notifications</h2>
      ${reason ? html`<p class="dim">${reason}</p>` : this.#switch()}
      ${status && !status.on && state !== 'insecure' ? this.#allOff() : nothing}
      <p role="status" class="dim" ?hidden=${this.words === ''}>${this.words}</p>
      ${status && status.subscriptions.length > 0 ? this.#list(status) : nothing}`;
  }

  #switch(): TemplateResult {
    const { mayAct, client, isLive } = this.dashboard;
    if (!mayAct) {
      return html`<p class="dim">
        This browser may only look, so it cannot ask to be notified. Pair it anew with the scope
        control.
      </p>`;
    }
    const isOff = this.isBusy || !isLive || this.status === null;
    if (this.state !== 'on') {
      return html`<div class="row">
        <button ?disabled=${isOff} @click=${() => this.#switchOn()}>Notify this browser</button>
      </div>`;
    }
    return html`<p>This browser is notified when an agent needs you.</p>
      <div class="row">
        <button ?disabled=${isOff} @click=${() => this.#do(() => testPush(client))}>
          Send a test
        </button>
        <button
          ?disabled=${isOff}
          @click=${() =>
            this.#do(async () => {
              await switchPushOff(client);
              return 'This browser is notified no more.';
            })}
        >
          Switch off
        </button>
      </div>`;
  }

  #switchOn(): Promise<void> {
    return this.#do(async () => {
      if (this.status) await switchPushOn(this.dashboard.client, this.status);
      return 'This browser is notified from now on.';
    });
  }

  #allOff(): TemplateResult {
    const { mayAct, client, isLive } = this.dashboard;
    const switchOn = () =>
      this.#do(async () => {
        await client.call('notify_switch', { on: true });
        return 'Notifications are on, in every channel that is set up.';
      });
    return html`<div class="row">
      <span>Notifications are switched off altogether.</span>
      <button ?disabled=${this.isBusy || !isLive || !mayAct} @click=${switchOn}>
        Switch them on
      </button>
    </div>`;
  }

  #list({ subscriptions }: PushStatus): TemplateResult {
    const { mayAct, client, isLive } = this.dashboard;
    const remove = (id: string) =>
      this.#do(async () => {
        await client.call('unsubscribe_push', { id });
        return 'Removed.';
      });
    return html`<ul aria-label="Browsers that are notified">
      ${subscriptions.map(
        ({ id, label, service, last }) => html`<li>
          <span
            >${label} <span class="dim">by ${service}${
              last?.problem ? `; last: ${last.problem}` : ''
            }</span></span
          >
          <button
            class="plain"
            aria-label="Remove ${label}"
            ?disabled=${this.isBusy || !isLive || !mayAct}
            @click=${() => remove(id)}
          >
            Remove
          </button>
        </li>`,
      )}
    </ul>`;
  }

  /** Runs it and reads what stands then; what goes wrong is said. */
  async #do(work: () => Promise<string>): Promise<void> {
    this.isBusy = true;
    try {
      this.words = await work();
    } catch (error) {
      this.words = messageOf(error);
    }
    try {
      this.status = await this.dashboard.client.call('push_status', {});
      this.state = await readPushState(this.status);
    } catch (error) {
      this.words = messageOf(error);
    } finally {
      this.isBusy = false;
    }
  }
}

/** Of the daemon, or of the browser. */
const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : asProblem(error).message;

customElements.define('push-setting', PushSetting);
