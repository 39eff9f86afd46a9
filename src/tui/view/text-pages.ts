// The pages of text: the output of `agtmux explain` for a pane, the help, and the agents that have
// ended. Pure.

import { logLines } from '../../render/conversation/log-lines.ts';
import { renderExplanation } from '../../render/ledger.ts';
import { ageOf, cutMark, markOf, sanitise } from '../../render/view.ts';
import { wrapText } from '../../render/width.ts';
import type { EndedAgentItem } from '../../schema/api/actions.ts';
import { states } from '../../text/state-words.ts';
import { helpKeys, type KeyHelp } from '../key-table.ts';
import type { Model } from '../model.ts';
import { ansiLines } from './ansi-lines.ts';
import { AGE } from './columns.ts';
import { bodyRows, modelView } from './layout.ts';
import {
  BOLD,
  DIM,
  fitLine,
  inkStyle,
  type SpanLine,
  type SpanStyle,
  span,
  wrapLine,
} from './spans.ts';

/** Every line of the explanation. */
export function ledgerLines(model: Model): readonly SpanLine[] {
  const { ledger, size, look } = model;
  const explanation = ledger?.explanation;
  if (!explanation) {
    const text = ledger?.problem ?? 'Waiting for the daemon.';
    return noticeLines(model, text);
  }
  const view = { ...modelView(model, size.columns), nowMs: Date.parse(explanation.generated_at) };
  const text = renderExplanation(view, explanation).trimEnd();
  return ansiLines(text.split('\n'), look.unicode);
}

const topMax = (lines: readonly SpanLine[], { size }: Model): number =>
  Math.max(0, lines.length - bodyRows(size));

/** Every line of a page of text that is scrolled. */
export function textLines(model: Model): readonly SpanLine[] {
  if (model.page.kind === 'help') return helpLines(model);
  return model.page.kind === 'log' ? logPageLines(model) : ledgerLines(model);
}

export const textTopMax = (model: Model): number => topMax(textLines(model), model);

/** More than a person scrolls through here; `agtmux log` has all. */
const LOG_LINES_MAX = 2_000;
const ANSI_LINES_AT_ONCE = 500;
const drawnLogs = new WeakMap<
  object,
  { readonly key: string; readonly lines: readonly SpanLine[] }
>();

/** Every line of what an agent said and did. Kept for as long as its entries are the same. */
function logPageLines(model: Model): readonly SpanLine[] {
  const { log, size, look } = model;
  const view = modelView(model, size.columns);
  const entries = log?.entries ?? null;
  if (entries === null) return noticeLines(model, log?.problem ?? 'Waiting for the daemon.');
  if (entries.length === 0) return noticeLines(model, 'The agent has said nothing yet.');
  const isUnfolded = log?.isUnfolded === true;
  const key = JSON.stringify([size.columns, look, isUnfolded]);
  const known = drawnLogs.get(entries);
  if (known?.key === key) return known.lines;
  const drawn = entries.flatMap((entry) => logLines({ ...view, isUnfolded }, entry));
  const last = drawn.slice(-LOG_LINES_MAX);
  const lines: SpanLine[] = [];
  for (let from = 0; from < last.length; from += ANSI_LINES_AT_ONCE) {
    const part = ansiLines(last.slice(from, from + ANSI_LINES_AT_ONCE), look.unicode);
    lines.push(...part.flatMap((line) => wrapLine(line, Math.max(1, size.columns - 1))));
  }
  drawnLogs.set(entries, { key, lines });
  return lines;
}

const noticeLines = (model: Model, text: string): readonly SpanLine[] =>
  wrapText(sanitise(modelView(model, model.size.columns), text), model.size.columns - 1).map(
    (line) => [span(line, DIM)],
  );

const KEY_CELLS = 18;

const stateMeanings: Readonly<Record<(typeof states)[number], string>> = {
  error: 'failed',
  waiting_approval: 'asks for permission',
  waiting_input: 'asks a question',
  running: 'works',
  completed: 'has finished its turn',
  idle: 'waits for its next task',
  unknown: 'not known; the reason is beside it',
};

/** Every line of the help. */
export function helpLines(model: Model): readonly SpanLine[] {
  const { size, look, inbox, messages, teams } = model;
  const view = modelView(model, size.columns);
  const heading = (text: string): SpanLine => [span(text, { bold: true })];
  // What a key does goes on below itself where the screen is narrow.
  const indent = KEY_CELLS + 3;
  const entry = (key: SpanLine, does: string): readonly SpanLine[] =>
    wrapText(does, Math.max(1, size.columns - indent - 1)).map((line, row): SpanLine => {
      const start = row === 0 ? key : [span(' '.repeat(indent))];
      return [...start, span(line, DIM)];
    });
  const keyLines = ({ keys, does }: KeyHelp): readonly SpanLine[] =>
    entry([span(`  ${keys.padEnd(KEY_CELLS)} `)], does);
  const keysOf = (title: string, keys: readonly KeyHelp[]): readonly SpanLine[] => [
    ...[heading(title), ...keys.flatMap(keyLines), []],
  ];
  const listKeys = keysOf('Keys', helpKeys('list', look.unicode));
  const inboxKeys = keysOf('Keys of the inbox', helpKeys('inbox', look.unicode));
  const messagesKeys = keysOf('Keys of messages', helpKeys('messages', look.unicode));
  const teamsKeys = keysOf('Keys of teams', helpKeys('teams', look.unicode));
  const own =
    inbox !== null ? inboxKeys : messages !== null ? messagesKeys : teams !== null ? teamsKeys : [];
  const all = [listKeys, inboxKeys, messagesKeys, teamsKeys];
  return [
    // Those of the page below come first.
    ...own,
    ...all.filter((each) => each !== own).flat(),
    heading('Marks'),
    ...states.flatMap((state) => {
      const { mark, ink } = markOf(view, state);
      const word = `${mark} ${state}`.padEnd(KEY_CELLS);
      return entry([span(`  ${word} `, inkStyle(ink))], stateMeanings[state]);
    }),
    [],
    heading('List'),
    ...wrapText(
      'One heading for each session of each target, one line for each pane: mark, state, how ' +
        'long it has been so, agent, window and pane, title, branch. Agents that need you ' +
        'come first. A bold mark means that you have not seen something in the pane yet.',
      Math.max(1, size.columns - 3),
    ).map((line): SpanLine => [span(`  ${line}`, DIM)]),
  ];
}

const AGENT = 10;
const PLACE = 24;
const FOLDER = 28;
/** With fewer columns there is only the prompt besides agent and place. */
const FOLDER_COLUMNS_MIN = 100;

/** Every line of the page, and which of them is the chosen agent. */
export function endedLines(model: Model): { lines: readonly SpanLine[]; chosen: number } {
  const { ended } = model;
  const view = modelView(model, model.size.columns);
  const heading: SpanLine = [span('ended', BOLD), span('  start one again with its session', DIM)];
  const text = (words: string) => ({
    lines: [heading, [], [span(` ${sanitise(view, words)}`, DIM)]],
    chosen: 0,
  });
  if (ended === null || ended.agents === null) return text(ended?.problem ?? 'Asking the daemon.');
  if (ended.agents.length === 0) return text('No agent has ended in the last day.');
  const lines = ended.agents.map((agent, index) => {
    const line = agentLine(model, agent);
    return index === ended.index ? line.map((each) => span(each.text, { inverse: true })) : line;
  });
  return { lines: [heading, ...lines], chosen: ended.index + 1 };
}

function agentLine(model: Model, agent: EndedAgentItem): SpanLine {
  const { columns } = model.size;
  const view = modelView(model, columns);
  const mark = cutMark(view);
  const cell = (words: string, width: number, style: SpanStyle): SpanLine => [
    ...fitLine([span(sanitise(view, words), style)], width, mark),
    span('  '),
  ];
  const { target, session_name: session, blocker } = agent;
  const place = `${target === 'local' ? '' : `${target}/`}${session ?? '-'}`;
  const about = blocker ?? agent.prompt ?? agent.title ?? '';
  const line = [
    span(` ${ageOf(view, agent.ended_at).padStart(AGE)}  `, DIM),
    ...cell(agent.agent, AGENT, BOLD),
    ...cell(place, Math.min(PLACE, Math.floor(columns / 4)), DIM),
    ...(columns < FOLDER_COLUMNS_MIN ? [] : cell(agent.path ?? '-', FOLDER, DIM)),
    span(sanitise(view, about), blocker === null ? {} : DIM),
  ];
  return fitLine(line, columns, mark);
}
