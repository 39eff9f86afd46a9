// The adapters that are in force: the rule files as they are now, without those that the user has
// switched off by command or by configuration.

import { type FileProblem, type Registry, setEnabled } from '../agents/registry.ts';
import { RuleFiles } from '../sources/rule-files.ts';
import type { Store } from '../store/store.ts';

export interface AdapterSwitchOptions {
  readonly userFolder: string;
  readonly store: Store;
  readonly nowMs: () => number;
  readonly disabledByConfig: () => readonly string[];
  readonly onProblems: (problems: readonly FileProblem[]) => void;
}

export class AdapterSwitch implements Disposable {
  readonly #options: AdapterSwitchOptions;
  readonly #rules: RuleFiles;
  #registry: Registry;

  constructor(options: AdapterSwitchOptions) {
    this.#options = options;
    this.#rules = new RuleFiles({ user: options.userFolder }, {}, () => this.refresh());
    this.#registry = this.#rules.registry;
    this.refresh();
  }

  get registry(): Registry {
    return this.#registry;
  }

  /** Takes over what the files, the store and the configuration say now. */
  refresh(): void {
    const { store, nowMs, disabledByConfig, onProblems } = this.#options;
    const { registry } = this.#rules;
    store.saveAdapters(
      registry.adapters.map(({ agent, contractVersion, capabilities }) => ({
        name: agent,
        agent,
        version: contractVersion,
        capabilities: { ...capabilities },
      })),
      nowMs(),
    );
    const off = new Set([...store.disabledAdapters(), ...disabledByConfig()]);
    this.#registry = [...off].reduce((each, agent) => setEnabled(each, agent, false), registry);
    onProblems(registry.problems);
  }

  setEnabled(agent: string, enabled: boolean): void {
    this.#options.store.setAdapterEnabled(agent, enabled, this.#options.nowMs());
    this.refresh();
  }

  [Symbol.dispose](): void {
    this.#rules[Symbol.dispose]();
  }
}
