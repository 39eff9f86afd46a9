// The events of `watch --format jsonl`: what the daemon pushes, as one flat event per line with a
// stable schema. Pure.

import type { PushMessage } from '../../client/client.ts';
import { isAtPlace, placeOf } from '../../render/typed-names.ts';
import type { HistoryEntry } from '../../schema/api/ledger.ts';
import type { PaneItem, SessionList, WindowList } from '../../schema/api/panes.ts';

export type WatchEvent = Readonly<Record<string, unknown>> & {
  readonly schema_version: 1;
  readonly type: string;
  readonly at: string;
  readonly identity: unknown;
};

const event = (type: string, at: string, identity: unknown, more: object): WatchEvent => ({
  schema_version: 1,
  type,
  at,
  identity,
  ...more,
});

/** Keeps the identities of panes, so that a removed pane can still be named. */
export class PaneEvents {
  readonly #target: string | undefined;
  readonly #known = new Map<string, PaneItem['identity']>();

  constructor(target: string | undefined) {
    this.#target = target;
  }

  /** The events of one push. A snapshot is the state of every pane, marked `initial`. */
  take({ type, data }: PushMessage): readonly WatchEvent[] {
    const at = data.generated_at;
    const { cursor } = data;
    switch (type) {
      case 'snapshot': {
        const gone = this.#missing(new Set(data.panes.map(({ pane_key }) => pane_key)));
        return [
          ...this.#removed(gone, at, cursor),
          ...this.#changed(data.panes, at, { cursor, initial: true }),
          ...this.#summary(at, { cursor, summary: data.summary }),
        ];
      }
      case 'state_changed':
        return [
          ...this.#removed(data.removed, at, cursor),
          ...this.#changed(data.panes, at, { cursor, initial: false }),
        ];
      case 'attention_changed':
        return data.panes
          .filter(({ pane_key }) => this.#known.has(pane_key))
          .map(({ pane_key, ...more }) =>
            event(type, at, this.#known.get(pane_key) ?? null, { cursor, pane_key, ...more }),
          );
      case 'summary_changed':
        return this.#summary(at, { cursor, summary: data.summary });
    }
  }

  #changed(panes: readonly PaneItem[], at: string, more: object): readonly WatchEvent[] {
    const own = panes.filter((pane) => !this.#target || isAtPlace(placeOf(pane), this.#target));
    for (const { pane_key, identity } of own) this.#known.set(pane_key, identity);
    return own.map((pane) => event('state_changed', at, pane.identity, { ...more, pane }));
  }

  #removed(keys: readonly string[], at: string, cursor: string): readonly WatchEvent[] {
    return keys
      .filter((key) => this.#known.has(key))
      .map((pane_key) => {
        const identity = this.#known.get(pane_key) ?? null;
        this.#known.delete(pane_key);
        return event('pane_removed', at, identity, { cursor, pane_key });
      });
  }

  #missing(present: ReadonlySet<string>): readonly string[] {
    return [...this.#known.keys()].filter((key) => !present.has(key));
  }

  /** The counts cover every target, so they are left out when one target is watched. */
  #summary(at: string, more: object): readonly WatchEvent[] {
    return this.#target ? [] : [event('summary_changed', at, null, more)];
  }
}

type Item = WindowList['windows'][number] | SessionList['sessions'][number];

/** Finds the windows or sessions that changed between two listings. */
export class ItemEvents {
  readonly #name: 'window' | 'session';
  #known = new Map<string, { readonly text: string; readonly item: Item }>();

  constructor(name: 'window' | 'session') {
    this.#name = name;
  }

  take(list: WindowList | SessionList): readonly WatchEvent[] {
    const items: readonly Item[] = 'windows' in list ? list.windows : list.sessions;
    const at = list.generated_at;
    const before = this.#known;
    this.#known = new Map(
      items.map((item) => [JSON.stringify(item.identity), { text: JSON.stringify(item), item }]),
    );
    const gone = [...before].filter(([key]) => !this.#known.has(key));
    const changed = [...this.#known].filter(([key, { text }]) => before.get(key)?.text !== text);
    return [
      ...gone.map(([, { item }]) => event(`${this.#name}_removed`, at, item.identity, {})),
      ...changed.map(([key, { item }]) =>
        event(`${this.#name}_changed`, at, item.identity, {
          initial: !before.has(key),
          [this.#name]: item,
        }),
      ),
    ];
  }
}

/** State changes before the watch started, oldest first. */
export function historyEvents(
  entries: readonly HistoryEntry[],
  panes: readonly PaneItem[],
): readonly WatchEvent[] {
  const places = new Map(panes.map(({ pane_key, identity }) => [pane_key, identity]));
  return entries
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
    .map(({ at, ...entry }) => event('history', at, places.get(entry.pane_key) ?? null, { entry }));
}

/** The connection to the daemon is lost, or back. */
export const linkEvent = (link: 'lost' | 'back', at: string): WatchEvent =>
  event('link_changed', at, null, { link });
