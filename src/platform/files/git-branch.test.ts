// Branches read from the files of repositories that the test writes.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type GitCheckout, gitBranches, NO_CHECKOUT } from './git-branch.ts';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agtmux-branch-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function makeRepository(head: string): string {
  const folder = makeFolder();
  mkdirSync(join(folder, '.git'));
  writeFileSync(join(folder, '.git', 'HEAD'), head);
  return folder;
}

async function until(isReady: () => boolean): Promise<void> {
  const deadlineMs = Date.now() + 20_000;
  while (!isReady()) {
    if (Date.now() > deadlineMs) throw new Error('it was never read');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** What is known of a folder once it was read: only then is the time asked for. */
async function branchOf(folder: string): Promise<string | null> {
  let isRead = false;
  const branches = gitBranches(() => {
    isRead = true;
    return 0;
  });
  expect(branches.of(folder).branch).toBeNull();
  await until(() => isRead);
  return branches.of(folder).branch;
}

describe('the branch of a folder', () => {
  it('is the one that is checked out, with slashes in its name', async () => {
    expect(await branchOf(makeRepository('ref: refs/heads/main\n'))).toBe('main');
    expect(await branchOf(makeRepository('ref: refs/heads/fix/a-b\n'))).toBe('fix/a-b');
  });

  it('is found from a folder deep inside', async () => {
    const folder = makeRepository('ref: refs/heads/main\n');
    mkdirSync(join(folder, 'a', 'b'), { recursive: true });
    expect(await branchOf(join(folder, 'a', 'b'))).toBe('main');
  });

  it('is the beginning of the commit where no branch is checked out', async () => {
    const commit = '0123456789abcdef0123456789abcdef01234567';
    expect(await branchOf(makeRepository(`${commit}\n`))).toBe('0123456789ab');
  });

  it('of a worktree and of a submodule is their own', async () => {
    const folder = makeRepository('ref: refs/heads/main\n');
    const apart = join(folder, '.git', 'worktrees', 'apart');
    mkdirSync(apart, { recursive: true });
    writeFileSync(join(apart, 'HEAD'), 'ref: refs/heads/apart\n');
    const absolute = makeFolder();
    writeFileSync(join(absolute, '.git'), `gitdir: ${apart}\n`);
    expect(await branchOf(absolute)).toBe('apart');
    const relative = join(folder, 'below');
    mkdirSync(relative);
    writeFileSync(join(relative, '.git'), 'gitdir: ../.git/worktrees/apart\n');
    expect(await branchOf(relative)).toBe('apart');
  });

  it('comes with the top folder of its worktree', async () => {
    const folder = makeRepository('ref: refs/heads/main\n');
    const deep = join(folder, 'a', 'b');
    mkdirSync(deep, { recursive: true });
    const branches = gitBranches(() => 0);
    await until(() => branches.of(deep).branch !== null);
    expect(branches.of(deep).worktree).toBe(folder);
  });

  it('is null outside a repository and for a file that cannot be read', async () => {
    expect(gitBranches(() => 0).of('not/absolute')).toEqual(NO_CHECKOUT);
    expect(await branchOf('/nowhere/at/all')).toBeNull();
    expect(await branchOf(makeRepository('nonsense'))).toBeNull();
    expect(await branchOf(makeRepository(''))).toBeNull();
  });

  it('is not the stand-in that repositories with reference tables have in HEAD', async () => {
    expect(await branchOf(makeRepository('ref: refs/heads/.invalid\n'))).toBeNull();
  });

  it('is null beside a pipe named .git, without waiting for it', async () => {
    const folder = makeFolder();
    execFileSync('mkfifo', [join(folder, '.git')]);
    expect(await branchOf(folder)).toBeNull();
  });

  it('is read again only after a few seconds, and a change is reported', async () => {
    const folder = makeRepository('ref: refs/heads/one\n');
    let nowMs = 1_000;
    const changed: string[] = [];
    const branches = gitBranches(
      () => nowMs,
      (each) => changed.push(each),
    );
    branches.of(folder);
    await until(() => changed.length === 1);
    expect(branches.of(folder).branch).toBe('one');
    writeFileSync(join(folder, '.git', 'HEAD'), 'ref: refs/heads/two\n');
    nowMs += 1_000;
    expect(branches.of(folder).branch).toBe('one');
    nowMs += 10_000;
    expect(branches.of(folder).branch).toBe('one');
    await until(() => changed.length === 2);
    expect(branches.of(folder).branch).toBe('two');
    expect(changed).toEqual([folder, folder]);
  });

  it('is known of many folders at once', async () => {
    const folders = Array.from({ length: 20 }, (_, n) => makeRepository(`ref: refs/heads/b${n}\n`));
    const branches = gitBranches(() => 0);
    const read = () => folders.map((folder) => branches.of(folder).branch);
    await until(() => read().every((branch) => branch !== null));
    expect(read()).toEqual(folders.map((_, n) => `b${n}`));
  });

  it('is known of other folders while two hang, and of those once they answer', async () => {
    const stuck = new Map<string, (checkout: GitCheckout) => void>();
    const onBranch = (branch: string): GitCheckout => ({ branch, worktree: '/w' });
    const readCheckout = (folder: string): Promise<GitCheckout> =>
      folder.startsWith('/hangs')
        ? new Promise((resolve) => stuck.set(folder, resolve))
        : Promise.resolve(onBranch('main'));
    const branches = gitBranches(
      () => 0,
      () => {},
      { hangsAfterMs: 20, readCheckout },
    );
    for (const folder of ['/hangs/1', '/hangs/2', '/good/1']) branches.of(folder);
    await until(() => branches.of('/good/1').branch === 'main');
    branches.of('/good/2');
    await until(() => branches.of('/good/2').branch === 'main');
    stuck.get('/hangs/1')?.(onBranch('late'));
    await until(() => branches.of('/hangs/1').branch === 'late');
    expect(branches.of('/hangs/2')).toEqual(NO_CHECKOUT);
  });

  it('leaves one of the threads for files free, however many folders hang', async () => {
    const stuck: string[] = [];
    const readCheckout = (folder: string): Promise<GitCheckout> => {
      stuck.push(folder);
      return new Promise(() => {});
    };
    const branches = gitBranches(
      () => 0,
      () => {},
      { hangsAfterMs: 1, readCheckout },
    );
    for (let count = 0; count < 20; count += 1) branches.of(`/hangs/${count}`);
    await until(() => stuck.length === 3);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(stuck).toHaveLength(3);
  });
});
