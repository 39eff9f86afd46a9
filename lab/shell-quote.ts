// A text as one word of a POSIX shell.

export const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
