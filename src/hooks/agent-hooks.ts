// The hooks of each agent: which files, in which format, and which of its events say something
// about a state. Pure data and paths.

import { isAbsolute, join } from 'node:path';
import type { HooksAnswer } from '../schema/api/hooks.ts';
import type { EntryFormat, WantedEntry } from './entries.ts';
import { callLine, callWords, type EmitterCall } from './entry-command.ts';
import { clineScript, copilotFile, piExtension, sessionBusPlugin } from './own-texts.ts';

/** The user and the paths that hooks are installed for. */
export interface HookSetup {
  readonly home: string;
  /** The environment variables that set where agents keep their files. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of the project, for the scope of that name. */
  readonly project: string;
  /** The emitter, at a path that outlives our own updates. */
  readonly emitter: string;
}

type HookScope = HooksAnswer['scope'];

export type HookFile = {
  /** A file of a project that its repository may hold. */
  readonly isShared: boolean;
} & HookFileKind;

type HookFileKind =
  /** A file of the user's own, with our entries among theirs. */
  | {
      readonly kind: 'entries';
      readonly path: string;
      readonly format: EntryFormat;
      readonly wanted: readonly WantedEntry[];
    }
  /** The key `notify` of a TOML file. There is one, so a program of the user's own stays. */
  | { readonly kind: 'notify'; readonly path: string; readonly command: readonly string[] }
  /** A file that is ours alone. */
  | { readonly kind: 'own'; readonly path: string; readonly text: string; readonly mode: number };

export interface AgentHooks {
  readonly agent: string;
  /** Names of its program. */
  readonly programs: readonly string[];
  /** Its folder: where this exists, the agent is used here. */
  readonly folder: (setup: HookSetup) => string;
  /** Null: the agent has no hooks of that scope. */
  readonly files: (setup: HookSetup, scope: HookScope) => readonly HookFile[] | null;
  /** What the user has to do or to know once they are installed. */
  readonly note?: string;
}

const grouped: EntryFormat = { shape: 'grouped', hook: { type: 'command' } };
const geminiFormat: EntryFormat = {
  shape: 'grouped',
  group: { matcher: '*' },
  hook: { name: 'agtmux', type: 'command' },
};
const cursorFormat: EntryFormat = { shape: 'flat', file: { version: 1 } };

/** The folder that a variable sets, or the default one. */
const folderIn = ({ env, home }: HookSetup, variable: string, usual: string): string => {
  const named = env[variable];
  return named !== undefined && isAbsolute(named) ? named : join(home, usual);
};

const wanted = (
  { emitter }: HookSetup,
  call: EmitterCall,
  events: readonly string[],
): readonly WantedEntry[] => events.map((event) => ({ event, command: callLine(emitter, call) }));

const claudeEvents = [
  ...['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PermissionRequest', 'PostToolUse'],
  ...['PostToolUseFailure', 'Notification', 'Stop', 'StopFailure', 'SubagentStart'],
  ...['SubagentStop', 'PreCompact', 'PostCompact', 'SessionEnd'],
];
const codexEvents = [
  ...['SessionStart', 'UserPromptSubmit', 'PostModelRequest', 'PreToolUse', 'PermissionRequest'],
  ...['PostToolUse', 'PreCompact', 'Stop', 'Interrupt', 'SessionEnd'],
];
const geminiEvents = [
  ...['SessionStart', 'BeforeAgent', 'BeforeTool', 'Notification', 'AfterTool', 'AfterAgent'],
  'SessionEnd',
];
const qwenEvents = [
  ...['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PermissionRequest', 'PostToolUse'],
  ...['PostToolUseFailure', 'Notification', 'Stop', 'StopFailure', 'SessionEnd'],
];
const auggieEvents = [
  ...['SessionStart', 'PromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'SessionEnd'],
];
const cursorEvents = [
  ...['sessionStart', 'beforeSubmitPrompt', 'preToolUse', 'postToolUse', 'postToolUseFailure'],
  ...['stop', 'sessionEnd'],
];
const clineEvents = [
  ...['TaskStart', 'TaskResume', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse'],
  ...['TaskComplete', 'TaskError', 'TaskCancel', 'SessionShutdown'],
];

/** An agent whose hooks are entries of one JSON file. */
function entriesAgent(
  agent: string,
  traits: {
    readonly folder: (setup: HookSetup) => string;
    readonly userFile: string;
    readonly projectFile: string;
    /** The agent keeps that file out of the project's repository. */
    readonly isProjectFileLocal?: boolean;
    readonly format: EntryFormat;
    readonly events: readonly string[];
    readonly programs?: readonly string[];
    readonly note?: string;
  },
): AgentHooks {
  const { folder, userFile, projectFile, format, events, programs = [agent], note } = traits;
  const call = { source: `${agent}-hooks`, agent };
  return {
    agent,
    programs,
    folder,
    ...(note === undefined ? {} : { note }),
    files: (setup, scope) => {
      const path =
        scope === 'user' ? join(folder(setup), userFile) : join(setup.project, projectFile);
      const isShared = scope === 'project' && !(traits.isProjectFileLocal ?? false);
      return [{ kind: 'entries', path, isShared, format, wanted: wanted(setup, call, events) }];
    },
  };
}

// The path of the emitter belongs to one machine, so a file that stays out of the project's
// repository is used where the agent has one.
const claude = entriesAgent('claude', {
  folder: (setup) => folderIn(setup, 'CLAUDE_CONFIG_DIR', '.claude'),
  userFile: 'settings.json',
  projectFile: '.claude/settings.local.json',
  isProjectFileLocal: true,
  format: grouped,
  events: claudeEvents,
});

const codexFolder = (setup: HookSetup): string => folderIn(setup, 'CODEX_HOME', '.codex');
const codexCall = { source: 'codex-hooks', agent: 'codex', isShared: true };
const codex: AgentHooks = {
  agent: 'codex',
  programs: ['codex'],
  folder: codexFolder,
  files: (setup, scope) => {
    const folder = scope === 'user' ? codexFolder(setup) : join(setup.project, '.codex');
    const notify = callWords(setup.emitter, { ...codexCall, source: 'codex-notify' });
    return [
      {
        kind: 'entries',
        path: join(folder, 'hooks.json'),
        isShared: scope === 'project',
        format: grouped,
        wanted: wanted(setup, codexCall, codexEvents),
      },
      ...(scope === 'user'
        ? [
            {
              kind: 'notify',
              path: join(folder, 'config.toml'),
              isShared: false,
              command: notify,
            } as const,
          ]
        : []),
    ];
  },
  note:
    'Codex runs new hooks only after you trust them: at its next start it shows ' +
    '"Hooks need review"; choose "Trust all" there, or review them one by one.',
};

const gemini = entriesAgent('gemini', {
  folder: (setup) => join(folderIn(setup, 'GEMINI_CLI_HOME', ''), '.gemini'),
  userFile: 'settings.json',
  projectFile: '.gemini/settings.json',
  format: geminiFormat,
  events: geminiEvents,
});

const qwen = entriesAgent('qwen', {
  folder: (setup) => folderIn(setup, 'QWEN_HOME', '.qwen'),
  userFile: 'settings.json',
  projectFile: '.qwen/settings.json',
  format: geminiFormat,
  events: qwenEvents,
});

const auggie = entriesAgent('auggie', {
  folder: ({ home }) => join(home, '.augment'),
  userFile: 'settings.json',
  projectFile: '.augment/settings.local.json',
  isProjectFileLocal: true,
  format: grouped,
  events: auggieEvents,
  note: 'Auggie runs hooks only where its server switches them on.',
});

const cursor = entriesAgent('cursor', {
  folder: ({ home }) => join(home, '.cursor'),
  userFile: 'hooks.json',
  projectFile: '.cursor/hooks.json',
  format: cursorFormat,
  events: cursorEvents,
  programs: ['cursor-agent'],
  note: 'These hooks follow the documentation of Cursor; agtmux has no test with the real program.',
});

/** The one file of an agent that belongs to agtmux alone. */
const ownFile = (path: string, text: string, scope: HookScope): readonly HookFile[] => [
  { kind: 'own', path, text, mode: 0o644, isShared: scope === 'project' },
];

const copilotFolder = (setup: HookSetup): string => folderIn(setup, 'COPILOT_HOME', '.copilot');
const copilot: AgentHooks = {
  agent: 'copilot',
  programs: ['copilot'],
  folder: copilotFolder,
  files: (setup, scope) => {
    const folder = scope === 'user' ? copilotFolder(setup) : join(setup.project, '.github');
    return ownFile(join(folder, 'hooks', 'agtmux.json'), copilotFile(setup.emitter), scope);
  },
};

/** opencode and its fork load every file of a folder as a plugin. */
const pluginAgent = (agent: string): AgentHooks => {
  const folder = (setup: HookSetup): string =>
    join(folderIn(setup, 'XDG_CONFIG_HOME', '.config'), agent);
  return {
    agent,
    programs: [agent],
    folder,
    files: (setup, scope) => {
      const base = scope === 'user' ? folder(setup) : join(setup.project, `.${agent}`);
      const text = sessionBusPlugin(setup.emitter, agent);
      return ownFile(join(base, 'plugins', 'agtmux.js'), text, scope);
    },
  };
};

const piFolder = (setup: HookSetup): string => folderIn(setup, 'PI_CODING_AGENT_DIR', '.pi/agent');
const pi: AgentHooks = {
  agent: 'pi',
  programs: ['pi'],
  folder: piFolder,
  files: (setup, scope) => {
    const base = scope === 'user' ? piFolder(setup) : join(setup.project, '.pi');
    return ownFile(join(base, 'extensions', 'agtmux.ts'), piExtension(setup.emitter), scope);
  },
};

const clineFolder = (setup: HookSetup): string => folderIn(setup, 'CLINE_DIR', '.cline');
const cline: AgentHooks = {
  agent: 'cline',
  programs: ['cline'],
  folder: clineFolder,
  files: (setup, scope) =>
    scope === 'project'
      ? null
      : clineEvents.map((event) => ({
          kind: 'own',
          path: join(clineFolder(setup), 'hooks', event),
          text: clineScript(setup.emitter, event),
          mode: 0o755,
          isShared: false,
        })),
};

export const agentHooks: readonly AgentHooks[] = [
  ...[claude, codex, gemini, copilot, pluginAgent('opencode'), pluginAgent('kilo')],
  ...[qwen, auggie, cline, pi, cursor],
];
