// Blocks of an agent's text, drawn. All of it is text: no markup of an agent becomes markup here.

import { css, html, type TemplateResult } from 'lit';
import { safeText } from '../../render/safe-text.ts';
import { type RichBlock, type RichPiece, richBlocks } from '../state/rich-text.ts';
import { multiline } from './text-block.ts';

export const richTextStyles = css`
  .rich {
    display: grid;
    gap: 8px;
    overflow-wrap: anywhere;
    min-width: 0;
  }
  .rich p,
  .rich blockquote {
    white-space: pre-wrap;
    margin: 0;
  }
  .rich blockquote {
    border-left: 3px solid var(--line-strong);
    padding-left: 10px;
    color: var(--dim);
  }
  .rich .heading {
    font-weight: 650;
  }
  .rich .item {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr);
    gap: 8px;
    margin-left: calc(var(--depth) * 16px);
  }
  .rich .item + .item {
    margin-top: -4px;
  }
  .rich .item > :first-child {
    color: var(--dim);
  }
  .rich code {
    font: 0.92em / 1.4 var(--mono);
    background: var(--raised);
    border-radius: 4px;
    padding: 1px 4px;
  }
  .rich pre.table {
    white-space: pre;
    overflow-wrap: normal;
  }
`;

export const richText = (text: string): TemplateResult =>
  html`<div class="rich">${richBlocks(text).map(blockTemplate)}</div>`;

function blockTemplate(block: RichBlock): TemplateResult {
  switch (block.kind) {
    case 'code':
    case 'table': {
      const label = block.kind === 'table' ? 'table' : `code ${block.language}`;
      const { kind, text } = block;
      return html`<pre class=${kind} tabindex="0" role="group" aria-label=${label}>${multiline(
        text,
      )}</pre>`;
    }
    case 'quote':
      return html`<blockquote>${pieces(block.pieces)}</blockquote>`;
    case 'item':
      return html`<div class="item" style="--depth:${block.depth}">
        <span>${block.mark}</span><span>${pieces(block.pieces)}</span>
      </div>`;
    default:
      return html`<p class=${block.kind}>${pieces(block.pieces)}</p>`;
  }
}

const pieces = (all: readonly RichPiece[]) => all.map(pieceTemplate);

function pieceTemplate(piece: RichPiece): TemplateResult | string {
  switch (piece.kind) {
    case 'text':
      return multiline(piece.text);
    case 'code':
      return html`<code>${safeText(piece.text)}</code>`;
    case 'strong':
      return html`<strong>${safeText(piece.text)}</strong>`;
    case 'link': {
      const host = piece.host === null ? '' : ` (${safeText(piece.host)})`;
      return html`<a href=${piece.href} target="_blank" rel="noopener noreferrer"
          >${safeText(piece.text)}</a
        >${host}`;
    }
  }
}
