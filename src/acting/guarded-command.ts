// Commands that tmux runs only if the pane is still what the last capture showed. Check and effect
// are one step of the server: nothing of any other client comes between them.

import type { Reply } from '../tmux-wire/control-parser.ts';
import { commandLine } from '../tmux-wire/quote.ts';

/** What must hold in the moment of the key. */
export interface PaneGuard {
  readonly paneId: string;
  readonly panePid: number;
  /** The program in the foreground. */
  readonly command: string;
  /** Letters, digits and blanks that must be on the screen; null where nothing can be asked. */
  readonly fragment?: string | null | undefined;
}

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

function conditionOf({ panePid, command, fragment }: PaneGuard): string {
  const conditions = [
    `#{==:#{pane_pid},${panePid}}`,
    `#{==:#{pane_current_command},${escapeFormat(command)}}`,
    ...['pane_in_mode', 'pane_synchronized', 'pane_input_off', 'pane_dead'].map(
      (name) => `#{!=:#{?${name},1,0},1}`,
    ),
    ...(fragment ? [`#{C:${fragment}}`] : []),
  ];
  return conditions.reduceRight((rest, each) => `#{&&:${each},${rest}}`);
}

/** A text inside a format: tmux reads `#,` and `#}` as the characters. */
const escapeFormat = (text: string): string => text.replace(/[#,}]/g, (each) => `#${each}`);

/** Reads the replies to a guarded command. Never throws. */
export function readGuarded(replies: readonly Reply[], guard: PaneGuard): GuardedResult {
  const lines = replies.flatMap((reply) => (reply.ok ? reply.lines : []));
  if (lines.includes(DONE)) return { isDone: true };
  const found = lines.find((line) => line.startsWith(`${REFUSED} `));
  return { isDone: false, guard: found === undefined ? 'pane_gone' : failedGuard(found, guard) };
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
