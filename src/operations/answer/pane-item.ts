// A pane as clients see it: from the record of the world to the item on the wire. Pure; order and
// filters are listing.ts.

import { formatReference } from '../../core/identity/reference.ts';
import { titleOf } from '../../core/view/title.ts';
import { liveRuntime, type PaneRecord, type World } from '../../core/world.ts';
import type { PaneIdentityItem, PaneItem } from '../../schema/api/panes.ts';
import type { TargetId } from '../../schema/ids.ts';
import { type Outcome, ok } from '../../schema/outcome.ts';
import type { OpenRequest, PaneFacts, PaneLocation, PaneRow } from '../../schema/pane.ts';
import { firstLine } from '../../text/first-line.ts';
import { isoOf } from '../ports/iso-time.ts';
import type { OperationCall } from '../ports/operation.ts';
import type { PanesPort } from '../ports/ports.ts';

/** What is read of a pane besides the world. */
export type PaneReaders = Pick<
  PanesPort,
  'lastSeenAtMs' | 'gitCheckout' | 'isAttached' | 'takesText'
>;

const isoOrNull = (atMs: number | null): string | null => (atMs === null ? null : isoOf(atMs));

/** The first fields of every dated output. */
export const header = (nowMs: number) => ({
  schema_version: 1 as const,
  generated_at: isoOf(nowMs),
});

/** A value with these fields; a refusal as it is. */
export const dated = <Value extends object>(
  outcome: Outcome<Value>,
  { nowMs }: Pick<OperationCall, 'nowMs'>,
) => (outcome.ok ? ok({ ...header(nowMs()), ...outcome.value }) : outcome);

/** Targets with more than one tmux server: only there does a reference need the server. */
export function crowdedTargets(world: World): ReadonlySet<TargetId> {
  const first = new Map<TargetId, string>();
  const crowded = new Set<TargetId>();
  for (const { facts, targetId, goneAtMs } of world.panes.values()) {
    if (!facts || goneAtMs !== null) continue;
    const server = first.get(targetId);
    if (server === undefined) first.set(targetId, facts.server);
    else if (server !== facts.server) crowded.add(targetId);
  }
  return crowded;
}

/** The canonical reference of a pane at one of its locations. */
export function refOf(
  pane: PaneRecord,
  place: PaneLocation | undefined,
  crowded: ReadonlySet<TargetId>,
): string {
  const { facts, targetId, runtimeId } = pane;
  if (facts && place) {
    return formatReference({
      kind: 'pane',
      target: targetId,
      server: crowded.has(targetId) ? facts.server : null,
      session: place.sessionName,
      window: place.windowId,
      pane: facts.paneId,
    });
  }
  return runtimeId === null ? pane.paneKey : formatReference({ kind: 'runtime', runtimeId });
}

export interface PaneView {
  readonly world: World;
  readonly readers: PaneReaders;
  readonly crowded: ReadonlySet<TargetId>;
}

/** The pane once, at its first location. */
export function paneItem(view: PaneView, pane: PaneRecord): PaneItem {
  return itemAt(view, pane, pane.facts?.locations[0]);
}

/** The pane once for each wanted location; an agent without a pane has none, and is one item. */
export function paneItems(
  view: PaneView,
  pane: PaneRecord,
  isWanted: (place: PaneLocation) => boolean,
): readonly PaneItem[] {
  const places = pane.facts?.locations ?? [];
  if (places.length === 0) return [itemAt(view, pane, undefined)];
  const [first, ...others] = places.filter(isWanted);
  if (!first || !pane.facts) return [];
  const item = itemAt(view, pane, first);
  const { facts } = pane;
  const more = others.map((place) => ({
    ...item,
    identity: identityOf(facts, place),
    ref: refOf(pane, place, view.crowded),
  }));
  return [item, ...more];
}

function itemAt(view: PaneView, pane: PaneRecord, place: PaneLocation | undefined): PaneItem {
  const { facts, row } = pane;
  const { title, level } = titleOf(view.world, pane);
  const runtime = liveRuntime(view.world, pane.runtimeId);
  const checkout = view.readers.gitCheckout(pane);
  return {
    identity: facts && place ? identityOf(facts, place) : null,
    locations: facts ? facts.locations.map((each) => identityOf(facts, each)) : [],
    ref: refOf(pane, place, view.crowded),
    pane_key: pane.paneKey,
    target: pane.targetId,
    presence: row.presence,
    agent: row.agent,
    runtime_id: row.runtimeId,
    pane_epoch: pane.paneEpoch,
    pid: runtime?.pid ?? null,
    session_key: runtime?.session?.sessionKey ?? null,
    ...answerOf(row),
    attention: attentionItem(view.readers, pane),
    alias: pane.alias ?? null,
    last_known: lastKnown(pane),
    title,
    title_quality: level,
    pane_title: facts?.title ?? '',
    current_cmd: facts?.command ?? '',
    current_path: facts?.path ?? pane.seatPath ?? '',
    git_branch: checkout.branch,
    git_worktree: checkout.worktree,
    attached: view.readers.isAttached(pane),
    floating: facts?.isFloating ?? false,
    dead: facts?.dead ?? false,
    opaque: facts?.opaque ?? false,
    state_version: row.stateVersion,
    row_seq: row.rowSeq,
    since: isoOf(row.sinceMs),
    updated_at: isoOf(row.updatedAtMs),
    last_seen_at: isoOf(view.readers.lastSeenAtMs(pane)),
  };
}

/** What is shown dim in place of a hidden state. */
function lastKnown({ held, row }: PaneRecord): PaneItem['last_known'] {
  if (!held || held.isEnded || held.state === 'unknown' || row.state !== 'unknown') return null;
  const { state, reasonCode, sinceMs } = held;
  return { state, reason_code: reasonCode, since: isoOf(sinceMs) };
}

const identityOf = (facts: PaneFacts, place: PaneLocation): PaneIdentityItem => ({
  target: facts.targetId,
  server: facts.server,
  session_name: place.sessionName,
  session_id: place.sessionId,
  window_id: place.windowId,
  window_index: place.windowIndex,
  window_name: place.windowName,
  pane_id: facts.paneId,
  pane_index: place.paneIndex,
});

function answerOf(row: PaneRow) {
  const { evidence, signature } = row;
  return {
    state: row.state,
    reason_code: row.reasonCode,
    until: isoOrNull(row.untilMs),
    evidence: {
      mode: evidence.mode,
      source: evidence.source,
      rule: evidence.rule,
      confidence: evidence.confidence,
      at: isoOrNull(evidence.atMs),
    },
    signature_class: signature.class,
    signature_reason: signature.reason,
    signature_confidence: signature.confidence,
    signature_inputs: {
      provider_hint: signature.inputs.providerHint,
      cmd_match: signature.inputs.cmdMatch,
      poller_match: signature.inputs.pollerMatch,
      title_match: signature.inputs.titleMatch,
    },
    binding: row.binding,
    activity: activityItem(row.activity),
  };
}

/** What needs a person, as it goes on the wire. */
export function attentionItem(
  readers: Pick<PaneReaders, 'takesText'>,
  pane: PaneRecord,
): PaneItem['attention'] {
  const { attention } = pane.row;
  return {
    kinds: attention.kinds,
    since: isoOrNull(attention.sinceMs),
    requests: attention.requests.map((request) => requestItem(readers, pane, request)),
    snoozed_until: isoOrNull(attention.snoozedUntilMs ?? null),
  };
}

function requestItem(
  readers: Pick<PaneReaders, 'takesText'>,
  pane: PaneRecord,
  request: OpenRequest,
): PaneItem['attention']['requests'][number] {
  const { requestId, kind, sinceMs, seen, detail, note } = request;
  return {
    request_id: requestId,
    kind,
    since: isoOf(sinceMs),
    seen,
    ...(detail === undefined ? {} : { detail }),
    ...(note === undefined ? {} : { note }),
    ...(readers.takesText(pane, request) ? { takes_text: true } : {}),
  };
}

/** Rows go to every subscriber, so they have a line each; `agtmux log` has the whole texts. */
const WORDS_LENGTH_MAX = 300;

const lineOf = (text: string | null | undefined): string | null =>
  firstLine(text ?? '', WORDS_LENGTH_MAX) || null;

function activityItem(activity: PaneRow['activity']): PaneItem['activity'] {
  const { usage } = activity;
  return {
    last_at: isoOrNull(activity.lastAtMs),
    tool: activity.tool ?? null,
    prompt: lineOf(activity.prompt),
    message: lineOf(activity.message),
    title: activity.title ?? null,
    background_count: activity.backgroundCount ?? 0,
    subagents: activity.subagents ?? [],
    usage: usage
      ? {
          ...(usage.contextUsed === undefined ? {} : { context_used: usage.contextUsed }),
          ...(usage.contextMax === undefined ? {} : { context_max: usage.contextMax }),
          ...(usage.tokens === undefined ? {} : { tokens: usage.tokens }),
        }
      : null,
  };
}
