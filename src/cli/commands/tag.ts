// `agtmux tag PANE --agent X | --clear`: says which agent is in a pane that cannot be looked into.

import { type Call, isSet, textOf } from '../command.ts';
import { withDaemon } from '../daemon-link.ts';
import { CliProblem, EXIT_USAGE } from '../exit-codes.ts';
import { printJson } from '../print.ts';

export async function runTag(call: Call): Promise<number> {
  const agent = textOf(call.flags, 'agent') ?? null;
  if ((agent === null) !== isSet(call.flags, 'clear')) {
    throw new CliProblem('E_INPUT_INVALID', 'tag needs one of --agent NAME and --clear.', {
      exitCode: EXIT_USAGE,
      hint: 'See agtmux tag --help.',
    });
  }
  const ref = call.args[0] ?? '';
  const done = await withDaemon(call, (client) => client.call('tag', { ref, agent }));
  if (isSet(call.flags, 'json')) printJson(call, done);
  return 0;
}
