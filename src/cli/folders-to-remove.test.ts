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

describe('removing a folder of ours', () => {
  it('takes all that is in it and follows no link out of it', () => {
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

  it('leaves a link, a file and what is not there', () => {
    mkdirSync(join(root, 'theirs'));
    writeFileSync(join(root, 'theirs', 'kept'), 'x');
    symlinkSync(join(root, 'theirs'), join(root, 'linked'));
    writeFileSync(join(root, 'file'), 'x');
    expect(removeFolder(folder('linked'), { isDryRun: false })).toMatchObject({
      outcome: 'left',
      why: 'it is a link to another place',
    });
    expect(removeFolder(folder('file'), { isDryRun: false }).outcome).toBe('left');
    expect(removeFolder(folder('nothing'), { isDryRun: false }).outcome).toBe('absent');
    expect(existsSync(join(root, 'theirs', 'kept'))).toBe(true);
    expect(existsSync(join(root, 'linked'))).toBe(true);
  });
});
