// The cookie that a browser which was paired comes back with. A page never sees it. Pure.

/** As long as browsers keep one; when a browser is let in no more, web-tokens.ts says. */
const MAX_AGE_SECONDS = 400 * 24 * 3_600;
const LENGTH_MAX = 512;

/**
 * Cookies are shared by all ports of a host, so the port is in the name. `__Host-` is kept by
 * browsers only where it came over TLS, so that nobody on the way can plant one.
 */
export const cookieNameOf = (port: number, isSecure: boolean): string =>
  isSecure ? `__Host-agtmux-${port}` : `agtmux-${port}`;

/** The value of a cookie in a `Cookie` header; null without one. */
export function cookieValue(header: string | undefined, name: string): string | null {
  for (const each of (header ?? '').split(';')) {
    const [key, ...value] = each.split('=');
    const text = value.join('=').trim();
    if (key?.trim() === name && text !== '' && text.length <= LENGTH_MAX) return text;
  }
  return null;
}

/** A `Set-Cookie` header; null as the value takes the cookie away. */
export function setCookie(name: string, value: string | null, isSecure: boolean): string {
  const age = value === null ? 0 : MAX_AGE_SECONDS;
  const parts = [`${name}=${value ?? ''}`, 'Path=/', `Max-Age=${age}`, 'HttpOnly'];
  return [...parts, 'SameSite=Strict', ...(isSecure ? ['Secure'] : [])].join('; ');
}
