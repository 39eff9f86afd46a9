// Makes foreign text (titles, names, prompts) safe to print: one line without escape sequences and
// without control, bidi, zero-width or other invisible characters. In JSON and TOML the same
// characters are written as escapes. Pure.

/** Wider than any screen; the rest is cut off before the costly patterns run. */
const LENGTH_MAX = 4_096;

const plainText = /^[\x20-\x7e]*$/;

/** The text as one printable line. Without `unicode`, each other character becomes `?`. */
export function safeText(text: string, unicode = true): string {
  if (text.length <= LENGTH_MAX && plainText.test(text)) return text;
  const shown = printable(text.slice(0, LENGTH_MAX));
  // Combining marks are dropped: their letter has become `?`.
  return unicode ? shown : shown.replace(/\p{M}/gu, '').replace(/[^\x20-\x7e]/gu, '?');
}

// The patterns are inside the function: compiling them takes half a millisecond, and most text is
// plain.
function printable(text: string): string {
  // OSC, DCS, SOS, PM and APC take text up to their end; CSI takes parameters and one final byte.
  // A string without an end takes the rest of the text, as in a terminal.
  const controlString =
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed here.
    /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])(?:[^\x07\x1b\x9c]|\x1b(?!\\))*(?:\x07|\x1b\\|\x9c|$)/g;
  return (
    text
      .replace(controlString, '')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed here.
      .replace(/(?:\x1b\[|\x9b)[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]?/g, '')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed here.
      .replace(/\x1b[\x20-\x2f]*[\x30-\x7e]?/g, '')
      // Line ends, tabs and every other separator of lines become a space.
      .replace(/[\t\n\v\f\r\x85\u2028\u2029]+/g, ' ')
      // Controls, format characters (bidi marks, zero-width joiners, tags), invisible characters
      // and lone surrogates.
      .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu, '')
      // At most three combining marks: more of them cover the lines above.
      .replace(/(\p{M}{3})\p{M}+/gu, '$1')
  );
}

/** JSON, on one line without an indent. Characters that a terminal could act on are escaped. */
export function safeJson(value: unknown, indent = 0): string {
  const text = JSON.stringify(value, null, indent);
  if (plainText.test(text)) return text;
  return text.replace(unsafe(), (character) =>
    character
      .split('')
      .map((unit) => `\\u${hex(unit.charCodeAt(0), 4)}`)
      .join(''),
  );
}

/** The same for the text of a TOML file, whose escapes are for whole code points. */
export function safeToml(text: string): string {
  return text.replace(unsafe(), (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
  });
}

const unsafe = (): RegExp => /[\x7f-\x9f\u2028\u2029\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');
