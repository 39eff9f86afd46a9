// A conversation as text for a terminal: prompts, words, tools folded to a line each, changes of
// files with their colours. Pure. All texts are foreign and are made safe here.

import type { ConversationEntry, ConversationEntryKind } from '../../schema/api/conversation.ts';
import { counted } from '../../text/counted.ts';
import { clockText } from '../pane-notes.ts';
import { cutMark, type Ink, paint, sanitise, type View } from '../view.ts';
import { toolSummary } from './tool-summary.ts';

export interface LogView extends View {
  /** Tools with all that they got and gave, and thoughts as they are. */
  readonly isUnfolded: boolean;
}

/** Lines of one diff, and of an unfolded text. */
const DIFF_LINES_MAX = 200;
const FOLDED_WIDTH = 100;

type Draw<Kind extends ConversationEntryKind> = (
  view: LogView,
  entry: Extract<ConversationEntry, { kind: Kind }>,
) => readonly string[];

/** The lines of a text, each of them safe. */
export function safeLines(view: View, text: string): readonly string[] {
  const lines = text.replaceAll('\t', '    ').replace(/\s+$/, '').split('\n');
  return lines.map((line) => sanitise(view, line));
}

const mark = (view: View, wide: string, narrow: string): string => (view.unicode ? wide : narrow);

function block(view: LogView, entry: ConversationEntry, text: string, ink: Ink | null) {
  const lines = safeLines(view, text).map((line) => paint(view, ink, line));
  return [...lines, ...cutNote(view, entry)];
}

/** Says that the text goes on. */
function cutNote(view: View, { cut }: ConversationEntry): readonly string[] {
  const length = Math.max(0, ...Object.values(cut ?? {}));
  return length === 0 ? [] : [paint(view, 'dim', `${cutMark(view)} ${length} characters in all`)];
}

function folded(view: View, text: string): string {
  const [first = ''] = safeLines(view, text.trimStart());
  return first.length > FOLDED_WIDTH ? `${first.slice(0, FOLDED_WIDTH)}${cutMark(view)}` : first;
}

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);

function diffLines(view: LogView, diff: string): readonly string[] {
  const lines = safeLines(view, diff);
  const shown = lines.slice(0, DIFF_LINES_MAX).map((line) => paint(view, inkOfDiff(line), line));
  const left = lines.length - shown.length;
  return left > 0 ? [...shown, `${cutMark(view)} ${counted(left, 'line')} more`] : shown;
}

function inkOfDiff(line: string): Ink | null {
  if (/^(?:\+\+\+|---|diff )/.test(line)) return 'bold';
  if (line.startsWith('+')) return 'green';
  if (line.startsWith('-')) return 'red';
  return line.startsWith('@@') ? 'blue' : null;
}

const statusInks = { ok: 'dim', error: 'red', denied: 'yellow', interrupted: 'yellow' } as const;

const draws: { readonly [Kind in ConversationEntryKind]: Draw<Kind> } = {
  turn: () => [],
  usage: () => [],
  prompt: (view, entry) => {
    const clock = entry.at === null ? '' : ` ${clockText(view, Date.parse(entry.at))}`;
    const head = paint(view, 'bold', `${mark(view, '❯', '>')} You${clock}`);
    return ['', head, ...block(view, entry, entry.text, null)];
  },
  text: (view, entry) => ['', ...block(view, entry, entry.text, null)],
  thinking: (view, entry) =>
    view.isUnfolded && entry.text !== ''
      ? [paint(view, 'dim', 'Thinking:'), ...indented(block(view, entry, entry.text, 'dim'))]
      : [paint(view, 'dim', `${mark(view, '∴', '*')} thinking`)],
  tool_call: (view, entry) => {
    const what = folded(view, toolSummary(entry.input));
    const name = paint(view, 'blue', `${mark(view, '●', '*')} ${sanitise(view, entry.tool)}`);
    const head = `${name}${what === '' ? '' : `  ${what}`}`;
    return view.isUnfolded ? [head, ...indented(block(view, entry, entry.input, 'dim'))] : [head];
  },
  tool_result: (view, entry) => {
    const lines = entry.output.trim() === '' ? 0 : entry.output.trimEnd().split('\n').length;
    const ink = statusInks[entry.status];
    const note = lines > 1 ? ` (${counted(lines, 'line')})` : '';
    const head = `${mark(view, '└', '|')} ${entry.status}${note}`;
    if (view.isUnfolded) {
      return [`  ${paint(view, ink, head)}`, ...indented(block(view, entry, entry.output, null))];
    }
    const what = folded(view, entry.output);
    return [`  ${paint(view, ink, `${head}${what === '' ? '' : `: ${what}`}`)}`];
  },
  diff: (view, entry) => [
    `  ${paint(view, 'bold', sanitise(view, entry.path))}`,
    ...indented(diffLines(view, entry.diff)),
    ...cutNote(view, entry),
  ],
  question: (view, entry) => [
    paint(view, 'magenta', `? ${folded(view, entry.text)}`),
    ...entry.options.map((option) => `    ${folded(view, option)}`),
  ],
  answer: (view, entry) => [
    paint(view, 'magenta', `  ${mark(view, '└', '|')} ${folded(view, entry.text)}`),
  ],
  error: (view, entry) => {
    const code = entry.code === null ? '' : ` ${sanitise(view, entry.code)}`;
    return [
      paint(view, 'red', `${mark(view, '✗', 'x')} Error${code}`),
      ...indented(block(view, entry, entry.text, 'red')),
    ];
  },
  interruption: (view) => [paint(view, 'yellow', `${mark(view, '■', '#')} Interrupted`)],
  child: (view, entry) => [
    paint(
      view,
      'blue',
      `${mark(view, '▸', '>')} Subagent ${sanitise(view, entry.name)}: ${folded(view, entry.text)}`,
    ),
  ],
  compaction: (view, entry) => [
    '',
    paint(
      view,
      'dim',
      `${mark(view, '──', '--')} The conversation was compacted ${mark(view, '──', '--')}`,
    ),
    ...(view.isUnfolded ? indented(block(view, entry, entry.text, 'dim')) : []),
  ],
  unknown: (view, entry) =>
    view.isUnfolded
      ? [paint(view, 'dim', `[${sanitise(view, entry.type)}] ${folded(view, entry.text)}`)]
      : [],
  gap: (view, entry) => [paint(view, 'yellow', gapText(entry.reason))],
};

const gapTexts: Readonly<Record<string, string>> = {
  truncated: 'the transcript was cut',
  replaced: 'the transcript was replaced',
  other_conversation: 'another conversation begins',
  unreadable: 'the transcript cannot be read',
  line_too_long: 'a line is too long to be read',
  broken_line: 'a line is broken',
};

export const gapText = (reason: string): string =>
  `[something is missing: ${gapTexts[reason] ?? 'unknown'}]`;

/** One entry as lines; none where it says nothing to a person. */
export function logLines(view: LogView, entry: ConversationEntry): readonly string[] {
  const draw = draws[entry.kind] as Draw<ConversationEntryKind>;
  const lines = draw(view, entry);
  return entry.subagent === null ? lines : lines.map((line) => `  ${mark(view, '│', '|')} ${line}`);
}
