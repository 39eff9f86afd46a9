// What a command asks before it acts, on a real terminal: what will be done, and how a person
// leaves the question. The daemon is a small one.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shellQuoteAll } from '../../src/platform/text/shell-quote.ts';
import { builtProgram } from '../built-program.ts';
import { eventually, isTmuxMissing, type PrivateTmux, privateTmux } from '../live/tmux-server.ts';
import { NOW, paneItem, Refused, runHere, SmallDaemon } from './fixture.ts';

const options = [{ label: 'Yes' }, { label: 'Yes, and always' }, { label: 'No' }];
const request = {
  request_id: 'r1',
  kind: 'approval',
  since: NOW,
  seen: false,
  detail: { tool: 'Bash', command: 'make deploy', options },
  pane: paneItem({ state: 'waiting_approval' }),
};

let daemon: SmallDaemon;
let tmux: PrivateTmux;

beforeEach(async () => {
  daemon = new SmallDaemon();
  daemon.handlers['list_requests'] = () => ({
    schema_version: 1,
    generated_at: NOW,
    requests: [request],
  });
  daemon.handlers['explain'] = () => ({ pane: request.pane });
  await daemon.start();
  tmux = privateTmux();
});
afterEach(async () => {
  tmux[Symbol.dispose]();
  await daemon[Symbol.asyncDispose]();
});

const screen = (): string => tmux.run('capture-pane', '-p', '-J', '-t', 's:');

/** Runs the command line in a terminal, which shows its exit code at the end. */
function start(...words: readonly string[]): void {
  const line = shellQuoteAll([
    process.execPath,
    ...builtProgram,
    '-s',
    daemon.socketPath,
    ...words,
  ]);
  tmux.run('new-session', '-d', '-s', 's', '-x', '160', '-y', '40', `${line}; echo "exit=$?"; cat`);
}

const answered = (): boolean => daemon.asked.some(({ method }) => /choose|kill/.test(method));

describe.skipIf(isTmuxMissing)('a question on the terminal', () => {
  it.each([
    [['approve', 'main:1'], 'Approve it? [y/N]'],
    [['deny', 'main:1'], 'Deny it? [y/N]'],
    [['answer', 'main:1', '--option', 'Yes, and'], 'Choose "Yes, and always"? [y/N]'],
    [['kill', 'main:1'], 'with SIGINT? [y/N]'],
    [['answer'], 'Answer:'],
  ])('of %j says what will be done, and Ctrl-C leaves it without a word', async (words, asks) => {
    start(...words);
    await eventually(() => screen().includes(asks), `it asks ${asks}`);
    tmux.run('send-keys', '-t', 's:', 'C-c');
    await eventually(() => screen().includes('exit='), 'it ends');
    expect(screen()).toContain('exit=130');
    expect(screen()).not.toMatch(/Error|at .*\.js/);
    expect(answered()).toBe(false);
  });

  it('is answered with no by Ctrl-D', async () => {
    start('approve', 'main:1');
    await eventually(() => screen().includes('[y/N]'), 'it asks');
    tmux.run('send-keys', '-t', 's:', 'C-d');
    await eventually(() => screen().includes('exit=75'), 'it ends');
    expect(answered()).toBe(false);
  });
});

describe('without a terminal', () => {
  const agtmux = (...words: readonly string[]) => runHere(...words, '-s', daemon.socketPath);

  it('a dry run asks nothing', async () => {
    daemon.handlers['choose'] = () => ({ result: 'dry_run', detail: 'would choose "Yes"' });
    const { code, err, out } = await agtmux('approve', 'main:1', '--dry-run');
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('would choose');
  });

  it('a request that is not open is named, with the one that is', async () => {
    const { code, err } = await agtmux('approve', 'main:1', '--request', 'nope');
    expect(code).toBe(75);
    expect(err).toContain('Request "nope" is not open in main:1. Open is r1 (Bash: make deploy).');
  });

  it('a target that is not watched is refused before anything is asked', async () => {
    daemon.handlers['list_targets'] = () => ({ schema_version: 1, generated_at: NOW, targets: [] });
    daemon.handlers['remove_target'] = () =>
      new Refused('E_TARGET_UNKNOWN', -32_001, 'no target is called "nosuch"', '');
    const { code, err } = await agtmux('target', 'remove', 'nosuch');
    expect(code).toBe(66);
    expect(err).toContain('no target is called "nosuch"');
    expect(err).not.toContain('--yes');
  });
});
