// The adapters that are in force: the rule files as they are now, without those that the user has
// switched off by command or by configuration.

import { type Registry, type RuleFileProblem, setEnabled } from '../../agents/registry.ts';
import { Fault } from '../../platform/fault.ts';
import { RuleFiles } from '../../sources/rule-files.ts';
import type { AdapterTable } from '../../store/tables/adapters.ts';

export interface AdapterSwitchOptions {
  readonly userFolder: string;
  readonly store: AdapterTable;
  readonly nowMs: () => number;
  readonly disabledByConfig: () => readonly string[];
  readonly onProblems: (problems: readonly RuleFileProblem[]) => void;
  /** The store failed; the rule files are in force without it. */
  readonly onFault: (fault: Fault) => void;
}

export class AdapterSwitch implements Disposable {
  readonly #options: AdapterSwitchOptions;
  readonly #rules: RuleFiles;
  #registry: Registry;
  /** Switched off by command, as last read from the store. */
  #disabled: readonly string[] = [];

  constructor(options: AdapterSwitchOptions) {
    this.#options = options;
    this.#rules = new RuleFiles({ user: options.userFolder }, {}, () => this.refresh());
    this.#registry = this.#rules.registry;
    this.refresh();
  }

  get registry(): Registry {
    return this.#registry;
  }

  /** Reads the rule files again, now. */
  reload(): void {
    this.#rules.reload();
  }

  /** Takes over the files, the store and the configuration as they are now. */
  refresh(): void {
    const { disabledByConfig, onProblems } = this.#options;
    const { registry } = this.#rules;
    this.#askStore(registry);
    const off = new Set([...this.#disabled, ...disabledByConfig()]);
    this.#registry = [...off].reduce((each, agent) => setEnabled(each, agent, false), registry);
    onProblems(registry.problems);
  }

  // Called from a file watcher, where a thrown store fault would not be caught.
  #askStore({ adapters }: Registry): void {
    const { store, nowMs, onFault } = this.#options;
    const rows = adapters.map(({ agent, contractVersion, capabilities }) => ({
      name: agent,
      agent,
      version: contractVersion,
      capabilities: { ...capabilities },
    }));
    try {
      this.#disabled = store.disabled();
      store.save(rows, nowMs());
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      onFault(error);
    }
  }

  setEnabled(agent: string, enabled: boolean): void {
    this.#options.store.setEnabled(agent, enabled, this.#options.nowMs());
    this.refresh();
  }

  [Symbol.dispose](): void {
    this.#rules[Symbol.dispose]();
  }
}
