// `npm run lab:conversations`: a long talk with each real agent, and then its conversation as
// agtmux reads it, compared with what the fake model sent and received: everything once, in order.
//   --agent claude,codex --turns 30 --keep FOLDER --ssh
// Turns with texts, thoughts, tools, a question, a refusal and an Esc; a resume and a compaction
// come in between. With --keep the home of the agent, its transcripts in it, is copied there; with
// --ssh the agent is on another machine, which the daemon watches.

import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { DaemonClient } from '../src/client/client.ts';
import type { ConversationEntry } from '../src/schema/api/conversation.ts';
import type { AgentRecipe } from './agent.ts';
import { recipes } from './agents/all.ts';
import { compare, type Expected, openResults } from './conversation-compare.ts';
import { Drive, streaming, type Turn } from './drive.ts';
import type { Reply } from './fake-model/reply.ts';
import { ensureInstalled } from './install.ts';
import { closeAllStages, Stage } from './stage.ts';

const { values: flags } = parseArgs({
  options: {
    agent: { type: 'string', default: 'claude,codex,gemini,copilot,opencode,qwen,kilo' },
    turns: { type: 'string', default: '30' },
    keep: { type: 'string' },
    ssh: { type: 'boolean', default: false },
  },
});

const STEP_MS = 60_000;
const LOOK_MS = 100;
/** The transcript is behind the screen by less. */
const WRITTEN_MS = 20_000;
const PAGE = 500;
const say = (text: string): boolean => process.stdout.write(`${text}\n`);

type Kind = 'text' | 'thinking' | 'tool' | 'denial' | 'question' | 'escape';
const kinds: readonly Kind[] = ['text', 'tool', 'thinking', 'question', 'tool', 'text'];

/** How each goes on with its last session, and how it is told to compact. */
const resumeArgs: Readonly<Record<string, readonly string[]>> = {
  claude: ['--continue'],
  codex: ['resume', '--last'],
  gemini: ['--resume', 'latest'],
  copilot: ['--continue'],
  opencode: ['--continue'],
  kilo: ['--continue'],
  qwen: ['--continue'],
};
const compactCommands: Readonly<Record<string, string>> = {
  gemini: '/compress',
  qwen: '/compress',
};

class Talk {
  readonly #drive: Drive;
  readonly expected: Expected[] = [];

  constructor(drive: Drive) {
    this.#drive = drive;
  }

  async turn(kind: Kind): Promise<void> {
    const word = `word-${randomBytes(4).toString('hex')}`;
    const answer: Reply = { kind: 'text', text: `The answer is ${word}.` };
    if (kind === 'text') await this.#plain(answer, word);
    if (kind === 'thinking') {
      await this.#plain({ ...answer, kind: 'thinking', thinking: 'I think of it.' }, word);
    }
    if (kind === 'tool' || kind === 'denial') await this.#tool(kind === 'denial', answer, word);
    if (kind === 'question') await this.#question(answer, word);
    if (kind === 'escape') await this.#escape();
  }

  async compact(): Promise<void> {
    const { pane, recipe } = this.#drive;
    await pane.type(compactCommands[recipe.name] ?? '/compact');
    await pane.press(['pause', 'pause', 'Enter']);
    await pause(3_000);
    await pane.settled();
    this.expected.push({ what: 'compaction', kinds: ['compaction'], text: '', isSoft: true });
  }

  async #plain(reply: Reply, word: string): Promise<void> {
    const turn = await this.#submit(reply);
    await turn.at(0, 'finishedAtMs', STEP_MS);
    this.#expect('answer', ['text'], word);
    await this.#rest();
  }

  async #tool(isDenied: boolean, answer: Reply, word: string): Promise<void> {
    const { recipe, pane } = this.#drive;
    const output = `result-${word.slice(5)}`;
    const command = isDenied
      ? `rm -rf build; echo ${word}`
      : `rm -rf never; printf 'res%s\\n' ult-${word.slice(5)}`;
    const reply: Reply = { kind: 'tool', tool: 'shell', args: { command }, text: `Now ${word}a.` };
    const turn = await this.#submit(reply, answer);
    this.#expect('words before a call', ['text'], `${word}a`);
    this.#expect('call', ['tool_call'], word.slice(5));
    const isAsked = await this.#dialogOrRequest('approval', turn);
    if (isDenied && !isAsked) throw new Error('no dialog to refuse');
    if (isAsked) await pane.press(isDenied ? recipe.keys.deny : recipe.keys.approve);
    if (isDenied) {
      this.#expect('refusal', ['tool_result', 'interruption'], '', openResults);
      await pane.settled();
      if (await this.#hasRequest(turn, 1)) this.#expect('answer', ['text'], `is ${word}`);
    } else {
      await turn.at(1, 'finishedAtMs', STEP_MS);
      this.#expect('result', ['tool_result'], output);
      this.#expect('answer', ['text'], `is ${word}`);
    }
    await this.#rest();
  }

  async #question(answer: Reply, word: string): Promise<void> {
    const { recipe, pane } = this.#drive;
    if (!recipe.can.includes('question')) return this.#plain(answer, word);
    const args = { question: `Which ${word}?`, options: ['Red', 'Blue'], header: 'Colour' };
    const turn = await this.#submit({ kind: 'tool', tool: 'question', args }, answer);
    if (await this.#dialogOrRequest('question', turn)) await pane.press(recipe.keys.answer);
    await turn.at(1, 'finishedAtMs', STEP_MS);
    this.#expect('question', ['question'], `Which ${word}`);
    this.#expect('answer', ['text'], `is ${word}`);
    await this.#rest();
  }

  async #escape(): Promise<void> {
    const { gate, reply } = streaming();
    const turn = await this.#submit(reply);
    await turn.at(0, 'firstByteAtMs', STEP_MS);
    await pause(700);
    await this.#drive.press(this.#drive.recipe.keys.interrupt);
    await turn.at(0, 'abortedAtMs', STEP_MS);
    gate.open();
    this.#expect('Esc', ['interruption', 'error'], '');
    await this.#rest();
    // Some put the prompt back into the box.
    await this.#drive.press(['C-u']);
  }

  async #submit(...replies: readonly Reply[]): Promise<Turn> {
    const turn = this.#drive.script(...replies);
    const { pane, recipe } = this.#drive;
    await pane.type(turn.prompt);
    await pane.shows(new RegExp(turn.handle.token), 'the prompt that was typed');
    await pane.press(recipe.keys.submit);
    this.#expect('prompt', ['prompt'], turn.handle.token);
    await turn.at(0, 'requestAtMs', STEP_MS);
    return turn;
  }

  #expect(
    what: string,
    entryKinds: readonly ConversationEntry['kind'][],
    text: string,
    isFit?: Expected['isFit'],
  ): void {
    this.expected.push({ what, kinds: entryKinds, text, ...(isFit ? { isFit } : {}) });
  }

  /** True: the dialog is there. False: the tool ran without one. */
  async #dialogOrRequest(kind: 'approval' | 'question', turn: Turn): Promise<boolean> {
    const endMs = Date.now() + STEP_MS;
    while (Date.now() < endMs) {
      if (turn.handle.requests.length > 1) return false;
      if (this.#drive.recipe.shows[kind].test(await this.#drive.pane.screen())) {
        await pause(600);
        return turn.handle.requests.length < 2;
      }
      await pause(LOOK_MS);
    }
    throw new Error(`no ${kind}:\n${await this.#drive.pane.screen()}`);
  }

  async #hasRequest(turn: Turn, index: number): Promise<boolean> {
    return turn.at(index, 'finishedAtMs', 4_000).then(
      () => true,
      () => false,
    );
  }

  async #rest(): Promise<void> {
    await this.#drive.pane.settled();
    await pause(300);
  }
}

async function entriesOf(client: DaemonClient, ref: string): Promise<readonly ConversationEntry[]> {
  const entries: ConversationEntry[] = [];
  let after: string | undefined;
  for (;;) {
    const input = after === undefined ? { ref, from_start: true } : { ref, after };
    const page = await client.call('read_conversation', { ...input, limit: PAGE });
    entries.push(...page.entries);
    after = page.after;
    if (!page.has_more) return entries;
  }
}

/** Ends the agent and starts it again with its last session. */
async function again(drive: Drive, stage: Stage): Promise<void> {
  const { pane, recipe } = drive;
  for (const key of recipe.keys.exit) {
    if (/^(?:\/|exit)/.test(key)) await pane.type(key);
    else await pane.press([key]);
  }
  await pane.shows(/\$\s*$/, 'the shell', STEP_MS);
  await pause(1_000);
  await pane.type('clear');
  await pane.press(['Enter']);
  await pane.type(stage.startLine(pane, resumeArgs[recipe.name]));
  await pane.press(['Enter']);
  await pane.shows(recipe.readyAgain ?? recipe.ready, 'the resumed agent', STEP_MS);
  await pane.settled();
}

async function talkFor(drive: Drive, stage: Stage, talk: Talk): Promise<boolean> {
  const turns = Number(flags.turns);
  try {
    await drive.start();
    for (let turn = 0; turn < turns; turn += 1) {
      await talk.turn(kindOf(turn, turns));
      if (turn === Math.floor(turns * 0.6)) await again(drive, stage);
      if (turn === Math.floor(turns * 0.8)) await talk.compact();
    }
    return true;
  } catch (error) {
    say(`${drive.recipe.name}: the talk ended early: ${String(error)}`);
    return false;
  }
}

function kindOf(turn: number, turns: number): Kind {
  if (turn === Math.floor(turns / 3)) return 'denial';
  if (turn === Math.floor(turns / 2)) return 'escape';
  return kinds[turn % kinds.length] ?? 'text';
}

/** Read again until it is right, or until all that an agent writes later is there. */
async function readTalk(client: DaemonClient, ref: string, expected: readonly Expected[]) {
  const endMs = Date.now() + WRITTEN_MS;
  for (;;) {
    const entries = await entriesOf(client, ref).catch((error: unknown) => {
      say(`  ${String(error)}`);
      return [];
    });
    const { found, missing, repeated, misplaced } = compare(expected, entries);
    const wrong = [...missing, ...repeated, ...misplaced];
    if (wrong.length === 0 || Date.now() > endMs) return { entries, found, wrong };
    await pause(1_000);
  }
}

async function tryAgent(recipe: AgentRecipe): Promise<boolean> {
  const install = await ensureInstalled(recipe);
  const mode = flags.ssh ? 'over ssh' : 'without hooks';
  await using stage = await Stage.open({ recipe, install, mode });
  const pane = await stage.openPane(`talk-${randomBytes(2).toString('hex')}`);
  const mismatches = mkdtempSync(join(tmpdir(), 'agtmux-lab-wrong-'));
  const drive = new Drive(stage, pane, { scenario: 'talk', mismatches });
  const talk = new Talk(drive);
  const isWhole = await talkFor(drive, stage, talk);
  const client = await stage.live.client();
  const { panes } = await client.call('list_panes', { target: flags.ssh ? 'far' : 'local' });
  const shown = panes.find(({ identity }) => identity?.pane_id === pane.paneId);
  const ref = shown?.pane_key ?? pane.paneId;
  const { entries, found, wrong } = await readTalk(client, ref, talk.expected);
  if (flags.keep !== undefined) {
    const filter = (path: string): boolean => !/node_modules|\.sock$/.test(path);
    cpSync(stage.place.home, join(flags.keep, recipe.name), { recursive: true, filter });
  }
  const unknown = new Set(entries.flatMap((each) => (each.kind === 'unknown' ? [each.type] : [])));
  say(`${recipe.name}: ${found} of ${talk.expected.length} in ${entries.length} entries`);
  for (const each of wrong) say(`  ${each}`);
  if (unknown.size > 0) say(`  unknown: ${[...unknown].join(', ')}`);
  return isWhole && wrong.length === 0;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void closeAllStages().finally(() => process.exit(1)));
}
const names = flags.agent.split(',');
for (const recipe of recipes.filter(({ name }) => names.includes(name))) {
  const isRight = await tryAgent(recipe).catch((error: unknown) => {
    say(`${recipe.name}: ${String(error)}`);
    return false;
  });
  if (!isRight) process.exitCode = 1;
}
