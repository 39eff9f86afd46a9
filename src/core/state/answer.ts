// The row of one pane, computed again after an event touched it, and the versions that count its
// changes. The only writer of rows.

import type { WorldEvent } from '../../schema/event.ts';
import type { PaneKey, RequestId } from '../../schema/ids.ts';
import type { Activity, Attention, OpenRequest, PaneRow } from '../../schema/pane.ts';
import type { Presence } from '../../schema/state.ts';
import { withFirstScreen } from '../evidence/first-screen.ts';
import { MISSED_SCANS_MAX } from '../identity/presence.ts';
import {
  type ChannelRecord,
  type Draft,
  type Ending,
  liveRuntime,
  type PaneRecord,
  type RuntimeRecord,
  type World,
  writable,
} from '../world.ts';
import { attentionOf, noAttention } from './attention.ts';
import { bindingState, transitionOf } from './binding.ts';
import { openDialogsOf } from './same-dialog.ts';
import { classifySignature, noSignature } from './signature.ts';
import { lastKnownAfter, type RowMove, sameState, sinceOf } from './since.ts';
import { snoozeAfter } from './snooze.ts';
import {
  endingVerdict,
  liveClaims,
  noEvidence,
  unknownFor,
  type Verdict,
  verdictOf,
} from './verdict.ts';

/** The row of a pane without any evidence. */
export function blankRow(atMs: number): PaneRow {
  return {
    presence: 'unmanaged',
    runtimeId: null,
    agent: null,
    state: 'unknown',
    reasonCode: 'no_agent',
    untilMs: null,
    evidence: noEvidence,
    signature: noSignature,
    binding: 'unmanaged',
    attention: noAttention,
    activity: noActivity,
    stateVersion: 0,
    rowSeq: 0,
    sinceMs: atMs,
    updatedAtMs: atMs,
  };
}

/** Computes the row of every touched pane and records which rows changed. */
export function updateRows(draft: Draft, event: WorldEvent): void {
  for (const paneKey of draft.touched) updateRow(draft, paneKey, event);
  draft.touched.clear();
}

function updateRow(draft: Draft, paneKey: PaneKey, event: WorldEvent): void {
  const pane = draft.panes.get(paneKey);
  if (!pane) return;
  const before = pane.row;
  const content = rowContent(draft, pane);
  if (before.stateVersion > 0 && sameRow(before, content)) return;
  const versionGrows = before.stateVersion === 0 || !sameVersion(before, content);
  const movedOn = versionGrows && !sameState(before, content);
  const held = pane.held ?? null;
  const runtime = liveRuntime(draft, pane.runtimeId);
  const move: RowMove = { before, held, content, runtime, event };
  const sinceMs = movedOn ? sinceOf(move) : before.sinceMs;
  draft.rowSeq += 1;
  const row: PaneRow = {
    ...content,
    stateVersion: before.stateVersion + (versionGrows ? 1 : 0),
    rowSeq: draft.rowSeq,
    sinceMs,
    updatedAtMs: event.atMs,
  };
  const heldNow = movedOn ? lastKnownAfter(move) : held;
  const snooze = snoozeAfter(pane.snooze, content);
  writable(draft, 'panes').set(paneKey, { ...pane, snooze, held: heldNow, row });
  noteBinding(draft, pane, row, event.atMs);
  draft.changes.push({
    kind: 'row',
    paneKey,
    row,
    expectedVersion: before.stateVersion === 0 ? null : before.stateVersion,
    eventId: event.eventId,
    atMs: movedOn ? sinceMs : event.atMs,
  });
}

type RowContent = Omit<PaneRow, 'stateVersion' | 'rowSeq' | 'sinceMs' | 'updatedAtMs'>;

function rowContent(world: World, pane: PaneRecord): RowContent {
  const live = liveRuntime(world, pane.runtimeId);
  const runtime = live && withFirstScreen(live);
  const claims = runtime ? liveClaims(runtime) : [];
  const verdict = paneVerdict(world, pane, runtime, claims);
  return {
    presence: presenceOf(pane, runtime),
    runtimeId: runtime?.runtimeId ?? null,
    agent: runtime?.agent ?? shownEnding(pane)?.agent ?? null,
    state: verdict.state,
    reasonCode: verdict.reasonCode,
    untilMs: verdict.untilMs,
    evidence: verdict.evidence,
    signature: runtime ? signatureOf(runtime) : noSignature,
    binding: bindingState(bindingInput(world, runtime)),
    attention: attentionOf(pane, runtime, { claims: claims, verdict, world }),
    activity: runtime ? activityOf(runtime) : noActivity,
  };
}

function paneVerdict(
  world: World,
  pane: PaneRecord,
  runtime: RuntimeRecord | null,
  claims: ReturnType<typeof liveClaims>,
): Verdict {
  if (pane.goneAtMs !== null) return unknownFor('pane_gone');
  // An unreachable target is not an absent session: presence and runtime stay as they were.
  if (world.targets.get(pane.targetId)?.health === 'down') return unknownFor('target_unreachable');
  if (!runtime) {
    const ending = shownEnding(pane);
    return ending ? endingVerdict(ending) : unknownFor('no_agent');
  }
  return verdictOf(runtime, claims, world);
}

/** The end of the last agent, while it is the state of its pane. */
function shownEnding({ ending, goneAtMs, runtimeId }: PaneRecord): Ending | null {
  return ending && !ending.isOld && goneAtMs === null && runtimeId === null ? ending : null;
}

function presenceOf(pane: PaneRecord, runtime: RuntimeRecord | null): Presence {
  if (pane.goneAtMs !== null) return 'missing';
  return runtime ? 'managed' : 'unmanaged';
}

/** The event that started a runtime has the inputs that recognised it. */
function signatureOf(runtime: RuntimeRecord): PaneRow['signature'] {
  return classifySignature({
    inputs: runtime.signature,
    isWrapper: false,
    isShell: false,
    hasHandshake: runtime.handshakeAtMs !== null,
  });
}

function bindingInput(world: World, runtime: RuntimeRecord | null) {
  return {
    managed: runtime !== null,
    hasHandshake: runtime !== null && runtime.handshakeAtMs !== null,
    deterministicFresh: runtime !== null && hasFreshSource(runtime, world.channels),
  };
}

function hasFreshSource(
  runtime: RuntimeRecord,
  channels: ReadonlyMap<string, ChannelRecord>,
): boolean {
  for (const source of runtime.sources.values()) {
    if (source.tier !== 'deterministic') continue;
    if ((channels.get(source.channel)?.status ?? 'fresh') === 'fresh') return true;
  }
  return false;
}

function noteBinding(draft: Draft, pane: PaneRecord, row: PaneRow, atMs: number): void {
  const runtime = liveRuntime(draft, pane.runtimeId);
  const last = pane.pastRuntimes.at(-1);
  const missedLooks = last === undefined ? 0 : (draft.runtimes.get(last)?.missedLooks ?? 0);
  const endedBy = missedLooks >= MISSED_SCANS_MAX ? 'no_agent_twice' : 'process_gone';
  const transition = transitionOf(pane.row.binding, row.binding, endedBy);
  if (transition === null) return;
  draft.changes.push({
    kind: 'binding',
    paneKey: pane.paneKey,
    runtimeId: runtime?.runtimeId ?? null,
    sessionKey: runtime?.session?.sessionKey ?? null,
    from: pane.row.binding,
    to: row.binding,
    transition,
    atMs,
  });
}

const noActivity: Activity = { lastAtMs: null };

function activityOf({ activity, lastActivityAtMs }: RuntimeRecord): Activity {
  const fields: Record<string, unknown> = { lastAtMs: lastActivityAtMs };
  for (const [field, { value }] of activity) fields[field] = value;
  return fields as Activity;
}

/** Unchanged fields are the same objects: records are replaced, never edited. */
function sameActivity(a: Activity, b: Activity): boolean {
  const fields = Object.keys(b) as (keyof Activity)[];
  return fields.length === Object.keys(a).length && fields.every((field) => a[field] === b[field]);
}

function sameAttention(a: Attention, b: Attention): boolean {
  return (
    a === b ||
    (a.sinceMs === b.sinceMs &&
      a.snoozedUntilMs === b.snoozedUntilMs &&
      a.requests.length === b.requests.length &&
      a.requests.every((request, index) => sameRequest(request, b.requests[index])))
  );
}

function sameRequest(a: OpenRequest, b: OpenRequest | undefined): boolean {
  return (
    a.requestId === b?.requestId &&
    a.kind === b.kind &&
    a.sinceMs === b.sinceMs &&
    a.seen === b.seen &&
    (a.detail === b.detail || JSON.stringify(a.detail) === JSON.stringify(b.detail))
  );
}

/** state_version counts these and nothing else. */
function sameVersion(a: PaneRow, b: RowContent): boolean {
  return sameState(a, b) && sameDialogs(a, b);
}

/** A dialog that only got another id is the same. */
function sameDialogs(a: PaneRow, b: RowContent): boolean {
  const [before, after] = [
    openDialogsOf(a.attention.requests),
    openDialogsOf(b.attention.requests),
  ];
  if (before.length !== after.length) return false;
  const hadId = (request: OpenRequest, requestId: RequestId): boolean =>
    request.requestId === requestId || (request.earlierIds?.includes(requestId) ?? false);
  return before.every(({ requestId }) => after.some((request) => hadId(request, requestId)));
}

function sameRow(a: PaneRow, b: RowContent): boolean {
  return (
    sameVersion(a, b) &&
    a.agent === b.agent &&
    a.untilMs === b.untilMs &&
    a.binding === b.binding &&
    a.evidence.source === b.evidence.source &&
    a.evidence.atMs === b.evidence.atMs &&
    a.evidence.confidence === b.evidence.confidence &&
    a.evidence.rule === b.evidence.rule &&
    a.evidence.mode === b.evidence.mode &&
    a.signature.class === b.signature.class &&
    a.signature.reason === b.signature.reason &&
    sameActivity(a.activity, b.activity) &&
    sameAttention(a.attention, b.attention)
  );
}
