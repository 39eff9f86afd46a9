// The timeline of the tests' daemon: its steps with the numbers that the store would give them.

import type { World } from '../../src/core/world.ts';
import type { HistoryPort } from '../../src/operations/ports/history-port.ts';
import type { HistoryStep, TimelineStep } from '../../src/schema/history.ts';
import { local } from '../scenario.ts';

/** `steps` are the newest first, and grow. */
export function timelinePort(
  steps: readonly HistoryStep[],
  world: () => World,
): HistoryPort['timeline'] {
  const sessionOf = ({ paneKey }: HistoryStep): string | null =>
    world().panes.get(paneKey)?.facts?.locations[0]?.sessionName ?? null;
  const timeline = (): readonly TimelineStep[] =>
    steps.map((step, index) => {
      const before = steps.findIndex(
        ({ paneKey }, place) => place > index && paneKey === step.paneKey,
      );
      return {
        ...step,
        id: steps.length - index,
        previousId: before < 0 ? null : steps.length - before,
        targetId: local,
        sessionName: sessionOf(step),
        learnedAtMs: null,
      };
    });
  return {
    page: (beforeId, limit) =>
      timeline()
        .filter((step) => beforeId === null || step.id < beforeId)
        .slice(0, limit),
    step: (stepId) => timeline().find((step) => step.id === stepId) ?? null,
    heads: () =>
      new Map(
        timeline()
          .map((step) => [step.paneKey, step.id] as const)
          .toReversed(),
      ),
  };
}
