// Bytes as text. Streams of tmux are handled as "byte strings", one character for each byte,
// because a character of UTF-8 may be cut between two reads and pane output may be anything.

const REPLACEMENT = 0xfffd;

/** A byte string with `\ooo` undone: so tmux writes control characters and backslashes. */
export function unescapeOctal(escaped: string): string {
  let bytes = '';
  let from = 0;
  // Hot path: every byte of every tapped pane comes through here, so no regular expression.
  for (let at = escaped.indexOf('\\'); at !== -1; at = escaped.indexOf('\\', from)) {
    const code = octalAt(escaped, at + 1);
    bytes += escaped.slice(from, at) + (code === -1 ? '\\' : String.fromCharCode(code));
    from = at + (code === -1 ? 1 : 4);
  }
  return from === 0 ? escaped : bytes + escaped.slice(from);
}

/** The byte that three octal digits name, or -1 where there are none. */
function octalAt(text: string, at: number): number {
  const high = text.charCodeAt(at) - 0x30;
  const middle = text.charCodeAt(at + 1) - 0x30;
  const low = text.charCodeAt(at + 2) - 0x30;
  const fits = high >= 0 && high <= 3 && middle >= 0 && middle <= 7 && low >= 0 && low <= 7;
  return fits ? (high << 6) | (middle << 3) | low : -1;
}

/** The text of a byte string in UTF-8. What is not UTF-8 becomes the replacement character. */
export function decodeUtf8(bytes: string): string {
  return bytes.replace(/[\u0080-\uffff]+/g, textOfRun);
}

function textOfRun(bytes: string): string {
  let text = '';
  for (let index = 0; index < bytes.length; ) {
    const { point, length } = characterAt(bytes, index);
    text += String.fromCodePoint(point);
    index += length;
  }
  return text;
}

function characterAt(bytes: string, index: number): { point: number; length: number } {
  const first = bytes.charCodeAt(index);
  if (first < 0x80) return { point: first, length: 1 };
  const shape = shapes.find(({ mask, lead }) => (first & mask) === lead);
  if (!shape) return { point: REPLACEMENT, length: 1 };
  let point = first & ~shape.mask;
  for (let offset = 1; offset < shape.length; offset += 1) {
    const next = bytes.charCodeAt(index + offset);
    // A byte that does not continue may begin the next character, so it is not eaten.
    if ((next & 0xc0) !== 0x80) return { point: REPLACEMENT, length: offset };
    point = (point << 6) | (next & 0x3f);
  }
  const isSurrogate = point >= 0xd800 && point <= 0xdfff;
  const isValid = point >= shape.min && point <= 0x10ffff && !isSurrogate;
  return { point: isValid ? point : REPLACEMENT, length: shape.length };
}

/** Characters of two, three and four bytes: how they begin, and the least that needs them. */
const shapes = [
  { mask: 0xe0, lead: 0xc0, length: 2, min: 0x80 },
  { mask: 0xf0, lead: 0xe0, length: 3, min: 0x800 },
  { mask: 0xf8, lead: 0xf0, length: 4, min: 0x10000 },
] as const;
