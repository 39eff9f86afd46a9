// Things that are open by name: those that are wanted are there, and no others.

/** Ends what is not wanted any more, and makes what is and was not there. */
export function reconcile<Key, Spec, Item extends Disposable>(
  things: Map<Key, Item>,
  wanted: ReadonlyMap<Key, Spec>,
  make: (wish: Spec) => Item,
): void {
  for (const [name, thing] of things) {
    if (wanted.has(name)) continue;
    things.delete(name);
    thing[Symbol.dispose]();
  }
  for (const [name, wish] of wanted) if (!things.has(name)) things.set(name, make(wish));
}

/** Those names, each wanted for its own sake. */
export const keyedByName = <Key>(names: Iterable<Key>): ReadonlyMap<Key, Key> =>
  new Map([...names].map((name) => [name, name]));
