// `npm run lab:acp`: real agents over ACP against the fake model. A prompt, a permission approved
// and denied from the inbox, a cancel, an error, kill -9 in a turn and the session loaded after it.
// Each state is compared with the moment at which the agent wrote the message that proves it.
//   --agent gemini,opencode,copilot --rounds 3

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { DaemonClient } from '../src/client/client.ts';
import { LiveDaemon, wordOf } from '../tests/daemon-live/live-daemon.ts';
import { eventually } from '../tests/live/tmux-server.ts';
import type { AgentRecipe, LabPlace } from './agent.ts';
import { recipes } from './agents/all.ts';
import { FakeModel } from './fake-model/fake-model.ts';
import { Gate } from './fake-model/gate.ts';
import type { Reply } from './fake-model/reply.ts';
import type { ScriptHandle } from './fake-model/script.ts';
import { ensureInstalled } from './install.ts';

const { values: flags } = parseArgs({
  options: {
    agent: { type: 'string', default: 'gemini,opencode,copilot' },
    rounds: { type: 'string', default: '3' },
  },
});

const STATE_MS = 40_000;
const START_MS = 60_000;
/** Gemini CLI is not started again in the minute in which its session began. */
const AGAIN_MS = 90_000;
const LAG_MS_MAX = 300;
const tee = join(import.meta.dirname, 'acp-tee.mjs');
const say = (text: string): boolean => process.stdout.write(`${text}\n`);
const done: Reply = { kind: 'text', text: 'Done.' };

/** What makes an agent speak ACP, after its own command line. */
const acpWords: Readonly<Record<string, readonly string[]>> = {
  gemini: ['--acp'],
  opencode: ['acp'],
  copilot: ['--acp'],
  qwen: ['--acp'],
  kilo: ['acp'],
};

const foldersIn = (home: string): Readonly<Record<string, string>> => ({
  XDG_CONFIG_HOME: join(home, '.config'),
  XDG_DATA_HOME: join(home, '.local', 'share'),
  XDG_STATE_HOME: join(home, '.local', 'state'),
  XDG_CACHE_HOME: join(home, '.cache'),
});

interface Noted {
  readonly atMs: number;
  readonly what: string;
  readonly detail?: string;
  readonly pid?: number;
}

/** One agent over ACP: its daemon, its model, and what was published of it. */
class AcpLab {
  readonly name: string;
  readonly ref: string;
  readonly live: LiveDaemon;
  readonly model: FakeModel;
  readonly client: DaemonClient;
  readonly work: string;
  readonly lags: number[] = [];
  readonly #samples: { readonly atMs: number; readonly word: string }[] = [];
  readonly #noteFile: string;

  constructor(
    parts: Pick<AcpLab, 'name' | 'live' | 'model' | 'client' | 'work'>,
    subscriber: DaemonClient,
  ) {
    this.name = parts.name;
    this.live = parts.live;
    this.model = parts.model;
    this.client = parts.client;
    this.work = parts.work;
    this.ref = `local|acp|${parts.name}`;
    this.#noteFile = join(parts.live.folder, 'acp-notes');
    writeFileSync(this.#noteFile, '');
    void this.#follow(subscriber).catch(() => {});
  }

  async start(recipe: AgentRecipe, place: LabPlace): Promise<number> {
    const { argv, env } = recipe.start(place);
    const command = [...argv, ...(acpWords[recipe.name] ?? [])];
    const beganMs = performance.now();
    await this.client.call('start_acp_member', {
      ...{ name: this.name, agent: recipe.name, cwd: this.work },
      argv: [process.execPath, tee, this.#noteFile, ...command],
      // The daemon of a test has folders of its own; the agent is seeded in its home.
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', ...foldersIn(place.home), ...env },
      start_timeout_ms: START_MS,
    });
    await this.ready();
    return Math.round(performance.now() - beganMs);
  }

  ready(): Promise<unknown> {
    return eventually(
      async () => {
        const { status, detail, stderr } = await this.member();
        if (status === 'failed' || status === 'auth_required')
          throw new Error(`${status}: ${detail} ${stderr}`);
        return status === 'ready';
      },
      `${this.name} is ready`,
      START_MS,
    );
  }

  async member() {
    const { members } = await this.client.call('list_acp_members', {});
    const found = members.find(({ name }) => name === this.name);
    if (!found) throw new Error('no member');
    return found;
  }

  script(...replies: readonly Reply[]): { readonly handle: ScriptHandle; readonly prompt: string } {
    const token = `tok-${randomBytes(4).toString('hex')}`;
    return { handle: this.model.script(token, replies), prompt: `${token} go on` };
  }

  async send(text: string): Promise<number> {
    const atMs = Date.now();
    const report = await this.client.call('send', { ref: this.ref, text });
    if (report.result !== 'delivered') throw new Error(`${report.result}: ${report.detail}`);
    return atMs;
  }

  notes(): readonly Noted[] {
    const lines = readFileSync(this.#noteFile, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as Noted);
  }

  /** When the agent wrote the next message of this kind. */
  noted(what: readonly string[], sinceMs: number, withinMs = STATE_MS): Promise<Noted> {
    return eventually(
      () => this.notes().find((each) => each.atMs >= sinceMs && what.includes(each.what)),
      `${this.name} writes ${what.join(' or ')}`,
      withinMs,
    );
  }

  /** The state is published, and not later than it may be. */
  async becomes(word: string, truthMs: number): Promise<void> {
    const found = await eventually(
      () => this.#samples.find((each) => each.word === word && each.atMs >= truthMs - 5),
      `${this.name} is ${word}`,
      STATE_MS,
    ).catch((error: unknown) => {
      const last = this.#samples.slice(-4).map((each) => `${each.word}@${each.atMs - truthMs}`);
      throw new Error(`${error}; it was ${last.join(', ')}`);
    });
    const lagMs = found.atMs - truthMs;
    this.lags.push(Math.max(0, lagMs));
    if (lagMs > LAG_MS_MAX) throw new Error(`${word} came after ${lagMs} ms`);
  }

  async #follow(subscriber: DaemonClient): Promise<void> {
    for await (const message of subscriber.subscribe({})) {
      if (message.type !== 'snapshot' && message.type !== 'state_changed') continue;
      for (const pane of message.data.panes) {
        if (pane.pane_key !== this.ref) continue;
        this.#samples.push({ atMs: Date.now(), word: wordOf(pane) });
      }
    }
  }
}

type Check = (lab: AcpLab) => Promise<void>;

const prompted: Check = async (lab) => {
  const { handle, prompt } = lab.script(done);
  const sentMs = await lab.send(prompt);
  await lab.becomes('running', sentMs);
  await lab.becomes('completed', (await lab.noted(['stop'], sentMs)).atMs);
  const [request] = handle.requests;
  if (!request?.userTexts.join('\n').includes(prompt)) throw new Error('the model has no prompt');
  if (!request.toolNames.some((each) => /agtmux/i.test(each))) {
    throw new Error(`our tools are missing: ${request.toolNames.join(' ')}`);
  }
};

const answered =
  (role: 'approve' | 'deny'): Check =>
  async (lab) => {
    const built = join(lab.work, 'build', 'out.txt');
    mkdirSync(join(lab.work, 'build'), { recursive: true });
    writeFileSync(built, 'built\n');
    const { prompt } = lab.script(
      { kind: 'tool', tool: 'shell', args: { command: 'rm -rf build', description: 'clean' } },
      done,
    );
    const sentMs = await lab.send(prompt);
    await lab.becomes(
      'waiting_approval',
      (await lab.noted(['session/request_permission'], sentMs)).atMs,
    );
    const { requests } = await lab.client.call('list_requests', { ref: lab.ref });
    const [request] = requests;
    if (!request) throw new Error('no request is in the inbox');
    const answeredMs = Date.now();
    const input = { ref: lab.ref, request_id: request.request_id, choice: { role } };
    const report = await lab.client.call('choose', input);
    if (report.result !== 'delivered') throw new Error(`${report.result}: ${report.detail}`);
    await lab.becomes('running', answeredMs);
    const stop = await lab.noted(['stop'], answeredMs);
    await lab.becomes(stop.detail === 'cancelled' ? 'idle/interrupted' : 'completed', stop.atMs);
    if (existsSync(built) === (role === 'approve')) throw new Error(`wrong effect of ${role}`);
  };

const cancelled: Check = async (lab) => {
  const gate = new Gate();
  const text = 'word '.repeat(400);
  const { handle, prompt } = lab.script({ kind: 'text', text, until: gate, chunkMs: 50 });
  await lab.send(prompt);
  await handle.reached(0, 'firstByteAtMs', STATE_MS);
  const askedMs = Date.now();
  const report = await lab.client.call('interrupt', { ref: lab.ref });
  if (report.result !== 'delivered') throw new Error(`${report.result}: ${report.detail}`);
  await lab.becomes('idle/interrupted', (await lab.noted(['stop'], askedMs)).atMs);
  gate.open();
};

const failed: Check = async (lab) => {
  const { prompt } = lab.script({ kind: 'error', status: 400, message: 'no such model' });
  const sentMs = await lab.send(prompt);
  await lab.becomes('error/api_error', (await lab.noted(['stop', 'error'], sentMs)).atMs);
};

const killed: Check = async (lab) => {
  const before = lab.script(done);
  const sentMs = await lab.send(before.prompt);
  await lab.noted(['stop'], sentMs);
  const { session_id: session } = await lab.member();
  const gate = new Gate();
  const { handle, prompt } = lab.script({
    kind: 'text',
    text: 'word '.repeat(400),
    until: gate,
    chunkMs: 50,
  });
  await eventually(async () => (await lab.member()).in_turn === false, 'it rests', STATE_MS);
  await lab.send(prompt);
  await handle.reached(0, 'firstByteAtMs', STATE_MS);
  const pid = lab.notes().findLast(({ what }) => what === 'pid')?.pid ?? 0;
  const killedMs = Date.now();
  process.kill(pid, 'SIGKILL');
  // A large process takes its time to go.
  await lab.becomes('error/crashed', (await lab.noted(['exit'], killedMs)).atMs);
  gate.open();
  const again = await lab.noted(['pid'], killedMs, AGAIN_MS);
  await lab.ready();
  const member = await lab.member();
  await eventually(
    async () => {
      const { panes } = await lab.client.call('list_panes', {});
      const pane = panes.find(({ pane_key }) => pane_key === lab.ref);
      return pane && wordOf(pane) === 'idle/interrupted';
    },
    'it is interrupted',
    STATE_MS,
  );
  if (member.session_id !== session) throw new Error(`another session: ${member.detail}`);
  const next = lab.script(done);
  const nextMs = await lab.send(next.prompt);
  await lab.becomes('completed', (await lab.noted(['stop'], nextMs)).atMs);
  const texts = next.handle.requests[0]?.userTexts.join('\n') ?? '';
  if (!texts.includes(before.prompt)) throw new Error('the session was not loaded');
  say(`  ${lab.name}: up again ${Date.now() - killedMs} ms after kill -9 (pid ${again.pid})`);
};

const checks: readonly (readonly [string, Check])[] = [
  ['prompt', prompted],
  ['approval', answered('approve')],
  ['denial', answered('deny')],
  ['cancel', cancelled],
  ['error', failed],
  ['kill -9', killed],
];

/** By default Gemini CLI deletes a session at the start after the one that loaded it. */
function keepSessions(home: string): void {
  const file = join(home, '.gemini', 'settings.json');
  const settings = JSON.parse(readFileSync(file, 'utf8'));
  const general = { ...settings.general, sessionRetention: { enabled: false } };
  writeFileSync(file, JSON.stringify({ ...settings, general }));
}

async function tryAgent(recipe: AgentRecipe): Promise<number> {
  const install = await ensureInstalled(recipe);
  await using model = await FakeModel.start();
  await using live = new LiveDaemon();
  live.tmux.newSession('home', 'cat');
  const work = join(live.folder, 'work');
  mkdirSync(work);
  const home = live.env['HOME'] ?? '';
  const place: LabPlace = { home, work, install, modelUrl: model.url, hasHooks: false };
  recipe.seed(place);
  if (recipe.name === 'gemini') keepSessions(home);
  await live.start();
  const client = await live.client(90_000);
  const lab = new AcpLab({ name: recipe.name, live, model, client, work }, await live.client());
  say(`${recipe.name}: ready after ${await lab.start(recipe, place)} ms`);
  let failures = 0;
  for (let round = 1; round <= Number(flags.rounds); round += 1) {
    for (const [name, check] of checks) {
      const problem = await check(lab).then(
        () => null,
        (error: unknown) => String(error),
      );
      if (problem !== null) failures += 1;
      say(`${recipe.name} ${round} ${name}: ${problem ?? 'right'}`);
      if (problem !== null) {
        await client.call('interrupt', { ref: lab.ref }).catch(() => null);
        await lab.ready().catch(() => null);
      }
    }
  }
  const sorted = lab.lags.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? -1;
  const figures = `median ${at(0.5)} ms, worst ${at(1)} ms after the agent`;
  say(`${recipe.name}: ${sorted.length} states, ${figures}`);
  await client.call('stop_acp_member', { name: recipe.name });
  return failures;
}

const names = flags.agent.split(',');
for (const recipe of recipes.filter(({ name }) => names.includes(name))) {
  if ((await tryAgent(recipe)) > 0) process.exitCode = 1;
}
