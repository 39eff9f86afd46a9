import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeFolder } from './folders-to-remove.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'agtmux-own-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const folder = (name: string) => ({ path: join(root, name), what: 'state' });

describe('removeFolder', () => {
  it('removes the contents of a folder and follows no link out of it', () => {
    mkdirSync(join(root, 'theirs'));
    writeFileSync(join(root, 'theirs', 'kept'), 'x');
    mkdirSync(join(root, 'ours', 'deep'), { recursive: true });
    symlinkSync(join(root, 'theirs'), join(root, 'ours', 'deep', 'link'));
    expect(removeFolder(folder('ours'), { isDryRun: true }).outcome).toBe('would_remove');
    expect(existsSync(join(root, 'ours', 'deep'))).toBe(true);
    expect(removeFolder(folder('ours'), { isDryRun: false }).outcome).toBe('removed');
    expect(existsSync(join(root, 'ours'))).toBe(false);
    expect(existsSync(join(root, 'theirs', 'kept'))).toBe(true);
  });

  it('does not remove a link or a file, and reports a missing folder as absent', () => {
    mkdirSync(join(root, 'theirs'));
    writeFileSync(join(root, 'theirs', 'kept'), 'x');
    symlinkSync(join(root, 'theirs'), join(root, 'linked'));
    writeFileSync(join(root, 'file'), 'x');
    expect(removeFolder(folder('linked'), { isDryRun: false })).toMatchObject({
      outcome: 'left',
      why: 'it is a symbolic link',
    });
    expect(removeFolder(folder('file'), { isDryRun: false }).outcome).toBe('left');
    expect(removeFolder(folder('nothing'), { isDryRun: false }).outcome).toBe('absent');
    expect(existsSync(join(root, 'theirs', 'kept'))).toBe(true);
    expect(existsSync(join(root, 'linked'))).toBe(true);
  });
});
