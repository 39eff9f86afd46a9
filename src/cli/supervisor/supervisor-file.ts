// The text of a service file for the daemon: a user unit of systemd, or a property list of launchd.
// Pure; where it goes and how the service is started is supervisor-commands.ts.

export type ServiceKind = 'systemd' | 'launchd';

export interface ServiceCommand {
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** In every file of ours: one without it belongs to somebody else. */
export const SERVICE_MARK = '# Written by agtmux daemon install.';

/** The text of the file. A newline in a value becomes a blank: neither format allows it. */
export function serviceFile(kind: ServiceKind, service: ServiceCommand): string {
  return kind === 'systemd' ? systemdUnit(service) : launchdList(service);
}

const oneLine = (text: string): string => text.replaceAll(/[\0\r\n]+/g, ' ');

// systemd splits words at blanks, interprets `\` and quotes, and expands `%` and `$`.
function systemdWord(text: string, { isCommand }: { isCommand: boolean }): string {
  const quoted = oneLine(text).replaceAll(/[\\"]/g, '\\$&').replaceAll('%', '%%');
  return `"${isCommand ? quoted.replaceAll('$', '$$$$') : quoted}"`;
}

function systemdUnit({ command, env }: ServiceCommand): string {
  const words = command.map((word) => systemdWord(word, { isCommand: true }));
  const variables = Object.entries(env).map(
    ([name, value]) => `Environment=${systemdWord(`${name}=${value}`, { isCommand: false })}`,
  );
  return [
    SERVICE_MARK,
    '[Unit]',
    'Description=agtmux: watches AI coding agents in tmux panes',
    '',
    '[Service]',
    'Type=exec',
    `ExecStart=${words.join(' ')}`,
    ...variables,
    '# Stop only the daemon: tmux servers that it started belong to you.',
    'KillMode=process',
    'Restart=on-failure',
    'RestartSec=5',
    '# 75: another daemon runs. 77, 78: wrong folders or Node version. A restart does not help.',
    'RestartPreventExitStatus=75 77 78',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

// XML allows no control characters but tab and line ends.
const xmlText = (text: string): string =>
  oneLine(text)
    .replaceAll(/\p{Cc}/gu, ' ')
    .replaceAll(/[&<>"]/g, (character) => entities[character] ?? '');

const xmlString = (text: string): string => `<string>${xmlText(text)}</string>`;

function launchdList({ command, env }: ServiceCommand): string {
  const variables = Object.entries(env).flatMap(([name, value]) => [
    `    <key>${xmlText(name)}</key>`,
    `    ${xmlString(value)}`,
  ]);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<!-- ${SERVICE_MARK} -->`,
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN"',
    '  "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    '  <key>Label</key>',
    '  <string>dev.agtmux.daemon</string>',
    '  <key>ProgramArguments</key>',
    '  <array>',
    ...command.map((word) => `    ${xmlString(word)}`),
    '  </array>',
    '  <key>EnvironmentVariables</key>',
    '  <dict>',
    ...variables,
    '  </dict>',
    '  <key>RunAtLoad</key>',
    '  <true/>',
    '  <key>KeepAlive</key>',
    '  <dict>',
    '    <key>SuccessfulExit</key>',
    '    <false/>',
    '  </dict>',
    '  <key>AbandonProcessGroup</key>',
    '  <true/>',
    '</dict>',
    '</plist>',
    '',
  ].join('\n');
}
