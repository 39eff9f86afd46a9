// `agtmux send` with filters in the place of a pane: one action for each agent, each with its own
// guards and its own result. What the user saw and confirmed is what each action names.

import { type DaemonClient, DaemonError } from '../../client/client.ts';
import { isPassing } from '../../client/daemon-error.ts';
import {
  renderSendResults,
  renderSendTargets,
  type SendResult,
} from '../../render/acting/send-results.ts';
import { safeText } from '../../render/safe-text.ts';
import { typedNames } from '../../render/typed-names.ts';
import type { ActionReport } from '../../schema/api/acting.ts';
import type { PaneItem } from '../../schema/api/panes.ts';
import { callView } from '../call-view.ts';
import { type Call, isSet } from '../command.ts';
import { confirm } from '../confirm.ts';
import { CliProblem, EXIT_NO_INPUT, EXIT_REFUSED, EXIT_UNCONFIRMED } from '../exit-codes.ts';
import { filterOf } from '../fetch-listing.ts';
import { printJson } from '../output/print.ts';

/** Each waits for proof; more at once would only wait for the daemon. */
const AT_ONCE = 8;

/** What every action names of the pane that was shown. */
export interface ShownGuards {
  readonly ref: string;
  readonly if_runtime: string;
  readonly if_version: number;
  readonly except_caller: true;
}

/** Sends to every agent that the filters find; the exit code is that of the worst result. */
export async function sendToMany(
  call: Call,
  client: DaemonClient,
  send: (guards: ShownGuards) => Promise<ActionReport>,
): Promise<number> {
  const listed = (await client.call('list_panes', filterOf(call.flags))).panes;
  const targets = withoutOwnPane(agentsOf(listed), call.io.env);
  if (targets.length === 0) {
    throw new CliProblem('E_REF_NOT_FOUND', 'No agent matches the filter.', {
      exitCode: EXIT_NO_INPUT,
      hint: 'agtmux list takes the same filters. Your own pane is never among them.',
    });
  }
  const nameOf = typedNames(targets);
  if (!(await isAgreed(call, targets, nameOf))) return EXIT_REFUSED;
  const results = await inTurns(targets, (pane) => sendOne(pane, nameOf(pane), send));
  if (isSet(call.flags, 'json')) printJson(call, { results });
  else call.io.writeOut(renderSendResults(callView(call, Date.now()), results));
  return exitCodeOfAll(results);
}

/** Each agent once, however many places show its pane. */
function agentsOf(panes: readonly PaneItem[]): readonly PaneItem[] {
  const agents = panes.filter(
    ({ presence, runtime_id }) => presence === 'managed' && runtime_id !== null,
  );
  return [...new Map(agents.map((pane) => [pane.pane_key, pane])).values()];
}

/** The daemon refuses the agent that calls as well; this is the pane that a person types in. */
function withoutOwnPane(
  panes: readonly PaneItem[],
  { TMUX: tmux, TMUX_PANE: paneId }: Call['io']['env'],
): readonly PaneItem[] {
  const [socket] = (tmux ?? '').split(',');
  if (!socket || !paneId) return panes;
  return panes.filter(
    ({ identity, target }) =>
      target !== 'local' || identity?.pane_id !== paneId || identity.server !== socket,
  );
}

async function isAgreed(
  call: Call,
  targets: readonly PaneItem[],
  nameOf: (pane: PaneItem) => string,
): Promise<boolean> {
  if (isSet(call.flags, 'yes') || isSet(call.flags, 'dry-run')) return true;
  if (!isSet(call.flags, 'json')) {
    call.io.writeOut(renderSendTargets(callView(call, Date.now()), targets, nameOf));
  }
  const count = targets.length === 1 ? 'this agent' : `these ${targets.length} agents`;
  return confirm(call, `Send to ${count}?`);
}

async function sendOne(
  pane: PaneItem,
  name: string,
  send: (guards: ShownGuards) => Promise<ActionReport>,
): Promise<SendResult> {
  const { pane_key, runtime_id, agent, state_version, ref } = pane;
  const about = { ref, name, pane_key, runtime_id, agent };
  try {
    const guards = { if_runtime: runtime_id ?? '', if_version: state_version } as const;
    // By its key: a session that was renamed meanwhile is still the pane that was shown.
    const report = await send({ ref: `runtime:${runtime_id}`, ...guards, except_caller: true });
    const { action_id, result, detail } = report;
    return { ...about, action_id, result: result ?? 'unconfirmed', code: null, detail };
  } catch (error) {
    if (!(error instanceof DaemonError)) throw error;
    const detail = safeText(error.message);
    // Without a reply nobody knows what was typed.
    const result = isPassing(error) ? 'unconfirmed' : 'refused';
    return { ...about, action_id: null, result, code: error.code, detail };
  }
}

/** The results in the order of the items, a few at a time. */
async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const left = [...items.entries()];
  const worker = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, item] = next;
      results[index] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
  return results;
}

function exitCodeOfAll(results: readonly SendResult[]): number {
  if (results.some(({ result }) => result === 'refused')) return EXIT_REFUSED;
  return results.some(({ result }) => result === 'unconfirmed') ? EXIT_UNCONFIRMED : 0;
}
