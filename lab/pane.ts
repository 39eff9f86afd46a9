// A real tmux pane that the lab types into and looks at. Commands run apart from our event loop,
// which also serves the model and takes the samples.

import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { shellQuote } from '../src/platform/text/shell-quote.ts';
import type { Keys } from './agent.ts';

const TMUX_MS = 20_000;
const KEY_PAUSE_MS = 300;
const LOOK_MS = 50;
const SETTLED_MS = 400;
const SETTLED_MAX_MS = 5_000;
const OPTION = 'option:';
const runFile = promisify(execFile);

export class LabPane {
  readonly paneId: string;
  readonly #socketPath: string;

  private constructor(socketPath: string, paneId: string) {
    this.#socketPath = socketPath;
    this.paneId = paneId;
  }

  /** A pane that is there already. */
  static at(socketPath: string, paneId: string): LabPane {
    return new LabPane(socketPath, paneId);
  }

  /** A pane in a session of its own that runs a bare shell with this environment alone. */
  static async open(
    socketPath: string,
    options: {
      readonly folder: string;
      readonly name: string;
      readonly env: Readonly<Record<string, string>>;
    },
  ): Promise<LabPane> {
    const variables = Object.entries(options.env).map(
      ([key, value]) => `${key}=${shellQuote(value)}`,
    );
    const own = ['TMUX="$TMUX"', 'TMUX_PANE="$TMUX_PANE"', 'TERM="$TERM"', "PS1='$ '"];
    const shell = `exec env -i ${[...variables, ...own].join(' ')} bash --norc --noprofile`;
    const place = ['-x', '100', '-y', '30', '-c', options.folder, '-s', options.name];
    const { stdout } = await runFile(
      'tmux',
      ['-u', '-S', socketPath, '-f', '/dev/null', 'new-session', '-d', '-P', '-F', '#{pane_id}']
        .concat(place)
        .concat(shell),
      { timeout: TMUX_MS, env: { ...process.env, TMUX: '', TMUX_PANE: '' } },
    );
    return new LabPane(socketPath, stdout.trim());
  }

  async #tmux(...args: readonly string[]): Promise<string> {
    const all = ['-u', '-S', this.#socketPath, ...args];
    const { stdout } = await runFile('tmux', all, { timeout: TMUX_MS, maxBuffer: 8 * 1024 ** 2 });
    return stdout;
  }

  screen(): Promise<string> {
    return this.#tmux('capture-pane', '-p', '-t', this.paneId);
  }

  /** How often it shows something, with what has scrolled away. */
  async countIn(wanted: RegExp): Promise<number> {
    const text = await this.#tmux('capture-pane', '-p', '-S', '-', '-t', this.paneId);
    const all = new RegExp(wanted.source, [...new Set(`${wanted.flags}g`)].join(''));
    return [...text.matchAll(all)].length;
  }

  async format(format: string): Promise<string> {
    return (await this.#tmux('display-message', '-p', '-t', this.paneId, format)).trim();
  }

  /** Types text as it is. */
  async type(text: string): Promise<void> {
    await this.#tmux('send-keys', '-t', this.paneId, '-l', text);
  }

  /** Presses keys one after the other. Returns when the last one was sent. */
  async press(keys: Keys): Promise<number> {
    let atMs = Date.now();
    for (const key of keys) {
      if (key === 'pause') {
        await pause(KEY_PAUSE_MS);
        continue;
      }
      const pressed = key.startsWith(OPTION) ? await this.#numberOf(key.slice(OPTION.length)) : key;
      atMs = Date.now();
      await this.#tmux('send-keys', '-t', this.paneId, pressed);
    }
    return atMs;
  }

  /** The number of the option that begins so in the dialog on the screen. */
  async #numberOf(label: string): Promise<string> {
    const screen = await this.screen();
    const found = screen.match(new RegExp(`(\\d)\\. ${label}\\b`));
    if (found?.[1] === undefined) throw new Error(`no option "${label}" in:\n${screen}`);
    return found[1];
  }

  /** Waits until the screen stands still, as it does when a program has started; not for ever. */
  async settled(): Promise<void> {
    const endMs = Date.now() + SETTLED_MAX_MS;
    let screen = await this.screen();
    let sinceMs = Date.now();
    while (Date.now() < sinceMs + SETTLED_MS && Date.now() < endMs) {
      await pause(LOOK_MS);
      const next = await this.screen();
      if (next !== screen) sinceMs = Date.now();
      screen = next;
    }
  }

  /** Waits until the screen shows it; fails with the screen after the deadline. */
  async shows(wanted: RegExp, what: string, deadlineMs = 30_000): Promise<void> {
    const endMs = Date.now() + deadlineMs;
    for (;;) {
      const screen = await this.screen();
      if (wanted.test(screen)) return;
      if (Date.now() > endMs) throw new Error(`the screen never showed ${what}:\n${screen}`);
      await pause(LOOK_MS);
    }
  }
}
