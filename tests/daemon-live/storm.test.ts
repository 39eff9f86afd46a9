// A tmux server whose sessions come and go all the time, while the daemon is started on it over and
// over: a version that could die of a client which attaches gets none by default, and where the
// configuration wants one, none before it is quiet.

import { describe, expect, test } from 'vitest';
import { runBySocket } from '../../src/tmux/plain/socket-run.ts';
import { hasAttachFault } from '../../src/tmux/quiet-gate.ts';
import { repeats } from '../length.ts';
import { eventually, isTmuxMissing, type PrivateTmux } from '../live/tmux-server.ts';
import { LiveDaemon } from './live-daemon.ts';

const STARTS = repeats(40);
const TEST_MS = 60_000 + STARTS * 10_000;
/** The first makes sessions with a program, the others share the windows of `base`: faster. */
const LOOPS = 4;

/** Makes, renames and ends sessions as fast as tmux does it, until it is disposed of. */
class Churn implements AsyncDisposable {
  readonly #socketPath: string;
  readonly #loops: readonly Promise<void>[];
  readonly #beganMs = performance.now();
  #rounds = 0;
  #isOver = false;

  constructor({ socketPath }: PrivateTmux) {
    this.#socketPath = socketPath;
    this.#loops = Array.from({ length: LOOPS }, (_, loop) => this.#run(loop));
  }

  /** Sessions a second so far, each of which came, got another name and ended. */
  get rate(): number {
    return Math.round((1_000 * this.#rounds) / (performance.now() - this.#beganMs));
  }

  /** Each step is a command line of its own, so that tmux reports it by itself. */
  async #run(loop: number): Promise<void> {
    const [name, next] = [`x${loop}`, `y${loop}`];
    const windows = loop === 0 ? ['cat'] : ['-t', '=base'];
    const steps = [
      ['new-session', '-d', '-s', name, ...windows],
      ['rename-session', '-t', `=${name}:`, next],
      ['kill-session', '-t', `=${next}:`],
    ];
    while (!this.#isOver) {
      for (const step of steps) await runBySocket(this.#socketPath, [step], { deadlineMs: 30_000 });
      this.#rounds += 1;
    }
  }

  /** Rejects where the server has died. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
  }
}

describe.skipIf(isTmuxMissing)('a tmux server whose sessions come and go all the time', () => {
  test.for(['when_safe', 'always'] as const)(
    'survives each start of a daemon that attaches %s, and is watched meanwhile',
    { timeout: TEST_MS },
    async (attach, { annotate }) => {
      await using live = new LiveDaemon({ attach });
      live.tmux.newSession('stays');
      live.tmux.newSession('base');
      const serverPid = live.tmux.serverPid();
      const isFaulty = hasAttachFault(live.tmux.run('display-message', '-p', '#{version}'));
      const waits = isFaulty && attach === 'always';
      const daemonInfo = async () => (await live.client()).call('daemon_info', {});
      {
        await using churn = new Churn(live.tmux);
        for (let start = 0; start < STARTS; start += 1) {
          expect(await live.cli('daemon', 'start')).toMatchObject({ code: 0 });
          const listed = await live.cli('list', 'panes', '--json');
          expect(listed.out).toContain('stays');
          const { pid, servers } = await daemonInfo();
          if (waits) expect(servers[0]?.status).not.toBe('connected');
          expect(live.tmux.serverPid()).toBe(serverPid);
          await live.kill(pid, 'SIGKILL');
        }
        await annotate(`${churn.rate} sessions a second at ${STARTS} starts`);
        await live.cli('daemon', 'start');
        const why = async () => (await daemonInfo()).servers[0]?.detail?.includes('stop changing');
        if (waits) await eventually(why, 'it says why it does not attach');
      }
      await eventually(
        async () => (await daemonInfo()).servers[0]?.status === 'connected',
        'it is connected when the server is quiet',
      );
      expect(live.tmux.serverPid()).toBe(serverPid);
    },
  );
});
