// Completion in the real shells: bash, zsh and fish run in a pane of a private tmux, the words are
// typed, Tab is pressed, and the screen is read. What only the daemon knows comes from a small one.

import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shellQuoteAll } from '../../src/platform/text/shell-quote.ts';
import { builtProgram } from '../built-program.ts';
import { eventually, isTmuxMissing, type PrivateTmux, privateTmux } from '../live/tmux-server.ts';
import { NOW, paneItem, paneList, runHere, SmallDaemon } from './fixture.ts';

const TEST_MS = 90_000;
const isMissing = (shell: string): boolean =>
  isTmuxMissing || spawnSync(shell, ['-c', 'true']).error !== undefined;

const panes = [
  paneItem({ session: 'api', window: 0, title: 'Fix the parser' }),
  paneItem({ session: 'api', window: 1, index: 1, agent: 'codex', alias: 'review bot' }),
  paneItem({ session: 'web', window: 0, index: 2, agent: 'gemini' }),
];

let daemon: SmallDaemon;
let tmux: PrivateTmux;

beforeEach(async () => {
  daemon = new SmallDaemon();
  daemon.handlers['list_panes'] = () => paneList(panes);
  const target = { kind: 'ssh', connection_ref: 'x', detail: null, last_seen_at: null };
  daemon.handlers['list_targets'] = () => ({
    schema_version: 1,
    generated_at: NOW,
    targets: [
      { target: 'local', name: 'local', health: 'ok', ...target },
      { target: 'build-box', name: 'build-box', health: 'down', ...target },
    ],
  });
  await daemon.start();
  tmux = privateTmux();
});

afterEach(async () => {
  tmux[Symbol.dispose]();
  await daemon[Symbol.asyncDispose]();
});

/** What types words in a fresh shell and presses Tab until the screen shows what is expected. */
type Typist = (words: string, ...expected: readonly RegExp[]) => Promise<void>;

/** A shell with the script loaded, and with an `agtmux` on its PATH that asks the small daemon. */
async function typistOf(shell: 'bash' | 'zsh'): Promise<Typist> {
  const program = join(tmux.folder, 'agtmux');
  const call = shellQuoteAll([process.execPath, ...builtProgram, '-s', daemon.socketPath]);
  writeFileSync(program, `#!/bin/sh\nexec ${call} "$@"\n`);
  chmodSync(program, 0o755);
  const script = join(tmux.folder, 'script');
  writeFileSync(script, (await runHere('completion', shell)).out);
  const file = join(tmux.folder, shell === 'zsh' ? '.zshrc' : 'rc');
  const set = {
    bash: `bind 'set completion-query-items 0'`,
    zsh: 'autoload -U compinit; compinit -u -D',
  }[shell];
  writeFileSync(file, `PATH=${tmux.folder}:$PATH; ${set}; source ${script}; PS1='ready> '\n`);
  const start = {
    bash: ['bash', '--noprofile', '--rcfile', file, '-i'],
    zsh: ['env', `ZDOTDIR=${tmux.folder}`, 'zsh', '-d', '-i'],
  }[shell];
  tmux.run('new-session', '-d', '-s', 's', '-x', '160', '-y', '40', 'cat');
  return (words, ...expected) => type(start, words, expected);
}

const screen = (): string => tmux.run('capture-pane', '-p', '-J', '-t', 's:');

async function type(
  start: readonly string[],
  words: string,
  expected: readonly RegExp[],
): Promise<void> {
  tmux.run('respawn-pane', '-k', '-t', 's:', ...start);
  await eventually(() => screen().includes('ready>'), 'the prompt');
  tmux.run('send-keys', '-t', 's:', '-l', words);
  await eventually(() => screen().includes(words.trimEnd()), `the words ${words}`);
  let pressedMs = Number.NEGATIVE_INFINITY;
  const check = (): boolean => {
    const shown = screen();
    if (expected.every((each) => each.test(shown))) return true;
    // The list comes with the second Tab; an early one may be lost while the daemon is asked.
    if (performance.now() - pressedMs > 1_000) {
      tmux.run('send-keys', '-t', 's:', 'Tab');
      pressedMs = performance.now();
    }
    return false;
  };
  await eventually(check, `${words}: ${expected.join(' ')}`).catch((error: Error) => {
    throw new Error(`${error.message}\n${screen()}`);
  });
}

describe.each(['bash', 'zsh'] as const)('completion in %s', (shell) => {
  it.skipIf(isMissing(shell))(
    'offers commands, options, their words, panes, names and targets, each with what it is',
    async () => {
      const typed = await typistOf(shell);
      await typed('agtmux expl', /ready> agtmux explain/);
      await typed('agtmux list ', /panes .*every pane/, /windows .*every window/);
      await typed('agtmux list panes --need', /agtmux list panes --needs-action/);
      await typed('agtmux list --state waiting_a', /--state waiting_approval/);
      await typed('agtmux list --state error,waiting_i', /--state error,waiting_input/);
      // bash lists only what follows the colon.
      await typed('agtmux explain a', /\b0\.0 .*claude, running, Fix the parser/, /\b1\.1 .*codex/);
      await typed('agtmux explain api:1', /agtmux explain api:1\.1/);
      await typed('agtmux explain rev', /agtmux explain review\\ bot/);
      await typed('agtmux list --target ', /build-box .*down/, /local .*ok/);
      await typed('agtmux --json target connect b', /target connect build-box/);
    },
    TEST_MS,
  );
});

describe('completion in fish', () => {
  it.skipIf(isMissing('fish'))(
    'is a script that fish accepts',
    async () => {
      const script = join(tmux.folder, 'fish-script');
      writeFileSync(script, (await runHere('completion', 'fish')).out);
      const parsed = spawnSync('fish', ['-n', script], { encoding: 'utf8' });
      expect(parsed.stderr).toBe('');
    },
    TEST_MS,
  );
});

describe('completion', () => {
  it.each(['bash', 'zsh', 'fish'])(
    'of %s knows every command and the words of options',
    async (shell) => {
      const { code, out } = await runHere('completion', shell);
      expect(code).toBe(0);
      for (const word of ['tmux-status', 'sessions', 'group-by', 'waiting_approval', 'jsonl']) {
        expect(out).toContain(word);
      }
    },
  );

  it('prints the words of a kind, and nothing where no daemon answers', async () => {
    const refs = ['completion', '--values', 'refs', '-s', daemon.socketPath];
    expect((await runHere(...refs)).out.split('\n')).toEqual([
      'review bot\tcodex, running, review bot · Fix the parser',
      'api:0.0\tclaude, running, Fix the parser',
      'api:1.1\tcodex, running, review bot · Fix the parser',
      'web:0.2\tgemini, running, Fix the parser',
      '',
    ]);
    await daemon.stop();
    expect(await runHere(...refs)).toEqual({ code: 0, out: '', err: '' });
  });
});
