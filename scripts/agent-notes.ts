// What the pages under docs/agents say in words: what each source is, and the known limits of each
// agent. Everything else on those pages is read from the rule files, the hook table and the
// measurements (agent-docs.ts), so that it stays true.

/** What a source reads, for people. The hooks and the screen have sections of their own. */
export const sourceNotes: Readonly<Record<string, string>> = {
  'claude-session-file':
    '`sessions/<pid>.json` in `~/.claude` (`CLAUDE_CONFIG_DIR`), which Claude Code keeps ' +
    'about each running session',
  'gemini-chat': 'the chat of the session under `~/.gemini/tmp`: the last prompt and message',
  'qwen-chat': 'the chat of the session under `~/.qwen/projects`: the last prompt and message',
  'opencode-session': 'the session in the database of opencode: the last prompt and message',
  'kilo-session': 'the session in the database of Kilo: the last prompt and message',
  'claude-transcript':
    'the transcript of that session under `projects/` in the same folder: how a turn ended, ' +
    'tokens, the last prompt',
  'codex-app-server':
    'the app server that Codex runs for its clients, over its Unix socket, as a silent observer',
  'codex-rollout':
    'the rollout files under `sessions/` in `~/.codex` (`CODEX_HOME`) that the process of ' +
    'the pane holds open',
  'codex-exec': 'the lines that `codex exec --json` prints in the pane',
  'copilot-events':
    '`events.jsonl` of the sessions under `session-state/` in `~/.copilot` (`COPILOT_HOME`) ' +
    'that the process has open',
  'cline-log': 'the log that Cline writes by itself; nothing at an approval or a question',
  'opencode-http':
    'the HTTP server of opencode on loopback, where it was started with one; only on this ' +
    'machine',
  'opencode-log':
    'the log that opencode writes in any case: all of a turn but the answer to an approval',
  'kilo-http':
    'the HTTP server of Kilo on loopback, where it was started with one; only on this machine',
  'kilo-log': 'the log that Kilo writes in any case: all of a turn but the answer to an approval',
  title: 'the title of the pane',
  'osc-7501':
    'the escape sequence OSC 7501, where the agent sends it; not on tmux before 3.8, unless ' +
    '`attach = "always"` is set',
};

/** Agents whose title names the session and shows no state, and what their pages say about it. */
export const namingTitles: ReadonlySet<string> = new Set([
  ...['cline', 'copilot', 'kilo', 'opencode', 'pi'],
]);
export const namingTitle = 'the title of the pane, which names the session and shows no state';

/** What is known not to work, by agent. */
export const agentLimits: Readonly<Record<string, readonly string[]>> = {
  claude: [
    'Without hooks, a prompt is shown as running when the session file says so, which may ' +
      'take up to 2 s.',
    'A transcript viewer (Ctrl-O) says nothing: the state before it stays.',
    'Sessions without a pane (`claude agents`) are listed as rows without a pane.',
  ],
  codex: [
    'New hooks run only after you trust them at the next start of Codex; `agtmux hooks ' +
      'status` says whether that was done.',
    'Codex has one `notify` program. If you have your own, it stays, and agtmux does without.',
    'Two Codex panes in one directory that share an app server are told apart by thread; ' +
      'while that is unclear the server counts for neither.',
    'Codex 0.101 sets no title and hides its "Working" row while text streams: some running ' +
      'screens look finished.',
  ],
  gemini: ['It writes no file that shows its state: without hooks, title and screen decide.'],
  copilot: [
    'Hooks miss interruptions and final failures; the events file has them, so hooks add little.',
  ],
  opencode: [
    'It takes a prompt and may do nothing for seconds; until its first request to the model ' +
      'it looks idle.',
    'A prompt that was taken and has not begun looks like one that was left after an interrupt.',
    'On ssh targets its HTTP server is not reached; log, title and screen are.',
  ],
  kilo: [
    'A second failure in a row, in words that no rule knows, is read as rest.',
    'On ssh targets its HTTP server is not reached; log, title and screen are.',
  ],
  qwen: ['It writes no file that agtmux reads: without hooks, title and screen decide.'],
  pi: ['It asks for no approval by itself; an extension may, and its dialog is recognised.'],
  auggie: [
    'Hooks run only where its server switches them on, and there is none at an approval or ' +
      'an HTTP error.',
    'The hooks were not tried with the real program.',
  ],
  cline: [
    'A shared daemon runs its hooks, so their events are attributed by process or session, ' +
      'never by pane.',
    'There is no hook at an approval or a question: the screen decides.',
    'Cline has one script per event. If you have your own, it stays, and agtmux does without.',
  ],
  cursor: [
    'It was never recorded and never run: rules and hooks follow documentation. Expect ' +
      '`unknown` more often.',
  ],
  amp: [
    'Only its first screen was recorded. It has no hooks that agtmux uses. Expect `unknown` ' +
      'more often.',
  ],
};
