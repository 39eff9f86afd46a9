// What is kept of a listing or a screen does not keep all of it in memory: over hours every pane
// changes at another listing, and each would hold the whole text of its own.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { LocalProcesses } from '../../src/platform/process/processes.ts';
import { id, type RuntimeId } from '../../src/schema/ids.ts';
import type { PaneFacts } from '../../src/schema/pane.ts';
import { ownText } from '../../src/sources/own-text.ts';
import { listingFacts } from '../../src/sources/panes/listing-facts.ts';
import type { PaneOptions } from '../../src/sources/panes/option-source.ts';
import { OwnOptions } from '../../src/sources/panes/own-options.ts';
import { screenSourceOf, signalOfScreen } from '../../src/sources/panes/screen-claims.ts';
import { TitleSource } from '../../src/sources/panes/title-source.ts';
import { type WatchedPane, WatchedPanes } from '../../src/sources/watch/watched-panes.ts';
import {
  type ListedPane,
  listingCommand,
  readOwnOptions,
  readPaneListing,
} from '../../src/tmux/listing.ts';
import {
  adapter,
  address,
  row as anyRow,
  channel,
  makeFolder,
  runtime,
  TestDaemon,
} from './fixture.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const ROUNDS = 60;
/** Each round's text; sixty of them kept are 12 MB. */
const TEXT_LENGTH = 200_000;
const GROWTH_MAX = 3_000_000;

function heapGrowth(work: () => unknown): number {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const result = work();
  collectGarbage();
  const grown = process.memoryUsage().heapUsed - before;
  expect(result).toBeDefined();
  return grown;
}

const format = listingCommand()[3] as string;
const plain: Readonly<Record<string, string>> = {
  pid: '77',
  start_time: '1700000000',
  session_id: '$1',
  window_id: '@1',
  pane_pid: '9',
  pane_current_command: 'a-command-with-a-long-name',
  pane_current_path: '/home/someone/src/some/deep/folder',
  session_name: 'the name of the session',
  window_name: 'the name of the window',
};

/** The rows of a listing in the round, read from one long text as tmux sends it. */
function listed(round: number): readonly ListedPane[] {
  const rowOf = (pane: number): string =>
    format.replace(/#\{([^}]+)\}/g, (_all, field: string) => {
      if (field === 'pane_id') return `%${pane}`;
      if (field === 'pane_title') return `working on the task number ${round}`;
      if (field === '@agent_state') return `running.for.the.round.${round}`;
      return plain[field] ?? '';
    });
  const rows = Array.from({ length: 4 }, (_, pane) => rowOf(pane));
  const filler = 'x'.repeat(TEXT_LENGTH);
  const text = [...rows, rowOf(4).replace('someone', filler)].join('\n');
  return readPaneListing({ kind: 'reply', ok: true, number: 1, flags: 1, lines: text.split('\n') })
    .panes;
}

const rounds = Array.from({ length: ROUNDS }, (_, round) => round);

it('facts of panes', () => {
  const factsOf = (round: number): PaneFacts | undefined =>
    listingFacts({
      address,
      rows: listed(round),
      nowMs: round,
      remembered: () => null,
      rereadsBirths: false,
      startedAtMs: () => 1,
      isOpaque: () => false,
    }).panes[0];
  expect(heapGrowth(() => rounds.map(factsOf))).toBeLessThan(GROWTH_MAX);
});

it('titles of agents, and those that stood there before', () => {
  const titles = new TitleSource(new TestDaemon(), channel);
  const processes = new LocalProcesses(makeFolder());
  const read = (round: number): WatchedPane => {
    const rows = listed(round);
    const panes = new WatchedPanes(address, processes, () => null);
    panes.listed(rows.slice(0, 1));
    const pane = panes.at('%0');
    if (!pane) throw new Error('the pane was not listed');
    const agent = runtime({ runtimeId: id<RuntimeId>(`runtime-${round}`) });
    const { title } = pane.row;
    titles.read({ runtime: agent, adapter: adapter('claude'), title, before: null });
    panes.titleBefore(pane, null);
    expect(panes.titleBefore(pane, agent.runtimeId)).toBe(title);
    // Later listings bring other rows.
    return { ...pane, row: anyRow(), lastTitle: null };
  };
  expect(heapGrowth(() => [titles, ...rounds.map(read)])).toBeLessThan(GROWTH_MAX);
});

it('options of panes', () => {
  const read = (round: number): PaneOptions | null => {
    const [row] = listed(round);
    if (!row) throw new Error('the row was not read');
    const state = `running.for.the.round.${round}`;
    const text = `${'z'.repeat(TEXT_LENGTH)}\n@agent_state ${state}`;
    const reply = { kind: 'reply', ok: true, number: 1, flags: 1 } as const;
    const own = new OwnOptions();
    own.isUnknown(row);
    own.answered('%0', readOwnOptions({ ...reply, lines: text.split('\n') }));
    expect(own.of(row)?.state).toBe(state);
    return own.of(row);
  };
  expect(heapGrowth(() => rounds.map(read))).toBeLessThan(GROWTH_MAX);
});

it('what a dialog asks', () => {
  const spec = screenSourceOf(adapter('claude'));
  const rule = adapter('claude').screen.rules[0];
  if (!rule) throw new Error('claude has no rule');
  const growth = heapGrowth(() =>
    rounds.map((round) => {
      const screen = `${'y'.repeat(TEXT_LENGTH)} do you want to run ${round}? Yes, and always`;
      const text = screen.slice(TEXT_LENGTH + 1, TEXT_LENGTH + 30);
      const label = screen.slice(-16);
      const details = { text, command: text, options: [{ label, selected: true }] };
      const verdict = { rule, says: 'waiting_approval', details } as const;
      return signalOfScreen(verdict, spec, 0);
    }),
  );
  expect(growth).toBeLessThan(GROWTH_MAX);
});

it('an own text is the same text, whatever it holds', () => {
  for (const text of [
    '',
    'short',
    'long enough to be a view',
    'é⠂ 日本語 emoji 👩‍🚀',
    'half 👩'.slice(0, 6),
  ]) {
    expect(ownText(text)).toBe(text);
    expect(ownText(`${text} and so on and on`)).toBe(`${text} and so on and on`);
  }
});
