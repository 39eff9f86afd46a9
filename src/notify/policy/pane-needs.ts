// What one pane needs a person for, as the policy reads it off a row. Pure.

import type { NotifySubject } from '../../schema/notify/episode.ts';
import type { OpenRequest, PaneFacts, PaneRow } from '../../schema/pane.ts';
import { fitsPattern } from '../../text/fits-pattern.ts';
import { isNeedKind } from '../../text/need.ts';

export interface Need extends OpenRequest {
  readonly isSnoozed: boolean;
}

export interface PaneNeeds {
  readonly paneKey: string;
  readonly subject: NotifySubject;
  readonly needs: readonly Need[];
  readonly snoozedUntilMs: number | null;
  /** The agent is there and its state is not known: what it asks may still be open. */
  readonly isHidden: boolean;
  /** The pane is gone, and so is everything that it asked. */
  readonly isGone: boolean;
  /** News that is not listed any more while the agent rests was seen. */
  readonly isAtRest: boolean;
}

export interface PaneSource {
  readonly paneKey: string;
  readonly targetName: string;
  readonly facts: PaneFacts | null;
  readonly row: PaneRow;
}

/** `workers` are names of sessions and windows, as in the `[tui]` section. */
export function paneNeeds(pane: PaneSource, workers: readonly string[]): PaneNeeds {
  const { paneKey, row, facts, targetName } = pane;
  const { attention, state, presence } = row;
  const { snoozedUntilMs = null } = attention;
  const locations = facts?.locations ?? [];
  const names = locations.flatMap(({ sessionName, windowName }) => [sessionName, windowName]);
  return {
    paneKey,
    subject: {
      agent: row.agent,
      target: targetName,
      sessions: [...new Set(locations.map(({ sessionName }) => sessionName))],
      isSubagent: workers.some((pattern) => names.some((name) => fitsPattern(name, pattern))),
    },
    needs: attention.requests.map((request) => ({
      ...request,
      isSnoozed: snoozedUntilMs !== null && isNeedKind(request.kind),
    })),
    snoozedUntilMs,
    isHidden: presence === 'managed' && state === 'unknown',
    isGone: presence === 'missing',
    isAtRest: state === 'completed' || state === 'idle' || presence === 'unmanaged',
  };
}
