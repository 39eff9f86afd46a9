// Words for a POSIX shell. The one place where text becomes part of a script: single quotes take
// every byte as it is, and only a single quote itself needs care.

/** One word that any POSIX shell reads back as exactly this text. */
export function shellWord(text: string): string {
  // No argument can hold it, and shells disagree on what to make of it.
  if (text.includes('\0')) throw new Error('a word for the shell holds a NUL');
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Words with blanks between them. */
export function shellWords(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}
