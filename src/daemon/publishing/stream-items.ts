// What messages to subscribers are made of, each part once a change: items of panes, what needs a
// person, and the summary. When and to whom they are sent is publish.ts.

import type { World } from '../../core/world.ts';
import { listedPanes, summaryItem } from '../../operations/answer/listing.ts';
import {
  attentionItem,
  crowdedTargets,
  type PaneReaders,
  paneItem,
  refOf,
} from '../../operations/answer/pane-item.ts';
import { isoOf } from '../../operations/ports/iso-time.ts';
import type { StreamPane } from '../../operations/ports/stream-message.ts';
import type { SummaryItem } from '../../schema/api/panes.ts';
import type { Push } from '../../schema/api/stream.ts';
import type { PaneKey, TargetId } from '../../schema/ids.ts';

export class StreamItems {
  readonly #world: () => World;
  readonly #readers: PaneReaders;
  #crowded: ReadonlySet<TargetId>;
  /** Kept until the pane changes: doors keep the text of an item as long as the item. */
  readonly #items = new Map<PaneKey, StreamPane['item']>();

  constructor(world: () => World, readers: PaneReaders) {
    this.#world = world;
    this.#readers = readers;
    this.#crowded = crowdedTargets(world());
  }

  /** The pane changed or is gone. */
  drop(paneKey: PaneKey): void {
    this.#items.delete(paneKey);
  }

  /** Panes came or went. Returns the targets whose panes have other references from now on. */
  locationsChanged(): readonly TargetId[] {
    const before = this.#crowded;
    this.#crowded = crowdedTargets(this.#world());
    return [...new Set([...before, ...this.#crowded])].filter(
      (targetId) => before.has(targetId) !== this.#crowded.has(targetId),
    );
  }

  all(): readonly StreamPane[] {
    return this.panes(listedPanes(this.#world(), {}).map(({ paneKey }) => paneKey));
  }

  panes(paneKeys: readonly PaneKey[]): readonly StreamPane[] {
    return paneKeys.map((paneKey) => this.#pane(paneKey));
  }

  attention(paneKeys: readonly PaneKey[]): Push<'attention_changed'>['panes'] {
    const { panes } = this.#world();
    return paneKeys.flatMap((paneKey) => {
      const pane = panes.get(paneKey);
      if (!pane) return [];
      const ref = refOf(pane, pane.facts?.locations[0], this.#crowded);
      return [{ pane_key: paneKey, ref, attention: attentionItem(this.#readers, pane) }];
    });
  }

  summary(): SummaryItem {
    return summaryItem(listedPanes(this.#world(), {}));
  }

  #pane(paneKey: PaneKey): StreamPane {
    const world = this.#world();
    const pane = world.panes.get(paneKey);
    if (!pane) throw new Error(`published pane ${paneKey} is not in the world`);
    let item = this.#items.get(paneKey);
    if (item === undefined) {
      const view = { world, readers: this.#readers, crowded: this.#crowded };
      const { last_seen_at: _moving, ...rest } = paneItem(view, pane);
      item = rest;
      this.#items.set(paneKey, item);
    }
    return { item, last_seen_at: isoOf(this.#readers.lastSeenAtMs(pane)) };
  }
}
