// Pane titles as a level source: what an agent writes there, read as a whole each time. An agent
// that shows no state in its title still shows what its session is about. The context's `previous`
// is the last title that differed: a title at rest proves a rest only after one that worked.

import type { State } from '../../schema/state.ts';
import type { NormaliseContext, Normaliser } from '../adapter.ts';
import { restWithoutCompletion, runningOrIdle, work } from '../signals/coverage.ts';
import { cut } from '../signals/fields.ts';
import { buildSignal, type ClaimDraft, unknownSignal } from '../signals/signal-content.ts';

const TITLE_LENGTH_MAX = 500;

export type TitleState = 'running' | 'waiting' | 'rest' | 'none';

/** A title in two parts. `none`: it shows no state, or not one that this agent means. */
export interface TitleParts {
  readonly state: TitleState;
  /** What the title names besides: a session, a project, a prompt. */
  readonly title?: string | undefined;
}

export type TitleParser = (title: string) => TitleParts;

export interface TitleTraits {
  readonly parse: TitleParser;
  /** What ends a dialog that the title did not show; a shown one ends with either. */
  readonly endsDialogs: readonly ('running' | 'rest')[];
}

export function titleNormaliser({ parse, endsDialogs }: TitleTraits): Normaliser {
  return (raw, context) => {
    if (typeof raw !== 'string') return unknownSignal('no title');
    const { state, title } = parse(clean(raw));
    const before = stateBefore(parse, context);
    const claim = claimOf(state, before, endsDialogs);
    return buildSignal(
      `title:${state}`,
      { claims: claim === null ? [] : [claim], activity: { title: title || undefined } },
      context,
    );
  };
}

/** Titles are padded with spaces, and some icons are followed by U+FE0E or U+FE0F. */
const clean = (raw: string): string =>
  cut(raw, TITLE_LENGTH_MAX)
    .replace(/[\uFE0E\uFE0F]/g, '')
    .trim();

function stateBefore(parse: TitleParser, { previous }: NormaliseContext): TitleState {
  return typeof previous === 'string' ? parse(clean(previous)).state : 'none';
}

function claimOf(
  state: TitleState,
  before: TitleState,
  endsDialogs: TitleTraits['endsDialogs'],
): ClaimDraft | null {
  switch (state) {
    case 'running':
      return { says: 'running', covers: runningCovers(before, endsDialogs.includes('running')) };
    case 'waiting':
      // A title does not show whether it is an approval or a question. The weaker of the two lets
      // a source that knows win by precedence.
      return { says: 'waiting_input', covers: work };
    case 'rest':
      return restClaim(before, endsDialogs.includes('rest'));
    case 'none':
      return null;
  }
}

function runningCovers(before: TitleState, endsUnshown: boolean): readonly State[] {
  const endsDialogs = endsUnshown || before === 'waiting';
  return endsDialogs ? [...work, 'waiting_approval', 'waiting_input'] : work;
}

/** Start-up dialogs look like rest in a title: without an earlier turn, rest ends no dialog. */
function restClaim(before: TitleState, endsUnshown: boolean): ClaimDraft {
  const endsDialogs = before === 'waiting' || (endsUnshown && before === 'running');
  return { says: 'at_rest', covers: endsDialogs ? restWithoutCompletion : runningOrIdle };
}

/** A parser for agents whose titles show no state: the text between what they put around it. */
export function plainTitle(pattern: RegExp): TitleParser {
  return (text) => ({ state: 'none', title: pattern.exec(text)?.[1] });
}
