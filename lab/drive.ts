// Drives one agent in one pane through a scenario, and writes down the truth of each step: from a
// key that was sent, or from a moment of the fake model. A step whose truth the screen contradicts
// fails the run: the lab would measure its own mistake.

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { AgentRecipe, Keys, Truth } from './agent.ts';
import { Gate } from './fake-model/gate.ts';
import type { Reply } from './fake-model/reply.ts';
import type { Moment, ScriptHandle } from './fake-model/script.ts';
import type { LabPane } from './pane.ts';
import type { AnswerChange, PaneSamples } from './sample.ts';
import { isRight, type Timeline, type TruthChange } from './score.ts';
import type { Stage } from './stage.ts';

/** How long a truth is held, counted from its beginning. */
const HOLD_MS = 4_500;
/** For anything that the agent does by itself. */
const AGENT_MS = 60_000;
/** The heaviest agent needs most of it where the machine is busy. */
const START_MS = 90_000;
/** By then an agent that draws over the screen of the one before has done so. */
const REDRAWN_MS = 15_000;
const LOOK_MS = 50;

/** A conversation that was scripted. */
export class Turn {
  readonly handle: ScriptHandle;
  readonly prompt: string;

  constructor(handle: ScriptHandle) {
    this.handle = handle;
    this.prompt = `${handle.token} go on`;
  }

  /** When the model's side of the request came to this moment. */
  at(index: number, moment: Moment, deadlineMs = AGENT_MS): Promise<number> {
    return this.handle.reached(index, moment, deadlineMs);
  }
}

export class Drive {
  readonly recipe: AgentRecipe;
  readonly pane: LabPane;
  readonly stage: Stage;
  readonly #scenario: string;
  readonly #mismatches: string;
  readonly #record: PaneSamples;
  readonly #truths: TruthChange[] = [];
  /** When the last hold was over. */
  #endMs = 0;

  constructor(
    stage: Stage,
    pane: LabPane,
    names: { readonly scenario: string; readonly mismatches: string },
  ) {
    this.recipe = stage.recipe;
    this.stage = stage;
    this.pane = pane;
    this.#scenario = names.scenario;
    this.#mismatches = names.mismatches;
    this.#record = stage.sampler.samplesOf(pane.paneId);
  }

  /** Starts the agent in the shell of the pane and holds its first rest. */
  async start(step = 'start'): Promise<void> {
    this.unjudged('starting', Date.now());
    const prompts = await this.pane.countIn(this.recipe.ready);
    await this.pane.type(this.stage.startLine(this.pane));
    await this.pane.press(['Enter']);
    await this.#newPrompt(prompts);
    await this.pane.settled();
    await this.hold(step, 'idle', Date.now());
  }

  /**
   * Waits for the prompt of this run. That of an earlier one may still be on the screen: either one
   * more is there, or it was gone in between, or it stays although there was time for both.
   */
  async #newPrompt(before: number): Promise<void> {
    const startedMs = Date.now();
    let least = before;
    for (;;) {
      const count = await this.pane.countIn(this.recipe.ready);
      least = Math.min(least, count);
      const waitedMs = Date.now() - startedMs;
      if (count > least || (count > 0 && waitedMs > REDRAWN_MS)) return;
      if (waitedMs > START_MS) {
        const screen = await this.pane.screen();
        throw new Error(`the screen never showed a prompt that takes keys:\n${screen}`);
      }
      await pause(LOOK_MS);
    }
  }

  script(...replies: readonly Reply[]): Turn {
    const token = `lab-${randomBytes(3).toString('hex')}`;
    return new Turn(this.stage.model.script(token, replies));
  }

  /** Types the prompt of a turn and sends it. Returns when the turn began. */
  async submit(turn: Turn): Promise<number> {
    await this.pane.type(turn.prompt);
    await this.pane.shows(new RegExp(turn.handle.token), 'the prompt that was typed');
    const sentMs = await this.press(this.recipe.keys.submit);
    if (this.recipe.beginsByRequest !== true) return sentMs;
    this.unjudged('prompt sent', sentMs);
    return turn.at(0, 'requestAtMs');
  }

  press(keys: Keys): Promise<number> {
    return this.pane.press(keys);
  }

  /** The truth of a pane whose agent has ended. */
  get goneTruth(): Truth {
    return this.stage.isOpaque ? 'left' : 'no_agent';
  }

  /** From now on nothing is judged. */
  unjudged(step: string, atMs: number): void {
    this.#truths.push({ step, truth: null, atMs });
  }

  /** The truth since a moment, as a step that does not last. */
  brief(step: string, truth: Truth, atMs: number): void {
    this.#truths.push({ step, truth, atMs });
  }

  /** The truth since a moment, held long enough to be judged. Keeps the screen if it was missed. */
  async hold(step: string, truth: Truth, atMs: number, holdMs = HOLD_MS): Promise<void> {
    this.#truths.push({ step, truth, atMs });
    await pause(Math.max(0, atMs + holdMs - Date.now()));
    this.#endMs = Date.now();
    const { answer } = this.#record;
    if (!isRight(answer, truth)) await this.#keep(step, truth, answer);
  }

  /** Checks that a dialog is there before keys go to it. */
  async expectDialog(kind: 'approval' | 'question'): Promise<void> {
    await this.pane.shows(this.recipe.shows[kind], `a dialog (${kind})`, 5_000);
  }

  /** The changes of the pane that the client received. */
  get changes(): readonly AnswerChange[] {
    return this.#record.changes;
  }

  timeline(): Timeline {
    const { samples, changes } = this.#record;
    return {
      scenario: this.#scenario,
      truths: this.#truths,
      endMs: this.#endMs,
      samples,
      changes,
    };
  }

  /** A record of the corpus, labelled with the truth; only of panes of this machine. */
  async #keep(step: string, truth: Truth, answer: string): Promise<void> {
    mkdirSync(this.#mismatches, { recursive: true });
    const name = [this.recipe.name, this.#scenario, step].join('-').replaceAll(/[^\w.-]+/g, '_');
    const file = join(this.#mismatches, `${name}.json`);
    const label = truth.split('/')[0] ?? '';
    const ref = this.pane.paneId;
    const { live } = this.stage;
    await live.cli('record', ref, '--label', label, '--output', file);
    // The daemon does not know which version it looks at; the lab does.
    if (existsSync(file)) {
      const record = {
        ...JSON.parse(readFileSync(file, 'utf8')),
        agent_version: this.recipe.version,
      };
      writeFileSync(file, `${JSON.stringify(record, null, 1)}\n`);
    }
    const { out } = await live.cli('explain', ref);
    process.stdout.write(`wrong: ${name}: ${answer} in place of ${truth}; ${file}\n${out}\n`);
  }
}

/** An answer that streams until the gate is opened. */
export function streaming(text = 'I look at it.'): { readonly gate: Gate; readonly reply: Reply } {
  const gate = new Gate();
  return { gate, reply: { kind: 'text', text, until: gate } };
}
