// The rules for a name that a person gives to a pane: short, printable, and no name or reference
// that means another pane already. Pure.

import { candidatesOf, panesMeantBy } from '../../core/view/pane-names.ts';
import type { PaneRecord, World } from '../../core/world.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import { ALIAS_LENGTH_MAX } from '../../schema/pane.ts';

/** The name as it is kept, without blanks around it; or why it is refused. */
export function checkAlias(world: World, pane: PaneRecord, text: string): Outcome<string> {
  const alias = text.trim();
  const problem = problemOfAlias(alias);
  if (problem !== null) {
    const hint = 'Use a short name such as api, or "review bot".';
    return refuse('E_INPUT_INVALID', problem, { hint });
  }
  const others = panesMeantBy(world, alias).filter(({ paneKey }) => paneKey !== pane.paneKey);
  if (others.length === 0) return ok(alias);
  const candidates = candidatesOf(world, others);
  const hint = 'Choose a name that is no alias, agent or session of another pane.';
  return refuse('E_ALIAS_TAKEN', `"${alias}" already means another pane`, { hint, candidates });
}

function problemOfAlias(alias: string): string | null {
  if (alias === '') return 'the name is empty';
  if (alias.length > ALIAS_LENGTH_MAX) {
    return `the name is longer than ${ALIAS_LENGTH_MAX} characters`;
  }
  if (/\p{Cc}/u.test(alias)) return 'the name has a control character';
  // These begin a pane id, an option, or a reference.
  return /^(?:%|-|pane:|runtime:)/.test(alias) ? 'the name looks like a reference' : null;
}
