// GitHub Copilot CLI with its own provider settings, so that it needs no login.

import { join } from 'node:path';
import type { AgentRecipe } from '../agent.ts';
import { seedJson } from './seed.ts';

export const copilot: AgentRecipe = {
  name: 'copilot',
  packageName: '@github/copilot',
  version: '1.0.102',
  seed: ({ home, work }) => {
    const settings = { banner: 'never', trustedFolders: [work], trusted_folders: [work] };
    seedJson(join(home, '.copilot', 'settings.json'), settings);
    seedJson(join(home, '.copilot', 'config.json'), settings);
  },
  start: ({ install, modelUrl }) => ({
    argv: [
      join(install, 'node_modules', '@github', 'copilot-linux-x64', 'copilot'),
      '--allow-tool=shell(sleep)',
    ],
    env: {
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
      COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_API_KEY: 'dummy',
      COPILOT_PROVIDER_WIRE_API: 'completions',
      COPILOT_MODEL: 'gpt-4.1',
    },
  }),
  ready: /\/ commands/,
  shows: {
    approval: /↑\/↓ to navigate · enter to select/,
    question: /enter accept/,
    trust: /Do you trust/,
  },
  keys: {
    submit: ['pause', 'Enter'],
    approve: ['Enter'],
    deny: ['Down', 'pause', 'Down', 'pause', 'no', 'pause', 'Enter'],
    answer: ['Enter'],
    // Esc Esc does the same, but the first pair of a session is often lost.
    interrupt: ['C-c'],
    dismiss: ['Escape'],
    exit: ['/exit', 'pause', 'Enter'],
    clear: ['/clear', 'pause', 'Enter'],
  },
  commands: { asks: './slow.sh', quiet: 'sleep 6' },
  afterDeny: 'running',
  afterDismiss: 'idle/interrupted',
  afterQuestionLeft: 'completed',
  can: ['shell', 'edit', 'question', 'background_shell', 'clear', 'quiet_tool'],
  editPath: 'new.txt',
  apiErrors: [
    { status: 400, retrying: 'running/retrying' },
    { status: 401, retrying: 'running/retrying' },
    { status: 429, retrying: 'running', isEndless: true },
    { status: 500, retrying: 'running', pauseMsMax: 12_000 },
  ],
};
