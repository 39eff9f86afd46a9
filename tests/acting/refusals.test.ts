// The table of what stands against an action: on a live daemon, by the command line. Each action
// that applies prints the documented code with what to do, exits as documented, and does nothing in
// any pane.

import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { type ProblemCode, problemOf } from '../../src/schema/problem.ts';
import { canMount, fill, mountState } from '../daemon-live/small-disk.ts';
import { eventually, isAlive, isTmuxMissing } from '../live/tmux-server.ts';
import { isSshdMissing } from '../ssh/sshd.ts';
import { ActingLab, SSH_TARGET } from './acting-lab.ts';

/** Longer than an action takes to begin on a busy machine. */
const SNAPSHOT_MS = 3_000;

const actions = {
  send: ['send', '--text', 'never'],
  key: ['send', '--key', 'Enter'],
  approve: ['approve'],
  answer: ['answer', '--option', 'No'],
  interrupt: ['interrupt'],
  kill: ['kill', '--signal', 'KILL', '--yes'],
} as const;
type Action = keyof typeof actions;
type Codes = Readonly<Partial<Record<Action, ProblemCode>>>;

const typing: readonly Action[] = ['send', 'key', 'approve', 'answer', 'interrupt'];
const every: readonly Action[] = [...typing, 'kill'];
const all = (code: ProblemCode, which: readonly Action[] = every): Codes =>
  Object.fromEntries(which.map((each) => [each, code]));
/** Where no dialog can be open there is no request to answer. */
const unasked = { approve: 'E_NO_DIALOG', answer: 'E_NO_DIALOG' } as const;

interface Aim {
  readonly ref: string;
  /** Of the request that is answered. */
  readonly request?: string;
  /** More words on the command line. */
  readonly guards?: readonly string[];
}

/** Runs an action; `CODE exit`, where what it prints is that code and what to do. */
async function refusalOf(lab: ActingLab, action: Action, aim: Aim): Promise<string> {
  const { ref, request = 'none', guards = [] } = aim;
  const [command, ...words] = actions[action];
  const named = action === 'approve' || action === 'answer' ? ['--request', request] : [];
  const run = await lab.live.cli(command, ref, ...words, ...named, ...guards);
  const [, code = '', hint] = /^(\w+): .+\n(.+)\n/.exec(run.err) ?? [];
  if (code === '') return `exit ${run.code}: ${run.out}${run.err}`;
  const isKnown = code === 'E_REF_AMBIGUOUS' || hint === problemOf(code as ProblemCode).hint;
  return `${code} ${run.code}${isKnown ? '' : ` ${hint}`}`;
}

/** The same over one connection: on a busy machine, six commands take long to begin. */
async function calledRefusals(lab: ActingLab, { ref, request: request_id }: Asking) {
  const { client } = lab;
  const call: Readonly<Record<Action, () => Promise<unknown>>> = {
    send: () => client.call('send', { ref, text: 'never' }),
    key: () => client.call('press', { ref, keys: ['Enter'] }),
    approve: () => client.call('choose', { ref, request_id, choice: { role: 'approve' } }),
    answer: () => client.call('choose', { ref, request_id, choice: { label: 'No' } }),
    interrupt: () => client.call('interrupt', { ref }),
    kill: () => client.call('kill', { ref, signal: 'KILL' }),
  };
  const found = await Promise.all(
    every.map((each) =>
      call[each]().then(
        () => [each, 'done'],
        ({ code }: { readonly code: string }) => [each, code],
      ),
    ),
  );
  return Object.fromEntries(found);
}

/** Whatever an action could have left behind. */
function traces(lab: ActingLab): object {
  const panes = lab.tmux.run('list-panes', '-a', '-F', '#{pane_id} #{pane_dead}').split('\n');
  const screens = panes.map((line) => [line, lab.screen(line.split(' ')[0] ?? '')]);
  return { screens, received: lab.received(), buffers: lab.tmux.run('list-buffers') };
}

async function expectRefused(lab: ActingLab, aim: Aim, codes: Codes): Promise<void> {
  const names = Object.keys(codes) as Action[];
  const found = await Promise.all(names.map((each) => refusalOf(lab, each, aim)));
  const expected = names.map((each) => {
    const { code, exitCode } = problemOf(codes[each] ?? expect.fail('no code'));
    return `${code} ${exitCode}`;
  });
  expect(Object.fromEntries(names.map((each, at) => [each, found[at]]))).toEqual(
    Object.fromEntries(names.map((each, at) => [each, expected[at]])),
  );
}

/** An agent that asks, and the request that it has. */
async function openAsking(lab: ActingLab, paneId: string): Promise<Asking> {
  const { pane_key: ref } = await lab.startAgent(paneId);
  await lab.client.call('send', { ref, text: 'ask' });
  await lab.untilState(paneId, ['waiting_approval']);
  const { requests } = await lab.client.call('list_requests', { ref });
  const { request_id: request, pane } = requests[0] ?? expect.fail('no request');
  return { ref, paneId, request, pid: pane.pid ?? 0, runtime: `runtime:${pane.runtime_id}` };
}

interface Idle {
  readonly ref: string;
  readonly pid: number;
  readonly runtime: string;
}

interface Asking extends Idle {
  readonly paneId: string;
  readonly request: string;
}

describe.skipIf(isTmuxMissing)('an action is refused, and changes nothing,', () => {
  let lab: ActingLab;
  let asking: Asking;
  let replaced: Asking;
  const idle = new Map<string, Idle>();
  beforeAll(async () => {
    lab = await ActingLab.open({
      prepare: (live) => live.configure(`[engine]\naction_snapshot = "${SNAPSHOT_MS}ms"\n`),
    });
    const ref = lab.openShell('asking');
    // It shares the window, and would get what is typed into all of it.
    lab.tmux.run('split-window', '-d', '-l', '5', '-t', ref, "exec env PS1='$ ' bash --norc");
    const names = ['rests', 'ended', 'respawned', 'dead'];
    const opened = await Promise.all(names.map(openIdle));
    for (const [at, pane] of opened.entries()) idle.set(names[at] ?? '', pane);
    const shell = lab.openShell('replaced');
    [asking, replaced] = await Promise.all([openAsking(lab, ref), openAsking(lab, shell)]);
  }, 60_000);
  afterAll(() => lab[Symbol.asyncDispose]());

  async function expectNothing(aim: Aim, codes: Codes): Promise<void> {
    const before = traces(lab);
    await expectRefused(lab, aim, codes);
    expect(traces(lab)).toEqual(before);
    expect(isAlive(asking.pid)).toBe(true);
  }

  async function openIdle(session: string): Promise<Idle> {
    const ref = lab.openShell(session);
    const { pid, runtime_id: runtime } = await lab.startAgent(ref);
    return { ref, pid: pid ?? 0, runtime: `runtime:${runtime}` };
  }

  const agentOf = (name: string): Idle => idle.get(name) ?? expect.fail(name);

  async function end({ ref, pid }: Pick<Idle, 'ref' | 'pid'>): Promise<void> {
    process.kill(pid, 'SIGTERM');
    await eventually(() => lab.screen(ref).includes('$'), 'its shell is back');
  }

  const untilUnmanaged = (paneId: string) =>
    eventually(async () => (await lab.pane(paneId))?.presence !== 'managed', 'no agent is there');

  it('where no pane has the name, and where several have it', async () => {
    await expectNothing({ ref: 'nowhere:7.7' }, all('E_REF_NOT_FOUND'));
    await expectNothing({ ref: 'claude' }, all('E_REF_AMBIGUOUS'));
  });

  it.each([
    ['another state', ['--if-state', 'idle'], 'E_PRECONDITION_FAILED'],
    ['another runtime', ['--if-runtime', 'an-earlier-one'], 'E_RUNTIME_STALE'],
  ] as const)('where %s was meant, whatever is forgiven', async (_, guards, code) => {
    await expectNothing({ ...asking, guards: [...guards, '--force-stale'] }, all(code));
  });

  it.each([
    ['copy mode is on', ['copy-mode'], ['copy-mode', '-q'], 'E_PANE_MODE'],
    ['its input is off', ['select-pane', '-d'], ['select-pane', '-e'], 'E_PANE_INPUT_OFF'],
    [
      'panes share their input',
      ['set-option', '-w', 'synchronize-panes', 'on'],
      ['set-option', '-w', 'synchronize-panes', 'off'],
      'E_PANE_SYNCHRONIZED',
    ],
  ] as const)('where %s', async (_, [on, ...onWords], [off, ...offWords], code) => {
    lab.tmux.run(on, '-t', asking.paneId, ...onWords);
    await expectNothing(asking, all(code, typing));
    lab.tmux.run(off, '-t', asking.paneId, ...offWords);
  });

  it('where a dialog is open, and another request was meant', async () => {
    const codes = all('E_DIALOG_OPEN', ['send', 'key', 'interrupt']);
    await expectNothing({ ref: asking.ref }, { ...codes, ...unasked });
  });

  it('where the agent rests', async () => {
    const { ref } = agentOf('rests');
    await expectNothing({ ref }, { ...unasked, interrupt: 'E_PRECONDITION_FAILED' });
  });

  it('where the agent has ended, and a shell is left', async () => {
    const { ref, pid, runtime } = agentOf('ended');
    await end({ ref, pid });
    await untilUnmanaged(ref);
    await expectNothing({ ref }, { ...all('E_NO_AGENT'), ...unasked });
    await expectNothing({ ref: runtime }, all('E_RUNTIME_STALE'));
  });

  it('where another agent took its place', async () => {
    const { paneId: ref, ...first } = replaced;
    await end({ ref, pid: first.pid });
    await untilUnmanaged(ref);
    const { request } = await openAsking(lab, ref);
    await expectNothing({ ref: first.runtime, request }, all('E_RUNTIME_STALE'));
    const [, id = ''] = first.runtime.split(':');
    await expectNothing({ ref, request, guards: ['--if-runtime', id] }, all('E_RUNTIME_STALE'));
  });

  it('where another program took the pane', async () => {
    const { ref, runtime } = agentOf('respawned');
    lab.tmux.run('respawn-pane', '-k', '-t', ref, "exec env PS1='$ ' bash --norc");
    await untilUnmanaged(ref);
    await eventually(() => lab.screen(ref).includes('$'), 'its shell');
    await expectNothing({ ref: runtime }, all('E_RUNTIME_STALE'));
  });

  it('where the program of the pane is dead, even by force', async () => {
    const { ref, pid, runtime } = agentOf('dead');
    lab.tmux.run('set-option', '-w', '-t', ref, 'remain-on-exit', 'on');
    // Its shell, and with it the terminal.
    process.kill(pid, 'SIGKILL');
    lab.typeLine(ref, 'exit');
    const isDead = () => lab.tmux.run('display-message', '-p', '-t', ref, '#{pane_dead}') === '1';
    await eventually(isDead, 'a dead pane');
    await untilUnmanaged(ref);
    await expectNothing({ ref }, { ...all('E_NO_AGENT'), ...unasked });
    await expectNothing({ ref: runtime }, all('E_RUNTIME_STALE'));
    const forced = { ref, guards: ['--force'] };
    await expectNothing(forced, all('E_RUNTIME_STALE', ['send', 'key']));
  });

  it('where it waited for so long that its snapshot has expired', async () => {
    const before = traces(lab);
    const known = async () =>
      (await lab.client.call('list_actions', { ref: asking.ref, limit: 100 })).actions.length;
    const count = await known();
    const server = lab.tmux.serverPid();
    process.kill(server, 'SIGSTOP');
    try {
      // It waits for tmux, and the others wait for it.
      const first = lab.client.call('interrupt', { ref: asking.ref }).catch(() => null);
      await eventually(async () => (await known()) === count + 1, 'the first has begun');
      const refused = calledRefusals(lab, asking);
      await eventually(async () => (await known()) === count + 1 + every.length, 'all wait');
      const { actions: open } = await lab.client.call('list_actions', { ref: asking.ref });
      const lastMs = Math.max(...open.map(({ asked_at }) => Date.parse(asked_at)));
      await eventually(() => Date.now() > lastMs + SNAPSHOT_MS, 'their snapshots have expired');
      process.kill(server, 'SIGCONT');
      await first;
      expect(await refused).toEqual(all('E_SNAPSHOT_EXPIRED'));
    } finally {
      process.kill(server, 'SIGCONT');
    }
    expect(traces(lab)).toEqual(before);
  });

  it('where the pane was not seen for a while', async () => {
    await lab.untilState(asking.paneId, ['waiting_approval']);
    const before = traces(lab);
    const server = lab.tmux.serverPid();
    process.kill(server, 'SIGSTOP');
    try {
      const guards = ['--if-updated-within', '1ms'];
      await expectRefused(lab, { ...asking, guards }, all('E_PRECONDITION_FAILED'));
    } finally {
      process.kill(server, 'SIGCONT');
    }
    expect(traces(lab)).toEqual(before);
  });
});

test.skipIf(isTmuxMissing || !canMount())(
  'an action that the audit trail has no room for is refused, and changes nothing',
  async () => {
    const disks: Disposable[] = [];
    const folders: string[] = [];
    await using lab = await ActingLab.open({
      prepare: (live) => {
        const mounted = mountState(live, '4m');
        disks.push(mounted);
        folders.push(mounted.disk);
      },
    });
    using _ = disks[0];
    const asking = await openAsking(lab, lab.openShell('asking'));
    fill(folders[0] ?? '');
    const before = traces(lab);
    await expectRefused(lab, asking, all('store_full'));
    expect(traces(lab)).toEqual(before);
    expect(isAlive(asking.pid)).toBe(true);
  },
  60_000,
);

test.skipIf(isTmuxMissing || isSshdMissing)(
  'an action on a host that is down is refused by that, and changes nothing there',
  async () => {
    await using lab = await ActingLab.open({ isRemote: true });
    const asking = await openAsking(lab, lab.openShell('asking'));
    await lab.remote?.sshd.stop();
    const isDown = async () => {
      const { targets } = await lab.client.call('list_targets', {});
      return targets.some(({ name, health }) => name === SSH_TARGET && health === 'down');
    };
    await eventually(isDown, 'it is down');
    const before = traces(lab);
    await expectRefused(lab, asking, all('E_TARGET_UNREACHABLE'));
    expect(traces(lab)).toEqual(before);
    expect(isAlive(asking.pid)).toBe(true);
  },
  60_000,
);
