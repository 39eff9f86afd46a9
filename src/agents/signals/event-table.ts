// A normaliser made of a table: one row for each event that an agent is known to send. An event
// that is not in the table is unknown; one that is known to say nothing is ignored with the reason.

import { nearest } from '../../text/nearest-word.ts';
import type { NormaliseContext, Normaliser } from '../adapter.ts';
import { type Envelope, openEnvelope } from './envelope.ts';
import type { Fields } from './fields.ts';
import {
  buildSignal,
  ignoredSignal,
  type SignalContent,
  type SignalFacts,
  unknownSignal,
} from './signal-content.ts';

/** What an event means: its content, or a text that says why it is ignored. */
export type EventMeaning = SignalContent | string;

/** One row: a fixed meaning, or one computed from the payload. */
export type EventRow = EventMeaning | ((fields: Fields, context: NormaliseContext) => EventMeaning);

export type EventRows = Readonly<Record<string, EventRow>>;

export interface EventTable {
  /** The event's name as the rows spell it, or undefined where the payload names none. */
  readonly nameOf: (envelope: Envelope) => string | undefined;
  readonly rows: EventRows;
  /** Session, time and dedupe key of a payload. */
  readonly factsOf: (envelope: Envelope, name: string) => SignalFacts;
}

export function tableNormaliser({ nameOf, rows, factsOf }: EventTable): Normaliser {
  return (raw, context) => {
    const envelope = openEnvelope(raw);
    if (typeof envelope === 'string') return unknownSignal(envelope);
    const name = nameOf(envelope);
    if (name === undefined) return unknownSignal('no event name');
    if (!Object.hasOwn(rows, name)) return unknownSignal(unknownWord(name, Object.keys(rows)));
    const row = rows[name] as EventRow;
    const answer = typeof row === 'function' ? row(envelope.fields, context) : row;
    if (typeof answer === 'string') return ignoredSignal(answer);
    return buildSignal(name, answer, context, factsOf(envelope, name));
  };
}

/** Says that a word is none of the known ones, with the nearest of them. */
export function unknownWord(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  const slip = near === undefined ? '.' : `; did you mean ${near}?`;
  return `"${word.slice(0, 80)}" is not a known type${slip} Valid types: ${known.join(', ')}`;
}

/** A key of parts that together identify one event; undefined when one is missing. */
export function dedupeKeyOf(
  ...parts: readonly (string | number | undefined)[]
): string | undefined {
  return parts.includes(undefined) ? undefined : parts.join('|');
}
