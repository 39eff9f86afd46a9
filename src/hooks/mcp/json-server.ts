// Our server among the MCP servers of a JSON file: added, updated, and removed so that the bytes of
// before are back. Every edit is verified; a layout that does not allow it is refused.

import { isDeepStrictEqual } from 'node:util';
import { EntryError } from '../entries.ts';
import { insertChild, isMadeFor, jsonLayout, removeChild } from '../text/json-edit.ts';
import {
  type JsonMember,
  type JsonNode,
  type JsonObject,
  membersAt,
  plainValue,
  readJsonText,
} from '../text/json-text.ts';

/** The name of our entry. */
export const SERVER_NAME = 'agtmux';

export interface JsonServer {
  /** The member that holds all servers. */
  readonly servers: string;
  readonly entry: Readonly<Record<string, unknown>>;
}

/** The entry as it is there; undefined where none is. Throws an EntryError. */
export function jsonServerIn(text: string, { servers }: Pick<JsonServer, 'servers'>): unknown {
  const found = locate(text, servers).own;
  return found && plainValue(found.value);
}

export function withJsonServer(text: string | null, server: JsonServer): string {
  if (text === null || text.trim() === '') return newFile(server);
  const { root, list, own } = locate(text, server.servers);
  const piece = memberText(SERVER_NAME, server.entry);
  if (own) {
    const edited = withFirstDifference(text, own.value, server.entry);
    return edited === null ? text : withJsonServer(edited, server);
  }
  const { lineEnd, step } = jsonLayout(text);
  const all = (indent: string): string =>
    `${JSON.stringify(server.servers)}: {${lineEnd}${indent}${step}${piece}${lineEnd}${indent}}`;
  const edited = list ? insertChild(text, list, () => piece) : insertChild(text, root, all);
  const isRight = isDeepStrictEqual(jsonServerIn(edited, server), server.entry);
  if (!isRight || withoutJsonServer(edited, server) !== text) {
    throw new EntryError('the entry cannot be added to this layout');
  }
  return edited;
}

/**
 * The text with the first member that differs as it is wanted; null where none does. What else a
 * person or the agent has set there ("disabled", "env") stays.
 */
function withFirstDifference(text: string, node: JsonNode, wanted: unknown): string | null {
  if (node.kind !== 'object' || !isRecord(wanted)) {
    if (isDeepStrictEqual(plainValue(node), wanted)) return null;
    return text.slice(0, node.start) + JSON.stringify(wanted) + text.slice(node.end);
  }
  for (const [key, value] of Object.entries(wanted)) {
    const member = only(node, key);
    if (!member) return insertChild(text, node, () => memberText(key, value));
    const edited = withFirstDifference(text, member.value, value);
    if (edited !== null) return edited;
  }
  return null;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Null where nothing but ours was in it. */
export function withoutJsonServer(
  text: string,
  { servers }: Pick<JsonServer, 'servers'>,
): string | null {
  const { root, member, list, own } = locate(text, servers);
  if (!own || !list || !member) return text;
  if (!isMadeFor(text, list)) return removeChild(text, list, own);
  const isWhole = isMadeFor(text, root) && text.startsWith('{') && text.endsWith('}\n');
  return isWhole ? null : removeChild(text, root, member);
}

interface Located {
  readonly root: JsonObject;
  readonly member: JsonMember | undefined;
  readonly list: JsonObject | null;
  readonly own: JsonMember | undefined;
}

function locate(text: string, servers: string): Located {
  const reading = readJsonText(text);
  if (!reading.ok) throw new EntryError(`line ${reading.line}: ${reading.problem}`);
  const { root } = reading;
  if (root.kind !== 'object') throw new EntryError('line 1: it is not an object');
  const member = only(root, servers);
  if (member === undefined) return { root, member, list: null, own: undefined };
  const list = member.value;
  if (list.kind !== 'object') throw new EntryError(`"${servers}" is not an object`);
  return { root, member, list, own: only(list, SERVER_NAME) };
}

function only(container: JsonObject, key: string): JsonMember | undefined {
  const [member, ...others] = membersAt(container, key);
  if (others.length > 0) throw new EntryError(`"${key}" appears twice`);
  return member;
}

const memberText = (key: string, value: unknown): string =>
  `${JSON.stringify(key)}: ${JSON.stringify(value)}`;

const newFile = ({ servers, entry }: JsonServer): string =>
  `{\n  ${JSON.stringify(servers)}: {\n    ${memberText(SERVER_NAME, entry)}\n  }\n}\n`;
