// Redaction: secrets leave every text before it is stored, shown or compared. Patterns are bounded
// and have one reading each, so that hostile text costs linear time. Redacting twice changes nothing.

import type { RedactedEvent, WorldEvent } from '../../schema/event.ts';
import type { Claim, Evidence } from '../../schema/evidence.ts';

const HIDDEN = '[redacted]';
/** Deeper payloads are no honest payloads. */
const DEPTH_MAX = 32;
const TEXT_LENGTH_MAX = 64_000;

const secretWord =
  'passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|authorization|cookie|x-api-key|auth[_-]?key';
const secretKey = new RegExp(secretWord, 'i');

/** A cheap test that most texts fail, before the real patterns run. */
const suspicious = new RegExp(
  `${secretWord}|bearer|basic |-----BEGIN|://|eyJ|sk-|gh[a-z]_|xox|AKIA|AIza`,
  'i',
);

const patterns: readonly (readonly [RegExp, string])[] = [
  // PEM blocks, also cut off before their end.
  [/-----BEGIN [A-Z0-9 ]{1,40}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,40}-----|$)/g, HIDDEN],
  // scheme://user:password@host
  [/(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@"']{0,256}:)[^\s/@"']{1,1024}@/gi, `$1${HIDDEN}@`],
  // Whole values of headers that are secrets: Authorization: Basic ..., Cookie: a=b; c=d
  [
    /(\b(?:proxy-)?(?:authorization|cookie|set-cookie|x-api-key)\\?["']?[ \t]{0,8}[:=][ \t]{0,8}\\?["']?)[^"'\r\n\\]{1,4096}/gi,
    `$1${HIDDEN}`,
  ],
  [/(\b(?:bearer|basic)[ \t]{1,8})[A-Za-z0-9._~+/=-]{8,8192}/gi, `$1${HIDDEN}`],
  // key=value, key: value, "key": "value", also inside an escaped JSON string.
  [
    new RegExp(
      `((?:${secretWord})[A-Za-z0-9_.-]{0,64}\\\\?["']?[ \\t]{0,8}[:=][ \\t]{0,8})` +
        `(?:\\\\?"[^"\\r\\n\\\\]{0,8192}|'[^'\\r\\n]{0,8192}|[^\\s"'&,;{}\\[\\]\\\\]{1,8192})`,
      'gi',
    ),
    `$1${HIDDEN}`,
  ],
  // Tokens that are known by their own shape.
  [/\beyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{4,4096}(?:\.[A-Za-z0-9_-]{0,4096})?/g, HIDDEN],
  [/\b(?:sk-|gh[opsur]_|xox[abprs]-|AKIA|AIza)[A-Za-z0-9_-]{12,512}/g, HIDDEN],
];

/** The text without its secrets. */
export function redactText(text: string): string {
  const cut = text.length > TEXT_LENGTH_MAX ? text.slice(0, TEXT_LENGTH_MAX) : text;
  if (!suspicious.test(cut)) return cut;
  return patterns.reduce((clean, [pattern, hidden]) => clean.replace(pattern, hidden), cut);
}

/** Any JSON value without its secrets: by the name of a field, and inside every text. */
export function redactValue(value: unknown, depth: number = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEPTH_MAX) return '[too deep]';
  if (Array.isArray(value)) return value.map((each) => redactValue(each, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      const hides = secretKey.test(key) && (typeof each === 'string' || typeof each === 'number');
      return [key, hides ? HIDDEN : redactValue(each, depth + 1)];
    }),
  );
}

/** The event as it may be kept. The only maker of what the store accepts. */
export function redact(event: WorldEvent): RedactedEvent {
  if (event.type === 'evidence.observed') {
    return { ...event, evidence: redactEvidence(event.evidence) } as RedactedEvent;
  }
  if (event.type === 'pane.appeared' || event.type === 'pane.changed') {
    const facts = { ...event.facts, title: redactText(event.facts.title) };
    return { ...event, facts } as RedactedEvent;
  }
  return event as RedactedEvent;
}

function redactEvidence(evidence: Evidence): Evidence {
  const { activity, payload, ...rest } = evidence;
  return {
    ...rest,
    claims: evidence.claims.map(cleanClaim),
    ...(activity ? { activity: redactValue(activity) as NonNullable<typeof activity> } : {}),
    ...(payload === undefined ? {} : { payload: redactValue(payload) }),
  };
}

function cleanClaim(claim: Claim): Claim {
  const { request } = claim;
  return request ? { ...claim, request: redactValue(request) as typeof request } : claim;
}
