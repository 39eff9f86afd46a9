// From the content of one signal to the `NormaliserResult` of the contract. Normalisers are tables
// of contents; rank, basis, rule, limits and session are added here, once.

import type { ActivityPatch, BindHint, Claim, Request } from '../../schema/evidence.ts';
import { TURN } from '../../schema/evidence.ts';
import { id, type RequestId, type SessionKey } from '../../schema/ids.ts';
import type { ReasonCode, Says, State } from '../../schema/state.ts';
import type { NormaliseContext, NormalisedSignal, NormaliserResult } from '../adapter.ts';
import { everyState } from './coverage.ts';
import { cut } from './fields.ts';

const TYPE_LENGTH_MAX = 120;
const ID_LENGTH_MAX = 512;

/** One claim without its source. */
export interface ClaimDraft {
  readonly says: Says;
  readonly covers?: readonly State[] | undefined;
  /** The agent's own id of a request; the turn where it has none. */
  readonly about?: string | undefined;
  readonly reason?: ReasonCode | undefined;
  readonly untilMs?: number | undefined;
  readonly request?: Request | undefined;
}

/** What a signal says: any number of claims, and the activity. */
export interface SignalContent {
  readonly claims?: readonly ClaimDraft[];
  readonly activity?: ActivityPatch | undefined;
  readonly ended?: boolean;
}

/** Facts about a signal itself: session, time, identity. */
export interface SignalFacts {
  readonly sessionKey?: string | undefined;
  readonly eventTimeMs?: number | undefined;
  readonly dedupeKey?: string | undefined;
  readonly bind?: Partial<Omit<BindHint, 'targetId'>> | undefined;
  readonly sourceSeq?: number | undefined;
}

export const unknownSignal = (reason: string): NormaliserResult => ({ kind: 'unknown', reason });
export const ignoredSignal = (reason: string): NormaliserResult => ({ kind: 'ignored', reason });

export const claim = (says: Says, more: Omit<ClaimDraft, 'says'> = {}): SignalContent => ({
  claims: [{ says, ...more }],
});

/** Content without a claim: only what is going on. */
export const reportActivity = (activity: ActivityPatch): SignalContent => ({ activity });

export const sessionEnded: SignalContent = { ended: true };

export function buildSignal(
  type: string,
  content: SignalContent,
  context: NormaliseContext,
  facts: SignalFacts = {},
): NormalisedSignal {
  const { sessionKey, eventTimeMs, dedupeKey, bind, sourceSeq } = facts;
  const activity = omitUndefined(content.activity ?? {});
  return {
    kind: 'claims',
    type: cut(type, TYPE_LENGTH_MAX),
    claims: (content.claims ?? []).map((each) => claimOf(type, each, context)),
    ...(Object.keys(activity).length === 0 ? {} : { activity }),
    ...(isId(sessionKey) ? { sessionKey: id<SessionKey>(sessionKey) } : {}),
    ...(content.ended ? { ended: true } : {}),
    ...(eventTimeMs === undefined ? {} : { eventTimeMs }),
    ...(isId(dedupeKey) ? { dedupeKey } : {}),
    ...(bind === undefined ? {} : { bind }),
    ...(sourceSeq === undefined ? {} : { sourceSeq }),
  };
}

function claimOf(type: string, each: ClaimDraft, { source }: NormaliseContext): Claim {
  const { about, covers, says, ...more } = each;
  return {
    about: isId(about) ? id<RequestId>(about) : TURN,
    says,
    covers: [...(covers ?? everyState)],
    rank: source.rank,
    basis: 'signal',
    rule: cut(type, TYPE_LENGTH_MAX),
    ...omitUndefined(more),
  };
}

const isId = (text: string | undefined): text is string =>
  text !== undefined && text !== '' && text.length <= ID_LENGTH_MAX;

/** Optional fields that are undefined are left out: evidence is compared as JSON. */
export function omitUndefined<Each extends object>(fields: Each): Present<Each> {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as Present<Each>;
}

type Present<Each> = { [Key in keyof Each]: Exclude<Each[Key], undefined> };
