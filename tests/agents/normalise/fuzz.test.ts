// No input makes a normaliser throw, hang, or say something that the evidence schema would refuse:
// any value, broken and cut JSON, real payloads with wrong types in them, huge and deep ones.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtinNormalisers } from '../../../src/agents/agent-sources.ts';
import { readRecordedSignals } from '../../../src/agents/classify/recorded-signals.ts';
import { weighSignals } from '../../../src/agents/classify/weigh-signals.ts';
import { event, normalise, sampleLines, sampleText } from './signal.ts';

const agents = Object.keys(builtinNormalisers);
/** Each normaliser once, under the first agent that has it. */
const sources = agents
  .flatMap((agent) =>
    Object.entries(builtinNormalisers[agent] ?? {}).map(([source, normaliser]) => ({
      agent,
      source,
      normaliser,
    })),
  )
  .filter(
    ({ normaliser }, index, all) =>
      all.findIndex((each) => each.normaliser === normaliser) === index,
  );
/** Far above what any of them takes, even on a busy machine. */
const SLOW_MS = 10_000;
const options = { numRuns: 150 };

const anything = fc.oneof(
  fc.anything({ withBigInt: true, withNullPrototype: true, withSparseArray: true }),
  fc.json(),
  fc.string({ unit: 'binary' }),
);

/** Real payloads, as objects. */
const payloads: readonly object[] = [
  ...['claude-hooks.jsonl', 'codex-hooks.jsonl', 'copilot-hooks.jsonl']
    .flatMap(sampleLines)
    .map((line) => JSON.parse(line) as { arg: string; in?: object; input?: object })
    .map(({ arg, in: hook, input }) => event(arg.replace(/^\w+:/, ''), hook ?? input)),
  ...['claude-transcript.jsonl', 'codex-rollout.jsonl', 'copilot-events.jsonl']
    .flatMap((file) => sampleLines(file).slice(0, 80))
    .map((line) => JSON.parse(line) as object),
  ...sampleLines('opencode-sse.txt')
    .slice(0, 80)
    .map((line) => JSON.parse(line.slice('data:'.length)) as object),
  ...(JSON.parse(sampleText('claude-status-files.json')) as object[]),
];

const wrong = fc.constantFrom<unknown>(
  ...[null, true, 0, -1, 1e300, Number.NaN, '', 'x', '\u0000', [], [[]], {}, { a: {} }],
  ...[['running'], 'x'.repeat(5_000), { name: 7 }, { type: 'subagent' }, '2026-99-99T99:99:99Z'],
);

/** A copy with one value, somewhere inside, replaced. */
function broken(value: unknown, picks: readonly number[], replacement: unknown): unknown {
  const [pick, ...rest] = picks;
  if (pick === undefined || typeof value !== 'object' || value === null) return replacement;
  const keys = Object.keys(value);
  const key = keys[pick % Math.max(1, keys.length)];
  if (key === undefined) return replacement;
  const inner = broken((value as Record<string, unknown>)[key], rest, replacement);
  return Array.isArray(value)
    ? value.map((each, index) => (String(index) === key ? inner : each))
    : { ...value, [key]: inner };
}

describe.each(sources)('$agent: $source', ({ agent, source }) => {
  it('takes any value', () => {
    fc.assert(
      fc.property(anything, anything, (raw, previous) => {
        normalise(agent, source, raw, previous);
        normalise(agent, source, { event: raw, payload: previous });
      }),
      options,
    );
  });

  it('takes real payloads with wrong types in them, and cut ones', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...payloads),
        fc.array(fc.nat(20), { minLength: 1, maxLength: 4 }),
        wrong,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (payload, picks, replacement, share) => {
          normalise(agent, source, broken(payload, picks, replacement));
          const text = JSON.stringify(payload);
          normalise(agent, source, text.slice(0, Math.floor(text.length * share)));
        },
      ),
      options,
    );
  });

  it('takes huge and deep ones in bounded time', () => {
    const deepText = '['.repeat(200_000);
    const deepObject = `${'{"payload":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    let deepValue: object = {};
    for (let depth = 0; depth < 20_000; depth += 1) deepValue = { properties: deepValue, i: depth };
    const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, 1]));
    const long = 'ab|1;=:%'.repeat(1_300_000);
    const start = performance.now();
    for (const raw of [deepText, deepObject, deepValue, wide, long, ` ${long}`]) {
      normalise(agent, source, raw, long);
      normalise(agent, source, { event: 'Stop', payload: raw });
    }
    const list = {
      background_tasks: Array.from({ length: 100_000 }, () => ({ type: 'subagent' })),
    };
    normalise(agent, source, event('Stop', { ...list, error: long, prompt: long }));
    normalise(agent, source, { type: 'user', message: { content: long } });
    expect(performance.now() - start).toBeLessThan(SLOW_MS);
  });
});

describe('recorded signals', () => {
  const says = fc.constantFrom('running', 'waiting_approval', 'error', 'at_rest', null);

  it('take any record', () => {
    fc.assert(
      fc.property(anything, anything, fc.constantFrom(...agents), says, (a, b, agent, screen) => {
        weighSignals(a, { agent, screen });
        const record = { hook_events_seen: [{ event: 'Stop', dt: 1 }, b], status_file: a };
        weighSignals(record, { agent, screen });
        readRecordedSignals({ signals: { hooks: a, status_file: b } }, agent);
      }),
      { numRuns: 300 },
    );
  });
});
