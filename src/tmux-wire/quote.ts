// Arguments for tmux's own command parser, as a control-mode line carries them. Names and prompts
// hold quotes, `;`, `#{}`, newlines: a raw newline would end the command and run the rest.

/** What tmux reads as something else inside double quotes, and every control character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters.
const special = /[\\"$~\u0000-\u001f\u007f]/g;

/** Double quotes that tmux reads back byte for byte; NUL becomes the replacement character. */
export function quoteArgument(text: string): string {
  const escaped = text.toWellFormed().replace(special, (character) => {
    if (character === '\\' || character === '"' || character === '$') return `\\${character}`;
    if (character === '\n') return '\\n';
    if (character === '\r') return '\\r';
    if (character === '\0') return '\ufffd';
    // Octal: tmux expands a `~` even at the start of a quoted text.
    return `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
  });
  return `"${escaped}"`;
}

/** A command as one line without its newline. Every argument is quoted, the name too. */
export function commandLine(args: readonly string[]): string {
  return args.map(quoteArgument).join(' ');
}
