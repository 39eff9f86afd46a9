// What the live view remembers from one run to the next: grouping, order, collapsed groups, pins
// and saved filters. Pure; preferences-file.ts reads and writes the file. A file that cannot be
// read gives the defaults, field by field.

export const groupings = ['session', 'state', 'target', 'folder', 'worktree'] as const;
export type GroupBy = (typeof groupings)[number];

export const orders = ['attention', 'age', 'name'] as const;
export type OrderBy = (typeof orders)[number];

export interface RowFilter {
  readonly text: string;
  readonly attentionOnly: boolean;
  readonly agentsOnly: boolean;
}

export const NO_FILTER: RowFilter = { text: '', attentionOnly: false, agentsOnly: false };

export const isSameFilter = (a: RowFilter, b: RowFilter): boolean =>
  a.text === b.text && a.attentionOnly === b.attentionOnly && a.agentsOnly === b.agentsOnly;

export interface Preferences {
  readonly groupBy: GroupBy;
  readonly orderBy: OrderBy;
  /** Keys of sections. */
  readonly collapsed: readonly string[];
  /** Keys of panes. */
  readonly pinned: readonly string[];
  readonly savedFilters: readonly RowFilter[];
  readonly isPreviewOn: boolean;
  readonly areWorkersHidden: boolean;
}

export const defaultPreferences: Preferences = {
  groupBy: 'session',
  orderBy: 'attention',
  collapsed: [],
  pinned: [],
  savedFilters: [],
  isPreviewOn: true,
  areWorkersHidden: false,
};

/** Longer lists lose their oldest entries. */
const COLLAPSED_MAX = 200;
const PINNED_MAX = 100;
export const SAVED_FILTERS_MAX = 9;
export const FILTER_LENGTH_MAX = 200;
const KEY_LENGTH_MAX = 1_024;

/** The preferences within their limits. */
export const limitPreferences = (preferences: Preferences): Preferences => ({
  ...preferences,
  collapsed: preferences.collapsed.slice(-COLLAPSED_MAX),
  pinned: preferences.pinned.slice(-PINNED_MAX),
  savedFilters: preferences.savedFilters.slice(-SAVED_FILTERS_MAX),
});

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const oneOf = <T extends string>(words: readonly T[], value: unknown, fallback: T): T =>
  words.find((word) => word === value) ?? fallback;

const flagOf = (value: unknown, fallback: boolean): boolean =>
  typeof value === 'boolean' ? value : fallback;

const keysOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : []).filter(
    (each): each is string => typeof each === 'string' && each.length <= KEY_LENGTH_MAX,
  );

function filtersOf(value: unknown): readonly RowFilter[] {
  return (Array.isArray(value) ? value : []).filter(isFields).flatMap((each) => {
    const text = each['text'];
    if (typeof text !== 'string' || text.length > FILTER_LENGTH_MAX) return [];
    const attentionOnly = flagOf(each['attention_only'], false);
    return [{ text, attentionOnly, agentsOnly: flagOf(each['agents_only'], false) }];
  });
}

/** Reads the text of the file. Never throws. */
export function readPreferences(text: string): Preferences {
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch {
    return defaultPreferences;
  }
  if (!isFields(fields)) return defaultPreferences;
  const defaults = defaultPreferences;
  return limitPreferences({
    groupBy: oneOf(groupings, fields['group_by'], defaults.groupBy),
    orderBy: oneOf(orders, fields['order_by'], defaults.orderBy),
    collapsed: keysOf(fields['collapsed']),
    pinned: keysOf(fields['pinned']),
    savedFilters: filtersOf(fields['saved_filters']),
    isPreviewOn: flagOf(fields['preview'], defaults.isPreviewOn),
    areWorkersHidden: flagOf(fields['hide_workers'], defaults.areWorkersHidden),
  });
}

/** The text of the file. */
export function preferencesText(preferences: Preferences): string {
  const { groupBy, orderBy, collapsed, pinned, savedFilters } = limitPreferences(preferences);
  const fields = {
    group_by: groupBy,
    order_by: orderBy,
    collapsed,
    pinned,
    saved_filters: savedFilters.map(({ text, attentionOnly, agentsOnly }) => ({
      text,
      attention_only: attentionOnly,
      agents_only: agentsOnly,
    })),
    preview: preferences.isPreviewOn,
    hide_workers: preferences.areWorkersHidden,
  };
  return `${JSON.stringify(fields, null, 2)}\n`;
}
