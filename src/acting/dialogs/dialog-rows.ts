// Where a dialog is on the screen, from its first row to its last: what is between them, such as a
// diff, is of it too.

import type { DialogDetails } from '../../agents/screen/extract.ts';
import type { ScreenView } from '../../agents/screen/screen-view.ts';
import { comparable } from '../typed-text.ts';

/** A row with less of a long text could be any. */
const PART_LENGTH_MIN = 3;

/** The indexes of its rows; none where nothing that it says is on a row. */
export function dialogRows({ lines }: ScreenView, details: DialogDetails): readonly number[] {
  const { text, tool, command, file, options = [] } = details;
  const parts = [text, tool, command, file, ...options.map(({ label }) => label)]
    .flatMap((each) => each?.split('\n') ?? [])
    .map(comparable)
    .filter((each) => each !== '');
  const isOfIt = (line: string): boolean => {
    const row = comparable(line);
    const isPart = (each: string) => row.length >= PART_LENGTH_MIN && each.includes(row);
    return parts.some((each) => row.includes(each) || isPart(each));
  };
  const first = lines.findIndex(isOfIt);
  const count = first < 0 ? 0 : lines.findLastIndex(isOfIt) - first + 1;
  return Array.from({ length: count }, (_, at) => first + at);
}
