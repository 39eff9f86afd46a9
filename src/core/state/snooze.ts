// What a person has put off: whether the open requests are still those, as they were then. A new
// request, a changed one or an answer ends it; its time ends it by an event of core/due.

import type { Request } from '../../schema/evidence.ts';
import type { RequestId } from '../../schema/ids.ts';
import type { Attention, OpenRequest } from '../../schema/pane.ts';
import type { State } from '../../schema/state.ts';
import { isNeedKind } from '../../text/need.ts';
import type { Snooze } from '../world.ts';

/** A request that is open now. Sources may name one dialog by several times, hence the test. */
export interface FoundRequest {
  readonly request: OpenRequest;
  readonly isNamed: (requestId: RequestId) => boolean;
}

/** Looking at an agent does not answer it: its dialogs stay open until they are gone. */
const isOpen = ({ kind, seen }: OpenRequest): boolean =>
  !seen || kind === 'approval' || kind === 'question';

/** Of these requests, those that need a person now. */
export const openNeeds = (requests: readonly OpenRequest[]): readonly OpenRequest[] =>
  requests.filter((request) => isNeedKind(request.kind) && isOpen(request));

/** The open requests, and until when they are put off; undefined when they are not. */
export function withoutSnoozed(
  found: readonly FoundRequest[],
  snooze: Snooze | null | undefined,
): { readonly open: readonly OpenRequest[]; readonly snoozedUntilMs: number | undefined } {
  const open = found.filter(({ request }) => isOpen(request));
  const needs = open.filter(({ request }) => isNeedKind(request.kind));
  const isSnoozed = needs.length > 0 && needs.every((each) => isPutOff(each, snooze));
  const left = isSnoozed ? open.filter((each) => !needs.includes(each)) : open;
  return {
    open: left.map(({ request }) => request),
    snoozedUntilMs: isSnoozed ? snooze?.untilMs : undefined,
  };
}

const isPutOff = ({ request, isNamed }: FoundRequest, snooze: Snooze | null | undefined): boolean =>
  snooze?.requests.some(
    ({ requestId, detail }) => isNamed(requestId) && isSameAsk(detail, request.detail),
  ) ?? false;

/** Whether two readings ask for the same: what only one of them could read decides nothing. */
function isSameAsk(a: Request | undefined, b: Request | undefined): boolean {
  if (!a || !b) return true;
  const fields = ['kind', 'text', 'tool', 'command', 'file'] as const;
  const isSame = fields.every(
    (field) => a[field] === undefined || b[field] === undefined || a[field] === b[field],
  );
  // Which option is selected changes while a person moves through them.
  const labels = (request: Request): string => JSON.stringify(request.options?.map((o) => o.label));
  return isSame && (!a.options || !b.options || labels(a) === labels(b));
}

/** What is still put off once a row says this. While the state is hidden nothing is decided. */
export function snoozeAfter(
  snooze: Snooze | null | undefined,
  { state, attention }: { readonly state: State; readonly attention: Attention },
): Snooze | null {
  if (!snooze || attention.snoozedUntilMs !== undefined) return snooze ?? null;
  return state === 'unknown' && openNeeds(attention.requests).length === 0 ? snooze : null;
}
