// Builders for tests of the sources: rows as tmux lists them, panes as the daemon knows them, a
// daemon that is only a clock and a table, and recorded screens.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import type { Adapter } from '../../src/agents/adapter.ts';
import { adapterOf, type Registry } from '../../src/agents/registry.ts';
import { type ScreenView, viewScreen } from '../../src/agents/screen/screen-view.ts';
import type { Observation } from '../../src/core/ingest.ts';
import type { LocalProcess } from '../../src/platform/process/processes.ts';
import type { Evidence } from '../../src/schema/evidence.ts';
import {
  type AgentName,
  type ChannelName,
  id,
  paneKeyOf,
  type RuntimeId,
  type TargetId,
} from '../../src/schema/ids.ts';
import type { PaneFacts } from '../../src/schema/pane.ts';
import { parseVisibleRecord } from '../../src/schema/record.ts';
import type {
  Daemon,
  KnownPane,
  KnownRuntime,
  ServerAddress,
} from '../../src/sources/known-pane.ts';
import { loadRegistry } from '../../src/sources/rule-files.ts';
import type { CapturedScreen } from '../../src/tmux/capture.ts';
import type { ListedPane } from '../../src/tmux/listing.ts';

export const T0 = 1_800_000_000_000;
export const channel = id<ChannelName>('tmux@local:/tmp/s');
export const address: ServerAddress = { targetId: id<TargetId>('local'), server: '/tmp/s' };
export const registry: Registry = loadRegistry({});

export function adapter(name: string): Adapter {
  const found = adapterOf(registry, name);
  if (!found) throw new Error(`there is no adapter of ${name}`);
  return found;
}

/** A new folder that is gone after the test. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agtmux-sources-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** One row of a listing. */
export function row(changes: Partial<ListedPane> = {}): ListedPane {
  return {
    serverPid: 10,
    serverStartTime: T0 / 1000,
    sessionId: '$1',
    sessionName: 'work',
    destroyUnattached: false,
    windowId: '@1',
    windowIndex: 0,
    windowName: 'bash',
    windowActivity: T0 / 1000,
    windowActive: true,
    paneId: '%1',
    paneIndex: 0,
    paneActive: true,
    panePid: 100,
    dead: false,
    deadStatus: null,
    deadSignal: null,
    title: 'host',
    host: 'machine.example.org',
    currentCommand: 'bash',
    currentPath: '/home/someone',
    inMode: false,
    alternateOn: false,
    cursor: { x: 0, y: 0 },
    historySize: 0,
    width: 80,
    height: 24,
    floating: false,
    options: noOptions,
    ...changes,
  };
}

export const noOptions: ListedPane['options'] = {
  '@agent_state': null,
  '@agent_kind': null,
  '@agent_name': null,
  '@agent_event': null,
};

export function runtime(changes: Partial<KnownRuntime> = {}): KnownRuntime {
  return {
    runtimeId: id<RuntimeId>('runtime-1'),
    agent: id<AgentName>('claude'),
    pid: 200,
    startedAtMs: T0 - 60_000,
    basis: 'process',
    sessionKey: null,
    ...changes,
  };
}

export function facts(changes: Partial<PaneFacts> = {}): PaneFacts {
  return {
    ...address,
    generation: { pid: 10, startedAtMs: T0 },
    paneId: '%1',
    birth: { pid: 100, startedAtMs: T0 },
    locations: [],
    title: 'host',
    command: 'bash',
    path: '/home/someone',
    dead: false,
    opaque: false,
    ...changes,
  };
}

export function knownPane(known: KnownRuntime | null, changes: Partial<PaneFacts> = {}): KnownPane {
  const of = facts(changes);
  return { paneKey: paneKeyOf(of), facts: of, runtime: known, nextEpoch: 1 };
}

/** A process; parents first, as the reader of /proc gives them. */
export function process(
  pid: number,
  ppid: number,
  argv: readonly string[],
  stat = 'S+',
): LocalProcess {
  const comm = (argv[0] ?? '').split('/').at(-1) ?? '';
  return { pid, ppid, comm, argv, stat, startedAtMs: T0 + pid };
}

/** The daemon's side of a source: a clock that the test moves, and the panes it knows. */
export class TestDaemon implements Daemon {
  now = T0;
  readonly startedAtMs = T0;
  readonly panes = new Map<string, KnownPane>();
  readonly submitted: Observation[] = [];
  #count = 0;

  nowMs = (): number => this.now;
  nextEventId = (): string => {
    this.#count += 1;
    return `event-${String(this.#count).padStart(6, '0')}`;
  };
  submit = (observations: readonly Observation[]): void => {
    this.submitted.push(...observations);
  };
  paneAt = (_place: ServerAddress, paneId: string): KnownPane | null =>
    this.panes.get(paneId) ?? null;
  panesOf = (): readonly KnownPane[] => [...this.panes.values()];
}

/** What the claims of a piece of evidence say; null where there was none. */
export const claimsOf = (evidence: Evidence | null): readonly string[] | null =>
  evidence === null ? null : evidence.claims.map(({ says }) => says);

interface Recorded {
  readonly screen: CapturedScreen;
  readonly view: ScreenView;
}

/** A screen of the corpus, as a capture of the pane whose first process is 100. */
export function recorded(name: string): Recorded {
  const raw: unknown = JSON.parse(readFileSync(join(root, 'corpus', `${name}.json`), 'utf8'));
  const visible = parseVisibleRecord(raw);
  if (visible === null) throw new Error(`${name} is no record`);
  const [x = 0, y = 0] = (visible.cursor ?? '0,0').split(',').map(Number);
  const screen: CapturedScreen = {
    lines: visible.capture,
    ansi: visible.capture_ansi ?? visible.capture.join('\n'),
    isStyled: true,
    cols: visible.cols,
    rows: visible.rows,
    cursor: { x, y },
    alternateOn: visible.alternate_on === '1',
    inMode: false,
    panePid: 100,
    title: visible.pane_title,
  };
  return { screen, view: viewScreen(screen) };
}

/** A screen that no rule knows. */
export function plainScreen(...lines: readonly string[]): CapturedScreen {
  return {
    lines,
    ansi: lines.join('\n'),
    isStyled: true,
    cols: 80,
    rows: 24,
    cursor: { x: 0, y: 0 },
    alternateOn: false,
    inMode: false,
    panePid: 100,
    title: 'host',
  };
}
