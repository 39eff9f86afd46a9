// What agents may do to each other beside messages, in real panes: who approves what others ask,
// who starts and ends them. What was started by whom outlives the daemon.

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import type { DaemonClient } from '../../src/client/client.ts';
import { proveIdentity } from '../../src/client/prove-identity.ts';
import { shellQuote } from '../../src/platform/text/shell-quote.ts';
import type { Received } from '../acting/acting-lab.ts';
import { builtProgram } from '../built-program.ts';
import { eventually } from '../live/tmux-server.ts';
import { TeamLab } from '../teams/team-lab.ts';

const LONG_MS = 180_000;
const STEP_MS = 60_000;

const controls = (id: string, more: string) => `[[policies]]
id = "${id}"
[policies.controls]
find = "self"
list = "all:home"
look = "all:home"
send = "all:home"
${more}`;
const policies = `format-version = 1
default = "team"
${controls('team', '')}
${controls('lead', 'approve = "all:home"\nspawn = "all:home"\nraww = "all:home"\n')}`;

let lab: TeamLab;
let client: DaemonClient;
/** The command as a person of the lab has it; panes of the usual tmux have another environment. */
function agtmux(): string {
  const names = Object.keys(lab.live.env).filter((name) => /^(?:HOME|XDG_\w+)$/.test(name));
  const env = names.map((name) => `${name}=${shellQuote(lab.live.env[name] ?? '')}`);
  return [...env, ...[process.execPath, ...builtProgram].map(shellQuote)].join(' ');
}
const logOf = (member: string): string => join(lab.live.folder, `${member}.log`);

/** A member that asks what its prompts say, and writes down what was chosen. */
function asker(member: string): string {
  writeFileSync(logOf(member), '');
  const script = join(root, 'tests/acting/fake-claude.mjs');
  const words = [join(lab.live.folder, 'bin', 'claude'), script, logOf(member)];
  return `exec ${words.map(shellQuote).join(' ')}`;
}
const chosen = (member: string) =>
  readFileSync(logOf(member), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => (JSON.parse(line) as Received).chosen ?? []);

beforeAll(async () => {
  lab = new TeamLab();
  mkdirSync(join(lab.live.folder, 'bin'), { recursive: true });
  symlinkSync(process.execPath, join(lab.live.folder, 'bin', 'claude'));
  lab.write('policies.toml', policies);
  lab.coders({
    shell: "exec env PS1='$ ' bash --norc --noprofile",
    worker: asker('worker'),
    helper: asker('helper'),
    other: asker('other'),
  });
  lab.bundle('red', [
    ['helper', 'helper'],
    ['lead', 'shell', lab.work, 'lead'],
    ['plain', 'shell'],
    ['worker', 'worker'],
  ]);
  lab.bundle('blue', [['other', 'other']]);
  await lab.live.start();
  for (const member of ['lead', 'plain', 'worker']) await lab.live.cli('spawn', `red/${member}`);
  await lab.run('up', 'blue');
  await connect();
}, LONG_MS);
afterAll(() => lab[Symbol.asyncDispose]());

async function connect(): Promise<void> {
  client = await lab.live.client(STEP_MS);
  await proveIdentity(client);
}

async function restartDaemon(): Promise<void> {
  const { pid } = await client.call('daemon_info', {});
  await lab.live.kill(pid, 'SIGKILL');
  await lab.live.start();
  await connect();
}

let commandCount = 0;
/** Has somebody run a line; its exit code and output. */
async function ran(line: string, run: (whole: string) => unknown) {
  commandCount += 1;
  const file = join(lab.live.folder, `command-${commandCount}`);
  writeFileSync(`${file}.sh`, `${line}\n`);
  await run(`sh ${file}.sh > ${file}.out 2>&1; echo $? > ${file}.code; mv ${file}.code ${file}`);
  await eventually(() => existsSync(file), `the command ended: ${line}`, STEP_MS);
  return { code: Number(readFileSync(file, 'utf8')), out: readFileSync(`${file}.out`, 'utf8') };
}

/** In the shell of a member. */
const as = (member: string, line: string) =>
  ran(line, (whole) => {
    lab.tmux(lab.socket('red'), 'send-keys', '-t', `=${member}:`, '-l', whole);
    lab.tmux(lab.socket('red'), 'send-keys', '-t', `=${member}:`, 'Enter');
  });
/** By an agent, as a tool of it. */
const byAgent = (ref: string, line: string) =>
  ran(line, (whole) => client.call('send', { ref, text: `run ${whole}` }));

const paneOf = async (member: string) => {
  const { panes } = await client.call('list_panes', {});
  return panes.find(({ identity }) => identity?.session_name === member);
};
const untilState = (member: string, state: string) =>
  eventually(async () => (await paneOf(member))?.state === state, `${member}: ${state}`, STEP_MS);

const refOf = (session: string): Promise<string> =>
  eventually(
    async () => {
      const pane = await paneOf(session);
      return pane && pane.agent !== null && pane.state !== 'unknown' ? pane.pane_key : null;
    },
    `${session} is known`,
    STEP_MS,
  );

/** Has an agent open a dialog; the words that name its pane, and that request too. */
async function asks(member: string): Promise<{ readonly pane: string; readonly request: string }> {
  const ref = await refOf(member);
  await client.call('send', { ref, text: 'ask' });
  await untilState(member, 'waiting_approval');
  // Another source may name it anew until all of it was read.
  const request = await eventually(
    async () => {
      const { requests } = await client.call('list_requests', { ref });
      return requests.find(({ detail }) => detail?.command !== undefined)?.request_id;
    },
    `${member} asks`,
    STEP_MS,
  );
  const pane = shellQuote(ref);
  return { pane, request: `${pane} --request ${shellQuote(request)}` };
}

describe('a request of another member', () => {
  it('is approved by whom a policy permits it, and by nobody else', {
    timeout: LONG_MS,
  }, async () => {
    const { pane, request } = await asks('worker');
    const denied = await as('plain', `${agtmux()} approve ${request}`);
    expect(denied.out).toContain('policies.toml: team: approve is not set');
    expect(denied.code).toBe(77);
    const raw = await as('plain', `${agtmux()} send ${pane} --text 1 --force`);
    expect([raw.code, raw.out]).toEqual([77, expect.stringContaining('approve is not set')]);
    expect(chosen('worker')).toEqual([]);
    const approved = await as('lead', `${agtmux()} approve ${request}`);
    expect(approved.out).toContain('chose');
    expect([approved.code, chosen('worker')]).toEqual([0, ['Yes']]);
    const far = await asks('other');
    const crossed = await as('lead', `${agtmux()} approve ${far.request}`);
    expect([crossed.code, crossed.out]).toEqual([
      77,
      expect.stringContaining('policies.toml: lead: approve = "all:home"'),
    ]);
    expect(chosen('other')).toEqual([]);
  });

  it('is in the audit trail under the member', { timeout: LONG_MS }, async () => {
    const { actions } = await client.call('list_actions', {});
    const answers = actions.filter(
      ({ kind, actor }) => kind === 'choose' && actor !== 'user:socket',
    );
    expect(answers.map(({ actor, result }) => [actor, result])).toEqual([
      ['member:red/lead', 'refused'],
      ['member:red/lead', 'delivered'],
      ['member:red/plain', 'refused'],
    ]);
  });
});

describe('a member that another member starts', () => {
  it('is refused without the control, and outside of the bundle', {
    timeout: LONG_MS,
  }, async () => {
    const denied = await as('plain', `${agtmux()} spawn red/helper`);
    expect([denied.code, denied.out]).toEqual([
      77,
      expect.stringContaining('policies.toml: team: spawn is not set'),
    ]);
    for (const what of [
      'bundle up blue',
      'bundle down blue --yes',
      'stop blue/other',
      'spawn sh',
    ]) {
      const crossed = await as('lead', `${agtmux()} ${what}`);
      expect([crossed.code, crossed.out]).toEqual([
        77,
        expect.stringContaining('policies.toml: lead: spawn = "all:home"'),
      ]);
    }
    expect(lab.sessions(lab.socket('red'))).not.toContain('helper owned');
  });

  it('gets no answer from it, also after a restart of the daemon', {
    timeout: LONG_MS,
  }, async () => {
    const started = await as('lead', `${agtmux()} spawn red/helper`);
    expect([started.code, started.out]).toEqual([0, expect.stringContaining('created helper')]);
    const { request } = await asks('helper');
    const refused = async () => {
      const own = await as('lead', `${agtmux()} approve ${request}`);
      expect(own.out).toContain('one of the two agents has started the other');
      expect(own.code).not.toBe(0);
      const raw = await as('lead', `${agtmux()} msg raw red/helper --text 1`);
      expect([raw.code === 0, raw.out]).toEqual([false, expect.stringContaining('E_DIALOG_OPEN')]);
    };
    await refused();
    await restartDaemon();
    await untilState('helper', 'waiting_approval');
    await refused();
    expect(chosen('helper')).toEqual([]);
    expect((await as('lead', `${agtmux()} stop red/helper --yes`)).code).toBe(0);
  });
});

describe('an agent in no bundle', () => {
  const start = (name: string): void =>
    void lab.live.tmux.newSession(name, asker(name).replace(/^exec /, ''));

  it('starts others and answers where config.toml says so', { timeout: LONG_MS }, async () => {
    for (const name of ['solo', 'peer']) start(name);
    const solo = await refOf('solo');
    const { request } = await asks('peer');
    const denied = await byAgent(solo, `${agtmux()} approve ${request}`);
    expect([denied.code, denied.out]).toEqual([77, expect.stringContaining('agents_may_answer')]);
    const spawn = await byAgent(solo, `${agtmux()} spawn sleep -- 1000`);
    expect([spawn.code, spawn.out]).toEqual([77, expect.stringContaining('agents_may_answer')]);
    lab.live.configure('[acting]\nagents_may_answer = true\n');
    await eventually(
      async () => (await byAgent(solo, `${agtmux()} approve ${request}`)).code === 0,
      'it may',
      STEP_MS,
    );
    expect(chosen('peer')).toEqual(['Yes']);
  });

  it('never answers for one that it has started by spawn', { timeout: LONG_MS }, async () => {
    const solo = await refOf('solo');
    const kid = asker('kid').replace(/^exec '[^']*' /, '');
    const words = `spawn ${join(lab.live.folder, 'bin', 'claude')} --name kid --dir / -- ${kid}`;
    const spawned = await byAgent(solo, `${agtmux()} ${words}`);
    expect([spawned.code, spawned.out]).toEqual([0, expect.stringContaining('kid: claude')]);
    const { request } = await asks('kid');
    const refused = async (): Promise<void> => {
      const own = await byAgent(await refOf('solo'), `${agtmux()} approve ${request}`);
      expect([own.code === 0, own.out]).toEqual([
        false,
        expect.stringContaining('one of the two agents has started the other'),
      ]);
    };
    await refused();
    await restartDaemon();
    await untilState('kid', 'waiting_approval');
    await refused();
    expect(chosen('kid')).toEqual([]);
    const other = await byAgent(await refOf('peer'), `${agtmux()} approve ${request}`);
    expect([other.code, chosen('kid')]).toEqual([0, ['Yes']]);
  });
});
