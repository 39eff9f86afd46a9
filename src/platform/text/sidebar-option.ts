// The tmux option that marks a sidebar of agtmux. It is an option of the window, which every tmux
// has; its value is the id of the pane, so that no other pane that inherits it is meant.

export const SIDEBAR_OPTION = '@agtmux_sidebar';
