// Things that are open by name: those that are wanted are there, and no others.

/** Ends what is not wanted any more, and makes what is and was not there. */
export function keepOnly<Name, Wish, Thing extends Disposable>(
  things: Map<Name, Thing>,
  wanted: ReadonlyMap<Name, Wish>,
  make: (wish: Wish) => Thing,
): void {
  for (const [name, thing] of things) {
    if (wanted.has(name)) continue;
    things.delete(name);
    thing[Symbol.dispose]();
  }
  for (const [name, wish] of wanted) if (!things.has(name)) things.set(name, make(wish));
}

/** Those names, each wanted for its own sake. */
export const named = <Name>(names: Iterable<Name>): ReadonlyMap<Name, Name> =>
  new Map([...names].map((name) => [name, name]));
