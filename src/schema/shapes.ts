// Small shapes that most schemas are made of: ids and times.

import { z } from 'zod';

/** Keys hold foreign names and paths; a longer one is an attack or a bug and is refused. */
export const ID_LENGTH_MAX = 2_048;

/** A text that becomes one of the branded ids. */
export const branded = <T extends string>(): z.ZodType<T> =>
  z.string().min(1).max(ID_LENGTH_MAX) as unknown as z.ZodType<T>;

/** Epoch milliseconds; fractions are allowed, negatives and infinities are not. */
export const atMsSchema = z.number().finite().nonnegative();

/** The last one that ISO 8601 writes with four digits of a year. */
const CALENDAR_MS_MAX = 253_402_300_799_999;

/** The nearest time with a year of four digits: other programs may send any number. */
export const withinCalendar = (atMs: number): number =>
  Math.min(Math.max(atMs, 0), CALENDAR_MS_MAX);

/** A URL without a path, or nothing. */
export const publicUrlSchema: z.ZodString = z
  .string()
  .max(255)
  .regex(
    /^(?:https?:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?\/?)?$/i,
    'must be an address such as https://agents.example.com, without a path',
  );

/** How a person logs in to a machine; null: it is this one, or it is not connected. */
export const loginItemSchema = z
  .object({
    destination: z.string(),
    /** A configuration of ssh in place of the user's own; empty is the user's. */
    config_file: z.string(),
    tmux_path: z.string().nullable(),
  })
  .nullable();

/** What each answer of the API begins with. */
export const replyHeader = {
  schema_version: z.literal(1),
  generated_at: z.iso.datetime(),
} as const;
