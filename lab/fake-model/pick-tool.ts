// Finds the tool of a kind in the list that a request offers, and fills the arguments that its own
// schema asks for. So one script works for every agent, whatever it calls its tools.

import type { JsonSchema, OfferedTool, ToolCall, ToolKind } from './reply.ts';

type OwnTool = Exclude<ToolKind, `mcp:${string}`>;

// The names that agents use, the more telling first. They are compared without case, `_` and `-`.
const names: Readonly<Record<OwnTool, readonly string[]>> = {
  shell: ['bash', 'execcommand', 'runshellcommand', 'shell', 'runcommands', 'launchprocess'],
  background_shell: ['bash', 'execcommand', 'runshellcommand', 'shell'],
  edit: ['edit', 'replace', 'applypatch', 'strreplaceeditor', 'editor'],
  write: ['write', 'writefile', 'create', 'savefile', 'applypatch'],
  read: ['read', 'readfile', 'view'],
  fetch: ['webfetch', 'fetch', 'fetchwebcontent'],
  question: ['askuserquestion', 'requestuserinput', 'askuser', 'question'],
  plan: ['exitplanmode', 'planexit'],
  subagent: ['agent', 'task', 'invokeagent', 'spawnagent', 'delegatetoagent'],
  search: ['toolsearch'],
};

// A property of a schema, and the plain words that may stand for it.
const aliases: Readonly<Record<string, readonly string[]>> = {
  cmd: ['command'],
  file_path: ['path'],
  filePath: ['path'],
  old_string: ['old'],
  oldString: ['old'],
  old_str: ['old'],
  oldText: ['old'],
  is_background: ['run_in_background'],
  new_string: ['new'],
  newString: ['new'],
  new_str: ['new'],
  newText: ['new'],
  file_text: ['content'],
  message: ['question'],
  choices: ['options'],
  instruction: ['description'],
  title: ['description'],
};

// What sends a shell or a subagent to the background, besides a property that says only that.
const backgroundModes: readonly unknown[] = ['async', 'background'];

// Subagents that every user of the agent has, where the schema names none.
const subagentNames: Readonly<Record<string, string>> = {
  agent_name: 'generalist',
  subagent_type: 'general',
};

const depthMax = 5;

const plain = (name: string): string => name.toLowerCase().replace(/[_-]/g, '');

/** Agents put the name of the server before that of its tool, each in its own way. */
const findMcpTool = (tools: readonly OfferedTool[], kind: string): OfferedTool | undefined => {
  const wanted = plain(kind.slice('mcp:'.length).replace('/', ''));
  return tools.find(({ namespace = '', name }) => plain(namespace + name).endsWith(wanted));
};

const findTool = (tools: readonly OfferedTool[], kind: OwnTool): OfferedTool | undefined =>
  names[kind]
    .map((wanted) => tools.find((tool) => plain(tool.name) === wanted))
    .find((tool) => tool !== undefined);

const typeOf = (schema: JsonSchema): string => {
  const first = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  return String(first ?? (schema.properties === undefined ? 'string' : 'object')).toLowerCase();
};

type Words = Readonly<Record<string, unknown>>;

const wordFor = (words: Words, property: string): unknown =>
  [property, ...(aliases[property] ?? [])]
    .map((name) => words[name])
    .find((it) => it !== undefined);

// A choice is a plain text in a script; an agent wants it as a text or as a record with a label.
const fillList = (schema: JsonSchema, words: Words, given: unknown, depth: number): unknown => {
  const items = schema.items ?? {};
  if (!Array.isArray(given)) return [fill(items, words, undefined, depth + 1)];
  return given.map((entry) =>
    typeof entry === 'string' && typeOf(items) === 'object'
      ? fill(
          items,
          { label: entry, value: entry, description: `Take ${entry}` },
          undefined,
          depth + 1,
        )
      : entry,
  );
};

// Copilot draws a form for a question, from a schema that the model sends.
const formOf = (words: Words): unknown => {
  const options = Array.isArray(words['options']) ? { enum: words['options'] } : {};
  const choice = { type: 'string', title: 'Choice', ...options };
  return { type: 'object', properties: { choice }, required: ['choice'] };
};

const specialWord = (words: Words, property: string, schema: JsonSchema): unknown => {
  if (property === 'requestedSchema') return formOf(words);
  if (property !== 'mode' || words['run_in_background'] !== true) return undefined;
  return schema.enum?.find((mode) => backgroundModes.includes(mode));
};

const fillRecord = (schema: JsonSchema, words: Words, depth: number): Words => {
  const required = schema.required ?? [];
  const entries = Object.entries(schema.properties ?? {}).flatMap(([property, inner]) => {
    const given = wordFor(words, property) ?? specialWord(words, property, inner);
    if (given === undefined && !required.includes(property)) return [];
    const named = inner.enum === undefined ? subagentNames[property] : undefined;
    return [[property, fill(inner, words, given ?? named, depth + 1)] as const];
  });
  return Object.fromEntries(entries);
};

const fill = (schema: JsonSchema, words: Words, given: unknown, depth: number): unknown => {
  const type = typeOf(schema);
  if (depth > depthMax) return given ?? null;
  if (type === 'array') return fillList(schema, words, given, depth);
  if (given !== undefined) return given;
  if (type === 'object') return fillRecord(schema, words, depth);
  if (schema.enum !== undefined) return schema.enum[0];
  if (type === 'boolean') return false;
  return type === 'number' || type === 'integer' ? 1 : 'lab';
};

// Codex's apply_patch takes a patch as free text.
const patchText = (words: Words): string => {
  const path = String(words['path'] ?? 'lab.txt');
  const lines = (text: unknown, mark: string): string =>
    String(text ?? '')
      .split('\n')
      .map((line) => `${mark}${line}`)
      .join('\n');
  const change =
    words['old'] === undefined
      ? `*** Add File: ${path}\n${lines(words['content'] ?? 'lab', '+')}`
      : `*** Update File: ${path}\n@@\n${lines(words['old'], '-')}\n${lines(words['new'], '+')}`;
  return `*** Begin Patch\n${change}\n*** End Patch\n`;
};

export type Want = { readonly tool: ToolKind; readonly args: Words; readonly id: string };

const isMcp = (kind: ToolKind): kind is Exclude<ToolKind, OwnTool> => kind.startsWith('mcp:');

const callOf = ({ name, namespace }: OfferedTool): Pick<ToolCall, 'name' | 'namespace'> =>
  namespace === undefined ? { name } : { name, namespace };

/** The call that does what a script wants, or undefined when no offered tool can. */
export const pickTool = (tools: readonly OfferedTool[], want: Want): ToolCall | undefined => {
  const { id, tool: kind } = want;
  if (isMcp(kind)) {
    const found = findMcpTool(tools, kind);
    return found && { ...callOf(found), id, args: want.args };
  }
  const tool = findTool(tools, kind);
  if (tool === undefined) return undefined;
  if (tool.freeform) return { id, name: tool.name, args: {}, freeform: patchText(want.args) };
  const extra = want.tool === 'background_shell' ? { run_in_background: true } : {};
  return { id, name: tool.name, args: fillRecord(tool.schema, { ...extra, ...want.args }, 0) };
};
