// The ports through which operations reach the daemon, which implements them in daemon/ports/. Each
// operation names the ports that it needs and is given those alone. Every reading is of now.

import type { Sightings } from '../../core/sightings.ts';
import type { PaneRecord, World } from '../../core/world.ts';
import type { Delivery } from '../../schema/action.ts';
import type {
  ActionReport,
  AddRepeatRuleInput,
  ChooseInput,
  InterruptInput,
  KillInput,
  PasteInput,
  PressInput,
  RepeatRule,
  SendInput,
} from '../../schema/api/acting.ts';
import type { EndedAgentItem, ResumeInput, ResumePlan } from '../../schema/api/actions.ts';
import type { Checkup, DaemonReport, DoctorInput } from '../../schema/api/doctor.ts';
import type {
  AdapterList,
  AlertItem,
  ConfigStatus,
  DaemonInfo,
  HudServer,
} from '../../schema/api/health.ts';
import type { HooksAnswer, HooksInput } from '../../schema/api/hooks.ts';
import type { IngestEvent, IngestResult } from '../../schema/api/ingest.ts';
import type { PaneItem } from '../../schema/api/panes.ts';
import type { Subscribed, SubscribeInput } from '../../schema/api/stream.ts';
import type { OutageItem } from '../../schema/api/targets.ts';
import type { ChannelName, PaneKey, RequestId, RuntimeId, TargetId } from '../../schema/ids.ts';
import type { Outcome } from '../../schema/outcome.ts';
import type { OpenRequest } from '../../schema/pane.ts';
import type { ProblemCode } from '../../schema/problem.ts';
import type { LabelRecord } from '../../schema/record.ts';
import type { MessageTyping } from '../../schema/relay/message.ts';
import type { Target } from '../../schema/target.ts';
import type { TypedPart } from '../../schema/web/typing.ts';
import type { UploadInput, UploadReply } from '../../schema/web/upload.ts';
import type { AcpPort } from './acp-port.ts';
import type { CallersPort, CallerWitness } from './callers-port.ts';
import type { HistoryPort } from './history-port.ts';
import type { MessagesPort } from './messages-port.ts';
import type { NotifyPort } from './notify-port.ts';
import type { PushPort } from './push-port.ts';
import type { SharesPort } from './shares-port.ts';
import type { RegisteredSource } from './source-registry.ts';
import type { ChangeMessage, OpenStream, StreamSink } from './stream-message.ts';
import type { TeamsPort } from './teams-port.ts';
import type { ConversationsPort, ViewsPort } from './watched-ports.ts';
import type { WebPort } from './web-port.ts';

/** A piece of work that its caller may give up. */
export interface Cancellation {
  /** Aborts when the caller is gone or its time is over, until `commit`. */
  readonly signal: AbortSignal;
  /** The point of no return: nothing aborts from here on. Throws when it is aborted already. */
  readonly commit: () => void;
}

/** What a pane shows now. */
export interface PaneScreen {
  /** The visible lines with their escape sequences, joined by newlines. */
  readonly ansi: string;
  readonly cols: number;
  readonly rows: number;
  readonly cursor: { readonly x: number; readonly y: number };
  readonly inMode: boolean;
  readonly panePid: number;
}

export interface PanesPort {
  readonly world: () => World;
  /** Called after every change of the world, until it is disposed of. */
  readonly onChange: (listener: () => void) => Disposable;
  readonly sightings: () => Sightings;
  /** Why nothing can be stored now; then every row is unknown. Null while all is well. */
  readonly storeError: () => { readonly code: ProblemCode; readonly message: string } | null;
  /** Machines and tmux servers that are gone. */
  readonly outages: () => readonly OutageItem[];
  /** When a live source last confirmed the row. */
  readonly lastSeenAtMs: (pane: PaneRecord) => number;
  /** Whether the dialog of a request takes an answer in words of one's own. */
  readonly takesText: (pane: PaneRecord, request: OpenRequest) => boolean;
  /** Whether a person is attached to a session that shows the pane. */
  readonly isAttached: (pane: PaneRecord) => boolean;
  /** What is checked out around the folder of a local pane; null outside a repository. */
  readonly gitCheckout: (pane: PaneRecord) => {
    readonly branch: string | null;
    readonly worktree: string | null;
  };
  /**
   * One capture of the screen of a pane, after so many lines of its history; null when it is gone.
   * Rejects with a Fault.
   */
  readonly capture: (
    pane: PaneRecord,
    signal: AbortSignal,
    historyCount?: number,
  ) => Promise<PaneScreen | null>;
}

/** What is typed into one pane, or done to its agent. */
export type ActionOrder =
  | {
      readonly kind: 'send';
      readonly input: SendInput;
      readonly message?: MessageTyping;
      /** Types nothing into an open dialog, forced or not. */
      readonly sparesDialogs?: boolean;
    }
  | { readonly kind: 'press'; readonly input: PressInput }
  | { readonly kind: 'paste'; readonly input: PasteInput }
  | { readonly kind: 'choose'; readonly input: ChooseInput; readonly shownCommand?: string }
  | { readonly kind: 'interrupt'; readonly input: InterruptInput }
  | { readonly kind: 'kill'; readonly input: KillInput };

/** What is done to one pane. */
export interface ActionsPort {
  /** Runs one action under its guards; a report of what came of it, or why nothing was done. */
  readonly perform: (
    pane: PaneRecord,
    order: ActionOrder,
    call: Cancellation & {
      readonly actor: string;
      /** What the connection has shown of the caller. */
      readonly witness?: CallerWitness | undefined;
    },
  ) => Promise<Outcome<ActionReport>>;
  /** Types keys as they are; how many bytes. Rejects with a Fault. */
  readonly type: (
    pane: PaneRecord,
    parts: readonly TypedPart[],
    call: Cancellation & { readonly actor: string },
  ) => Promise<Outcome<number>>;
  /** Keeps a file for the agent, and pastes it or its path. Rejects with a Fault. */
  readonly upload: (
    pane: PaneRecord,
    input: UploadInput,
    call: Cancellation & { readonly actor: string },
  ) => Promise<Outcome<UploadReply>>;
  /** The outcome of an earlier action of the same `request_ref`; null where there is none. */
  readonly earlier: (
    order: ActionOrder,
    call: Cancellation,
  ) => Promise<Outcome<ActionReport>> | null;
  readonly reports: (query: ReportQuery) => readonly ActionReport[];
  /** Says which agent is in a pane that cannot be looked into. Rejects with a Fault. */
  readonly tag: (
    paneKey: PaneKey,
    agent: string | null,
    signal: AbortSignal,
  ) => Promise<Outcome<null>>;
  /** Gives the pane a name, or takes it away. */
  readonly rename: (paneKey: PaneKey, alias: string | null) => void;
  readonly markSeen: (paneKey: PaneKey, requestIds: readonly RequestId[]) => void;
  readonly snooze: (paneKey: PaneKey, untilMs: number) => void;
  readonly unsnooze: (paneKey: PaneKey) => void;
}

/** An agent that has ended, with what the table of them shows. */
export interface ResumesPort {
  /** Newest first, each session once, without those that are open again. */
  readonly endedAgents: (withinMs: number) => readonly EndedAgentItem[];
  /** Plans the start and watches for it. The caller starts it, in its own environment. */
  readonly begin: (
    runtimeId: RuntimeId,
    input: ResumeInput,
    call: { readonly actor: string; readonly witness: CallerWitness },
  ) => Outcome<Omit<ResumePlan, 'schema_version' | 'generated_at'>>;
  /** What came of it; waits until the agent has named its session, or for half a minute. */
  readonly outcome: (
    actionId: string,
    started: { readonly paneId: string | null; readonly failure: string | null },
    signal: AbortSignal,
  ) => Promise<Outcome<ActionReport>>;
}

export interface DeliveryQuery {
  readonly paneKey: PaneKey | null;
  readonly includeSettled: boolean;
}

/** Prompts that wait for their moment. */
export interface DeliveriesPort {
  /** Open ones first, in the order of their time; then the newest settled ones. */
  readonly list: (query: DeliveryQuery) => readonly Delivery[];
  readonly cancel: (deliveryId: string, actor: string) => Outcome<Delivery>;
}

export interface RepeatRulesPort {
  readonly add: (
    pane: PaneRecord,
    input: AddRepeatRuleInput,
    call: { readonly actor: string; readonly witness: CallerWitness },
  ) => Outcome<RepeatRule>;
  readonly list: (isActiveOnly: boolean) => readonly RepeatRule[];
  readonly revoke: (ruleId: string, witness: CallerWitness) => Outcome<RepeatRule>;
}

export interface ReportQuery {
  readonly paneKey: PaneKey | null;
  readonly requestRef: string | null;
  readonly limit: number;
}

export interface TargetLogin {
  readonly destination: string;
  readonly configFile: string;
  readonly tmuxPath: string | null;
}

/** The machines that are watched, as far as operations change them. */
export interface TargetsPort {
  /** What the world does not hold: why it is not well, and when it last answered. */
  readonly statusOf: (targetId: TargetId) => {
    readonly detail: string | null;
    readonly lastSeenAtMs: number | null;
  };
  /** How to log in to a machine by ssh; null where it is not connected, or is this one. */
  readonly loginOf: (targetId: TargetId) => TargetLogin | null;
  readonly add: (target: Target) => Target;
  /** Resolves when it was reached or has failed. */
  readonly connect: (targetId: TargetId, signal: AbortSignal) => Promise<void>;
  readonly remove: (targetId: TargetId) => void;
}

/** How far a source was read, and how far of that is in the store. */
export interface StoredCursor {
  readonly fetched: string | null;
  readonly committed: string | null;
}

export interface SourcesPort {
  /** Resolves after the commit, one result for each event. Without a channel: the API's own. */
  readonly ingest: (
    events: readonly IngestEvent[],
    channel?: ChannelName,
  ) => Promise<readonly IngestResult[]>;
  /** Notes that a channel lives. */
  readonly beat: (channel: ChannelName) => void;
  /** Third-party sources by id; the operations are its only writers besides the pull. */
  readonly registry: Map<string, RegisteredSource>;
  /** A source has registered, moved or was revoked: pulling begins or ends. */
  readonly changed: () => void;
  readonly loadCursor: (channel: ChannelName) => StoredCursor | null;
  readonly saveCursor: (channel: ChannelName, cursor: StoredCursor) => void;
}

/** The agents that are recognised. */
export interface AdaptersPort {
  readonly list: () => AdapterList;
  readonly setEnabled: (agent: string, enabled: boolean) => AdapterList;
}

export interface DaemonPort {
  readonly info: () => DaemonInfo;
  readonly config: () => ConfigStatus;
  /** Prometheus text. */
  readonly metrics: () => string;
  /** Ends the daemon after the reply was sent. */
  readonly stop: (reason: string) => void;
  readonly alerts: (query: { readonly includeResolved: boolean }) => readonly AlertItem[];
  readonly acknowledgeAlert: (alertId: string) => Outcome<AlertItem>;
  readonly resolveAlert: (alertId: string) => Outcome<AlertItem>;
}

export interface HooksPort {
  /** Works on the hooks of agents on a machine. The first write to a file commits. */
  readonly run: (
    targetId: TargetId,
    input: HooksInput,
    cancellation: Cancellation,
  ) => Promise<Outcome<HooksAnswer>>;
}

export interface DoctorPort {
  readonly examine: (report: DaemonReport, caller: DoctorInput, nowMs: number) => Promise<Checkup>;
}

export interface RecordingRequest {
  readonly pane: PaneItem;
  readonly why: string;
  readonly label: LabelRecord['state'];
  /** Whether a person gave the label. */
  readonly isLabelGiven: boolean;
  readonly minutes: number;
  readonly nowMs: number;
}

export interface RecordingsPort {
  /** The recording, redacted. Rejects with a Fault. */
  readonly take: (
    request: RecordingRequest,
    signal: AbortSignal,
  ) => Promise<Record<string, unknown>>;
}

export interface StreamsPort {
  readonly open: (input: SubscribeInput, sink: StreamSink<ChangeMessage>) => OpenStream<Subscribed>;
}

export interface HudPort {
  readonly status: () => { readonly on: boolean; readonly servers: readonly HudServer[] };
  /** Resolves when the servers were asked. Throws what the disk throws. */
  readonly set: (on: boolean) => Promise<ReturnType<HudPort['status']>>;
}

export interface Ports {
  readonly hud: HudPort;
  readonly panes: PanesPort;
  readonly actions: ActionsPort;
  readonly callers: CallersPort;
  readonly repeatRules: RepeatRulesPort;
  readonly resumes: ResumesPort;
  readonly deliveries: DeliveriesPort;
  readonly messages: MessagesPort;
  readonly history: HistoryPort;
  readonly targets: TargetsPort;
  readonly sources: SourcesPort;
  readonly adapters: AdaptersPort;
  readonly daemon: DaemonPort;
  readonly hooks: HooksPort;
  readonly doctor: DoctorPort;
  readonly recordings: RecordingsPort;
  readonly notify: NotifyPort;
  readonly push: PushPort;
  readonly teams: TeamsPort;
  readonly acp: AcpPort;
  readonly streams: StreamsPort;
  readonly web: WebPort;
  readonly shares: SharesPort;
  readonly views: ViewsPort;
  readonly conversations: ConversationsPort;
}
export type PortName = keyof Ports;
