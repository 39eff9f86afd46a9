// Figures and how they are shown: percentiles, tables, and checks against budgets.

export interface Spread {
  readonly count: number;
  readonly minMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface Check {
  readonly name: string;
  readonly value: number;
  readonly limit: number;
  readonly unit: string;
}

export function spreadOf(valuesMs: readonly number[]): Spread {
  const sorted = valuesMs.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
  return {
    count: sorted.length,
    minMs: sorted[0] ?? Number.NaN,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
    maxMs: sorted.at(-1) ?? Number.NaN,
  };
}

export const say = (line: string): boolean => process.stdout.write(`${line}\n`);

/** Columns as wide as their widest cell; the first to the left, the others to the right. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
    }
  }
  const lineOf = (row: readonly string[]): string =>
    row
      .map((cell, index) =>
        index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart((widths[index] ?? 0) + 2),
      )
      .join('');
  return rows.map(lineOf).join('\n');
}

export const figure = (value: number): string =>
  Number.isFinite(value) ? value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0) : '-';

/** False for NaN: a missing figure fails its budget. */
export const isWithinBudget = ({ value, limit }: Check): boolean => value < limit;

/** Prints each figure with its budget, and sets the exit code when one is over. */
export function judge(checks: readonly Check[]): void {
  for (const check of checks) {
    const { name, value, limit, unit } = check;
    const verdict = isWithinBudget(check) ? 'ok  ' : 'OVER';
    say(`${verdict} ${name}: ${figure(value)} ${unit} (budget ${figure(limit)})`);
    if (!isWithinBudget(check)) process.exitCode = 1;
  }
}
