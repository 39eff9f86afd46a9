// Quoting for a POSIX shell, the one place where text becomes part of a script. Single quotes keep
// every byte as it is; only a single quote itself is escaped.

/** One word that any POSIX shell reads back as exactly this text. */
export function shellQuote(text: string): string {
  // No argument can hold it, and shells disagree on what to make of it.
  if (text.includes('\0')) throw new Error('a word for the shell holds a NUL');
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The words of one command, each quoted. */
export function shellQuoteAll(words: readonly string[]): string {
  return words.map(shellQuote).join(' ');
}
