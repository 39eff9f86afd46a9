// Which agents have a source of their own, and where it is. Each is loaded when it is needed.

import type { AgentFilesSourceMaker } from './readers/agent-files-source.ts';

export const sourceMakers: Readonly<Record<string, () => Promise<AgentFilesSourceMaker>>> = {
  claude: async () => (await import('./claude/source.ts')).claudeSource,
  gemini: async () =>
    (await import('./chats/source.ts')).chatSource(
      'gemini',
      (await import('./chats/chat-folders.ts')).geminiChats,
    ),
  qwen: async () =>
    (await import('./chats/source.ts')).chatSource(
      'qwen',
      (await import('./chats/chat-folders.ts')).qwenChats,
    ),
  cline: async () => (await import('./cline/source.ts')).clineSource,
  codex: async () => (await import('./codex/source.ts')).codexSource,
  copilot: async () => (await import('./copilot/source.ts')).copilotSource,
  opencode: async () => (await import('./session-bus/source.ts')).sessionBusSource('opencode'),
  kilo: async () => (await import('./session-bus/source.ts')).sessionBusSource('kilo'),
};
