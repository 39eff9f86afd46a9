// One ACP member: its process from start to start. It initialises, opens or loads its session, runs
// one turn at a time, and is started again when it dies, a few times and ever later. Every wait has
// a deadline. What happens comes out as signals; where they go is the daemon's.

import { randomBytes } from 'node:crypto';
import { backoff } from '../../platform/backoff.ts';
import type { ChildExit } from '../../platform/process/child.ts';
import { type AcpObject, isObject } from './acp-frames.ts';
import { ACP_AUTH_REQUIRED, AcpError, AcpLink, acpErrorText } from './acp-link.ts';
import { AcpPermissions } from './acp-permissions.ts';
import { openSession } from './acp-session.ts';
import type { AcpSignal, PermissionOption, PermissionRequest } from './acp-signal.ts';
import { minuteLeftMs } from './session-minute.ts';

/** `starting` until it has a session; `waiting` before it is started again. */
export type MemberStatus =
  | 'starting'
  | 'ready'
  | 'auth_required'
  | 'waiting'
  | 'failed'
  | 'stopped';

export interface AcpMemberSpec {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** The servers that it gets with its session, as the protocol has them. */
  readonly mcpServers: readonly AcpObject[];
  /** How it logs in, of the methods that it offers. */
  readonly authMethod: string | null;
  readonly startMs: number;
  readonly turnMs: number;
  /** After a cancel the agent ends its turn by itself in this time, or its process is ended. */
  readonly cancelMs: number;
  /** It loses a session that it loads in the minute in which it began. */
  readonly losesFreshSessions: boolean;
}

export interface AcpMemberParts {
  readonly spec: AcpMemberSpec;
  /** The session that it goes on with; null: it begins one. */
  readonly sessionId: string | null;
  /** When that began, at the latest; null where nobody knows. */
  readonly sessionAtMs: number | null;
  /** Its last life ended in a turn. */
  readonly wasInTurn: boolean;
  readonly onSignal: (signal: AcpSignal) => void;
  readonly onDefect: (error: unknown) => void;
  readonly random: () => number;
  /** What agents stamp their files with. */
  readonly wallMs: () => number;
}

const RESTART_FIRST_MS = 1_000;
const RESTART_CAP_MS = 60_000;
/** In a row; one that stays up begins anew. */
const RESTARTS_MAX = 5;
const UP_MS = 60_000;
/** Of what an agent says of its failed start. */
const REASON_LENGTH_MAX = 500;
const LAST_TEXT_MAX = 4_000;

interface Turn {
  readonly done: Promise<void>;
  lastText: string;
  /** The last text belongs to this message. */
  lastMessage: unknown;
  /** Its end was asked for; from then on it has a limit that nobody can move. */
  isCancelled: boolean;
  timer: NodeJS.Timeout | null;
}

export class AcpMember implements AsyncDisposable {
  readonly #parts: AcpMemberParts;
  readonly #permissions = new AcpPermissions(() => `acp-${randomBytes(6).toString('hex')}`);
  readonly #backoff;
  #status: MemberStatus = 'starting';
  #detail: string | null = null;
  #link: AcpLink | null = null;
  #sessionId: string | null;
  #sessionAtMs: number | null;
  #wasInTurn: boolean;
  #turn: Turn | null = null;
  #restarts = 0;
  #timer: NodeJS.Timeout | null = null;
  #upTimer: NodeJS.Timeout | null = null;
  #isReplaying = false;
  #isStopping = false;

  constructor(parts: AcpMemberParts) {
    this.#parts = parts;
    this.#sessionId = parts.sessionId;
    this.#sessionAtMs = parts.sessionAtMs;
    this.#wasInTurn = parts.wasInTurn;
    const limits = { firstMs: RESTART_FIRST_MS, capMs: RESTART_CAP_MS, random: parts.random };
    this.#backoff = backoff(limits);
  }

  get status(): MemberStatus {
    return this.#status;
  }

  /** Why it is in its status, for people. */
  get detail(): string | null {
    return this.#detail;
  }

  get pid(): number | null {
    return this.#link?.pid ?? null;
  }

  get sessionId(): string | null {
    return this.#sessionId;
  }

  /** When its session began, at the latest; null where nobody knows. */
  get sessionAtMs(): number | null {
    return this.#sessionAtMs;
  }

  get isInTurn(): boolean {
    return this.#turn !== null;
  }

  get restartCount(): number {
    return this.#restarts;
  }

  /** The end of what the agent printed besides its messages. */
  get noise(): string {
    return this.#link?.noise ?? '';
  }

  /** Starts its process. Nothing is waited for. */
  start(): void {
    if (this.#isStopping) return;
    const waitMs = this.#freshMs();
    if (waitMs > 0) {
      this.#status = 'waiting';
      this.#detail ??= 'its session began a moment ago';
      this.#timer = setTimeout(() => this.start(), waitMs).unref();
      return;
    }
    this.#status = 'starting';
    this.#run().catch(this.#parts.onDefect);
  }

  /** Why it takes no prompt now; null where it does. */
  refusal(): string | null {
    if (this.#status !== 'ready') {
      return this.#detail === null ? `it is ${this.#status}` : `${this.#status}: ${this.#detail}`;
    }
    return this.#turn === null ? null : 'it is in a turn';
  }

  /** Begins a turn. False: it could not be written, or it takes no prompt now. */
  prompt(text: string): boolean {
    const link = this.#link;
    if (this.refusal() !== null || link === null || this.#sessionId === null) return false;
    this.#parts.onSignal({ kind: 'turn_began', text });
    const prompt = [{ type: 'text', text }];
    const params = { sessionId: this.#sessionId, prompt };
    const { turnMs, cancelMs } = this.#parts.spec;
    // The last resort: the timers below end the turn, or the process, before.
    const done = link.request('session/prompt', params, turnMs + 2 * cancelMs);
    const turn: Turn = {
      done: done.then(
        (result) => this.#turnEnded(turn, result),
        (error: unknown) => this.#turnFailed(turn, error),
      ),
      ...{ lastText: '', lastMessage: undefined, isCancelled: false },
      timer: setTimeout(() => this.cancel(), turnMs).unref(),
    };
    this.#turn = turn;
    turn.done.catch(this.#parts.onDefect);
    return true;
  }

  /** Asks for the end of the turn. False: there is none. */
  cancel(): boolean {
    const turn = this.#turn;
    const link = this.#link;
    if (turn === null || link === null || this.#sessionId === null) return false;
    link.notify('session/cancel', { sessionId: this.#sessionId });
    this.#cancelPermissions();
    if (turn.isCancelled) return true;
    turn.isCancelled = true;
    if (turn.timer) clearTimeout(turn.timer);
    const { cancelMs } = this.#parts.spec;
    turn.timer = setTimeout(() => link.kill('it did not end its turn'), cancelMs).unref();
    return true;
  }

  /** The request that is meant; null: it is over, or it is not clear which one. */
  permission(requestId: string | undefined): PermissionRequest | null {
    return requestId === undefined ? this.#permissions.only() : this.#permissions.find(requestId);
  }

  /** False: somebody was faster, or the agent takes no answer any more. */
  answer(request: PermissionRequest, option: PermissionOption): boolean {
    const isTaken = this.#permissions.answer(request.requestId, option);
    if (isTaken) this.#permissionOver(request, option);
    return isTaken;
  }

  /** Ends it for good. Resolves when its process is gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    if (this.#timer) clearTimeout(this.#timer);
    if (this.#upTimer) clearTimeout(this.#upTimer);
    await this.#link?.[Symbol.asyncDispose]();
    this.#status = 'stopped';
    this.#detail = null;
  }

  /** How long its session must not be loaded. */
  #freshMs(): number {
    const { spec, wallMs } = this.#parts;
    const beganAtMs = this.#sessionId === null ? null : this.#sessionAtMs;
    if (!spec.losesFreshSessions || beganAtMs === null) return 0;
    return minuteLeftMs(beganAtMs, wallMs());
  }

  async #run(): Promise<void> {
    const { onSignal } = this.#parts;
    const link = await this.#spawn();
    if (link === null) return;
    this.#link = link;
    if (link.pid !== undefined) onSignal({ kind: 'spawned', pid: link.pid });
    if (this.#isStopping) {
      await link[Symbol.asyncDispose]();
      return;
    }
    try {
      await this.#open(link);
    } catch (error) {
      if (!(error instanceof AcpError)) throw error;
      if (error.code === ACP_AUTH_REQUIRED) this.#authRequired(error);
      else link.kill(acpErrorText(error).slice(0, REASON_LENGTH_MAX));
    }
  }

  /** Null where it cannot even be tried. */
  async #spawn(): Promise<AcpLink | null> {
    const { spec, onSignal } = this.#parts;
    try {
      return await AcpLink.open({
        ...{ argv: spec.argv, env: spec.env, cwd: spec.cwd },
        onUpdate: (params) => this.#update(params),
        onPermission: (params, reply) => {
          const request = this.#permissions.add(params, reply);
          if (request) onSignal({ kind: 'permission', request });
        },
        onExit: (exit) => this.#exited(exit),
      });
    } catch (error) {
      if (!(error instanceof AcpError)) throw error;
      this.#exited({ code: null, signal: null, error: error.message });
      return null;
    }
  }

  async #open(link: AcpLink): Promise<void> {
    const { spec, onSignal } = this.#parts;
    this.#isReplaying = true;
    const opened = await openSession(link, { ...spec, sessionId: this.#sessionId });
    this.#isReplaying = false;
    const wasInterrupted = this.#wasInTurn;
    this.#sessionId = opened.sessionId;
    if (opened.isNew) this.#sessionAtMs = this.#parts.wallMs();
    this.#wasInTurn = false;
    this.#status = 'ready';
    this.#detail = opened.note;
    this.#upTimer = setTimeout(() => this.#stayedUp(), UP_MS).unref();
    onSignal({ kind: 'ready', sessionId: opened.sessionId, wasInterrupted });
  }

  #authRequired({ message, data }: AcpError): void {
    const methods = isObject(data) && typeof data['methods'] === 'string' ? data['methods'] : '';
    this.#status = 'auth_required';
    this.#detail = methods === '' ? message : `${message}: ${methods}`;
    this.#parts.onSignal({ kind: 'auth_required', detail: this.#detail });
  }

  #stayedUp(): void {
    this.#restarts = 0;
    this.#backoff.reset();
  }

  #update(params: AcpObject): void {
    const { sessionId, update } = params;
    // Of a subagent's session, or of one that was left: nothing of ours.
    const isOther = this.#sessionId !== null && sessionId !== this.#sessionId;
    if (!isObject(update) || (isOther && !this.#isReplaying)) return;
    if (this.#turn) noteText(this.#turn, update);
    const during = this.#isReplaying ? 'replay' : this.#turn ? 'turn' : 'rest';
    this.#parts.onSignal({ kind: 'update', update, during });
  }

  #turnEnded(turn: Turn, { stopReason }: AcpObject): void {
    if (!this.#endTurn(turn)) return;
    const word = typeof stopReason === 'string' ? stopReason : 'unknown';
    // opencode says so of a turn that is cancelled while it asks its model again.
    const isCut = turn.isCancelled && word === 'end_turn' && turn.lastText === '';
    const reason = isCut ? 'cancelled' : word;
    this.#parts.onSignal({ kind: 'turn_ended', stopReason: reason, lastText: turn.lastText });
  }

  #turnFailed(turn: Turn, error: unknown): void {
    if (!(error instanceof AcpError)) throw error;
    // Its process has ended, which says it better; or it will be ended.
    if (this.#link === null || !this.#endTurn(turn)) return;
    const { code, message, data } = error;
    this.#parts.onSignal({ kind: 'turn_failed', code, message, data });
  }

  /** False: it was over already. */
  #endTurn(turn: Turn): boolean {
    if (turn.timer) clearTimeout(turn.timer);
    if (this.#turn !== turn) return false;
    this.#turn = null;
    this.#cancelPermissions();
    return true;
  }

  #cancelPermissions(): void {
    for (const request of this.#permissions.cancelAll()) this.#permissionOver(request, null);
  }

  #permissionOver(request: PermissionRequest, chosen: PermissionOption | null): void {
    const openCount = this.#permissions.count;
    this.#parts.onSignal({ kind: 'permission_over', request, chosen, openCount });
  }

  #exited({ code, signal, error }: ChildExit): void {
    const reason = error ?? this.#link?.reason ?? null;
    const turn = this.#turn;
    if (turn?.timer) clearTimeout(turn.timer);
    if (this.#upTimer) clearTimeout(this.#upTimer);
    this.#permissions.cancelAll();
    this.#turn = null;
    this.#isReplaying = false;
    const noise = this.#link?.noise ?? '';
    this.#link = null;
    this.#wasInTurn ||= turn !== null;
    this.#parts.onSignal({
      ...{ kind: 'exited', exitCode: code, signal, reason, wasInTurn: turn !== null },
      isWanted: this.#isStopping,
    });
    if (this.#isStopping) return;
    this.#detail = [reason ?? `it ended with ${signal ?? `exit code ${code}`}`, lastLine(noise)]
      .filter((each) => each !== '')
      .join(': ');
    this.#restarts += 1;
    if (this.#restarts > RESTARTS_MAX) {
      this.#status = 'failed';
      return;
    }
    this.#status = 'waiting';
    this.#timer = setTimeout(() => this.start(), this.#backoff.nextDelayMs()).unref();
  }
}

/** Keeps the start of the newest message of the agent. */
function noteText(turn: Turn, { sessionUpdate, content, messageId }: AcpObject): void {
  if (sessionUpdate === 'tool_call') {
    turn.lastText = '';
    return;
  }
  if (sessionUpdate !== 'agent_message_chunk' || !isObject(content)) return;
  const text = typeof content['text'] === 'string' ? content['text'] : '';
  if (messageId !== turn.lastMessage) turn.lastText = '';
  turn.lastMessage = messageId;
  turn.lastText = (turn.lastText + text).slice(0, LAST_TEXT_MAX);
}

const lastLine = (noise: string): string =>
  noise.trimEnd().split('\n').at(-1)?.trim().slice(0, 300) ?? '';
