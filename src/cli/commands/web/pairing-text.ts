// What `agtmux web` prints of a pairing link: the link, how long it works, and on a terminal a QR
// code for the camera of a phone.

import { safeText } from '../../../render/safe-text.ts';
import type { View } from '../../../render/view.ts';
import type { Pairing } from '../../../schema/web/open-web.ts';
import { callView } from '../../call-view.ts';
import { type Call, isSet } from '../../command.ts';

const WHITE_ON_BLACK = '\u001b[97;40m';
const RESET = '\u001b[0m';

export async function pairingText(call: Call, { link, scope, expires_at }: Pairing) {
  const may = scope === 'read' ? 'may look and not type' : 'may look and type';
  const view = callView(call, Date.now());
  const minutes = Math.round((Date.parse(expires_at) - Date.now()) / 60_000);
  const lines = [
    `Open this link in a browser, once, within ${minutes} minutes; it ${may} from then on:`,
    `  ${safeText(link)}`,
  ];
  const code = isLocalLink(link) || !call.io.isTerminal ? null : await qrCode(link, view);
  if (isLocalLink(link)) lines.push('For a phone, name an address that it reaches: --public-url.');
  return [...lines, ...(code === null || isSet(call.flags, 'json') ? [] : ['', ...code, ''])];
}

/** A phone would look for the service on itself. */
export const isLocalLink = (link: string): boolean =>
  /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(new URL(link).hostname);

/**
 * The code in half blocks, each line with its colours where there are some; null where the terminal
 * cannot show it. Without colours its light parts are the text, as on a dark terminal.
 */
export async function qrCode(link: string, view: View): Promise<readonly string[] | null> {
  if (!view.unicode) return null;
  const { renderUnicodeCompact } = await import('uqr');
  const lines = renderUnicodeCompact(link, { ecc: 'L', border: 2 }).split('\n');
  if ((lines[0] ?? '').length > view.width) return null;
  return view.color ? lines.map((line) => `${WHITE_ON_BLACK}${line}${RESET}`) : lines;
}
