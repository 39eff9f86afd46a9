// `agtmux rule add|list|revoke`: commands that are approved without asking, each one exact, counted
// and until a time.

import { renderRules } from '../../../render/acting/repeat-rules.ts';
import { safeText } from '../../../render/safe-text.ts';
import { type Call, type CommandSpec, isSet, numberOf } from '../../command.ts';
import { withDaemon } from '../../daemon-link.ts';
import { EXIT_REFUSED } from '../../exit-codes.ts';
import { count, refArgument, text } from '../../options.ts';
import { printed, printJson, printReplyTo } from '../../output/print.ts';
import { confirmRequest, findRequest } from '../../requests/open-request.ts';

const COUNT_DEFAULT = 10;
const HOUR_MS = 3_600_000;

const addCommand: CommandSpec = {
  name: 'add',
  summary: 'approve the open request of a pane, and the same command again',
  notes: [
    'It holds for the same command, letter by letter, of the same agent in the same folder.',
    'Only for a command that the agent itself reported whole, as by its hooks; never by a screen.',
    'Needs repeat_rules = true in the [acting] section of config.toml. Agents may not add rules.',
  ],
  examples: ['agtmux rule add %3', 'agtmux rule add %3 --count 5 --for 2h'],
  args: [refArgument],
  options: [
    {
      name: 'count',
      value: count,
      summary: 'how often, the open request included (10)',
    },
    { name: 'for', value: { kind: 'duration', label: 'TIME' }, summary: 'for how long (1h)' },
    {
      name: 'request',
      value: text('ID'),
      summary: 'for this request and no other, without asking',
    },
  ],
  run: runAdd,
};

const listCommand: CommandSpec = {
  name: 'list',
  summary: 'list the rules that hold',
  examples: ['agtmux rule list', 'agtmux rule list --all'],
  options: [{ name: 'all', summary: 'also those that are over' }],
  run: runList,
};

const revokeCommand: CommandSpec = {
  name: 'revoke',
  summary: 'end a rule',
  examples: ['agtmux rule revoke 5f0c21aa'],
  args: [{ value: text('ID'), summary: 'as agtmux rule list shows it' }],
  run: runRevoke,
};

export const ruleCommand: CommandSpec = {
  name: 'rule',
  summary: 'approve an exact command again without being asked',
  commands: [addCommand, listCommand, revokeCommand],
  defaultCommand: 'list',
};

function runAdd(call: Call): Promise<number> {
  const times = numberOf(call.flags, 'count') ?? COUNT_DEFAULT;
  const forMs = numberOf(call.flags, 'for') ?? HOUR_MS;
  return withDaemon(call, async (client) => {
    const request = await findRequest(call, client, call.args[0] ?? '');
    const minutes = Math.round(forMs / 60_000);
    const question = `Approve it ${times} times in ${minutes} minutes?`;
    if (!(await confirmRequest(call, request, question))) return EXIT_REFUSED;
    const rule = await client.call('add_repeat_rule', {
      ref: request.pane.ref,
      request_id: request.request_id,
      if_version: request.pane.state_version,
      count: times,
      expires_in_ms: forMs,
      caller_pid: process.pid,
    });
    return printed(call, rule, `rule ${rule.rule_id}: ${safeText(rule.command)}\n`);
  });
}

async function runList(call: Call): Promise<number> {
  const all = isSet(call.flags, 'all');
  return printReplyTo(
    call,
    (client) => client.call('list_repeat_rules', { all }),
    (view, { rules }) => renderRules(view, rules),
  );
}

async function runRevoke(call: Call): Promise<number> {
  const input = { rule_id: call.args[0] ?? '', caller_pid: process.pid };
  const rule = await withDaemon(call, (client) => client.call('revoke_repeat_rule', input));
  if (isSet(call.flags, 'json')) printJson(call, rule);
  return 0;
}
