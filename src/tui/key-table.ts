// The keys as the footer and the help page print them. update-on-key.ts says what they do.

export interface KeyHelp {
  readonly keys: string;
  /** For the footer. */
  readonly word: string;
  /** For the help page. */
  readonly does: string;
  readonly rank: number;
}

interface KeyRow {
  readonly keys: string;
  readonly ascii?: string;
  readonly word: string;
  readonly does: string;
  /** Where room is short, the footer leaves out the keys with the highest rank. */
  readonly rank: number;
}

const listRows: readonly KeyRow[] = [
  { keys: '↑↓', ascii: 'up/down', word: 'move', does: 'select; also j and k', rank: 9 },
  { keys: '⏎', ascii: 'enter', word: 'jump', does: 'show the pane in your client', rank: 2 },
  { keys: 'e', word: 'explain', does: 'why the pane is in its state, source by source', rank: 3 },
  { keys: 'n', word: 'next', does: 'select the next agent that needs you', rank: 5 },
  { keys: '/', word: 'filter', does: 'only rows containing all these words', rank: 4 },
  { keys: '!', word: 'attention', does: 'only panes with something new to see', rank: 6 },
  { keys: 'a', word: 'agents', does: 'only panes with an agent', rank: 7 },
  { keys: 'p', word: 'preview', does: 'show or hide the preview', rank: 8 },
  { keys: '?', word: 'help', does: 'this page', rank: 0 },
  { keys: 'q', word: 'quit', does: 'quit; on another page, back to the list', rank: 1 },
];

const moreRows: readonly KeyRow[] = [
  { keys: 'PgUp PgDn', word: '', does: 'ten lines; also Ctrl-U, Ctrl-D', rank: 0 },
  { keys: 'Home End', word: '', does: 'first and last; also g and G', rank: 0 },
  { keys: 'Esc', word: '', does: 'clear the filters; back to the list', rank: 0 },
  { keys: 'r', word: '', does: 'start the daemon when it does not answer', rank: 0 },
  { keys: 'Ctrl-L', word: '', does: 'redraw the screen', rank: 0 },
  { keys: 'Ctrl-Z', word: '', does: 'back to the shell until fg', rank: 0 },
];

const lostRows: readonly KeyRow[] = [
  { keys: 'r', word: 'start the daemon', does: '', rank: 1 },
  { keys: 'q', word: 'quit', does: '', rank: 2 },
  { keys: '?', word: 'help', does: '', rank: 3 },
];

const textRows: readonly KeyRow[] = [
  { keys: 'Esc', word: 'back', does: '', rank: 4 },
  { keys: '↑↓', ascii: 'up/down', word: 'scroll', does: '', rank: 5 },
  { keys: 'PgUp PgDn', word: 'page', does: '', rank: 6 },
];

const filterRows: readonly KeyRow[] = [
  { keys: '⏎', ascii: 'enter', word: 'keep', does: '', rank: 7 },
  { keys: 'Esc', word: 'back', does: '', rank: 8 },
];

const shown = (rows: readonly KeyRow[], unicode: boolean): readonly KeyHelp[] =>
  rows.map(({ keys, ascii, ...rest }) => ({ ...rest, keys: unicode ? keys : (ascii ?? keys) }));

/** Every key, for the help page. */
export const helpKeys = (unicode: boolean): readonly KeyHelp[] =>
  shown([...listRows.slice(0, -2), ...moreRows, ...listRows.slice(-2)], unicode);

export type KeyContext = 'list' | 'lost' | 'text' | 'filter';

const places: Readonly<Record<KeyContext, readonly KeyRow[]>> = {
  list: listRows,
  lost: lostRows,
  text: textRows,
  filter: filterRows,
};

/** The keys of a footer, in their order there. */
export const footerKeys = (place: KeyContext, unicode: boolean): readonly KeyHelp[] =>
  shown(places[place], unicode);
