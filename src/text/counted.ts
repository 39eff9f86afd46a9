// A number with its noun in the right form: `1 pane`, `2 panes`. Pure.

/** The noun is one whose plural ends in s. */
export const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;
