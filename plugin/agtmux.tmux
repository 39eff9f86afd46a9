#!/bin/sh
# agtmux for tmux: run by a plugin manager, or by `run-shell` from tmux.conf. It creates the option
# in which the daemon publishes its counts, and binds a key for the list of agents if you set one:
#   set -g @agtmux_key a        # prefix + a opens it
#   set -ag status-right ' #{T:@agtmux_status}'
# It changes nothing else: you choose where the counts appear in your status line.

if [ -z "$(tmux show-options -gq @agtmux_status)" ]; then
  tmux set-option -g @agtmux_status '-'
fi

key=$(tmux show-options -gqv @agtmux_key)
if [ -n "$key" ]; then
  tmux bind-key -- "$key" display-popup -E -w 90% -h 80% agtmux
fi
