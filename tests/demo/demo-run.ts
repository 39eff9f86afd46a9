// The demo as a user runs it, as it is built, with a home and a folder for temporary files of its
// own, so that whatever it leaves behind is seen.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectDaemon } from '../../src/client/client.ts';
import { builtProgram } from '../built-program.ts';
import { Subscriber } from '../daemon-live/live-daemon.ts';
import { eventually } from '../live/tmux-server.ts';

const START_MS = 40_000;
const END_MS = 20_000;

/** The command line of agtmux. */
export const program: readonly string[] = [process.execPath, ...builtProgram];

export interface StartedDemo {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly exited: Promise<number | null>;
}

export class DemoRun implements AsyncDisposable {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'agtmux-demo-test-'));
  readonly home: string = join(this.folder, 'home');
  readonly temp: string = join(this.folder, 'tmp');
  readonly env: NodeJS.ProcessEnv;

  constructor() {
    for (const each of [this.home, this.temp]) mkdirSync(each);
    this.env = {
      PATH: process.env['PATH'],
      LANG: 'C.UTF-8',
      TERM: 'tmux-256color',
      HOME: this.home,
      TMPDIR: this.temp,
      TMUX_TMPDIR: this.temp,
      XDG_RUNTIME_DIR: this.home,
    };
  }

  /** Starts it with pipes, as a script does. */
  start(...args: readonly string[]): StartedDemo {
    const [command = '', ...rest] = program;
    const child = spawn(command, [...rest, 'demo', ...args], { env: this.env });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
    }
    const exited = new Promise<number | null>((resolve) => {
      child.once('close', (code) => resolve(code));
    });
    return { child, output: () => text, exited };
  }

  /** A subscribed client of the demo's own daemon, as soon as it answers. */
  async subscribe(): Promise<Subscriber> {
    const client = await eventually(
      () => {
        if (this.#stages().length === 0) return null;
        return connectDaemon({ socketPath: this.socketPath() }).catch(() => null);
      },
      "the demo's daemon answers",
      START_MS,
    );
    return new Subscriber(client);
  }

  /** Where the running demo's own daemon answers. */
  socketPath(): string {
    return join(this.temp, this.#stages()[0] ?? '', 'run', 'agtmux', 'agtmuxd.sock');
  }

  /** A file of the running demo. */
  file(name: string): string {
    return readFileSync(join(this.temp, this.#stages()[0] ?? '', name), 'utf8');
  }

  #stages(): readonly string[] {
    return readdirSync(this.temp).filter((name) => name.startsWith('agtmux-demo-'));
  }

  /** Every process that was started in this run's folder. */
  processes(): readonly string[] {
    return readdirSync('/proc').flatMap((name) => {
      if (!/^\d+$/.test(name)) return [];
      try {
        const read = (file: string): string => readFileSync(`/proc/${name}/${file}`, 'utf8');
        const command = read('cmdline').replaceAll('\0', ' ');
        // An sshd hides its environment.
        const isOurs = read('comm').startsWith('ssh') && command.includes(this.folder);
        return isOurs || read('environ').includes(this.folder) ? [`${name} ${command}`] : [];
      } catch {
        return [];
      }
    });
  }

  /** Waits until no process and no file of the demo is left; fails with what is. */
  async isClean(): Promise<void> {
    const left = (): readonly string[] => [
      ...this.processes(),
      ...readdirSync(this.temp),
      ...readdirSync(this.home),
    ];
    await eventually(() => left().length === 0, 'nothing is left', END_MS).catch(() => {
      throw new Error(`left behind: ${left().join('\n')}`);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const each of this.processes()) {
      try {
        process.kill(Number.parseInt(each, 10), 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
