#!/bin/sh
# agtmux for tmux: run by a plugin manager (TPM) or by `run-shell` from tmux.conf. It asks the daemon
# for its counts, shows them at the left end of status-right, and starts the daemon if none runs.
# Options, each set before this runs; docs/status-line.md explains them:
#   set -g @agtmux_key a            # prefix + a opens the live view in a popup; no key by default
#   set -g @agtmux_sidebar_key S    # prefix + S opens and closes the sidebar; no key by default
#   set -g @agtmux_place off        # leave status-right alone; you place #{T:@agtmux_status} yourself
#   set -g @agtmux_start off        # start no daemon
#   set -g @agtmux_command PATH     # the agtmux to run, where it is not on the PATH of tmux

folder=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

option() {
  tmux show-options -gqv "$1"
}

# Prints the agtmux to run: the chosen one, the one on PATH, or the one of this package if it is built.
find_agtmux() {
  chosen=$(option @agtmux_command)
  if [ -n "$chosen" ]; then
    printf '%s\n' "$chosen"
  elif command -v agtmux; then
    :
  elif [ -e "$folder/dist/cli/main.js" ] && command -v node >/dev/null; then
    printf '%s\n' "$folder/bin/agtmux.js"
  fi
}

# Shows the counts in status-right, unless some part of the status line shows them already. Stock
# status-right is 39 columns wide and cut at 40, so the counts come first and the limit is raised.
place_counts() {
  for name in status-left status-right status-format; do
    case $(tmux show-options -gq "$name") in
    *@agtmux_status*) return ;;
    esac
  done
  tmux set-option -g status-right "#{T:@agtmux_status} $(option status-right)"
  if [ "$(option status-right-length)" -lt 60 ]; then
    tmux set-option -g status-right-length 60
  fi
}

# Quotes a word for sh, which runs the command of a popup.
quote() {
  printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"
}

agtmux=$(find_agtmux)

if [ -z "$agtmux" ]; then
  tmux set-option -g @agtmux_status 'agtmux: not found'
elif [ -z "$(tmux show-options -gq @agtmux_status)" ] ||
  [ "$(option @agtmux_status)" = 'agtmux: not found' ]; then
  tmux set-option -g @agtmux_status '-'
fi

if [ "$(option @agtmux_place)" != off ]; then
  place_counts
fi

key=$(option @agtmux_key)
if [ -n "$key" ] && [ -n "$agtmux" ]; then
  tmux bind-key -N 'Show the agents' -- "$key" display-popup -E -w 90% -h 80% "$(quote "$agtmux")"
fi

sidebar_key=$(option @agtmux_sidebar_key)
if [ -n "$sidebar_key" ] && [ -n "$agtmux" ]; then
  tmux bind-key -N 'Open or close the sidebar of agents' -- "$sidebar_key" \
    run-shell "$(quote "$agtmux") sidebar --pane '#{pane_id}'"
fi

if [ -n "$agtmux" ] && [ "$(option @agtmux_start)" != off ]; then
  "$agtmux" daemon start >/dev/null 2>&1 </dev/null &
fi
