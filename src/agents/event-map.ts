// Normalising by table: the [[events]] of a rule file turned into normalisers, so that a user's own
// agent needs no code. Agents whose payloads need more have normalisers of their own.

import type { EventFile } from '../schema/agent-file.ts';
import { type Claim, TURN } from '../schema/evidence.ts';
import { id, type SessionKey } from '../schema/ids.ts';
import type { NormaliseContext, Normalised, Normaliser, NormaliserTable } from './adapter.ts';
import { type Fields, isFields, valueAt } from './signals/fields.ts';

const SESSION_LENGTH_MAX = 512;

/** One normaliser for each source that the events name. */
export function normalisersOf(events: readonly EventFile[]): NormaliserTable {
  const sources = new Set(events.map((event) => event.source));
  return Object.fromEntries(
    [...sources].map((source) => [
      source,
      normaliserOf(events.filter((event) => event.source === source)),
    ]),
  );
}

function normaliserOf(events: readonly EventFile[]): Normaliser {
  return (raw, context): Normalised => {
    const fields = isFields(raw) ? raw : {};
    const event = events.find((each) => valueAt(fields, each.field) === each.equals);
    if (event === undefined) return { kind: 'unknown', reason: 'no entry of the event map fits' };
    if (event.ignore) return { kind: 'ignored', reason: `${event.equals} is ignored by the map` };
    const sessionKey = sessionOf(fields, event);
    return {
      kind: 'claims',
      type: event.equals,
      claims: claimsOf(event, context),
      ...(event.ended ? { ended: true } : {}),
      ...(sessionKey === null ? {} : { sessionKey }),
    };
  };
}

function claimsOf(event: EventFile, { source }: NormaliseContext): readonly Claim[] {
  if (event.says === undefined) return [];
  const claim: Claim = {
    about: TURN,
    says: event.says,
    covers: [...source.covers],
    rank: source.rank,
    basis: 'signal',
    rule: event.equals,
  };
  return [event.reason === undefined ? claim : { ...claim, reason: event.reason }];
}

function sessionOf(fields: Fields, event: EventFile): SessionKey | null {
  const value = event.session === undefined ? undefined : valueAt(fields, event.session);
  if (typeof value !== 'string' || value === '' || value.length > SESSION_LENGTH_MAX) return null;
  return id<SessionKey>(value);
}
