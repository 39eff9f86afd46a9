// A pane option of another tool: each of its words stands for one of ours, as the agent's rule file
// says. A word that is not in the table withdraws the claim of the option.

import type { OptionFile } from '../../schema/agent-file.ts';
import type { Normaliser } from '../adapter.ts';
import { restWithoutCompletion, work } from '../signals/coverage.ts';
import { buildSignal, claim, type SignalContent } from '../signals/signal-content.ts';

/** Such a tool is driven by hooks, so it sees no more of dialogs than they do. */
const visibleStates = work.filter((state) => state !== 'completed');

function contentOf(says: OptionFile['map'][string]): SignalContent {
  switch (says) {
    case 'waiting_approval':
      return claim(says, { covers: visibleStates, request: { kind: 'approval' } });
    case 'waiting_input':
      return claim(says, { covers: visibleStates, request: { kind: 'question' } });
    case 'at_rest':
      return claim(says, { covers: restWithoutCompletion });
    case 'running':
      return claim(says, { covers: visibleStates });
    default:
      return claim(says);
  }
}

/** Takes the value of the option. */
export function foreignOptionNormaliser({ map }: Pick<OptionFile, 'map'>): Normaliser {
  const words = new Map(Object.entries(map));
  return (raw, context) => {
    const word = typeof raw === 'string' ? raw.trim() : '';
    const says = words.get(word);
    const type = says === undefined ? 'option:other' : `option:${word}`;
    return buildSignal(type, says === undefined ? {} : contentOf(says), context);
  };
}
