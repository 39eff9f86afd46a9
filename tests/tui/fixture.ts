// What the tests of the view share: models with known panes, answers of the daemon, and the view as
// plain text.

import type { ActionReport } from '../../src/schema/api/acting.ts';
import type { EndedAgentItem } from '../../src/schema/api/actions.ts';
import type { Explanation } from '../../src/schema/api/ledger.ts';
import type { PaneItem, SummaryItem } from '../../src/schema/api/panes.ts';
import type { Preview } from '../../src/schema/api/preview.ts';
import type { OutageItem } from '../../src/schema/api/targets.ts';
import { readKeys } from '../../src/tui/keys.ts';
import type { Effect, Message } from '../../src/tui/message.ts';
import {
  initialModel,
  type Model,
  type OutputStyle,
  type TerminalSize,
  type ViewKind,
} from '../../src/tui/model.ts';
import { renderScreen } from '../../src/tui/pages/render-screen.ts';
import { update } from '../../src/tui/update.ts';
import { lineText } from '../../src/tui/view/spans.ts';
import { NOW, type PaneOverrides, paneItem, summaryOf } from '../cli/fixture.ts';

export const NOW_MS: number = Date.parse(NOW);
export const ago = (seconds: number): string => new Date(NOW_MS - seconds * 1_000).toISOString();

const LOOK: OutputStyle = { color: true, unicode: true, isLight: false };

/** A pane in a session of its own id; `id` tells panes apart. */
export function pane(id: number, overrides: PaneOverrides = {}): PaneItem {
  const item = paneItem({ index: id, pane_key: `key-${id}`, ...overrides });
  const session = overrides.session ?? 'main';
  const identity = item.identity && { ...item.identity, session_id: `$${idOf(session)}` };
  return { ...item, identity, locations: identity ? [identity] : [] };
}

/** The same name has the same id. */
function idOf(name: string): number {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 100_000;
  return sum;
}

type Request = PaneItem['attention']['requests'][number];

export const asks = (
  kind: Request['kind'],
  seconds: number,
  detail: Omit<NonNullable<Request['detail']>, 'kind'> = {},
): PaneItem['attention'] => ({
  kinds: [kind],
  since: ago(seconds),
  requests: [
    {
      request_id: 'request-1',
      kind,
      since: ago(seconds),
      seen: false,
      detail: { kind: 'approval', ...detail },
    },
  ],
  snoozed_until: null,
});

/** One for each target whose panes say that it is down. */
function outages(panes: readonly PaneItem[]): OutageItem[] {
  const down = panes.filter(({ reason_code: reason }) => reason === 'target_unreachable');
  return down.map(({ target, since }) => ({
    code: 'target_unreachable',
    target,
    server: null,
    since,
    text: `${target} down`,
    detail: null,
  }));
}

/** A small fleet: two targets, all states, panes without an agent, names that are wide. */
export const fleet: readonly PaneItem[] = [
  pane(1, {
    session: 'work',
    state: 'waiting_approval',
    since: ago(190),
    title: 'Fix the parser of dates',
    git_branch: 'fix/dates',
    attention: asks('approval', 190, { tool: 'Bash', command: 'npm test -- --run' }),
  }),
  pane(2, {
    session: 'work',
    window: 2,
    agent: 'codex',
    state: 'running',
    since: ago(45),
    title: 'Review of the storage layer',
  }),
  pane(3, { session: 'work', window: 3, presence: 'unmanaged', agent: null, title: 'zsh' }),
  pane(4, {
    session: '日本語',
    agent: 'gemini',
    state: 'completed',
    since: ago(20),
    title: '翻訳を直す 🚀 and more',
    attention: asks('completion', 20),
  }),
  pane(5, { session: 'docs', agent: 'opencode', state: 'idle', since: ago(7_200), title: 'docs' }),
  pane(6, {
    session: 'build',
    target: 'vm1',
    agent: 'claude',
    state: 'unknown',
    reason_code: 'target_unreachable',
    since: ago(300),
    last_seen_at: ago(310),
    title: 'Release build',
  }),
  pane(7, {
    session: 'build',
    window: 2,
    target: 'vm1',
    agent: 'copilot',
    state: 'error',
    reason_code: 'api_error',
    since: ago(60),
    title: 'Nightly',
    attention: asks('error', 60, { text: '429 Too Many Requests' }),
  }),
];

export const screen = (paneKey: string, lines: readonly string[]): Preview => ({
  schema_version: 1,
  generated_at: NOW,
  pane_key: paneKey,
  target: 'local',
  target_kind: 'local',
  server: '/tmp/tmux-0/default',
  server_pid: 100,
  pane_id: '%1',
  pane_pid: 4_000,
  login: null,
  runtime_id: null,
  scrolled: 0,
  columns: 80,
  rows: lines.length,
  cursor: { x: 0, y: 0 },
  in_mode: false,
  lines: [...lines],
});

export const explanation = (item: PaneItem): Explanation => ({
  schema_version: 1,
  generated_at: NOW,
  pane: item,
  why: 'waiting_approval; the screen said so',
  process: { basis: 'process', pid: 4_242, started_at: ago(600), suspended: false },
  claims: [],
  events: Array.from({ length: 30 }, (_, index) => ({
    seq: 100 - index,
    event_id: `event-${index}`,
    type: 'evidence.observed',
    source: 'screen',
    disposition: 'apply',
    event_time: ago(index),
    ingested_at: ago(index),
    summary: `the event of number ${index}`,
  })),
});

function summary(panes: readonly PaneItem[]): SummaryItem {
  const byAgent: Record<string, number> = {};
  for (const { agent } of panes) if (agent !== null) byAgent[agent] = (byAgent[agent] ?? 0) + 1;
  return { ...summaryOf(panes), by_agent: byAgent };
}

/** An agent that ended as many minutes ago. */
export const endedAgent = (
  id: number,
  overrides: Partial<EndedAgentItem> = {},
): EndedAgentItem => ({
  ...{ runtime_id: `r${id}`, agent: 'claude', target: 'local', pane_key: `key-${id}` },
  ...{ pane_id: `%${id}`, session_name: 'work', path: '/home/dev/project', session_key: `s${id}` },
  ...{ title: null, prompt: `prompt ${id}`, ended_at: ago(60 * id), blocker: null },
  ...{ with_server: false, bundle: null },
  ...overrides,
});

/** An action that was delivered. */
export const actionReport = (detail: string): ActionReport => ({
  ...{ action_id: 'a1', request_ref: null, kind: 'choose', pane_key: 'key-1' },
  ...{ runtime_id: 'r1', actor: 'user:1', input: '{}', asked_at: NOW },
  ...{ result: 'delivered', code: null, detail, done_at: NOW },
});

/** A view that is driven by messages, as the shell would. */
export class Driver {
  model: Model;
  readonly effects: Effect[] = [];

  constructor(
    size: TerminalSize = { columns: 80, rows: 24 },
    look: OutputStyle = LOOK,
    kind: ViewKind = 'full',
  ) {
    this.model = initialModel({ size, look, nowMs: NOW_MS, home: '/home/dev', kind });
  }

  send(...messages: readonly Message[]): this {
    for (const message of messages) {
      const step = update(this.model, message);
      this.model = step.model;
      this.effects.push(...step.effects);
    }
    return this;
  }

  /** The daemon's first word. */
  snapshot(panes: readonly PaneItem[] = fleet): this {
    const about = { subscription: 's1', cursor: 'c1', generated_at: NOW, reason: 'start' as const };
    const data = { ...about, panes: [...panes], summary: summary(panes), outages: outages(panes) };
    return this.send({ type: 'push', push: { type: 'snapshot', data } });
  }

  changed(panes: readonly PaneItem[], removed: readonly string[] = []): this {
    const about = { subscription: 's1', cursor: 'c2', generated_at: NOW };
    const data = { ...about, panes: [...panes], removed: [...removed] };
    return this.send({ type: 'push', push: { type: 'state_changed', data } });
  }

  /** Bytes as a terminal sends them. */
  type(bytes: string): this {
    for (const key of readKeys(bytes, true).keys) this.send({ type: 'key', key });
    return this;
  }

  /** The outcome of the oldest action under way. */
  finish(text: string, isDelivered = true): this {
    const [first] = this.model.running;
    const pane = first && this.model.panes.get(first[0]);
    if (!first || !pane) return this;
    const refusal = { ok: false as const, problem: text, code: 'E_SCREEN_CHANGED' };
    const answer = isDelivered ? { ok: true as const, value: actionReport(text) } : refusal;
    return this.send({ type: 'acted', shown: { pane, request: null }, order: first[1], answer });
  }

  /** Time passes, as long as anybody needs to read what came up. */
  later(seconds = 1): this {
    return this.send({ type: 'tick', nowMs: this.model.nowMs + seconds * 1_000 });
  }

  /** What was wanted since the last time. */
  take(): readonly Effect[] {
    return this.effects.splice(0);
  }

  get lines(): readonly string[] {
    return renderScreen(this.model).map((line) => lineText(line).trimEnd());
  }

  get text(): string {
    return `${this.lines.join('\n')}\n`;
  }

  /** The pane that is selected, by its key. */
  get selected(): string | null {
    return this.model.selected?.split('\n')[0] ?? null;
  }
}
