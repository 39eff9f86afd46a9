// Who needs a person, and why: the one rule that every count, filter, order and mark uses. It reads
// only what rows of the daemon and items on the wire have in common, and loads nothing, so that a
// client counts as the daemon does. Pure.

/** What a person is needed for, the most urgent first. A completion is news and no need. */
export const needKinds = ['approval', 'question', 'error', 'crash', 'stuck'] as const;
export type NeedKind = (typeof needKinds)[number];

export const isNeedKind = (kind: string): kind is NeedKind =>
  needKinds.some((each) => each === kind);

/** A row, or an item on the wire. Its kinds leave out seen news and snoozed requests. */
export interface NeedSubject {
  readonly presence: string;
  readonly attention: { readonly kinds: readonly string[] };
}

/** What the pane needs a person for most; null when it needs none. */
export function needOf({ presence, attention: { kinds } }: NeedSubject): NeedKind | null {
  if (presence === 'missing') return null;
  return needKinds.find((kind) => kinds.includes(kind)) ?? null;
}

export const needsPerson = (subject: NeedSubject): boolean => needOf(subject) !== null;

export type NeedCounts = { readonly [Each in NeedKind]: number };

/** How many need a person for what. Each counts once, so the sum is how many need one. */
export function countNeeds(subjects: Iterable<NeedSubject>): NeedCounts {
  const counts = { approval: 0, question: 0, error: 0, crash: 0, stuck: 0 };
  for (const subject of subjects) {
    const need = needOf(subject);
    if (need !== null) counts[need] += 1;
  }
  return counts;
}

export const sumOfNeeds = (counts: NeedCounts): number =>
  needKinds.reduce((sum, kind) => sum + counts[kind], 0);
