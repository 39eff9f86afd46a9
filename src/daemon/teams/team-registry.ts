// The teams that are in force in the daemon: bundles, members, policies and operators, followed in
// the configuration folder. A broken file keeps its last good content, and raises an alert.

import { TeamFolder } from '../../relay/config/team-folder.ts';
import type { TeamState } from '../../relay/config/team-state.ts';
import type { Team } from '../../schema/relay/team.ts';
import type { DaemonCore } from '../daemon-core.ts';

export class TeamRegistry implements Disposable {
  readonly #core: Pick<DaemonCore, 'signal' | 'log'>;
  readonly #folder: TeamFolder;
  readonly #listeners = new Set<() => void>();

  constructor(core: Pick<DaemonCore, 'signal' | 'log' | 'place'>) {
    this.#core = core;
    this.#folder = new TeamFolder(core.place.paths.configDir, () => this.#changed());
    this.#report();
  }

  get team(): Team {
    return this.#folder.state.team;
  }

  get state(): TeamState {
    return this.#folder.state;
  }

  /** The files as they are now: what is to be done with a bundle must not wait for a watch. */
  reload(): TeamState {
    return this.#folder.reload();
  }

  /** Calls back after every reload, until it is disposed of. */
  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  #changed(): void {
    this.#report();
    for (const listener of this.#listeners) listener();
  }

  #report(): void {
    const problems = this.#folder.state.problems.map(({ file, line, key, message }) => ({
      file,
      problem: `line ${line}${key === '' ? '' : `, ${key}`}: ${message}`,
    }));
    for (const { file, problem } of problems) this.#core.log.warn({ file, problem }, 'teams');
    this.#core.signal({ kind: 'teams', problems });
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}
