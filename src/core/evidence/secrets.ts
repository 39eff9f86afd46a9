// The patterns of secrets in text. Each repeats one class of characters without end or a bounded
// piece, so that hostile text costs time in proportion to its length. They hide too much rather
// than too little; counts ("tokens: 45,000") and prose stay readable where a pattern can tell.

/** The text that replaces a secret. */
export const HIDDEN = '[redacted]';

/** Names whose values are secrets. "tokens" counts things, a "tokenizer" cuts words. */
const secretWord =
  'passw(?:or)?d|passphrase|secret|token(?!s\\b|iz)|(?:api|access|private|auth|signing)[_-]?key|' +
  'credential|authorization|cookie';

/** Fields of an object whose whole value is hidden. */
export const secretName: RegExp = new RegExp(`${secretWord}|_(?:pass|pwd)$`, 'i');

/** The end of a name, quoted or not, also in JSON inside a text, and its `=`, `:` or `=>`. */
const assigned = '\\\\{0,8}["\']?[ \\t]*(?:=>|[:=])[ \\t]*';
/** A value: a JSON text inside a text, a quoted text with its escapes, a list, or a plain word. */
const value =
  '(?:\\\\{1,8}"[^"\\r\\n]*|"(?:[^"\\\\\\r\\n]|\\\\.)*|\'(?:[^\'\\\\\\r\\n]|\\\\.)*|' +
  '\\[[^\\]\\r\\n]*\\]?|[^\\s"\'&;}[\\]\\\\]+)';

/** Beginnings of tokens that no word ends with, and those that one may ("task-", "laughs_"). */
const distinctTokens = 'sk-ant-|sk-proj-|github_pat_|glpat-|xox[abeprs]-|AKIA|AIza|ya29\\.';
const shortTokens = 'sk-|sk_live_|sk_test_|rk_live_|gh[opsur]_|npm_|hf_|xapp-|ASIA';
const knownTokens = `${distinctTokens}|${shortTokens}`;

/** A cheap test that most texts fail, before the real patterns run. */
export const suspicious: RegExp = new RegExp(
  `${secretWord}|_pass|_pwd|bearer|basic|-u\\b|--user|-----|://|eyJ|${knownTokens}`,
  'i',
);

const pattern = (text: string): RegExp => new RegExp(text, 'gi');
const kept = `$1${HIDDEN}`;

/** Patterns and their replacements, in order. */
const secretPatterns: readonly (readonly [RegExp, string])[] = [
  // scheme://user:password@host and scheme://token@host
  [/(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@]{0,256}:)[^\s/]*@/gi, `$1${HIDDEN}@`],
  [/(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/:@]{16,}@/gi, `$1${HIDDEN}@`],
  // Header lines: quoted up to the quote, plain up to the end of the line.
  [pattern('("(?:proxy-)?(?:authorization|(?:set-)?cookie|x-api-key):)[^"\\r\\n]*'), kept],
  [pattern("('(?:proxy-)?(?:authorization|(?:set-)?cookie|x-api-key):)[^'\\r\\n]*"), kept],
  [
    pattern('((?:^|[^"\'\\w-])(?:proxy-)?(?:authorization|(?:set-)?cookie|x-api-key):)[^\\r\\n]*'),
    kept,
  ],
  [/(\bbearer[ \t]+)[A-Za-z0-9._~+/=-]{8,}/gi, kept],
  [/(\bbasic[ \t]+)(?=[A-Za-z0-9+/_-]*[0-9=])[A-Za-z0-9+/=_-]{8,}/gi, kept],
  // A pass phrase has several words.
  [pattern(`(\\b(?:password|passphrase):[ \\t]*)(?!["'\\[{\\\\])[^\\r\\n]+`), kept],
  // key=value, key: value, "key": "value", key => value, --key value
  [pattern(`((?:${secretWord})[A-Za-z0-9_.-]{0,64}${assigned})${value}`), kept],
  [pattern(`([A-Za-z0-9]_(?:pass|pwd)${assigned})${value}`), kept],
  [pattern(`(\\s--?[a-z-]{0,32}(?:${secretWord})[a-z-]{0,32}[ \\t]+)${value}`), kept],
  [/(\s(?:-u|--user)[ =]+["']?[^\s:"']{1,256}:)[^\s"']+/g, kept],
  // Tokens that are known by their own shape.
  [/\beyJ[A-Za-z0-9_-]{8,1024}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?/g, HIDDEN],
  // A key may stand right behind other text, as where a program wrote over a line.
  [new RegExp(`(?:${distinctTokens}|(?<![a-z])(?:${shortTokens}))[A-Za-z0-9_-]{12,}`, 'g'), HIDDEN],
];

const pemMark = /-----(BEGIN|END) [A-Z0-9 ]{1,40}-----/g;

/** Hides PEM blocks, also those whose end or whose head was cut off. */
function withoutPem(text: string): string {
  let clean = '';
  let from = 0;
  let openFrom: number | null = null;
  for (const { 0: mark, 1: kind, index } of text.matchAll(pemMark)) {
    if (kind === 'BEGIN') {
      openFrom ??= index;
      continue;
    }
    clean += text.slice(from, openFrom ?? pemBodyFrom(text, from, index)) + HIDDEN;
    from = index + mark.length;
    openFrom = null;
  }
  return clean + (openFrom === null ? text.slice(from) : text.slice(from, openFrom) + HIDDEN);
}

/** Where a block without its head may begin: what could be its body, back from its end. */
function pemBodyFrom(text: string, from: number, endAt: number): number {
  let bodyFrom = endAt;
  while (bodyFrom > from && /[A-Za-z0-9+/=\s]/.test(text.charAt(bodyFrom - 1))) bodyFrom -= 1;
  return bodyFrom;
}

/** One pass over a text: every pattern once. */
export function hideSecrets(text: string): string {
  const left = withoutPem(text);
  return secretPatterns.reduce((clean, [each, hidden]) => clean.replace(each, hidden), left);
}
