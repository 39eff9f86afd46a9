// Qwen Code with the fake model as a model of OpenAI's kind. It starts in a mode that asks a model
// in place of the person, so the mode is named.

import { join } from 'node:path';
import type { AgentRecipe } from '../agent.ts';
import { seedJson } from './seed.ts';

export const qwen: AgentRecipe = {
  name: 'qwen',
  packageName: '@qwen-code/qwen-code',
  version: '0.24.4',
  seed: ({ home, work }) => {
    seedJson(join(home, '.qwen', 'settings.json'), {
      general: { disableAutoUpdate: true, enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      security: { auth: { selectedType: 'openai' } },
      permissions: { allow: ['Bash(sleep *)'] },
    });
    seedJson(join(home, '.qwen', 'trustedFolders.json'), { [work]: 'TRUST_FOLDER' });
  },
  start: ({ install, modelUrl }) => ({
    argv: [join(install, 'node_modules', '.bin', 'qwen'), '--approval-mode', 'default'],
    env: {
      OPENAI_API_KEY: 'dummy',
      OPENAI_BASE_URL: `${modelUrl}/v1`,
      OPENAI_MODEL: 'fake-model',
    },
  }),
  ready: /Type your message or @path/,
  shows: { approval: /1\. Yes, allow once/, question: /Enter: Select|Enter to select/ },
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
  commands: {
    asks: 'rm -rf build; sleep 6',
    quiet: 'sleep 6 # intentional-sleep: the lab looks at it',
  },
  editPath: 'new.txt',
  afterDeny: 'idle/interrupted',
  afterDismiss: 'idle/interrupted',
  can: ['shell', 'edit', 'question', 'clear', 'quiet_tool'],
  apiErrors: [
    { status: 400, retrying: 'running/retrying' },
    { status: 401, retrying: 'running/retrying' },
  ],
};
