// Two projects: `unit` holds the pure suites beside the sources and under tests/, `live` those that
// start processes. Timeouts are generous: they only catch a test that hangs, they never pace one.

import { defineConfig } from 'vitest/config';

/** The suites that start processes: tmux, ssh, daemons, commands. refuse-processes.ts holds it. */
const liveSuites = [
  'src/platform/files/git-branch.test.ts',
  'src/platform/process/*.test.ts',
  'src/ssh/connection/{arguments,quote}.test.ts',
  'tests/{agent-files,contract,crash,daemon,daemon-live,demo,emitter,live,ssh}/**/*.test.ts',
  'tests/agents/classify.test.ts',
  'tests/api/{asker,client-types,start-daemon}.test.ts',
  'tests/cli/{commands,live,start-path,watch}.test.ts',
  'tests/hooks/{attribution,lineage,remote}.test.ts',
  'tests/lab/pane.test.ts',
  'tests/sources/server-watch.test.ts',
  'tests/store/{full,open}.test.ts',
  'tests/tui/live.test.ts',
  'tests/{entry,layers,package,scripts,tidy}.test.ts',
];

const timeouts = { testTimeout: 60_000, hookTimeout: 60_000, teardownTimeout: 20_000 };
const exclude = ['**/node_modules/**', '**/fixtures/**', 'dist/**'];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...timeouts,
          name: 'unit',
          include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
          exclude: [...exclude, ...liveSuites],
          pool: 'forks',
          isolate: false,
          maxWorkers: 2,
          setupFiles: ['tests/refuse-processes.ts'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...timeouts,
          name: 'live',
          include: liveSuites,
          exclude,
          pool: 'forks',
          maxWorkers: 8,
          globalSetup: ['tests/build-program.ts'],
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
