// What `doctor` prints: one line for each check, and below it how to fix what it found. Pure.

import { type Ink, paint, sanitise, type View } from './view.ts';
import { wrapText } from './width.ts';

export interface CheckRow {
  readonly name: string;
  readonly status: 'ok' | 'note' | 'warn' | 'fail';
  readonly detail: string;
  readonly fix: string | null;
}

const marks: Readonly<Record<CheckRow['status'], readonly [string, string, Ink]>> = {
  ok: ['✓', '+', 'green'],
  note: ['·', '-', 'dim'],
  warn: ['!', '!', 'yellow'],
  fail: ['✗', 'x', 'red'],
};

const INDENT = '  ';

/** Every check, then one sentence with the number of findings. */
export function renderChecks(view: View, checks: readonly CheckRow[]): string {
  const findings = checks.filter(({ status }) => status === 'warn' || status === 'fail').length;
  const last =
    findings === 0
      ? 'All is well.'
      : `${findings} ${findings === 1 ? 'check needs' : 'checks need'} attention.`;
  return `${[...checks.flatMap((check) => checkLines(view, check)), '', last].join('\n')}\n`;
}

function checkLines(view: View, { name, status, detail, fix }: CheckRow): readonly string[] {
  const [wide, narrow, ink] = marks[status];
  const mark = paint(view, ink, view.unicode ? wide : narrow);
  const width = Math.max(1, view.width - INDENT.length);
  const [first = '', ...rest] = wrapText(sanitise(view, `${name}: ${detail}`), width);
  const advice = fix === null ? [] : wrapText(sanitise(view, `> ${fix}`), width);
  return [`${mark} ${first}`, ...[...rest, ...advice].map((line) => INDENT + line)];
}
