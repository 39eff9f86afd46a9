// Two projects: `unit` holds the pure suites beside the sources and under tests/, `live` those that
// start processes. Timeouts are generous: they only catch a test that hangs, they never pace one.

import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { SecondTries } from './scripts/second-tries.mjs';

/** The suites that start processes: tmux, ssh, daemons, commands. refuse-processes.ts holds it. */
const liveSuites = [
  'src/platform/files/git-branch.test.ts',
  'src/platform/process/*.test.ts',
  'src/platform/text/shell-quote.test.ts',
  'src/ssh/connection/arguments.test.ts',
  'tests/teams/**/*.test.ts',
  'tests/{acting,agent-files,contract,crash,daemon,daemon-live,demo,emitter,live,ssh}/**/*.test.ts',
  'tests/{browser,web}/*.test.ts',
  'tests/acp/*.test.ts',
  'tests/agents/classify.test.ts',
  'tests/api/{client-types,reconnecting-client,start-daemon}.test.ts',
  'tests/cli/{commands,completion,live,menu-bar,notify,start-path,target-commands,watch}.test.ts',
  'tests/cli/questions.test.ts',
  'tests/hooks/{attribution,lineage,messages,remote}.test.ts',
  'tests/lab/{inner-shell,pane}.test.ts',
  'tests/messages/*.test.ts',
  'tests/mcp/*.test.ts',
  'tests/notify/{command,desktop,listen,live,live-desktop,webhook}.test.ts',
  'tests/sources/server-watch.test.ts',
  'tests/store/{full,open}.test.ts',
  'tests/tui/live.test.ts',
  'tests/tui/live-list.test.ts',
  'tests/tui/live-acting.test.ts',
  'tests/tui/live-messages.test.ts',
  'tests/tui/live-resume.test.ts',
  'tests/tui/sidebar.test.ts',
  'tests/{entry,layers,package,scripts,tidy}.test.ts',
];

/** Those that wait the longest begin first, so that no worker ends alone with one of them. */
const slowSuites = [
  /demo\/demo|daemon-live\/recovery|ssh\/(?:probe|host)|sources\/server-watch/,
  /daemon-live\/(?:frozen|ssh-)|tui\/live|sim\.test|laws\.test/,
  /web\/(?:output|seed-001|resize)|acting\/(?:queued|honesty|refusals|crowd)|acp\/daemon/,
  /browser|teams|acting|daemon-live|demo|crash|tmux-(?:freeze|taps)|ssh\/|messages\/|spool/,
];

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = slowSuites.findIndex((pattern) => pattern.test(moduleId));
      return rank === -1 ? slowSuites.length : rank;
    };
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

const shared = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  teardownTimeout: 20_000,
  // Threads have no umask of their own. Without isolation a worker imports each module once.
  pool: 'forks',
  isolate: false,
} as const;
const exclude = ['**/node_modules/**', '**/fixtures/**', 'dist/**'];

/** Where scripts/test.mjs reads the counts. */
const report = process.env['AGTMUX_TEST_REPORT'];
const jsonReport: ['json', { outputFile: string }][] = report
  ? [['json', { outputFile: report }]]
  : [];

export default defineConfig({
  test: {
    sequence: { sequencer: SlowFirst },
    reporters: ['default', new SecondTries(), ...jsonReport],
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
          exclude: [...exclude, ...liveSuites],
          maxWorkers: 2,
          setupFiles: ['tests/refuse-processes.ts'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: 'live',
          include: liveSuites,
          exclude,
          // They wait for most of their time.
          maxWorkers: 8,
          // scripts/second-tries.mjs lists the tests that needed it.
          retry: process.env['CI'] === 'true' ? 1 : 0,
          globalSetup: ['tests/build-program.ts'],
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
