// Every line of every sample gives claims, is ignored, or is unknown, on purpose: the counts are
// written down, so that a change of a table shows where it reaches.

import { describe, expect, it } from 'vitest';
import { event, normalise, sampleLines, sampleText } from './signal.ts';

interface HookLine {
  readonly arg: string;
  readonly in?: object;
  readonly input?: object;
}

/** How many signals of a list end in which way, and what they claim. */
function count(kinds: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of kinds.toSorted()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

function kindOf(agent: string, source: string, raw: unknown): string {
  const normalised = normalise(agent, source, raw);
  if (normalised.kind !== 'claims') return normalised.kind;
  if (normalised.ended) return 'ended';
  return normalised.claims[0]?.says ?? 'no claim';
}

const countLines = (agent: string, source: string, file: string) =>
  count(sampleLines(file).map((line) => kindOf(agent, source, line)));

function countHooks(agent: string, source: string, file: string, only = /./) {
  const lines = sampleLines(file).map((line) => JSON.parse(line) as HookLine);
  const matching = lines.filter(({ arg }) => only.test(arg));
  return count(
    matching.map((line) => {
      const name = line.arg.replace(/^(?:user|repo):/, '');
      return kindOf(agent, source, event(name, line.in ?? line.input ?? {}));
    }),
  );
}

describe('the samples', () => {
  it('claude hooks', () => {
    expect(countHooks('claude', 'claude-hooks', 'claude-hooks.jsonl')).toMatchInlineSnapshot(`
      {
        "began": 4,
        "completed": 5,
        "ended": 4,
        "error": 4,
        "ignored": 8,
        "no claim": 8,
        "running": 17,
        "waiting_approval": 2,
        "waiting_input": 2,
      }
    `);
  });

  it('claude transcript', () => {
    expect(
      countLines('claude', 'claude-transcript', 'claude-transcript.jsonl'),
    ).toMatchInlineSnapshot(`
      {
        "completed": 24,
        "ignored": 81,
        "interrupted": 6,
        "no claim": 21,
        "running": 90,
        "unknown": 3,
      }
    `);
  });

  it('claude status files', () => {
    const files = JSON.parse(sampleText('claude-status-files.json')) as object[];
    expect(
      files.map((file) => kindOf('claude', 'claude-session-file', file)),
    ).toMatchInlineSnapshot(`
      [
        "running",
        "at_rest",
        "at_rest",
        "waiting_input",
        "waiting_approval",
        "waiting_input",
      ]
    `);
  });

  it('codex hooks', () => {
    expect(
      countHooks('codex', 'codex-hooks', 'codex-hooks.jsonl', /^(?!notify)/),
    ).toMatchInlineSnapshot(`
      {
        "completed": 4,
        "ended": 4,
        "interrupted": 4,
        "no claim": 4,
        "running": 19,
        "waiting_approval": 4,
        "waiting_input": 1,
      }
    `);
  });

  it('codex notify: those of the hidden title thread are ignored', () => {
    expect(
      countHooks('codex', 'codex-notify', 'codex-hooks.jsonl', /^notify/),
    ).toMatchInlineSnapshot(`
      {
        "completed": 2,
        "ignored": 2,
      }
    `);
  });

  it('codex rollout', () => {
    expect(countLines('codex', 'codex-rollout', 'codex-rollout.jsonl')).toMatchInlineSnapshot(`
      {
        "began": 3,
        "completed": 12,
        "ignored": 90,
        "interrupted": 6,
        "no claim": 66,
        "running": 42,
        "unknown": 3,
      }
    `);
  });

  it('copilot hooks', () => {
    expect(countHooks('copilot', 'copilot-hooks', 'copilot-hooks.jsonl')).toMatchInlineSnapshot(`
      {
        "completed": 4,
        "ignored": 4,
        "no claim": 12,
        "running": 8,
        "waiting_approval": 4,
      }
    `);
  });

  it('copilot events', () => {
    expect(countLines('copilot', 'copilot-events', 'copilot-events.jsonl')).toMatchInlineSnapshot(`
      {
        "at_rest": 18,
        "began": 3,
        "completed": 9,
        "ignored": 117,
        "interrupted": 9,
        "no claim": 30,
        "running": 45,
        "unknown": 3,
        "waiting_approval": 6,
        "waiting_input": 3,
      }
    `);
  });

  it('opencode server events', () => {
    expect(countLines('opencode', 'opencode-http', 'opencode-sse.txt')).toMatchInlineSnapshot(`
      {
        "at_rest": 2,
        "completed": 2,
        "ignored": 93,
        "no claim": 19,
        "running": 9,
        "waiting_approval": 1,
      }
    `);
  });

  it.each([
    ['gemini', 'gemini-hooks'],
    ['copilot', 'copilot-hooks'],
    ['opencode', 'opencode-events'],
    ['kilo', 'kilo-events'],
    ['qwen', 'qwen-hooks'],
    ['pi', 'pi-extension'],
    ['auggie', 'auggie-hooks'],
    ['cline', 'cline-hooks'],
  ])('every event of %s is known', (agent, source) => {
    const all = JSON.parse(sampleText('other-agents-hooks.json')) as Record<
      string,
      Record<string, HookLine>
    >;
    const kinds = Object.entries(all[agent] ?? {}).map(
      ([name, line]) => `${name}: ${kindOf(agent, source, event(name, line.input ?? {}))}`,
    );
    expect(kinds).not.toHaveLength(0);
    expect(kinds.filter((kind) => kind.endsWith(': unknown'))).toEqual([]);
  });

  it('titles and OSC 7501 in the bytes of a codex pane', () => {
    const states = oscOf('codex-pane-bytes.bin', '7501').map((text) =>
      kindOf('codex', 'osc-7501', text),
    );
    expect(count(states)).toMatchInlineSnapshot(`
      {
        "at_rest": 8,
        "completed": 3,
        "ended": 1,
        "error": 3,
        "running": 8,
        "waiting_approval": 1,
      }
    `);
    let previous = '';
    const titles = oscOf('codex-pane-bytes.bin', '0').map((title) => {
      const answer = normalise('codex', 'title', title, previous);
      previous = title;
      return answer.kind === 'claims' ? (answer.claims[0]?.says ?? 'no claim') : answer.kind;
    });
    expect(count(titles)).toMatchInlineSnapshot(`
      {
        "at_rest": 8,
        "no claim": 2,
        "running": 133,
        "waiting_input": 5,
      }
    `);
  });

  it('the question of claude to the terminal is ignored', () => {
    const texts = oscOf('claude-pane-bytes.bin', '7501');
    expect(texts.map((text) => kindOf('claude', 'osc-7501', text))).toEqual(['ignored']);
  });
});

/** The texts of all OSC sequences with this number. */
function oscOf(file: string, code: string): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of them
  const pattern = /\u001b\](\d+);([^\u0007\u001b]*)(?:\u0007|\u001b\\)/g;
  return [...sampleText(file).matchAll(pattern)]
    .filter((found) => found[1] === code)
    .map((found) => found[2] ?? '');
}
