// Orders on a pane that is a model of the test's own: an agent behind the commands of tmux, and the
// world as the sources report it.

import { expect, it } from 'vitest';
import { emptyWorld, type PaneRecord, type World } from '../../core/world.ts';
import type { ActionOrder } from '../../operations/ports/ports.ts';
import { chooseInputSchema } from '../../schema/api/acting.ts';
import { id, type PaneKey, type RuntimeId } from '../../schema/ids.ts';
import { loadRegistry } from '../../sources/rule-files.ts';
import type { Reply } from '../../tmux-wire/control-parser.ts';
import { actOnPane } from './act-on-pane.ts';

const WIDTH = 80;
const REQUEST = 'one';
const paneKey = id<PaneKey>('pane');
const runtimeId = id<RuntimeId>('r1');

const row = (text: string): string => `│ ${text.padEnd(WIDTH - 4)} │`;
const frame = (rows: readonly string[]): readonly string[] => [
  `╭${'─'.repeat(WIDTH - 2)}╮`,
  ...rows.map(row),
  `╰${'─'.repeat(WIDTH - 2)}╯`,
];

/** Gemini CLI, whose dialogs take no reason; `onAnswer` is told of the option at once. */
class GeminiModel {
  readonly #labels = ['Allow once', 'Allow for this session', 'No, suggest changes (esc)'];
  readonly #onAnswer: () => void;
  answer: string | null = null;
  readonly prompts: string[] = [];
  #at = 0;
  #draft = '';

  constructor(onAnswer: () => void) {
    this.#onAnswer = onAnswer;
  }

  get title(): string {
    return this.answer === null ? '✋  Action Required (proj)' : '◇  Ready (proj)';
  }

  lines(): readonly string[] {
    if (this.answer === null) return this.#dialog();
    return [
      ...['ℹ Request cancelled.', '', ...this.prompts.map((prompt) => ` > ${prompt}`), ''],
      ...['▄'.repeat(WIDTH), ` > ${this.#draft}`, '▀'.repeat(WIDTH)],
      ...[' workspace (/directory)      sandbox      /model', ' ~/proj      none      flash'],
    ];
  }

  #dialog(): readonly string[] {
    const options = this.#labels.map(
      (label, at) => `${at === this.#at ? '●' : ' '} ${at + 1}. ${label}`,
    );
    const asked = ['? Shell  touch file', '', 'Allow execution of [Shell]?', ''];
    return frame([...asked, ...options]);
  }

  paste(text: string): void {
    this.#draft = text;
  }

  press(key: string): void {
    if (this.answer !== null && key === 'Enter') {
      this.prompts.push(this.#draft);
      this.#draft = '';
    } else if (key === 'Down') this.#at += 1;
    else if (key === 'Enter') {
      this.answer = this.#labels[this.#at] ?? '';
      this.#onAnswer();
    }
  }
}

/** As the lines of tmux come: one character for each byte. */
const bytesOf = (text: string): string => Buffer.from(text).toString('latin1');

/** tmux, as far as an order needs it: every guard holds. */
function linkTo(model: GeminiModel) {
  let buffer = '';
  const guarded = (commands: string): readonly string[] => {
    const [, keys = ''] = /^"send-keys" "-t" "%1"((?: "[^"]+")+)/.exec(commands) ?? [];
    for (const [, key = ''] of keys.matchAll(/"([^"]+)"/g)) model.press(key);
    if (commands.startsWith('"paste-buffer"')) model.paste(buffer);
    return ['agtmux-done'];
  };
  const display = (format: string): readonly string[] =>
    format.startsWith('#{pane_width}')
      ? [`${WIDTH} 30 0 0 1 0 0 7 ${model.title}`]
      : ['000 1 0,0,0  node'];
  const linesOf = ([name, ...args]: readonly string[]): readonly string[] => {
    if (name === 'capture-pane') return model.lines();
    if (name === 'display-message') return display(args.at(-1) ?? '');
    if (name === 'if-shell') return guarded(args[4] ?? '');
    if (name === 'set-buffer') buffer = args.at(-1) ?? '';
    return [];
  };
  const run = async (commands: readonly (readonly string[])[]): Promise<readonly Reply[]> =>
    commands.map((command) => ({
      ...{ kind: 'reply', ok: true, number: 1, flags: 1 },
      lines: linesOf(command).map(bytesOf),
    }));
  return { run };
}

function worldWith(requests: readonly { readonly requestId: string }[]): World {
  const facts = { targetId: 'local', paneId: '%1', birth: { pid: 7 }, command: 'node' };
  const pane = {
    ...{ paneKey, targetId: 'local', runtimeId, facts: { ...facts, opaque: false } },
    row: { runtimeId, agent: 'gemini', state: 'waiting_approval', attention: { requests } },
  } as unknown as PaneRecord;
  const runtime = { runtimeId, paneKey, endedAtMs: null, pid: null };
  const runtimes = new Map([[runtimeId, runtime]]) as unknown as World['runtimes'];
  return { ...emptyWorld, panes: new Map([[paneKey, pane]]), runtimes };
}

it('a reason follows a denial as a prompt, though the request is over by then', async () => {
  let world = worldWith([{ requestId: REQUEST }]);
  const model = new GeminiModel(() => {
    world = worldWith([]);
  });
  const input = chooseInputSchema.parse({
    ...{ ref: 'pane:%1', request_id: REQUEST },
    choice: { role: 'deny', text: 'use make instead', as_prompt: true },
  });
  const order: ActionOrder = { kind: 'choose', input };
  const pane = world.panes.get(paneKey);
  if (!pane) throw new Error('no pane');
  const registry = loadRegistry({});
  const link = linkTo(model);
  let commitCount = 0;
  const commit = (): boolean => {
    commitCount += 1;
    return true;
  };
  const result = await actOnPane(
    {
      ...{ nowMs: () => 0, world: () => world, registry: () => registry, linkAt: () => link },
      ...{ commandTimeoutMs: () => 1_000, processesAt: () => null },
      loop: { submit: () => ({}) as never },
    },
    { pane, order, commit },
  );
  expect(result).toMatchObject({ result: 'delivered' });
  expect(model).toMatchObject({
    ...{ answer: 'No, suggest changes (esc)', prompts: ['use make instead'] },
  });
  expect(commitCount).toBe(1);
});
