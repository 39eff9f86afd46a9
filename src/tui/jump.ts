// Switches the user's tmux client to a pane: finds the client, then runs one command that checks
// the pane and switches, so that nothing can change in between. Only `jump` runs commands; the rest
// is pure. Every id in a command is checked first.

import { runChild } from '../platform/process/launch.ts';
import type { PaneIdentityItem } from '../schema/api/panes.ts';
import type { LocatedPane } from '../schema/api/preview.ts';

const TIMEOUT_MS = 3_000;
const STDOUT_BYTES_MAX = 100_000;
const SHOWN = 'agtmux-shown';
const MOVED = 'agtmux-moved';

export interface JumpRequest {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly place: PaneIdentityItem;
  /** The processes of the pane, as the daemon knows them. */
  readonly life: LocatedPane;
}

export type JumpResult = { readonly ok: true } | { readonly ok: false; readonly problem: string };

const refusal = (problem: string): JumpResult => ({ ok: false, problem });

/** The server of our own tmux: socket, pid of the server, number of the session. */
export function ownTmux(
  text: string | undefined,
): { readonly socketPath: string; readonly pid: number; readonly sessionId: string } | null {
  const [, socketPath, pid, session] = /^(.+),(\d+),(\d+)$/.exec(text ?? '') ?? [];
  if (socketPath === undefined) return null;
  return { socketPath, pid: Number(pid), sessionId: `$${session}` };
}

const isId = ({ session_id, window_id, pane_id }: PaneIdentityItem): boolean =>
  /^\$\d+$/.test(session_id) && /^@\d+$/.test(window_id) && /^%\d+$/.test(pane_id);

/** Why the client cannot switch to the pane, and what to do; null when it can. */
export function refuseJump({ env, place, life }: JumpRequest): string | null {
  if (life.target_kind !== 'local') {
    return `The pane is on ${life.target}; only panes of this machine can be shown from here.`;
  }
  if (!isId(place) || place.pane_id !== life.pane_id) return 'tmux gave the pane no usable id.';
  const attach = `tmux -S ${place.server} attach -t '${place.session_id}'`;
  const own = ownTmux(env['TMUX']);
  if (own === null) {
    return `Not inside tmux, so there is nothing to switch. In a shell: ${attach}`;
  }
  if (own.pid === life.server_pid) return null;
  return `The pane is on another tmux server than this one. Outside tmux: ${attach}`;
}

/** Lists the clients: whether in control mode, what they show, their last activity, their name. */
export const CLIENTS_COMMAND: readonly string[] = [
  'list-clients',
  '-F',
  '#{client_control_mode} #{session_id} #{pane_id} #{client_activity} #{client_name}',
];

/** The user's client: it shows our pane, or at least our session. */
export function chooseClient(
  listed: string,
  { paneId, sessionId }: { readonly paneId: string | undefined; readonly sessionId: string },
): string | null {
  const clients = listed.split('\n').flatMap((line) => {
    const found = /^0 (\$\d+) (%\d+) (\d+) ([\w/.:-]+)$/.exec(line);
    if (!found) return [];
    const [, session, pane, activity, name = ''] = found;
    const closeness = pane === paneId ? 2 : session === sessionId ? 1 : 0;
    return closeness === 0 ? [] : [{ name, closeness, activity: Number(activity) }];
  });
  const [best] = clients.toSorted((a, b) => b.closeness - a.closeness || b.activity - a.activity);
  return best?.name ?? null;
}

/** One command: the client switches only if server and pane are still the same processes. */
export function switchCommand(client: string, { place, life }: JumpRequest): readonly string[] {
  const isSame = `#{&&:#{==:#{pid},${life.server_pid}},#{==:#{pane_pid},${life.pane_pid}}}`;
  const target = `${place.session_id}:${place.window_id}.${place.pane_id}`;
  const go = `switch-client -c '${client}' -t '${target}' ; display-message -p ${SHOWN}`;
  return ['if-shell', '-F', '-t', place.pane_id, isSame, go, `display-message -p ${MOVED}`];
}

/** Switches to the pane; the result says why when it cannot. Never rejects. */
export async function jump(request: JumpRequest): Promise<JumpResult> {
  const refused = refuseJump(request);
  const own = ownTmux(request.env['TMUX']);
  if (refused !== null || own === null) return refusal(refused ?? 'Not inside tmux.');
  const run = (command: readonly string[]) =>
    runChild({
      command: 'tmux',
      args: ['-N', '-S', own.socketPath, ...command],
      env: { ...request.env },
      timeoutMs: TIMEOUT_MS,
      stdoutBytesMax: STDOUT_BYTES_MAX,
    });
  const listed = await run(CLIENTS_COMMAND);
  const paneId = request.env['TMUX_PANE'];
  const client = chooseClient(listed.stdout, { paneId, sessionId: own.sessionId });
  if (client === null)
    return refusal('No client of tmux shows this pane, so none can be switched.');
  const { stdout, stderr } = await run(switchCommand(client, request));
  if (stdout.includes(SHOWN)) return { ok: true };
  if (stdout.includes(MOVED)) return refusal('The pane is no longer the one that was listed.');
  return refusal(`tmux did not switch: ${stderr.trim() || 'it gave no answer'}`);
}
