// Shows a pane to the user. On the tmux server around us their client switches, by one command that
// checks the pane first. Panes of other servers and machines are attached to (attach.ts): inside
// tmux in a new window, outside in our own terminal. Every id in a command is checked first.

import type { ChildExit } from '../../platform/process/child.ts';
import { runChild } from '../../platform/process/launch.ts';
import type { PaneIdentityItem } from '../../schema/api/panes.ts';
import type { LocatedPane } from '../../schema/api/preview.ts';
import { attachCommand, paneTarget } from './attach.ts';

const TIMEOUT_MS = 3_000;
const STDOUT_BYTES_MAX = 100_000;
const SHOWN = 'agtmux-shown';
const MOVED = 'agtmux-moved';
const NOT_LISTED = 'The pane is no longer the one that was listed.';

export interface JumpRequest {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly place: PaneIdentityItem;
  /** The processes of the pane, as the daemon knows them. */
  readonly life: LocatedPane;
  /** Gives our terminal to a command until it ends. */
  readonly runInTerminal: (words: readonly string[]) => Promise<ChildExit>;
}

/** `switched`: the user's client. `window`: a new one. `terminal`: ours, until it was detached. */
export type JumpResult =
  | { readonly ok: true; readonly how: 'switched' | 'window' | 'terminal' }
  | { readonly ok: false; readonly problem: string };

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

/** Why the pane cannot be shown at all; null when it can. */
export function refuseJump({ place, life }: JumpRequest): string | null {
  if (!isId(place) || place.pane_id !== life.pane_id) return 'tmux gave the pane no usable id.';
  return null;
}

/** Whether the user's own tmux client can switch to the pane. */
export function isOnOwnServer({ env, life }: JumpRequest): boolean {
  return life.target_kind === 'local' && ownTmux(env['TMUX'])?.pid === life.server_pid;
}

/** Lists the clients: whether in control mode, what they show, their last activity, their name. */
export const CLIENTS_COMMAND: readonly string[] = [
  'list-clients',
  '-F',
  '#{client_control_mode} #{session_id} #{pane_id} #{client_activity} #{client_name}',
];

export interface TmuxClient {
  readonly name: string;
  /** The session that it shows. */
  readonly session: string;
}

/** The user's client: it shows our pane, or at least our session. */
export function chooseClient(
  listed: string,
  { paneId, sessionId }: { readonly paneId: string | undefined; readonly sessionId: string },
): TmuxClient | null {
  const clients = listed.split('\n').flatMap((line) => {
    const found = /^0 (\$\d+) (%\d+) (\d+) ([\w/.:-]+)$/.exec(line);
    if (!found) return [];
    const [, session = '', pane, activity, name = ''] = found;
    const closeness = pane === paneId ? 2 : session === sessionId ? 1 : 0;
    return closeness === 0 ? [] : [{ name, session, closeness, activity: Number(activity) }];
  });
  const [best] = clients.toSorted((a, b) => b.closeness - a.closeness || b.activity - a.activity);
  return best ? { name: best.name, session: best.session } : null;
}

/** One command: the client switches only if server and pane are still the same processes. */
export function switchCommand(client: string, { place, life }: JumpRequest): readonly string[] {
  const isSame = `#{&&:#{==:#{pid},${life.server_pid}},#{==:#{pane_pid},${life.pane_pid}}}`;
  const target = paneTarget(place);
  const go = `switch-client -c '${client}' -t '${target}' ; display-message -p ${SHOWN}`;
  return ['if-shell', '-F', '-t', place.pane_id, isSame, go, `display-message -p ${MOVED}`];
}

/** One command: a new window of the client's session, in which another command runs. */
export const newWindowCommand = (
  { session }: TmuxClient,
  name: string,
  words: readonly string[],
): readonly string[] => ['new-window', '-t', `${session}:`, '-n', name, '--', ...words];

/** Shows the pane; the result says why when it cannot. Never rejects. */
export async function jump(request: JumpRequest): Promise<JumpResult> {
  const refused = refuseJump(request);
  if (refused !== null) return refusal(refused);
  const own = ownTmux(request.env['TMUX']);
  const onOwnServer = isOnOwnServer(request);
  if (own && onOwnServer) return switchClient(request, own);
  const attach = attachCommand(request.place, request.life);
  if (!attach.ok) return refusal(attach.problem);
  const moved = await refuseMoved(request);
  if (moved !== null) return refusal(moved);
  return own ? openWindow(request, own, attach.words) : takeTerminal(request, attach.words);
}

type OwnTmux = NonNullable<ReturnType<typeof ownTmux>>;

const runTmux = (env: JumpRequest['env'], socketPath: string, command: readonly string[]) =>
  runChild({
    command: 'tmux',
    args: ['-N', '-S', socketPath, ...command],
    env: { ...env },
    timeoutMs: TIMEOUT_MS,
    stdoutBytesMax: STDOUT_BYTES_MAX,
  });

async function userClient({ env }: JumpRequest, own: OwnTmux): Promise<TmuxClient | null> {
  const listed = await runTmux(env, own.socketPath, CLIENTS_COMMAND);
  return chooseClient(listed.stdout, { paneId: env['TMUX_PANE'], sessionId: own.sessionId });
}

const NO_CLIENT = 'No client of tmux shows this pane, so none can be switched.';

async function switchClient(request: JumpRequest, own: OwnTmux): Promise<JumpResult> {
  const client = await userClient(request, own);
  if (client === null) return refusal(NO_CLIENT);
  const command = switchCommand(client.name, request);
  const { stdout, stderr } = await runTmux(request.env, own.socketPath, command);
  if (stdout.includes(SHOWN)) return { ok: true, how: 'switched' };
  if (stdout.includes(MOVED)) return refusal(NOT_LISTED);
  return refusal(`tmux did not switch: ${stderr.trim() || 'it gave no answer'}`);
}

/** Why a pane of this machine is not the one that was listed; of another, attaching shows it. */
async function refuseMoved({ env, place, life }: JumpRequest): Promise<string | null> {
  if (life.target_kind !== 'local') return null;
  const format = ['display-message', '-p', '-t', paneTarget(place), '#{pid} #{pane_pid}'];
  const { stdout } = await runTmux(env, place.server, format);
  return stdout.trim() === `${life.server_pid} ${life.pane_pid}` ? null : NOT_LISTED;
}

async function openWindow(
  request: JumpRequest,
  own: OwnTmux,
  words: readonly string[],
): Promise<JumpResult> {
  const client = await userClient(request, own);
  if (client === null) return refusal(NO_CLIENT);
  const command = newWindowCommand(client, request.life.target, words);
  const { code, stderr } = await runTmux(request.env, own.socketPath, command);
  if (code === 0) return { ok: true, how: 'window' };
  return refusal(`tmux opened no window: ${stderr.trim() || 'it gave no answer'}`);
}

async function takeTerminal(request: JumpRequest, words: readonly string[]): Promise<JumpResult> {
  const { code, error } = await request.runInTerminal(words);
  if (code === 0) return { ok: true, how: 'terminal' };
  return refusal(error ?? `The command that attaches ended with code ${code}.`);
}
