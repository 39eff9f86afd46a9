// How many panes need a person, on every surface, over generated worlds: the counts of the API, the
// filter, the rows, the line below a table, the status line and the header of the live view agree.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { summarize, summarizeSessions } from '../../src/core/view/summary.ts';
import type { World } from '../../src/core/world.ts';
import { countsInTmux } from '../../src/daemon/publishing/status-value.ts';
import { listedPanes, summaryItem } from '../../src/operations/answer/listing.ts';
import { crowdedTargets, paneItems } from '../../src/operations/answer/pane-item.ts';
import { statusCounts } from '../../src/platform/text/status-counts.ts';
import { summaryLine } from '../../src/render/listings.ts';
import type { PaneItem, SummaryItem } from '../../src/schema/api/panes.ts';
import type { EventDraft } from '../../src/schema/event.ts';
import { needsPerson, sumOfNeeds } from '../../src/text/need.ts';
import { shownCounts } from '../../src/text/shown-counts.ts';
import { initialModel } from '../../src/tui/model.ts';
import { renderScreen } from '../../src/tui/pages/render-screen.ts';
import { update } from '../../src/tui/update.ts';
import { lineText } from '../../src/tui/view/spans.ts';
import { streamOf, tellers } from '../laws/streams.ts';
import {
  agents,
  claim,
  evidence,
  local,
  paneFacts,
  paneKey,
  Run,
  runtimeId,
  T0,
} from '../scenario.ts';

const PANES = 4;
const NOW_MS = T0 + 200_000;

const steps = ['seen', 'snoozed', 'woken', 'crashed', 'gone', 'linked', 'down', 'dialog'] as const;
interface Step {
  readonly index: number;
  readonly step: (typeof steps)[number];
}

/** What happens to the panes besides the evidence of their agents. */
const someSteps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ index: fc.nat(PANES - 1), step: fc.constantFrom(...steps) }),
  { maxLength: 10 },
);

function eventsOf(run: Run, { index, step }: Step): readonly EventDraft[] {
  const atMs = NOW_MS;
  const key = paneKey(index);
  const { attention } = run.row(index);
  switch (step) {
    case 'seen': {
      const requestIds = attention.requests.map(({ requestId }) => requestId);
      return [{ type: 'attention.seen', atMs, paneKey: key, requestIds }];
    }
    case 'snoozed':
      return [{ type: 'attention.snoozed', atMs, paneKey: key, untilMs: atMs + 60_000 }];
    case 'woken':
      return [{ type: 'attention.woken', atMs, paneKey: key }];
    case 'crashed': {
      const end = { reason: 'process_gone', exitCode: 1, crashed: true } as const;
      return [{ type: 'runtime.ended', atMs, runtimeId: runtimeId(index), ...end }];
    }
    case 'gone':
      return [{ type: 'pane.gone', atMs, paneKey: key, reason: 'closed' }];
    case 'linked': {
      const [place] = paneFacts(index).locations;
      const other = { ...place!, sessionId: '$2', sessionName: 'side' };
      const facts = paneFacts(index, { locations: [place!, other] });
      return [{ type: 'pane.changed', atMs, paneKey: key, facts }];
    }
    case 'down': {
      const target = { targetId: local, name: 'local', kind: 'local' as const };
      const health = { connectionRef: null, health: 'down' as const };
      return [{ type: 'target.changed', atMs, target: { ...target, ...health } }];
    }
    case 'dialog': {
      const dialog = claim('waiting_input', { reason: 'dialog_open' });
      run.see(evidence('dialog', atMs, [dialog], { runtimeId: runtimeId(index) }));
      return [];
    }
  }
}

const itemsOf = (world: World): readonly PaneItem[] => {
  const readers = {
    lastSeenAtMs: () => T0,
    isAttached: () => false,
    gitCheckout: () => ({ branch: null, worktree: null }),
    takesText: () => false,
  };
  const view = { world, readers, crowded: crowdedTargets(world) };
  return listedPanes(world, {}).flatMap((pane) => paneItems(view, pane, () => true));
};

/** The sum of the numbers before the marks of those that need a person. */
function needsIn(line: string): number {
  return [...line.matchAll(/(\d+)[x✗!?=]/gu)].reduce((sum, [, count]) => sum + Number(count), 0);
}

const needsYouIn = (text: string): number =>
  Number(/(\d+) needs? you/.exec(text)?.[1] ?? (/no agent needs you/.test(text) ? 0 : Number.NaN));

function headerOf(panes: readonly PaneItem[], summary: SummaryItem): string {
  const look = { color: false, unicode: true, isLight: false };
  const model = initialModel({ size: { columns: 400, rows: 30 }, look, nowMs: NOW_MS });
  const head = { subscription: 's1', cursor: 'c', generated_at: new Date(NOW_MS).toISOString() };
  const data = { ...head, reason: 'start' as const, panes: [...panes], summary, outages: [] };
  const shown = update(model, { type: 'push', push: { type: 'snapshot', data } }).model;
  return lineText(renderScreen(shown)[0] ?? []);
}

test('every surface counts the same panes as needing a person', () => {
  const streams = fc.tuple(
    ...Array.from({ length: PANES }, (_, index) =>
      fc.tuple(...tellers.map((teller) => streamOf(teller, runtimeId(index)))),
    ),
  );
  let needed = 0;
  fc.assert(
    fc.property(streams, someSteps, (ofPanes, happening) => {
      const run = new Run(agents(PANES));
      for (const stream of ofPanes.flat()) run.see(...stream);
      run.tick(NOW_MS);
      for (const step of happening) run.apply(...eventsOf(run, step));
      const { world } = run;
      const items = itemsOf(world);
      const rows = new Set(items.filter(needsPerson).map(({ pane_key: key }) => key));
      const summary = summaryItem(listedPanes(world, {}));
      const { byState, needs } = summarize(world.panes.values());
      const shown = shownCounts(byState, needs);
      const plain = { markOf: ([wide]: readonly [string, string]) => wide, withColors: false };
      const counted = {
        filter: listedPanes(world, { needs_action: true }).length,
        summary: summary.needs_action,
        needs: sumOfNeeds(summary.needs),
        targets: Object.values(summary.by_target).reduce((sum, each) => sum + each.needs_action, 0),
        tmuxStatus: needsIn(statusCounts(shownCounts(summary.by_state, summary.needs), plain)),
        statusLine: needsIn(countsInTmux(shown, false).replace(/#\{\?client_utf8,(.),.\}/gu, '$1')),
        listFooter: needsYouIn(summaryLine(summary)) || 0,
        header: needsYouIn(headerOf(items, summary)),
      };
      const count = rows.size;
      needed += count;
      expect(counted).toEqual(Object.fromEntries(Object.keys(counted).map((key) => [key, count])));
      for (const session of summarizeSessions(world.panes.values(), 'session-name')) {
        const inside = items.filter(
          ({ identity }) => identity?.session_name === session.sessionName,
        );
        expect(sumOfNeeds(session.needs)).toBe(inside.filter(needsPerson).length);
      }
    }),
    { numRuns: 300 },
  );
  // Worlds in which nobody is needed would prove nothing.
  expect(needed).toBeGreaterThan(300);
});
