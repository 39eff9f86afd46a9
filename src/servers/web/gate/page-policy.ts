// The headers of every reply: what a browser may load and run in a page of ours, and who may show
// it. Pure.

/**
 * `host` is what the request calls us by, once that was checked. Scripts come from files of ours
 * alone; styles may stand in the page, because terminals set them. WebSockets are named one by one:
 * older Safari does not take them for `self`.
 */
export const replyHeaders = (host: string): Readonly<Record<string, string>> => ({
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self' ws://${host} wss://${host}`,
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
});
