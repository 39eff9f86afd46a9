// The short line of counts that a status bar shows, as "2! 3> 1✓". Made of numbers and our own
// marks alone, never of a name or a title, so that no status bar has anything to run or to expand.
// `agtmux tmux-status` prints it and the daemon pushes it. Pure.

/** The mark of each state and of stuck agents, with and without UTF-8. One cell wide. */
export const stateMarks: Readonly<Record<string, readonly [string, string]>> = {
  error: ['✗', 'x'],
  waiting_approval: ['!', '!'],
  waiting_input: ['?', '?'],
  stuck: ['=', '='],
  running: ['>', '>'],
  completed: ['✓', '+'],
  idle: ['·', '-'],
  unknown: ['~', '~'],
};

/** Shown in place of counts when the daemon is gone, hangs, or cannot store what happens. */
export const DOUBT = 'agtmux ?';

/** Idle and unknown agents need no person and would only make the line longer. */
const shownStates = [
  'error',
  'waiting_approval',
  'waiting_input',
  'stuck',
  'running',
  'completed',
] as const;

/**
 * Counts that need a person have a background of their own: the stock status bar of tmux is green,
 * where coloured letters are hard to read. Separated by spaces, because a comma would end a branch
 * of the format that holds them.
 */
const tmuxStyles: Readonly<Record<(typeof shownStates)[number], string>> = {
  error: 'fg=white bg=red bold',
  waiting_approval: 'fg=black bg=yellow',
  waiting_input: 'fg=black bg=cyan',
  stuck: 'fg=white bg=red',
  running: '',
  completed: 'fg=black bg=white',
};

export interface CountsStyle {
  readonly markOf: (marks: readonly [string, string]) => string;
  /** In tmux's own `#[...]`. */
  readonly withColors: boolean;
}

/** The counts that are not zero, the most urgent state first; empty when all are zero. */
export function statusCounts(
  byState: Readonly<Record<string, number>>,
  { markOf, withColors }: CountsStyle,
): string {
  return shownStates
    .map((state) => ({ state, count: Math.trunc(Number(byState[state] ?? 0)) }))
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => {
      const text = `${count}${markOf(stateMarks[state] ?? ['~', '~'])}`;
      const style = withColors ? tmuxStyles[state] : '';
      return style === '' ? text : `#[${style}]${text}#[default]`;
    })
    .join(' ');
}
