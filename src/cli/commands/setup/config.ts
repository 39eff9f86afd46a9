// `agtmux config show|path|check`: the configuration file. The command reads it itself, with the
// daemon's own code; no daemon is needed. A running one says which settings are in force.

import { existsSync } from 'node:fs';
import { safeText, safeToml } from '../../../render/safe-text.ts';
import type { ConfigStatus } from '../../../schema/api/health.ts';
import { type Call, type CommandSpec, isSet } from '../../command.ts';
import { findDaemon, pathsOf } from '../../daemon-link.ts';
import { CliProblem, EXIT_CONFIG, EXIT_NO_INPUT } from '../../exit-codes.ts';
import { text } from '../../options.ts';
import { printed, printJson } from '../../output/print.ts';

/** The hint of E_CONFIG_INVALID in schema/problem.ts, which is not loaded here; a test compares. */
const HINT = 'Fix the named line; agtmux config show --defaults explains every key.';

export const configCommand: CommandSpec = {
  name: 'config',
  summary: 'the configuration file',
  commands: [
    {
      name: 'show',
      summary: 'print every setting in effect, as TOML',
      notes: ['Settings that take effect at the next start of the daemon are shown as comments.'],
      examples: ['agtmux config show', 'agtmux config show --defaults > config.toml'],
      options: [{ name: 'defaults', summary: 'print the defaults, as a file to start from' }],
      run: showConfig,
    },
    {
      name: 'path',
      summary: 'print the path of the file',
      examples: ['agtmux config path'],
      run: printPath,
    },
    {
      name: 'check',
      summary: 'report errors in the file, with line and key',
      notes: [
        'Exit codes: 0 the file is valid, or the usual one is absent; 66 the named file does not',
        'exist; 78 it is not valid.',
      ],
      examples: ['agtmux config check', 'agtmux config check ./config.toml'],
      args: [
        {
          value: text('FILE'),
          summary: 'a file to check instead of the default one',
          optional: true,
        },
      ],
      run: checkConfigFile,
    },
  ],
};

const configPath = (call: Call): string => call.args[0] ?? pathsOf(call).configFile;

async function printPath(call: Call): Promise<number> {
  const path = configPath(call);
  return printed(call, { path, exists: existsSync(path) }, `${safeText(path)}\n`);
}

async function showConfig(call: Call): Promise<number> {
  const { configToml, defaultConfigToml } = await import('../../../config/config-file.ts');
  if (isSet(call.flags, 'defaults')) {
    call.io.writeOut(defaultConfigToml());
    return 0;
  }
  const path = configPath(call);
  const read = await readConfig(call, path);
  if (read === null) return EXIT_CONFIG;
  const { withoutSecrets } = await import('../../../config/config-keys.ts');
  const config = withoutSecrets(read);
  const { in_force: inForce, waiting } = (await askDaemon(call)) ?? {
    in_force: config,
    waiting: [],
  };
  const shown = { path, exists: existsSync(path), config: inForce, waiting };
  return printed(call, shown, safeToml(configToml(inForce, config)));
}

/** What the running daemon has in force; null without one, or with one of an older version. */
async function askDaemon(call: Call): Promise<ConfigStatus | null> {
  const client = await findDaemon(call).catch(() => null);
  try {
    return (await client?.call('show_config', {})) ?? null;
  } catch {
    return null;
  } finally {
    client?.close();
  }
}

async function checkConfigFile(call: Call): Promise<number> {
  const path = configPath(call);
  const exists = existsSync(path);
  if (!exists && call.args.length > 0) {
    throw new CliProblem('E_INPUT_INVALID', `${path} does not exist.`, { exitCode: EXIT_NO_INPUT });
  }
  if ((await readConfig(call, path)) === null) return EXIT_CONFIG;
  const found = exists ? 'is valid' : 'does not exist; the defaults are in effect';
  return printed(call, { path, exists, ok: true }, `${safeText(path)} ${found}\n`);
}

/** The configuration; null when the file is not valid, which is printed. */
async function readConfig(call: Call, path: string) {
  const { loadConfigFile } = await import('../../../config/config-file.ts');
  const read = loadConfigFile(path);
  if (read.ok) {
    for (const warning of read.warnings) call.io.writeErr(`warning: ${safeText(warning)}\n`);
    return read.config;
  }
  for (const { line, key, message } of read.problems) {
    const place = [path, line, key].filter((each) => each !== '');
    call.io.writeErr(`E_CONFIG_INVALID: ${safeText(`${place.join(':')}: ${message}`)}\n`);
  }
  call.io.writeErr(`${HINT}\n`);
  if (isSet(call.flags, 'json')) printJson(call, { path, ...read });
  return null;
}
