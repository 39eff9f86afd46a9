// The processes that an event belongs to. The emitter lists its ancestors, from its parent up to
// the leader of the session, as `pid:session:name`. A hook runs under its agent, at most through
// shells. An agent that another one started as a tool is below a shell, or in a session of its own,
// so its events do not count for the outer agent, whose pane is in its environment.

const ANCESTORS_MAX = 32;
const ancestor = /^(\d{1,9}):(\d{1,9}):([A-Za-z0-9_.?-]{1,64})$/;

/** Programs that may run between an agent and the emitter. */
const launchers: ReadonlySet<string> = new Set([
  ...['sh', 'ash', 'bash', 'busybox', 'dash', 'fish', 'ksh', 'mksh', 'zsh'],
  ...['env', 'timeout'],
]);

interface Ancestor {
  readonly pid: number;
  readonly session: string;
  readonly isLauncher: boolean;
}

/** The processes that an event may be of, nearest first; undefined where none are listed. */
export function senderPids(text: string | undefined): readonly number[] | undefined {
  const ancestors = (text ?? '').split(' ').slice(0, ANCESTORS_MAX).flatMap(readAncestor);
  if (ancestors.length === 0) return undefined;
  return (
    ancestors
      .filter((each, index) => isDirect(each, ancestors.slice(0, index)))
      .map(({ pid }) => pid)
      // A parent outside of the namespace of a container has the number 0.
      .filter((pid) => pid > 0)
  );
}

function readAncestor(word: string): readonly Ancestor[] {
  const [, pid, session, name] = ancestor.exec(word) ?? [];
  if (pid === undefined || session === undefined || name === undefined) return [];
  return [{ pid: Number(pid), session, isLauncher: launchers.has(name) }];
}

/** Whether a process runs the hook itself, or is the same launch as the one that does. */
function isDirect({ session }: Ancestor, below: readonly Ancestor[]): boolean {
  const first = below.findIndex(({ isLauncher: isBetween }) => !isBetween);
  if (first < 0) return true;
  return below.slice(first).every((each) => !each.isLauncher && each.session === session);
}
