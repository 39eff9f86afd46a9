// The value of the option `@agtmux_status`: a tmux format that shows the counts while they can be
// believed, and `?` when they cannot. Two things must hold each time that tmux draws it: the client
// that pushed it is still attached, which a killed daemon's is not, and the stamp is not passed,
// which a stopped daemon's is. Without a client there is the stamp alone, and a nearer one. Only
// numbers and our own words go in. Pure.

import { DOUBT, statusCounts } from '../../platform/text/status-counts.ts';

/** The option that asks for the status line, by being there. */
export const STATUS_OPTION = '@agtmux_status';
/** `off`: the counts come without colours. */
export const COLORS_OPTION = '@agtmux_colors';

/** What a daemon that ends leaves behind. */
export const STATUS_OFF = 'agtmux off';
/** What is shown when no agent is counted. */
const NOTHING = '-';

export interface StatusValue {
  readonly counts: string;
  /** The name of our client on this server, as tmux has it; null where none is attached. */
  readonly clientName: string | null;
  /** Seconds since the epoch after which the value is not to be believed. */
  readonly untilS: number;
}

/**
 * The counts as the value holds them; null: they are not known. Each terminal says for itself if it
 * shows UTF-8.
 */
export function countsInTmux(
  shown: Readonly<Record<string, number>> | null,
  withColors: boolean,
): string {
  if (shown === null) return DOUBT;
  const counts = statusCounts(shown, {
    markOf: ([wide, narrow]) => (wide === narrow ? wide : `#{?client_utf8,${wide},${narrow}}`),
    withColors,
  });
  return counts === '' ? NOTHING : counts;
}

/** The value for `#{T:@agtmux_status}`; null for a client name that could be more than a name. */
export function statusValue({ counts, clientName, untilS }: StatusValue): string | null {
  const isInTime = `#{e|<:%s,${Math.trunc(untilS)}}`;
  if (clientName === null) return `#{?${isInTime},${counts},${DOUBT}}`;
  if (!/^client-\d{1,10}$/.test(clientName)) return null;
  const isAttached = `#{m/r:(^|#,)${clientName}#,,#{S:#{session_attached_list}#,}}`;
  return `#{?#{&&:${isInTime},${isAttached}},${counts},${DOUBT}}`;
}
