// What each channel gives a meaning, taken out of text that agents may have written. The text is
// one printable line already (notification-text.ts). Pure.

/**
 * The body of `notify-send`: the desktop reads it as markup, and notify-send itself reads escapes
 * with a backslash before that, so that `\074b\076` would be a tag.
 */
export const markupText = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\\', '\\\\');

/** Slack: `<!channel>` calls everybody and `<url|text>` is a link; these three make both. */
export const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The value of a header: other characters than ASCII as an encoded word, which ntfy reads. */
export function headerText(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text) && !text.includes('=?')) return text;
  return `=?UTF-8?B?${toBase64(text)}?=`;
}

function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
