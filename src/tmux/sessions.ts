// Which session a client of ours attaches to. One with `destroy-unattached` would end when we leave
// it, or live on because of us, so it is never chosen.

import type { Reply } from '../tmux-wire/control-parser.ts';
import { isOff } from './listing.ts';

export interface SessionRow {
  readonly id: string;
  readonly createdAt: number;
  readonly destroyUnattached: boolean;
  readonly serverPid: number;
  readonly serverStartTime: number;
  /** The server's version, which may differ from the program's. */
  readonly version: string;
}

const FORMAT =
  '#{session_id} #{session_created} #{pid} #{start_time} #{version} #{destroy-unattached}';

/** Lists the sessions with what is needed to choose one. */
export function sessionsCommand(): string[] {
  return ['list-sessions', '-F', FORMAT];
}

/** Reads the reply to sessionsCommand; of an error (there are no sessions) it is empty. */
export function readSessions(reply: Reply | undefined): readonly SessionRow[] {
  if (!reply?.ok) return [];
  return reply.lines.flatMap((line) => {
    const found = /^(\$\d+) (\d+) (\d+) (\d+) (\S*) ([a-z0-9-]*)$/.exec(line);
    if (found === null) return [];
    const [createdAt = 0, serverPid = 0, serverStartTime = 0] = found.slice(2, 5).map(Number);
    const destroyUnattached = !isOff(found[6] ?? '');
    const server = { serverPid, serverStartTime, version: found[5] ?? '' };
    return [{ id: found[1] ?? '', createdAt, destroyUnattached, ...server }];
  });
}

/** The oldest session that may be attached to, another than `avoid` where there is one. */
export function chooseSession(
  sessions: readonly SessionRow[],
  avoid: string | null,
): SessionRow | null {
  const number = ({ id }: SessionRow): number => Number(id.slice(1));
  const [oldest, ...others] = sessions
    .filter(({ destroyUnattached }) => !destroyUnattached)
    .toSorted((one, other) => one.createdAt - other.createdAt || number(one) - number(other));
  if (oldest === undefined) return null;
  return oldest.id === avoid ? (others[0] ?? oldest) : oldest;
}
