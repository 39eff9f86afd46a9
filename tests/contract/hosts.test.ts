// The contract of a host, over this machine and over ssh: how tmux is started, listed and captured
// there, whether a server listens, which processes run, and what files and folders hold.

import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { captureCommands, readCapture } from '../../src/tmux/capture.ts';
import { TmuxLink } from '../../src/tmux/link.ts';
import { listingCommand, readPaneListing } from '../../src/tmux/listing.ts';
import { runByProcess } from '../../src/tmux/plain/process-run.ts';
import { hasAttachFault } from '../../src/tmux/quiet-gate.ts';
import type { Reply } from '../../src/tmux-wire/control-parser.ts';
import { eventually, type PrivateTmux, privateTmux } from '../live/tmux-server.ts';
import { hostKinds, type TestedHost } from './hosts.ts';

const soon = { deadlineMs: 10_000 };
/** No process has it: the kernel gives out fewer. */
const NO_PID = 2 ** 22 + 1;

describe.each(hostKinds)('$kind', ({ isMissing, open }) => {
  describe.skipIf(isMissing)('as a host', () => {
    let tested: TestedHost;
    let tmux: PrivateTmux;
    let folder: string;
    beforeAll(async () => {
      tested = await open();
    });
    afterAll(() => tested?.[Symbol.asyncDispose]());
    beforeEach(() => {
      tmux = privateTmux();
      folder = mkdtempSync(join(tmpdir(), 'agtmux-contract-'));
    });
    afterEach(() => {
      tmux[Symbol.dispose]();
      rmSync(folder, { recursive: true });
    });

    const address = () => ({ socketPath: tmux.socketPath, host: tested.host });
    const panePid = (): number => Number(tmux.run('display-message', '-p', '#{pane_pid}'));

    it('runs a command of tmux with hostile words and returns its lines', async () => {
      tmux.newSession('one');
      const word = `a'b "c" $(d) ; é\\ #`;
      const replies = await runByProcess(
        address(),
        [
          ['set-option', '-g', '@word', word],
          ['display-message', '-p', '#{@word}'],
        ],
        soon,
      );
      expect(replies).toMatchObject([{ ok: true }, { ok: true }]);
      expect(Buffer.from(replies[1]?.lines[0] ?? '', 'latin1').toString('utf8')).toBe(word);
    });

    it('reports an error of tmux as a reply that is not ok', async () => {
      tmux.newSession('one');
      const [reply] = await runByProcess(address(), [['kill-session', '-t', '=none']], soon);
      expect(reply?.ok).toBe(false);
    });

    it('starts no server where none runs', async () => {
      const listing = runByProcess(address(), [['list-sessions']], soon);
      await expect(listing).rejects.toMatchObject({ code: 'tmux_gone' });
      expect(() => tmux.run('-N', 'list-sessions')).toThrow();
    });

    it.each([
      ['a control client', 'always', false],
      ['plain commands', 'when_safe', true],
    ] as const)('lists and captures panes by %s', async (_, attach, isPlain) => {
      tmux.newSession('one', `printf 'red \\033[31mline\\033[0m\\n'; exec cat`);
      await using link = new TmuxLink({ ...address(), attach });
      link.start();
      await eventually(() => link.status.state === 'connected', 'the link is connected');
      const isFaulty = hasAttachFault(tmux.run('display-message', '-p', '#{version}'));
      expect(tmux.run('list-clients') === '').toBe(isPlain && isFaulty);
      const [reply] = await link.run([listingCommand()], soon);
      const { panes } = readPaneListing(reply as Reply);
      expect(panes).toMatchObject([{ paneId: '%0', sessionName: 'one', panePid: panePid() }]);
      const screen = await eventually(async () => {
        const captured = readCapture(await link.run(captureCommands('%0'), soon));
        return captured?.lines[0] === 'red line' ? captured : null;
      }, 'the line is captured');
      expect(screen).toMatchObject({ cols: 80, rows: 24, isStyled: true });
      expect(screen.ansi).toContain('\u001b[31m');
    });

    it('distinguishes a socket with a server from one without, and from no socket', async () => {
      const { signal } = new AbortController();
      const probe = () => tested.host.probe(tmux.socketPath, signal);
      expect(await probe()).toMatchObject({ listens: false });
      tmux.newSession('one');
      expect(await probe()).toEqual({ listens: true });
      tmux.killServer();
      await eventually(async () => !(await probe()).listens, 'the server has ended');
    });

    it('gives up the probe of a socket when it is cancelled', async () => {
      const probe = tested.host.probe(tmux.socketPath, AbortSignal.abort());
      await expect(probe).rejects.toThrow('cancelled');
    });

    it('reads the processes of a pane, parents first, until they have ended', async () => {
      tmux.newSession('one', `sh -c 'sleep 600; :' word`);
      const pid = panePid();
      const { processes } = tested;
      const commands = async () => {
        await processes.refresh?.([pid]);
        return processes.tree(pid)?.map(({ comm }) => comm) ?? [];
      };
      await eventually(async () => (await commands()).at(-1) === 'sleep', 'both processes');
      expect(await commands()).toEqual(['sh', 'sleep']);
      expect(processes.tree(pid)?.[0]?.argv).toEqual(['sh', '-c', 'sleep 600; :', 'word']);
      expect(Math.abs((processes.startedAtMs(pid) ?? 0) - Date.now())).toBeLessThan(60_000);
      const sign = processes.signOf(pid);
      await processes.refresh?.([pid]);
      expect(processes.signOf(pid)).toBe(sign);
      process.kill(pid, 'SIGKILL');
      await eventually(async () => (await commands()).length === 0, 'they have ended');
      expect(processes.signOf(pid)).toBeNull();
    });

    it('reads facts, ranges and names of files, and null where there are none', async () => {
      const { files } = tested;
      const path = join(folder, "it's é.txt");
      writeFileSync(path, 'hello');
      expect(await files.facts(path)).toMatchObject({ size: 5 });
      const range = await files.read(path, { offset: 1, bytesMax: 3 });
      expect(Buffer.from(range ?? []).toString()).toBe('ell');
      expect(await files.read(path, { offset: 9, bytesMax: 3 })).toHaveLength(0);
      expect(await files.list(folder)).toEqual(["it's é.txt"]);
      mkdirSync(join(folder, 'sub'));
      for (const unfit of [join(folder, 'none'), join(folder, 'sub')]) {
        expect(await files.facts(unfit)).toBeNull();
        expect(await files.read(unfit, { offset: 0, bytesMax: 3 })).toBeNull();
      }
      expect(await files.list(join(folder, 'none'))).toBeNull();
    });

    it('reads the variables and open files of a process, and null for none', async () => {
      const { files } = tested;
      const path = join(folder, 'open.log');
      const descriptor = openSync(path, 'w');
      try {
        expect(await files.openFiles(process.pid)).toContain(path);
      } finally {
        closeSync(descriptor);
      }
      const names = ['PATH', 'AGTMUX_NO_SUCH_VARIABLE'];
      const variables = await files.environment(process.pid, names);
      expect(Object.keys(variables ?? {})).toEqual(['PATH']);
      expect(await files.openFiles(NO_PID)).toBeNull();
      expect(await files.environment(NO_PID, names)).toBeNull();
    });

    it('calls back when a file changes and when a folder gets another name', async () => {
      const path = join(folder, 'status.json');
      const calls = { file: 0, folder: 0 };
      using _file = tested.files.watch(path, () => (calls.file += 1));
      using _folder = tested.files.watch(folder, () => (calls.folder += 1));
      let round = 0;
      const change = (): void => {
        round += 1;
        writeFileSync(path, 'x'.repeat(round));
        writeFileSync(join(folder, `name-${round}`), '');
      };
      await eventually(() => {
        change();
        return calls.file > 0 && calls.folder > 0;
      }, 'both have called');
    });
  });
});
