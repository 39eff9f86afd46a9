// The view in a real pane of a real tmux, driven by keys, and read off its screen. It runs from the
// sources, inside a shell that tells how it ended and what is left of the terminal.

import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellQuote } from '../../src/platform/text/shell-quote.ts';
import { builtProgram } from '../built-program.ts';
import type { LiveDaemon } from '../daemon-live/live-daemon.ts';
import { eventually } from '../live/tmux-server.ts';

export interface TuiStart {
  readonly columns?: number;
  readonly rows?: number;
  /** Of the command line; none opens the view too. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Variables that the view must not see. */
  readonly without?: readonly string[];
  /** In a shell with jobs, which takes over when the view is stopped, until Enter is pressed. */
  readonly hasJobs?: boolean;
  /** Arguments of Node, in the place of the sources. */
  readonly program?: readonly string[];
}

export class LiveTui {
  readonly paneId: string;
  readonly #lab: LiveDaemon;
  readonly #folder: string;

  constructor(lab: LiveDaemon, start: TuiStart = {}) {
    const { columns = 100, rows = 30, args = ['tui'], env = {}, without = [] } = start;
    const jobs = ['echo "stopped with $?"', 'read -r _', 'fg > /dev/null'];
    this.#lab = lab;
    this.#folder = mkdtempSync(join(lab.folder, 'tui-'));
    const { program = builtProgram } = start;
    const command = [process.execPath, ...program, ...args].map(shellQuote).join(' ');
    const unset = without.map((name) => `unset ${name}`).join('; ');
    const script = [
      ...(unset === '' ? [] : [unset]),
      // tmux gives a new session the PATH of its client.
      ...(env['PATH'] === undefined ? [] : [`export PATH=${shellQuote(env['PATH'])}`]),
      `stty -g > ${this.#folder}/before`,
      `echo "before the view"`,
      ...(start.hasJobs ? ['set -m', command, ...jobs] : [command]),
      'echo "ended with $?"',
      `stty -g > ${this.#folder}/after`,
      'exec cat',
    ].join('\n');
    const variables = Object.entries({ ...lab.env, ...env }).flatMap((each) => [
      '-e',
      each.join('='),
    ]);
    const size = ['-x', String(columns), '-y', String(rows)];
    const session = ['new-session', '-d', '-P', '-F', '#{pane_id}', '-s', 'view', ...size];
    this.paneId = lab.tmux.run(...session, ...variables, 'sh', '-c', script);
  }

  /** What the pane shows now, as text; with colours where asked for. */
  screen(...options: readonly string[]): string {
    return this.#lab.tmux.run('capture-pane', '-p', ...options, '-t', this.paneId);
  }

  format(format: string): string {
    return this.#lab.tmux.run('display-message', '-p', '-t', this.paneId, format);
  }

  /** Keys by the names that tmux has for them. */
  keys(...names: readonly string[]): void {
    this.#lab.tmux.run('send-keys', '-t', this.paneId, ...names);
  }

  type(text: string): void {
    this.#lab.tmux.run('send-keys', '-l', '-t', this.paneId, text);
  }

  resize(columns: number, rows: number): void {
    const size = ['-x', String(columns), '-y', String(rows)];
    this.#lab.tmux.run('resize-window', '-t', this.paneId, ...size);
  }

  /** Waits until the screen is as it should be, and returns it. */
  async until(check: (screen: string) => boolean, what: string): Promise<string> {
    let last = '';
    return eventually(
      () => {
        last = this.screen();
        return check(last) ? last : null;
      },
      what,
      20_000,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}; the screen is\n${last}`);
    });
  }

  shows(text: string): Promise<string> {
    return this.until((screen) => screen.includes(text), `the screen shows "${text}"`);
  }

  hides(text: string): Promise<string> {
    return this.until((screen) => !screen.includes(text), `the screen hides "${text}"`);
  }

  /** The pid of the view itself: the shell's only child. */
  get pid(): number {
    const shell = this.format('#{pane_pid}');
    return Number(readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').trim());
  }

  /** After the end: its exit code, and whether the terminal is as it was before. */
  async ended(): Promise<{
    readonly code: number;
    readonly left: Readonly<Record<string, string>>;
  }> {
    const screen = await this.shows('ended with');
    const pathOf = (name: string) => join(this.#folder, name);
    const read = (name: string) => readFileSync(pathOf(name), 'utf8');
    const isWritten = () => existsSync(pathOf('after')) && read('after') !== '';
    await eventually(isWritten, 'the shell has read the settings');
    return {
      code: Number(/ended with (\d+)/.exec(screen)?.[1]),
      left: {
        settings: read('after') === read('before') ? 'same' : `${read('before')}${read('after')}`,
        first: screen.split('\n')[0] ?? '',
        modes: this.format(
          '#{alternate_on} #{cursor_flag} #{wrap_flag} #{mouse_any_flag} #{pane_in_mode}',
        ),
      },
    };
  }
}

/** A terminal that was given back: main screen, cursor shown, lines wrapped, no mouse. */
export const GIVEN_BACK: Readonly<Record<string, string>> = {
  settings: 'same',
  first: 'before the view',
  modes: '0 1 1 0 0',
};
