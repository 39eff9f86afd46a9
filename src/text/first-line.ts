// The first line of what a person or an agent wrote, for rows that have no room for more.

/** Blank lines before it are left out; blanks and tabs are one blank each. */
export function firstLine(text: string, lengthMax: number): string {
  const [line = ''] = text
    .slice(0, lengthMax * 16)
    .trim()
    .split(/[\r\n\v\f\u0085\u2028\u2029]/, 1);
  const flat = line.replaceAll(/\s+/g, ' ').trim();
  if (flat.length <= lengthMax) return flat;
  // Half of a character is none.
  const isHalf = /[\uD800-\uDBFF]/.test(flat.charAt(lengthMax - 1));
  return flat.slice(0, isHalf ? lengthMax - 1 : lengthMax);
}
