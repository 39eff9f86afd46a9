// The scripts that run on the machine of a bundle, and readers for what they print. Everything that
// varies is a word of its own: no shell and no tmux reads data as a line. Pure; tmux-there.ts runs
// them.

/** Exit codes of ours, far from those of tmux and of ssh. */
export const NO_FOLDER = 71;
const NO_TMUX = 72;

export const OWNER_OPTION = '@agtmux_owner';
/** On the pane that a member was started in: people may split its window. */
export const MEMBER_OPTION = '@agtmux_member';
/** On a server that a bundle has started for itself. */
const SERVER_OPTION = '@agtmux_server';

const BEGIN = `tmux=$1 socket=$2 owner=$3
shift 3
unset TMUX TMUX_PANE
command -v "$tmux" >/dev/null || { echo "there is no $tmux in PATH" >&2; exit ${NO_TMUX}; }
`;

/** Every session with its owner, and every client that a person looks through. */
export const LIST_SCRIPT = `${BEGIN}
whose="#{?#{==:#{${OWNER_OPTION}},$owner},own,#{?${OWNER_OPTION},other,free}}"
session="agtmux-session #{session_id} #{session_created} $whose #{pane_dead} #{session_name}"
client='agtmux-client #{client_control_mode} #{session_id}'
if ! "$tmux" -N -S "$socket" list-sessions -F "$session" 2>/dev/null; then
  echo agtmux-no-server
  exit 0
fi
"$tmux" -N -S "$socket" list-clients -F "$client" 2>/dev/null
echo agtmux-listed`;

/**
 * A new session of ours, owned from its first moment on. tmux would expand a folder that it is
 * given as a format, so it takes the one of this process. The pane of a program that ends stays,
 * with what it printed. On a server that a bundle started for itself, sessions take over the whole
 * environment; on another one only the path. A login on another machine has a path of its own.
 */
export const CREATE_SCRIPT = `${BEGIN}
name=$1 folder=$2 line=$3 is_private=$4 is_login=$5
case $folder in '~') folder=$HOME ;; '~/'*) folder=$HOME/\${folder#'~/'} ;; esac
cd -- "$folder" || exit ${NO_FOLDER}
if [ "$is_login" = 1 ]; then
  there=$("\${SHELL:-/bin/sh}" -l -c 'printenv PATH' 2>/dev/null </dev/null | tail -n 1)
  case $there in */*) PATH=$there; export PATH ;; esac
fi
mark='agtmux-created #{pid} #{session_id} #{pane_id}'
set -- new-session -d -P -F "$mark" -s "$name" -e "PATH=\${PATH%;}" -- /bin/sh -c "$line" ';' \\
  set-option -t "=$name:" ${OWNER_OPTION} "$owner" ';' \\
  set-option -p -t "=$name:" ${MEMBER_OPTION} "$name" ';' \\
  set-option -p -t "=$name:" remain-on-exit on
if [ "$is_private" = 1 ]; then
  if "$tmux" -N -S "$socket" has-session 2>/dev/null; then
    whose=$("$tmux" -N -S "$socket" show-options -gqv ${SERVER_OPTION} 2>/dev/null)
  else
    whose=$owner
  fi
  if [ "$whose" = "$owner" ]; then
    names=$(awk 'BEGIN {
      for (name in ENVIRON) if (name ~ /^[A-Za-z_][A-Za-z0-9_]*$/) printf "%s ", name
    }')
    set -- set-option -g ${SERVER_OPTION} "$owner" ';' \\
      set-option -g update-environment "$names" ';' "$@"
  fi
fi
case \${socket%/*} in */tmux-*) mkdir -p -m 700 -- "\${socket%/*}" ;; esac
exec "$tmux" -S "$socket" "$@"`;

/** Ends a session, if it is still the one that was listed, and ours. */
export const KILL_SCRIPT = `${BEGIN}
id=$1 created=$2 condition=$3
same="#{&&:#{==:#{${OWNER_OPTION}},$owner},#{==:#{session_created},$created}}"
if [ "$condition" = dead ]; then same="#{&&:$same,#{pane_dead}}"; fi
exec "$tmux" -N -S "$socket" if-shell -F -t "$id:" "$same" \\
  "display-message -p agtmux-killed ; kill-session -t $id" 'display-message -p agtmux-kept'`;

/** Lets a pane go when its program ends, as any other; it is in a session of ours. */
export const RELEASE_SCRIPT = `${BEGIN}
pane=$1
exec "$tmux" -N -S "$socket" if-shell -F -t "$pane" "#{==:#{${OWNER_OPTION}},$owner}" \\
  "set-option -p -u -t $pane remain-on-exit"`;

/**
 * Ends a server that was started for the bundle and has no session any more: an `x` for each.
 * server_sessions is empty where there is none.
 */
export const END_SERVER_SCRIPT = `${BEGIN}
empty="#{&&:#{==:#{${SERVER_OPTION}},$owner},#{==:#{S:x},}}"
"$tmux" -N -S "$socket" if-shell -F "$empty" kill-server 2>/dev/null
if "$tmux" -N -S "$socket" list-sessions >/dev/null 2>&1; then echo agtmux-lives; else
  echo agtmux-ended
fi`;

export interface ListedSession {
  readonly sessionId: string;
  readonly createdAt: string;
  readonly whose: 'own' | 'other' | 'free';
  /** Its program has ended. */
  readonly isDead: boolean;
  readonly name: string;
  /** A person looks at it. */
  readonly isAttended: boolean;
}

export interface SessionListing {
  readonly isServerThere: boolean;
  readonly sessions: readonly ListedSession[];
}

/** Null: it is no listing. A login shell may have printed noise before it. */
export function readSessionListing(stdout: string): SessionListing | null {
  if (/^agtmux-no-server$/m.test(stdout)) return { isServerThere: false, sessions: [] };
  if (!/^agtmux-listed$/m.test(stdout)) return null;
  const lines = stdout.split('\n');
  const attended = new Set(
    lines.flatMap((line) => /^agtmux-client 0 (\$\d+)$/.exec(line)?.[1] ?? []),
  );
  const sessions = lines.flatMap((line): readonly ListedSession[] => {
    const found = /^agtmux-session (\$\d+) (\d+) (own|other|free) ([01]?) (.*)$/.exec(line);
    if (!found) return [];
    const [, sessionId = '', createdAt = '', whose, dead, name = ''] = found;
    return [
      {
        ...{ sessionId, createdAt, name },
        whose: whose as ListedSession['whose'],
        isDead: dead === '1',
        isAttended: attended.has(sessionId),
      },
    ];
  });
  return { isServerThere: true, sessions };
}

/** Where a session was created. */
export interface CreatedPane {
  readonly serverPid: number;
  readonly paneId: string;
}

/** Null where it was not. */
export function readCreatedPane(stdout: string): CreatedPane | null {
  const found = /^agtmux-created (\d+) \$\d+ (%\d+)$/m.exec(stdout);
  return found ? { serverPid: Number(found[1]), paneId: found[2] ?? '' } : null;
}
