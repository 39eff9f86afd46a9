// What is said of a file that was kept, by what came of its paste.

import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { PaneRecord } from '../../core/world.ts';
import type { ActionsPort } from '../../operations/ports/ports.ts';
import type { ActionReport } from '../../schema/api/acting.ts';
import { ok, refuse } from '../../schema/outcome.ts';
import { uploadFile } from './uploads.ts';

type Pasted = Awaited<ReturnType<ActionsPort['perform']>>;

async function upload(pasted: Pasted) {
  const workDir = mkdtempSync(join(tmpdir(), 'agtmux-upload-'));
  onTestFinished(() => rmSync(workDir, { recursive: true, force: true }));
  const pane = { targetId: 'local', facts: { path: workDir } } as unknown as PaneRecord;
  const data = Buffer.from([0, 1, 2]).toString('base64');
  const file = { runtime_id: 'r1', name: 'shot.png', mime: 'image/png', data };
  const parts = { nowMs: () => 0, ownFolder: join(workDir, 'own'), keepAt: () => null };
  const call = { signal: new AbortController().signal, commit: () => {}, actor: 'user:socket' };
  const outcome = await uploadFile({ ...parts, perform: async () => pasted }, pane, file, call);
  const folder = join(workDir, '.agtmux', 'uploads');
  const [name] = existsSync(folder) ? readdirSync(folder).filter((each) => /shot/.test(each)) : [];
  return { outcome, path: name === undefined ? null : join(folder, name) };
}

const report = (result: ActionReport['result'], detail: string): Pasted =>
  ok({ result, detail } as ActionReport);

it('a file whose path was pasted is said to be pasted', async () => {
  const { outcome, path } = await upload(report('delivered', 'the text was pasted'));
  expect(outcome).toEqual(ok({ path, pasted: 'path' }));
});

it('a file of which nobody knows whether it was pasted stays, and its path is named', async () => {
  const { outcome, path } = await upload(report('unconfirmed', 'tmux did not answer'));
  expect(path).not.toBeNull();
  expect(outcome).toMatchObject({ ok: false, refusal: { code: 'E_INPUT_UNSEEN' } });
  const message = outcome.ok ? '' : outcome.refusal.message;
  expect(message).toContain('tmux did not answer');
  expect(message).toContain(path);
});

it('a file that was not pasted is removed', async () => {
  const refusal = refuse('E_DIALOG_OPEN', 'a dialog is open');
  expect(await upload(refusal)).toEqual({ outcome: refusal, path: null });
});
