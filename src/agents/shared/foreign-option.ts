// A pane option of another tool: each of its words stands for one of ours, as the agent's rule file
// says. A word that is not in the table takes back what the option said before.

import type { OptionFile } from '../../schema/agent-file.ts';
import type { Normaliser } from '../adapter.ts';
import { restUntold, work } from '../signals/coverage.ts';
import { claims, type Saying, told } from '../signals/saying.ts';

/** Such a tool hears what hooks tell it: it sees no more of dialogs than they do. */
const seen = work.filter((state) => state !== 'completed');

function sayingOf(says: OptionFile['map'][string]): Saying {
  switch (says) {
    case 'waiting_approval':
      return claims(says, { covers: seen, request: { kind: 'approval' } });
    case 'waiting_input':
      return claims(says, { covers: seen, request: { kind: 'question' } });
    case 'at_rest':
      return claims(says, { covers: restUntold });
    case 'running':
      return claims(says, { covers: seen });
    default:
      return claims(says);
  }
}

/** Takes the value of the option. */
export function foreignOption({ map }: Pick<OptionFile, 'map'>): Normaliser {
  const words = new Map(Object.entries(map));
  return (raw, context) => {
    const word = typeof raw === 'string' ? raw.trim() : '';
    const says = words.get(word);
    const type = says === undefined ? 'option:other' : `option:${word}`;
    return told(type, says === undefined ? {} : sayingOf(says), context);
  };
}
