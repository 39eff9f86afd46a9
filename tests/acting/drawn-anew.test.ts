// Dialogs of agents that draw in parts: after each key one look shows the dialog without its mark,
// or the screen changes between a look and what is typed. The pane is a model of the test's own.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { chooseSeveral } from '../../src/acting/dialogs/choose-several.ts';
import { typeAnswer } from '../../src/acting/dialogs/type-answer.ts';
import type { GuardedResult } from '../../src/acting/guarded-command.ts';
import { interruptTurn } from '../../src/acting/interrupt-turn.ts';
import type { PaneControl, PaneLook, StillShown } from '../../src/acting/pane-control.ts';
import { adapterOf } from '../../src/agents/registry.ts';
import { viewScreen } from '../../src/agents/screen/screen-view.ts';
import { loadRegistry } from '../../src/sources/rule-files.ts';

const registry = loadRegistry({});

// Every wait is a pause of the pane.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Model {
  readonly agent: string;
  readonly title: string;
  lines(): readonly string[];
  onKey(key: string): void;
  onPaste?(text: string): void;
}

type Refuses = (still: StillShown | undefined) => boolean;
const done: GuardedResult = { isDone: true };
const changed: GuardedResult = { isDone: false, guard: 'screen_changed' };

/** A pane with the model in it; `refuses` says when the screen has changed before a key. */
function paneOf(model: Model, refuses: Refuses = () => false) {
  const adapter = adapterOf(registry, model.agent);
  if (!adapter) throw new Error(`no adapter ${model.agent}`);
  const look = async (): Promise<PaneLook> => {
    const lines = model.lines();
    const screen = {
      ...{ lines, ansi: lines.join('\n'), isStyled: true, cols: 100, rows: 30, panePid: 7 },
      ...{ cursor: { x: 0, y: 0 }, alternateOn: false, inMode: false, title: model.title },
    };
    return {
      ...{ screen, view: viewScreen(screen), command: 'node', layout: '' },
      ...{ isSynchronized: false, isInputOff: false, isDead: false, takesPastes: true },
      drawnAt: '',
    };
  };
  const stub: Pick<PaneControl, 'look' | 'paste' | 'press' | 'pause'> = {
    look,
    paste: async (text, _look, still) => {
      if (refuses(still)) return changed;
      model.onPaste?.(text);
      return done;
    },
    press: async (keys, _look, still) => {
      if (refuses(still)) return changed;
      for (const key of keys) model.onKey(key);
      return done;
    },
    pause: async (ms) => {
      vi.advanceTimersByTime(ms);
    },
  };
  const agent = { panePid: 7, command: 'node', isAlive: () => true, refresh: async () => {} };
  const request = { adapter, agent, expected: null, commit: () => true };
  return { pane: stub as PaneControl, request };
}

const row = (text: string): string => `│ ${text.padEnd(96)} │`;
const frame = (rows: readonly string[]): readonly string[] => [
  `╭${'─'.repeat(98)}╮`,
  ...rows.map(row),
  `╰${'─'.repeat(98)}╯`,
];
const atPrompt = [
  '✦ Done.',
  '',
  '─'.repeat(100),
  ' >   Type your message or @path/to/file',
  '─'.repeat(100),
];

/** A question of Gemini CLI, whose mark is not drawn in the first look after a move. */
class GeminiQuestion implements Model {
  readonly agent = 'gemini';
  readonly title = '✋  Action Required (proj)';
  readonly isMany: boolean;
  readonly #labels: readonly string[];
  readonly on = new Set<number>();
  /** What the first look after each key shows. */
  torn: 'no mark' | 'half of the question' | 'no dialog' | 'nothing' = 'no mark';
  /** How many options are drawn at a time; the others are scrolled away. */
  shownCount = 9;
  #at = 0;
  #isTorn = false;
  #text = '';
  answer: string | null = null;

  constructor(isMany: boolean, labels = ['Red', 'Green', 'All of the above']) {
    this.isMany = isMany;
    const own = 'Enter a custom value';
    this.#labels = isMany ? [...labels, own, 'Done'] : ['Red', own];
  }

  lines(): readonly string[] {
    if (this.answer !== null) return atPrompt;
    const torn = this.#isTorn ? this.torn : null;
    const mark = torn === 'no mark' ? -1 : this.#at;
    this.#isTorn = false;
    if (torn === 'no dialog') return atPrompt;
    const options = this.#labels.map((label, at) => {
      const sign = at === mark ? '●' : ' ';
      if (label === 'Done') return `${sign}  Done`;
      const isText = label.startsWith('Enter') && this.#text !== '';
      const box = this.isMany ? `[${this.on.has(at) ? 'x' : ' '}] ` : ' ';
      return `${sign} ${at + 1}. ${box}${isText ? this.#text : label}`;
    });
    const first = Math.max(0, this.#at - this.shownCount + 1);
    const shown = options.slice(first, first + this.shownCount);
    const list = shown.length < options.length ? ['▲', ...shown, '▼'] : shown;
    const text = torn === 'half of the question' ? 'Which co' : 'Which colours?';
    const asked = ['Answer Questions', '', text];
    const many = this.isMany ? ['(Select all that apply)'] : [];
    return frame([...asked, ...many, '', ...list, '', 'Enter to select · Esc to cancel']);
  }

  onKey(key: string): void {
    this.#isTorn = key !== 'Enter';
    if (key === 'Down') this.#at = Math.min(this.#labels.length - 1, this.#at + 1);
    else if (key === 'Up') this.#at = Math.max(0, this.#at - 1);
    else if (key === 'Enter') this.#enter();
  }

  onPaste(text: string): void {
    if (this.#labels[this.#at]?.startsWith('Enter')) this.#text = text;
  }

  #enter(): void {
    const label = this.#labels[this.#at] ?? '';
    const chosen = [...this.on].map((at) => this.#labels[at]).join(', ');
    if (!this.isMany) this.answer = this.#text || label;
    else if (label === 'Done') this.answer = chosen;
    else if (!this.on.delete(this.#at)) this.on.add(this.#at);
  }
}

const tears = ['no mark', 'half of the question', 'no dialog'] as const;

it.each(tears)(
  'several options are chosen though the first look after a key shows %s',
  async (torn) => {
    const model = new GeminiQuestion(true);
    model.torn = torn;
    const { pane, request } = paneOf(model);
    const result = await chooseSeveral(pane, { ...request, labels: ['Green'] });
    expect(result).toMatchObject({ result: 'delivered' });
    expect(model.answer).toBe('Green');
  },
);

it('several options are chosen though the list is drawn anew before each key', async () => {
  const model = new GeminiQuestion(true);
  let presses = 0;
  // Every other key comes to a screen that has changed meanwhile.
  const { pane, request } = paneOf(model, () => ++presses % 2 === 1);
  const result = await chooseSeveral(pane, { ...request, labels: ['Green'] });
  expect(result).toMatchObject({ result: 'delivered' });
  expect(model.answer).toBe('Green');
});

it('several options are not chosen where the screen never holds still', async () => {
  const model = new GeminiQuestion(true);
  const { pane, request } = paneOf(model, () => true);
  const result = await chooseSeveral(pane, { ...request, labels: ['Green'] });
  expect(result).toMatchObject({ result: 'refused', code: 'E_SCREEN_CHANGED' });
  expect([...model.on]).toEqual([]);
});

it('several options are refused as pressed where the screen changes after a move', async () => {
  const model = new GeminiQuestion(true);
  let presses = 0;
  const { pane, request } = paneOf(model, () => ++presses > 1);
  const result = await chooseSeveral(pane, { ...request, labels: ['Green'] });
  expect(result).toMatchObject({ result: 'unconfirmed', isUnanswered: true });
  expect([...model.on]).toEqual([]);
});

it('several options are in doubt where the screen changes after one was switched', async () => {
  const model = new GeminiQuestion(true);
  let presses = 0;
  const { pane, request } = paneOf(model, () => ++presses > 1);
  const result = await chooseSeveral(pane, { ...request, labels: ['Red'] });
  expect(result).toMatchObject({ result: 'unconfirmed' });
  expect(result).not.toHaveProperty('isUnanswered');
  expect(result.detail).toContain('options were switched');
  expect([...model.on]).toEqual([0]);
  expect(model.answer).toBeNull();
});

describe('several options of a list that scrolls', () => {
  const choose = (labels: readonly string[], wanted: readonly string[]) => {
    const model = new GeminiQuestion(true, [...labels]);
    Object.assign(model, { torn: 'nothing', shownCount: 3 });
    const { pane, request } = paneOf(model);
    return { model, result: chooseSeveral(pane, { ...request, labels: wanted }) };
  };

  it('are chosen wherever they are', async () => {
    const { model, result } = choose(['Cache', 'Metrics', 'Billing', 'Auth'], ['Auth', 'Cache']);
    expect(await result).toMatchObject({ result: 'delivered' });
    expect(model.answer).toBe('Cache, Auth');
  });

  it('are not submitted where a start of a label fitted another one first', async () => {
    const { model, result } = choose(['Authorization', 'Cache', 'Billing', 'Auth'], ['Auth']);
    expect(await result).toMatchObject({
      result: 'unconfirmed',
      detail: expect.stringContaining('"Authorization"'),
    });
    expect(model.answer).toBeNull();
  });
});

it('an own answer is pasted again where the dialog was drawn anew before the paste', async () => {
  const model = new GeminiQuestion(false);
  let left = 0;
  const { pane, request } = paneOf(
    Object.assign(model, {
      onKey(key: string) {
        GeminiQuestion.prototype.onKey.call(model, key);
        if (key === 'Down') left = 2;
      },
    }),
    () => left-- > 0,
  );
  const text = 'Blue, please';
  const result = await typeAnswer(pane, { ...request, role: 'own_answer', text });
  expect(result).toMatchObject({ result: 'delivered' });
  expect(model.answer).toBe(text);
});

it('both keys of an interrupt come close to each other while text streams', async () => {
  let shown = 0;
  let firstMs: number | null = null;
  let isStopped = false;
  const box = ['─'.repeat(100), '❯', '─'.repeat(100)];
  const model: Model = {
    ...{ agent: 'copilot', title: 'GitHub Copilot' },
    lines: () => {
      shown += 1;
      // A look takes its time too.
      vi.advanceTimersByTime(40);
      const foot = isStopped
        ? ' / commands · ? help · tab next tab'
        : ' ○ Working · 428 B esc esc interrupt';
      return [` ● Part ${shown} of it follows here.`, '', ...box, foot];
    },
    onKey: () => {
      const nowMs = performance.now();
      // As the agent counts a pair.
      if (firstMs !== null && nowMs - firstMs <= 300) isStopped = true;
      firstMs = nowMs;
    },
  };
  // The text streams: no screen stays as it was.
  const { pane, request } = paneOf(model, (still) => still?.isSteady === true);
  const result = await interruptTurn(pane, { ...request, isRunning: () => false });
  expect(result).toMatchObject({ result: 'delivered', detail: 'the turn has stopped' });
});
