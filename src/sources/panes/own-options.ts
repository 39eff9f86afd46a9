// Which of a pane's agent options are its own. tmux shows an option of the window, the session or
// the server in every pane below it, and an `@agent_state` set there counts for none. What a pane
// owns is read only when what it shows has changed.

import type { AgentOption, ListedPane, OptionValue } from '../../tmux/listing.ts';
import { ownText } from '../own-text.ts';
import type { PaneOptions } from './option-source.ts';

interface Shown {
  readonly text: string;
  /** Null until tmux has answered. */
  readonly own: ReadonlyMap<AgentOption, string> | null;
}

export class OwnOptions {
  readonly #shown = new Map<string, Shown>();

  /** Whether tmux must be asked which options are the pane's own. */
  isUnknown(row: ListedPane): boolean {
    const text = textOf(row);
    const shown = this.#shown.get(row.paneId);
    if (shown?.text === text) return shown.own === null;
    const isUnset = text === textOfNone;
    this.#shown.set(row.paneId, { text, own: isUnset ? new Map() : null });
    return !isUnset;
  }

  answered(paneId: string, own: ReadonlyMap<AgentOption, string>): void {
    const shown = this.#shown.get(paneId);
    const kept = new Map([...own].map(([name, value]) => [name, ownText(value)]));
    if (shown) this.#shown.set(paneId, { ...shown, own: kept });
  }

  /** The pane's own options; null while tmux has not answered. */
  of(row: ListedPane): PaneOptions | null {
    const own = this.#shown.get(row.paneId)?.own;
    if (!own) return null;
    // A value of the server hides the pane's own: what is hidden says nothing.
    const value = (name: AgentOption): string => {
      const kept = own.get(name) ?? '';
      return kept === plain(row.options[name]) ? kept : '';
    };
    return {
      state: value('@agent_state'),
      kind: value('@agent_kind'),
      name: value('@agent_name'),
      event: value('@agent_event'),
    };
  }

  /** Whether a pane has no state of its own, or says that its agent is gone. */
  hasNone({ paneId }: ListedPane): boolean {
    const own = this.#shown.get(paneId)?.own ?? null;
    return own !== null && ['', 'exited'].includes(own.get('@agent_state')?.trim() ?? '');
  }

  keep(listed: ReadonlySet<string>): void {
    for (const paneId of this.#shown.keys()) if (!listed.has(paneId)) this.#shown.delete(paneId);
  }
}

const plain = (value: OptionValue): string => (typeof value === 'string' ? value : '');

const textOf = ({ options }: ListedPane): string =>
  [options['@agent_state'], options['@agent_kind'], options['@agent_name'], options['@agent_event']]
    .map(plain)
    .join('\n');

const textOfNone = '\n\n\n';
