// Our own programs in a pane: the live view, the sidebar, the demo. They show screens of agents,
// and their ssh and tmux would make the pane opaque, so neither they nor what they started counts.
// `agtmux run` is none of them: what it starts is an agent because a person wants it to be one.

import { ancestorsOf, type ProcessInfo } from './process-tree.ts';
import { isOwnProgram } from './wrapped-program.ts';

/** The processes that are neither ours nor started by one of ours. */
export function withoutOwnPrograms(processes: readonly ProcessInfo[]): readonly ProcessInfo[] {
  if (!processes.some(isOwnProgram)) return processes;
  const byPid = new Map(processes.map((process) => [process.pid, process]));
  return processes.filter(
    (process) => !isOwnProgram(process) && !ancestorsOf(process, byPid).some(isOwnProgram),
  );
}
