// Things that are open by name: those that are wanted are there, and no others.

/** Ends what is not wanted any more, and makes what is and was not there. */
export function reconcile<Key, Spec, Item extends Disposable>(
  items: Map<Key, Item>,
  wanted: ReadonlyMap<Key, Spec>,
  make: (spec: Spec) => Item,
): void {
  for (const [name, item] of items) {
    if (wanted.has(name)) continue;
    items.delete(name);
    item[Symbol.dispose]();
  }
  for (const [name, spec] of wanted) if (!items.has(name)) items.set(name, make(spec));
}

/** Those names, each wanted for its own sake. */
export const keyedByName = <Key>(keys: Iterable<Key>): ReadonlyMap<Key, Key> =>
  new Map([...keys].map((name) => [name, name]));
