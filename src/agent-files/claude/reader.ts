// Reads one live Claude Code: its session file, and the transcript of its session, which records
// how a turn ended. Both are found by its process, never by the working directory alone, so that
// two agents in one directory are not confused. A cleared or resumed session is another one.

import { basename, dirname, join } from 'node:path';
import { LineRecords } from '../conversations/line-records.ts';
import { CoalescedTask } from '../files/coalesced-task.ts';
import { LineFollower } from '../files/line-follower.ts';
import type { MachineFiles } from '../files/machine-files.ts';
import type { AgentFilesContext, LiveAgent } from '../readers/agent-files-source.ts';
import type { AgentReader } from '../readers/agent-readers.ts';
import { TranscriptEvidence } from '../readers/transcript-evidence.ts';
import { configFolderOf, findTranscript, isSessionId } from './files.ts';
import { ClaudeSessionFile } from './session-file.ts';

export const TRANSCRIPT = 'claude-transcript';

/** A change that the watch of a transcript missed is read after this many looks. */
const TRANSCRIPT_LOOKS = 4;

export class ClaudeReader implements AgentReader {
  readonly #context: AgentFilesContext;
  #agent: LiveAgent;
  #file: ClaudeSessionFile | null = null;
  #config: string | null = null;
  #follower: LineFollower | null = null;
  #transcript: string | null = null;
  readonly #readTask: CoalescedTask;
  #lookCount = 0;

  constructor(context: AgentFilesContext, agent: LiveAgent) {
    this.#context = context;
    this.#agent = agent;
    this.#readTask = new CoalescedTask(
      () => this.#read(),
      (error) => context.onProblem(`session of process ${agent.runtime.pid}: ${String(error)}`),
    );
    this.look();
  }

  update(agent: LiveAgent): void {
    this.#agent = agent;
  }

  look(): void {
    this.#lookCount += 1;
    if (this.#lookCount % TRANSCRIPT_LOOKS === 0) this.#follower?.look();
    this.#readTask.request();
  }

  [Symbol.dispose](): void {
    this.#readTask[Symbol.dispose]();
    this.#file?.[Symbol.dispose]();
    this.#follower?.[Symbol.dispose]();
    this.#follower = null;
  }

  async #read(): Promise<void> {
    const { files } = this.#context;
    const { runtime } = this.#agent;
    this.#config ??= await configFolderOf(files, runtime.pid);
    if (this.#config === null || this.#readTask.isEnded) return;
    const options = { context: this.#context, runtime, config: this.#config };
    this.#file ??= new ClaudeSessionFile({ ...options, onChange: () => this.#readTask.request() });
    await this.#file.read();
    const path = await this.#transcriptPath(this.#config, this.#file);
    if (path !== null && path !== this.#transcript && !this.#readTask.isEnded) this.#follow(path);
  }

  /** For versions without a session file the hooks name the session. */
  async #transcriptPath(config: string, { session }: ClaudeSessionFile): Promise<string | null> {
    const { runtime, pane } = this.#agent;
    const sessionId = session?.sessionId ?? runtime.sessionKey;
    const cwd = session?.cwd ?? pane.facts.path;
    if (sessionId === null || !isSessionId(sessionId)) return null;
    if (this.#transcript?.endsWith(`/${sessionId}.jsonl`)) return this.#transcript;
    return findTranscript(this.#context.files, { config, cwd, sessionId });
  }

  #follow(path: string): void {
    const { files, onProblem, announce } = this.#context;
    this.#follower?.[Symbol.dispose]();
    this.#transcript = path;
    const lines = new TranscriptEvidence({
      context: this.#context,
      source: TRANSCRIPT,
      runtime: this.#agent.runtime,
      name: path,
    });
    this.#follower = new LineFollower({
      files,
      path,
      // A turn begins with a person's words; how it ended comes after them.
      isBoundary: (text) =>
        text.includes('"user"') && lines.read(text)?.activity?.prompt !== undefined,
      onLines: (batch) => void lines.submit(batch, null),
      onProblem,
    });
    const follower = this.#follower;
    const sessionId = basename(path, '.jsonl');
    announce(this.#agent.runtime.runtimeId, {
      agent: 'claude',
      sessionId,
      records: new LineRecords(files, path, () => (this.#follower === follower ? follower : null)),
      child: (agentId) => childRecords(files, path, agentId),
    });
  }
}

/** A subagent's lines are in a file of their own beside those of its session. */
function childRecords(files: MachineFiles, path: string, agentId: string): LineRecords | null {
  if (!isSessionId(agentId)) return null;
  const folder = join(dirname(path), basename(path, '.jsonl'), 'subagents');
  return new LineRecords(files, join(folder, `agent-${agentId}.jsonl`));
}
