// The texts that subscribers are sent, each made once a change: items of panes, what needs a
// person, and the summary. When and to whom they are sent is publish.ts.

import type { World } from '../../core/world.ts';
import { listedPanes, summaryItem } from '../../operations/listing.ts';
import {
  attentionItem,
  crowdedTargets,
  isoOf,
  type PaneReaders,
  paneItem,
  refOf,
} from '../../operations/pane-item.ts';
import type { PaneKey, TargetId } from '../../schema/ids.ts';

export class PaneTexts {
  readonly #world: () => World;
  readonly #readers: PaneReaders;
  #crowded: ReadonlySet<TargetId>;
  /** Items as JSON without their last field and their end. */
  readonly #texts = new Map<PaneKey, string>();

  constructor(world: () => World, readers: PaneReaders) {
    this.#world = world;
    this.#readers = readers;
    this.#crowded = crowdedTargets(world());
  }

  /** The pane changed or is gone. */
  drop(paneKey: PaneKey): void {
    this.#texts.delete(paneKey);
  }

  /** Panes came or went. Returns the targets whose panes are called otherwise from now on. */
  placesChanged(): readonly TargetId[] {
    const before = this.#crowded;
    this.#crowded = crowdedTargets(this.#world());
    return [...new Set([...before, ...this.#crowded])].filter(
      (targetId) => before.has(targetId) !== this.#crowded.has(targetId),
    );
  }

  snapshot(): string {
    const panes = listedPanes(this.#world(), {});
    const items = panes.map(({ paneKey }) => this.#item(paneKey)).join(',');
    return `"panes":[${items}],"summary":${this.summary()}`;
  }

  states(changed: readonly PaneKey[], removed: readonly PaneKey[]): string {
    const items = changed.map((paneKey) => this.#item(paneKey)).join(',');
    return `"panes":[${items}],"removed":${JSON.stringify(removed)}`;
  }

  attention(paneKeys: readonly PaneKey[]): string {
    const { panes } = this.#world();
    const items = paneKeys.flatMap((paneKey) => {
      const pane = panes.get(paneKey);
      if (!pane) return [];
      const ref = refOf(pane, pane.facts?.locations[0], this.#crowded);
      return [{ pane_key: paneKey, ref, attention: attentionItem(pane.row) }];
    });
    return `"panes":${JSON.stringify(items)}`;
  }

  summary(): string {
    return JSON.stringify(summaryItem(listedPanes(this.#world(), {})));
  }

  /** Only `last_seen_at` moves without a change; it is added when the item is sent. */
  #item(paneKey: PaneKey): string {
    const world = this.#world();
    const pane = world.panes.get(paneKey);
    if (!pane) throw new Error(`a pane that is not in the world was published: ${paneKey}`);
    let text = this.#texts.get(paneKey);
    if (text === undefined) {
      const view = { world, readers: this.#readers, crowded: this.#crowded };
      const { last_seen_at: _moving, ...item } = paneItem(view, pane);
      text = JSON.stringify(item).slice(0, -1);
      this.#texts.set(paneKey, text);
    }
    return `${text},"last_seen_at":"${isoOf(this.#readers.lastSeenAtMs(pane))}"}`;
  }
}
