// What the page remembers of how a person likes it. Pure: where it is kept is the page's.

import { type ListGrouping, listGroupings } from './fleet-list.ts';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

export interface PagePreferences {
  readonly theme: Theme;
  readonly grouping: ListGrouping;
  readonly withShells: boolean;
  readonly collapsed: readonly string[];
}

export const firstPreferences: PagePreferences = {
  theme: 'system',
  grouping: 'state',
  withShells: false,
  collapsed: [],
};

const COLLAPSED_MAX = 200;

/** The defaults for whatever is missing or wrong. */
export function readPagePreferences(text: string | null): PagePreferences {
  let saved: Partial<Record<keyof PagePreferences, unknown>>;
  try {
    saved = Object(JSON.parse(text ?? '{}'));
  } catch {
    return firstPreferences;
  }
  const { collapsed } = saved;
  return {
    theme: themes.find((each) => each === saved.theme) ?? firstPreferences.theme,
    grouping: listGroupings.find((each) => each === saved.grouping) ?? firstPreferences.grouping,
    withShells: saved.withShells === true,
    collapsed: Array.isArray(collapsed)
      ? collapsed.filter((each) => typeof each === 'string').slice(-COLLAPSED_MAX)
      : [],
  };
}
