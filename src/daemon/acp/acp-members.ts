// The ACP members of this daemon: how they are started, what is remembered of them, and who hears
// what they report. They end with the daemon and are started again with it.

import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import type { ActionResult } from '../../acting/action-result.ts';
import { refused } from '../../acting/action-result.ts';
import type { AnnounceTranscript } from '../../agent-files/conversations/transcript.ts';
import type { PaneRecord } from '../../core/world.ts';
import type { AcpPort, AcpUpdates } from '../../operations/ports/acp-port.ts';
import type { PaneScreen } from '../../operations/ports/ports.ts';
import { Fault } from '../../platform/fault.ts';
import {
  acpAgentNames,
  acpCommandOf,
  acpToolsOf,
  losesFreshSessions,
} from '../../relay/acp/acp-agents.ts';
import { AcpMember } from '../../relay/acp/acp-member.ts';
import type { AcpSignal } from '../../relay/acp/acp-signal.ts';
import { AcpTranscript } from '../../relay/acp/acp-transcript.ts';
import { memberStart } from '../../relay/acp/bundle-member.ts';
import { isAcpKey, type PaneKey } from '../../schema/ids.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import type { AcpMemberItem, AcpUpdatesInput, StartAcpInput } from '../../schema/relay/acp-api.ts';
import type { AcpMemberTable } from '../../store/teams/acp-members.ts';
import type { ActionScene } from '../acting/action-runner.ts';
import type { PanelessTransport } from '../messaging/roster.ts';
import { acpRecords } from './acp-records.ts';
import { type AcpSpec, readAcpSpec } from './acp-spec.ts';
import { ACP_CHANNEL, AcpWorld, type AcpWorldParts } from './acp-world.ts';
import { actOnMember, refuseTurn, sendPrompt } from './act-on-member.ts';
import { memberScreen } from './member-screen.ts';

const MEMBERS_MAX = 64;
const CANCEL_MS = 10_000;
const TURN_MS = 86_400_000;
const STDERR_SHOWN_MAX = 2_000;

/** Of the terminal and the agent from which the daemon happened to be started. */
const foreignNames: ReadonlySet<string> = new Set([
  ...['TMUX', 'TMUX_PANE', 'AGTMUX_SESSION', 'CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT'],
  ...['MALLOC_ARENA_MAX', 'MALLOC_TRIM_THRESHOLD_'],
  ...['CLAUDE_CODE_SESSION_ID', 'CLAUDE_PROJECT_DIR', 'GEMINI_CLI', 'COPILOT_AGENT_SESSION_ID'],
]);

export interface AcpMembersParts extends AcpWorldParts {
  readonly table: AcpMemberTable;
  readonly announce: AnnounceTranscript;
  /** What starts our MCP server. */
  readonly toolsProgram: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly onDefect: (error: unknown) => void;
}

interface Entry {
  readonly name: string;
  readonly spec: AcpSpec;
  readonly world: AcpWorld;
  readonly transcript: AcpTranscript;
  member: AcpMember | null;
  sessionId: string | null;
  /** When it began, at the latest; null where nobody knows. */
  sessionAtMs: number | null;
  isInTurn: boolean;
  isWanted: boolean;
  /** What the agent tells of a session that it opens again is news: nothing is known of it. */
  isFilling: boolean;
}

export class AcpMembers implements AcpPort, AsyncDisposable {
  readonly #parts: AcpMembersParts;
  readonly #entries = new Map<string, Entry>();
  #isClosing = false;

  constructor(parts: AcpMembersParts) {
    this.#parts = parts;
  }

  /** Call it once, before anything is read: what an earlier life of the daemon had is over. */
  begin(): void {
    for (const stored of this.#parts.table.list()) {
      const { name, spec, sessionId, isInTurn, isWanted, updatedAtMs } = stored;
      const read = readAcpSpec(spec);
      if (read === null) continue;
      const entry = this.#entry(name, read);
      this.#entries.set(name, entry);
      // Its session is not younger than what was stored with it.
      Object.assign(entry, { sessionId, sessionAtMs: updatedAtMs, isInTurn, isWanted });
      entry.world.forgetEarlierLife();
      if (!isWanted) entry.world.gone();
    }
  }

  /** Call it about once a second. It starts what is to run. */
  beat(): void {
    if (this.#isClosing) return;
    for (const entry of this.#entries.values()) {
      if (entry.isWanted && entry.member === null) this.#run(entry);
    }
    const live = [...this.#entries.values()].filter(({ member }) => member !== null);
    if (live.length === 0) return;
    const atMs = this.#parts.nowMs();
    this.#tryStore(() => this.#parts.submit([{ kind: 'heartbeat', channel: ACP_CHANNEL, atMs }]));
    for (const { world } of live) world.confirm();
  }

  list = (): readonly AcpMemberItem[] =>
    [...this.#entries.values()]
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map((each) => itemOf(each));

  startMember: AcpPort['startMember'] = (bundle, member, path) => {
    const input = memberStart(bundle, member, { home: homedir(), path });
    if (!input.ok) return input;
    const { cwd, name } = input.value;
    if (!isFolder(cwd)) {
      return refuse('E_PRECONDITION_FAILED', `its directory ${cwd} cannot be entered`);
    }
    // What the files do not say any more does not go on to hold.
    return this.#start(input.value, this.#entries.get(name), null);
  };

  start = (input: StartAcpInput): Outcome<AcpMemberItem> => {
    const before = this.#entries.get(input.name);
    return this.#start(input, before, before?.spec ?? null);
  };

  #start(
    input: StartAcpInput,
    before: Entry | undefined,
    specBefore: AcpSpec | null,
  ): Outcome<AcpMemberItem> {
    const { name } = input;
    const isEnded =
      before?.member?.status === 'failed' || before?.member?.status === 'auth_required';
    if (before?.member && !isEnded) {
      return refuse('E_PRECONDITION_FAILED', `member ${name} is ${before.member.status} already`);
    }
    if (!before && this.#entries.size >= MEMBERS_MAX) {
      return refuse('E_ACTIONS_BUSY', `there are ${MEMBERS_MAX} members already`);
    }
    const spec = this.#specOf(input, specBefore ?? undefined);
    if (!spec.ok) return spec;
    const earlier = before?.member ?? null;
    const entry = this.#entry(name, spec.value, before);
    entry.sessionId = input.session_id ?? before?.sessionId ?? null;
    entry.sessionAtMs = before?.sessionAtMs ?? null;
    entry.isInTurn = before?.isInTurn ?? false;
    entry.isWanted = true;
    // Nothing runs that is not remembered.
    this.#parts.table.save(entry, this.#parts.nowMs());
    this.#entries.set(name, entry);
    if (before && earlier) {
      // The end of that process is not the end of this one.
      before.member = null;
      entry.world.replaced();
      void earlier[Symbol.asyncDispose]().catch(this.#parts.onDefect);
    }
    this.#run(entry);
    return ok(itemOf(entry));
  }

  stop = async (name: string, forget: boolean): Promise<Outcome<AcpMemberItem>> => {
    const entry = this.#entries.get(name);
    if (!entry) return refuse('E_REF_NOT_FOUND', `no ACP member is called "${name}"`);
    entry.isWanted = false;
    await entry.member?.[Symbol.asyncDispose]();
    // Somebody has started it anew meanwhile.
    if (this.#entries.get(name) !== entry) return ok(itemOf(entry));
    entry.member = null;
    entry.isInTurn = false;
    entry.world.gone();
    if (forget) {
      this.#entries.delete(name);
      this.#tryStore(() => this.#parts.table.remove(name));
    } else this.#save(entry);
    return ok(itemOf(entry));
  };

  updates = async (
    { name, after, limit, wait_ms }: AcpUpdatesInput,
    signal: AbortSignal,
  ): Promise<Outcome<AcpUpdates>> => {
    const entry = this.#entries.get(name);
    if (!entry) return refuse('E_REF_NOT_FOUND', `no ACP member is called "${name}"`);
    const { transcript } = entry;
    if (after === undefined) {
      const next = transcript.lastSeq;
      return ok({ member: itemOf(entry), updates: [], next, isCut: false });
    }
    if (transcript.lastSeq <= after && wait_ms > 0) await changed(transcript, wait_ms, signal);
    const updates = transcript.updatesAfter(after, limit);
    const [first] = updates;
    const next = updates.at(-1)?.seq ?? Math.max(after, transcript.lastSeq);
    const isCut = first !== undefined && first.seq > after + 1;
    return ok({ member: itemOf(entry), updates, next, isCut });
  };

  async act(scene: ActionScene): Promise<ActionResult> {
    const entry = this.#at(scene.pane.paneKey);
    if (!entry?.member) return refused('E_NO_AGENT', 'the member does not run');
    const stop = async () => void (await this.stop(entry.name, false));
    return actOnMember({ ...scene, member: entry.member, stop });
  }

  /** How messages reach a member; null where the pane is none. */
  transportOf({ paneKey }: Pick<PaneRecord, 'paneKey'>): PanelessTransport | null {
    return isAcpKey(paneKey) ? this.#transport(() => this.#at(paneKey)?.member ?? null) : null;
  }

  /** Of a member of a bundle; null where it was never started. */
  transportOfMember(name: string): PanelessTransport | null {
    if (!this.#entries.has(name)) return null;
    return this.#transport(() => this.#entries.get(name)?.member ?? null);
  }

  #transport(memberNow: () => AcpMember | null): PanelessTransport {
    return {
      wait: () => {
        const member = memberNow();
        return member === null ? 'it is not up' : member.refusal();
      },
      hand: async (text, { commit }) => {
        const member = memberNow();
        if (member === null) return refused('E_NO_AGENT', 'it is not up');
        return refuseTurn(member) ?? sendPrompt(member, text, commit);
      },
    };
  }

  /** What it said and did, as lines; null where the pane is no member. */
  screenOf({ paneKey, runtimeId }: PaneRecord, lineCount: number): PaneScreen | null {
    const entry = this.#at(paneKey);
    if (!entry || runtimeId === null) return null;
    const pid = entry.member?.pid ?? 0;
    return memberScreen(entry.transcript, { lineCount, pid, nowMs: this.#parts.nowMs() });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    const members = [...this.#entries.values()].map(({ member }) => member);
    await Promise.all(members.map((member) => member?.[Symbol.asyncDispose]()));
  }

  #at(paneKey: PaneKey): Entry | null {
    return [...this.#entries.values()].find(({ world }) => world.paneKey === paneKey) ?? null;
  }

  #entry(name: string, spec: AcpSpec, before?: Entry): Entry {
    const { nowMs } = this.#parts;
    const isSame = before?.spec.agent === spec.agent && before.spec.cwd === spec.cwd;
    const world = isSame ? before.world : new AcpWorld(this.#parts, { name, ...spec });
    const transcript = before?.transcript ?? new AcpTranscript(nowMs);
    const entry: Entry = {
      ...{ name, spec, world, transcript, member: null, sessionId: null, sessionAtMs: null },
      ...{ isInTurn: false, isWanted: false, isFilling: false },
    };
    return entry;
  }

  #specOf(input: StartAcpInput, before: AcpSpec | undefined): Outcome<AcpSpec> {
    const agent = input.agent ?? before?.agent;
    if (agent === undefined) return refuse('E_INPUT_INVALID', 'a new member needs an agent');
    const isSame = before !== undefined && before.agent === agent;
    const env = { ...(isSame ? before.env : {}), ...input.env };
    const argv = input.argv ?? (isSame ? before.argv : undefined);
    const command = acpCommandOf(agent, argv, env['PATH'] ?? this.#parts.env['PATH']);
    if (command === null) {
      const known = acpAgentNames.join(', ');
      return refuse('E_AGENT_UNKNOWN', `${agent} is not among ${known}; give a command line`);
    }
    return ok({
      ...{ agent, argv: [...command.argv], cwd: input.cwd ?? before?.cwd ?? '/' },
      env: { ...command.env, ...env },
      authMethod: input.auth_method ?? before?.authMethod ?? null,
      withTools: input.with_tools,
      startMs: input.start_timeout_ms ?? command.startMs,
      turnMs: input.turn_timeout_ms ?? before?.turnMs ?? TURN_MS,
    });
  }

  #run(entry: Entry): void {
    const { env: own, toolsProgram, onDefect } = this.#parts;
    const { spec } = entry;
    const tools = spec.withTools
      ? acpToolsOf(spec.agent, toolsProgram)
      : { argv: [], mcpServers: [] };
    const inherited = Object.entries(own).filter(([name]) => !foreignNames.has(name));
    const member: AcpMember = new AcpMember({
      spec: {
        ...{ argv: [...spec.argv, ...tools.argv], cwd: spec.cwd, mcpServers: tools.mcpServers },
        env: { ...Object.fromEntries(inherited), ...spec.env },
        ...{ authMethod: spec.authMethod, startMs: spec.startMs, turnMs: spec.turnMs },
        ...{ cancelMs: CANCEL_MS, losesFreshSessions: losesFreshSessions(spec.agent) },
      },
      ...{ sessionId: entry.sessionId, sessionAtMs: entry.sessionAtMs, wasInTurn: entry.isInTurn },
      ...{ onDefect, random: Math.random, wallMs: () => Date.now() },
      // What is left of a member that was replaced is nobody's.
      onSignal: (signal) => {
        if (entry.member === member) this.#note(entry, signal);
      },
    });
    entry.member = member;
    member.start();
  }

  #note(entry: Entry, signal: AcpSignal): void {
    if (signal.kind === 'spawned') entry.isFilling = entry.transcript.isEmpty;
    const isReplay = signal.kind === 'update' && signal.during === 'replay';
    if (!isReplay || entry.isFilling) entry.transcript.note(signal);
    entry.world.note(signal);
    this.#remember(entry, signal);
  }

  #remember(entry: Entry, signal: AcpSignal): void {
    const { agent } = entry.spec;
    if (signal.kind === 'ready') {
      const { sessionId } = signal;
      const sessionAtMs = entry.member?.sessionAtMs ?? null;
      Object.assign(entry, { sessionId, sessionAtMs, isInTurn: false });
      const { runtimeId } = entry.world;
      const records = acpRecords(entry.transcript);
      const own = { agent, format: 'acp', sessionId, records, child: () => null };
      if (runtimeId !== null) this.#parts.announce(runtimeId, own);
    } else if (signal.kind === 'turn_began') entry.isInTurn = true;
    else if (signal.kind === 'turn_ended' || signal.kind === 'turn_failed') entry.isInTurn = false;
    else return;
    this.#save(entry);
  }

  #save(entry: Entry): void {
    this.#tryStore(() => this.#parts.table.save(entry, this.#parts.nowMs()));
  }

  #tryStore(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#parts.onFault(error);
    }
  }
}

function itemOf({ name, spec, world, member, sessionId }: Entry): AcpMemberItem {
  return {
    ...{ name, agent: spec.agent, cwd: spec.cwd, argv: [...spec.argv] },
    status: member?.status ?? 'stopped',
    in_turn: member?.isInTurn ?? false,
    detail: member?.detail ?? null,
    pid: member?.pid ?? null,
    session_id: member?.sessionId ?? sessionId,
    pane_key: world.paneKey,
    restarts: member?.restartCount ?? 0,
    stderr: (member?.noise ?? '').slice(-STDERR_SHOWN_MAX),
  };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Resolves after the next change, or when the time or the caller is gone. */
async function changed(
  transcript: AcpTranscript,
  waitMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  using _watch = transcript.watch(resolve);
  const timer = setTimeout(resolve, waitMs);
  signal.addEventListener('abort', () => resolve());
  await promise;
  clearTimeout(timer);
}
