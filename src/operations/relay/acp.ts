// ACP members: their list, their start and end, and what they send. Prompts, answers and interrupts
// are the operations of every agent.

import { id, type PaneKey } from '../../schema/ids.ts';
import { ok, refuse } from '../../schema/outcome.ts';
import { header } from '../answer/pane-item.ts';
import type { StartSubject } from '../ports/callers-port.ts';
import { isoOf } from '../ports/iso-time.ts';
import { type Operation, operation, witnessOf } from '../ports/operation.ts';

const STOP_MS = 15_000;
const UPDATES_MS = 30_000;

/** A member of a bundle is called `bundle/member`. */
function subjectOf(name: string): StartSubject {
  const [bundle = '', member, ...more] = name.split('/');
  return member === undefined || more.length > 0 ? null : { bundle, member };
}

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
    actors: ['user', 'agent'],
    ports: ['acp', 'callers'],
    run: ({ acp, callers }, input, { actor }) => {
      const isKnown = acp.list().some(({ name }) => name === input.name);
      const isNew = !isKnown || input.argv !== undefined || input.cwd !== undefined;
      if (input.name.includes('/') && isNew) {
        const why = `${input.name} is the name of a member of a bundle: agtmux bundle up starts it`;
        return refuse('E_PRECONDITION_FAILED', why);
      }
      const witness = witnessOf(actor, input.caller_pid);
      const denied = callers.refuseStart(witness, subjectOf(input.name));
      if (denied) return denied;
      const started = acp.start(input);
      if (started.ok) {
        const paneKey = id<PaneKey>(started.value.pane_key);
        callers.noteStarted(callers.starterOf(witness), [{ paneKey }]);
      }
      return started;
    },
  }),
  operation('stop_acp_member', {
    summary: 'Ends an ACP member; its session is kept for the next start unless it is forgotten.',
    scope: 'control',
    actors: ['user', 'agent'],
    deadlineMs: STOP_MS,
    ports: ['acp', 'callers'],
    run: async ({ acp, callers }, { name, forget, caller_pid }, { actor }) =>
      callers.refuseStart(witnessOf(actor, caller_pid), subjectOf(name)) ?? acp.stop(name, forget),
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
