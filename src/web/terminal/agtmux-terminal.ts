// `<agtmux-terminal agent="work">`: the terminal of one agent on any page, with its connection: it
// follows the output, sends keys and files, and connects again by itself. Attributes:
//   agent, or ref: the agent's name, or `runtime:` and its id
//   ws-url: the WebSocket of the service; absent: that of the page's own origin
//   readonly; key-bar: `on` or `off`, else shown where a finger is the pointer; font-size
// The token is a property, because an attribute can be read by all styles and scripts of the page.

import { DROPPED_BYTES_MAX } from './file-intake.ts';
import { KeyBar } from './key-bar.ts';
import { uploadPayload } from './protocol.ts';
import { TerminalConnection, type TerminalState } from './terminal-connection.ts';
import { TmuxAdapterWeb } from './tmux-adapter-web.ts';

/** More than this waits to be drawn: a fresh snapshot is sooner there. */
const UNDRAWN_BYTES_MAX = 4 * 1024 * 1024;
const NOTICE_MS = 6_000;

const notices: Readonly<Partial<Record<TerminalState, string>>> = {
  connecting: 'Connecting…',
  reconnecting: 'Connection lost. Reconnecting…',
  missing: 'No such agent is running.',
  ended: 'The agent has ended.',
  refused: 'The service does not let this page in. Sign in again.',
};

const style = `
agtmux-terminal { display: flex; flex-direction: column; min-height: 0; position: relative; }
agtmux-terminal > tmux-adapter-web { flex: 1 1 auto; min-height: 0; }
agtmux-terminal > tmux-adapter-web[data-drop] { outline: 2px dashed #1f6feb; outline-offset: -4px; }
agtmux-terminal > [role='status'] {
  position: absolute; inset: 8px 8px auto; z-index: 10; padding: 8px 12px; border-radius: 6px;
  background: #30363dee; color: #e6edf3; font: 14px system-ui, sans-serif;
  overflow-wrap: anywhere; pointer-events: none;
}
agtmux-terminal > [role='status']:empty { display: none; }
agtmux-terminal:not([key-bar='on']) > .agtmux-keys { display: none; }
@media (pointer: coarse) {
  agtmux-terminal:not([key-bar='off']) > .agtmux-keys { display: flex; }
}
agtmux-terminal[readonly] > .agtmux-keys { display: none; }
`;

export class AgtmuxTerminal extends HTMLElement {
  static readonly observedAttributes: readonly string[] = [
    ...['agent', 'ref', 'ws-url', 'readonly', 'font-size'],
  ];

  /** For another origin; on its own origin the cookie of the page is enough. */
  token: string | undefined;
  readonly #screen = new TmuxAdapterWeb();
  readonly #keys = new KeyBar((data) => this.sendKeys(data));
  readonly #notice = document.createElement('div');
  #connection: TerminalConnection | null = null;
  #ended = new AbortController();
  #noticeTimer: number | undefined;
  /** Shown for a while, whatever the connection does meanwhile. */
  #warning = '';
  /** Whether it is on the visible part of the page. */
  #isShown = true;
  #isBehind = false;

  connectedCallback(): void {
    this.#ended = new AbortController();
    const { signal } = this.#ended;
    const sheet = document.createElement('style');
    sheet.textContent = style;
    this.#notice.setAttribute('role', 'status');
    this.replaceChildren(sheet, this.#screen, this.#notice, this.#keys.element);
    this.#screen.addEventListener('terminal-input', (event) => this.#typed(event), { signal });
    this.#screen.addEventListener('file-upload', (event) => this.#upload(event), { signal });
    this.#screen.addEventListener('file-refused', (event) => this.#tooLarge(event), { signal });
    this.#screen.onDrawn = () => this.#caughtUp();
    document.addEventListener('visibilitychange', () => this.#follow(), { signal });
    // A phone that wakes up, or a network that is back, is no reason to wait.
    window.addEventListener('online', () => this.#connection?.connect(), { signal });
    const observer = new IntersectionObserver(([entry]) => {
      this.#isShown = entry?.isIntersecting ?? true;
      this.#follow();
    });
    observer.observe(this);
    signal.addEventListener('abort', () => observer.disconnect());
    this.#passOn();
    this.#connect();
  }

  disconnectedCallback(): void {
    this.#ended.abort();
    this.#disconnect();
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (!this.isConnected || before === after) return;
    this.#passOn();
    if (name === 'agent' || name === 'ref' || name === 'ws-url') this.#connect();
  }

  get state(): TerminalState {
    return this.#connection?.state ?? 'connecting';
  }

  /** What its screen shows, as text. */
  get screenText(): string {
    return this.#screen.screenText;
  }

  override focus(): void {
    this.#screen.focus();
  }

  /** Types what a terminal sends for keys: `\r` is Enter, `\x1b[A` is Up. False: not sent. */
  sendKeys(data: string | Uint8Array): boolean {
    if (this.hasAttribute('readonly')) return false;
    return this.#connection?.send('KeyboardInput', data) ?? false;
  }

  /** Types a text as a paste, and gives a file to the agent. */
  async paste(what: string | File): Promise<void> {
    if (this.hasAttribute('readonly')) return;
    if (typeof what === 'string') this.#screen.paste(what);
    // A larger message would end the connection.
    else if (what.size > DROPPED_BYTES_MAX) this.#warnOfSize(what.name);
    else this.#give(await uploadPayload(what));
  }

  #passOn(): void {
    this.#screen.toggleAttribute('readonly', this.hasAttribute('readonly'));
    const fontSize = this.getAttribute('font-size');
    if (fontSize !== null) this.#screen.setAttribute('font-size', fontSize);
  }

  #connect(): void {
    this.#disconnect();
    const agent = this.getAttribute('agent') ?? this.getAttribute('ref') ?? '';
    if (agent === '') return;
    const { origin } = window.location;
    const url = this.getAttribute('ws-url') ?? `${origin.replace(/^http/, 'ws')}/ws`;
    const connection = new TerminalConnection({
      ...{ agent, url, token: this.token },
      onState: (state, detail) => this.#stateChanged(state, detail),
      onReset: () => {
        this.#isBehind = false;
        this.#screen.reset();
      },
      onBytes: (bytes) => this.#draw(bytes),
      onError: (error) => this.#warn(error),
    });
    this.#connection = connection;
    this.#stateChanged('connecting', '');
    this.#follow();
    connection.connect();
  }

  #disconnect(): void {
    clearTimeout(this.#noticeTimer);
    this.#warning = '';
    this.#connection?.[Symbol.dispose]();
    this.#connection = null;
  }

  #follow(): void {
    if (this.#connection) this.#connection.isWanted = this.#isShown && !document.hidden;
  }

  #draw(bytes: Uint8Array): void {
    if (this.#isBehind) return;
    if (this.#screen.unreadBytes > UNDRAWN_BYTES_MAX) this.#isBehind = true;
    else this.#screen.write(bytes);
  }

  #caughtUp(): void {
    if (this.#isBehind) this.#connection?.restart();
  }

  #typed(event: Event): void {
    const { data } = (event as CustomEvent<{ readonly data: string }>).detail;
    this.sendKeys(this.#keys.withControl(data));
  }

  #upload(event: Event): void {
    const { payload } = (event as CustomEvent<{ readonly payload: Uint8Array }>).detail;
    this.#give(payload);
  }

  #give(payload: Uint8Array): void {
    const isSent = this.#connection?.send('FileUpload', payload) ?? false;
    if (!isSent) this.#warn('The file was not sent: there is no connection. Give it again later.');
  }

  #tooLarge(event: Event): void {
    const { file } = (event as CustomEvent<{ readonly file: string }>).detail;
    this.#warnOfSize(file);
  }

  #warnOfSize(file: string): void {
    this.#warn(`${file} is larger than 8 MB, the most that can be sent.`);
  }

  #stateChanged(state: TerminalState, detail: string): void {
    this.dataset['state'] = state;
    this.#notify(state);
    this.#tell('agtmux-terminal-state', { state, detail });
  }

  #notify(state: TerminalState): void {
    this.#notice.textContent = [this.#warning, notices[state]].filter(Boolean).join(' ');
  }

  /** For a while, over the terminal. */
  #warn(error: string): void {
    this.#warning = error;
    this.#notify(this.state);
    clearTimeout(this.#noticeTimer);
    this.#noticeTimer = setTimeout(() => {
      this.#warning = '';
      this.#notify(this.state);
    }, NOTICE_MS);
    this.#tell('agtmux-terminal-error', { error });
  }

  #tell(type: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}

if (!customElements.get('agtmux-terminal')) {
  customElements.define('agtmux-terminal', AgtmuxTerminal);
}
