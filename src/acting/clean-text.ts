// The text of a prompt as it may be pasted: line ends as LF, no escape sequences, no control or
// invisible characters. A paste that ends its own brackets would type the rest as keys.

/** C0 but tab and LF, DEL and C1. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it removes control characters.
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
// An emoji may need a joiner (U+200D), so that one stays.
const invisible =
  /[\p{Bidi_Control}\u180e\u200b\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e01ef}]/gu;
/** Colours and the like: without their ESC the rest would be left as text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it removes escape sequences.
const sequences = /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g;

export interface CleanText {
  readonly text: string;
  /** How many characters were left out. */
  readonly removedCount: number;
}

export function cleanText(raw: string): CleanText {
  const lines = raw.toWellFormed().replace(/\r\n?|[\u2028\u2029]/g, '\n');
  const text = lines.replace(sequences, '').replace(controls, '').replace(invisible, '');
  return { text, removedCount: lines.length - text.length };
}
