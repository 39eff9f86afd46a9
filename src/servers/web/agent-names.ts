// The names of agents, by which clients call them. An agent is called as its session; another one
// in the same session, or of the same name elsewhere, gets a name of its own. A name stays with its
// pane while an agent is there, so that keys never reach another agent. Pure.

/** Where an agent is. */
export interface AgentPlace {
  readonly paneKey: string;
  readonly target: string;
  readonly server: string;
  readonly sessionName: string;
  readonly paneId: string;
}

const LOCAL = 'local';

/** The first that is free. tmux allows no colon in the name of a session, so none is like it. */
function* candidates({ target, server, sessionName, paneId }: AgentPlace): Generator<string> {
  const base = target === LOCAL ? sessionName : `${target}::${sessionName}`;
  yield base;
  yield `${base}:${paneId}`;
  for (let number = 2; ; number += 1) {
    yield `${base}:${paneId}:${server.replace(/^.*\//, '')}${number === 2 ? '' : `:${number}`}`;
  }
}

export class AgentNames {
  readonly #byName = new Map<string, string>();
  readonly #held = new Map<string, { readonly name: string; readonly sessionName: string }>();

  /** The name of the agent there: the one that it has, unless its session was renamed. */
  nameOf(place: AgentPlace): string {
    const { paneKey, sessionName } = place;
    const held = this.#held.get(paneKey);
    if (held?.sessionName === sessionName) return held.name;
    this.release(paneKey);
    for (const name of candidates(place)) {
      if (this.#byName.has(name)) continue;
      this.#byName.set(name, paneKey);
      this.#held.set(paneKey, { name, sessionName });
      return name;
    }
    throw new Error('candidates do not end');
  }

  /** No agent is there any more. */
  release(paneKey: string): void {
    const held = this.#held.get(paneKey);
    if (held) this.#byName.delete(held.name);
    this.#held.delete(paneKey);
  }
}
