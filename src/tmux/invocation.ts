// How every `tmux` of ours is started: which arguments, in which environment.

/** `-N` never starts a server, `-u` keeps UTF-8 as it is. */
export function serverArguments(socketPath: string): string[] {
  return ['-N', '-u', '-S', socketPath];
}

/**
 * A control client in a session, named by its id (`$3`): those are exact, a name would match by
 * prefix. Without `-E` the user's session would lose DISPLAY and SSH_AUTH_SOCK.
 */
export function attachArguments(
  { socketPath, sessionId }: { readonly socketPath: string; readonly sessionId: string },
  flags: readonly string[],
): string[] {
  const attach = ['-C', 'attach-session', '-E', '-f', ['ignore-size', ...flags].join(',')];
  return [...serverArguments(socketPath), ...attach, '-t', sessionId];
}

/** What tmux itself needs, and a wrapper around it. It greets its server with each variable. */
const clientVariables: readonly string[] = [
  'PATH',
  'HOME',
  'TERM',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'LD_LIBRARY_PATH',
];

/** The environment of a tmux client: small, so that it attaches quickly. */
export function clientEnvironment(): NodeJS.ProcessEnv {
  const { env } = process;
  return Object.fromEntries(
    clientVariables.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
}

/** The environment without that of a pane: we run in none, also when started from one. */
export function outsideTmux(): NodeJS.ProcessEnv {
  const { TMUX: _server, TMUX_PANE: _pane, ...env } = process.env;
  return env;
}
