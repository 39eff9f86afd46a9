// What needs a person, keyed by request: each open dialog, a failure, a crash, a stuck agent, a
// completion that nobody has seen. `seen` is set per request and never inferred from a capture. It
// ends news; a dialog is open until it is answered or gone, or a person puts it off (snooze.ts).

import { type Request, TURN } from '../../schema/evidence.ts';
import { id, type RequestId } from '../../schema/ids.ts';
import type { Attention, OpenRequest } from '../../schema/pane.ts';
import { type AttentionKind, attentionKinds } from '../../schema/state.ts';
import { isLive } from '../evidence/denials.ts';
import { phaseOf } from '../phase.ts';
import type { Ending, PaneRecord, RuntimeRecord, World } from '../world.ts';
import { restOf, turnStart } from './rest.ts';
import { withEarlierIds } from './same-dialog.ts';
import { type FoundRequest, withoutSnoozed } from './snooze.ts';
import type { LiveClaim, Verdict } from './verdict.ts';

export const noAttention: Attention = { kinds: [], sinceMs: null, requests: [] };

/** Start of the id of a dialog that no source has named. */
const DIALOG = 'dialog@';

/** The open dialogs of a runtime: those with an id, or one for the turn where none has an id. */
function openDialogs(runtime: RuntimeRecord, claims: readonly LiveClaim[]): FoundRequest[] {
  const waiting = claims.filter(({ claim }) => isWaiting(claim.says));
  const named = waiting.filter(({ claim }) => claim.about !== TURN);
  if (named.length > 0) return uniqueRequests(runtime, named, waiting);
  const best = waiting[0];
  if (!best) return [];
  const sinceMs = Math.min(...waiting.map((each) => questionAtMs(runtime, each)));
  const isNamed = isUnnamedOf(runtime, waiting);
  const requestId = id<RequestId>(`${DIALOG}${sinceMs}`);
  const seen = runtime.seen.some(isNamed);
  const detail = detailOf(best, waiting);
  return [{ request: { requestId, kind: kindOf(best), sinceMs, seen, ...detail }, isNamed }];
}

/** Since when it is asked. The same words after an answer are a new question. */
function questionAtMs({ denials }: RuntimeRecord, { claim }: LiveClaim): number {
  const { atMs, questionAtMs: firstMs = atMs } = claim;
  return isLive({ ...claim, atMs: firstMs }, denials) ? firstMs : atMs;
}

/** Whether an id is one that nobody gave to the dialog of these claims, in their time. */
function isUnnamedOf(
  runtime: RuntimeRecord,
  waiting: readonly LiveClaim[],
): FoundRequest['isNamed'] {
  const stamps = waiting.map((each) => questionAtMs(runtime, each));
  return (requestId) => {
    const atMs = requestId.startsWith(DIALOG) ? Number(requestId.slice(DIALOG.length)) : Number.NaN;
    return atMs >= Math.min(...stamps) && atMs <= Math.max(...stamps);
  };
}

/** Two sources may report one request; the details come from the better one, which is first. */
function uniqueRequests(
  runtime: RuntimeRecord,
  named: readonly LiveClaim[],
  waiting: readonly LiveClaim[],
): FoundRequest[] {
  const byId = new Map<string, OpenRequest>();
  const count = new Set(named.map(({ claim }) => claim.about)).size;
  for (const each of named) {
    const { about } = each.claim;
    const atMs = questionAtMs(runtime, each);
    const before = byId.get(about);
    if (before && atMs < before.sinceMs) byId.set(about, { ...before, sinceMs: atMs });
    if (before) continue;
    // What names no request is about this one only where no other is open.
    const alike = count === 1 ? waiting : named.filter(({ claim }) => claim.about === about);
    byId.set(about, request(runtime, each, alike));
  }
  const isOnly = byId.size === 1 ? isUnnamedOf(runtime, waiting) : () => false;
  return [...byId.values()]
    .sort((a, b) => a.sinceMs - b.sinceMs || (a.requestId < b.requestId ? -1 : 1))
    .map((request) => ({ request, isNamed: (id) => id === request.requestId || isOnly(id) }));
}

const found = (request: OpenRequest): FoundRequest => ({
  request,
  isNamed: (requestId) => requestId === request.requestId,
});

function request(
  runtime: RuntimeRecord,
  waiting: LiveClaim,
  alike: readonly LiveClaim[],
): OpenRequest {
  const { about } = waiting.claim;
  const requestId = id<RequestId>(about);
  const seen = isSeen(runtime, requestId);
  return {
    ...{ requestId, kind: kindOf(waiting), sinceMs: questionAtMs(runtime, waiting), seen },
    ...detailOf(waiting, alike),
  };
}

const kindOf = ({ claim }: LiveClaim): AttentionKind =>
  claim.says === 'waiting_approval' ? 'approval' : 'question';

/** What is asked: of each part what the best source has that could read it. */
function detailOf(best: LiveClaim, waiting: readonly LiveClaim[]): { readonly detail?: Request } {
  const details = waiting.flatMap(({ claim }) =>
    claim.request && claim.request.kind === kindOf(best) ? [claim.request] : [],
  );
  const [first] = details;
  if (first === undefined) return {};
  // The same object as before, where one source has it all.
  const whole = { ...first };
  for (const each of details.toReversed()) Object.assign(whole, each);
  const isAllFirst = Object.keys(whole).every((key) => key in first);
  return { detail: isAllFirst ? first : whole };
}

const isWaiting = (says: string): boolean =>
  says === 'waiting_approval' || says === 'waiting_input';

const isSeen = (runtime: RuntimeRecord, requestId: RequestId): boolean =>
  runtime.seen.includes(requestId);

/** Everything in a pane that needs a person. Requests that were seen stay listed, marked so. */
export function attentionOf(
  pane: PaneRecord,
  runtime: RuntimeRecord | null,
  context: { claims: readonly LiveClaim[]; verdict: Verdict; world: World },
): Attention {
  const requests: FoundRequest[] = [];
  if (pane.ending) requests.push(...endingRequest(pane.ending).map(found));
  if (runtime) {
    if (context.verdict.state !== 'unknown') requests.push(...dialogsOf(pane, runtime, context));
    requests.push(...newsOf(runtime, context).map(found));
  }
  if (requests.length === 0) return noAttention;
  const { open, snoozedUntilMs } = withoutSnoozed(requests, pane.snooze);
  return {
    kinds: attentionKinds.filter((kind) => open.some((each) => each.kind === kind)),
    sinceMs: open.length > 0 ? Math.min(...open.map((each) => each.sinceMs)) : null,
    requests: requests.map((each) => each.request),
    ...(snoozedUntilMs === undefined ? {} : { snoozedUntilMs }),
  };
}

/** The open dialogs; one that has another id than in the row so far keeps that one too. */
function dialogsOf(
  { row }: PaneRecord,
  runtime: RuntimeRecord,
  { claims }: { readonly claims: readonly LiveClaim[] },
): readonly FoundRequest[] {
  const dialogs = openDialogs(runtime, claims);
  const [only] = dialogs;
  if (!only || dialogs.length > 1 || row.runtimeId !== runtime.runtimeId) return dialogs;
  return [withEarlierIds(only, row.attention.requests)];
}

/** An end that nobody has seen: a crash, or the exit of a program under `agtmux run`. */
function endingRequest({ kind, requestId, sinceMs, agent, how, isSeen: seen }: Ending) {
  const note = `${agent} ${how}`;
  const news: AttentionKind = kind === 'crash' ? 'crash' : 'completion';
  return seen ? [] : [{ requestId, kind: news, sinceMs, seen, note }];
}

/** News of the turn itself: failed, stuck, or done and not seen. */
function newsOf(
  runtime: RuntimeRecord,
  { claims, verdict, world }: { claims: readonly LiveClaim[]; verdict: Verdict; world: World },
): readonly OpenRequest[] {
  // Sources report one end at slightly different times, so the id is that of the turn.
  const turnMs = turnStart(runtime.marks);
  const news = (kind: AttentionKind, name: string, sinceMs: number): OpenRequest => {
    const requestId = id<RequestId>(`${name}@${Number.isFinite(turnMs) ? turnMs : sinceMs}`);
    return { requestId, kind, sinceMs, seen: isSeen(runtime, requestId) };
  };
  if (verdict.state === 'error') {
    return [news('error', 'error', verdict.evidence.atMs ?? runtime.startedAtMs)];
  }
  if (runtime.stuckSinceMs !== null) return [news('stuck', 'stuck', runtime.stuckSinceMs)];
  // A completion outlives its demotion to idle and the silence of its source: it stays until it
  // is seen or work goes on.
  if (claims.some(({ claim }) => phaseOf(claim.says) !== 'rest')) return [];
  const rest = restOf(runtime, world.channels);
  if (rest.how !== 'completed' || rest.mark.backfill || rest.mark.atMs < turnMs) return [];
  const done = news('completion', 'done', rest.mark.atMs);
  return done.seen ? [] : [done];
}
