// Hooks on a machine whose caller leaves: before the first write nothing is changed, after it the
// whole job is done.

import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { hooksPort } from '../../src/daemon/hooks/hooks-work.ts';
import type { EditedFiles } from '../../src/hooks/edited-files.ts';
import { localEdits } from '../../src/hooks/local-edits.ts';
import { id, type TargetId } from '../../src/schema/ids.ts';

const gone = new Error('the caller is gone');
let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'agtmux-cancelled-'));
  mkdirSync(join(home, '.claude'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Installs hooks; the caller leaves when `leavesAt` is called for the first time. */
async function install(leavesAt: 'read' | 'writeAtomically') {
  const controller = new AbortController();
  let isCommitted = false;
  const files: EditedFiles = {
    ...localEdits,
    [leavesAt]: (...args: Parameters<EditedFiles[typeof leavesAt]>) => {
      if (!isCommitted) controller.abort(gone);
      return (localEdits[leavesAt] as (...all: unknown[]) => Promise<unknown>)(...args);
    },
  };
  const port = hooksPort(
    async () => ({ files, home, env: {} }),
    () => 1_700_000_000_000,
  );
  const input = { action: 'install', agents: ['claude'] } as const;
  const commit = (): void => {
    controller.signal.throwIfAborted();
    isCommitted = true;
  };
  const { signal } = controller;
  return port.run(id<TargetId>('vm1'), { ...input, agents: ['claude'] }, { signal, commit });
}

it('a caller that leaves while files are read ends the job, and no file is changed', async () => {
  await expect(install('read')).rejects.toBe(gone);
  expect(existsSync(join(home, '.claude', 'settings.json'))).toBe(false);
});

it('a job that has written its first file is done to the end', async () => {
  expect(await install('writeAtomically')).toMatchObject({
    ok: true,
    value: { agents: [{ agent: 'claude', state: 'installed' }] },
  });
  expect(existsSync(join(home, '.claude', 'settings.json'))).toBe(true);
});
