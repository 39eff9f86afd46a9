// The recordings: every built-in rule is proven by those it names, and nothing but what tmux shows
// and the process tree can change an answer.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadCorpus } from '../../bench/accuracy/corpus.ts';
import { root } from '../../scripts/script-entry.ts';
import { classifyRecord } from '../../src/agents/classify/classify-pane.ts';
import { parseVisibleRecord, recordSchema } from '../../src/schema/record.ts';
import { loadRegistry } from '../../src/sources/rule-files.ts';

const corpus = join(root, 'corpus');
const registry = loadRegistry({});
const rules = registry.adapters.flatMap((adapter) =>
  adapter.screen.rules.map((rule) => ({ id: rule.id, agent: adapter.agent, rule })),
);

describe('the built-in rule files', () => {
  it('have no problems', () => {
    expect(registry.problems).toEqual([]);
    expect(registry.adapters.map((each) => each.agent)).toContain('generic');
  });

  it.each(rules)(
    '$id names recordings that it decides, or says why it has none',
    ({ rule, agent }) => {
      expect(rule.id.startsWith(`${agent}.`)).toBe(true);
      if (rule.unproven === null) expect(rule.proof.length).toBeGreaterThan(0);
      for (const name of rule.proof) {
        const file = join(corpus, `${name}.json`);
        expect(existsSync(file), `${name} exists`).toBe(true);
        const answer = classifyRecord(JSON.parse(readFileSync(file, 'utf8')), registry);
        expect({ name, agent: answer?.agent, rule: answer?.rule }).toEqual({
          name,
          agent,
          rule: rule.id,
        });
      }
    },
  );
});

const VISIBLE = [
  'capture',
  'capture_ansi',
  'pane_title',
  'pane_current_command',
  'cols',
  'rows',
  'cursor',
  'alternate_on',
  'process_tree',
];

describe('a record', () => {
  const recordings = loadCorpus(corpus);

  it('fits the one schema of recordings', () => {
    for (const { raw, name } of recordings) {
      expect(recordSchema.safeParse(raw).success, name).toBe(true);
    }
  });

  it('is answered by what is visible alone: other fields may say anything', () => {
    for (const { raw, name } of recordings) {
      const visible = Object.entries(raw as object).filter(([key]) => VISIBLE.includes(key));
      const lies = Object.fromEntries(
        Object.keys(raw as object).map((key) => [key, { state: 'waiting_approval' }]),
      );
      const forged = {
        ...lies,
        state: 'error',
        notes: 'plain-text question',
        ...Object.fromEntries(visible),
      };
      expect(classifyRecord(forged, registry), name).toEqual(classifyRecord(raw, registry));
      expect(Object.keys(parseVisibleRecord(raw) ?? {}).every((key) => VISIBLE.includes(key))).toBe(
        true,
      );
    }
  });

  it('without an agent is never called managed', () => {
    const claimed = recordings
      .filter(({ label }) => label.state === 'no_agent')
      .filter(({ raw }) => classifyRecord(raw, registry)?.presence === 'managed')
      .map(({ name }) => name);
    expect(claimed).toEqual([]);
  });

  it('of the negative folder is not called managed without its process tree either', () => {
    const claimed = recordings
      .filter(({ folder }) => folder === 'negative')
      .map(({ raw, name }) => ({ name, raw: { ...(raw as object), process_tree: null } }))
      .filter(({ raw }) => classifyRecord(raw, registry)?.presence === 'managed')
      .map(({ name }) => name);
    expect(claimed).toEqual([]);
  });
});
