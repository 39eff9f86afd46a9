// The text of an agent as blocks: agents write Markdown. Only what people see is kept: code, lists,
// headings, bold words, addresses of the web. Everything else stays as it is written. Pure; what it
// returns is foreign text still.

import { webAddress } from '../terminal/web-links.ts';

export type RichPiece =
  | { readonly kind: 'text' | 'code' | 'strong'; readonly text: string }
  /** `host` is where it leads, if the text does not say so. */
  | {
      readonly kind: 'link';
      readonly text: string;
      readonly href: string;
      readonly host: string | null;
    };

export type RichBlock =
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  /** Lines whose columns stand below each other. */
  | { readonly kind: 'table'; readonly text: string }
  | { readonly kind: 'heading' | 'text' | 'quote'; readonly pieces: readonly RichPiece[] }
  | {
      readonly kind: 'item';
      readonly mark: string;
      readonly depth: number;
      readonly pieces: readonly RichPiece[];
    };

const DEPTH_MAX = 5;
const fence = /^\s{0,3}(`{3,}|~{3,})\s*([\w+#.-]{0,30})/;
const item = /^(\s{0,20})([-*+]|\d{1,4}[.)])\s+(?=\S)/;
const heading = /^#{1,6}\s+(?=\S)/;
const quote = /^>\s?/;
const inline = new RegExp(
  [
    /`([^`\n]+)`/,
    /\*\*([^*\n]+)\*\*/,
    /\[([^\]\n]{1,300})\]\((https?:[^\s)]{1,2000})\)/,
    /\bhttps?:\/\/[^\s"'<>`{}|\\^[\]\p{Cc}]+/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gu',
);
const sentenceEnd = /[),.;:!?*_~]{1,10}$/;

export function richBlocks(text: string): readonly RichBlock[] {
  const blocks: RichBlock[] = [];
  const lines = text.replaceAll('\r', '').replaceAll('\t', '    ').split('\n');
  let plain: string[] = [];
  const flush = (): void => {
    const joined = plain.join('\n').replace(/^\n+|\s+$/g, '');
    if (joined !== '') blocks.push({ kind: 'text', pieces: richPieces(joined) });
    plain = [];
  };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const opened = fence.exec(line);
    const isTable = line.trimStart().startsWith('|');
    if (opened || isTable || item.test(line) || heading.test(line) || quote.test(line)) flush();
    if (opened) {
      const end = endOfFence(lines, at + 1, opened[1] ?? '');
      const code = lines.slice(at + 1, end).join('\n');
      blocks.push({ kind: 'code', language: opened[2] ?? '', text: code });
      at = end;
    } else if (isTable) {
      const end = firstAfter(lines, at, (each) => each.trimStart().startsWith('|'));
      blocks.push({ kind: 'table', text: lines.slice(at, end).join('\n') });
      at = end - 1;
    } else blocks.push(...lineBlock(line, plain));
  }
  flush();
  return blocks;
}

/** A line that is a block by itself; any other is added to the plain ones. */
function lineBlock(line: string, plain: string[]): readonly RichBlock[] {
  const listed = item.exec(line);
  if (listed) {
    const [whole, indent = '', mark = ''] = listed;
    const pieces = richPieces(line.slice(whole.length));
    const depth = Math.min(DEPTH_MAX, Math.floor(indent.length / 2));
    return [{ kind: 'item', mark: /\d/.test(mark) ? mark : '•', depth, pieces }];
  }
  for (const [kind, pattern] of [['heading', heading] as const, ['quote', quote] as const]) {
    if (pattern.test(line)) return [{ kind, pieces: richPieces(line.replace(pattern, '')) }];
  }
  plain.push(line);
  return [];
}

/** The line that ends it, or the end of the text. */
function endOfFence(lines: readonly string[], from: number, mark: string): number {
  return firstAfter(lines, from, (line) => !line.trim().startsWith(mark));
}

function firstAfter(
  lines: readonly string[],
  from: number,
  goesOn: (line: string) => boolean,
): number {
  let at = from;
  while (at < lines.length && goesOn(lines[at] ?? '')) at += 1;
  return at;
}

export function richPieces(text: string): readonly RichPiece[] {
  const pieces: RichPiece[] = [];
  let done = 0;
  for (const match of text.matchAll(inline)) {
    const [piece, length] = pieceOf(match);
    if (match.index > done) pieces.push({ kind: 'text', text: text.slice(done, match.index) });
    pieces.push(piece);
    done = match.index + length;
  }
  if (done < text.length) pieces.push({ kind: 'text', text: text.slice(done) });
  return pieces;
}

/** With how much of the text it takes. */
function pieceOf(match: RegExpExecArray): readonly [RichPiece, number] {
  const [whole, code, strong, name, target] = match;
  if (code !== undefined) return [{ kind: 'code', text: code }, whole.length];
  if (strong !== undefined) return [{ kind: 'strong', text: strong }, whole.length];
  const address = target ?? whole.replace(sentenceEnd, '');
  const taken = target === undefined ? address.length : whole.length;
  const href = webAddress(address);
  if (href === null) return [{ kind: 'text', text: whole.slice(0, taken) }, taken];
  const shown = name ?? address;
  const { host } = new URL(href);
  return [{ kind: 'link', text: shown, href, host: saysHost(shown, host) ? null : host }, taken];
}

/** Whether a person reads there where it leads: another address may hold the name of that host. */
function saysHost(shown: string, host: string): boolean {
  const url = URL.parse(shown.includes('://') ? shown : `https://${shown}`);
  // Letters of other scripts look like those of a known host, and so does a name before an `@`.
  const isPlain = !/[\s@]/.test(shown) && shown.toLowerCase().includes(host);
  return isPlain && url?.host === host;
}
