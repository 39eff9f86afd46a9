// The reference page of config.toml, made from the schema. scripts/docs.ts writes it to disk.

import { type ConfigKey, configSections, defaultText } from '../src/config/config-keys.ts';

// Returns docs/reference/config.md.
export function renderConfig(): string {
  return [
    '# Configuration\n',
    'Generated from `src/schema/config.ts` by `npm run docs`; do not edit by hand.\n',
    'All of it lives in one file, `config.toml` in the config folder (`agtmux config path`). Every',
    'key may be left out. The daemon reads the file again when it changes, or on SIGHUP; a file',
    'with a mistake changes nothing and the mistake is reported with its line and key.',
    '`agtmux config check` does the same without a daemon. A change takes effect at once, unless',
    'the meaning of a key says that it waits for the next start of the daemon; `agtmux config',
    'show` prints what is in force and marks what waits.\n',
    'Durations are milliseconds or a text with a unit: `"200ms"`, `"30s"`, `"5m"`, `"1h"`.\n',
    configReference(),
  ].join('\n');
}

// All keys with their defaults and meanings: one table a section.
function configReference(): string {
  const sections = configSections.flatMap(({ section, description, keys }) => [
    keyTable(section, description, keys),
    ...keys.flatMap((key) =>
      key.tableKeys === null
        ? []
        : [keyTable(`${section}.${key.key}.NAME`, key.description, key.tableKeys)],
    ),
  ]);
  return sections.join('\n');
}

const keyTable = (title: string, description: string, keys: readonly ConfigKey[]): string =>
  [
    `## [${title}]\n`,
    `${description}\n`,
    '| key | default | meaning |',
    '|---|---|---|',
    ...keys.map((key) => `| \`${key.key}\` | \`${defaultText(key)}\` | ${key.description} |`),
    '',
  ].join('\n');
