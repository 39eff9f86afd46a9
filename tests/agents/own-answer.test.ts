// Which recorded dialogs take an answer in words of one's own: questions of the agent do, the menus
// of its start do not.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import { adapterOf } from '../../src/agents/registry.ts';
import { takesOwnAnswer } from '../../src/agents/screen/acting-rules.ts';
import { judgeScreen } from '../../src/agents/screen/rules.ts';
import { viewScreen } from '../../src/agents/screen/screen-view.ts';
import { loadRegistry } from '../../src/sources/rule-files.ts';

const registry = loadRegistry({});

/** The rule behind each recorded question of an agent, and whether its dialog takes a text. */
function recordedIn(agent: string): readonly { rule: string; takesText: boolean }[] {
  const adapter = adapterOf(registry, agent);
  if (!adapter) throw new Error(`no adapter ${agent}`);
  const folder = join(root, 'corpus', agent);
  const names = readdirSync(folder).filter((name) => name.includes('waiting_input'));
  return names.flatMap((name) => {
    const record = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    const { capture, capture_ansi: ansi, pane_title: title = '', cols = 80, rows = 24 } = record;
    const lines = Array.isArray(capture) ? capture : String(capture).split('\n');
    const view = viewScreen({ lines, title, cols, rows, ...(ansi ? { ansi } : {}) });
    const verdict = judgeScreen(adapter.screen, view);
    if (!verdict) return [];
    const detail = { ...verdict.details, kind: 'question' as const };
    const takesText = takesOwnAnswer(adapter.screen.acting, { kind: 'question', detail });
    return [{ rule: verdict.rule.id, takesText }];
  });
}

it.each(['claude', 'codex', 'gemini', 'qwen', 'copilot', 'opencode'])(
  'a question of %s takes a text where it has an option for it',
  (agent) => {
    expect(recordedIn(agent).some(({ takesText }) => takesText)).toBe(true);
  },
);

it.each(['codex', 'gemini', 'qwen'])('no sign-in and no trust dialog of %s does', (agent) => {
  const menus = recordedIn(agent).filter(({ rule }) => /sign_in|trust|auth/.test(rule));
  expect(menus.length).toBeGreaterThan(0);
  expect(menus.filter(({ takesText }) => takesText)).toEqual([]);
});

it('a question that the agent reports takes a text, one of which nothing is known does not', () => {
  const { screen } = adapterOf(registry, 'opencode') ?? {};
  const rules = screen?.acting ?? null;
  const options = [{ label: 'SQLite', selected: false }];
  const detail = { kind: 'question' as const, text: 'Which?', options };
  expect(takesOwnAnswer(rules, { kind: 'question', detail })).toBe(true);
  expect(takesOwnAnswer(rules, { kind: 'question' })).toBe(false);
  expect(takesOwnAnswer(rules, { kind: 'question', detail: { kind: 'question' } })).toBe(false);
  expect(takesOwnAnswer(rules, { kind: 'approval', detail })).toBe(false);
  expect(takesOwnAnswer(null, { kind: 'question', detail })).toBe(false);
});
