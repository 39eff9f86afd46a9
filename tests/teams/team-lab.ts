// A daemon with the files of a team, and tmux servers of its own for bundles: everything that tests
// of teams need, ended afterwards.

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BundleItem, BundleReport } from '../../src/schema/relay/bundle-api.ts';
import { LiveDaemon } from '../daemon-live/live-daemon.ts';
import { outputOf } from '../live/run-command.ts';

/** One member: its id, the name of its coder, and where it works under which policy. */
export type MemberLine = readonly [id: string, coder: string, directory?: string, policy?: string];

export const policies = `format-version = 1
default = "team"
[[policies]]
id = "team"
[policies.controls]
find = "self"
list = "all:home"
look = "all:home"
send = "all:home"
`;

/**
 * Shell words that end a start command when the terminal has shown what it printed: on a busy
 * machine tmux may close the terminal of a process that ended before it has read all of it.
 */
export const exitOnceShown = (code: string): string =>
  `code=${code}; stty raw -echo; printf '\\033[6n'; dd bs=1 count=6 >/dev/null 2>&1; exit $code`;

export class TeamLab implements AsyncDisposable {
  readonly live: LiveDaemon = new LiveDaemon();
  readonly work: string = join(this.live.folder, 'work');
  readonly config: string = join(this.live.folder, 'config', 'agtmux');

  constructor() {
    this.live.env['TMUX_TMPDIR'] = join(this.live.folder, 't');
    this.live.env['SHELL'] = '/bin/sh';
    for (const folder of [this.work, join(this.live.folder, 't'), join(this.config, 'bundles')]) {
      mkdirSync(folder, { recursive: true });
    }
    this.write('policies.toml', policies);
    this.coders({ stay: 'exec sleep 1000' });
    this.live.tmux.newSession('home', 'cat');
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.config, name), text);
  }

  /** Coders by id, each with the line that starts it. */
  coders(lines: Readonly<Record<string, string>>): void {
    const tables = Object.entries(lines).map(
      ([id, line]) =>
        `[[coders]]\nid = "${id}"\n[coders.tmux]\n` +
        `initial-command = ${JSON.stringify(line)}\nresume-command = "x"\n`,
    );
    this.write('coders.toml', `format-version = 1\n${tables.join('')}`);
  }

  bundle(name: string, members: readonly MemberLine[], head = ''): void {
    const sessions = members.map(
      ([id, coder, directory = this.work, policy]) =>
        `[[sessions]]\nid = "${id}"\ncoder = "${coder}"\ndirectory = "${directory}"\n` +
        (policy === undefined ? '' : `policy = "${policy}"\n`),
    );
    this.write(`bundles/${name}.toml`, `format-version = 1\n${head}\n${sessions.join('')}`);
  }

  /** The private server of a bundle. */
  socket(bundle: string): string {
    const uid = process.getuid?.() ?? 0;
    return join(this.live.folder, 't', `tmux-${uid}`, `agtmux-${bundle}`);
  }

  /** Runs tmux on a server; empty where it fails. */
  tmux(socket: string, ...args: readonly string[]): string {
    try {
      const env = { ...process.env, ...this.live.env, TMUX: '', TMUX_PANE: '' };
      const words = ['-u', '-S', socket, '-f', '/dev/null', ...args];
      return outputOf('tmux', words, env).trimEnd();
    } catch {
      return '';
    }
  }

  /** The sessions of a server with their owners. */
  sessions(socket: string): readonly string[] {
    const format = '#{session_name} #{?@agtmux_owner,owned,free}';
    const listed = this.tmux(socket, '-N', 'list-sessions', '-F', format);
    return listed === '' ? [] : listed.split('\n').toSorted();
  }

  /** `agtmux bundle ACTION NAME --json`: its exit code and its one report. */
  async run(
    action: 'up' | 'down' | 'restart',
    bundle: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<BundleReport & { readonly code: number }> {
    const done = await this.live.cliWith(env, 'bundle', action, bundle, '--json', '--yes');
    if (!done.out.startsWith('{')) throw new Error(`${done.code}: ${done.out}${done.err}`);
    return { code: done.code, ...JSON.parse(done.out).bundles[0] };
  }

  async status(bundle: string): Promise<BundleItem> {
    const { out } = await this.live.cli('bundle', 'status', bundle, '--json');
    return JSON.parse(out).bundles[0];
  }

  /**
   * A tmux before the real one that fails for the first sessions it is to create, and notes when
   * each was tried.
   */
  failingTmux(failures: number, message: string): { readonly path: string; tries(): number[] } {
    const bin = join(this.live.folder, 'bin');
    const log = join(bin, 'tries');
    mkdirSync(bin, { recursive: true });
    writeFileSync(log, '');
    const script = `#!/bin/sh
case "$*" in *new-session*)
  date +%s%3N >> '${log}'
  if [ "$(wc -l < '${log}')" -le ${failures} ]; then echo '${message}' >&2; exit 1; fi ;;
esac
PATH=\${PATH#*:} exec tmux "$@"
`;
    writeFileSync(join(bin, 'tmux'), script);
    chmodSync(join(bin, 'tmux'), 0o755);
    const tries = () => readFileSync(log, 'utf8').trim().split('\n').map(Number);
    return { path: `${bin}:${process.env['PATH']}`, tries };
  }

  /** A PATH with a tmux whose server ends in the moment in which a session is to be ended. */
  vanishingTmux(socket: string): string {
    const bin = join(this.live.folder, 'vanishing');
    mkdirSync(bin, { recursive: true });
    const script = `#!/bin/sh
PATH=\${PATH#*:}
case "$*" in *kill-session*)
  tmux -S '${socket}' kill-server
  echo 'server exited unexpectedly' >&2
  exit 1 ;;
esac
exec tmux "$@"
`;
    writeFileSync(join(bin, 'tmux'), script, { mode: 0o755 });
    return `${bin}:${process.env['PATH']}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.live[Symbol.asyncDispose]();
  }
}
