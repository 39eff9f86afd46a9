// `agtmux bundle up|down|restart`: the daemon plans from valid files, this process runs tmux in the
// environment of the person, and the daemon says when the members are ready.

import type { DaemonClient } from '../../../client/client.ts';
import type { ReconcileParts, SessionAtRisk } from '../../../relay/bundles/reconcile.ts';
import { safeText } from '../../../render/safe-text.ts';
import { isPartial, renderBundleReport } from '../../../render/teams/bundles.ts';
import type { BundleAction, BundlePlan, BundleReport } from '../../../schema/relay/bundle-api.ts';
import { callView } from '../../call-view.ts';
import { type Call, type CommandSpec, isSet, type OptionSpec, textOf } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { withDaemon } from '../../daemon-link.ts';
import {
  CliProblem,
  EXIT_DEGRADED,
  EXIT_REFUSED,
  EXIT_UNAVAILABLE,
  usageProblem,
} from '../../exit-codes.ts';
import { text } from '../../options.ts';
import { printJson } from '../../output/print.ts';

/** As long as the daemon waits for the members to be ready. */
const OUTCOME_TIMEOUT_MS = 70_000;

export const groupOption: OptionSpec = {
  name: 'group',
  value: text('GROUP'),
  summary: 'all bundles of this group; ALL is every bundle',
};
export const bundleArgument = {
  value: text('NAME'),
  optional: true,
  summary: 'the bundle',
} as const;

const autostartOption: OptionSpec = {
  name: 'autostart',
  summary: 'all bundles whose file says autostart = true, as for a script at login',
};

const options: readonly OptionSpec[] = [
  groupOption,
  autostartOption,
  { name: 'yes', short: 'y', summary: 'do not ask before sessions are ended' },
];

const exitNotes = [
  'Exit codes: 0 done, 1 a bundle is up in part, 66 no such bundle, 69 a bundle has no member that',
  'runs, 75 you said no, 78 a file is not valid.',
];
const asksNotes = [
  'Sessions whose agent works or waits, or that somebody looks at, are listed first, and you',
  'are asked.',
];

const lifecycleCommand = (
  name: BundleAction,
  summary: string,
  notes: readonly string[],
): CommandSpec => ({
  name,
  summary,
  notes: [...notes, ...exitNotes],
  examples: [`agtmux bundle ${name} review`, `agtmux bundle ${name} --group ALL --yes`],
  args: [bundleArgument],
  options,
  run: (call) => withDaemon(call, (client) => runLifecycle(call, client, name)),
});

export const lifecycleCommands: readonly CommandSpec[] = [
  lifecycleCommand('up', 'start what is missing of a bundle, and end what is not in it any more', [
    'Members start through tmux, in this environment. Sessions that are there are left alone.',
    ...asksNotes,
  ]),
  lifecycleCommand('down', 'end the sessions of a bundle that agtmux has started', asksNotes),
  lifecycleCommand('restart', 'end the sessions of a bundle and start them anew', asksNotes),
];

async function runLifecycle(
  call: Call,
  client: DaemonClient,
  action: BundleAction,
): Promise<number> {
  const selection = selectionOf(call);
  const plan = await client.call('plan_bundle', { ...selection, action, caller_pid: process.pid });
  const reports: BundleReport[] = [];
  const view = callView(call, Date.parse(plan.generated_at));
  if (plan.bundles.length === 0) call.io.writeErr('No bundle has autostart = true.\n');
  for (const bundle of plan.bundles) {
    const report = await carryOut(call, client, bundle, { action });
    if (report === null) return EXIT_REFUSED;
    reports.push(report);
    if (isSet(call.flags, 'json')) continue;
    const declared = bundle.acp_members.filter((each) => each.is_declared);
    const memberCount = bundle.members.length + declared.length;
    call.io.writeOut(renderBundleReport(view, report, memberCount));
  }
  const countOf = (...outcomes: readonly BundleReport['outcome'][]): number =>
    reports.filter(({ outcome }) => outcomes.includes(outcome)).length;
  if (isSet(call.flags, 'json')) {
    printJson(call, {
      schema_version: 1,
      action,
      bundles: reports,
      changed_bundle_count: countOf('hosted', 'unhosted'),
      skipped_bundle_count: countOf('skipped'),
      failed_bundle_count: countOf('failed'),
      changed_any: countOf('hosted', 'unhosted') > 0,
    });
  }
  if (countOf('failed') > 0) return EXIT_UNAVAILABLE;
  const partial = reports.filter(isPartial).map(({ bundle_name: each }) => safeText(each));
  if (partial.length === 0) return 0;
  call.io.writeErr(
    `Not every member has started: ${partial.join(', ')}. See agtmux bundle status.\n`,
  );
  return EXIT_DEGRADED;
}

/** Exactly one of a name, a group and autostart. */
function selectionOf({
  args,
  flags,
}: Call): { readonly bundle: string } | { readonly group: string } | { readonly autostart: true } {
  const [bundle] = args;
  const group = textOf(flags, 'group');
  const isAutostart = isSet(flags, 'autostart');
  if (bundle !== undefined && group === undefined && !isAutostart) return { bundle };
  if (bundle === undefined && group !== undefined && !isAutostart) return { group };
  if (bundle === undefined && group === undefined && isAutostart) return { autostart: true };
  throw usageProblem(
    'Name one bundle, or one group with --group.',
    'agtmux bundle list prints all bundles.',
  );
}

/** What reconciliation works with, in the place of this command. */
export async function reconcileParts(
  call: Call,
  plan: BundlePlan,
  only: string | null,
): Promise<ReconcileParts> {
  const { tmuxThere } = await import('../../../relay/bundles/tmux-there.ts');
  return {
    ...{ plan, only },
    tmux: tmuxThere(plan, call.io.env),
    confirm: (atRisk) => askToEnd(call, plan.bundle, atRisk),
    sleep: (ms) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
  };
}

/** Null: the person said no, and nothing was touched. */
export async function carryOut(
  call: Call,
  client: DaemonClient,
  plan: BundlePlan,
  { action, member }: { readonly action: BundleAction; readonly member?: string },
): Promise<BundleReport | null> {
  const { bringDown, bringUp } = await import('../../../relay/bundles/reconcile.ts');
  const parts = await reconcileParts(call, plan, member ?? null);
  const ended = action === 'up' ? null : await bringDown(parts);
  const done =
    ended !== null && (ended.kind !== 'done' || action === 'down') ? ended : await bringUp(parts);
  if (done.kind === 'declined') return null;
  if (done.kind === 'unreachable') {
    throw new CliProblem('E_TARGET_UNREACHABLE', safeText(`${plan.bundle}: ${done.problem}.`), {
      exitCode: EXIT_UNAVAILABLE,
    });
  }
  const earlier = ended?.kind === 'done' && action === 'restart' ? ended.outcome : null;
  const outcome = {
    ...done.outcome,
    pruned_sessions: [...(earlier?.pruned_sessions ?? []), ...done.outcome.pruned_sessions],
    killed_tmux_server: earlier?.killed_tmux_server ?? done.outcome.killed_tmux_server,
  };
  const wait = { timeoutMs: OUTCOME_TIMEOUT_MS };
  const meant = member === undefined ? {} : { member };
  const path = call.io.env['PATH'];
  const caller = { caller_pid: process.pid, ...(path === undefined ? {} : { path }) };
  const input = { bundle: plan.bundle, action, ...meant, ...outcome, ...caller };
  return client.call('bundle_outcome', input, wait);
}

async function askToEnd(
  call: Call,
  bundle: string,
  atRisk: readonly SessionAtRisk[],
): Promise<boolean> {
  const lines = atRisk.map(({ name, agents, isAttended }) => {
    const why = [...agents, ...(isAttended ? ['somebody looks at it'] : [])].join(', ');
    return `  ${safeText(name)}: ${safeText(why)}\n`;
  });
  if (!isSet(call.flags, 'yes')) {
    const whose = bundle.startsWith('@') ? '' : ` of ${safeText(bundle)}`;
    call.io.writeErr(`These sessions${whose} would be ended:\n${lines.join('')}`);
  }
  return confirm(call, 'End them?');
}
