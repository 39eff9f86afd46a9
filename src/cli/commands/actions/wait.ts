// `agtmux wait [REF] --for STATES`: ends when the agent, or every agent of the filter, is there.

import { safeText } from '../../../render/safe-text.ts';
import type { WaitInput, WaitReply } from '../../../schema/api/panes.ts';
import type { State } from '../../../schema/state.ts';
import { states } from '../../../text/state-words.ts';
import { type Call, type CommandSpec, isSet, numberOf, textOf } from '../../command.ts';
import { withDaemon } from '../../daemon-link.ts';
import { type CliProblem, usageProblem } from '../../exit-codes.ts';
import { refArgument, sessionOptions, text } from '../../options.ts';
import { printJson } from '../../output/print.ts';
import { splitWords } from '../../value.ts';

const TIMEOUT_MS = 3_600_000;
/** The daemon answers at the end of the wait; the reply has to arrive. */
const REPLY_MS = 10_000;
/** As timeout(1) has it. */
const EXIT_TIMEOUT = 124;
const EXIT_GONE = 4;

const stateChoices = { kind: 'choices', label: 'STATE[,STATE]', choices: states } as const;

export const waitCommand: CommandSpec = {
  name: 'wait',
  summary: 'wait until an agent, or every agent of a filter, is in a state',
  examples: [
    'agtmux wait %3 --idle --timeout 10m',
    'agtmux wait --session api --no-waiting',
    'agtmux wait %3 --for completed,error',
  ],
  notes: ['Exit codes: 0 it is there, 4 the agent ended, 124 the time is over.'],
  args: [{ ...refArgument, optional: true }],
  options: [
    { name: 'for', value: stateChoices, summary: 'states, separated by commas' },
    { name: 'idle', summary: 'short for --for idle,completed' },
    { name: 'no-waiting', summary: 'until nothing waits for a person' },
    {
      name: 'timeout',
      value: { kind: 'duration', label: 'DURATION' },
      summary: 'give up after this time (1h, which is also the longest)',
    },
    { name: 'agent', value: text('NAME'), summary: 'only this kind of agent' },
    ...sessionOptions,
  ],
  run: runWait,
};

async function runWait(call: Call): Promise<number> {
  const timeoutMs = Math.min(numberOf(call.flags, 'timeout') ?? TIMEOUT_MS, TIMEOUT_MS);
  const input = { ...filterOf(call), for: statesOf(call), timeout_ms: Math.max(1, timeoutMs) };
  const reply = await withDaemon(call, (client) =>
    client.call('wait', input, { timeoutMs: timeoutMs + REPLY_MS }),
  );
  print(call, reply);
  if (reply.outcome === 'met') return 0;
  return reply.outcome === 'gone' ? EXIT_GONE : EXIT_TIMEOUT;
}

function print(call: Call, reply: WaitReply): void {
  if (isSet(call.flags, 'json')) {
    printJson(call, reply);
    return;
  }
  const lines = reply.panes.map(({ agent, state, title }) =>
    safeText(`${agent ?? '-'} ${state} ${title}`),
  );
  call.io.writeOut([`${reply.outcome}`, ...lines, ''].join('\n'));
}

function filterOf({ args: [ref], flags }: Call) {
  const fields = {
    ref,
    target: textOf(flags, 'target'),
    target_session: textOf(flags, 'target-session'),
    session: textOf(flags, 'session'),
    agent: textOf(flags, 'agent'),
  };
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Partial<Record<keyof typeof fields, string>>;
}

function statesOf({ flags }: Call): WaitInput['for'] {
  const named = textOf(flags, 'for');
  const given = [named !== undefined, isSet(flags, 'idle'), isSet(flags, 'no-waiting')];
  if (given.filter(Boolean).length !== 1) {
    throw usage('wait needs one of --for STATES, --idle and --no-waiting.');
  }
  if (named === undefined) return isSet(flags, 'idle') ? ['idle', 'completed'] : 'not_waiting';
  return [...splitWords(named)] as State[];
}

const usage = (message: string): CliProblem => usageProblem(message, 'See agtmux wait --help.');
