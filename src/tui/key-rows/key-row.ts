// One row of the table of keys: keys, their words, and what they do. key-table.ts is the table.

export interface KeyWords {
  /** As people read it. */
  readonly keys: string;
  readonly ascii?: string;
  /** For the footer; empty: only the help page has it. */
  readonly word: string;
  /** For the help page. */
  readonly does: string;
  /** Where room is short, the footer leaves out the keys with the highest rank. */
  readonly rank: number;
}

export interface KeyRow<Action extends string> extends KeyWords {
  /** The names of the keys of each action, as update-on-key.ts reads them. */
  readonly actions: readonly (readonly [Action, ...string[]])[];
}

export const row = <const Action extends string = never>(
  actions: KeyRow<Action>['actions'],
  keys: string,
  does: string,
  footer: { readonly word?: string; readonly rank?: number; readonly ascii?: string } = {},
): KeyRow<Action> => ({ word: '', rank: 99, ...footer, actions, keys, does });

/** The actions of the rows of a table. */
export type ActionOf<Rows extends readonly KeyRow<string>[]> = Rows[number]['actions'][number][0];
