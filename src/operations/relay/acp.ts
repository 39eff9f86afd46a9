// ACP members: their list, their start and end, and what they send. Prompts, answers and interrupts
// are the operations of every agent.

import { ok, refuse } from '../../schema/outcome.ts';
import { header } from '../answer/pane-item.ts';
import { isoOf } from '../ports/iso-time.ts';
import { type Operation, operation } from '../ports/operation.ts';
import type { Ports } from '../ports/ports.ts';

const STOP_MS = 15_000;
const UPDATES_MS = 30_000;

const refuseAgents = ({ acp }: Pick<Ports, 'acp'>, pid: number | undefined) =>
  pid !== undefined && acp.isCalledByAgent(pid)
    ? refuse('E_NOT_PERMITTED', 'a command that an agent runs may not start or end members')
    : null;

export const acpOperations: readonly Operation[] = [
  operation('list_acp_members', {
    summary: 'The ACP members that were started, with the status of each.',
    scope: 'read',
    ports: ['acp'],
    run: ({ acp }, _input, call) =>
      ok({ ...header(call.nowMs()), members: acp.list().map((each) => ({ ...each })) }),
  }),
  operation('start_acp_member', {
    summary:
      'Starts an agent that speaks ACP, or one that was stopped; it goes on in the background.',
    scope: 'control',
    actors: ['user'],
    ports: ['acp'],
    run: (ports, input) => refuseAgents(ports, input.caller_pid) ?? ports.acp.start(input),
  }),
  operation('stop_acp_member', {
    summary: 'Ends an ACP member; its session is kept for the next start unless it is forgotten.',
    scope: 'control',
    actors: ['user'],
    deadlineMs: STOP_MS,
    ports: ['acp'],
    run: async (ports, { name, forget, caller_pid }) =>
      refuseAgents(ports, caller_pid) ?? ports.acp.stop(name, forget),
  }),
  operation('read_acp_updates', {
    summary: 'What an ACP member has sent after a number, as it came; waits for the first.',
    scope: 'read',
    actors: ['user'],
    deadlineMs: UPDATES_MS,
    ports: ['acp'],
    run: async ({ acp }, input, call) => {
      const found = await acp.updates(input, call.signal);
      if (!found.ok) return found;
      const { member, updates, next, isCut } = found.value;
      return ok({
        ...{ ...header(call.nowMs()), member, next, is_cut: isCut },
        updates: updates.map(({ seq, atMs, update }) => ({
          ...{ seq, at: isoOf(atMs), update: { ...update } },
        })),
      });
    },
  }),
];
