// What was begun for an agent and not sent yet, as long as the page lives: leaving its pane or
// turning the phone loses nothing, and nothing of it is in the box of another agent. Pure.

import type { PaneItem } from '../../schema/api/panes.ts';

/** Nobody begins more; then the one that was left alone the longest goes. */
const DRAFTS_MAX = 100;

export type PromptMoment = 'now' | 'idle';

export interface PromptDraft {
  readonly text: string;
  readonly moment: PromptMoment;
}

type Owner = Pick<PaneItem, 'runtime_id' | 'pane_key'>;

const noDraft: PromptDraft = { text: '', moment: 'now' };

export class Drafts {
  readonly #drafts = new Map<string, PromptDraft>();

  of(pane: Owner): PromptDraft {
    return this.#drafts.get(keyOf(pane)) ?? noDraft;
  }

  keep(pane: Owner, change: Partial<PromptDraft>): void {
    const draft = { ...this.of(pane), ...change };
    const key = keyOf(pane);
    this.#drafts.delete(key);
    if (draft.text === '' && draft.moment === 'now') return;
    this.#drafts.set(key, draft);
    const [first] = this.#drafts.keys();
    if (this.#drafts.size > DRAFTS_MAX && first !== undefined) this.#drafts.delete(first);
  }

  forget(): void {
    this.#drafts.clear();
  }
}

/** An agent that was started anew in the same pane is another one. */
const keyOf = ({ runtime_id: runtime, pane_key: key }: Owner): string => runtime ?? key;
