// `<tmux-adapter-web>`: a terminal that shows what it is given and says what is typed into it, with
// the attributes, methods and events that pages of the adapter use. It knows no connection.

import { DROPPED_BYTES_MAX, takeFiles } from './file-intake.ts';
import { uploadPayload } from './protocol.ts';
import type { ScreenSize, TerminalScreen } from './terminal-screen.ts';

const FONT_SIZE = 13;
const SCROLLBACK = 10_000;
const MIN_COLS = 80;
const BACKGROUND = '#0d1117';
/** It is hidden until it was first drawn, or for this long. */
const HIDDEN_MS = 3_000;

const encoder = new TextEncoder();

export class TmuxAdapterWeb extends HTMLElement {
  static readonly observedAttributes: readonly string[] = [
    ...['font-size', 'scrollback', 'cursor-blink', 'min-cols', 'theme-background', 'readonly'],
  ];

  #screen: TerminalScreen | null = null;
  #loading: Promise<void> | null = null;
  /** What came before the terminal was there: null is a reset. */
  #early: (Uint8Array | null)[] = [];
  #ended = new AbortController();
  #isPainted = false;
  #fitted: ScreenSize | null = null;
  #onDrawn: (() => void) | null = null;

  connectedCallback(): void {
    this.#ended = new AbortController();
    this.#isPainted = false;
    this.style.visibility = 'hidden';
    if (getComputedStyle(this).display === 'inline') this.style.display = 'block';
    this.style.background = this.#text('theme-background', BACKGROUND);
    const timer = setTimeout(() => this.#paint(), HIDDEN_MS);
    this.#ended.signal.addEventListener('abort', () => clearTimeout(timer));
    const isOpen = (): boolean => !this.hasAttribute('readonly');
    const onFiles = (files: readonly File[]): void => void this.#give(files);
    const onTooLarge = (file: string): void =>
      this.#say('file-refused', { name: this.name, file, bytesMax: DROPPED_BYTES_MAX });
    takeFiles(this, { isOpen, onFiles, onTooLarge }, this.#ended.signal);
    this.#loading = this.#open(this.#ended.signal);
  }

  disconnectedCallback(): void {
    this.#ended.abort();
    this.#screen?.[Symbol.dispose]();
    this.#screen = null;
    this.#early = [];
    this.replaceChildren();
  }

  attributeChangedCallback(attribute: string): void {
    const screen = this.#screen;
    if (!screen) return;
    if (attribute === 'font-size') screen.fontSize = this.#number(attribute, FONT_SIZE);
    else if (attribute === 'scrollback') screen.scrollback = this.#number(attribute, SCROLLBACK);
    else if (attribute === 'min-cols') screen.minCols = this.#number(attribute, MIN_COLS);
    else if (attribute === 'cursor-blink') screen.cursorBlink = this.hasAttribute(attribute);
    else if (attribute === 'readonly') screen.isReadOnly = this.hasAttribute(attribute);
    else screen.background = this.#text(attribute, BACKGROUND);
  }

  get name(): string {
    return this.getAttribute('name') ?? '';
  }

  get cols(): number {
    return this.#screen?.size.cols ?? 0;
  }

  get rows(): number {
    return this.#screen?.size.rows ?? 0;
  }

  /** Resolves when the terminal is there. */
  get ready(): Promise<void> {
    return this.#loading ?? Promise.resolve();
  }

  /** What is written and not drawn yet. */
  get unreadBytes(): number {
    return this.#screen?.unreadBytes ?? 0;
  }

  /** What its screen shows. */
  get screenText(): string {
    return this.#screen?.text ?? '';
  }

  /** Called when all that was written is drawn. */
  set onDrawn(listener: (() => void) | null) {
    this.#onDrawn = listener;
  }

  write(data: Uint8Array | string): void {
    const bytes = typeof data === 'string' ? encoder.encode(data) : data;
    if (this.#screen === null) {
      this.#early.push(bytes);
      return;
    }
    this.#screen.write(bytes, () => {
      if (!this.#isPainted) requestAnimationFrame(() => requestAnimationFrame(() => this.#paint()));
      if (this.unreadBytes === 0) this.#onDrawn?.();
    });
  }

  reset(): void {
    // Nothing before it counts.
    this.#early = [null];
    this.#screen?.reset();
    if (this.#screen) this.#early = [];
  }

  override focus(): void {
    this.#screen?.focus();
  }

  focusTextarea(): void {
    this.#screen?.focus();
  }

  blurTextarea(): void {
    this.#screen?.blur();
  }

  /** Types the text as a paste. */
  paste(text: string): void {
    this.#screen?.paste(text);
  }

  async #open(signal: AbortSignal): Promise<void> {
    const { TerminalScreen: Screen } = await import('./terminal-screen.ts');
    if (signal.aborted) return;
    const screen = new Screen(this, {
      fontSize: this.#number('font-size', FONT_SIZE),
      scrollback: this.#number('scrollback', SCROLLBACK),
      minCols: this.#number('min-cols', MIN_COLS),
      cursorBlink: this.hasAttribute('cursor-blink'),
      background: this.#text('theme-background', BACKGROUND),
      onInput: (data) => this.#input(data),
      onFit: (size) => this.#fit(size),
    });
    screen.isReadOnly = this.hasAttribute('readonly');
    this.#screen = screen;
    const early = this.#early.splice(0);
    for (const each of early) if (each !== null) this.write(each);
    this.#say('terminal-ready', { name: this.name });
  }

  #input(data: string): void {
    if (this.hasAttribute('readonly')) return;
    this.#screen?.scrollToEnd();
    this.#say('terminal-input', { name: this.name, data });
  }

  #fit(size: ScreenSize): void {
    this.#fitted = size;
    if (this.#isPainted) this.#say('terminal-resize', { name: this.name, ...size });
  }

  /** From here on it is seen, and says how large it is. */
  #paint(): void {
    if (this.#isPainted || this.#ended.signal.aborted) return;
    this.#isPainted = true;
    this.style.visibility = '';
    if (this.#fitted) this.#say('terminal-resize', { name: this.name, ...this.#fitted });
  }

  async #give(files: readonly File[]): Promise<void> {
    for (const file of files) {
      const payload = await uploadPayload(file);
      this.#say('file-upload', { name: this.name, payload });
    }
  }

  #say(type: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  #number(attribute: string, otherwise: number): number {
    const value = Number(this.getAttribute(attribute) ?? Number.NaN);
    return Number.isFinite(value) && value > 0 ? value : otherwise;
  }

  #text(attribute: string, otherwise: string): string {
    return this.getAttribute(attribute) || otherwise;
  }
}

if (!customElements.get('tmux-adapter-web')) {
  customElements.define('tmux-adapter-web', TmuxAdapterWeb);
}
