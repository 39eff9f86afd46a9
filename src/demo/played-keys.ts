// What a person or agtmux types into a played agent, as the terminal passes it on. Pure.

export type PlayedKey =
  | { readonly kind: 'up' | 'down' | 'enter' | 'escape' | 'erase' | 'clear' }
  | { readonly kind: 'text'; readonly text: string };

/** Longer than any prompt of a demo. */
export const TYPED_MAX = 20_000;

/** A paste in brackets, a key with a sequence, Escape, one control character, or plain text. */
const PART = new RegExp(
  [
    '\\x1b\\[200~(?<paste>[\\s\\S]*?)(?:\\x1b\\[201~|$)',
    '\\x1b[[O](?<sequence>[0-9;]*[A-Za-z~])',
    '(?<control>[\\0-\\x1f\\x7f])',
    '(?<text>[^\\0-\\x1f\\x7f]+)',
  ].join('|'),
  'g',
);

export function playedKeys(bytes: string): readonly PlayedKey[] {
  return [...bytes.matchAll(PART)].flatMap(({ groups }): readonly PlayedKey[] => {
    const { paste, sequence, control, text = '' } = groups ?? {};
    if (paste !== undefined) return [{ kind: 'text', text: plain(paste) }];
    if (sequence !== undefined) return arrowOf(sequence);
    return control === undefined ? [{ kind: 'text', text }] : controlOf(control);
  });
}

function arrowOf(sequence: string): readonly PlayedKey[] {
  if (sequence === 'A') return [{ kind: 'up' }];
  return sequence === 'B' ? [{ kind: 'down' }] : [];
}

function controlOf(control: string): readonly PlayedKey[] {
  if (control === '\r') return [{ kind: 'enter' }];
  if (control === '\x1b') return [{ kind: 'escape' }];
  if (control === '\x7f' || control === '\b') return [{ kind: 'erase' }];
  return control === '\x15' ? [{ kind: 'clear' }] : [];
}

/** Every line end of a paste is a blank: the boxes of the demo have one paragraph. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they would act on the terminal
const plain = (paste: string): string => paste.replace(/[\0-\x1f\x7f]+/g, ' ');
