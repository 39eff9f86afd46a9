// Waits until agents are in a state: one agent, or all that a filter finds. An agent that ends
// meanwhile never comes to that state, and ends the wait.

import { resolveRef } from '../core/view/resolve-ref.ts';
import type { PaneRecord, World } from '../core/world.ts';
import type { ListFilter, WaitInput, WaitReply } from '../schema/api/panes.ts';
import type { RuntimeId } from '../schema/ids.ts';
import { type Outcome, ok, refuse } from '../schema/outcome.ts';
import { listedPanes, refuseFilter } from './answer/listing.ts';
import { header, paneItem } from './answer/pane-item.ts';
import { paneView } from './panes.ts';
import { type Operation, operation } from './ports/operation.ts';
import type { PanesPort } from './ports/ports.ts';

const HOUR_MS = 3_600_000;
/** The reply of a wait that lasted an hour still has to be sent. */
const REPLY_MS = 5_000;

interface Verdict {
  readonly outcome: WaitReply['outcome'] | null;
  readonly panes: readonly PaneRecord[];
}

export const waitOperations: readonly Operation[] = [
  operation('wait', {
    summary: 'Waits until an agent, or every agent that a filter finds, is in one of some states.',
    scope: 'read',
    deadlineMs: HOUR_MS + REPLY_MS,
    ports: ['panes', 'targets', 'adapters'],
    run: async (ports, input, call) => {
      const { ref, for: wanted, timeout_ms, ...filter } = input;
      const refusal =
        refuseFilter(ports, filter) ?? refuseUnknownSession(ports.panes.world(), filter);
      if (refusal) return refusal;
      const bound = bindRuntime(ports.panes, ref);
      if (!bound.ok) return bound;
      const runtimeId = bound.value;
      const judge = (): Verdict => judgeNow(ports.panes, { runtimeId, filter, wanted });
      const verdict = await untilMet(ports.panes, judge, timeout_ms, call.signal);
      const view = paneView(ports.panes);
      return ok({
        ...header(call.nowMs()),
        outcome: verdict.outcome ?? 'timeout',
        panes: verdict.panes.map((pane) => paneItem(view, pane)),
      });
    },
  }),
];

/** A session that is not there is a typing error; one without an agent is `gone`. */
function refuseUnknownSession(
  world: World,
  { session, target_session }: Pick<ListFilter, 'session' | 'target_session'>,
): Outcome<never> | null {
  const name = session ?? target_session;
  const places = {
    ...(session === undefined ? {} : { session }),
    ...(target_session === undefined ? {} : { target_session }),
  };
  if (name === undefined || listedPanes(world, places).length > 0) return null;
  return refuse('E_REF_NOT_FOUND', `no session is called "${name.slice(0, 80)}"`);
}

/** The runtime that is in the pane now; null where the wait is for all that a filter finds. */
function bindRuntime(panes: PanesPort, ref: string | undefined): Outcome<RuntimeId | null> {
  if (ref === undefined) return ok(null);
  const found = resolveRef(panes.world(), ref, 'read');
  if (!found.ok) return found;
  const { runtimeId } = found.value.row;
  return runtimeId === null ? refuse('E_NO_AGENT', 'no agent is in the pane') : ok(runtimeId);
}

function judgeNow(
  panes: PanesPort,
  options: {
    readonly runtimeId: RuntimeId | null;
    readonly filter: Parameters<typeof listedPanes>[1];
    readonly wanted: WaitInput['for'];
  },
): Verdict {
  const { runtimeId, filter, wanted } = options;
  const listed = listedPanes(panes.world(), filter).filter(
    ({ row }) => row.presence === 'managed' && (runtimeId === null || row.runtimeId === runtimeId),
  );
  if (listed.length === 0) return { outcome: 'gone', panes: [] };
  const isMet = ({ row }: PaneRecord): boolean =>
    wanted === 'not_waiting' ? !row.state.startsWith('waiting_') : wanted.includes(row.state);
  return { outcome: listed.every(isMet) ? 'met' : null, panes: listed };
}

/** Judges after every change; the last verdict when the time is over. */
async function untilMet(
  panes: PanesPort,
  judge: () => Verdict,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Verdict> {
  let verdict = judge();
  if (verdict.outcome !== null) return verdict;
  const { promise, resolve } = Promise.withResolvers<void>();
  using _listening = panes.onChange(() => {
    verdict = judge();
    if (verdict.outcome !== null) resolve();
  });
  const timer = setTimeout(resolve, timeoutMs);
  const onAbort = (): void => resolve();
  signal.addEventListener('abort', onAbort);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
  signal.throwIfAborted();
  return verdict;
}
