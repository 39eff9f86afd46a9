// What a notification says of a repeat rule that fired: the command, and what came of it as the
// audit trail has it.

import type { Store } from '../../store/store.ts';

/** `rule:`, the id of the rule, and what its request was. */
const refPattern = /^rule:([0-9a-f]+):/;

/** Null where the reference is of no rule that is kept. Throws the fault of the store. */
export function ruleFiringText(
  { repeatRules, actions }: Pick<Store, 'repeatRules' | 'actions'>,
  requestRef: string,
  nowMs: number,
): string | null {
  const ruleId = refPattern.exec(requestRef)?.[1];
  if (ruleId === undefined) return null;
  const rule = repeatRules
    .list({ nowMs, isActiveOnly: false })
    .find(({ rule_id }) => rule_id === ruleId);
  const report = actions.byRequestRef(requestRef)?.report;
  if (!rule) return null;
  const command = [rule.tool, rule.command].filter((each) => each !== null).join(': ');
  if (report?.result === 'delivered') return `approved ${command}`;
  const outcome = [report?.result ?? 'refused', report?.detail].filter(Boolean).join(', ');
  return `not approved (${outcome}) ${command}`;
}
