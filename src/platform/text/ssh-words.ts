// The words of an ssh command that runs a line on another machine, by the login of the person.

export interface SshLogin {
  readonly destination: string;
  /** A configuration of ssh in place of the user's own; empty is the user's. */
  readonly config_file: string;
}

export function sshWords(
  login: SshLogin,
  line: string,
  options: readonly string[],
): readonly string[] {
  const config = login.config_file === '' ? [] : ['-F', login.config_file];
  return ['ssh', ...config, ...options, '-o', 'RemoteCommand=none', '--', login.destination, line];
}
