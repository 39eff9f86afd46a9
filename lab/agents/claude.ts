// Claude Code, offline: seeded so that neither onboarding nor trust nor key dialogs come, and in
// its default permission mode, so that it asks.

import { mkdirSync, writeFileSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import type { AgentRecipe, LabPlace } from '../agent.ts';

const KEY = 'sk-ant-dummy-000000000000000000000000';
/** It keeps the end of an approved key. */
const KEY_END_LENGTH = 20;

function seed({ home, work }: LabPlace): void {
  const folder = join(home, '.claude');
  mkdirSync(folder, { recursive: true });
  const state = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    hasSeenAutoDefaultNudge: true,
    customApiKeyResponses: { approved: [KEY.slice(-KEY_END_LENGTH)], rejected: [] },
    projects: { [work]: { hasTrustDialogAccepted: true } },
  };
  writeFileSync(join(home, '.claude.json'), JSON.stringify(state));
  const permissions = { defaultMode: 'default', allow: ['Bash(sleep:*)'] };
  writeFileSync(join(folder, 'settings.json'), JSON.stringify({ permissions }, null, 2));
}

export const claude: AgentRecipe = {
  name: 'claude',
  packageName: '@anthropic-ai/claude-code',
  version: '2.1.325',
  seed,
  start: ({ install, modelUrl }) => ({
    argv: [
      join(install, `node_modules/@anthropic-ai/claude-code-${platform()}-${arch()}`, 'claude'),
    ],
    env: {
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_AUTOUPDATER: '1',
      IS_SANDBOX: '1',
      ENABLE_TOOL_SEARCH: 'false',
      CLAUDE_CODE_MAX_RETRIES: '3',
    },
  }),
  ready: /\? for shortcuts/,
  shows: {
    approval: /❯ 1\. Yes/,
    question: /Enter to select/,
    trust: /trust this folder/,
  },
  keys: {
    submit: ['Enter'],
    approve: ['Enter'],
    prepare: { plan: ['BTab', 'pause', 'BTab', 'pause'] },
    isPrepared: { plan: /plan mode on/ },
    deny: ['option:No'],
    answer: ['Enter'],
    interrupt: ['Escape'],
    dismiss: ['Escape'],
    exit: ['C-c', 'C-c'],
    clear: ['/clear', 'pause', 'Enter'],
  },
  commands: { asks: 'rm -rf build && sleep 6', quiet: 'sleep 6' },
  afterDeny: 'idle/interrupted',
  afterDismiss: 'idle/interrupted',
  can: [
    ...(['shell', 'edit', 'fetch', 'plan'] as const),
    ...(['question', 'background_shell', 'background_subagent', 'clear', 'quiet_tool'] as const),
  ],
  apiErrors: [
    { status: 400, retrying: 'running/retrying' },
    { status: 401, retrying: 'running/retrying' },
    { status: 429, retrying: 'running/retrying' },
    { status: 500, retrying: 'running/retrying' },
  ],
};
