// V8 makes a piece of a string, from 13 characters on, a view of the whole. A title that is kept
// would keep the listing that it was cut from, and a question its whole screen, for as long.

const VIEW_LENGTH_MIN = 13;

/** The same text in memory of its own; for what is kept longer than what it was cut from. */
export function ownText(text: string): string {
  if (text.length < VIEW_LENGTH_MIN) return text;
  // UTF-16 as it is in memory: half of a character at a cut stays what it was.
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
