// Kinds of programs by their command name. Names are compared by basename, without the dash of a
// login shell, in lower case: /usr/local/bin/fish, -zsh and Bash are shells.

const SHELLS = new Set('zsh bash fish sh dash nu pwsh tcsh csh ksh ash'.split(' '));

/** Programs that run a script. Alone they prove nothing. */
const WRAPPERS = new Set(
  'node nodejs bun bunx deno npx npm pnpm pnpx yarn tsx ts-node mainthread'.split(' '),
);

/** The process tree ends here: what the pane shows runs on the other side. */
const OPAQUE = new Set([
  ...'ssh autossh slogin mosh mosh-client et tmux screen zellij'.split(' '),
  ...'docker podman nerdctl kubectl oc lxc incus devcontainer'.split(' '),
  ...'distrobox toolbox limactl vagrant'.split(' '),
]);

/** These run on the other side only with one of these words among their arguments. */
const OPAQUE_VERBS = new Set('exec run attach enter shell ssh'.split(' '));
const NEEDS_VERB = new Set(
  'docker podman nerdctl kubectl oc lxc incus devcontainer limactl vagrant'.split(' '),
);

/** Viewers: their text may be the screen of any program. */
const VIEWERS = new Set([
  ...'less more most man bat cat tail head diff delta watch'.split(' '),
  ...'vi vim nvim view emacs nano micro hx helix kak ed'.split(' '),
  ...'top htop btop git tig lazygit'.split(' '),
]);

/** The bare name of a command or path. */
export function commandName(command: string): string {
  const base = command.slice(command.lastIndexOf('/') + 1).trim();
  return base
    .replace(/^-/, '')
    .replace(/\.exe$/i, '')
    .toLowerCase();
}

export const isShell = (command: string): boolean => SHELLS.has(commandName(command));
export const isWrapper = (command: string): boolean => WRAPPERS.has(commandName(command));
export const isViewer = (command: string): boolean => VIEWERS.has(commandName(command));

/** True when the local process tree cannot see inside. Without arguments the name decides. */
export function isOpaque(command: string, args?: readonly string[]): boolean {
  const name = commandName(command);
  if (!OPAQUE.has(name)) return false;
  return args === undefined || !NEEDS_VERB.has(name) || args.some((arg) => OPAQUE_VERBS.has(arg));
}

/** `2.1.325` or `2.1.326-beta.1`: a program that renamed itself to its version. */
export const isBareVersion = (command: string): boolean =>
  /^\d{1,4}\.\d{1,4}\.\d{1,6}(?:-[0-9a-z.]{1,20})?$/.test(commandName(command));

/** The value of an option: `--name value` or `--name=value`; null where there is none. */
export function optionValue(words: readonly string[], name: string): string | null {
  const at = words.findIndex((word) => word === name || word.startsWith(`${name}=`));
  const word = words[at];
  if (word === undefined) return null;
  return word === name ? (words[at + 1] ?? null) : word.slice(name.length + 1);
}
