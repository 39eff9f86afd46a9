// What the page is made of: the connection, the fleet as it is known, what is under way, and the
// preferences. Components read it and are told when it has changed, at most once a frame.

import type { ActionReport, ChooseInput } from '../../schema/api/acting.ts';
import type { PaneItem } from '../../schema/api/panes.ts';
import {
  type PushMessage,
  type WebLinkState,
  WebServiceClient,
} from '../../web-client/web-client.ts';
import { type OutcomeWords, problemOutcome, reportOutcome } from '../state/action-words.ts';
import { Drafts, type PromptMoment } from '../state/drafts.ts';
import { applyPush, emptyFleet, type Fleet, readFleet, saveFleet } from '../state/fleet.ts';
import { actionRef, chooseInput, type InboxItem, shownGuards } from '../state/open-requests.ts';
import { type PagePreferences, readPagePreferences } from '../state/page-preferences.ts';
import { asProblem } from './as-problem.ts';
import { MessageBox } from './message-box.ts';
import { newId } from './new-id.ts';

const FLEET_KEY = 'agtmux.fleet';
const PREFERENCES_KEY = 'agtmux.preferences';
/** An action has 60 s in the daemon. */
const ACTION_MS = 65_000;
/** How often the fleet is kept for a visit without a connection. */
const SAVE_MS = 5_000;
/** Who everybody is where nobody has to be let in. */
const OPEN_ID = 'open';
/** In the background no frames are drawn. */
const HIDDEN_MS = 500;

export interface ActionTarget {
  readonly pane: PaneItem;
}

export class Dashboard {
  readonly messages: MessageBox = new MessageBox(this);
  readonly drafts: Drafts = new Drafts();
  readonly client: WebServiceClient;
  readonly #listeners = new Set<() => void>();
  /** Panes with an action under way. */
  readonly running = new Set<string>();
  fleet: Fleet = readFleet(stored(FLEET_KEY)) ?? emptyFleet;
  /** The fleet is that of the service now, and not of an earlier visit. */
  isLive = false;
  /** Whether this browser may act; one that was paired for looking may not. */
  mayAct = true;
  /** Whether it has a token of its own, which it may give back. */
  isPaired = false;
  preferences: PagePreferences = readPagePreferences(stored(PREFERENCES_KEY));
  nowMs = Date.now();
  #isScheduled = false;
  #saveTimer: ReturnType<typeof setTimeout> | null = null;

  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
    this.client = new WebServiceClient({ url, onState: (state) => this.#linked(state) });
    this.client.watch('subscribe', {
      input: () => (this.#cursor === undefined ? {} : { cursor: this.#cursor }),
      onOpened: ({ resumed }) => {
        if (resumed) this.#live();
      },
      onMessage: (message) => this.#take(message),
    });
    setInterval(() => this.#tick(), 1_000);
    for (const name of ['online', 'focus', 'pageshow']) {
      window.addEventListener(name, () => this.client.reconnect());
    }
  }

  #cursor: string | undefined;

  get link(): WebLinkState {
    return this.client.state;
  }

  get canAct(): boolean {
    return this.isLive && this.mayAct;
  }

  /** Returns the removal. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  prefer(change: Partial<PagePreferences>): void {
    this.preferences = { ...this.preferences, ...change };
    store(PREFERENCES_KEY, JSON.stringify(this.preferences));
    this.changed();
  }

  choose(item: InboxItem, choice: ChooseInput['choice']): Promise<OutcomeWords> {
    const input = chooseInput(item, choice, newId());
    return this.#act(item.pane, () => this.client.call('choose', input, { timeoutMs: ACTION_MS }));
  }

  send(pane: PaneItem, text: string, moment: PromptMoment): Promise<OutcomeWords> {
    const when = moment === 'idle' ? { when: 'idle' as const } : {};
    const input = { ...this.#shown(pane), text, ...when };
    return this.#act(pane, () => this.client.call('send', input, { timeoutMs: ACTION_MS }));
  }

  interrupt(pane: PaneItem): Promise<OutcomeWords> {
    const input = this.#shown(pane);
    return this.#act(pane, () => this.client.call('interrupt', input, { timeoutMs: ACTION_MS }));
  }

  kill(pane: PaneItem, signal: 'INT' | 'TERM' | 'KILL'): Promise<OutcomeWords> {
    const input = { ...this.#shown(pane), signal };
    return this.#act(pane, () => this.client.call('kill', input, { timeoutMs: ACTION_MS }));
  }

  snooze(pane: PaneItem, forMs: number | null): Promise<OutcomeWords> {
    const { ref } = pane;
    return this.#tell(async () => {
      if (forMs === null) await this.client.call('unsnooze', { ref });
      else await this.client.call('snooze', { ref, for_ms: forMs });
      return forMs === null ? 'it needs you again' : 'put off';
    });
  }

  markSeen({ ref }: PaneItem): Promise<OutcomeWords> {
    return this.#tell(async () => {
      await this.client.call('mark_seen', { ref });
      return 'marked as seen';
    });
  }

  /** Everything that a person sees is drawn anew. */
  changed(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const draw = (): void => {
      this.#isScheduled = false;
      for (const listener of this.#listeners) listener();
    };
    if (document.hidden) setTimeout(draw, HIDDEN_MS);
    else requestAnimationFrame(draw);
  }

  /** Gives back what lets this browser in. Empty, or why that could not be done. */
  async unpair(): Promise<string> {
    try {
      const options = { method: 'DELETE', credentials: 'same-origin' } as const;
      const reply = await fetch(`${this.#url}/session`, options);
      if (!reply.ok) return ((await reply.json()) as { readonly error: string }).error;
    } catch {
      return 'The service does not answer, so this browser is still paired.';
    }
    // The service ends the connection; nothing is left of it here.
    this.forget();
    return '';
  }

  /** This browser keeps nothing of the fleet. */
  forget(): void {
    this.fleet = emptyFleet;
    this.messages.forget();
    this.drafts.forget();
    this.#cursor = undefined;
    store(FLEET_KEY, null);
    this.changed();
  }

  #shown(pane: PaneItem) {
    return { ref: actionRef(pane), ...shownGuards(pane), request_ref: newId() };
  }

  async #act(
    { pane_key: key }: PaneItem,
    call: () => Promise<ActionReport>,
  ): Promise<OutcomeWords> {
    this.running.add(key);
    this.changed();
    try {
      return reportOutcome(await call());
    } catch (error) {
      return problemOutcome(asProblem(error));
    } finally {
      this.running.delete(key);
      this.changed();
    }
  }

  async #tell(call: () => Promise<string>): Promise<OutcomeWords> {
    try {
      return { mood: 'good', word: 'done', text: await call() };
    } catch (error) {
      return problemOutcome(asProblem(error));
    }
  }

  #linked(state: WebLinkState): void {
    if (state !== 'open') this.isLive = false;
    if (state === 'refused') this.forget();
    if (state === 'open') void this.#readScope();
    this.changed();
  }

  async #readScope(): Promise<void> {
    try {
      const reply = await fetch(`${this.#url}/session`, { credentials: 'same-origin' });
      const { id, scope } = (await reply.json()) as {
        readonly id?: unknown;
        readonly scope?: unknown;
      };
      this.mayAct = scope !== 'read';
      this.isPaired = reply.ok && id !== OPEN_ID;
      this.changed();
    } catch {
      // Then each action is refused by itself.
    }
  }

  #live(): void {
    this.isLive = true;
    this.changed();
  }

  #take(message: PushMessage): void {
    this.fleet = applyPush(this.fleet, message);
    this.#cursor = message.data.cursor;
    this.isLive = true;
    this.#saveTimer ??= setTimeout(() => {
      this.#saveTimer = null;
      store(FLEET_KEY, saveFleet(this.fleet));
    }, SAVE_MS);
    this.changed();
  }

  #tick(): void {
    if (document.hidden) return;
    this.nowMs = Date.now();
    this.changed();
  }
}

/** Browsers may forbid it, as in a private window. */
function stored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function store(key: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // There is no room, or it may not: then nothing is remembered.
  }
}
