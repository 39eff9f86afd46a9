// The one place where keys are typed into a pane: looks at it, pastes and presses keys, each only
// if the pane is still what the look showed. Works through the control client and, where none may
// be attached, by plain tmux commands. What to type is left to the flows beside it.

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LINE_COUNT_MAX, type ScreenView, viewScreen } from '../agents/screen/screen-view.ts';
import { Fault } from '../platform/fault.ts';
import { type CapturedScreen, captureCommands, readCapture } from '../tmux/capture.ts';
import type { TmuxLink } from '../tmux/link.ts';
import type { Reply } from '../tmux-wire/control-parser.ts';
import {
  type GuardedResult,
  guardedCommand,
  LAYOUT,
  type PaneGuard,
  readGuarded,
} from './guarded-command.ts';
import { sameRows } from './same-rows.ts';

/** tmux takes 16 kB of arguments from a process, in all. */
const PIECE_BYTES_MAX = 8_000;

/** For printf: back from the alternate screen, no mouse, plain colours, a cursor. */
const LEAVE_SCREEN = ['?1049l', '?1000l', '?1002l', '?1003l', '?1006l', '0m', '?25h']
  .map((each) => `\\033[${each}`)
  .join('');

/** A pane in one moment. */
export interface PaneLook {
  readonly screen: CapturedScreen;
  readonly view: ScreenView;
  /** The program in the foreground. */
  readonly command: string;
  readonly isSynchronized: boolean;
  readonly isInputOff: boolean;
  readonly isDead: boolean;
  /** Whether pastes come in brackets, so that lines stay together; null where tmux cannot say. */
  readonly takesPastes: boolean | null;
  /** The cursor and the filled cells. */
  readonly layout: string;
  /** The second in which the program last drew; empty where others draw in its window too. */
  readonly drawnAt: string;
}

/** What people do who are attached where the pane is shown. */
export interface PeopleAtKeys {
  /** Somebody has pressed a key in the pane. */
  readonly isTyping: boolean;
  /** Somebody's next key is a command of tmux, by this key table; null: nobody's. */
  readonly keyTable: string | null;
}

/** What of a look must still be on the screen in the moment of a key. */
export interface StillShown {
  /** Indexes in the lines of its view. Without any, only `isSteady` can hold a key back. */
  readonly rows: readonly number[];
  /** Whether the screen must be drawn as it was, as also where a row is like another one. */
  readonly isSteady: boolean;
}

export interface PaneControlOptions {
  readonly link: Pick<TmuxLink, 'run'>;
  readonly paneId: string;
  readonly commandTimeoutMs: number;
}

// The program is foreign text and comes last.
const FACTS =
  '#{?pane_synchronized,1,0}#{?pane_input_off,1,0}#{?pane_dead,1,0} #{bracket_paste_flag} ' +
  `${LAYOUT} #{?#{==:#{window_panes},1},#{window_activity},} #{pane_current_command}`;
const facts = /^([01])([01])([01]) ([01]?) (\S*) (\d*) (.*)$/s;

/** The table in which the keys of a client begin; another one stands while a command is typed. */
const RESTING_TABLE = '#{?#{key-table},#{key-table},root}';
const KEY_TABLE = `#{?#{==:#{client_key_table},${RESTING_TABLE}},,#{client_key_table}}`;
const LIST_PEOPLE = [
  ...['list-clients', '-F'],
  // The table has a name of the user, so it comes last.
  `#{?client_control_mode,1,0} #{client_activity} #{window_id} #{pane_id} ${KEY_TABLE}`,
];
const KEY_TABLE_LENGTH_MAX = 40;

export class PaneControl {
  readonly #options: PaneControlOptions;

  constructor(options: PaneControlOptions) {
    this.#options = options;
  }

  get paneId(): string {
    return this.#options.paneId;
  }

  /** Null for a pane that is gone. Rejects with a Fault. */
  async look(): Promise<PaneLook | null> {
    const { paneId } = this.#options;
    const ask = ['display-message', '-p', '-t', paneId, FACTS];
    const [about, ...capture] = await this.#run([ask, ...captureCommands(paneId)]);
    const screen = readCapture(capture);
    const found = facts.exec(about?.ok ? about.lines.join('\n') : '');
    if (screen === null || found === null) return null;
    return {
      screen,
      view: viewScreen(screen),
      command: found[7] ?? '',
      isSynchronized: found[1] === '1',
      isInputOff: found[2] === '1',
      isDead: found[3] === '1',
      takesPastes: found[4] === '' ? null : found[4] === '1',
      layout: found[5] ?? '',
      drawnAt: found[6] ?? '',
    };
  }

  /** People at terminals that show the pane: who has pressed a key in this time, or is about to. */
  async peopleAtKeys(withinMs: number): Promise<PeopleAtKeys> {
    const { paneId } = this.#options;
    // By the clock of tmux's machine, whose seconds both are.
    const ask = ['display-message', '-p', '-t', paneId, '%s #{window_id}'];
    const [about, clients] = await this.#run([ask, LIST_PEOPLE]);
    const [nowS, windowId] = (about?.ok ? (about.lines[0] ?? '') : '').split(' ');
    let isTyping = false;
    let keyTable: string | null = null;
    for (const line of clients?.ok ? clients.lines : []) {
      const [isControl, activityS, shownWindow, shownPane, ...table] = line.split(' ');
      if (isControl !== '0' || shownWindow !== windowId) continue;
      const isRecent = Number(nowS) - Number(activityS) <= withinMs / 1_000;
      isTyping ||= isRecent && shownPane === paneId;
      keyTable ??= table.join(' ').slice(0, KEY_TABLE_LENGTH_MAX) || null;
    }
    return { isTyping, keyTable };
  }

  /** Whether anybody at a terminal has pressed a key in this time, in whatever pane. */
  async isServerUsed(withinMs: number): Promise<boolean> {
    const ask = ['display-message', '-p', '-t', this.#options.paneId, '%s'];
    const [now, clients] = await this.#run([ask, LIST_PEOPLE]);
    if (!now?.ok || !clients?.ok) return true;
    return clients.lines.some((line) => {
      const [isControl, activityS] = line.split(' ');
      // Both are whole seconds, so either may be almost one early.
      const agoS = Number(now.lines[0]) - Number(activityS) - 1;
      return isControl === '0' && agoS <= withinMs / 1_000;
    });
  }

  /** Presses keys in one step, by the names that tmux has for them. */
  async press(keys: readonly string[], look: PaneLook, still?: StillShown): Promise<GuardedResult> {
    return this.#guarded(this.#guardOf(look, still), [
      ['send-keys', '-t', this.#options.paneId, ...keys],
    ]);
  }

  /** Leaves the screen of a program that has ended. It is printed: no program gets a key. */
  async leaveScreen(look: PaneLook): Promise<GuardedResult> {
    // tmux opens a view over the pane for what fails or prints.
    const line = `{ printf '${LEAVE_SCREEN}' >#{pane_tty}; } 2>/dev/null || :`;
    const print = ['run-shell', '-b', '-t', this.#options.paneId, line];
    return this.#guarded(this.#guardOf(look), [print]);
  }

  /** Pastes a clean text, in the brackets of a paste where the program asked for them. */
  async paste(text: string, look: PaneLook, still?: StillShown): Promise<GuardedResult> {
    const buffer = `agtmux-${randomBytes(9).toString('hex')}`;
    const { paneId } = this.#options;
    const parts = piecesOf(text).map((piece, index) => [
      ...['set-buffer', ...(index === 0 ? [] : ['-a'])],
      ...['-b', buffer, '--', piece],
    ]);
    const paste = ['paste-buffer', '-p', '-r', '-d', '-b', buffer, '-t', paneId];
    const guard = this.#guardOf(look, still);
    try {
      for (const part of parts.slice(0, -1)) ensureSet(await this.#run([part]));
      // In one line: where the daemon ends meanwhile, a text of one piece leaves no buffer.
      const [set, ...pasted] = await this.#run([
        ...parts.slice(-1),
        guardedCommand(guard, [paste]),
      ]);
      ensureSet(set ? [set] : []);
      const result = readGuarded(pasted, guard);
      if (!result.isDone) await this.#run([['delete-buffer', '-b', buffer]]);
      return result;
    } catch (error) {
      // The text must not stay in the user's tmux; where it cannot be reached, nothing helps.
      await this.#run([['delete-buffer', '-b', buffer]]).catch(() => {});
      throw error;
    }
  }

  /** The time that programs need between two steps; not a wait for a condition. */
  pause(ms: number): Promise<void> {
    return sleep(ms);
  }

  #guardOf({ screen, command, layout }: PaneLook, still?: StillShown): PaneGuard {
    // A view has the last lines of a tall screen.
    const above = Math.max(0, screen.lines.length - LINE_COUNT_MAX);
    const { rows, isComplete } = sameRows(
      screen.lines,
      (still?.rows ?? []).map((index) => index + above),
    );
    return {
      paneId: this.#options.paneId,
      panePid: screen.panePid,
      command,
      rows,
      layout: still?.isSteady || !isComplete ? layout : undefined,
    };
  }

  async #guarded(
    guard: PaneGuard,
    commands: readonly (readonly string[])[],
  ): Promise<GuardedResult> {
    return readGuarded(await this.#run([guardedCommand(guard, commands)]), guard);
  }

  #run(commands: readonly (readonly string[])[]) {
    return this.#options.link.run(commands, { deadlineMs: this.#options.commandTimeoutMs });
  }
}

/** A text with a gap must not be pasted. */
function ensureSet([reply]: readonly Reply[]): void {
  if (reply?.ok) return;
  const detail = reply?.lines.join(' ').slice(0, 200) ?? 'no reply';
  throw new Fault('protocol_desync', { about: 'set-buffer', detail });
}

/** The text in parts of few bytes, cut between characters. */
function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  let piece = '';
  let bytes = 0;
  for (const character of text) {
    const size = Buffer.byteLength(character);
    if (bytes + size > PIECE_BYTES_MAX) {
      pieces.push(piece);
      piece = '';
      bytes = 0;
    }
    piece += character;
    bytes += size;
  }
  return [...pieces, piece];
}
