// Shows the pane of a notification whose button was pressed: `agtmux attach`, run for the tmux
// client that was used last, else in a new terminal where the configuration names one. That a
// window of the terminal comes to the front is for the desktop: `raise_with` asks it to.

import { startDetached } from '../../platform/process/child.ts';
import { runChild } from '../../platform/process/launch.ts';
import type { NotifyConfig } from '../../schema/notify/notify-config.ts';
import type { UserNotification } from '../../schema/notify/user-notification.ts';
import type { TmuxLink } from '../../tmux/link.ts';

const TIMEOUT_MS = 10_000;
const OUTPUT_MAX = 10_000;
const DEADLINE_MS = 2_000;

export interface ShowPaneParts {
  readonly config: () => NotifyConfig;
  /** The tmux servers of this machine. */
  readonly links: () => readonly Pick<TmuxLink, 'run' | 'socketPath' | 'status'>[];
  /** Node and the script of this program. */
  readonly program: readonly string[];
  readonly socketPath: string;
  readonly onProblem: (problem: string) => void;
}

interface PersonClient {
  readonly activityAtS: number;
  /** What a program in a pane of it would have as TMUX and TMUX_PANE. */
  readonly env: Readonly<Record<string, string>>;
}

/** Never rejects. */
export async function showPane(
  notification: UserNotification,
  parts: ShowPaneParts,
): Promise<void> {
  const [item] = notification.items;
  if (!item || notification.isTest) return;
  const { attachWith, raiseWith } = parts.config();
  const words = [...parts.program, 'attach', '--socket-path', parts.socketPath, item.paneKey];
  const client = await lastUsedClient(parts.links());
  const problem = client
    ? await run(words, { ...process.env, ...client.env })
    : await openTerminal(attachWith, words);
  if (problem !== null) parts.onProblem(problem);
  if (raiseWith.length === 0) return;
  const notRaised = await run(raiseWith, process.env);
  if (notRaised !== null) parts.onProblem(notRaised);
}

async function lastUsedClient(links: ReturnType<ShowPaneParts['links']>) {
  const found = await Promise.all(links.map(clientsOf));
  return found.flat().toSorted((a, b) => b.activityAtS - a.activityAtS)[0] ?? null;
}

const FORMAT = '#{client_control_mode} #{client_activity} #{pid} #{session_id} #{pane_id}';

async function clientsOf(
  link: ReturnType<ShowPaneParts['links']>[number],
): Promise<PersonClient[]> {
  const { state } = link.status;
  if (state !== 'connected' && state !== 'degraded') return [];
  const command = ['list-clients', '-F', FORMAT];
  const replies = await link.run([command], { deadlineMs: DEADLINE_MS }).catch(() => []);
  return (replies[0]?.ok ? replies[0].lines : []).flatMap((line) => {
    const [, activity, pid, session, pane] = /^0 (\d+) (\d+) \$(\d+) (%\d+)$/.exec(line) ?? [];
    if (pane === undefined) return [];
    const env = { TMUX: `${link.socketPath},${pid},${session}`, TMUX_PANE: pane };
    return [{ activityAtS: Number(activity), env }];
  });
}

async function openTerminal(
  [command, ...args]: readonly string[],
  words: readonly string[],
): Promise<string | null> {
  if (command === undefined) return 'no tmux client is attached, and [notify] attach_with is empty';
  const started = await startDetached({ command, args: [...args, ...words] });
  return 'error' in started ? `${command}: ${started.error}` : null;
}

/** Null when it ended well. */
async function run(
  [command = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  const limits = { timeoutMs: TIMEOUT_MS, stdoutBytesMax: OUTPUT_MAX };
  const { code, error, stderr } = await runChild({ command, args, env, ...limits });
  return code === 0 ? null : (error ?? stderr.trim().slice(0, 300)) || `code ${code}`;
}
