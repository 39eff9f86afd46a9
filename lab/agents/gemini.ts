// Gemini CLI. Its base URL is the fake model's; a fixed model saves the calls that choose one.

import { join } from 'node:path';
import type { AgentRecipe } from '../agent.ts';
import { seedJson, seedText } from './seed.ts';

// One command runs without being asked for.
const policy = `[[rule]]
toolName = "run_shell_command"
commandPrefix = "sleep"
decision = "allow"
priority = 100
`;

export const gemini: AgentRecipe = {
  name: 'gemini',
  packageName: '@google/gemini-cli',
  version: '0.61.0',
  seed: ({ home, work }) => {
    seedJson(join(home, '.gemini', 'settings.json'), {
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      security: { auth: { selectedType: 'gemini-api-key' } },
    });
    seedText(join(home, '.gemini', 'policies', 'lab.toml'), policy);
    seedJson(join(home, '.gemini', 'trustedFolders.json'), { [work]: 'TRUST_FOLDER' });
  },
  start: ({ install, modelUrl }) => ({
    argv: [join(install, 'node_modules', '.bin', 'gemini'), '-m', 'gemini-2.5-flash'],
    env: { GEMINI_API_KEY: 'dummy', GOOGLE_GEMINI_BASE_URL: modelUrl },
  }),
  ready: /Type your message or @path/,
  shows: {
    approval: /● 1\. Allow once/,
    question: /Enter to select · .*Esc to cancel/,
    trust: /Do you trust/,
  },
  keys: {
    submit: ['pause', 'Enter'],
    approve: ['Enter'],
    deny: ['Up', 'pause', 'Enter'],
    answer: ['Enter'],
    interrupt: ['Escape'],
    dismiss: ['Escape'],
    exit: ['/quit', 'pause', 'Enter'],
    clear: ['/clear', 'pause', 'Enter'],
  },
  commands: { asks: './slow.sh', quiet: 'sleep 6' },
  afterDeny: 'idle/interrupted',
  afterDismiss: 'idle/interrupted',
  editPath: 'new.txt',
  can: [...(['shell', 'edit', 'fetch', 'question'] as const), 'subagent', 'clear', 'quiet_tool'],
  apiErrors: [
    { status: 400, retrying: 'running/retrying' },
    { status: 401, retrying: 'running/retrying' },
    // It says nothing of the first tries.
    { status: 429, retrying: 'running', isEndless: true },
    { status: 500, retrying: 'running', isEndless: true },
  ],
};
