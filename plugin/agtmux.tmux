#!/bin/sh
# agtmux for tmux: run by a plugin manager, or by `run-shell` from tmux.conf. It makes the option
# that asks the daemon for its counts, and binds a key for the list of agents where you chose one:
#   set -g @agtmux_key a        # prefix + a opens it
#   set -ag status-right ' #{T:@agtmux_status}'
# Nothing else is touched: where the counts stand in your status line is yours to say.

if [ -z "$(tmux show-options -gq @agtmux_status)" ]; then
  tmux set-option -g @agtmux_status '-'
fi

key=$(tmux show-options -gqv @agtmux_key)
if [ -n "$key" ]; then
  tmux bind-key -- "$key" display-popup -E -w 90% -h 80% agtmux
fi
