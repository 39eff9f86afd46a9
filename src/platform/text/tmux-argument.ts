// One argument of a tmux command that is run as a process.

/** tmux takes a semicolon at the end of an argument as the end of a command. */
export const asArgument = (text: string): string => text.replace(/;$/, '\\;');
