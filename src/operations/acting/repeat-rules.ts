// Repeat rules: which exact command of which agent in which folder is approved without a person,
// how often and for how long. Made from a request that is open, so that nobody has to type a
// command.

import { resolveRef } from '../../core/view/resolve-ref.ts';
import { ok } from '../../schema/outcome.ts';
import { header } from '../answer/pane-item.ts';
import { type Operation, operation, witnessOf } from '../ports/operation.ts';

const byPerson = { scope: 'control', actors: ['user'], ports: ['panes', 'repeatRules'] } as const;

export const repeatRuleOperations: readonly Operation[] = [
  operation('add_repeat_rule', {
    ...byPerson,
    summary: 'Approves the exact command of an open request again, some times, until a time.',
    run: ({ panes, repeatRules }, input, { actor }) => {
      const found = resolveRef(panes.world(), input.ref, 'act');
      if (!found.ok) return found;
      const witness = witnessOf(actor, input.caller_pid);
      return repeatRules.add(found.value, input, { actor: `${actor.kind}:${actor.id}`, witness });
    },
  }),
  operation('list_repeat_rules', {
    ...byPerson,
    scope: 'read',
    summary: 'The repeat rules that hold, or all that are remembered.',
    run: ({ repeatRules }, { all }, call) =>
      ok({ ...header(call.nowMs()), rules: [...repeatRules.list(!all)] }),
  }),
  operation('revoke_repeat_rule', {
    ...byPerson,
    summary: 'Ends a repeat rule.',
    run: ({ repeatRules }, { rule_id, caller_pid }, { actor }) =>
      repeatRules.revoke(rule_id, witnessOf(actor, caller_pid)),
  }),
];
