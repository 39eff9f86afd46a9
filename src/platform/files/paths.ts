// Where agtmux keeps its files: configuration, lasting state and run-time files such as the socket.
// Follows the XDG base directory rules. Pure: it looks at nothing but its argument, and creating
// folders or checking their owner is left to their users.

import { isAbsolute, join } from 'node:path';

export type PathInput = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
  readonly home: string;
};

export type Paths = {
  readonly configDir: string;
  readonly configFile: string;
  readonly stateDir: string;
  readonly databaseFile: string;
  readonly runtimeDir: string;
  readonly socketFile: string;
};

const APP_NAME = 'agtmux';

// The variable of each kind of folder, and where it is in a home without it.
const folders = {
  config: ['XDG_CONFIG_HOME', '.config'],
  state: ['XDG_STATE_HOME', '.local/state'],
  data: ['XDG_DATA_HOME', '.local/share'],
  cache: ['XDG_CACHE_HOME', '.cache'],
} as const;

// The XDG rules say that a relative path in one of these variables is invalid and to be ignored.
function xdgBase(value: string | undefined, fallback: string): string {
  return value !== undefined && isAbsolute(value) ? value : fallback;
}

// Our own folder of one kind, for a user of whatever machine.
export function ownFolder(
  { env, home }: Pick<PathInput, 'env' | 'home'>,
  kind: keyof typeof folders,
): string {
  const [variable, usual] = folders[kind];
  return join(xdgBase(env[variable], join(home, usual)), APP_NAME);
}

// Without XDG_RUNTIME_DIR (ssh without logind, cron, containers) /tmp is the only place that is
// there on every system and cleared at boot. The uid keeps users apart; the user of the folder
// must check its owner.
function runtimeDir({ env, uid }: PathInput): string {
  const base = xdgBase(env['XDG_RUNTIME_DIR'], '');
  return base === '' ? join('/tmp', `${APP_NAME}-${uid}`) : join(base, APP_NAME);
}

// Returns every path for one user. The same input gives the same paths, whatever exists on disk.
export function resolvePaths(input: PathInput): Paths {
  const configDir = ownFolder(input, 'config');
  const stateDir = ownFolder(input, 'state');
  const runtime = runtimeDir(input);
  return {
    configDir,
    configFile: join(configDir, 'config.toml'),
    stateDir,
    databaseFile: join(stateDir, 'agtmux.db'),
    runtimeDir: runtime,
    socketFile: join(runtime, 'agtmuxd.sock'),
  };
}
