// Whether the input box of an agent holds a text. Boxes wrap it, indent it, show a part of it or a
// mark in its place, so only what survives all that is compared.

import type { ActingRules } from '../agents/screen/acting-rules.ts';
import type { InputDraft } from '../agents/screen/input-box.ts';

/** Fewer characters could be there by chance. */
const PART_LENGTH_MIN = 24;
/** The end of a text is looked for by this many characters. */
const END_LENGTH = 40;
/** Agents count the last line end, or do not. */
const MARK_TOLERANCE = 2;

/** Letters, digits and printable ASCII: blanks move, and terminals draw emoji in many ways. */
export const comparable = (text: string): string =>
  text.normalize('NFC').replace(/[^\p{L}\p{N}!-~]/gu, '');

/** Whether the draft is the text: all of it, a long part of it, or the mark of a long paste. */
export function holdsText(
  { lines, toBottom }: Pick<InputDraft, 'lines' | 'toBottom'>,
  text: string,
  { pasteMark }: Pick<ActingRules, 'pasteMark'>,
): boolean {
  if (lines.length === 0) return false;
  if (lines.some((line) => isMarkOf(line, text, pasteMark))) return true;
  const box = comparable(lines.join(''));
  const bottom = comparable(toBottom.join(''));
  const whole = comparable(text);
  if (whole === '') return true;
  if (box === whole || bottom.startsWith(whole)) return true;
  return (box.length >= PART_LENGTH_MIN && whole.includes(box)) || showsEnd(bottom, whole);
}

/** Whether the rows begin with a long end of the text: a low box scrolls. */
function showsEnd(bottom: string, whole: string): boolean {
  const end = whole.slice(-Math.max(PART_LENGTH_MIN, END_LENGTH));
  const at = bottom.indexOf(end);
  return (
    end.length >= PART_LENGTH_MIN && at >= 0 && whole.endsWith(bottom.slice(0, at + end.length))
  );
}

function isMarkOf(line: string, text: string, pasteMark: RegExp | null): boolean {
  const found = pasteMark?.exec(line);
  if (!found) return false;
  const { lines, chars } = found.groups ?? {};
  if (lines !== undefined) return isNear(Number(lines), text.split('\n').length - 1);
  // Agents count in code units, in code points or in bytes.
  const lengths = [text.length, [...text].length, Buffer.byteLength(text)];
  return chars === undefined || lengths.some((length) => isNear(Number(chars), length));
}

/** Whether nothing but the mark of a paste as long as the text is in the box. */
export function isMarkAlone(
  { lines }: Pick<InputDraft, 'lines'>,
  text: string,
  { pasteMark }: Pick<ActingRules, 'pasteMark'>,
): boolean {
  const [line = '', ...others] = lines;
  const found = pasteMark?.exec(line);
  const count = found?.groups?.['lines'] ?? found?.groups?.['chars'];
  const isAlone = others.length === 0 && found?.[0] === line.trim();
  return isAlone && count !== undefined && isMarkOf(line, text, pasteMark);
}

const isNear = (count: number, expected: number): boolean =>
  Math.abs(count - expected) <= MARK_TOLERANCE;

/** How much of a text its start and its end must show: less could be there by chance. */
const SHORT_LENGTH = 8;

/** How often a text is among these lines, by its start or its end; a short one as a line. */
export function countShown(lines: readonly string[], text: string): number {
  const whole = comparable(text);
  if (whole === '') return 0;
  if (whole.length < SHORT_LENGTH) {
    return lines.filter((line) => comparable(line).replace(/^[>|]+/, '') === whole).length;
  }
  const shown = comparable(lines.join(''));
  const length = Math.min(whole.length, PART_LENGTH_MIN);
  const count = (part: string): number => shown.split(part).length - 1;
  return Math.max(count(whole.slice(0, length)), count(whole.slice(-length)));
}
