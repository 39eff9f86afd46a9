// The ways in which the lab runs an agent: where its pane is, and whether our hooks are installed.
// Pure.

export type Mode = 'without hooks' | 'with hooks' | 'over ssh' | 'in nested tmux' | 'inside ssh';

/** In the order of the scoreboard, with the words of `--mode`. */
export const modeWords: Readonly<Record<Mode, string>> = {
  'without hooks': 'plain',
  'with hooks': 'hooks',
  'over ssh': 'ssh',
  'in nested tmux': 'nested',
  'inside ssh': 'inside-ssh',
};
export const modes = Object.keys(modeWords) as readonly Mode[];

/** The daemon sees only a tmux client or an ssh in the pane, and its screen. */
export const isOpaque = (mode: Mode): boolean => mode === 'in nested tmux' || mode === 'inside ssh';

/** The mode of a word of `--mode`. */
export function modeOf(word: string): Mode {
  const found = modes.find((mode) => modeWords[mode] === word);
  if (found !== undefined) return found;
  throw new Error(`--mode ${word}: it is one of ${Object.values(modeWords).join(', ')}`);
}
