// What a terminal sends for its keys, as parts that can be typed. One key alone is typed by its
// name, so that tmux encodes it as the pane wants it; all else goes through byte for byte. Pure.

import type { TypedKey, TypedPart } from '../../schema/web/typing.ts';

const ESC = '\u001b';

const names: Readonly<Record<string, TypedKey>> = {
  [`${ESC}[Z`]: 'BTab',
  [`${ESC}[A`]: 'Up',
  [`${ESC}OA`]: 'Up',
  [`${ESC}[B`]: 'Down',
  [`${ESC}OB`]: 'Down',
  [`${ESC}[C`]: 'Right',
  [`${ESC}OC`]: 'Right',
  [`${ESC}[D`]: 'Left',
  [`${ESC}OD`]: 'Left',
  [`${ESC}[H`]: 'Home',
  [`${ESC}OH`]: 'Home',
  [`${ESC}[F`]: 'End',
  [`${ESC}OF`]: 'End',
  [`${ESC}[5~`]: 'PgUp',
  [`${ESC}[6~`]: 'PgDn',
  [`${ESC}[2~`]: 'IC',
  [`${ESC}[3~`]: 'DC',
  [`${ESC}OP`]: 'F1',
  [`${ESC}OQ`]: 'F2',
  [`${ESC}OR`]: 'F3',
  [`${ESC}OS`]: 'F4',
  [`${ESC}[15~`]: 'F5',
  [`${ESC}[17~`]: 'F6',
  [`${ESC}[18~`]: 'F7',
  [`${ESC}[19~`]: 'F8',
  [`${ESC}[20~`]: 'F9',
  [`${ESC}[21~`]: 'F10',
  [`${ESC}[23~`]: 'F11',
  [`${ESC}[24~`]: 'F12',
  [ESC]: 'Escape',
  '\u007f': 'BSpace',
};
const NAME_BYTES_MAX = 5;

// Programs ask their terminal what it is and where its cursor stands. tmux has answered already:
// the answers of a viewer's terminal would be typed into the program. A cursor in the first row
// looks like a function key.
const reports = [
  ...['\\[[?>=][\\d;]*c', '\\[(?!1;)\\d+;\\d+R', '\\[\\?\\d+;\\d+R', '\\[\\??\\d+;\\d+\\$y'],
  ...['\\[\\?\\d+u', '\\[\\d+n'],
  // Strings: a colour, a name.
  ...[`\\]\\d+;[^\\u0007${ESC}]*(?:\\u0007|${ESC}\\\\)`, `P[^${ESC}]*${ESC}\\\\`],
];
const report = new RegExp(`^${ESC}(?:${reports.join('|')})$`);
const REPORT_BYTES_MAX = 256;

/** What is to be typed for the payload of one frame; null for a terminal's own report. */
export function partOfKeys(payload: Buffer): TypedPart | null {
  if (payload.length <= REPORT_BYTES_MAX && report.test(payload.toString('latin1'))) return null;
  const text = payload.length <= NAME_BYTES_MAX ? payload.toString('latin1') : '';
  const key = Object.hasOwn(names, text) ? names[text] : undefined;
  return key === undefined ? { bytes: payload.toString('base64') } : { key };
}
