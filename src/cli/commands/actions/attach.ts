// `agtmux attach REF` and `agtmux next`: show a pane. Inside tmux the client switches to it,
// outside the terminal attaches to that very pane, over ssh where it is on another machine.

import type { DaemonClient } from '../../../client/client.ts';
import { startInTerminal } from '../../../platform/process/terminal-child.ts';
import { safeText } from '../../../render/safe-text.ts';
import type { PaneItem } from '../../../schema/api/panes.ts';
import { type Call, type CommandSpec, isSet } from '../../command.ts';
import { withDaemon } from '../../daemon-link.ts';
import { CliProblem, EXIT_REFUSED, usageProblem } from '../../exit-codes.ts';
import { refArgument } from '../../options.ts';
import { snapshotGuardsOf, snapshotOptions } from './action-options.ts';

const EXIT_NOTHING = 1;
const printOption = { name: 'print', summary: 'print the command and run nothing' };

export const attachCommandSpec: CommandSpec = {
  name: 'attach',
  summary: 'show a pane: switch to it, or attach to it',
  examples: ['agtmux attach %3', 'agtmux attach work:0.1 --print'],
  notes: [
    'Inside tmux your client switches to the pane; one of another server or machine gets a window.',
    'Outside, this terminal attaches to it, over ssh where it is on another machine.',
    'Exit codes: 0 shown, 66 no such pane, 75 refused by a guard.',
  ],
  args: [refArgument],
  options: [printOption, ...snapshotOptions],
  run: (call) =>
    withDaemon(call, async (client) =>
      show(call, client, await paneOf(client, call.args[0] ?? '')),
    ),
};

export const nextCommand: CommandSpec = {
  name: 'next',
  summary: 'show the agent that has waited longest',
  examples: ['agtmux next'],
  notes: ['Exit codes: 0 shown, 1 nobody waits.'],
  options: [printOption],
  run: (call) =>
    withDaemon(call, async (client) => {
      const { panes } = await client.call('list_panes', { needs_action: true });
      const sinceOf = ({ attention }: PaneItem): string => attention.since ?? '';
      const [first] = panes.toSorted((a, b) => sinceOf(a).localeCompare(sinceOf(b)));
      if (first) return show(call, client, first);
      call.io.writeErr('Nobody waits for you.\n');
      return EXIT_NOTHING;
    }),
};

async function paneOf(client: DaemonClient, ref: string): Promise<PaneItem> {
  return (await client.call('explain', { ref, events: 0 })).pane;
}

async function show(call: Call, client: DaemonClient, pane: PaneItem): Promise<number> {
  const place = pane.identity;
  if (place === null) throw refusal('The agent has no pane.');
  const life = await client.call('locate_pane', {
    ref: pane.pane_key,
    ...snapshotGuardsOf(call),
  });
  if (isSet(call.flags, 'print')) {
    const { attachCommand } = await import('../../../tui/jump/attach.ts');
    const attach = attachCommand(place, life);
    if (!attach.ok) throw refusal(attach.problem);
    const { shellWord } = await import('../../output/print-problem.ts');
    call.io.writeOut(`${safeText(attach.bare.map(shellWord).join(' '))}\n`);
    return 0;
  }
  const { jump, ownTmux } = await import('../../../tui/jump/jump.ts');
  const { env } = call.io;
  const hasTerminal = Boolean(process.stdin.isTTY) && call.io.isTerminal;
  if (!hasTerminal && ownTmux(env['TMUX']) === null) {
    throw usageProblem(
      'Outside of tmux it needs a terminal.',
      'Add --print to print the command that attaches.',
    );
  }
  const runInTerminal = ([command = '', ...args]: readonly string[]) =>
    startInTerminal({ command, args, env: { ...env } }).exited;
  const result = await jump({ env, place, life, runInTerminal });
  if (!result.ok) throw refusal(result.problem);
  return 0;
}

const refusal = (message: string): CliProblem =>
  new CliProblem('E_PRECONDITION_FAILED', message, { exitCode: EXIT_REFUSED });
