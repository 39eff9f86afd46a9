// The page: what its address shows, the bar on top, keys, and the title of its tab. Parts of it are
// components; what is known is the dashboard's.

import './components/pane-row.ts';
import './components/prompt-box.ts';
import './pages/messages-page.ts';
import './pages/settings-page.ts';
import './pages/send-page.ts';
import './pages/sign-in-page.ts';
import './pages/teams-page.ts';
import './pane/conversation-view.ts';
import './pane/ledger-view.ts';
import './pane/screen-view.ts';
import './pane/terminal-view.ts';
import './pane/timeline-view.ts';
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import type { PaneItem } from '../schema/api/panes.ts';
import { needsPerson } from '../text/need.ts';
import { type IconName, icon } from './components/icons.ts';
import { baseStyles } from './components/styles.ts';
import { Dashboard } from './control/dashboard.ts';
import { keepShell, showBadge } from './control/install.ts';
import { appStyles } from './pages/app-styles.ts';
import { FleetList } from './pages/fleet-list.ts';
import { HelpSheet } from './pages/help-sheet.ts';
import { InboxPage } from './pages/inbox-page.ts';
import { PanePage } from './pages/pane-page.ts';
import { needCount, paneOf } from './state/fleet.ts';
import { type FleetFilter, fleetSections, listOrder, noFilter } from './state/fleet-list.ts';
import { inboxItems } from './state/open-requests.ts';
import { themes } from './state/page-preferences.ts';
import { ageText } from './state/pane-words.ts';
import { type PaneTab, type Route, readRoute, routeHash } from './state/route.ts';

/** Narrower windows show one thing at a time. */
const WIDE = '(min-width: 900px)';

type Place = Exclude<Route['page'], 'pane'>;

const tabKeys: Readonly<Record<string, PaneTab>> = {
  t: 'terminal',
  c: 'conversation',
  y: 'timeline',
  e: 'explain',
};

class AgtmuxApp extends LitElement {
  static override properties = {
    route: { state: true },
    filter: { state: true },
    tick: { state: true },
  };
  static override styles = [baseStyles, appStyles];

  declare route: Route;
  declare filter: FleetFilter;
  declare tick: number;
  readonly #dashboard: Dashboard;
  /** The pane that keys walk from. */
  #selected: string | null = null;

  constructor() {
    super();
    this.route = readRoute(location.hash);
    this.filter = noFilter;
    this.tick = 0;
    const base = new URL('.', document.baseURI).href.replace(/\/(?:app\/)?$/, '');
    this.#dashboard = new Dashboard(base);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#dashboard.onChange(() => {
      this.tick += 1;
    });
    void keepShell();
    addEventListener('hashchange', () => {
      this.route = readRoute(location.hash);
    });
    addEventListener('keydown', (event) => this.#key(event));
  }

  override willUpdate(): void {
    const { theme } = this.#dashboard.preferences;
    if (theme === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
    const count = needCount(this.#dashboard.fleet);
    showBadge(count);
    document.title = count === 0 ? 'agtmux' : `(${count}) agtmux`;
    const pane = this.#shownPane();
    if (pane) this.#selected = pane.pane_key;
  }

  override render(): TemplateResult {
    const dashboard = this.#dashboard;
    if (dashboard.link === 'refused') {
      return html`<sign-in-page .dashboard=${dashboard}></sign-in-page>`;
    }
    const { isLive } = dashboard;
    const isKnown = dashboard.fleet.asOf !== null;
    return html`${this.#bar()}
      <main class=${isLive || !isKnown ? '' : 'stale'}>${this.#main()}</main>
      ${this.#tabs()}
      <help-sheet></help-sheet>`;
  }

  #bar(): TemplateResult {
    const count = needCount(this.#dashboard.fleet);
    const words =
      count === 0 ? 'no agent needs you' : count === 1 ? '1 needs you' : `${count} need you`;
    const places = this.#places();
    return html`<header class="bar">
      <a class="name" href=${routeHash({ page: 'fleet' })}>agtmux</a>
      <a class="needs ${count === 0 ? 'none' : ''}" href=${routeHash({ page: 'inbox' })}
        >${words}</a
      >
      ${this.#linkState()}
      <nav aria-label="Pages">
        ${places.slice(1).map(
          ([page, name, title, badge]) => html`<a
            class="button plain"
            href=${placeHash(page)}
            aria-current=${this.route.page === page ? 'page' : 'false'}
            >${icon(name)}${title}${badge > 0 ? ` ${badge}` : nothing}</a
          >`,
        )}
        <button class="plain icon" aria-label="Keys" @click=${() => this.#help()}>
          ${icon('help')}
        </button>
      </nav>
    </header>`;
  }

  #places(): readonly (readonly [Place, IconName, string, number])[] {
    const count = inboxItems(this.#dashboard.fleet).length;
    return [
      ['fleet', 'fleet', 'Fleet', 0],
      ['inbox', 'inbox', 'Inbox', count],
      ['send', 'many', 'Send', 0],
      ['messages', 'messages', 'Messages', this.#dashboard.messages.unreadCount],
      ['teams', 'teams', 'Teams', 0],
      ['settings', 'settings', 'Settings', 0],
    ];
  }

  #linkState(): TemplateResult {
    const { isLive, fleet, nowMs, link } = this.#dashboard;
    if (isLive) return html`<span class="link" role="status"><i></i>live</span>`;
    const when = fleet.asOf === null ? '' : `, as of ${ageText(fleet.asOf, nowMs)} ago`;
    const word = link === 'connecting' || link === 'open' ? 'connecting' : 'offline';
    return html`<span class="link lost" role="status"><i></i>${word}${when}</span>`;
  }

  #main(): TemplateResult {
    const isWide = matchMedia(WIDE).matches;
    const { page } = this.route;
    if (isWide)
      return html`${this.#list()}${page === 'fleet' ? this.#page('inbox') : this.#page(page)}`;
    return page === 'fleet' ? this.#list() : this.#page(page);
  }

  #list(): TemplateResult {
    const dashboard = this.#dashboard;
    return html`<fleet-list
      .dashboard=${dashboard}
      .fleet=${dashboard.fleet}
      .sections=${this.#sections()}
      .filter=${this.filter}
      .selected=${this.#selected}
      .nowMs=${dashboard.nowMs}
      .tick=${this.tick}
      @filter=${(event: CustomEvent<FleetFilter>) => {
        this.filter = event.detail;
      }}
    ></fleet-list>`;
  }

  #page(page: Route['page']): TemplateResult {
    const dashboard = this.#dashboard;
    const { fleet, canAct, nowMs } = dashboard;
    switch (page) {
      case 'send':
        return html`<send-page
          .dashboard=${dashboard}
          .fleet=${fleet}
          .canAct=${canAct}
          .tick=${this.tick}
        ></send-page>`;
      case 'settings':
        return html`<settings-page .dashboard=${dashboard} .tick=${this.tick}></settings-page>`;
      case 'messages':
        return html`<messages-page
          .dashboard=${dashboard}
          .thread=${this.route.page === 'messages' ? this.route.thread : null}
          .canAct=${canAct}
          .nowMs=${nowMs}
          .tick=${this.tick}
        ></messages-page>`;
      case 'teams':
        return html`<teams-page .dashboard=${dashboard} .nowMs=${nowMs}></teams-page>`;
      case 'pane':
        return this.#panePage();
      default:
        return html`<inbox-page
          .dashboard=${dashboard}
          .fleet=${fleet}
          .canAct=${canAct}
          .nowMs=${nowMs}
          .tick=${this.tick}
        ></inbox-page>`;
    }
  }

  #panePage(): TemplateResult {
    const pane = this.#shownPane();
    const { route } = this;
    const dashboard = this.#dashboard;
    if (pane && route.page === 'pane') {
      return html`<pane-page
        .dashboard=${dashboard}
        .pane=${pane}
        .tab=${route.tab}
        .canAct=${dashboard.canAct}
        .nowMs=${dashboard.nowMs}
        .tick=${this.tick}
      ></pane-page>`;
    }
    if (dashboard.fleet.asOf === null) {
      return html`<div class="gone" role="status">Reading …</div>`;
    }
    return html`<div class="gone">
      <p>This pane is gone, or has another name now.</p>
      <a class="button" href=${routeHash({ page: 'fleet' })}>All panes</a>
    </div>`;
  }

  #tabs(): TemplateResult | typeof nothing {
    // The prompt box is at the bottom there.
    if (this.route.page === 'pane') return nothing;
    return html`<nav class="tabs" aria-label="Pages">
      ${this.#places().map(
        ([page, name, title, badge]) => html`<a
          href=${placeHash(page)}
          aria-current=${this.route.page === page ? 'page' : 'false'}
          >${icon(name)}${title}${
            badge > 0 ? html`<span class="count">${badge}</span>` : nothing
          }</a
        >`,
      )}
    </nav>`;
  }

  #sections() {
    const { fleet, preferences } = this.#dashboard;
    const { grouping, withShells } = preferences;
    return fleetSections(fleet, { filter: this.filter, grouping, withShells });
  }

  #shownPane(): PaneItem | null {
    return this.route.page === 'pane' ? paneOf(this.#dashboard.fleet, this.route.ref) : null;
  }

  #go(route: Route): void {
    location.hash = routeHash(route);
  }

  #open(pane: PaneItem | undefined): void {
    if (!pane) return;
    const tab = this.route.page === 'pane' ? this.route.tab : 'terminal';
    this.#go({ page: 'pane', ref: pane.ref, tab });
  }

  #find<Kind extends Element>(kind: new () => Kind, name: string): Kind | null {
    const found = this.renderRoot.querySelector(name);
    return found instanceof kind ? found : null;
  }

  #help(): void {
    this.#find(HelpSheet, 'help-sheet')?.show();
  }

  #key(event: KeyboardEvent): void {
    const [target] = event.composedPath();
    const isTyping =
      target instanceof HTMLElement &&
      target.matches('input:not([type=checkbox]), textarea, select, [contenteditable], dialog *');
    if (isTyping) {
      if (event.key === 'Escape' && target instanceof HTMLElement) target.blur();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.#act(event.key)) event.preventDefault();
  }

  /** False for a key that means nothing here. */
  #act(key: string): boolean {
    const tab = tabKeys[key];
    if (tab && this.route.page === 'pane') this.#go({ ...this.route, tab });
    else if (/^[1-9]$/.test(key)) return this.#chooseNumber(Number(key));
    else {
      const act = this.#keys[key];
      if (!act) return false;
      act();
    }
    return true;
  }

  readonly #keys: Readonly<Record<string, () => void>> = {
    '?': () => this.#help(),
    '/': () => this.#find(FleetList, 'fleet-list')?.focusSearch(),
    i: () => this.#go({ page: 'inbox' }),
    m: () => this.#go({ page: 'send' }),
    g: () => this.#go({ page: 'messages', thread: null }),
    b: () => this.#go({ page: 'teams' }),
    n: () => this.#nextNeed(),
    s: () => this.#find(PanePage, 'pane-page')?.focusPrompt(),
    a: () => this.#dashboard.prefer({ withShells: !this.#dashboard.preferences.withShells }),
    T: () => this.#nextTheme(),
    j: () => this.#step(1),
    ArrowDown: () => this.#step(1),
    k: () => this.#step(-1),
    ArrowUp: () => this.#step(-1),
    Escape: () => this.#go({ page: 'fleet' }),
  };

  #chooseNumber(place: number): boolean {
    const inbox = this.route.page === 'inbox' ? this.#find(InboxPage, 'inbox-page') : null;
    inbox?.chooseNumber(place);
    return inbox !== null;
  }

  #step(by: number): void {
    const panes = listOrder(this.#sections());
    const at = panes.findIndex(({ pane_key }) => pane_key === this.#selected);
    const next = at < 0 ? (by > 0 ? 0 : panes.length - 1) : at + by;
    this.#open(panes[Math.min(panes.length - 1, Math.max(0, next))]);
  }

  #nextNeed(): void {
    const panes = listOrder(this.#sections()).filter(needsPerson);
    const at = panes.findIndex(({ pane_key }) => pane_key === this.#selected);
    this.#open(panes[(at + 1) % Math.max(1, panes.length)]);
  }

  #nextTheme(): void {
    const { theme } = this.#dashboard.preferences;
    this.#dashboard.prefer({
      theme: themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system',
    });
  }
}

const placeHash = (page: Place): string =>
  page === 'messages' ? routeHash({ page, thread: null }) : routeHash({ page });

customElements.define('agtmux-app', AgtmuxApp);
