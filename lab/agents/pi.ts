// pi with the fake model as its only provider. It asks nobody: its tools just run.

import { join } from 'node:path';
import type { AgentRecipe } from '../agent.ts';
import { seedJson } from './seed.ts';

export const pi: AgentRecipe = {
  name: 'pi',
  packageName: '@mariozechner/pi-coding-agent',
  version: '0.73.1',
  seed: ({ home, modelUrl }) => {
    const model = {
      id: 'fake-model',
      name: 'fake-model',
      contextWindow: 100_000,
      maxTokens: 4_096,
    };
    seedJson(join(home, '.pi', 'agent', 'models.json'), {
      providers: {
        fake: {
          baseUrl: `${modelUrl}/v1`,
          api: 'openai-completions',
          apiKey: 'dummy',
          models: [model],
        },
      },
    });
    seedJson(join(home, '.pi', 'agent', 'settings.json'), {
      defaultProvider: 'fake',
      defaultModel: 'fake-model',
    });
  },
  start: ({ install }) => ({
    argv: [join(install, 'node_modules', '.bin', 'pi')],
    env: { PI_OFFLINE: '1' },
  }),
  ready: /fake-model/,
  shows: { approval: /^never$/, question: /^never$/ },
  keys: {
    submit: ['pause', 'Enter'],
    approve: [],
    deny: [],
    answer: [],
    interrupt: ['Escape'],
    dismiss: [],
    exit: ['/quit', 'pause', 'Enter'],
    clear: ['/new', 'pause', 'Enter'],
  },
  commands: { asks: 'sleep 6', quiet: 'sleep 6' },
  afterDeny: 'idle',
  afterDismiss: 'idle',
  can: ['clear', 'quiet_tool'],
  apiErrors: [{ status: 400, retrying: 'running/retrying' }],
};
