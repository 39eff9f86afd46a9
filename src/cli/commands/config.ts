// `agtmux config show|path|check`: the configuration file. It is read here as the daemon reads it;
// no daemon is asked.

import { existsSync } from 'node:fs';
import { safeText, safeToml } from '../../render/safe-text.ts';
import { type Call, isSet } from '../command.ts';
import { pathsOf } from '../daemon-link.ts';
import { EXIT_CONFIG } from '../exit-codes.ts';
import { printJson } from '../print.ts';

/** As the table of problems has it, which is not loaded here; a test compares them. */
const HINT = 'Correct the line that is named; agtmux config show --defaults explains every key.';

export async function runConfig(call: Call): Promise<number> {
  const action = call.path[1];
  const path = call.args[0] ?? pathsOf(call).configFile;
  const exists = existsSync(path);
  if (action === 'path') return print(call, { path, exists }, `${safeText(path)}\n`);
  const { configToml, defaultConfigToml, loadConfigFile } = await import(
    '../../config/config-file.ts'
  );
  if (isSet(call.flags, 'defaults')) {
    call.io.writeOut(defaultConfigToml());
    return 0;
  }
  const read = loadConfigFile(path);
  if (!read.ok) {
    for (const { line, key, message } of read.problems) {
      const place = [path, line, key].filter((each) => each !== '');
      call.io.writeErr(`E_CONFIG_INVALID: ${safeText(`${place.join(':')}: ${message}`)}\n`);
    }
    call.io.writeErr(`${HINT}\n`);
    if (isSet(call.flags, 'json')) printJson(call, { schema_version: 1, path, ...read });
    return EXIT_CONFIG;
  }
  for (const warning of read.warnings) call.io.writeErr(`warning: ${safeText(warning)}\n`);
  if (action === 'check') {
    const found = exists ? 'is right' : 'is not there; the defaults are in force';
    return print(call, { path, exists, ok: true }, `${safeText(path)} ${found}\n`);
  }
  return print(call, { path, exists, config: read.config }, safeToml(configToml(read.config)));
}

function print(call: Call, value: object, text: string): number {
  if (isSet(call.flags, 'json')) printJson(call, { schema_version: 1, ...value });
  else call.io.writeOut(text);
  return 0;
}
