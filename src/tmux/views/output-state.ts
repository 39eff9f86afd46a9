// What of a pane's output a snapshot does not hold: the sequence or character that is not whole
// yet, and the attributes that the next text will have. Pure; byte strings.

const ESC = '\u001b';
/** Attributes that add up to more are cut: no program sets them one by one without end. */
const PEN_LENGTH_MAX = 1_024;
/** A control sequence is a few bytes long; a longer one is none. */
const SEQUENCE_LENGTH_MAX = 4_096;

export interface OutputState {
  feed(bytes: string): void;
  /** The bytes to send after a snapshot, so that what follows goes on as in the pane. */
  readonly bytes: string;
}

export function outputState(): OutputState {
  let pen = '';
  let rest = '';
  return {
    feed(bytes) {
      const text = rest + bytes;
      let from = 0;
      rest = '';
      for (;;) {
        const start = text.indexOf(ESC, from);
        if (start === -1) break;
        const end = endOfSequence(text, start);
        if (end === -1) {
          rest = unfinished(text.slice(start));
          return;
        }
        if (text[end - 1] === 'm' && text[start + 1] === '[') {
          pen = penAfter(pen, text.slice(start, end));
        } else if (text[start + 1] === 'c') pen = '';
        from = end;
      }
      rest = unfinishedCharacter(text.slice(Math.max(from, text.length - 3)));
    },
    get bytes() {
      return pen + rest;
    },
  };
}

/** Where the sequence that begins there ends; -1 when it is not whole. */
function endOfSequence(text: string, start: number): number {
  const kind = text[start + 1];
  if (kind === undefined) return -1;
  if (kind === '[') return endOfControl(text, start + 2);
  if (']PX^_'.includes(kind)) return endOfString(text, start + 2);
  if (kind === ESC) return start + 1;
  if (' #%()*+-./'.includes(kind)) return start + 2 < text.length ? start + 3 : -1;
  return start + 2;
}

/** Control sequences end with a letter, or where another one begins or they are given up. */
function endOfControl(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x1b) return at;
    const isEnd = code >= 0x40 && code <= 0x7e;
    if (isEnd || code === 0x18 || code === 0x1a) return at + 1;
  }
  return -1;
}

/** Strings end with ST, and those of OSC with a bell too, as terminals take it for all. */
function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x07 || code === 0x18 || code === 0x1a) return at + 1;
    if (code === 0x1b) {
      const next = text[at + 1];
      if (next === undefined) return -1;
      return next === '\\' ? at + 2 : at;
    }
  }
  return -1;
}

/** A long string is kept as its start: what is in it shows nothing. */
function unfinished(sequence: string): string {
  if (sequence.length <= SEQUENCE_LENGTH_MAX) return sequence;
  const isString = ']PX^_'.includes(sequence[1] ?? '');
  return isString ? sequence.slice(0, 2) + (sequence.endsWith(ESC) ? ESC : '') : '';
}

/** The first bytes of a character of UTF-8 whose others have not come. */
function unfinishedCharacter(end: string): string {
  for (let at = end.length - 1; at >= 0; at -= 1) {
    const code = end.charCodeAt(at);
    if (code < 0x80) return '';
    if (code < 0xc0) continue;
    const length = code >= 0xf0 ? 4 : code >= 0xe0 ? 3 : 2;
    return end.length - at < length ? end.slice(at) : '';
  }
  return '';
}

/** The attributes after one more sequence: from its last reset on, where it has one. */
function penAfter(pen: string, sequence: string): string {
  const body = sequence.slice(2, -1);
  // Others end with `m` too, such as those that choose how keys are sent.
  if (/[^\d;:]/.test(body)) return pen;
  const parameters = body.split(';');
  const reset = lastReset(parameters);
  const added = parameters.slice(reset + 1).join(';');
  const own = added === '' ? '' : `${ESC}[${added}m`;
  const next = reset === -1 ? pen + own : own;
  return next.length > PEN_LENGTH_MAX ? own : next;
}

/** Where the attributes were last reset; -1 where they were not. */
function lastReset(parameters: readonly string[]): number {
  let found = -1;
  for (let index = 0; index < parameters.length; index += 1) {
    const each = parameters[index] ?? '';
    if (/^0*$/.test(each)) found = index;
    // The numbers of a colour are no attributes.
    if (each === '38' || each === '48' || each === '58') {
      index += colourLengths[parameters[index + 1] ?? ''] ?? 0;
    }
  }
  return found;
}

/** How many parameters follow, by the kind of colour. */
const colourLengths: Readonly<Record<string, number>> = { 2: 4, 5: 2 };
