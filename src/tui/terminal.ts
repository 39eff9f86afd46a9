// The terminal: alternate screen, raw keys, size, and frames at a limited rate. However the process
// ends, the terminal is restored: `leave` may be called at any time and more than once.

import type { ReadStream, WriteStream } from 'node:tty';
import { type Key, readKeys } from './keys.ts';
import type { TerminalSize } from './model.ts';
import { frameBytes, type Picture } from './view/frame.ts';

/** At most twenty frames a second. */
const FRAME_MS = 50;
/** An escape byte with nothing after it for this long is the Escape key. */
const ESCAPE_MS = 40;
/** Two clicks on one line within this time are a double click. */
const DOUBLE_CLICK_MS = 400;
/** A longer incomplete sequence is a paste, which waits for its end. */
const SHORT_LENGTH_MAX = 16;

const ENTER = '\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h';
const LEAVE = '\x1b[?2026l\x1b[?2004l\x1b[?7h\x1b[0m\x1b[?25h\x1b[?1049l';
const MOUSE_ON = '\x1b[?1000h\x1b[?1006h';
const MOUSE_OFF = '\x1b[?1006l\x1b[?1000l';
const SIZE_UNKNOWN: TerminalSize = { columns: 80, rows: 24 };

export interface TerminalOptions {
  readonly input: ReadStream;
  readonly output: WriteStream;
  readonly mouse: boolean;
  readonly onKey: (key: Key) => void;
  readonly onResize: (size: TerminalSize) => void;
  /** The terminal is closed. */
  readonly onGone: () => void;
  /** Makes the current frame; called only when it is drawn. */
  readonly picture: () => Picture;
}

export class Terminal {
  readonly #options: TerminalOptions;
  #isEntered = false;
  #before: Picture | null = null;
  #typed = '';
  #escapeTimer: NodeJS.Timeout | null = null;
  #frameTimer: NodeJS.Timeout | null = null;
  #drawnAtMs = Number.NEGATIVE_INFINITY;
  #isWaiting = false;
  #hasMouse: boolean;
  #lastClick = { row: -1, atMs: Number.NEGATIVE_INFINITY };

  constructor(options: TerminalOptions) {
    this.#options = options;
    this.#hasMouse = options.mouse;
    // Never removed: pending writes may still fail after `leave`.
    options.input.on('error', this.#onGone);
    options.output.on('error', this.#onGone);
  }

  get size(): TerminalSize {
    const { columns, rows } = this.#options.output;
    return columns > 0 && rows > 0 ? { columns, rows } : SIZE_UNKNOWN;
  }

  /** Switches the terminal to raw mode and the alternate screen. */
  enter(): void {
    const { input, output } = this.#options;
    if (this.#isEntered) return;
    this.#isEntered = true;
    input.setRawMode(true);
    input.setEncoding('utf8');
    input.on('data', this.#onData).on('end', this.#onGone);
    output.on('resize', this.#onResize);
    output.write(ENTER + (this.#hasMouse ? MOUSE_ON : ''));
    input.resume();
    this.redraw();
  }

  /** Restores the terminal. Never throws: it may be closed. */
  leave(): void {
    const { input, output } = this.#options;
    if (!this.#isEntered) return;
    this.#isEntered = false;
    for (const timer of [this.#escapeTimer, this.#frameTimer]) if (timer) clearTimeout(timer);
    this.#escapeTimer = null;
    this.#frameTimer = null;
    input.off('data', this.#onData).off('end', this.#onGone);
    output.off('resize', this.#onResize);
    try {
      output.write((this.#hasMouse ? MOUSE_OFF : '') + LEAVE);
      input.setRawMode(false);
      input.pause();
    } catch {
      // The terminal is closed: nothing to restore.
    }
  }

  /** Switches the mouse on or off. */
  useMouse(isOn: boolean): void {
    if (this.#hasMouse === isOn) return;
    this.#hasMouse = isOn;
    if (this.#isEntered) this.#options.output.write(isOn ? MOUSE_ON : MOUSE_OFF);
  }

  /** Draws every line, because the content of the screen is unknown. */
  redraw(): void {
    this.#before = null;
    this.draw();
  }

  /** Schedules a frame. Nothing is written when it has not changed. */
  draw(): void {
    if (!this.#isEntered || this.#frameTimer !== null || this.#isWaiting) return;
    const waitMs = Math.max(0, this.#drawnAtMs + FRAME_MS - performance.now());
    this.#frameTimer = setTimeout(this.#drawNow, waitMs);
  }

  readonly #drawNow = (): void => {
    this.#frameTimer = null;
    const { output, picture } = this.#options;
    if (!this.#isEntered) return;
    this.#drawnAtMs = performance.now();
    const next = picture();
    const bytes = frameBytes(this.#before, next);
    this.#before = next;
    if (bytes === '' || output.write(bytes)) return;
    // A slow terminal gets the newest frame after it has read the last one.
    this.#isWaiting = true;
    output.once('drain', () => {
      this.#isWaiting = false;
      this.draw();
    });
  };

  readonly #onData = (text: string | Buffer): void => {
    if (this.#escapeTimer) clearTimeout(this.#escapeTimer);
    this.#escapeTimer = null;
    this.#read(this.#typed + String(text), false);
  };

  #read(typed: string, isFinal: boolean): void {
    const { keys, rest } = readKeys(typed, isFinal);
    this.#typed = rest;
    if (rest !== '' && rest.length <= SHORT_LENGTH_MAX) {
      this.#escapeTimer = setTimeout(() => {
        this.#escapeTimer = null;
        this.#read(this.#typed, true);
      }, ESCAPE_MS);
    }
    for (const key of keys) this.#options.onKey(key.kind === 'click' ? this.#counted(key) : key);
  }

  #counted(click: Extract<Key, { kind: 'click' }>): Key {
    const { row, atMs } = this.#lastClick;
    const nowMs = performance.now();
    const isDouble = row === click.row && nowMs - atMs <= DOUBLE_CLICK_MS;
    // A third click begins anew.
    this.#lastClick = { row: isDouble ? -1 : click.row, atMs: nowMs };
    return { ...click, isDouble };
  }

  readonly #onResize = (): void => {
    this.#before = null;
    this.#options.onResize(this.size);
  };

  readonly #onGone = (): void => this.#options.onGone();
}
