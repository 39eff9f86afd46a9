// "Is this an agent's pane?": the weight of each input, and the guards.

import { describe, expect, test } from 'vitest';
import type { SignatureInputs } from '../../schema/pane.ts';
import { signatureSchema } from '../../schema/pane.ts';
import { classifySignature, noSignature, type SignatureContext } from './signature.ts';

const none: SignatureInputs = {
  providerHint: false,
  cmdMatch: false,
  pollerMatch: false,
  titleMatch: false,
};
const all: SignatureInputs = {
  providerHint: true,
  cmdMatch: true,
  pollerMatch: true,
  titleMatch: true,
};
const classify = (inputs: Partial<SignatureInputs>, more: Partial<SignatureContext> = {}) =>
  classifySignature({
    inputs: { ...none, ...inputs },
    isWrapper: false,
    isShell: false,
    hasHandshake: false,
    ...more,
  });

describe('the best input decides', () => {
  const weights: [keyof SignatureInputs, number][] = [
    ['providerHint', 1.0],
    ['cmdMatch', 0.86],
    ['pollerMatch', 0.78],
  ];
  test.each(weights)('%s alone is worth %d', (input, weight) => {
    expect(classify({ [input]: true })).toMatchObject({ class: 'heuristic', confidence: weight });
  });

  test.each(weights)('%s is worth no less with a title beside it', (input, weight) => {
    const both = classify({ [input]: true, titleMatch: true });
    expect(both).toMatchObject({ class: 'heuristic', confidence: weight });
  });

  test('and weaker inputs add nothing', () => {
    expect(classify(all).confidence).toBe(1);
    expect(classify({ ...all, providerHint: false }).confidence).toBe(0.86);
    expect(classify({ pollerMatch: true, titleMatch: true }).confidence).toBe(0.78);
  });

  test('each reason names its input', () => {
    const reasons = weights.map(([input]) => classify({ [input]: true }).reason);
    expect(new Set(reasons).size).toBe(weights.length);
  });
});

describe('a title alone never promotes', () => {
  const guards: [string, Partial<SignatureContext>][] = [
    ['in a pane of its own', {}],
    ['over a wrapper such as node', { isWrapper: true }],
    ['over a shell', { isShell: true }],
  ];
  test.each(guards)('%s', (_name, context) => {
    expect(classify({ titleMatch: true }, context)).toMatchObject({
      class: 'none',
      confidence: 0.66,
    });
  });

  test('and the reason says which guard refused it', () => {
    const reasons = guards.map(([, context]) => classify({ titleMatch: true }, context).reason);
    expect(new Set(reasons).size).toBe(guards.length);
  });
});

test('a wrapper with a hint of the provider is an agent', () => {
  const hinted = classify({ providerHint: true, titleMatch: true }, { isWrapper: true });
  expect(hinted).toMatchObject({ class: 'heuristic', confidence: 1 });
});

test('a handshake of the agent is deterministic, whatever else matched', () => {
  for (const inputs of [none, all]) {
    expect(classify(inputs, { hasHandshake: true })).toMatchObject({
      class: 'deterministic',
      confidence: 1,
    });
  }
});

test('a pane without a match has no agent', () => {
  expect(classify(none)).toEqual(noSignature);
});

test('every combination keeps its inputs and fits the schema', () => {
  for (let bits = 0; bits < 128; bits += 1) {
    const has = (bit: number) => (bits & (1 << bit)) !== 0;
    const inputs = {
      providerHint: has(0),
      cmdMatch: has(1),
      pollerMatch: has(2),
      titleMatch: has(3),
    };
    const context = { isWrapper: has(4), isShell: has(5), hasHandshake: has(6) };
    const signature = classifySignature({ inputs, ...context });
    expect(signatureSchema.parse(signature).inputs).toEqual(inputs);
    const onlyTitle = !inputs.providerHint && !inputs.cmdMatch && !inputs.pollerMatch;
    if (onlyTitle && !context.hasHandshake) expect(signature.class).toBe('none');
  }
});
