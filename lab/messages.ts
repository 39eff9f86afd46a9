// `npm run lab:messages`: Claude Code and Codex get ten messages each while they work. The messages
// come while an answer streams and while a dialog is open; none may be typed before the turn is
// over, each is a prompt of its own, in order, and each is answered by the agent itself, which runs
// the line that the envelope names. A person approves that command, as the agents ask for it.
//   --messages 10 --agent claude,codex

import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { DaemonClient } from '../src/client/client.ts';
import { proveIdentity } from '../src/client/prove-identity.ts';
import { shellQuote } from '../src/platform/text/shell-quote.ts';
import { builtProgram } from '../tests/built-program.ts';
import { eventually } from '../tests/live/tmux-server.ts';
import { answerRequest, done, type Trial, untilState } from './acting-trial.ts';
import { recipes } from './agents/all.ts';
import { Drive, streaming, type Turn } from './drive.ts';
import { EffectTimes } from './effect.ts';
import type { ScriptHandle } from './fake-model/script.ts';
import { ensureInstalled } from './install.ts';
import { closeAllStages, Stage } from './stage.ts';

const { values: flags } = parseArgs({
  options: {
    agent: { type: 'string', default: 'claude,codex' },
    messages: { type: 'string', default: '10' },
  },
});

/** How long an agent that works is watched for a message that must not come. */
const HELD_MS = 4_000;
const ALL_MS = 240_000;
const LOOK_MS = 300;
/** Codex runs commands in a sandbox without our socket, unless the model wants them outside. */
const outside = { sandbox_permissions: 'require_escalated', justification: 'to reply' };
const say = (text: string): boolean => process.stdout.write(`${text}\n`);

interface Sent {
  readonly number: number;
  readonly messageId: string;
  readonly handle: ScriptHandle;
}

/** One agent, the messages that it was sent, and what it was doing meanwhile. */
class Recipient {
  readonly trial: Trial;
  readonly sent: Sent[] = [];
  readonly #party: string;
  readonly #reply: string;
  /** The turn that it was in when the messages came. */
  #turn: Turn | null = null;

  constructor(trial: Trial, party: string, reply: string) {
    this.trial = trial;
    this.#party = party;
    this.#reply = reply;
  }

  get name(): string {
    return this.trial.drive.recipe.name;
  }

  /** Sends so many, each with what the model will say to it: reply, then rest. */
  async send(count: number): Promise<void> {
    const { client, drive } = this.trial;
    for (let index = 0; index < count; index += 1) {
      const number = this.sent.length + 1;
      const input = { to: [this.#party], message: `question ${number}`, subject: 'Lab' };
      const { message } = await client.call('send_message', input);
      const { message_id: messageId } = message;
      const command = `${this.#reply} ${messageId} 'answer ${number} of ${this.name}'`;
      const args = { command, ...outside };
      const call = { kind: 'tool', tool: 'shell', args } as const;
      const handle = drive.stage.model.script(messageId, [call, done]);
      this.sent.push({ number, messageId, handle });
    }
  }

  /** Works: a stream, a dialog, another stream; messages come in each of them. */
  async work(total: number): Promise<void> {
    const { drive, client, ref } = this.trial;
    const [first, second] = [streaming(), streaming('And that is it.')];
    const command = `${drive.recipe.commands.asks.replace(/ && .*/, '')}; true`;
    const tool = { kind: 'tool', tool: 'shell', args: { command }, text: 'I look.' } as const;
    const turn = drive.script({ ...tool, until: first.gate }, second.reply);
    this.#turn = turn;
    await untilState(this.trial, 'idle', 'completed');
    await client.call('send', { ref, text: turn.prompt });
    await untilState(this.trial, 'running');
    const part = Math.floor(total / 3);
    await this.send(part);
    await this.#held('while its answer streams');
    first.gate.open();
    await untilState(this.trial, 'waiting_approval');
    await this.send(part);
    await this.#held('while its dialog is open');
    const problem = await answerRequest(this.trial, { role: 'approve' });
    if (problem !== null) throw new Error(problem);
    await untilState(this.trial, 'running');
    await this.send(total - 2 * part);
    await this.#held('while it goes on');
    second.gate.open();
    await turn.at(1, 'finishedAtMs');
  }

  async #held(when: string): Promise<void> {
    await pause(HELD_MS);
    const screen = await this.trial.drive.pane.screen();
    const early = this.sent.filter(({ handle }) => handle.requests.length > 0);
    if (early.length > 0 || screen.includes('--agtmux-')) {
      throw new Error(`${this.name} got a message ${when}:\n${screen}`);
    }
  }

  /** What went wrong, when every message was answered. */
  problems(answers: ReadonlyMap<string, string>): readonly string[] {
    const problems: string[] = [];
    let endMs = this.#turn?.handle.requests.at(-1)?.finishedAtMs ?? Number.POSITIVE_INFINITY;
    for (const { number, messageId, handle } of this.sent) {
      const [prompt, rest, ...more] = handle.requests;
      const about = `${this.name}, message ${number}`;
      if (!prompt || !rest || more.length > 0) {
        problems.push(`${about}: ${handle.requests.length} requests`);
        continue;
      }
      const said = prompt.userTexts.findLast((text) => text.includes(messageId)) ?? '';
      const isWhole = /--agtmux-([0-9a-f]{24})\n[\s\S]*\n\nquestion (\d+)\n--agtmux-\1--/.exec(
        said,
      );
      if (Number(isWhole?.[2]) !== number) problems.push(`${about}: its prompt was ${said}`);
      if (prompt.requestAtMs < endMs) problems.push(`${about}: it came before the rest`);
      endMs = rest.finishedAtMs ?? Number.POSITIVE_INFINITY;
      const answer = `answer ${number} of ${this.name}`;
      if (answers.get(messageId) !== answer) problems.push(`${about}: not answered`);
    }
    return problems;
  }

  /** Approves what is asked for, if it is a reply. */
  async approve(): Promise<boolean> {
    const { client, ref } = this.trial;
    const { requests } = await client.call('list_requests', { ref });
    const isReply = requests.some(({ detail }) => detail?.command?.includes(' msg reply '));
    if (!isReply) return false;
    // It may be over by now, or be drawn still: then it is looked at again.
    return (await answerRequest(this.trial, { role: 'approve' }).catch(String)) === null;
  }
}

/** `agtmux` as a command in this world. */
function commandIn({ live }: Stage): string {
  const file = join(live.folder, 'agtmux');
  const names = ['XDG_RUNTIME_DIR', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME'];
  const settings = names.map((name) => `export ${name}=${shellQuote(live.env[name] ?? '')}`);
  const run = `exec ${[process.execPath, ...builtProgram].map(shellQuote).join(' ')} "$@"`;
  writeFileSync(file, ['#!/bin/sh', ...settings, run, ''].join('\n'));
  chmodSync(file, 0o755);
  return file;
}

async function openRecipient(stage: Stage, client: DaemonClient): Promise<Recipient> {
  const pane = await stage.openPane(`messages-${randomBytes(2).toString('hex')}`);
  const mismatches = mkdtempSync(join(tmpdir(), 'agtmux-lab-wrong-'));
  const drive = new Drive(stage, pane, { scenario: 'messages', mismatches });
  await drive.start();
  const trial = { drive, client, ref: pane.paneId, isServed: false, effects: new EffectTimes() };
  await untilState(trial, 'idle', 'completed');
  const { panes } = await client.call('list_panes', {});
  const item = panes.find(({ identity }) => identity?.pane_id === pane.paneId);
  return new Recipient(trial, `runtime:${item?.runtime_id}`, `${commandIn(stage)} msg reply`);
}

async function run(): Promise<readonly string[]> {
  const total = Number(flags.messages);
  const chosen = flags.agent.split(',').flatMap((name) => recipes.filter((r) => r.name === name));
  const [first, ...others] = chosen;
  if (!first) throw new Error('no agent is named');
  const install = await ensureInstalled(first);
  await using stage = await Stage.open({ recipe: first, install, mode: 'without hooks' });
  // Each message is a prompt of its own, so that order and rest can be told for each.
  stage.live.configure('[messages]\nbatch_count_max = 1\n');
  const client = await stage.live.client(ALL_MS);
  await proveIdentity(client);
  const recipients = [await openRecipient(stage, client)];
  for (const recipe of others) {
    const beside = stage.alongside(recipe, await ensureInstalled(recipe));
    recipients.push(await openRecipient(beside, client));
  }
  await Promise.all(recipients.map((each) => each.work(total)));
  const answers = new Map<string, string>();
  await eventually(
    async () => {
      for (const each of recipients) await each.approve();
      await pause(LOOK_MS);
      const { messages } = await client.call('list_inbox', { limit: 200 });
      for (const { reply_to, body } of messages) if (reply_to) answers.set(reply_to, body);
      return recipients.every(({ sent }) => sent.every(({ messageId }) => answers.has(messageId)));
    },
    'every message is answered',
    ALL_MS,
  ).catch(async (error: unknown) => {
    for (const { trial, name } of recipients) say(`${name}:\n${await trial.drive.pane.screen()}`);
    throw error;
  });
  await Promise.all(
    recipients.map(({ sent }) => sent.at(-1)?.handle.reached(1, 'finishedAtMs', ALL_MS)),
  );
  for (const { name, sent } of recipients) say(`${name}: ${sent.length} messages answered`);
  return recipients.flatMap((each) => each.problems(answers));
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void closeAllStages().finally(() => process.exit(1)));
}
const problems = await run();
for (const problem of problems) say(`WRONG: ${problem}`);
say(problems.length === 0 ? 'none in a dialog or a turn, in order, all answered' : 'failed');
process.exitCode = problems.length === 0 ? 0 : 1;
