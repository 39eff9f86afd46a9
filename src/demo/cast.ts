// The agents of the demo, their sessions, and the recorded screens that each shows in turn. The end
// of a screen's name is its state. Data only; scripts/demo-screens.ts makes screens.json from these
// names.

export interface Scene {
  /** Several screens alternate, as while an agent works. */
  readonly screens: readonly string[];
  readonly seconds: number;
  /** The agent is restarted first, on an empty screen. */
  readonly isFreshStart?: boolean;
}

export interface Role {
  readonly agent: string;
  readonly session: string;
  /** It runs on the second machine, if there is one. */
  readonly isOnSecondMachine?: boolean;
  /** The task in its title. */
  readonly task: string;
  /** The worktree that it works in, below the home folder, and its branch. */
  readonly worktree: string;
  readonly branch: string;
  /** Played in a loop. */
  readonly scenes: readonly Scene[];
}

const scene = (seconds: number, ...screens: readonly string[]): Scene => ({ seconds, screens });

const cleanUp: Role = {
  agent: 'claude',
  session: 'shop-api',
  task: 'Clean up the build',
  worktree: 'shop-api',
  branch: 'clean-up-build',
  scenes: [
    scene(5, 'claude/115-running', 'claude/116-running'),
    // Long enough for whoever sees the demo for the first time to find the inbox and answer.
    scene(30, 'claude/111-waiting_approval'),
    scene(6, 'claude/115-running', 'claude/116-running'),
    scene(17, 'claude/117-completed'),
  ],
};

const retryHelper: Role = {
  agent: 'codex',
  session: 'shop-api',
  task: 'retry-helper',
  worktree: 'shop-api-retry',
  branch: 'retry-helper',
  scenes: [
    scene(9, 'codex/107-running', 'codex/108-running'),
    scene(9, 'codex/110-waiting_approval'),
    scene(8, 'codex/120-running'),
    scene(14, 'codex/122-completed'),
  ],
};

const storefront: Role = {
  agent: 'gemini',
  session: 'shop-web',
  task: 'storefront',
  worktree: 'shop-web',
  branch: 'new-storefront',
  scenes: [
    scene(12, 'gemini/041-running', 'gemini/044-running'),
    scene(9, 'gemini/053-waiting_input'),
    scene(5, 'gemini/041-running', 'gemini/044-running'),
    scene(12, 'gemini/055-completed'),
  ],
};

const release: Role = {
  agent: 'copilot',
  session: 'shop-web',
  task: 'Ship the release',
  worktree: 'shop-web',
  branch: 'new-storefront',
  scenes: [
    scene(3, 'copilot/052-running', 'copilot/053-running'),
    scene(14, 'copilot/054-completed'),
    scene(6, 'copilot/052-running', 'copilot/053-running'),
    scene(10, 'copilot/050-waiting_approval'),
  ],
};

const deploy: Role = {
  agent: 'opencode',
  session: 'infra',
  isOnSecondMachine: true,
  task: 'Deploy release 14',
  worktree: 'infra',
  branch: 'main',
  scenes: [scene(7, 'opencode/055-running'), scene(13, 'opencode/067-error')],
};

const database: Role = {
  agent: 'claude',
  session: 'infra',
  isOnSecondMachine: true,
  task: 'Choose a database',
  worktree: 'infra',
  branch: 'main',
  scenes: [
    scene(10, 'claude/124-waiting_input'),
    scene(5, 'claude/115-running', 'claude/116-running'),
    scene(7, 'claude/131-idle'),
    scene(6, 'claude/115-running', 'claude/116-running'),
    scene(8, 'claude/134-error'),
  ],
};

const handbook: Role = {
  agent: 'qwen',
  session: 'docs',
  task: 'handbook',
  worktree: 'docs',
  branch: 'handbook',
  scenes: [
    { seconds: 4, screens: [], isFreshStart: true },
    scene(5, 'qwen/036-idle'),
    scene(14, 'qwen/047-running'),
    scene(10, 'qwen/068-completed'),
  ],
};

const parser: Role = {
  agent: 'codex',
  session: 'docs',
  task: 'parser',
  worktree: 'docs-parser',
  branch: 'faster-parser',
  scenes: [
    scene(14, 'codex/120-running'),
    scene(8, 'codex/129-waiting_input'),
    scene(6, 'codex/107-running', 'codex/108-running'),
    scene(9, 'codex/134-error'),
  ],
};

/** All agents, in the order of their panes. */
export const cast: readonly Role[] = [
  cleanUp,
  retryHelper,
  storefront,
  release,
  deploy,
  database,
  handbook,
  parser,
];

/** A session with a plain shell and no agent. */
export const SHELL_SESSION = 'notes';
