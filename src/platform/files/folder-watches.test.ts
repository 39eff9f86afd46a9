// Watches of real folders: changes settle, unwanted names are not told, and what cannot be watched
// is done without.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { FolderWatches } from './folder-watches.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agtmux-watch-'));
});

function watching(settleMs: number | null): { watches: FolderWatches; onChange: () => void } {
  const onChange = vi.fn();
  const watches = new FolderWatches({ settleMs, onChange });
  onTestFinished(() => {
    watches[Symbol.dispose]();
    rmSync(folder, { recursive: true, force: true });
  });
  return { watches, onChange };
}

const write = (name: string): void => writeFileSync(join(folder, name), 'text');
const told = (onChange: () => void, count: number) =>
  vi.waitFor(() => expect(onChange).toHaveBeenCalledTimes(count), { timeout: 10_000 });

it('several changes in a row are reported once', async () => {
  const { watches, onChange } = watching(100);
  expect(watches.add(folder)).toBe(true);
  for (const name of ['a', 'b', 'c']) write(name);
  await told(onChange, 1);
  write('d');
  await told(onChange, 2);
});

it('a change of an unwanted name is not reported', async () => {
  const { watches, onChange } = watching(20);
  watches.add(folder, { isWanted: (name) => name === 'wanted' });
  write('other');
  write('wanted');
  await told(onChange, 1);
});

it('a folder that is not there cannot be watched, and can once it is', async () => {
  const { watches, onChange } = watching(20);
  const later = join(folder, 'later');
  expect(watches.add(later)).toBe(false);
  mkdirSync(later);
  expect(watches.add(later)).toBe(true);
  writeFileSync(join(later, 'file'), 'text');
  await told(onChange, 1);
});

it('changes in a folder that is no longer watched are not reported', async () => {
  const { watches, onChange } = watching(20);
  const other = join(folder, 'other');
  mkdirSync(other);
  watches.add(other);
  watches.remove(other);
  writeFileSync(join(other, 'file'), 'text');
  watches.add(folder);
  write('file');
  await told(onChange, 1);
});
