// What a paired browser is called in the list of tokens: words of ours, by what it says of itself.
// Pure.

const systems: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Macintosh/, 'Mac'],
  [/Windows/, 'Windows'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];
/** In this order: the later ones name the earlier ones too. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/Edg/, 'Edge'],
  [/Firefox|FxiOS/, 'Firefox'],
  [/Chrome|CriOS/, 'Chrome'],
  [/Safari/, 'Safari'],
];

export function browserName(userAgent = ''): string {
  const wordOf = (words: typeof systems): string | undefined =>
    words.find(([pattern]) => pattern.test(userAgent))?.[1];
  const system = wordOf(systems);
  const browser = wordOf(browsers) ?? 'a browser';
  return system === undefined ? browser : `${browser} on ${system}`;
}
