// `agtmux stop`: ends the session of one agent that agtmux has started, by spawn or as a member of
// a bundle. Whose session it is, is checked in the command of tmux that ends it.

import { safeText } from '../../../render/safe-text.ts';
import type { Call, CommandSpec } from '../../command.ts';
import { withDaemon } from '../../daemon-link.ts';
import { CliProblem, EXIT_REFUSED, EXIT_UNAVAILABLE } from '../../exit-codes.ts';
import { text } from '../../options.ts';
import { printed } from '../../output/print.ts';
import { carryOut, reconcileParts } from './lifecycle.ts';

export const stopCommand: CommandSpec = {
  name: 'stop',
  summary: 'end the session of an agent that agtmux has started',
  notes: [
    'Only sessions of agtmux spawn and of bundles are ended; agtmux kill ends any agent. If the',
    'agent works or waits, or somebody looks at its session, you are asked.',
    'Exit codes: 0 it was ended, 66 no such pane, 75 you said no, or it is not of agtmux.',
  ],
  examples: ['agtmux stop claude', 'agtmux stop review/tester --yes'],
  args: [{ value: text('REF', 'refs'), summary: 'a pane, or a member as BUNDLE/MEMBER' }],
  options: [{ name: 'yes', short: 'y', summary: 'do not ask' }],
  run: runStop,
};

function runStop(call: Call): Promise<number> {
  return withDaemon(call, async (client) => {
    const [ref = ''] = call.args;
    const { plan } = await client.call('plan_stop', { ref, caller_pid: process.pid });
    const session = plan.members[0]?.id ?? '';
    const ended = plan.bundle.startsWith('@')
      ? await endSingle(call, plan, session)
      : (await carryOut(call, client, plan, { action: 'down', member: session }))?.pruned_sessions;
    if (!ended) return EXIT_REFUSED;
    if (ended.length === 0) {
      const what = `The session ${safeText(session)} is not one that agtmux has started.`;
      throw new CliProblem('E_PRECONDITION_FAILED', what, {
        exitCode: EXIT_REFUSED,
        hint: 'agtmux kill ends the agent in it.',
      });
    }
    return printed(call, { ended_sessions: ended }, `ended  ${safeText(ended.join(', '))}\n`);
  });
}

/** The sessions that were ended; null: the person said no. */
async function endSingle(
  call: Call,
  plan: Parameters<typeof reconcileParts>[1],
  session: string,
): Promise<readonly string[] | null> {
  const { bringDown } = await import('../../../relay/bundles/reconcile.ts');
  const done = await bringDown(await reconcileParts(call, plan, session));
  if (done.kind === 'declined') return null;
  if (done.kind === 'done') return done.outcome.pruned_sessions;
  throw new CliProblem('E_TARGET_UNREACHABLE', safeText(`${done.problem}.`), {
    exitCode: EXIT_UNAVAILABLE,
  });
}
