// A dialog that is listed under another id than before. A screen gives its dialogs no id; when the
// agent's own report names one that is open already, a person must still be able to answer what
// they were shown. Only what asks for the same by its command, its file or its options is the same.

import type { Request } from '../../schema/evidence.ts';
import type { OpenRequest } from '../../schema/pane.ts';
import type { FoundRequest } from './snooze.ts';

const EARLIER_IDS_MAX = 4;
/** No source shows less than this of a text that it cuts without a mark. */
const CUT_LENGTH_MIN = 40;

export const openDialogsOf = (requests: readonly OpenRequest[]): readonly OpenRequest[] =>
  requests.filter(({ kind }) => kind === 'approval' || kind === 'question');

/** The only open dialog, with the ids that it had in the row before. */
export function withEarlierIds(
  found: FoundRequest,
  requestsBefore: readonly OpenRequest[],
): FoundRequest {
  const { request, isNamed } = found;
  const [before, ...others] = openDialogsOf(requestsBefore);
  if (!before || others.length > 0 || before.kind !== request.kind) return found;
  const isKnown = before.requestId === request.requestId;
  if (isKnown && before.earlierIds === undefined) return found;
  if (!isNamed(before.requestId) || !asksTheSame(before.detail, request.detail)) return found;
  const earlierIds = isKnown
    ? before.earlierIds
    : [before.requestId, ...(before.earlierIds ?? [])].slice(0, EARLIER_IDS_MAX);
  return { isNamed, request: { ...request, earlierIds } };
}

/** Whether both say what is asked for, and the same of it. */
function asksTheSame(a: Request | undefined, b: Request | undefined): boolean {
  if (!a || !b) return false;
  const known = [
    [a.command, b.command],
    [a.file, b.file],
    [labelsOf(a), labelsOf(b)],
  ].filter((pair) => !pair.includes(undefined));
  return known.length > 0 && known.every(([one = '', other = '']) => isSameText(one, other));
}

const labelsOf = ({ options }: Request): string | undefined =>
  options?.map(({ label }) => label).join('\n');

/** Sources break lines elsewhere, and cut what is long. */
function isSameText(a: string, b: string): boolean {
  const [short = '', long = ''] = [a, b]
    .map((text) => text.replace(/\s/g, ''))
    .sort((one, other) => one.length - other.length);
  if (short === long) return true;
  const start = short.replace(/…$/, '');
  return start.length >= CUT_LENGTH_MIN && long.startsWith(start);
}
