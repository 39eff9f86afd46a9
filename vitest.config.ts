// One run for unit tests beside the sources and for everything under tests/.
// Timeouts are generous: they only catch a test that hangs, they never pace one.

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/fixtures/**', 'dist/**'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
