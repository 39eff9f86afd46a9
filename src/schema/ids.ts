// Branded identifiers and the canonical strings they are made of. A tmux `%12` alone never names a
// pane: ids repeat after a server restart, so every key carries target, server, generation, birth.

declare const brand: unique symbol;
type Brand<Name extends string> = string & { readonly [brand]: Name };

/** A machine: `local`, `vm1`. Chosen by the user, unique in the store. */
export type TargetId = Brand<'TargetId'>;
/** One life of one pane in one generation of a tmux server, or one paneless agent. */
export type PaneKey = Brand<'PaneKey'>;
/** One life of one agent process. Never reused, the same after a daemon restart. */
export type RuntimeId = Brand<'RuntimeId'>;
export type EventId = Brand<'EventId'>;
/** What made the observation: `claude-hooks`, `title`, `screen`, `process`. */
export type SourceName = Brand<'SourceName'>;
/** The path of a source's evidence and heartbeats: `spool@local`, `tmux@vm1`. */
export type ChannelName = Brand<'ChannelName'>;
export type AgentName = Brand<'AgentName'>;
/** A dialog or question of an agent, as the agent or the engine names it. */
export type RequestId = Brand<'RequestId'>;
/** An agent's own conversation id (Claude session, Codex thread). */
export type SessionKey = Brand<'SessionKey'>;
export type SnapshotId = Brand<'SnapshotId'>;
/** Who writes or gets messages: `member:team/coder`, `runtime:<id>`, `operator:<name>`. */
export type PartyId = Brand<'PartyId'>;

type BrandedId =
  | TargetId
  | PaneKey
  | RuntimeId
  | EventId
  | SourceName
  | ChannelName
  | AgentName
  | RequestId
  | SessionKey
  | SnapshotId
  | PartyId;

/** Marks a string that a schema has already checked. The only cast to a branded id. */
export function id<T extends BrandedId>(text: string): T {
  return text as T;
}

/** The channel of a third-party source. */
export const sourceChannel = (sourceId: string): ChannelName => id(`source:${sourceId}`);

/** Whether a channel carries what is seen on this target: `tmux@vm1:/path` and `spool@vm1` do. */
export function isChannelOf(channel: ChannelName, targetId: TargetId): boolean {
  const place = channel.slice(channel.indexOf('@') + 1);
  return place === targetId || place.startsWith(`${targetId}:`);
}

/** One life of a tmux server, by pid and start. A restarted server has another generation. */
export interface ServerGeneration {
  readonly pid: number;
  readonly startedAtMs: number;
}

/** One life of a pane, by the process tmux started in it. A respawn is another birth. */
export interface PaneBirth {
  readonly pid: number;
  readonly startedAtMs: number;
}

export interface PaneIdentity {
  readonly targetId: TargetId;
  /** Name of the tmux server on its target: the socket's path or `default`. */
  readonly server: string;
  readonly generation: ServerGeneration;
  /** tmux's own id, `%12`. */
  readonly paneId: string;
  readonly birth: PaneBirth;
}

/** Joins parts so that no part can forge another: `|` and `%` inside a part are escaped. */
function join(parts: readonly (string | number)[]): string {
  return parts.map((part) => String(part).replaceAll('%', '%25').replaceAll('|', '%7C')).join('|');
}

/** The key of a pane instance. Equal identities give equal keys; nothing else does. */
export function paneKeyOf(pane: PaneIdentity): PaneKey {
  const { generation, birth } = pane;
  return id<PaneKey>(
    join([
      pane.targetId,
      pane.server,
      generation.pid,
      generation.startedAtMs,
      pane.paneId,
      birth.pid,
      birth.startedAtMs,
    ]),
  );
}

/**
 * A pane of one life of a tmux server, whatever process is in it: tmux gives no pane id twice. It
 * is known where the start of the server is not, as to the command that has made the pane.
 */
export const panePlaceOf = (
  pane: Pick<PaneIdentity, 'targetId' | 'server' | 'paneId'> & { readonly serverPid: number },
): string => `place:${join([pane.targetId, pane.server, pane.serverPid, pane.paneId])}`;

/** The key of a paneless agent: `none/<agent>/<session id>` on its target. */
export function panelessKeyOf(targetId: TargetId, agent: AgentName, session: SessionKey): PaneKey {
  return id<PaneKey>(join([targetId, 'none', agent, session]));
}

/** Whether a key is that of a paneless agent of this kind on this target. */
export const isPanelessKeyOf = (paneKey: PaneKey, targetId: TargetId, agent: AgentName): boolean =>
  paneKey.startsWith(`${join([targetId, 'none', agent])}|`);

const ACP = 'acp';

/** The key of an ACP member, which the daemon itself has started: the same for all its lives. */
export const acpKeyOf = (targetId: TargetId, name: string): PaneKey =>
  id<PaneKey>(join([targetId, ACP, name]));

/** Whether a key is that of an ACP member. */
export const isAcpKey = (paneKey: PaneKey): boolean => /^[^|]*\|acp\|[^|]*$/.test(paneKey);

export interface RuntimeParts {
  readonly paneKey: PaneKey;
  readonly agent: AgentName;
  /** The agent's process, or null where no pid is visible (then paneEpoch tells lives apart). */
  readonly process: { readonly pid: number; readonly startedAtMs: number } | null;
  readonly paneEpoch: number;
}

/** What a runtime id is a hash of. No randomness: the same process has the same id for ever. */
export function runtimeSeedOf({ paneKey, agent, process, paneEpoch }: RuntimeParts): string {
  return join(
    process
      ? [paneKey, agent, 'pid', process.pid, process.startedAtMs]
      : [paneKey, agent, 'epoch', paneEpoch],
  );
}
