// Base64 to text, for the messages inside escape sequences. Pure code has neither Buffer nor atob.

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const LENGTH_MAX = 8_000;

/** The text, or undefined when it is empty, broken, or no UTF-8. */
export function textOfBase64(encoded: string): string | undefined {
  if (encoded === '' || encoded.length > LENGTH_MAX || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) {
    return undefined;
  }
  let bits = 0;
  let bitCount = 0;
  let percent = '';
  for (const letter of encoded.replace(/=+$/, '')) {
    bits = ((bits << 6) | alphabet.indexOf(letter)) & 0xffff;
    bitCount += 6;
    if (bitCount < 8) continue;
    bitCount -= 8;
    percent += `%${((bits >> bitCount) & 0xff).toString(16).padStart(2, '0')}`;
  }
  try {
    return decodeURIComponent(percent) || undefined;
  } catch {
    return undefined;
  }
}
