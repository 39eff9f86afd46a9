// An agent that was started again in the same pane: what an earlier run left above its banner is
// not its state. Every recorded banner is tried under the screens of an earlier run.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadCorpus } from '../../bench/accuracy/corpus.ts';
import { root } from '../../scripts/script-entry.ts';
import { judgeScreen } from '../../src/agents/screen/rules.ts';
import { type ScreenInput, viewScreen } from '../../src/agents/screen/screen-view.ts';
import { parseVisibleRecord, type VisibleRecord } from '../../src/schema/record.ts';
import { loadRegistry } from '../../src/sources/rule-files.ts';

const { adapters } = loadRegistry({});
const recordings = loadCorpus(join(root, 'corpus'));

/** How the start screen of each agent that draws one can be told, in its recordings. */
const banners: Readonly<Record<string, RegExp>> = {
  claude: /Claude Code v\d/,
  codex: />_ OpenAI Codex \(v/,
  gemini: /Gemini CLI v\d/,
  qwen: />_ Qwen Code \(v/,
  copilot: /GitHub Copilot v\d/,
  pi: /^ pi v\d/,
  auggie: /^Version \d.*\(commit/,
};

const inputOf = ({ capture, pane_title: title, cols, rows }: VisibleRecord): ScreenInput => ({
  lines: capture,
  title,
  cols,
  rows,
});

const screensOf = (folder: string, states: readonly string[]) =>
  recordings
    .filter((each) => each.folder === folder && states.includes(each.label.state))
    .flatMap(({ name, raw }) => {
      const visible = parseVisibleRecord(raw);
      return visible === null ? [] : [{ name, input: inputOf(visible) }];
    });

const trimmed = (lines: readonly string[]): readonly string[] =>
  lines.slice(0, lines.findLastIndex((line) => line.trim() !== '') + 1);

describe.each(Object.entries(banners))('an earlier run of %s', (agent, banner) => {
  const rules = adapters.find((each) => each.agent === agent)?.screen;
  const judge = (input: ScreenInput): string | null =>
    (rules && judgeScreen(rules, viewScreen(input))?.rule.id) ?? null;
  const started = screensOf(agent, ['idle']).flatMap(({ name, input }) => {
    const from = input.lines.findIndex((line) => banner.test(line));
    // Where the first row of a logo stands above the name, it is part of the banner.
    const top = input.lines.slice(0, from).findLastIndex((line) => line.trim() === '') + 1;
    const own = { ...input, lines: input.lines.slice(top) };
    return from < 0 || judge(own) === null ? [] : [{ name, input: own }];
  });
  const earlier = screensOf(agent, ['running', 'error', 'waiting_approval']).slice(0, 12);

  it('changes nothing of what the screen under the new banner says', () => {
    expect(started.length * earlier.length).toBeGreaterThan(0);
    for (const { name, input } of started) {
      for (const { name: older, input: before } of earlier) {
        const lines = [...trimmed(before.lines), 'Killed', '$ start again', ...input.lines];
        const shown = judge({ ...input, lines });
        expect({ name, older, shown }).toEqual({ name, older, shown: judge(input) });
      }
    }
  });
});
