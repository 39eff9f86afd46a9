// Commands that tmux runs only if the pane is still what the last capture showed. Check and effect
// are one step of the server: nothing of any other client comes between them.

import type { Reply } from '../tmux-wire/control-parser.ts';
import { commandLine } from '../tmux-wire/quote.ts';
import type { RowGuard } from './same-rows.ts';

/** What must hold in the moment of the key. */
export interface PaneGuard {
  readonly paneId: string;
  readonly panePid: number;
  /** The program in the foreground. */
  readonly command: string;
  /** Rows that must be where they were. */
  readonly rows?: readonly RowGuard[] | undefined;
  /** The cursor and the filled cells as a look had them; absent where the screen may move. */
  readonly layout?: string | undefined;
}

/** Where the cursor is and how much is drawn: it changes with nearly all that is drawn anew. */
export const LAYOUT = '#{cursor_x},#{cursor_y},#{history_all_bytes}';

/** Why tmux did nothing. */
export type GuardName =
  | 'pane_gone'
  | 'pane_replaced'
  | 'program_changed'
  | 'copy_mode'
  | 'synchronized'
  | 'input_off'
  | 'pane_dead'
  | 'screen_changed';

export type GuardedResult =
  | { readonly isDone: true }
  | { readonly isDone: false; readonly guard: GuardName };

const DONE = 'agtmux-done';
const REFUSED = 'agtmux-refused';

/** One command for `run`: the commands, or what tmux found in their place. */
export function guardedCommand(
  guard: PaneGuard,
  commands: readonly (readonly string[])[],
): string[] {
  const { paneId } = guard;
  const report = ['display-message', '-p', '-t', paneId, `${REFUSED} ${FACTS}`];
  const done = ['display-message', '-p', DONE];
  return [
    ...['if-shell', '-F', '-t', paneId, conditionOf(guard)],
    [...commands, done].map(commandLine).join(' ; '),
    commandLine(report),
  ];
}

const FACTS =
  '#{pane_pid} #{pane_in_mode} #{pane_synchronized} #{pane_input_off} #{pane_dead} ' +
  '#{pane_current_command}';

// One comparison: tmux 3.2 follows conditions inside conditions no deeper than ten.
function conditionOf({ panePid, command, rows = [], layout }: PaneGuard): string {
  const flags = ['pane_in_mode', 'pane_synchronized', 'pane_input_off', 'pane_dead'];
  const values: (readonly [string, string])[] = [
    ['#{pane_pid}', `${panePid}`],
    ...flags.map((name) => [`#{?${name},1,0}`, '0'] as const),
    ...rows.map(({ row, pattern }) => [`#{C/r:${pattern}}`, `${row}`] as const),
    ...(layout === undefined
      ? []
      : [[LAYOUT.replaceAll(',', '#,'), escapeFormat(layout)] as const]),
    // Foreign text, so it comes last.
    ['#{pane_current_command}', escapeFormat(command)],
  ];
  const [found, expected] = [0, 1].map((side) => values.map((pair) => pair[side]).join('|'));
  return `#{==:${found},${expected}}`;
}

/** A text inside a format: tmux reads `#,` and `#}` as the characters. */
const escapeFormat = (text: string): string => text.replace(/[#,}]/g, (each) => `#${each}`);

/** Reads the replies to a guarded command. Never throws. */
export function readGuarded(replies: readonly Reply[], guard: PaneGuard): GuardedResult {
  const lines = replies.flatMap((reply) => (reply.ok ? reply.lines : []));
  // A refusal ends with the name of a program, which may hold line ends and any text.
  const found = lines.find((line) => line.startsWith(`${REFUSED} `));
  if (found !== undefined) return { isDone: false, guard: failedGuard(found, guard) };
  return lines.includes(DONE) ? { isDone: true } : { isDone: false, guard: 'pane_gone' };
}

function failedGuard(line: string, { panePid, command }: PaneGuard): GuardName {
  const [, pid = '', inMode = '', synchronized = '', inputOff = '', dead = '', ...words] =
    line.split(' ');
  if (pid === '') return 'pane_gone';
  if (Number(pid) !== panePid) return 'pane_replaced';
  if (dead === '1') return 'pane_dead';
  if (Number(inMode) > 0) return 'copy_mode';
  if (synchronized === '1') return 'synchronized';
  if (inputOff === '1') return 'input_off';
  if (words.join(' ') !== command) return 'program_changed';
  return 'screen_changed';
}
