// `agtmux tag REF --agent X | --clear`: names the agent of a pane whose processes cannot be read.

import { type Call, type CommandSpec, isSet, textOf } from '../../command.ts';
import { withDaemon } from '../../daemon-link.ts';
import { usageProblem } from '../../exit-codes.ts';
import { refArgument, text } from '../../options.ts';
import { printJson } from '../../output/print.ts';

export const tagCommand: CommandSpec = {
  name: 'tag',
  summary: 'name the agent of a pane whose processes agtmux cannot see',
  examples: ['agtmux tag %3 --agent claude', 'agtmux tag %3 --clear'],
  args: [refArgument],
  options: [
    { name: 'agent', value: text('NAME', 'agents'), summary: 'the agent, such as claude' },
    { name: 'clear', summary: 'remove the tag' },
  ],
  run: runTag,
};

async function runTag(call: Call): Promise<number> {
  const agent = textOf(call.flags, 'agent') ?? null;
  if ((agent === null) !== isSet(call.flags, 'clear')) {
    throw usageProblem('tag needs either --agent NAME or --clear.', 'See agtmux tag --help.');
  }
  const ref = call.args[0] ?? '';
  const reply = await withDaemon(call, (client) => client.call('tag', { ref, agent }));
  if (isSet(call.flags, 'json')) printJson(call, reply);
  return 0;
}
