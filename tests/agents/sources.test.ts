// One name and one order for each source: the rule files and the normalisers in code say the same,
// nothing is named that nobody reads, and a claim carries the place of its source.

import { describe, expect, it } from 'vitest';
import type { SourceSpec } from '../../src/agents/adapter.ts';
import { builtinNormalisers, sourceOrder } from '../../src/agents/agent-sources.ts';
import { adapterOf, buildRegistry } from '../../src/agents/registry.ts';
import { loadRegistry } from '../../src/sources/rule-files.ts';

const { adapters } = loadRegistry({});
/** Read by rules and by the process tree; no normaliser stands behind them. */
const WITHOUT_NORMALISER = ['screen', 'process'];

const normalisedSources = (sources: readonly SourceSpec[]) =>
  sources.filter(({ name }) => !WITHOUT_NORMALISER.includes(name));
const namesOf = (sources: readonly SourceSpec[]): string[] => sources.map(({ name }) => name);

describe('the sources of the built-in agents', () => {
  it('are those of the code, agent by agent', () => {
    expect(adapters.map(({ agent }) => agent).sort()).toEqual(
      Object.keys(builtinNormalisers).sort(),
    );
  });

  it.each(adapters)('$agent: the file and the code agree in names, kinds and order', (adapter) => {
    const declared = normalisedSources(adapter.sources).map(({ name, kind, covers, rank }) => ({
      name,
      kind,
      covers,
      rank,
    }));
    expect(declared).toEqual(sourceOrder(adapter.agent));
    expect(Object.keys(adapter.normalisers).sort()).toEqual(
      declared.map(({ name }) => name).sort(),
    );
    expect(adapter.sources.map(({ rank }) => rank)).toEqual([...adapter.sources.keys()]);
  });

  it.each(adapters)('$agent: says how it is read, and the screen comes last', (adapter) => {
    const modes = new Set(adapter.sources.map(({ mode }) => mode));
    const { eventDriven, pollingRequired } = adapter.capabilities;
    expect(eventDriven || !modes.has('subscribe')).toBe(true);
    expect(pollingRequired || !modes.has('poll')).toBe(true);
    const place = namesOf(adapter.sources).indexOf('screen');
    expect(place).toBe(adapter.agent === 'generic' ? -1 : adapter.sources.length - 1);
  });

  const everybody = ['pane-option', 'osc-3008', 'osc-7501', 'emit', 'wrapper'];

  // Best first.
  it.each([
    ['claude', ['claude-session-file', 'claude-hooks', 'claude-transcript', 'title', 'osc-7501']],
    ['codex', ['osc-7501', 'codex-app-server', 'title', 'codex-hooks', 'codex-rollout']],
    ['gemini', ['gemini-hooks', 'title', 'gemini-chat']],
    ['copilot', ['copilot-events', 'copilot-hooks']],
    ['opencode', ['opencode-events', 'opencode-http']],
    ['kilo', ['kilo-events', 'kilo-http']],
    ['qwen', ['qwen-hooks', 'title', 'qwen-chat']],
    ['cursor', ['cursor-hooks', ...everybody, 'screen']],
    ['amp', [...everybody, 'screen']],
    ['generic', everybody],
  ])('%s has its best sources first', (agent, best) => {
    const names = namesOf(adapters.find((each) => each.agent === agent)?.sources ?? []);
    expect(names.slice(0, best.length)).toEqual(best);
  });

  it.each(adapters)('$agent: a claim has the rank of its source', ({ agent, ...adapter }) => {
    const words = {
      'pane-option': 'running',
      'osc-3008': 'state=running',
      'osc-7501': 'state=done',
    };
    for (const [name, raw] of Object.entries(words)) {
      const source = adapter.sources.find((each) => each.name === name);
      const normalised = source && adapter.normalisers[name]?.(raw, { agent, source, nowMs: 0 });
      expect(normalised).toMatchObject({ kind: 'claims', claims: [{ rank: source?.rank }] });
    }
  });
});

describe("a user's own agent", () => {
  const source = (name: string, rank: number) => ({ name, mode: 'poll', kind: 'level', rank });
  const robo = {
    name: 'robo',
    contract_version: '1',
    sources: [source('screen', 9), source('robo-log', 4), source('robo-hooks', 2)],
    events: [{ source: 'robo-hooks', field: 'event', equals: 'done', says: 'completed' }],
  };

  it('has its event map, and the sources of every agent before its screen', () => {
    const generic = {
      name: 'generic',
      contract_version: '1',
      sources: [source('pane-option', 0), source('osc-3008', 1)],
    };
    const registry = buildRegistry(
      [
        { file: 'generic.toml', content: generic },
        { file: 'robo.toml', content: robo },
      ],
      { normalisers: builtinNormalisers },
    );
    const adapter = adapterOf(registry, 'robo');
    expect(adapter?.sources.map(({ name, rank }) => `${rank} ${name}`)).toEqual([
      '0 robo-hooks',
      '1 robo-log',
      '2 pane-option',
      '3 osc-3008',
      '4 screen',
    ]);
    expect(Object.keys(adapter?.normalisers ?? {})).toEqual(
      expect.arrayContaining(['robo-hooks', 'pane-option', 'osc-3008']),
    );
  });
});
