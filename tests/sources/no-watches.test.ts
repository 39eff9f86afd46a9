// A machine whose watches for files are used up: rule files are read all the same.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { RuleFiles } from '../../src/sources/rule-files.ts';
import { makeFolder } from './fixture.ts';

// No test can use up the watches of a machine that others work on.
vi.mock('node:fs', async (importReal) => ({
  ...(await importReal<typeof import('node:fs')>()),
  watch: () => {
    throw Object.assign(new Error('System limit for number of file watchers reached'), {
      code: 'ENOSPC',
    });
  },
}));

it('starts without a watch, and reads again when it is asked to', () => {
  const user = makeFolder();
  using files = new RuleFiles({ user });
  expect(files.registry.adapters.length).toBeGreaterThan(5);
  writeFileSync(join(user, 'broken.toml'), 'name = ');
  expect(files.reload().problems).toHaveLength(1);
  rmSync(join(user, 'broken.toml'));
  expect(files.reload().problems).toEqual([]);
});
