// The plugin file of `agtmux menubar install`: a small script that SwiftBar or xbar runs every few
// seconds. Where it goes, and that only a file of ours is ever replaced.

import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { runChild } from '../../platform/process/launch.ts';
import { shellQuoteAll } from '../../platform/text/shell-quote.ts';
import type { Call } from '../command.ts';
import { CliProblem, EXIT_UNAVAILABLE, usageProblem } from '../exit-codes.ts';

/** Stands in every file that is ours. */
const MARK = '# Written by agtmux menubar install.';
const NAME = /^agtmux\.\d+s\.sh$/;
const TIMEOUT_MS = 5_000;
const PATH_BYTES_MAX = 4_096;

/** Variables by which agtmux finds its files and tmux: a program of the Dock has none of them. */
const passedVariables = [
  ...['XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_RUNTIME_DIR', 'TMUX_TMPDIR'],
  ...['AGTMUX_TMUX_SOCKET_PATH', 'AGTMUX_TMUX_SOCKET_NAME', 'PATH'],
] as const;

export function pluginText(program: readonly string[], env: Call['io']['env']): string {
  const variables = passedVariables.flatMap((name) => {
    const value = env[name];
    return value === undefined || value === '' ? [] : [`${name}=${value}`];
  });
  const words = ['env', 'LC_ALL=en_US.UTF-8', ...variables, ...program, 'menubar'];
  return [
    '#!/bin/sh',
    MARK,
    '# <xbar.title>agtmux</xbar.title>',
    '# <xbar.desc>What the AI coding agents in tmux are doing, and who needs you</xbar.desc>',
    '# <swiftbar.hideAbout>true</swiftbar.hideAbout>',
    '# <swiftbar.hideRunInTerminal>true</swiftbar.hideRunInTerminal>',
    `exec ${shellQuoteAll(words)}`,
    '',
  ].join('\n');
}

export const pluginName = (everySeconds: number): string => `agtmux.${everySeconds}s.sh`;

/** Writes the file in one step; returns its path. */
export function writePlugin(folder: string, name: string, text: string): string {
  if (!NAME.test(name) || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw usageProblem(
      `there is no folder ${folder}.`,
      'Name the plugin folder of SwiftBar or xbar with --folder.',
    );
  }
  const file = join(folder, name);
  if (existsSync(file) && !readFileSync(file, 'utf8').includes(MARK)) {
    throw new CliProblem('E_INPUT_INVALID', `${file} was not written by agtmux.`, {
      exitCode: EXIT_UNAVAILABLE,
      hint: 'Move it away, or choose another --every.',
    });
  }
  // Neither program takes a hidden file for a plugin.
  const draft = join(folder, `.${name}.${process.pid}.new`);
  writeFileSync(draft, text, { mode: 0o755 });
  renameSync(draft, file);
  return file;
}

/** The folder that SwiftBar was given, or that of xbar; null where neither is installed. */
export async function findPluginFolder({ io }: Call): Promise<string | null> {
  const { code, stdout } = await runChild({
    command: 'defaults',
    args: ['read', 'com.ameba.SwiftBar', 'PluginDirectory'],
    env: { ...io.env },
    timeoutMs: TIMEOUT_MS,
    stdoutBytesMax: PATH_BYTES_MAX,
  });
  const folder = stdout.trim();
  if (code === 0 && folder.startsWith('/')) return folder;
  const xbar = join(homedir(), 'Library', 'Application Support', 'xbar', 'plugins');
  return existsSync(xbar) ? xbar : null;
}
