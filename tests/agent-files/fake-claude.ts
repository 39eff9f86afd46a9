// What Claude Code leaves on disk, written by a test in its place: the session file of a process
// and the transcript of a session, in the shapes that 2.1.325 was recorded with.

import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The 22nd field of a process's stat. */
export function procStartOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

export interface FakeClaudeOptions {
  /** `~/.claude`, or what takes its place. */
  readonly config: string;
  readonly pid: number;
  readonly cwd: string;
  readonly sessionId: string;
  readonly startedAtMs?: number;
}

export class FakeClaude {
  readonly #options: FakeClaudeOptions;
  sessionId: string;
  #count = 0;

  constructor(options: FakeClaudeOptions) {
    this.#options = options;
    this.sessionId = options.sessionId;
    mkdirSync(join(options.config, 'sessions'), { recursive: true });
  }

  get sessionFile(): string {
    return join(this.#options.config, 'sessions', `${this.#options.pid}.json`);
  }

  get transcript(): string {
    const folder = this.#options.cwd.replace(/[^a-zA-Z0-9]/g, '-');
    return join(this.#options.config, 'projects', folder, `${this.sessionId}.jsonl`);
  }

  /** Writes the session file; `fields` are those that matter here. */
  status(status: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const { pid, cwd, startedAtMs = Date.now() } = this.#options;
    const session = {
      pid,
      sessionId: this.sessionId,
      cwd,
      startedAt: startedAtMs,
      procStart: procStartOf(pid),
      version: '2.1.325',
      kind: 'interactive',
      name: 'proj-1',
      status,
      updatedAt: Date.now(),
      statusUpdatedAt: Date.now(),
      ...fields,
    };
    writeFileSync(this.sessionFile, JSON.stringify(session));
  }

  waits(waitingFor = 'permission prompt'): void {
    this.status('waiting', { waitingFor });
  }

  prompt(text: string, atMs?: number): void {
    this.#line({ type: 'user', message: { role: 'user', content: text } }, atMs);
  }

  tool(atMs?: number): void {
    const content = [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } }];
    this.#line({ type: 'assistant', message: { content, stop_reason: 'tool_use' } }, atMs);
  }

  interrupted(atMs?: number): void {
    const content = [{ type: 'text', text: '[Request interrupted by user]' }];
    this.#line({ type: 'user', message: { role: 'user', content } }, atMs);
    this.turnEnds(atMs);
  }

  failed(atMs?: number): void {
    const message = { content: [{ type: 'text', text: 'API Error: 500' }] };
    this.#line({ type: 'assistant', isApiErrorMessage: true, apiErrorStatus: 500, message }, atMs);
    this.turnEnds(atMs);
  }

  turnEnds(atMs?: number): void {
    this.#line({ type: 'system', subtype: 'turn_duration', durationMs: 1 }, atMs);
  }

  /** Any line of the transcript. */
  writes(fields: Readonly<Record<string, unknown>>): void {
    this.#line(fields);
  }

  /** Words of the model, or what it calls. */
  says(...content: readonly object[]): void {
    this.#line({ type: 'assistant', message: { role: 'assistant', content } });
  }

  /** What a tool gave back. */
  returns(id: string, content: string, more: Readonly<Record<string, unknown>> = {}): void {
    const { is_error = false, ...fields } = more;
    const result = { type: 'tool_result', tool_use_id: id, content, is_error };
    this.#line({ type: 'user', message: { role: 'user', content: [result] }, ...fields });
  }

  exits(): void {
    rmSync(this.sessionFile);
  }

  #line(fields: Readonly<Record<string, unknown>>, atMs = Date.now()): void {
    this.#count += 1;
    const { sessionId } = this;
    const facts = {
      isSidechain: false,
      uuid: `${sessionId}-${this.#count}`,
      timestamp: new Date(atMs).toISOString(),
      sessionId,
    };
    mkdirSync(dirname(this.transcript), { recursive: true });
    appendFileSync(this.transcript, `${JSON.stringify({ ...facts, ...fields })}\n`);
  }
}
