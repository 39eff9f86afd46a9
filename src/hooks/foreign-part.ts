// The value of a hook file without our entries: it must be the same before and after an edit.

import { isOurCommand } from './entry-command.ts';
import { type JsonNode, plainValue } from './text/json-text.ts';

type Members = Readonly<Record<string, unknown>>;

/** The plain value without our entries and without empty lists and objects. */
export const foreignPart = (root: JsonNode): unknown => withoutOurs(plainValue(root));

function withoutOurs(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutOurs).filter((each) => each !== undefined);
  }
  if (!isMembers(value)) return value;
  if (isOurs(value) || isOurGroup(value)) return undefined;
  const kept = Object.entries(value)
    .map(([key, each]) => [key, withoutOurs(each)] as const)
    .filter(([, each]) => each !== undefined && !isEmpty(each));
  return Object.fromEntries(kept);
}

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null;

const isOurs = (value: unknown): boolean => {
  const command = isMembers(value) ? value['command'] : undefined;
  return typeof command === 'string' && isOurCommand(command);
};

const isOurGroup = (members: Members): boolean =>
  Array.isArray(members['hooks']) &&
  members['hooks'].length > 0 &&
  members['hooks'].every(isOurs) &&
  Object.keys(members).every((key) => key === 'hooks' || key === 'matcher');

const isEmpty = (value: unknown): boolean => isMembers(value) && Object.keys(value).length === 0;
