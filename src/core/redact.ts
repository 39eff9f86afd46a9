// Redaction: secrets are removed from every observation before anything else reads it, so that the
// same text is stored, shown and compared. The store accepts only redacted events. Redaction is
// idempotent.

import type { EventDraft, RedactedEvent, WorldEvent } from '../schema/event.ts';
import { type Claim, EVIDENCE_TEXT_MAX, type Evidence } from '../schema/evidence.ts';
import { ALIAS_LENGTH_MAX, type PaneFacts, TITLE_LENGTH_MAX } from '../schema/pane.ts';
import { withoutPassword } from '../schema/target.ts';
import { HIDDEN, hideSecrets, secretName, suspicious } from './evidence/secrets.ts';
import type { Observation } from './ingest.ts';

/** No real payload is deeper or larger than this; the rest is cut and marked. */
const DEPTH_MAX = 32;
const VALUES_MAX = 5_000;
const PAYLOAD_TEXT_MAX = 64_000;
const PASSES_MAX = 5;

/** The text without its secrets, and no longer than its field may be. */
export function redactText(text: string, lengthMax: number = PAYLOAD_TEXT_MAX): string {
  let clean = text.slice(0, lengthMax);
  if (!suspicious.test(clean)) return clean;
  // What one pattern hides may bare the start of another, so once more until nothing changes.
  for (let pass = 0; pass < PASSES_MAX; pass += 1) {
    const before = clean;
    clean = hideSecrets(clean);
    if (clean === before) break;
  }
  return clean.slice(0, lengthMax);
}

/** Any JSON value without its secrets: by the names of its fields, and inside every text. */
export function redactValue(value: unknown): unknown {
  return clean(value, 0, { valuesLeft: VALUES_MAX });
}

function clean(value: unknown, depth: number, budget: { valuesLeft: number }): unknown {
  budget.valuesLeft -= 1;
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEPTH_MAX || budget.valuesLeft <= 0) return '[too large]';
  if (Array.isArray(value)) {
    return value.slice(0, budget.valuesLeft).map((each) => clean(each, depth + 1, budget));
  }
  return cleanObject(value as Record<string, unknown>, depth, budget);
}

function cleanObject(
  object: Record<string, unknown>,
  depth: number,
  budget: { valuesLeft: number },
): Record<string, unknown> {
  const cleaned: [string, unknown][] = [];
  for (const [key, each] of Object.entries(object)) {
    if (budget.valuesLeft <= 0) break;
    const hides = isSecretField(key, each) || (/^value$/i.test(key) && isNamedSecret(object));
    cleaned.push([redactText(key), hides ? HIDDEN : clean(each, depth + 1, budget)]);
  }
  return Object.fromEntries(cleaned);
}

/** `{ name: 'API_KEY', value: ... }`, as lists of variables have it. */
function isNamedSecret(object: Record<string, unknown>): boolean {
  return [object['name'], object['key']].some((name) => secretName.test(String(name)));
}

/** Numbers under a secret's name are counts (tokens used), save for a password's. */
function isSecretField(key: string, value: unknown): boolean {
  if (!secretName.test(key) || typeof value === 'boolean' || value === null) return false;
  return typeof value !== 'number' || /passw|secret|pin|credential/i.test(key);
}

/** The observation without its secrets: the only form that the engine sees. */
export function redactObservation(observation: Observation): Observation {
  switch (observation.kind) {
    case 'evidence':
      return { ...observation, evidence: redactEvidence(observation.evidence) };
    case 'listing': {
      const { listing } = observation;
      return { ...observation, listing: { ...listing, panes: listing.panes.map(redactFacts) } };
    }
    case 'fact':
      return { ...observation, fact: redactFact(observation.fact) };
    // Nothing in these is foreign text but paths, which are addresses.
    case 'paneless':
    case 'heartbeat':
    case 'work':
    case 'scan':
      return observation;
  }
}

function redactFact(fact: EventDraft): EventDraft {
  if (fact.type === 'pane.appeared' || fact.type === 'pane.changed') {
    return { ...fact, facts: redactFacts(fact.facts) };
  }
  if (fact.type === 'pane.named' && fact.alias !== null) {
    return { ...fact, alias: redactText(fact.alias, ALIAS_LENGTH_MAX) };
  }
  if (fact.type === 'target.changed' && fact.target.connectionRef !== null) {
    const connectionRef = withoutPassword(fact.target.connectionRef);
    return { ...fact, target: { ...fact.target, connectionRef } };
  }
  if (fact.type === 'evidence.observed') {
    return { ...fact, evidence: redactEvidence(fact.evidence) };
  }
  return fact;
}

/** Titles are free text. Names and paths are addresses for tmux commands and stay. */
function redactFacts(facts: PaneFacts): PaneFacts {
  const title = redactText(facts.title, TITLE_LENGTH_MAX);
  return title === facts.title ? facts : { ...facts, title };
}

/** The evidence without its secrets, and with its texts cut, as it is stored. */
export function redactEvidence(evidence: Evidence): Evidence {
  const clean = { ...evidence };
  if (clean.claims.some(({ request }) => request)) clean.claims = clean.claims.map(redactClaim);
  if (clean.activity) clean.activity = redactTexts(clean.activity);
  if (clean.payload !== undefined) clean.payload = redactValue(clean.payload);
  return clean;
}

function redactClaim(claim: Claim): Claim {
  return claim.request ? { ...claim, request: redactTexts(claim.request) } : claim;
}

/** Every text in a value of a known shape; its fields and numbers are ours and stay. */
function redactTexts<Value>(value: Value): Value {
  if (typeof value === 'string') return redactText(value, EVIDENCE_TEXT_MAX) as Value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(redactTexts) as Value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, redactTexts(each)]),
  ) as Value;
}

/** Marks an event that core/ingest made of a redacted observation, or core/due of none. */
export function asRedacted(event: WorldEvent): RedactedEvent {
  return event as RedactedEvent;
}
