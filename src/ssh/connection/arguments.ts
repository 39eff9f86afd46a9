// What ssh is started with. The master logs in with the user's own configuration, and can never ask
// a person anything. The clients of its channels read no configuration and cannot log in at all:
// when the master is missing or refuses, they fail.

import { reasonOf, SshFault } from './reason.ts';

const CONNECT_TIMEOUT_SECONDS = 10;
/** A link that is silent for three of these is dead; probe.ts notices sooner. */
const ALIVE_INTERVAL_SECONDS = 5;
const ALIVE_COUNT = 2;

const DESTINATION_LENGTH_MAX = 256;

export interface SshAddress {
  /** A host, an alias of the user's configuration, `user@host` or an `ssh://` address. */
  readonly destination: string;
  readonly controlPath: string;
  /** Given to the master before all else: another configuration file, for instance. */
  readonly extraArguments: readonly string[];
}

/** Throws an SshFault for what ssh would read as an option, or an invalid host name. */
export function checkDestination(destination: string): void {
  const isFit =
    destination !== '' &&
    destination.length <= DESTINATION_LENGTH_MAX &&
    !destination.startsWith('-') &&
    // ssh itself refuses what a shell could misread in user names since 9.6; older ones do not.
    /^[A-Za-z0-9_.:/@%+=,~[\]-]+$/.test(destination);
  if (!isFit) throw new SshFault(destination.slice(0, 64), reasonOf('destination_invalid'));
}

const options = (pairs: Readonly<Record<string, string | number>>): string[] =>
  Object.entries(pairs).flatMap(([name, value]) => ['-o', `${name}=${value}`]);

/** The process that holds the connection. What the user forwards is for their own sessions. */
export function masterArguments(address: SshAddress): readonly string[] {
  checkDestination(address.destination);
  return [
    ...address.extraArguments,
    ...['-T', '-N', '-a', '-x'],
    ...options({
      // Before 8.7 ssh does not know the next option, which alone keeps it our child where the
      // user's configuration sends it to the background.
      IgnoreUnknown: '*',
      ForkAfterAuthentication: 'no',
      BatchMode: 'yes',
      ControlMaster: 'yes',
      ControlPath: quotedPath(address.controlPath),
      ControlPersist: 'no',
      ConnectTimeout: CONNECT_TIMEOUT_SECONDS,
      ServerAliveInterval: ALIVE_INTERVAL_SECONDS,
      ServerAliveCountMax: ALIVE_COUNT,
      ClearAllForwardings: 'yes',
      Tunnel: 'no',
      PermitLocalCommand: 'no',
      RemoteCommand: 'none',
      // Banners of the host are not errors, and would be read as such.
      LogLevel: 'ERROR',
    }),
    ...['--', address.destination],
  ];
}

/** `exec /bin/sh` works in every login shell. `ProxyCommand` fails a session without a master. */
export function channelArguments(address: SshAddress): readonly string[] {
  checkDestination(address.destination);
  return [
    ...['-F', '/dev/null', '-T', '-a', '-x'],
    ...options({
      BatchMode: 'yes',
      ControlMaster: 'no',
      ControlPath: quotedPath(address.controlPath),
      ProxyCommand: 'false',
      LogLevel: 'ERROR',
    }),
    ...['--', address.destination, 'exec /bin/sh'],
  ];
}

/** No askpass window for ssh or for the ssh to a jump host that it starts. */
export function loginEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { SSH_ASKPASS: _askpass, DISPLAY: _x11, WAYLAND_DISPLAY: _wayland, ...rest } = env;
  return { ...rest, SSH_ASKPASS_REQUIRE: 'never' };
}

/** ssh expands `%` in paths, and reads an option as it reads a line of its configuration. */
const quotedPath = (path: string): string =>
  `"${path.replaceAll(/["\\]/g, '\\$&').replaceAll('%', '%%')}"`;
