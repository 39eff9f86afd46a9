// A private tmux server whose only session runs the demo, for scripts/picture.ts: its screen at a
// moment, at another size, and the demo's own tmux with a sidebar. Everything ends with it.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from './script-entry.ts';

const WAIT_MS = 30_000;
const POLL_MS = 100;
/** The preview of a new size is read once more, and the sidebar draws itself again. */
const REDRAW_MS = 1_000;
const PROGRAM = join(root, 'bin', 'agtmux.js');

/** What the demo's screen says as soon as its agents are known. */
const AGENTS_SHOWN = /Clean up/;

export interface DemoSize {
  readonly columns: number;
  readonly rows: number;
  /** The demo is told that the background is light. */
  readonly isLight: boolean;
}

type Variables = Readonly<Record<string, string>>;

export class DemoTerminal implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'agtmux-picture-'));
  readonly #env: NodeJS.ProcessEnv;
  #beganMs = 0;

  private constructor({ columns, rows, isLight }: DemoSize) {
    this.#env = {
      ...process.env,
      ...{ HOME: this.#folder, TMPDIR: this.#folder, LC_ALL: 'C.UTF-8', COLORTERM: 'truecolor' },
      COLORFGBG: isLight ? '0;15' : '15;0',
    };
    const size = ['-x', String(columns), '-y', String(rows)];
    this.#tmux(
      ...['new-session', '-d', '-s', 'picture', ...size, process.execPath, PROGRAM, 'demo'],
      ...[';', 'set-option', '-g', 'status', 'off'],
    );
  }

  /** Runs the demo; resolves when its agents are on the screen. */
  static async open(size: DemoSize): Promise<DemoTerminal> {
    const terminal = new DemoTerminal(size);
    try {
      await waitFor(() => AGENTS_SHOWN.test(terminal.screen()), 'the demo shows its agents');
    } catch (error) {
      terminal[Symbol.dispose]();
      throw error;
    }
    terminal.#beganMs = performance.now();
    return terminal;
  }

  /** What a window shows now, with its colours. */
  screen(window = 0): string {
    return this.#tmux('capture-pane', '-e', '-p', '-t', `picture:${window}`);
  }

  /** Waits for a moment, in seconds after the demo showed its agents. */
  async at(seconds: number): Promise<void> {
    await pause(Math.max(0, this.#beganMs + seconds * 1_000 - performance.now()));
  }

  /** The screen after the terminal has this size. */
  async resized(columns: number, rows: number, lastWord = 'quit'): Promise<string> {
    this.#resize(0, columns, rows);
    const lastLine = (): string | undefined => this.screen().split('\n')[rows - 1];
    const isDrawn = (): boolean => lastLine()?.includes(lastWord) === true;
    await waitFor(isDrawn, `the view is drawn at ${columns}x${rows}`);
    await pause(REDRAW_MS);
    await waitFor(() => !this.screen().includes('Reading the screen'), 'the preview is read');
    return this.screen();
  }

  /** The inbox at some sizes; the list is there again afterwards. */
  async inbox(sizes: readonly (readonly [columns: number, rows: number])[]): Promise<string[]> {
    this.#tmux('send-keys', '-t', 'picture:0', 'i');
    const screens: string[] = [];
    for (const [columns, rows] of sizes) screens.push(await this.resized(columns, rows, 'Esc'));
    this.#tmux('send-keys', '-t', 'picture:0', 'Escape');
    await waitFor(() => this.screen().includes('needs you'), 'the list is there again');
    return screens;
  }

  /** The screen of a client of the demo's own tmux whose window has a sidebar. */
  async sidebar(columns: number, rows: number): Promise<string> {
    const stage = readdirSync(this.#folder).find((name) => name.startsWith('agtmux-demo-')) ?? '';
    const inner = join(this.#folder, stage, 'tmux.sock');
    const ask = (...args: readonly string[]): string =>
      this.#call('tmux', ['-u', '-N', '-S', inner, ...args]).trim();
    this.#tmux(
      ...['new-window', '-d', '-t', 'picture:1', 'env', '-u', 'TMUX'],
      ...['tmux', '-u', '-N', '-S', inner, 'attach', '-t', 'shop-api:0'],
    );
    this.#resize(1, columns, rows);
    const paneId = ask('display-message', '-p', '-t', 'shop-api:0', '#{pane_id}');
    const socketPath = join(this.#folder, stage, 'run', 'agtmux', 'agtmuxd.sock');
    this.#call(process.execPath, [PROGRAM, 'sidebar', '--pane', paneId, '-s', socketPath], {
      TMUX: `${inner},${ask('display-message', '-p', '#{pid}')},0`,
      XDG_STATE_HOME: join(this.#folder, stage, 'state'),
    });
    await waitFor(() => /\d needs? you/.test(this.screen(1)), 'the sidebar shows who needs you');
    await pause(REDRAW_MS);
    return this.screen(1);
  }

  async quit(): Promise<void> {
    this.#tmux('send-keys', '-t', 'picture:0', 'q');
    await waitFor(() => this.#hasEnded(), 'the demo ends by q');
  }

  [Symbol.dispose](): void {
    if (!this.#hasEnded()) this.#tmux('kill-server');
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #resize(window: number, columns: number, rows: number): void {
    const size = ['-x', String(columns), '-y', String(rows)];
    this.#tmux('resize-window', '-t', `picture:${window}`, ...size);
  }

  #hasEnded(): boolean {
    try {
      this.#tmux('has-session', '-t', 'picture');
      return false;
    } catch {
      return true;
    }
  }

  #tmux(...args: readonly string[]): string {
    const socket = join(this.#folder, 'tmux.sock');
    return this.#call('tmux', ['-u', '-S', socket, '-f', '/dev/null', ...args]);
  }

  #call(command: string, args: readonly string[], more: Variables = {}): string {
    const env = { ...this.#env, ...more };
    return execFileSync(command, args, {
      encoding: 'utf8',
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }
}

async function waitFor(check: () => boolean, what: string): Promise<void> {
  const deadlineMs = performance.now() + WAIT_MS;
  while (!check()) {
    if (performance.now() > deadlineMs) throw new Error(`did not happen: ${what}`);
    await pause(POLL_MS);
  }
}
