// How tmux shows that a pane is the HUD of agtmux: a floating pane that was started by the command
// of publishing/hud-commands.ts. It holds from the pane's first moment on, unlike an option.

/** The name under which the reader of a HUD runs. */
export const HUD_NAME = 'agtmux-hud';

/** A field of tmux's formats: 1 for a HUD, also one of another daemon. */
export const HUD_FIELD = `&&:#{pane_floating_flag},#{m:* ${HUD_NAME} *,#{pane_start_command}}`;
