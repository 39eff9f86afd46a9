// opencode with the fake model as a provider of OpenAI's kind.

import { join } from 'node:path';
import type { AgentRecipe } from '../agent.ts';
import { seedJson } from './seed.ts';

/** The settings of opencode and of Kilo, its sibling. */
export const settingsFor = (modelUrl: string): object => ({
  provider: {
    fake: {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: `${modelUrl}/v1`, apiKey: 'dummy' },
      models: { 'fake-model': { name: 'fake-model' } },
    },
  },
  model: 'fake/fake-model',
  small_model: 'fake/fake-model',
  autoupdate: false,
  share: 'disabled',
  snapshot: false,
  permission: { bash: { '*': 'ask', 'sleep *': 'allow' }, edit: 'ask', webfetch: 'ask' },
});

export const opencode: AgentRecipe = {
  name: 'opencode',
  packageName: 'opencode-ai',
  version: '1.18.33',
  seed: ({ home, modelUrl }) => {
    seedJson(join(home, '.config', 'opencode', 'opencode.json'), settingsFor(modelUrl));
  },
  start: ({ install, modelUrl }) => ({
    argv: [join(install, 'node_modules', 'opencode-linux-x64', 'bin', 'opencode')],
    env: {
      // It installs a package for plugins by itself; a registry that has none saves the time.
      npm_config_registry: modelUrl,
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    },
  }),
  ready: /Ask anything/,
  readyAgain: /ctrl\+p commands/,
  beginsByRequest: true,
  shows: { approval: /△ Permission required/, question: /enter submit {2}esc dismiss/ },
  keys: {
    submit: ['pause', 'Enter'],
    approve: ['Enter'],
    deny: ['Right', 'pause', 'Right', 'pause', 'Enter'],
    answer: ['Enter'],
    interrupt: ['Escape', 'pause', 'Escape'],
    dismiss: ['Escape'],
    exit: ['/exit', 'pause', 'Enter'],
    clear: ['/new', 'pause', 'Enter'],
  },
  commands: { asks: './slow.sh', quiet: 'sleep 6' },
  afterDeny: 'idle/interrupted',
  afterDismiss: 'idle/interrupted',
  can: ['shell', 'edit', 'fetch', 'question', 'clear', 'subagent', 'quiet_tool'],
  editPath: 'new.txt',
  apiErrors: [
    { status: 400, retrying: 'running/retrying' },
    { status: 401, retrying: 'running/retrying' },
    { status: 429, retrying: 'running/retrying', isEndless: true },
    { status: 500, retrying: 'running/retrying', isEndless: true },
  ],
};
