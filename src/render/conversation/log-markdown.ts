// A conversation as Markdown: prompts are headings' texts, tools and changes are blocks of code.
// Foreign text stays what it is but for characters that a terminal could act on. Pure.

import type { ConversationEntry } from '../../schema/api/conversation.ts';
import type { View } from '../view.ts';
import { gapText, safeLines } from './log-lines.ts';
import { toolSummary } from './tool-summary.ts';

/** A fence that no line of the text ends. */
function fenced(lines: readonly string[], language: string): readonly string[] {
  const runs = lines.flatMap((line) => [...line.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(Math.max(2, ...runs) + 1);
  return [`${fence}${language}`, ...lines, fence];
}

const inline = (text: string): string => `\`${text.replaceAll('`', "'")}\``;

export function markdownLines(view: View, entry: ConversationEntry): readonly string[] {
  const safe = (text: string) => safeLines(view, text);
  const first = (text: string) => safe(text)[0] ?? '';
  switch (entry.kind) {
    case 'prompt':
      return ['', '## Prompt', '', ...safe(entry.text).map((line) => `> ${line}`.trimEnd())];
    case 'text':
      return ['', ...safe(entry.text)];
    case 'tool_call':
      return ['', `**${first(entry.tool)}** ${inline(first(toolSummary(entry.input)))}`];
    case 'tool_result':
      return entry.output.trim() === ''
        ? ['', `*${entry.status}*`]
        : ['', `*${entry.status}*`, '', ...fenced(safe(entry.output), '')];
    case 'diff':
      return ['', inline(first(entry.path)), '', ...fenced(safe(entry.diff), 'diff')];
    case 'question':
      return [
        '',
        `**Question:** ${first(entry.text)}`,
        ...entry.options.map((each) => `- ${first(each)}`),
      ];
    case 'answer':
      return ['', `**Answer:** ${first(entry.text)}`];
    case 'error':
      return ['', `**Error:** ${first(entry.text)}`];
    case 'interruption':
      return ['', '*Interrupted*'];
    case 'child':
      return ['', `*Subagent ${first(entry.name)}:* ${first(entry.text)}`];
    case 'compaction':
      return ['', '---', '', '*The conversation was compacted.*'];
    case 'gap':
      return ['', `*${gapText(entry.reason)}*`];
    default:
      return [];
  }
}
