// The verdict on a screen as a normalised signal. Judging the screen belongs to agents/screen,
// weighing the claim to core/. Pure.

import type { Adapter, NormalisedSignal, SourceSpec } from '../../agents/adapter.ts';
import type { ScreenVerdict } from '../../agents/screen/rules.ts';
import { type Claim, type Request, TURN } from '../../schema/evidence.ts';
import { id, type SourceName } from '../../schema/ids.ts';
import type { Says } from '../../schema/state.ts';
import { ownText } from '../own-text.ts';

/** For agents whose file declares no screen: it still comes last and sees every end. */
const anyScreen: SourceSpec = {
  name: id<SourceName>('screen'),
  mode: 'poll',
  kind: 'level',
  tier: 'heuristic',
  covers: ['error', 'waiting_approval', 'waiting_input', 'running', 'completed', 'idle'],
  rank: 99,
  parameters: {},
};

export const screenSourceOf = (adapter: Adapter): SourceSpec =>
  adapter.sources.find(({ name }) => name === 'screen') ?? anyScreen;

/** The signal of a screen; one that no rule matches withdraws the last claim. */
export function signalOfScreen(
  verdict: ScreenVerdict | null,
  spec: SourceSpec,
  lastInteractionAtMs: number,
): NormalisedSignal {
  if (verdict === null || verdict.says === null) {
    return { kind: 'claims', type: 'screen:none', claims: [] };
  }
  const { rule, says } = verdict;
  const request = requestOf(verdict);
  const claim: Claim = {
    about: TURN,
    says,
    covers: [...spec.covers],
    rank: spec.rank,
    basis: rule.anchored ? 'anchored' : 'unanchored',
    rule: rule.id,
    ...(rule.reason === null ? {} : { reason: rule.reason }),
    ...(request === null ? {} : { request }),
    ...(rule.anchored ? {} : { lastInteractionAtMs }),
  };
  return { kind: 'claims', type: `screen:${rule.id}`, claims: [claim] };
}

function requestOf({ says, details: extracted }: ScreenVerdict): Request | null {
  if (says !== 'waiting_approval' && says !== 'waiting_input') return null;
  const { until: _until, options, ...words } = extracted;
  const own = Object.fromEntries(
    Object.entries(words).map(([name, text]) => [name, ownText(text)]),
  );
  return {
    kind: says === 'waiting_approval' ? 'approval' : 'question',
    ...own,
    ...(options && {
      options: options.map((each) => ({ ...each, label: ownText(each.label) })),
    }),
  };
}

const rests: readonly Says[] = ['at_rest', 'began', 'completed', 'interrupted'];

/** Rest read off a screen counts only when a second capture agrees (law 7). */
export const needsSecondCapture = (verdict: ScreenVerdict | null): boolean =>
  verdict !== null && verdict.says !== null && rests.includes(verdict.says);
