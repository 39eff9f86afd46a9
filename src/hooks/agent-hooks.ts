// The hooks of each agent: which files, in which format, and which of its events say something
// about a state. Pure data and paths.

import { isAbsolute, join } from 'node:path';
import type { HooksAnswer } from '../schema/api/hooks.ts';
import type { EntryFormat, WantedEntry } from './entries.ts';
import { callLine, callWords, type EmitterCall } from './entry-command.ts';
import { clineScript, copilotFile, piExtension, sessionBusPlugin } from './own-texts.ts';

/** The machine and the user that hooks are installed for. */
export interface HookPlace {
  readonly home: string;
  /** The environment variables that set where agents keep their files. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of the project, for the scope of that name. */
  readonly project: string;
  /** The emitter, at a path that outlives our own updates. */
  readonly emitter: string;
}

type HookScope = HooksAnswer['scope'];

export type HookFile =
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
  readonly folder: (place: HookPlace) => string;
  /** Null: the agent has no hooks of that scope. */
  readonly files: (place: HookPlace, scope: HookScope) => readonly HookFile[] | null;
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

/** A folder that a variable names, or the usual one. */
const folderIn = ({ env, home }: HookPlace, variable: string, usual: string): string => {
  const named = env[variable];
  return named !== undefined && isAbsolute(named) ? named : join(home, usual);
};

const wanted = (
  { emitter }: HookPlace,
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
function byEntries(
  agent: string,
  traits: {
    readonly folder: (place: HookPlace) => string;
    readonly userFile: string;
    readonly projectFile: string;
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
    files: (place, scope) => {
      const path =
        scope === 'user' ? join(folder(place), userFile) : join(place.project, projectFile);
      return [{ kind: 'entries', path, format, wanted: wanted(place, call, events) }];
    },
  };
}

// A path of one machine is no business of those who share the project, so files that are kept out
// of its repository are taken where the agent has one.
const claude = byEntries('claude', {
  folder: (place) => folderIn(place, 'CLAUDE_CONFIG_DIR', '.claude'),
  userFile: 'settings.json',
  projectFile: '.claude/settings.local.json',
  format: grouped,
  events: claudeEvents,
});

const codexFolder = (place: HookPlace): string => folderIn(place, 'CODEX_HOME', '.codex');
const codexCall = { source: 'codex-hooks', agent: 'codex', isShared: true };
const codex: AgentHooks = {
  agent: 'codex',
  programs: ['codex'],
  folder: codexFolder,
  files: (place, scope) => {
    const folder = scope === 'user' ? codexFolder(place) : join(place.project, '.codex');
    const notify = callWords(place.emitter, { ...codexCall, source: 'codex-notify' });
    return [
      {
        kind: 'entries',
        path: join(folder, 'hooks.json'),
        format: grouped,
        wanted: wanted(place, codexCall, codexEvents),
      },
      ...(scope === 'user'
        ? [{ kind: 'notify', path: join(folder, 'config.toml'), command: notify } as const]
        : []),
    ];
  },
  note:
    'Codex runs new hooks only after you trusted them: at its next start it shows ' +
    '"Hooks need review"; choose "Trust all" there, or review them one by one.',
};

const gemini = byEntries('gemini', {
  folder: (place) => join(folderIn(place, 'GEMINI_CLI_HOME', ''), '.gemini'),
  userFile: 'settings.json',
  projectFile: '.gemini/settings.json',
  format: geminiFormat,
  events: geminiEvents,
});

const qwen = byEntries('qwen', {
  folder: (place) => folderIn(place, 'QWEN_HOME', '.qwen'),
  userFile: 'settings.json',
  projectFile: '.qwen/settings.json',
  format: geminiFormat,
  events: qwenEvents,
});

const auggie = byEntries('auggie', {
  folder: ({ home }) => join(home, '.augment'),
  userFile: 'settings.json',
  projectFile: '.augment/settings.local.json',
  format: grouped,
  events: auggieEvents,
  note: 'Auggie runs hooks only where its server switches them on.',
});

const cursor = byEntries('cursor', {
  folder: ({ home }) => join(home, '.cursor'),
  userFile: 'hooks.json',
  projectFile: '.cursor/hooks.json',
  format: cursorFormat,
  events: cursorEvents,
  programs: ['cursor-agent'],
  note: 'Written as Cursor documents it; it was not tried with the real program.',
});

const copilotFolder = (place: HookPlace): string => folderIn(place, 'COPILOT_HOME', '.copilot');
const copilot: AgentHooks = {
  agent: 'copilot',
  programs: ['copilot'],
  folder: copilotFolder,
  files: (place, scope) => {
    const folder = scope === 'user' ? copilotFolder(place) : join(place.project, '.github');
    const text = copilotFile(place.emitter);
    return [{ kind: 'own', path: join(folder, 'hooks', 'agtmux.json'), text, mode: 0o644 }];
  },
};

/** opencode and its fork load every file of a folder as a plugin. */
const byPlugin = (agent: string): AgentHooks => {
  const folder = (place: HookPlace): string =>
    join(folderIn(place, 'XDG_CONFIG_HOME', '.config'), agent);
  return {
    agent,
    programs: [agent],
    folder,
    files: (place, scope) => {
      const base = scope === 'user' ? folder(place) : join(place.project, `.${agent}`);
      const text = sessionBusPlugin(place.emitter, agent);
      return [{ kind: 'own', path: join(base, 'plugins', 'agtmux.js'), text, mode: 0o644 }];
    },
  };
};

const piFolder = (place: HookPlace): string => folderIn(place, 'PI_CODING_AGENT_DIR', '.pi/agent');
const pi: AgentHooks = {
  agent: 'pi',
  programs: ['pi'],
  folder: piFolder,
  files: (place, scope) => {
    const base = scope === 'user' ? piFolder(place) : join(place.project, '.pi');
    const text = piExtension(place.emitter);
    return [{ kind: 'own', path: join(base, 'extensions', 'agtmux.ts'), text, mode: 0o644 }];
  },
};

const clineFolder = (place: HookPlace): string => folderIn(place, 'CLINE_DIR', '.cline');
const cline: AgentHooks = {
  agent: 'cline',
  programs: ['cline'],
  folder: clineFolder,
  files: (place, scope) =>
    scope === 'project'
      ? null
      : clineEvents.map((event) => ({
          kind: 'own',
          path: join(clineFolder(place), 'hooks', event),
          text: clineScript(place.emitter, event),
          mode: 0o755,
        })),
};

export const agentHooks: readonly AgentHooks[] = [
  ...[claude, codex, gemini, copilot, byPlugin('opencode'), byPlugin('kilo')],
  ...[qwen, auggie, cline, pi, cursor],
];
