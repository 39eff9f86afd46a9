// The machine whose tmux is spoken to, as tmux's clients need it: how a program is started there
// and which processes run there. Here it is this machine; over ssh it is another.

import type { LocalProcess } from '../platform/processes.ts';

/** All that starts a program: plain data, so that a worker thread can be given it. */
export interface StartRecipe {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** It is killed when this process dies, however it dies. */
  readonly isTethered: boolean;
  /** Given to its input first: what a remote shell is to run. */
  readonly input: string;
  /** Output up to and with this line is not the program's: a login shell may be noisy. */
  readonly marker: string | null;
}

/** Processes of a host, as last seen. */
export interface HostProcesses {
  /** The process and everything under it, parents first; null when it cannot be read. */
  tree(pid: number): readonly LocalProcess[] | null;
  startedAtMs(pid: number): number | null;
  /** Equal as long as it is the same process, neither stopped nor over since; null without one. */
  signOf(pid: number): string | null;
}
