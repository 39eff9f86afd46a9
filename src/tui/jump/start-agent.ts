// Starts an ended agent in a new window, from the process and the environment of the person: on
// this machine by sh, on others by ssh and the sh there. One fixed script does both; everything
// that varies is a word of its own, and no shell reads it as a line.

import { runChild } from '../../platform/process/launch.ts';
import { shellQuoteAll } from '../../platform/text/shell-quote.ts';
import { sshWords } from '../../platform/text/ssh-words.ts';
import { asArgument } from '../../platform/text/tmux-argument.ts';
import type { ResumePlan } from '../../schema/api/actions.ts';

/** ssh may have to log in first. */
const TIMEOUT_MS = 60_000;
const STDOUT_BYTES_MAX = 100_000;
const STARTED = 'agtmux-started';

/**
 * Runs the agent in the foreground of the window, as a shell would, and leaves a shell there when
 * it has ended. While it is stopped by Ctrl-Z there is a shell too, whose exit continues it.
 */
const IN_WINDOW = `trap '' INT
set -m
(trap - INT; exec "$@")
while code=$?; [ "$code" -ge 145 ] && [ "$code" -le 148 ]; do
  (trap - INT; exec "\${SHELL:-/bin/sh}")
  fg >/dev/null
done
trap - INT
exec "\${SHELL:-/bin/sh}"`;

/**
 * A new window takes its folder from the client that asks for it: tmux would expand one that it is
 * given as a format. The server is started where it has ended, and the session where it has. A
 * program that the window would not find is said to be missing, and no window is made.
 */
const START = `tmux=$1 socket=$2 session=$3 new=$4 name=$5 path=$6 folder=$7 in_window=$8
shift 8
unset TMUX TMUX_PANE
cd -- "$folder" || exit 1
path_there() {
  there=$("$tmux" -N -S "$socket" show-environment "$@" PATH 2>/dev/null) || return
  case $there in PATH=*) printf %s "\${there#PATH=}" ;; *) return 1 ;; esac
}
where=\${path:-$(path_there -t "=$session:" || path_there -g || printf %s "$PATH")}
if ! (PATH=$where; command -v "$1") >/dev/null 2>&1; then
  printf '%s\n' "$1 is in no folder of PATH ($where)" >&2
  exit 1
fi
mark='${STARTED} #{pid} #{session_id} #{window_id} #{pane_id}'
if "$tmux" -N -S "$socket" has-session -t "=$session:" 2>/dev/null; then
  set -- -- /bin/sh -c "$in_window" agtmux "$@"
  if [ -n "$path" ]; then set -- -e "PATH=$path" "$@"; fi
  exec "$tmux" -N -S "$socket" new-window -d -P -F "$mark" -t "=$session:" -n "$name" "$@"
fi
case \${socket%/*} in */tmux-*) mkdir -p -m 700 -- "\${socket%/*}" ;; esac
set -- -- /bin/sh -c "$in_window" agtmux "$@"
if [ -n "$path" ]; then set -- -e "PATH=$path" "$@"; fi
exec "$tmux" -S "$socket" new-session -d -P -F "$mark" -s "$new" -n "$name" "$@"`;

export type StartedAgent =
  | { readonly ok: true; readonly serverPid: number; readonly paneId: string }
  | { readonly ok: false; readonly problem: string };

export interface StartCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** What it reads on its input. */
  readonly input: string;
}

/** What starts the agent of a plan; null where its machine cannot be reached from here. */
function startCommand(
  plan: ResumePlan,
  env: Readonly<Record<string, string | undefined>>,
): StartCommand | null {
  const { agent, argv, server, target_kind, login } = plan;
  const isLocal = target_kind === 'local';
  const tmux = isLocal ? 'tmux' : login?.tmux_path;
  if (!tmux) return null;
  const session = agent.session_name ?? agent.agent;
  const words = [
    tmux,
    server,
    session,
    // The name of a new session is a format.
    asArgument(session.replaceAll('#', '##')),
    agent.agent,
    // Programs are found as in the shell of the person; there, as tmux finds them.
    isLocal ? asArgument(env['PATH'] ?? '') : '',
    agent.path ?? '',
    IN_WINDOW,
    ...argv.map(asArgument),
  ];
  if (isLocal || login === null) {
    return { command: '/bin/sh', args: ['-c', START, 'agtmux', ...words], input: '' };
  }
  const [command = 'ssh', ...args] = sshWords(login, 'exec /bin/sh', []);
  // On the input no login shell reads the words, whatever it is.
  return { command, args, input: `set -- ${shellQuoteAll(words)}\n${START}\n` };
}

/** What the script printed, in which a login shell may have put noise. */
function readStarted(stdout: string): StartedAgent | null {
  const found = new RegExp(`^${STARTED} (\\d+) \\$\\d+ @\\d+ (%\\d+)$`, 'm').exec(stdout);
  return found ? { ok: true, serverPid: Number(found[1]), paneId: found[2] ?? '' } : null;
}

/** Starts it; the result says why where it cannot. Never rejects. */
export async function startAgent(
  plan: ResumePlan,
  env: Readonly<Record<string, string | undefined>>,
): Promise<StartedAgent> {
  const start = startCommand(plan, env);
  if (start === null) {
    return { ok: false, problem: `there is no way to ${plan.agent.target} from here` };
  }
  const { stdout, stderr, error } = await runChild({
    ...start,
    env: { ...env },
    timeoutMs: TIMEOUT_MS,
    stdoutBytesMax: STDOUT_BYTES_MAX,
  });
  const started = readStarted(stdout);
  if (started) return started;
  return { ok: false, problem: stderr.trim().slice(-500) || (error ?? 'tmux gave no answer') };
}
