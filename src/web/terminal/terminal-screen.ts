// One terminal on a page: xterm.js in an element. It has the size of the pane that it shows, and is
// drawn smaller or larger to fit; without one it has the size that fits. Loaded with the first
// terminal, because it is large.

import { type ITheme, Terminal } from '@xterm/xterm';
import { followTouch } from './touch-scroll.ts';
import { linkAddresses, openAddress, webAddress } from './web-links.ts';

/** The style sheet of xterm.js, which the bundler puts here. */
declare const XTERM_STYLE: string;

export interface ScreenSize {
  readonly cols: number;
  readonly rows: number;
}

export interface ScreenOptions {
  readonly fontSize: number;
  readonly scrollback: number;
  readonly cursorBlink: boolean;
  readonly background: string;
  /** A terminal that fits its element is not narrower; it is drawn smaller. */
  readonly minCols: number;
  readonly onInput: (data: string) => void;
  /** How large a terminal of the wanted font would be here; when it has changed. */
  readonly onFit: (size: ScreenSize) => void;
}

const FONT_FAMILY =
  'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace';
/** Smaller text cannot be read: the element scrolls. */
const FONT_SIZE_MIN = 5;
const FONT_STEP = 0.25;
/** The bar at the side, where a pointer can take hold of it. */
const BAR_PX = 14;
const FIT_MS = 90;
const SIDE_MAX = 1_000;
/** More than any history has. */
const LINES_MAX = 10_000_000;
const STYLE_ID = 'agtmux-terminal-style';

const ownStyle = `
.agtmux-screen { overflow: auto; overscroll-behavior: contain; touch-action: pan-x pinch-zoom; }
.agtmux-screen .xterm { width: max-content; min-width: 100%; }
`;

export class TerminalScreen implements Disposable {
  readonly #host: HTMLElement;
  readonly #options: ScreenOptions;
  readonly #terminal: Terminal;
  readonly #ended = new AbortController();
  readonly #observer: ResizeObserver;
  #fontSize: number;
  #minCols: number;
  /** The size of the pane; null while it is not known. */
  #paneSize: ScreenSize | null = null;
  /** Whether a snapshot begins: only that may say how large the pane is. */
  #isBeginning = true;
  #fitted = '';
  #fitTimer: ReturnType<typeof setTimeout> | null = null;
  #unreadBytes = 0;

  constructor(host: HTMLElement, options: ScreenOptions) {
    this.#host = host;
    this.#options = options;
    this.#fontSize = options.fontSize;
    this.#minCols = options.minCols;
    addStyle(host.getRootNode());
    host.classList.add('agtmux-screen');
    this.#terminal = new Terminal({
      allowProposedApi: false,
      cursorBlink: options.cursorBlink,
      fontFamily: FONT_FAMILY,
      fontSize: options.fontSize,
      scrollback: options.scrollback,
      // Or the handler below is not called.
      windowOptions: { setWinSizeChars: true },
      theme: themeOn(options.background),
      // Links that a program names itself; the address may be anything.
      linkHandler: {
        activate: (_event, text) => openAddress(text),
        // Its words may say otherwise.
        hover: (_event, text) => this.#sayLink(webAddress(text)),
        leave: () => this.#sayLink(null),
      },
    });
    this.#terminal.open(host);
    this.#listen();
    linkAddresses(this.#terminal);
    followTouch(host, this.#terminal, this.#ended.signal);
    // Below a short screen there is room that is not xterm's; a touch there means the terminal too.
    const { signal } = this.#ended;
    host.addEventListener('click', () => this.#terminal.focus(), { signal });
    this.#observer = new ResizeObserver(() => this.#fitSoon());
    this.#observer.observe(host);
    this.#fit();
  }

  #listen(): void {
    const terminal = this.#terminal;
    terminal.onData((data) => this.#options.onInput(data));
    terminal.onBinary((data) => this.#options.onInput(data));
    // Browsers move the focus with it.
    terminal.attachCustomKeyEventHandler((event) => {
      if (event.key !== 'Tab' || !event.shiftKey || event.ctrlKey || event.altKey) return true;
      event.preventDefault();
      if (event.type === 'keydown' && !terminal.options.disableStdin) {
        this.#options.onInput('\u001b[Z');
      }
      return false;
    });
    // A snapshot says how large its pane is, as a program that sizes its window does. One in the
    // pane that asks for that gets nothing from tmux, and so nothing here.
    terminal.parser.registerCsiHandler({ final: 't' }, ([kind, rows, cols]) => {
      if (kind === 8 && this.#isBeginning) this.#takePaneSize(Number(cols), Number(rows));
      if (kind === 8) this.#isBeginning = false;
      return true;
    });
  }

  /** Where a link leads, as browsers show it of their own; null: there is none. */
  #sayLink(address: string | null): void {
    if (address === null) this.#host.removeAttribute('title');
    else this.#host.title = address;
  }

  get size(): ScreenSize {
    const { cols, rows } = this.#terminal;
    return { cols, rows };
  }

  /** What was written and is not drawn yet. */
  get unreadBytes(): number {
    return this.#unreadBytes;
  }

  /** The text of the screen, line by line. */
  get text(): string {
    const { active } = this.#terminal.buffer;
    const lines = Array.from({ length: this.#terminal.rows }, (_, row) =>
      active.getLine(active.viewportY + row)?.translateToString(true),
    );
    return lines.join('\n');
  }

  write(bytes: Uint8Array, onDrawn?: () => void): void {
    this.#unreadBytes += bytes.length;
    this.#terminal.write(bytes, () => {
      this.#unreadBytes -= bytes.length;
      onDrawn?.();
    });
  }

  reset(): void {
    this.#terminal.reset();
    // What was written before it may not be drawn yet.
    this.#terminal.write('', () => {
      this.#isBeginning = true;
    });
  }

  focus(): void {
    this.#terminal.focus();
  }

  blur(): void {
    this.#terminal.blur();
  }

  /** As if it were pasted: in brackets where the program wants that. */
  paste(text: string): void {
    this.#terminal.paste(text);
  }

  scrollToEnd(): void {
    this.#terminal.scrollToBottom();
  }

  set isReadOnly(isReadOnly: boolean) {
    this.#terminal.options.disableStdin = isReadOnly;
  }

  set fontSize(px: number) {
    this.#fontSize = px;
    this.#fit();
  }

  set minCols(cols: number) {
    this.#minCols = cols;
    this.#fit();
  }

  set scrollback(lines: number) {
    this.#terminal.options.scrollback = lines;
  }

  set cursorBlink(isBlinking: boolean) {
    this.#terminal.options.cursorBlink = isBlinking;
  }

  set background(colour: string) {
    this.#terminal.options.theme = themeOn(colour);
  }

  [Symbol.dispose](): void {
    if (this.#fitTimer) clearTimeout(this.#fitTimer);
    this.#observer.disconnect();
    this.#ended.abort();
    this.#terminal.dispose();
  }

  #takePaneSize(cols: number, rows: number): void {
    const fits = cols >= 1 && rows >= 1 && cols <= SIDE_MAX && rows <= SIDE_MAX;
    if (!fits) return;
    this.#paneSize = { cols, rows };
    this.#terminal.resize(cols, rows);
    this.#fitSoon();
  }

  #fitSoon(): void {
    this.#fitTimer ??= setTimeout(() => {
      this.#fitTimer = null;
      this.#fit();
    }, FIT_MS);
  }

  /** The font with which the terminal fits, and the size that the element itself would have. */
  #fit(): void {
    const terminal = this.#terminal;
    const cell = this.#cell();
    const { clientWidth, clientHeight } = this.#host;
    const bar = matchMedia('(pointer: coarse)').matches ? 0 : BAR_PX;
    const [width, height] = [clientWidth - bar, clientHeight];
    if (cell === null || width <= 0 || height <= 0) return;
    const cols = Math.max(this.#minCols, Math.floor(width / (cell.width * this.#fontSize)), 2);
    const wanted = Math.min(this.#fontSize, width / (cols * cell.width));
    const rows = Math.max(1, Math.floor(height / (cell.height * wanted)));
    const { cols: paneCols, rows: paneRows } = this.#paneSize ?? { cols, rows };
    if (this.#paneSize === null) terminal.resize(cols, rows);
    const most = Math.min(width / (paneCols * cell.width), height / (paneRows * cell.height));
    const size = Math.min(this.#fontSize, Math.max(FONT_SIZE_MIN, most));
    this.#setFontSize(Math.floor(size / FONT_STEP) * FONT_STEP);
    const fitted = `${cols}x${rows}`;
    if (fitted === this.#fitted) return;
    this.#fitted = fitted;
    this.#options.onFit({ cols, rows });
  }

  /** xterm.js keeps the place of its scroll bar in pixels of the font before. */
  #setFontSize(px: number): void {
    const terminal = this.#terminal;
    if (terminal.options.fontSize === px) return;
    terminal.options.fontSize = px;
    requestAnimationFrame(() => {
      if (this.#ended.signal.aborted) return;
      const { viewportY } = terminal.buffer.active;
      terminal.scrollLines(-LINES_MAX);
      terminal.scrollLines(viewportY);
    });
  }

  /** One cell at a font of one pixel; null before it is drawn. */
  #cell(): { readonly width: number; readonly height: number } | null {
    const { cols, rows, options, element } = this.#terminal;
    const drawn = element?.querySelector<HTMLElement>('.xterm-screen');
    const { offsetWidth = 0, offsetHeight = 0 } = drawn ?? {};
    const fontSize = options.fontSize ?? 0;
    if (offsetWidth === 0 || offsetHeight === 0 || fontSize === 0) return null;
    return { width: offsetWidth / cols / fontSize, height: offsetHeight / rows / fontSize };
  }
}

const themeOn = (background: string): ITheme => ({ background, foreground: '#e6edf3' });

/** Into the page, or the shadow root around it: no style of the page reaches into that. */
function addStyle(root: Node): void {
  const place = root instanceof ShadowRoot ? root : document.head;
  if (place.querySelector(`#${STYLE_ID}`)) return;
  const style = document.createElement('style');
  style.id = STYLE_ID;
  style.textContent = `${XTERM_STYLE}\n${ownStyle}`;
  place.append(style);
}
