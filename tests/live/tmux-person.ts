// A person's client for live tests: an ordinary `tmux attach` on a terminal of its own, which
// `script` provides.

import { spawn } from 'node:child_process';
import { eventually, type PrivateTmux } from './tmux-server.ts';

export interface Person {
  /** The name of the client, for detach-client. */
  readonly name: string;
  readonly exited: Promise<unknown>;
}

export async function attachPerson(tmux: PrivateTmux, sessionId: string): Promise<Person> {
  const people = (): string =>
    tmux.run('list-clients', '-F', '#{client_control_mode} #{session_id} #{client_name}');
  const attach = `exec tmux -u -S ${tmux.socketPath} attach-session -E -t '${sessionId}'`;
  const env = { ...process.env, TERM: 'xterm', TMUX: '', SHELL: '/bin/sh' };
  const child = spawn('script', ['-qec', attach, '/dev/null'], {
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const name = await eventually(
    () =>
      people()
        .split('\n')
        .find((line) => line.startsWith(`0 ${sessionId} `))
        ?.split(' ')[2],
    'the person is attached',
  );
  return { name, exited };
}
