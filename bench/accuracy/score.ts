// Counts and figures: a confusion table, and precision, recall and F1 of each class. A class that
// an answer names wrongly loses precision, the class it missed loses recall.

export interface Judged {
  readonly truth: string;
  readonly answer: string;
}

export interface ClassScore {
  readonly name: string;
  readonly count: number;
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

export interface Score {
  readonly count: number;
  readonly correct: number;
  readonly classes: readonly ClassScore[];
  readonly macroF1: number;
  readonly weightedF1: number;
  readonly waiting: { readonly precision: number; readonly recall: number };
  /** Rows are truths, columns answers. */
  readonly confusion: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

const ratio = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole);

/** The figures of a set of answers over the named classes that have at least `countMin` records. */
export function score(judged: readonly Judged[], classes: readonly string[], countMin = 1): Score {
  const scored = classes
    .map((name) => scoreClass(judged, name))
    .filter((each) => each.count >= countMin);
  const total = scored.reduce((sum, each) => sum + each.count, 0);
  return {
    count: judged.length,
    correct: judged.filter(({ truth, answer }) => truth === answer).length,
    classes: scored,
    macroF1: ratio(
      scored.reduce((sum, each) => sum + each.f1, 0),
      scored.length,
    ),
    weightedF1: ratio(
      scored.reduce((sum, each) => sum + each.f1 * each.count, 0),
      total,
    ),
    waiting: scoreWaiting(judged),
    confusion: confusionOf(judged),
  };
}

function scoreClass(judged: readonly Judged[], name: string): ClassScore {
  const count = judged.filter(({ truth }) => truth === name).length;
  const named = judged.filter(({ answer }) => answer === name).length;
  const right = judged.filter(({ truth, answer }) => truth === name && answer === name).length;
  const f1 = count + named === 0 ? 1 : (2 * right) / (count + named);
  return { name, count, precision: ratio(right, named), recall: ratio(right, count), f1 };
}

/** Waiting for anything: approval and input as one class. */
function scoreWaiting(judged: readonly Judged[]) {
  const isWaiting = (name: string): boolean => name.startsWith('waiting');
  const real = judged.filter(({ truth }) => isWaiting(truth));
  const named = judged.filter(({ answer }) => isWaiting(answer));
  const right = real.filter(({ answer }) => isWaiting(answer)).length;
  return { precision: ratio(right, named.length), recall: ratio(right, real.length) };
}

function confusionOf(judged: readonly Judged[]): Map<string, Map<string, number>> {
  const table = new Map<string, Map<string, number>>();
  for (const { truth, answer } of judged) {
    const row = table.get(truth) ?? new Map<string, number>();
    row.set(answer, (row.get(answer) ?? 0) + 1);
    table.set(truth, row);
  }
  return table;
}
