// Our entries in an agent's own JSON hook file, among those of the user: found, added, updated,
// deduplicated and removed, one edit of the text at a time. Each edit is verified by parsing the
// result, so that an unexpected layout is refused and never damaged.

import { isDeepStrictEqual } from 'node:util';
import { isOurCommand } from './entry-command.ts';
import { foreignPart } from './foreign-part.ts';
import {
  insertChild,
  isMadeFor,
  type JsonPiece,
  jsonLayout,
  removeChild,
} from './text/json-edit.ts';
import {
  type JsonArray,
  type JsonItem,
  type JsonMember,
  type JsonNode,
  type JsonObject,
  membersAt,
  readJsonText,
  stringAt,
} from './text/json-text.ts';

/** How an agent writes one hook. */
export interface EntryFormat {
  /** grouped: `{ "matcher", "hooks": [{ "command" }] }`. flat: `{ "command" }`. */
  readonly shape: 'grouped' | 'flat';
  /** Members of a group besides its hooks. */
  readonly group?: Readonly<Record<string, string>>;
  /** Members of a hook besides its command. */
  readonly hook?: Readonly<Record<string, string | number>>;
  /** Members of a file that we make, after its hooks. */
  readonly file?: Readonly<Record<string, number>>;
}

export interface WantedEntry {
  readonly event: string;
  readonly command: string;
}

export interface FoundEntry extends WantedEntry {
  /** Whether it is the first of ours for its event. */
  readonly isFirst: boolean;
}

/** Why a file is left as it is. */
export class EntryError extends Error {
  override readonly name = 'EntryError';
}

/** Our entries in their order. Throws an EntryError for a file that cannot be edited. */
export const entriesIn = (text: string): readonly FoundEntry[] =>
  locateEntries(text).map(({ event, command, isFirst }) => ({ event, command, isFirst }));

/** The text with exactly the wanted entries, besides those of the user. */
export function withEntries(
  text: string | null,
  wanted: readonly WantedEntry[],
  format: EntryFormat,
): string {
  if (text === null) return newFile(wanted, format);
  const commands = new Map(wanted.map(({ event, command }) => [event, command]));
  let now = withoutEntries(text, (entry) => !entry.isFirst || !commands.has(entry.event));
  if (now === null) return newFile(wanted, format);
  for (const [event, command] of commands) now = addEntry(now, { event, command }, format);
  return now;
}

/** The text without our entries, or without some; null where nothing but ours was in it. */
export function withoutEntries(
  text: string,
  isSelected: (entry: FoundEntry) => boolean = () => true,
): string | null {
  let now = text;
  for (;;) {
    const entry = locateEntries(now).findLast(isSelected);
    if (entry === undefined) return now;
    const rest = removeEntry(now, entry);
    if (rest === null) return null;
    now = verifyEdit(now, rest, entry);
  }
}

interface LocatedEntry extends FoundEntry {
  readonly root: JsonObject;
  readonly hooks: JsonObject;
  readonly member: JsonMember;
  readonly list: JsonArray;
  readonly item: JsonItem;
  /** The list that the hook itself is in, and its place there, where groups are used. */
  readonly inner: { readonly list: JsonArray; readonly item: JsonItem } | null;
  readonly hook: JsonNode;
}

function rootOf(text: string): JsonObject {
  const reading = readJsonText(text);
  if (!reading.ok) throw new EntryError(`line ${reading.line}: ${reading.problem}`);
  if (reading.root.kind !== 'object') throw new EntryError('line 1: it is not an object');
  return reading.root;
}

function hooksOf(text: string, root: JsonObject): JsonObject | null {
  const [member, ...others] = membersAt(root, 'hooks');
  if (member === undefined) return null;
  if (others.length > 0)
    throw new EntryError(lineProblem(text, others[0], '"hooks" appears twice'));
  if (member.value.kind === 'object') return member.value;
  throw new EntryError(lineProblem(text, member, '"hooks" is not an object'));
}

const lineProblem = (text: string, node: JsonMember | undefined, problem: string): string =>
  `line ${text.slice(0, node?.start ?? 0).split('\n').length}: ${problem}`;

function listOf(text: string, hooks: JsonObject, event: string): JsonArray | null {
  const [member, ...others] = membersAt(hooks, event);
  if (member === undefined) return null;
  if (others.length > 0)
    throw new EntryError(lineProblem(text, others[0], `${event} appears twice`));
  if (member.value.kind === 'array') return member.value;
  throw new EntryError(lineProblem(text, member, `${event} is not a list`));
}

function locateEntries(text: string): readonly LocatedEntry[] {
  const root = rootOf(text);
  const hooks = hooksOf(text, root);
  const seen = new Set<string>();
  return (hooks?.children ?? []).flatMap((member) => {
    const list = member.value;
    if (hooks === null || list.kind !== 'array') return [];
    return list.children.flatMap((item) =>
      hooksIn(item).flatMap(({ hook, inner }): readonly LocatedEntry[] => {
        const command = stringAt(hook, 'command');
        if (command === undefined || !isOurCommand(command)) return [];
        const isFirst = !seen.has(member.key);
        seen.add(member.key);
        return [
          { event: member.key, command, isFirst, root, hooks, member, list, item, inner, hook },
        ];
      }),
    );
  });
}

/** The hooks of an item of an event's list: itself, or those of its group. */
function hooksIn(item: JsonItem): readonly Pick<LocatedEntry, 'hook' | 'inner'>[] {
  const list = membersAt(item.value, 'hooks')[0]?.value;
  if (list?.kind !== 'array') return [{ hook: item.value, inner: null }];
  return list.children.map((each) => ({ hook: each.value, inner: { list, item: each } }));
}

function addEntry(text: string, wanted: WantedEntry, format: EntryFormat): string {
  const present = locateEntries(text).find(({ event }) => event === wanted.event);
  if (present !== undefined) return updateCommand(text, present, wanted.command);
  const root = rootOf(text);
  const hooks = hooksOf(text, root);
  const list = hooks && listOf(text, hooks, wanted.event);
  const { lineEnd, step } = jsonLayout(text);
  const item: JsonPiece = () => itemText(wanted.command, format);
  const event: JsonPiece = (indent) =>
    `${JSON.stringify(wanted.event)}: ${made('[]', item)(indent)}`;
  const made =
    ([open, close]: string, piece: JsonPiece): JsonPiece =>
    (indent) =>
      `${open}${lineEnd}${indent}${step}${piece(indent + step)}${lineEnd}${indent}${close}`;
  const all: JsonPiece = (indent) => `"hooks": ${made('{}', event)(indent)}`;
  const edited = list
    ? insertChild(text, list, item)
    : hooks
      ? insertChild(text, hooks, event)
      : insertChild(text, root, all);
  const added = locateEntries(edited).filter((each) => each.event === wanted.event);
  const isRight = added.length === 1 && added[0]?.command === wanted.command;
  // Removing it again must give the old text: the proof that nothing else was touched.
  if (!isRight || withoutEntries(edited, (each) => each.event === wanted.event) !== text) {
    throw new EntryError(`${wanted.event} cannot be added to this layout`);
  }
  return edited;
}

/** Only the command is ours to change: what the user has added to the entry stays. */
function updateCommand(text: string, { hook, command }: LocatedEntry, wanted: string): string {
  if (command === wanted) return text;
  const [member] = membersAt(hook, 'command');
  if (member === undefined) return text;
  const { start, end } = member.value;
  return text.slice(0, start) + JSON.stringify(wanted) + text.slice(end);
}

function itemText(command: string, { shape, group = {}, hook = {} }: EntryFormat): string {
  const members = (fields: Readonly<Record<string, string | number>>): readonly string[] =>
    Object.entries(fields).map(
      ([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`,
    );
  const inner = `{ ${members({ ...hook, command }).join(', ')} }`;
  if (shape === 'flat') return inner;
  return `{ ${[...members(group), `"hooks": [${inner}]`].join(', ')} }`;
}

/** Our hooks come before the other members: in a file of the user's they would come after. */
function newFile(wanted: readonly WantedEntry[], format: EntryFormat): string {
  const events = wanted.map(
    ({ event, command }) =>
      `    ${JSON.stringify(event)}: [\n      ${itemText(command, format)}\n    ]`,
  );
  const others = Object.entries(format.file ?? {}).map(([key, value]) => `  "${key}": ${value}`);
  const hooks = `  "hooks": {\n${events.join(',\n')}\n  }`;
  return `{\n${[hooks, ...others].join(',\n')}\n}\n`;
}

/** Without one hook, and without each container that was made for it; null: that is the file. */
function removeEntry(
  text: string,
  { root, hooks, member, list, item, inner }: LocatedEntry,
): string | null {
  if (inner !== null && !isOnlyOurs(item, inner.list)) {
    return removeChild(text, inner.list, inner.item);
  }
  if (!isMadeFor(text, list)) return removeChild(text, list, item);
  if (!isMadeFor(text, hooks)) return removeChild(text, hooks, member);
  const [all] = membersAt(root, 'hooks');
  if (all === undefined || isOurFile(text, root, all)) return null;
  return removeChild(text, root, all);
}

/** A group with no hook but ours, and nothing that a user would have added. */
const isOnlyOurs = ({ value }: JsonItem, list: JsonArray): boolean =>
  list.children.length === 1 &&
  value.kind === 'object' &&
  value.children.every(({ key }) => key === 'hooks' || key === 'matcher');

function isOurFile(text: string, root: JsonObject, all: JsonMember): boolean {
  if (isMadeFor(text, root)) return true;
  const [first, second, ...others] = root.children;
  return first === all && second?.key === 'version' && others.length === 0;
}

/** The text after an edit, when every other value is still what it was. */
function verifyEdit(before: string, after: string, { event }: WantedEntry): string {
  const reading = readJsonText(after);
  const isSame =
    reading.ok && isDeepStrictEqual(foreignPart(rootOf(before)), foreignPart(reading.root));
  if (!isSame) throw new EntryError(`${event} cannot be removed from this layout`);
  return after;
}
