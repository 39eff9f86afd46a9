// Foreign text of several lines: each line is made safe by itself, and the lines of a diff have
// their colours.

import { css, html, type TemplateResult } from 'lit';
import { safeText } from '../../render/safe-text.ts';
import { diffLines } from '../state/open-requests.ts';

export const textBlockStyles = css`
  pre {
    font: var(--small) / 1.5 var(--mono);
    background: var(--screen-back);
    border: 1px solid var(--line);
    border-radius: 6px;
    padding: 8px 10px;
    max-height: 40vh;
    overflow: auto;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .plus {
    color: var(--running);
    background: var(--running-back);
  }
  .minus {
    color: var(--error);
    background: var(--error-back);
  }
  .place {
    color: var(--question);
  }
`;

/** `safeText` cuts what is longer. */
const PIECE_LENGTH = 4_000;

/** A line of any length. */
function safeLine(line: string): string {
  if (line.length <= PIECE_LENGTH) return safeText(line);
  const count = Math.ceil(line.length / PIECE_LENGTH);
  const piece = (at: number): string => line.slice(at * PIECE_LENGTH, (at + 1) * PIECE_LENGTH);
  return Array.from({ length: count }, (_, at) => safeText(piece(at))).join('');
}

/** Line by line, because each is foreign text of its own. */
export const multiline = (text: string): string => text.split('\n').map(safeLine).join('\n');

/** A command, a diff or an output. `linesMax` are shown. */
export function textBlock(label: string, text: string, linesMax = 2_000): TemplateResult {
  const lines = diffLines(text);
  const shown = lines.slice(0, linesMax);
  const left = lines.length - shown.length;
  return html`<pre tabindex="0" role="group" aria-label=${safeText(label)}>${shown.map(
    (line, index) =>
      html`<span class=${line.kind}
        >${safeLine(line.text)}${index < shown.length - 1 ? '\n' : ''}</span
      >`,
  )}${left > 0 ? html`<span class="dim">\n… ${left} lines more</span>` : ''}</pre>`;
}
