// What an agent asks, read off the tool call behind the dialog: the command, the file, the question
// and its options. Agents name the same things differently; the names are collected here.

import type { Request } from '../../schema/evidence.ts';
import {
  cut,
  entriesAt,
  type Fields,
  isFields,
  LIST_LENGTH_MAX,
  listAt,
  textAt,
  valueAt,
} from './fields.ts';
import { omitUndefined } from './signal-content.ts';

const OPTIONS_MAX = 32;
const LABEL_LENGTH_MAX = 300;

/** Tools that ask the person something, in every agent's spelling. */
const questionTools = new Set([
  'AskUserQuestion',
  'ask_user',
  'ask_user_question',
  'ask_question',
  'ask_followup_question',
  'askQuestion',
  'question',
  'request_user_input',
]);

export const isQuestionTool = (tool: string | undefined): boolean =>
  tool !== undefined && questionTools.has(tool);

/** The details of a tool call that waits for a person. */
export function describeRequest(tool: string | undefined, input: unknown): Request {
  return isQuestionTool(tool) ? describeQuestion(input, tool) : describeApproval(tool, input);
}

/** A tool call that waits for a yes. */
export function describeApproval(tool: string | undefined, input: unknown): Request {
  const fields = isFields(input) ? input : {};
  return omitUndefined({
    kind: 'approval' as const,
    tool: tool === undefined ? undefined : cut(tool, LABEL_LENGTH_MAX),
    command: commandIn(fields),
    file: textAt(fields, 'file_path', 'filepath', 'filePath', 'path', 'fileName', 'file'),
    text: textAt(fields, 'description', 'plan', 'url', 'intention'),
  });
}

function commandIn(fields: Fields): string | undefined {
  const text = textAt(fields, 'command', 'cmd', 'fullCommandText', 'script');
  if (text !== undefined) return text;
  const words = ['command', 'commands', 'cmd'].map((path) => listAt(fields, path)).find(hasEntries);
  return words === undefined ? undefined : commandOf(words);
}

const hasEntries = (list: readonly unknown[]): boolean => list.length > 0;

/** A list of words as one line of a shell: no two lists look alike, and none like another line. */
function commandOf(words: readonly unknown[]): string | undefined {
  const texts = words.filter((word) => typeof word === 'string');
  if (texts.length === 0) return undefined;
  const isWhole = texts.length === words.length && words.length < LIST_LENGTH_MAX;
  return cut([...texts.map(quoted), ...(isWhole ? [] : ['…'])].join(' '), 2_000);
}

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** A question, with its options where the payload has them. */
export function describeQuestion(input: unknown, tool?: string): Request {
  const fields = isFields(input) ? input : {};
  const first = entriesAt(fields, 'questions')[0] ?? fields;
  const labels = optionLabels(first);
  return omitUndefined({
    kind: 'question' as const,
    tool: tool === undefined ? undefined : cut(tool, LABEL_LENGTH_MAX),
    text: textAt(first, 'question', 'message', 'prompt', 'text', 'title'),
    options:
      labels.length === 0
        ? undefined
        : labels.map((label) => ({ label: cut(label, LABEL_LENGTH_MAX), selected: false })),
  });
}

function optionLabels(question: Fields): readonly string[] {
  const listed = listAt(question, 'options').map((option) =>
    isFields(option) ? textAt(option, 'label', 'title', 'value', 'name') : option,
  );
  const labels = listed.length > 0 ? listed : schemaChoices(question);
  return labels
    .filter((label): label is string => typeof label === 'string' && label !== '')
    .slice(0, OPTIONS_MAX);
}

/** The choices of a form given as a JSON schema with one field (Copilot, MCP). */
function schemaChoices(question: Fields): readonly unknown[] {
  const properties = valueAt(question, 'requestedSchema.properties');
  const fields = isFields(properties) ? Object.values(properties).slice(0, 2) : [];
  const only = fields.length === 1 ? fields[0] : undefined;
  return isFields(only) ? listAt(only, 'enum') : [];
}
