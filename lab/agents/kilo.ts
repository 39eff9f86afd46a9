// Kilo CLI, a sibling of opencode. Its npm package asks for a platform package that is not there,
// so the newest platform package is installed by itself.

import { join } from 'node:path';
import type { AgentRecipe } from '../agent.ts';
import { opencode, settingsFor } from './opencode.ts';
import { seedJson } from './seed.ts';

export const kilo: AgentRecipe = {
  ...opencode,
  name: 'kilo',
  packageName: '@kilocode/cli-linux-x64',
  version: '7.7.9',
  seed: ({ home, modelUrl }) => {
    seedJson(join(home, '.config', 'kilo', 'kilo.json'), settingsFor(modelUrl));
  },
  start: ({ install, modelUrl }) => ({
    argv: [join(install, 'node_modules', '@kilocode', 'cli-linux-x64', 'bin', 'kilo')],
    env: {
      npm_config_registry: modelUrl,
      KILO_DISABLE_AUTOUPDATE: '1',
      KILO_DISABLE_MODELS_FETCH: '1',
      KILO_DISABLE_LSP_DOWNLOAD: '1',
      KILO_TELEMETRY_LEVEL: 'off',
    },
  }),
  keys: {
    ...opencode.keys,
    // A refusal opens a box for the reason; Enter sends it empty.
    deny: [...opencode.keys.deny, 'pause', 'Enter'],
    dismiss: ['Escape', 'pause', 'Enter'],
  },
};
