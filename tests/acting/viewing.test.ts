// Commands that bring a person to an agent, in real terminals: view-output --follow and attach,
// each under the guards of an action.

import { type ChildProcess, spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { shellQuote } from '../../src/platform/text/shell-quote.ts';
import { builtProgram } from '../built-program.ts';
import { attachPerson } from '../live/tmux-person.ts';
import { eventually, type PrivateTmux } from '../live/tmux-server.ts';
import { isSshdMissing } from '../ssh/sshd.ts';
import { ActingLab } from './acting-lab.ts';

const commandOf = (...words: readonly string[]): string =>
  [process.execPath, ...builtProgram, ...words].map(shellQuote).join(' ');

/** A command of a person outside of tmux, in a terminal of its own. */
function openTerminal(lab: ActingLab, ...words: readonly string[]): ChildProcess {
  const env = { ...lab.live.env, TERM: 'xterm', SHELL: '/bin/sh' };
  const child = spawn('script', ['-qec', `exec ${commandOf(...words)}`, '/dev/null'], {
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** What the clients with a terminal show. */
const shownBy = (tmux: PrivateTmux): readonly string[] =>
  tmux
    .run('list-clients', '-F', '#{client_control_mode} #{pane_id}')
    .split('\n')
    .flatMap((line) => (line.startsWith('0 ') ? [line.slice(2)] : []));

/** An agent in a pane that is not the current one of its window, nor that of its session. */
async function openHidden(lab: ActingLab, session: string) {
  const paneId = lab.openShell(session);
  const pane = await lab.startAgent(paneId);
  lab.tmux.run('split-window', '-t', paneId, '-l', '5', 'cat');
  lab.tmux.run('new-window', '-t', `=${session}:`, 'cat');
  return { ref: pane.pane_key, paneId, pid: pane.pid ?? 0, runtime: pane.runtime_id ?? '' };
}

const guards = [
  [['--if-runtime', 'an-earlier-one'], 'E_RUNTIME_STALE'],
  [['--if-state', 'running'], 'E_PRECONDITION_FAILED'],
  [['--if-state', 'running', '--force-stale'], 'E_PRECONDITION_FAILED'],
] as const;

describe('here,', () => {
  let lab: ActingLab;
  beforeAll(async () => {
    lab = await ActingLab.open();
  }, 60_000);
  afterAll(() => lab[Symbol.asyncDispose]());

  function follow(ref: string, ...more: readonly string[]) {
    const child = spawn(
      process.execPath,
      [...builtProgram, 'view-output', ref, '--follow', ...more],
      { env: lab.live.env, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    onTestFinished(() => void child.kill('SIGKILL'));
    const printed = { out: '', err: '' };
    child.stdout.on('data', (bytes) => (printed.out += bytes));
    child.stderr.on('data', (bytes) => (printed.err += bytes));
    return { child, printed };
  }
  const hasEnded = ({ child }: { readonly child: ChildProcess }, code: number) =>
    eventually(() => child.exitCode !== null, 'it has ended').then(() =>
      expect(child.exitCode).toBe(code),
    );

  it('view-output --follow prints lines as they come, and ends with the agent', async () => {
    const ref = lab.openShell('followed');
    const { pid } = await lab.startAgent(ref);
    const followed = follow(ref, '--lines', '3');
    await eventually(() => followed.printed.out.includes('? for shortcuts'), 'what is there');
    for (const text of ['one more', 'and another']) {
      expect(followed.printed.out).not.toContain(text);
      await lab.client.call('send', { ref, text });
      await eventually(() => followed.printed.out.includes(`❯ ${text}\n`), text);
    }
    process.kill(pid ?? 0, 'SIGTERM');
    await hasEnded(followed, 0);
    // The shell that it leaves.
    expect(followed.printed.out.trimEnd()).toMatch(/● Done\.\n\n?(?:.*\n)*\$$/);
    expect(followed.printed.out).not.toContain('\u001b');
    expect(followed.printed.err).toBe('The agent has ended.\n');
  });

  it('view-output --follow of a flood has every line, in order, and ends at Ctrl-C', async () => {
    const ref = lab.openShell('flood');
    await eventually(async () => (await lab.pane(ref)) !== undefined, 'its row');
    const followed = follow(ref, '--lines', '1');
    await eventually(() => followed.printed.out.includes('$'), 'the prompt');
    lab.typeLine(ref, 'seq 1000 1900');
    await eventually(() => followed.printed.out.includes('\n1900\n'), 'the last line');
    const numbers = followed.printed.out.match(/^\d+$/gm);
    expect(numbers).toEqual(Array.from({ length: 901 }, (_, at) => `${1_000 + at}`));
    followed.child.kill('SIGINT');
    await hasEnded(followed, 130);
  });

  it('view-output --follow --json prints one object for each print', async () => {
    const ref = lab.openShell('objects');
    const { pid } = await lab.startAgent(ref);
    const followed = follow(ref, '--json');
    await eventually(() => followed.printed.out.includes('\n'), 'the first');
    await lab.client.call('send', { ref, text: 'as data' });
    await eventually(() => followed.printed.out.includes('as data'), 'the second');
    process.kill(pid ?? 0, 'SIGTERM');
    await hasEnded(followed, 0);
    const objects = followed.printed.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(objects.every(({ schema_version }) => schema_version === 1)).toBe(true);
    expect(objects.slice(1).flatMap(({ lines }) => lines)).toContain('❯ as data');
  });

  it('view-output and attach are refused by each guard, and not where it holds', async () => {
    const { ref, runtime } = await openHidden(lab, 'guarded');
    for (const [words, code] of guards) {
      for (const command of [['view-output'], ['attach', '--print'], ['attach']]) {
        const run = await lab.live.cli(...command, ref, ...words);
        expect(run).toMatchObject({ code: 75, out: '', err: expect.stringContaining(code) });
      }
    }
    const bare = await lab.live.cli('attach', ref);
    expect(bare).toMatchObject({ code: 64, out: '', err: expect.stringContaining('--print') });
    const holding = ['--if-runtime', runtime, '--if-updated-within', '1m', '--if-state', 'idle'];
    for (const command of [['view-output'], ['attach', '--print']]) {
      const run = await lab.live.cli(...command, ref, ...holding, '--force-stale');
      expect(run).toMatchObject({ code: 0, err: '' });
    }
  });

  it('attach inside tmux switches the client of the person to the very pane', async () => {
    const { ref, paneId } = await openHidden(lab, 'inside');
    const person = lab.openShell('person');
    const sessionId = lab.tmux.run('display-message', '-p', '-t', person, '#{session_id}');
    await attachPerson(lab.tmux, sessionId);
    expect(shownBy(lab.tmux)).toContain(person);
    const settings = Object.entries(lab.live.env).map(([name, value]) => `${name}='${value}'`);
    lab.typeLine(person, `env ${settings.join(' ')} ${commandOf('attach', ref)}`);
    await eventually(() => shownBy(lab.tmux).includes(paneId), 'the client shows the pane');
    expect(shownBy(lab.tmux)).not.toContain(person);
    lab.tmux.run('detach-client', '-s', '=inside');
  });

  it.each([['attach'], ['attach --print, run by a script,']])(
    '%s outside tmux attaches the terminal to the very pane',
    async (how) => {
      const { ref, paneId } = await openHidden(lab, how === 'attach' ? 'outside' : 'printed');
      if (how === 'attach') {
        openTerminal(lab, 'attach', ref);
      } else {
        const { out } = await lab.live.cli('attach', ref, '--print');
        const env = { ...lab.live.env, TERM: 'xterm', SHELL: '/bin/sh' };
        const child = spawn('script', ['-qec', out, '/dev/null'], {
          env,
          stdio: ['pipe', 'ignore', 'ignore'],
        });
        onTestFinished(() => void child.kill('SIGKILL'));
      }
      await eventually(() => shownBy(lab.tmux).includes(paneId), 'a client shows the pane');
    },
  );
});

describe.skipIf(isSshdMissing)('on another machine,', () => {
  let lab: ActingLab;
  beforeAll(async () => {
    lab = await ActingLab.open({ isRemote: true });
  }, 60_000);
  afterAll(() => lab[Symbol.asyncDispose]());

  it('attach outside tmux attaches there to the very pane, over ssh', async () => {
    const { ref, paneId } = await openHidden(lab, 'far-away');
    openTerminal(lab, 'attach', ref);
    await eventually(() => shownBy(lab.tmux).includes(paneId), 'a client shows the pane');
    const printed = await lab.live.cli('attach', ref, '--print');
    expect(printed).toMatchObject({ code: 0, out: expect.stringMatching(/^ssh -F \S+ -t /) });
    for (const [words, code] of guards) {
      const run = await lab.live.cli('attach', '--print', ref, ...words);
      expect(run).toMatchObject({ code: 75, out: '', err: expect.stringContaining(code) });
    }
  });
});
