// Times as every answer writes them.

import { withinCalendar } from '../../schema/shapes.ts';

/** Epoch milliseconds as the text that goes on the wire. */
export const isoOf = (atMs: number): string => new Date(withinCalendar(atMs)).toISOString();
