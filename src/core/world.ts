// The world: the daemon's state as one immutable value. It is derived from the events alone,
// replayed. A batch opens a draft, applies events to it and closes it into the next world; tables
// are copied once a batch and only when written, records are replaced and never edited.

import type { Change, SourceCursor } from '../schema/change.ts';
import { defaultEngineConfig, type EngineConfig } from '../schema/config.ts';
import type { EventOf } from '../schema/event.ts';
import type { ActivityPatch, Claim, EvidenceKind } from '../schema/evidence.ts';
import type {
  AgentName,
  ChannelName,
  EventId,
  PaneKey,
  RequestId,
  RuntimeId,
  SessionKey,
  SourceName,
  TargetId,
} from '../schema/ids.ts';
import type { OpenRequest, PaneFacts, PaneRow, SignatureInputs } from '../schema/pane.ts';
import type { ChannelStatus, ReasonCode, State, Tier } from '../schema/state.ts';
import type { Target } from '../schema/target.ts';
import type { Phase } from './phase.ts';

/** A claim with the stamp that decides between claims. */
export interface StampedClaim extends Claim {
  readonly atMs: number;
  /** When the same question was first read, where only its mark has moved since. */
  readonly questionAtMs?: number;
  readonly kind: EvidenceKind;
  readonly tier: Tier;
  readonly ingestedAtMs: number;
  readonly backfill: boolean;
}

/** Where the claim of one source about one subject is kept. */
export interface Slot {
  readonly source: SourceName;
  readonly about: string;
  /** The current claim; null after the source went down or was not read for too long. */
  readonly claim: StampedClaim | null;
  /** Read once and not yet accepted (law 7), or kept over a restart and not yet read again. */
  readonly pending: StampedClaim | null;
}

/** The latest moment at which a source that can see the end of a phase reported that end. */
export interface Denial {
  readonly atMs: number;
  readonly rank: number;
  readonly source: SourceName;
}

export interface Denials {
  /** Denials of the turn, and so of every request in it. */
  readonly turn: Readonly<Record<Phase, Denial | null>>;
  /** Denials of single requests, by request and phase. */
  readonly requests: ReadonlyMap<string, Denial>;
}

export interface SourceRecord {
  readonly channel: ChannelName;
  readonly tier: Tier;
  readonly kind: EvidenceKind;
  readonly cursor: SourceCursor;
  /** Stamp of the source's newest claim; the next one is later, whatever its clock says. */
  readonly lastAtMs: number;
  /** Newest dedupe keys, oldest first. */
  readonly recentKeys: readonly string[];
  /** States whose end some claim of this source could see. */
  readonly covers: readonly State[];
  /** Its last activity and session key as JSON, to compare two readings. */
  readonly activityText: string;
}

/** A moment that decides how a turn ended. */
export interface Mark {
  readonly atMs: number;
  readonly kind: EvidenceKind;
  readonly ingestedAtMs: number;
  readonly backfill: boolean;
  readonly source: SourceName;
  readonly reason: ReasonCode | null;
  /** When a limit resets. */
  readonly untilMs: number | null;
  readonly rule: string | null;
  readonly tier: Tier;
}

/** Latest moments only, so that the order of arrival cannot matter. */
export interface Marks {
  readonly activeEdgeAtMs: number | null;
  readonly activeLevelAtMs: number | null;
  readonly failed: Mark | null;
  readonly interrupted: Mark | null;
  readonly completed: Mark | null;
  readonly rest: Mark | null;
  /** When an agent session last began; absent where no source reports it. */
  readonly beganAtMs?: number;
  /** When a deterministic source last reported a turn: work, a question or an end. */
  readonly turnSignalAtMs?: number;
  /** When one that sees work last reported rest and no end of a turn. */
  readonly restSignalAtMs?: number;
}

/** The first claim of a screen of a young runtime: it may be drawn by an earlier run. */
export interface FirstScreen {
  readonly source: SourceName;
  readonly claim: StampedClaim;
}

export interface ActivityField {
  readonly value: unknown;
  readonly atMs: number;
  readonly source: SourceName;
}

export interface SessionLink {
  readonly sessionKey: SessionKey;
  readonly atMs: number;
  readonly source: SourceName;
}

export interface Reconfirm {
  readonly sinceMs: number;
  readonly processSeen: boolean;
  readonly levelRead: boolean;
  /** The wait has timed out: what the row waits for may never come. */
  readonly isOverdue: boolean;
}

export interface RuntimeRecord {
  readonly runtimeId: RuntimeId;
  readonly paneKey: PaneKey;
  readonly targetId: TargetId;
  readonly agent: AgentName;
  readonly pid: number | null;
  /** By the clock that the machine had at boot: part of the identity of the process. */
  readonly startedAtMs: number;
  /** Absent in snapshots of older versions. */
  readonly foundAtMs?: number;
  readonly basis: EventOf<'runtime.started'>['basis'];
  readonly signature: SignatureInputs;
  readonly paneEpoch: number;
  /** The agent session, by the newest evidence that names one. */
  readonly session: SessionLink | null;
  readonly endedAtMs: number | null;
  readonly slots: ReadonlyMap<string, Slot>;
  readonly denials: Denials;
  readonly sources: ReadonlyMap<SourceName, SourceRecord>;
  readonly marks: Marks;
  /** Counted only by `withFirstScreen`, and not part of the tables above. */
  readonly firstScreen?: FirstScreen | undefined;
  /** Rest up to this moment is judged: no source reported a completion. */
  readonly restJudgedAtMs: number | null;
  /** A completion up to this moment is no longer news. */
  readonly demotedAtMs: number | null;
  /** Claims up to this moment are old and no working source could contradict them. */
  readonly weakenedAtMs: number | null;
  /** When the agent itself last named the session that runs in this pane. */
  readonly handshakeAtMs: number | null;
  readonly missedLooks: number;
  readonly suspended: boolean;
  /** When the agent last reported the end of its session or process; 0 where it did not. */
  readonly endReportedAtMs?: number;
  /** When a person last had a signal sent to end it. Absent where nobody did. */
  readonly killedAtMs?: number;
  /** Set after a start until the process and the level that decides were read. */
  readonly reconfirm: Reconfirm | null;
  readonly stuckSinceMs: number | null;
  readonly activity: ReadonlyMap<keyof ActivityPatch, ActivityField>;
  readonly lastActivityAtMs: number;
  /** Requests that a person has seen, newest last. */
  readonly seen: readonly RequestId[];
}

/** Of a row whose state is hidden or not known. */
export type LastKnownState = Pick<
  PaneRow,
  'state' | 'reasonCode' | 'presence' | 'runtimeId' | 'sinceMs'
> & {
  /** It was not hidden but ended: nothing after it began before it. */
  readonly isEnded?: boolean;
};

/** What a person has put off: these requests as they were, and no others. */
export interface Snooze {
  readonly untilMs: number;
  readonly requests: readonly Pick<OpenRequest, 'requestId' | 'detail'>[];
}

/** How the last agent of a pane ended, where that is to be shown. */
export interface Ending {
  readonly kind: 'crash' | 'exit';
  readonly requestId: RequestId;
  readonly runtimeId: RuntimeId;
  readonly agent: AgentName;
  readonly sinceMs: number;
  /** `ended with exit code 3`, `ended with SIGKILL`, `ended while waiting_approval`. */
  readonly how: string;
  /** The exit status was observed, and not inferred from an unfinished turn. */
  readonly isCertain: boolean;
  /** A person has seen a clean exit; a crash that was seen is gone. */
  readonly isSeen: boolean;
  /** A clean exit is no longer news: it is not shown as a state. */
  readonly isOld: boolean;
}

export interface PaneRecord {
  readonly paneKey: PaneKey;
  readonly targetId: TargetId;
  /** Null for a paneless agent. */
  readonly facts: PaneFacts | null;
  /** What a person calls the pane; absent where nobody named it. */
  readonly alias?: string;
  /** The working folder of a paneless agent, where it is known. */
  readonly seatPath?: string;
  readonly runtimeId: RuntimeId | null;
  /** How many runtimes this pane instance has had. */
  readonly paneEpoch: number;
  /** Ended runtimes that late evidence may still name, oldest first. */
  readonly pastRuntimes: readonly RuntimeId[];
  readonly goneAtMs: number | null;
  /** Absent in snapshots of older versions. */
  readonly snooze?: Snooze | null;
  /** It belongs to the pane, because its runtime has ended. Absent in older snapshots. */
  readonly ending?: Ending | null;
  /** Titles that the current agent has had, newest last. */
  readonly boundTitles: readonly string[];
  /** Absent in snapshots of older versions. */
  readonly held?: LastKnownState | null;
  readonly row: PaneRow;
}

export interface ChannelRecord {
  readonly status: ChannelStatus;
  readonly sinceMs: number;
}

export interface World {
  readonly config: EngineConfig;
  /** Last start of the daemon or waking of the machine: no silence is counted from before it. */
  readonly resumedAtMs: number;
  /** The latest time of any event: the daemon's clock may not start before it. */
  readonly latestMs: number;
  /** Counts row changes: the one timeline of subscriptions. */
  readonly rowSeq: number;
  readonly targets: ReadonlyMap<TargetId, Target>;
  readonly panes: ReadonlyMap<PaneKey, PaneRecord>;
  /** The live pane at a target, server and pane id. */
  readonly addresses: ReadonlyMap<string, PaneKey>;
  readonly runtimes: ReadonlyMap<RuntimeId, RuntimeRecord>;
  /** The runtime that last named an agent session, by `sessionAt`. */
  readonly sessions: ReadonlyMap<string, { readonly runtimeId: RuntimeId; readonly atMs: number }>;
  readonly channels: ReadonlyMap<ChannelName, ChannelRecord>;
  /** Evidence that waits for its runtime, oldest first. */
  readonly pending: ReadonlyMap<EventId, EventOf<'evidence.observed'>>;
}

type TableName =
  | 'targets'
  | 'panes'
  | 'addresses'
  | 'runtimes'
  | 'sessions'
  | 'channels'
  | 'pending';

/** A world being changed by one batch. Reads see what the batch wrote so far. */
export type Draft = { -readonly [Field in keyof World]: World[Field] } & {
  readonly copied: Set<TableName>;
  readonly changes: Change[];
  /** Panes whose row must be computed again after the current event. */
  readonly touched: Set<PaneKey>;
};

export const emptyWorld: World = {
  config: defaultEngineConfig,
  resumedAtMs: 0,
  latestMs: 0,
  rowSeq: 0,
  targets: new Map(),
  panes: new Map(),
  addresses: new Map(),
  runtimes: new Map(),
  sessions: new Map(),
  channels: new Map(),
  pending: new Map(),
};

export function openDraft(world: World): Draft {
  return { ...world, copied: new Set(), changes: [], touched: new Set() };
}

/** The next world and what the batch did. The world it was opened on is untouched. */
export function closeDraft(draft: Draft): { world: World; changes: readonly Change[] } {
  const { copied: _copied, changes, touched: _touched, ...world } = draft;
  return { world, changes };
}

/** A table of the draft to write to: copied at the first write of a batch. */
export function writable<Name extends TableName>(
  draft: Draft,
  name: Name,
): World[Name] extends ReadonlyMap<infer Key, infer Value> ? Map<Key, Value> : never {
  if (!draft.copied.has(name)) {
    draft.copied.add(name);
    (draft as Record<TableName, unknown>)[name] = new Map<unknown, unknown>(draft[name]);
  }
  return draft[name] as never;
}

/** Replaces a runtime's record and marks its pane's row to be computed again. */
export function putRuntime(draft: Draft, runtime: RuntimeRecord): void {
  writable(draft, 'runtimes').set(runtime.runtimeId, runtime);
  draft.touched.add(runtime.paneKey);
}

export function putPane(draft: Draft, pane: PaneRecord): void {
  writable(draft, 'panes').set(pane.paneKey, pane);
  draft.touched.add(pane.paneKey);
}

/** The key of a live pane: tmux's id is unique only within one generation of one server. */
export function addressOf(pane: { targetId: TargetId; server: string; paneId: string }): string {
  // NUL: no path or name that reaches us can hold one.
  return `${pane.targetId}\0${pane.server}\0${pane.paneId}`;
}

/** The key of an agent session: machines that share a home share its session ids too. */
export function sessionAt(targetId: TargetId, sessionKey: SessionKey): string {
  return `${targetId}\0${sessionKey}`;
}

/** The runtime if it is live; null if it is unknown or has ended. */
export function liveRuntime(world: World, runtimeId: RuntimeId | null): RuntimeRecord | null {
  const runtime = runtimeId === null ? undefined : world.runtimes.get(runtimeId);
  return runtime && runtime.endedAtMs === null ? runtime : null;
}
