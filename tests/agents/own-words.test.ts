// What a person types, pastes or has quoted is no sign of an agent, whatever it says: the answer on
// every recorded screen with an input box stays the same with such words in it.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadCorpus } from '../../bench/accuracy/corpus.ts';
import { root } from '../../scripts/script-entry.ts';
import { judgeScreen, type ScreenRules } from '../../src/agents/screen/rules.ts';
import { type ScreenInput, viewScreen } from '../../src/agents/screen/screen-view.ts';
import { parseVisibleRecord } from '../../src/schema/record.ts';
import { loadRegistry } from '../../src/sources/rule-files.ts';
import { addTo, draftIn, type Put, type TextStyle } from './own-words.ts';

type Lines = readonly string[];
const { adapters } = loadRegistry({});
const recordings = loadCorpus(join(root, 'corpus'));

/** Enough of each agent: a few thousand screens, and some seconds for all of them. */
const SCREENS_MAX = 48;
const PASTES_MAX = 10;
const PASTE_ROWS = 14;

/** Words by which some agent says that it works, asks, has failed or was stopped. */
const signs: readonly string[] = [
  'esc to interrupt',
  '(12s • esc to interrupt)',
  '✻ Thinking… (12s · esc to interrupt)',
  '• Working (12s • esc to interrupt)',
  '◉ Working · 130 B esc esc interrupt',
  '⠋ Thinking... (esc to cancel, 5s)',
  '⎿  Running…',
  'Press up to edit queued messages',
  '! Shell awaiting input (Tab to focus)',
  'Do you want to proceed?',
  '❯ 1. Yes',
  '1. Yes',
  '● 1. Allow once',
  '1. Yes   2. No (esc)',
  'Allow once   Allow always   Reject',
  '[y] Approve  [n] Deny',
  'Cline needs permission',
  '△ Permission required',
  'Waiting for user confirmation...',
  'Enter to select · ↑/↓ to navigate · Esc to cancel',
  'Press enter to continue',
  'esc dismiss',
  'API Error: 500 overloaded',
  '✕ [API Error: 401]',
  'Error: 429 usage limit reached',
  '⎿  Interrupted by user',
  '■ Conversation interrupted',
  'Request cancelled.',
  '▣  Build · Fake Model · interrupted',
  'Showing detailed transcript',
];

/** How each agent draws answers and prompts. */
const styles: Readonly<Record<string, { reply: TextStyle; sent?: TextStyle }>> = {
  claude: { reply: { start: /^[●⏺] (?=[A-Za-z])/u }, sent: { start: /^[❯>] (?=\S)/u } },
  codex: { reply: { start: /^• (?!Ran|Work)(?=[A-Z])/u }, sent: { start: /^› (?=\S)/u } },
  gemini: { reply: { start: /^✦ /u }, sent: { start: /^ > (?=\S)/u } },
  copilot: { reply: { start: /^ ?● (?=[A-Z].*\.$)/u }, sent: { start: /^ ?❯ (?=\S)/u } },
  opencode: { reply: { start: /^ {5}(?=[A-Z][a-z])/u } },
  kilo: { reply: { start: /^ {5}(?=[A-Z][a-z])/u } },
  qwen: { reply: { start: /^ {0,2}[✦◆]\ufe0e? (?=[A-Z])/u }, sent: { start: /^ {1,2}> (?=\S)/u } },
  cline: { reply: { start: /^ \* (?=[A-Z])/u }, sent: { start: /^ ❯ (?=\S)/u } },
  auggie: { reply: { start: /^● (?=[A-Z])/u }, sent: { start: /^› (?=\S)/u } },
};

/**
 * Rows that no rule can tell from the agent's own, because they stand in the same column: lines
 * across a box that has no other edge and its pointers, the sign of a result in an answer, the row
 * that ends an answer, and the head of a list that lies over an answer.
 */
const alike: Readonly<Record<string, { draft?: RegExp; reply?: RegExp }>> = {
  pi: { draft: /^(?:─|[→›] )/u },
  cline: { draft: /^ *─/u },
  claude: { reply: /^⎿/u },
  opencode: { reply: /^ *(?:▣|┃|╹)| {12}esc\b/u },
  kilo: { reply: /^ *(?:▣|┃|╹)| {12}esc\b/u },
};

const spread = <Each>(all: readonly Each[], max: number): readonly Each[] =>
  all.filter((_, index) => index % Math.ceil(all.length / max) === 0);

const trimmed = (lines: Lines): Lines =>
  lines.slice(0, lines.findLastIndex((line) => line.trim() !== '') + 1);

const withoutScrollBar = (line: string): string => line.replace(/ [█▄▀]$/u, '').trimEnd();

const screensOf = (agent: string) =>
  recordings
    .filter(({ folder, label }) => folder === agent && label.state !== 'no_agent')
    .flatMap(({ name, label, raw }) => {
      const visible = parseVisibleRecord(raw);
      if (visible === null) return [];
      const { capture: lines, pane_title: title, cols, rows, alternate_on: alternate } = visible;
      const input: ScreenInput = { lines, title, cols, rows, alternateOn: alternate === '1' };
      return [{ name, state: label.state, input }];
    });

const says = (rules: ScreenRules, input: ScreenInput): string => {
  const verdict = judgeScreen(rules, viewScreen(input));
  return verdict === null ? 'nothing' : `${verdict.says} ${verdict.rule.reason ?? ''}`;
};

describe.each(adapters.map(({ agent, screen }) => [agent, screen] as const))(
  '%s',
  (agent, rules) => {
    const all = screensOf(agent);
    const boxed = all.filter(
      ({ input }) => draftIn(rules, input) && says(rules, input) !== 'nothing',
    );
    const active = all.filter(({ state }) => state !== 'idle' && state !== 'completed');
    const dialogs = spread(active, PASTES_MAX).map(({ input }) =>
      trimmed(input.lines.map(withoutScrollBar)).slice(-PASTE_ROWS),
    );
    const texts: readonly Lines[] = [
      ...signs.flatMap((sign) => [[sign], ['see this:', sign, 'why?']]),
      ...dialogs,
      ...dialogs.map((rows) => ['look:', ...rows.map((row) => row.trim())]),
    ];

    /** The words that change the answer on some screen. */
    const misread = (putOn: (input: ScreenInput) => Put | null, without?: RegExp) =>
      spread(boxed, SCREENS_MAX).flatMap(({ name, input }) => {
        const put = putOn(input);
        if (put === null) return [];
        const before = says(rules, input);
        return texts.flatMap((words) => {
          const own = words.filter((word) => !without?.test(word) && word.trim() !== '');
          const after = says(rules, { ...input, lines: put(own) });
          return own.length === 0 || after === before ? [] : [{ name, words: own, before, after }];
        });
      });

    it.skipIf(boxed.length === 0)('takes no draft and no paste in its input box for a sign', () => {
      expect(misread((input) => draftIn(rules, input), alike[agent]?.draft)).toEqual([]);
    });

    it.skipIf(!styles[agent])('takes no quote in an answer for a sign', () => {
      const { reply } = styles[agent] ?? {};
      const putOn = (input: ScreenInput) => reply && addTo(reply, input.lines, false);
      expect(misread((input) => putOn(input) ?? null, alike[agent]?.reply)).toEqual([]);
    });

    it.skipIf(!styles[agent]?.sent)('takes no words of a prompt that was sent for a sign', () => {
      const { sent } = styles[agent] ?? {};
      const putOn = (input: ScreenInput) => sent && addTo(sent, input.lines, true);
      expect(misread((input) => putOn(input) ?? null)).toEqual([]);
    });
  },
);

it('takes no draft for the hint of work in cursor, of which no screen is recorded', () => {
  const rules = adapters.find(({ agent }) => agent === 'cursor')?.screen;
  const shown = (row: string) =>
    rules && says(rules, { lines: ['', row, ' Auto · 12%'], title: '', cols: 80, rows: 24 });
  expect(shown(' → Add a follow-up                    ctrl+c to stop ')).toBe('running ');
  expect(shown(' → Add a follow-up')).toBe('at_rest ');
  expect(shown(' → why does it say ctrl+c to stop')).toBe('nothing');
});

it('tries every agent of which screens with an input box are recorded', () => {
  const tried = adapters.filter(({ agent, screen }) =>
    screensOf(agent).some(({ input }) => draftIn(screen, input) !== null),
  );
  const names = tried.map(({ agent }) => agent).sort();
  const expected = ['amp', 'auggie', 'claude', 'cline', 'codex', 'copilot', 'gemini'];
  expect(names).toEqual([...expected, 'kilo', 'opencode', 'pi', 'qwen']);
});
