// One part of a conversation, drawn: a prompt, words, a tool folded to a line, a question, an
// error.

import { css, html, nothing, type TemplateResult } from 'lit';
import { gapText } from '../../render/conversation/log-lines.ts';
import { toolSummary } from '../../render/conversation/tool-summary.ts';
import { safeText } from '../../render/safe-text.ts';
import type { ConversationEntry } from '../../schema/api/conversation.ts';
import { formatAge } from '../../text/format-age.ts';
import { icon } from '../components/icons.ts';
import { richText } from '../components/rich-text.ts';
import { multiline, textBlock } from '../components/text-block.ts';
import { answerTo, type ConversationPart, type EntryOf } from '../state/conversation.ts';

/** What a part may ask of the view that it is in. */
export interface PartView {
  /** Whether a folded part is open now. */
  isOpen(key: string): boolean;
  setOpen(key: string, isOpen: boolean): void;
  /** A text of the entry, whole if it was fetched. */
  textOf(entry: ConversationEntry, field: PartField): string;
  /** Fetches the whole of it. */
  fetchWhole(entry: ConversationEntry, field: PartField): void;
  openChild(conversation: string): void;
}

export type PartField = 'text' | 'input' | 'output' | 'diff';

/** Longer diffs are folded, and of those that are open no more is drawn. */
const DIFF_LINES_OPEN = 60;
const DIFF_LINES_MAX = 1_500;
const SUMMARY_LENGTH = 240;

export const partStyles = css`
  .part {
    display: grid;
    gap: 6px;
    min-width: 0;
  }
  .part.sub {
    margin-left: 10px;
    padding-left: 12px;
    border-left: 2px solid var(--line-strong);
  }
  .prompt {
    justify-self: end;
    max-width: min(92%, 640px);
    margin-top: 14px;
    padding: 9px 13px 10px;
    border-radius: 14px 14px 4px;
    background: var(--selected);
  }
  .prompt p {
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .prompt time {
    float: right;
    margin: 2px 0 0 12px;
    font: var(--tiny) / 1.4 var(--mono);
    color: var(--dim);
  }
  .tool {
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--surface);
    min-width: 0;
  }
  .tool summary,
  .fold summary {
    display: flex;
    gap: 8px;
    align-items: center;
    padding: 7px 10px;
    min-height: 34px;
    cursor: pointer;
    font-size: var(--small);
    list-style: none;
    border-radius: var(--radius);
  }
  .tool summary::-webkit-details-marker,
  .fold summary::-webkit-details-marker {
    display: none;
  }
  summary .turner {
    color: var(--dim);
    rotate: -90deg;
    transition: rotate 0.12s;
  }
  details[open] > summary .turner {
    rotate: 0deg;
  }
  .tool summary b {
    font-weight: 650;
    white-space: nowrap;
  }
  .tool summary .what {
    font: var(--tiny) / 1.5 var(--mono);
    color: var(--dim);
    flex: 1;
  }
  .status {
    font: 600 var(--tiny) / 1 var(--font);
    display: inline-flex;
    gap: 4px;
    align-items: center;
    white-space: nowrap;
    color: var(--dim);
  }
  .status.ok {
    color: var(--running);
  }
  .status.error {
    color: var(--error);
  }
  .status.denied,
  .status.interrupted {
    color: var(--approval);
  }
  .inside {
    display: grid;
    gap: 8px;
    padding: 0 10px 10px;
    min-width: 0;
  }
  .inside .label,
  .path {
    color: var(--dim);
    font-size: var(--tiny);
  }
  .path {
    font-family: var(--mono);
    overflow-wrap: anywhere;
  }
  .fold summary {
    padding: 2px 0;
    color: var(--dim);
  }
  .quiet {
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    color: var(--dim);
    font-size: var(--small);
  }
  .note {
    display: flex;
    gap: 10px;
    align-items: center;
    color: var(--dim);
    font-size: var(--tiny);
    padding: 4px 0;
  }
  .note::before,
  .note::after {
    content: '';
    flex: 1;
    border-top: 1px solid var(--line);
  }
  .box {
    border-left: 4px solid var(--mood);
    border-radius: var(--radius);
    background: var(--mood-back);
    padding: 9px 12px;
    display: grid;
    gap: 6px;
  }
  .box b {
    color: var(--mood);
    font-size: var(--small);
    display: flex;
    gap: 6px;
    align-items: center;
  }
  .box p,
  .box li {
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .box li {
    padding-left: 14px;
    font-size: var(--small);
  }
  .box li.chosen::before {
    content: '✓ ';
    margin-left: -14px;
  }
  .box li.chosen {
    font-weight: 650;
    color: var(--mood);
  }
`;

export function partTemplate(part: ConversationPart, view: PartView): TemplateResult {
  const sub = part.entry.subagent === null ? '' : 'sub';
  return html`<div class="part ${sub}" data-kind=${part.entry.kind}>${body(part, view)}</div>`;
}

function body(part: ConversationPart, view: PartView): TemplateResult | typeof nothing {
  const { entry } = part;
  switch (entry.kind) {
    case 'prompt':
      return html`<div class="prompt">
        ${timeOf(entry.at)}
        <p>${multiline(view.textOf(entry, 'text'))}</p>
        ${more(entry, 'text', view)}
      </div>`;
    case 'text':
      return html`${richText(view.textOf(entry, 'text'))}${more(entry, 'text', view)}`;
    case 'thinking':
      return fold(part, view, 'Thought', () => quiet(entry, view));
    case 'compaction':
      return fold(part, view, 'The conversation was compacted', () => quiet(entry, view));
    case 'tool_call':
      return tool(part, entry, view);
    case 'tool_result':
      return html`<div class="tool"><div class="inside">
        ${status(entry)}${labelled('output', entry, 'output', view)}
      </div></div>`;
    case 'diff':
      return diff(entry, view);
    case 'question':
      return question(entry, part.answer);
    case 'answer':
      return box('question', 'Answer', html`<p>${multiline(entry.text)}</p>`);
    case 'error':
      return box(
        'error',
        `Error ${entry.code ?? ''}`,
        html`<p>${multiline(view.textOf(entry, 'text'))}</p>`,
      );
    case 'interruption':
      return html`<div class="note">interrupted</div>`;
    case 'child':
      return child(entry, view);
    case 'turn':
      return html`<div class="note">worked for ${formatAge(entry.duration_ms ?? 0)}</div>`;
    case 'gap':
      return html`<div class="note">${gapText(entry.reason)}</div>`;
    default:
      return nothing;
  }
}

const timeOf = (at: string | null): TemplateResult | typeof nothing =>
  at === null
    ? nothing
    : html`<time datetime=${at}
        >${new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}</time
      >`;

/** Says that a text goes on, and fetches the rest. */
function more(
  entry: ConversationEntry,
  field: PartField,
  view: PartView,
): TemplateResult | typeof nothing {
  const length = entry.cut?.[field];
  if (length === undefined || view.textOf(entry, field).length >= length) return nothing;
  return html`<button class="plain" @click=${() => view.fetchWhole(entry, field)}>
    Show all ${length} characters
  </button>`;
}

const quiet = (entry: EntryOf<'thinking' | 'compaction'>, view: PartView): TemplateResult =>
  html`<p class="quiet">${multiline(view.textOf(entry, 'text'))}</p>
    ${more(entry, 'text', view)}`;

const box = (mood: string, title: string, inside: TemplateResult): TemplateResult =>
  html`<div class="box mood-${mood}">
    <b>${icon(mood === 'error' ? 'error' : 'question')}${safeText(title)}</b>
    ${inside}
  </div>`;

/** Its inside is drawn once it was opened. */
function fold(
  { key }: ConversationPart,
  view: PartView,
  title: string,
  inside: () => TemplateResult,
): TemplateResult {
  return html`<details class="fold" @toggle=${opening(key, view)}>
    <summary><span class="turner">${icon('down')}</span>${title}</summary>
    ${view.isOpen(key) ? inside() : nothing}
  </details>`;
}

const opening =
  (key: string, view: PartView) =>
  (event: Event): void =>
    view.setOpen(key, (event.target as HTMLDetailsElement).open);

function tool(part: ConversationPart, call: EntryOf<'tool_call'>, view: PartView): TemplateResult {
  const { key, result, diffs } = part;
  const what = safeText(toolSummary(call.input).slice(0, SUMMARY_LENGTH));
  const hasOutput = result !== null && result.output.trim() !== '';
  const inside = (): TemplateResult => html`<div class="inside">
    ${call.input === '' ? nothing : labelled('called with', call, 'input', view)}
    ${hasOutput ? labelled('result', result, 'output', view) : nothing}
  </div>`;
  return html`<details class="tool" @toggle=${opening(key, view)}>
      <summary>
        <span class="turner">${icon('down')}</span><b>${safeText(call.tool)}</b>
        <span class="what cut">${what}</span>${status(result)}
      </summary>
      ${view.isOpen(key) ? inside() : nothing}
    </details>
    ${diffs.map((each) => diff(each, view))}`;
}

const statusIcons = { ok: 'check', error: 'close', denied: 'stop', interrupted: 'stop' } as const;

function status(result: EntryOf<'tool_result'> | null): TemplateResult {
  if (result === null) return html`<span class="status">…</span>`;
  return html`<span class="status ${result.status}"
    >${icon(statusIcons[result.status])}${result.status}</span
  >`;
}

function labelled(
  label: string,
  entry: ConversationEntry,
  field: PartField,
  view: PartView,
): TemplateResult {
  const text = view.textOf(entry, field);
  return html`<div>
    <div class="label">${label}</div>
    ${textBlock(label, field === 'input' ? indentedJson(text) : text)}${more(entry, field, view)}
  </div>`;
}

function indentedJson(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value, null, 2).replaceAll('\\n', '\n').replaceAll('\\t', '    ');
  } catch {
    return text;
  }
}

function diff(entry: EntryOf<'diff'>, view: PartView): TemplateResult {
  const text = view.textOf(entry, 'diff');
  const { length } = text.split('\n');
  const path = html`<span class="path">${safeText(entry.path)}</span>`;
  const lines = (): TemplateResult =>
    html`${textBlock(`Change of ${entry.path}`, text, DIFF_LINES_MAX)}${more(entry, 'diff', view)}`;
  if (length <= DIFF_LINES_OPEN) return html`<div>${path}${lines()}</div>`;
  const key = `diff ${entry.seq}`;
  return html`<details class="fold" @toggle=${opening(key, view)}>
    <summary><span class="turner">${icon('down')}</span>${path} ${length} lines</summary>
    ${view.isOpen(key) ? lines() : nothing}
  </details>`;
}

function question(entry: EntryOf<'question'>, answer: EntryOf<'answer'> | null): TemplateResult {
  const given = answerTo(entry, answer);
  const isListed = given !== null && entry.options.includes(given);
  const inside = html`<p>${multiline(entry.text)}</p>
    <ul>
      ${entry.options.map(
        (option) => html`<li class=${option === given ? 'chosen' : ''}>${safeText(option)}</li>`,
      )}
      ${given === null || isListed ? nothing : html`<li class="chosen">${multiline(given)}</li>`}
    </ul>`;
  return box('question', given === null ? 'Question' : 'Question, answered', inside);
}

function child(entry: EntryOf<'child'>, view: PartView): TemplateResult {
  const { conversation } = entry;
  return html`<div class="tool"><div class="inside" style="padding-top:10px">
    <b>Subagent ${safeText(entry.name)}</b>
    <p class="quiet">${multiline(entry.text)}</p>
    ${
      conversation === null
        ? nothing
        : html`<button @click=${() => view.openChild(conversation)}>What it did</button>`
    }
  </div></div>`;
}
