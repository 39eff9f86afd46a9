// The contract of one agent, as data: what identifies it, which sources speak for
// it, what it can report, and how its raw signals become claims. Nothing here does I/O: sources/
// builds the declared subscriptions and polls, and hands each raw signal to a normaliser.

import type { ActivityPatch, BindHint, Claim } from '../schema/evidence.ts';
import type { AgentName, SessionKey, SourceName } from '../schema/ids.ts';
import type { State, Tier } from '../schema/state.ts';
import type { ScreenRules } from './screen/rules.ts';

/** The version this build understands. An adapter of another version is disabled. */
export const CONTRACT_VERSION = '1';

/** What an agent's signals can show, as `adapter list` prints it. */
export interface Capabilities {
  readonly eventDriven: boolean;
  readonly pollingRequired: boolean;
  readonly supportsWaitingApproval: boolean;
  readonly supportsWaitingInput: boolean;
  readonly supportsCompleted: boolean;
}

export type ParameterValue = string | number | boolean | readonly string[];

/** One source of the agent's evidence, built by `sources/` from its name. */
export interface SourceSpec {
  readonly name: SourceName;
  /** `subscribe`: it sends events. `poll`: it must be read. */
  readonly mode: 'subscribe' | 'poll';
  readonly kind: 'edge' | 'level';
  readonly tier: Tier;
  /** States whose end this source sees (law 6). Normalisers in code set this per claim instead. */
  readonly covers: readonly State[];
  /** Place among the agent's sources; 0 is the best. The registry counts them anew. */
  readonly rank: number;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
}

/** What a normaliser may know besides the raw signal. It has no clock of its own. */
export interface NormaliseContext {
  readonly agent: AgentName;
  /** The declaration of the source that read the signal: its covers and rank go into the claims. */
  readonly source: Pick<SourceSpec, 'name' | 'kind' | 'covers' | 'rank'>;
  /** When the signal was read, for signals without their own time. */
  readonly nowMs: number;
  /** The value before this one, for level sources that must see a change (a title, an option). */
  readonly previous?: unknown;
  /** The session of the runtime, where it is known: others of the same server are not its turn. */
  readonly sessionKey?: SessionKey | undefined;
}

/** What a signal says. `claims` may be empty when it only carries activity or a session. */
export interface NormalisedSignal {
  readonly kind: 'claims';
  /** The event's own name (`Stop`, `session.idle`), kept for the ledger. */
  readonly type: string;
  readonly claims: readonly Claim[];
  readonly activity?: ActivityPatch;
  readonly sessionKey?: SessionKey;
  /** The agent reported the end of its session or process. */
  readonly ended?: boolean;
  /** The signal's own time, where it carries one. */
  readonly eventTimeMs?: number;
  /** Makes repeats of the same signal one event; a source adds its own where absent. */
  readonly dedupeKey?: string;
  /** The signal's place in its source's own order, where its payload has one. */
  readonly sourceSeq?: number;
  /** Facts that bind it to a pane or a process. */
  readonly bind?: Partial<Omit<BindHint, 'targetId'>>;
}

/** What a raw signal says. */
export type NormaliserResult =
  | NormalisedSignal
  /** Malformed, or of a kind that this version does not know: never an exception, never a guess. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** Understood, and says nothing about this agent's state. */
  | { readonly kind: 'ignored'; readonly reason: string };

export type Normaliser = (raw: unknown, context: NormaliseContext) => NormaliserResult;

/** One normaliser a source name. A source without one claims nothing. */
export type NormaliserTable = Readonly<Record<string, Normaliser>>;

/** A pane option of another tool that speaks for the agent, under a source of its own. */
export interface ForeignOption {
  /** As tmux has it: `@claude_status`. */
  readonly name: string;
  readonly source: SourceName;
}

/** What identifies an agent besides its screen, from the [identify] table of its file. */
export interface IdentifySpec {
  /** Lower is tried first, where two agents could match. */
  readonly priority: number;
  /** Names of the program itself: `claude`, `codex`. */
  readonly executables: ReadonlySet<string>;
  /** npm packages; a script inside one of them is the agent. */
  readonly packages: readonly string[];
  /** Parts of an executable's path, such as `/claude/versions/`. */
  readonly paths: readonly string[];
  /** The agent renames its process to its bare version (`2.1.325`). */
  readonly versionArgv0: boolean;
  /** Arguments that make the same program something else: a shared daemon, an MCP server. */
  readonly notArgv: readonly RegExp[];
  /** Arguments that make it a service which other panes use too: it outlives the agent. */
  readonly sharedArgv: readonly RegExp[];
  /** Options and subcommands with which it answers once and exits: `-p`, `exec`. */
  readonly oneShot: ReadonlySet<string>;
  /** Titles the agent sets. They add weight and never promote alone. */
  readonly titles: readonly RegExp[];
}

/** How an agent is started again with an earlier session, from the [resume] table of its file. */
export interface ResumeSpec {
  readonly program: string;
  /** Its arguments; `{id}` stands for the id of the session. */
  readonly args: readonly string[];
  /** Fits the whole of an id. */
  readonly idPattern: RegExp;
}

/** What `adapter list` shows. An adapter that is off says why. */
export type AdapterHealth =
  | { readonly status: 'ok' }
  | { readonly status: 'disabled'; readonly reason: 'by_user' | 'unsupported_signal' | 'invalid' };

export interface Adapter {
  readonly contractVersion: string;
  readonly agent: AgentName;
  /** Name for people. */
  readonly title: string;
  readonly capabilities: Capabilities;
  readonly identify: IdentifySpec;
  readonly sources: readonly SourceSpec[];
  readonly normalisers: NormaliserTable;
  readonly options: readonly ForeignOption[];
  readonly screen: ScreenRules;
  /** Null where it is not known how. */
  readonly resume: ResumeSpec | null;
  readonly health: AdapterHealth;
}
