// A real sshd on a loopback port for tests, with keys, configuration and a home of its own, started
// as the current user. Everything is ended and removed with it.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { outputOf } from '../live/run-command.ts';
import { eventually, isAlive } from '../live/tmux-server.ts';

/** Commands that `npm test` could not install: a server, or one of the odd shells. */
const missing = (process.env['AGTMUX_MISSING'] ?? '').split(',');
export const isMissing = (...commands: readonly string[]): boolean =>
  commands.some((command) => missing.includes(command));

const SSHD = '/usr/sbin/sshd';
export const isSshdMissing: boolean = isMissing('sshd', 'tmux') || !existsSync(SSHD);

export interface SshdOptions {
  /** Lines of sshd_config that come first, and so win. */
  readonly config?: readonly string[];
  /** Environment of the sessions, such as PATH; HOME is the server's own folder. */
  readonly env?: Readonly<Record<string, string>>;
  /** Files that this server and its sessions see in the place of others; see `canHide`. */
  readonly mounts?: readonly { readonly from: string; readonly over: string }[];
  /** All its tools are BusyBox's, which also is its shell where files can be hidden. */
  readonly isBusybox?: boolean;
}

/** As root an sshd wants this folder for its child without rights; a service makes it elsewhere. */
export function makeSshdFolder(): void {
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
}

/** Whether a server can be given other files than everybody else's. */
export const canHide: boolean = tryQuietly('unshare', ['-m', 'true']);

export class TestSshd implements AsyncDisposable {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'agssh-'));
  /** The home of whoever logs in. */
  readonly home: string = join(this.folder, 'home');
  /** For the control sockets: short, and private. */
  readonly runtimeDir: string = join(this.folder, 'run');
  readonly #options: SshdOptions;
  #port = 0;
  #server: ChildProcess | null = null;

  private constructor(options: SshdOptions) {
    this.#options = options;
    mkdirSync(this.home);
    mkdirSync(this.runtimeDir, { mode: 0o700 });
    if (options.isBusybox) this.#installBusybox();
  }

  static async start(options: SshdOptions = {}): Promise<TestSshd> {
    const sshd = new TestSshd(options);
    for (const name of ['host_key', 'user_key']) sshd.#makeKey(name);
    const publicKey = readFileSync(join(sshd.folder, 'user_key.pub'), 'utf8');
    writeFileSync(join(sshd.folder, 'authorized_keys'), publicKey, { mode: 0o600 });
    makeSshdFolder();
    sshd.#port = await freePort();
    sshd.#writeClientConfig();
    await sshd.run();
    return sshd;
  }

  /** To be mounted over a folder that a server is not to see. */
  static emptyFolder(): AsyncDisposable & { readonly path: string } {
    const path = mkdtempSync(join(tmpdir(), 'agssh-empty-'));
    return { path, [Symbol.asyncDispose]: async () => rmSync(path, { recursive: true }) };
  }

  get port(): number {
    return this.#port;
  }

  /** What `ssh` needs to reach it, in place of the user's configuration. */
  get clientArguments(): readonly string[] {
    return ['-F', join(this.folder, 'ssh_config')];
  }

  /** The part of an ssh configuration that reaches it, as the host `testhost`. */
  get clientConfig(): string {
    return readFileSync(join(this.folder, 'ssh_config'), 'utf8');
  }

  /** Starts the server, also again after `stop`. */
  async run(): Promise<void> {
    this.#writeServerConfig();
    const program = [SSHD, '-D', '-e', '-f', join(this.folder, 'sshd_config')];
    const mounts = this.#mounts();
    const mountAll = mounts.map(({ from, over }) => `mount --bind '${from}' '${over}' && `);
    const script = `${mountAll.join('')}exec "$@"`;
    const hidden = ['unshare', '-m', 'bash', '-c', script, 'bash', ...program];
    const [command = '', ...args] = mounts.length > 0 ? hidden : program;
    const server = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let log = '';
    server.stderr.on('data', (bytes: Buffer) => {
      log = (log + bytes.toString('latin1')).slice(-20_000);
    });
    this.#server = server;
    await eventually(() => {
      if (server.exitCode !== null) throw new Error(`no sshd: ${log}`);
      return log.includes('Server listening');
    }, 'sshd listens');
  }

  /** The processes of the logged-in connections, the listener not among them. */
  connectionPids(): readonly number[] {
    const listener = this.#server?.pid;
    if (listener === undefined) return [];
    const found: number[] = [];
    let level = childrenOf(listener);
    while (level.length > 0) {
      // Below come the shells of the sessions.
      level = level.filter((pid) => commOf(pid).startsWith('sshd'));
      found.push(...level);
      level = level.flatMap(childrenOf);
    }
    return found;
  }

  /** What runs on this host, found by its home: the shells, and all that they started. */
  sessionPids(): readonly number[] {
    const variable = `HOME=${this.home}\0`;
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && textOf(`/proc/${pid}/environ`).includes(variable));
  }

  /** Cuts all connections, as a lost network would that tells both sides. */
  cut(): void {
    for (const pid of this.connectionPids()) killQuietly(pid, 'SIGKILL');
  }

  freeze(): void {
    for (const pid of this.#allPids()) killQuietly(pid, 'SIGSTOP');
  }

  thaw(): void {
    for (const pid of this.#allPids()) killQuietly(pid, 'SIGCONT');
  }

  /** Ends the server and all connections. */
  async stop(): Promise<void> {
    const pids = this.#allPids();
    for (const pid of pids) killQuietly(pid, 'SIGKILL');
    await eventually(() => pids.every((pid) => !isRunning(pid)), 'sshd has ended');
    this.#server = null;
  }

  /** Another key for the host, as after a new installation, or an attack. */
  changeHostKey(): void {
    for (const end of ['', '.pub']) rmSync(join(this.folder, `host_key${end}`));
    this.#makeKey('host_key');
  }

  /** From the next login on. */
  refuseLogins(): void {
    writeFileSync(join(this.folder, 'authorized_keys'), '', { mode: 0o600 });
  }

  allowLogins(): void {
    const publicKey = readFileSync(join(this.folder, 'user_key.pub'), 'utf8');
    writeFileSync(join(this.folder, 'authorized_keys'), publicKey, { mode: 0o600 });
  }

  emptyHome(): void {
    for (const name of readdirSync(this.home)) {
      rmSync(join(this.home, name), { recursive: true, force: true });
    }
  }

  /** A shell whose connection is gone lives on for as long as the command that it waits for. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    for (const pid of this.sessionPids()) killQuietly(pid, 'SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  #allPids(): readonly number[] {
    const listener = this.#server?.pid;
    return listener === undefined ? [] : [listener, ...this.connectionPids()];
  }

  #mounts(): readonly { readonly from: string; readonly over: string }[] {
    const { mounts = [], isBusybox = false } = this.#options;
    if (!isBusybox || !canHide) return mounts;
    return [...mounts, { from: '/bin/busybox', over: realpathSync('/bin/sh') }];
  }

  #installBusybox(): void {
    const folder = join(this.folder, 'bin');
    mkdirSync(folder);
    const applets = execFileSync('busybox', ['--list'], { encoding: 'utf8' }).trim().split('\n');
    for (const applet of applets) symlinkSync('/bin/busybox', join(folder, applet));
  }

  #makeKey(name: string): void {
    const args = ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', join(this.folder, name)];
    execFileSync('ssh-keygen', args);
  }

  #writeServerConfig(): void {
    const { config = [], env = {}, isBusybox = false } = this.#options;
    const tools = isBusybox ? { PATH: join(this.folder, 'bin') } : {};
    const variables = { HOME: this.home, ...tools, ...env };
    const settings = Object.entries(variables).map(([name, value]) => `"${name}=${value}"`);
    const lines = [
      ...config,
      `ListenAddress 127.0.0.1:${this.#port}`,
      `HostKey ${join(this.folder, 'host_key')}`,
      `AuthorizedKeysFile ${join(this.folder, 'authorized_keys')}`,
      `PidFile none`,
      'UsePAM no',
      'StrictModes no',
      'PermitRootLogin yes',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PubkeyAuthentication yes',
      'PrintMotd no',
      'MaxStartups 100',
      `SetEnv ${settings.join(' ')}`,
    ];
    writeFileSync(join(this.folder, 'sshd_config'), `${lines.join('\n')}\n`);
  }

  #writeClientConfig(): void {
    const knownHosts = join(this.folder, 'known_hosts');
    const lines = [
      'Host testhost',
      '  HostName 127.0.0.1',
      `  Port ${this.#port}`,
      `  User ${userInfo().username}`,
      `  IdentityFile ${join(this.folder, 'user_key')}`,
      '  IdentitiesOnly yes',
      '  IdentityAgent none',
      `  UserKnownHostsFile ${knownHosts}`,
      '  GlobalKnownHostsFile /dev/null',
      '  StrictHostKeyChecking yes',
    ];
    writeFileSync(join(this.folder, 'ssh_config'), `${lines.join('\n')}\n`);
    const [type, key] = readFileSync(join(this.folder, 'host_key.pub'), 'utf8').split(' ');
    writeFileSync(knownHosts, `[127.0.0.1]:${this.#port} ${type} ${key?.trim()}\n`);
  }
}

/** The ids of processes whose command line has the text; kernel threads and zombies have none. */
export function processesWith(text: string): readonly number[] {
  const output = outputOf('ps', ['-A', '-ww', '-o', 'pid=,args=']);
  return output
    .split('\n')
    .filter((line) => line.includes(text) && !line.includes('ps -A -ww'))
    .map((line) => Number.parseInt(line, 10));
}

function tryQuietly(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<number>();
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    resolve(typeof address === 'object' && address !== null ? address.port : 0);
  });
  const port = await promise;
  server.close();
  return port;
}

function childrenOf(pid: number): readonly number[] {
  const text = textOf(`/proc/${pid}/task/${pid}/children`);
  return text.split(' ').filter(Boolean).map(Number);
}

const commOf = (pid: number): string => textOf(`/proc/${pid}/comm`);

/** Empty when the process has ended meanwhile. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** A zombie has ended, whoever forgot to ask for it. */
function isRunning(pid: number): boolean {
  const stat = textOf(`/proc/${pid}/stat`);
  return isAlive(pid) && stat !== '' && !/\) Z /.test(stat);
}

function killQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended already.
  }
}
