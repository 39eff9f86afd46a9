// Which option of a dialog is meant, by what it does or by its label. Exactly one must fit.

import type { Adapter } from '../../agents/adapter.ts';
import type { OptionRole } from '../../agents/screen/acting-rules.ts';
import { type Refused, refused } from '../action-result.ts';
import { comparable } from '../typed-text.ts';
import type { DialogOptions } from './dialog.ts';

/** Which option is meant. */
export type Choice =
  | { readonly role: OptionRole }
  /** As the dialog writes it; a unique start of it is enough. */
  | { readonly label: string };

export function findOption(
  adapter: Adapter,
  choice: Choice,
  options: DialogOptions,
): number | Refused {
  const labels = options.map(({ label }) => label);
  const fits = 'role' in choice ? byRole(adapter, choice.role) : byLabel(choice.label, labels);
  if (fits === null) {
    return refused('E_AGENT_UNSUPPORTED', `no labels of ${adapter.title} are known for this`);
  }
  const found = labels.flatMap((label, index) => (fits(label) ? [index] : []));
  const [index] = found;
  if (index !== undefined && found.length === 1) return index;
  const listed = labels.map((label) => `"${label}"`).join(', ');
  return refused('E_OPTION_UNKNOWN', `${found.length} of the options fit: ${listed}`);
}

/** What allows for longer is never found by another name. */
function byRole({ screen }: Adapter, role: OptionRole): ((label: string) => boolean) | null {
  const { [role]: pattern, always = null } = screen.acting?.roles ?? {};
  if (!pattern) return null;
  return (label) => pattern.test(label) && (role === 'always' || !always?.test(label));
}

export function byLabel(wanted: string, labels: readonly string[]): (label: string) => boolean {
  const text = comparable(wanted);
  const isExact = labels.some((label) => comparable(label) === text);
  return (label) =>
    text !== '' && (isExact ? comparable(label) === text : comparable(label).startsWith(text));
}
