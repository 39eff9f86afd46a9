// One hook file, before and after: its current state, and the text that it would have. Nothing is
// written here.

import type { HooksAnswer } from '../schema/api/hooks.ts';
import type { HookFile } from './agent-hooks.ts';
import { EntryError, entriesIn, withEntries, withoutEntries } from './entries.ts';
import { isOwnText } from './own-texts.ts';
import { newNotifyFile, readToml, withNotify, withoutNotify } from './text/toml-notify.ts';

export interface FileReading {
  readonly state: HooksAnswer['agents'][number]['files'][number]['state'];
  /** The text that it would have; null where there would be no file. */
  readonly after: string | null;
  /** Why it is left as it is. */
  readonly problem: string | null;
}

export type HookGoal = 'install' | 'uninstall';

/** The state of a file, and its text after the goal is reached. */
export function readHookFile(file: HookFile, text: string | null, goal: HookGoal): FileReading {
  try {
    if (file.kind === 'own') return readOwnFile(file, text, goal);
    return file.kind === 'entries' ? readEntries(file, text, goal) : readNotify(file, text, goal);
  } catch (error) {
    if (!(error instanceof EntryError)) throw error;
    return { state: 'unreadable', after: text, problem: error.message };
  }
}

type Of<Kind> = Extract<HookFile, { kind: Kind }>;

function readOwnFile(file: Of<'own'>, text: string | null, goal: HookGoal): FileReading {
  if (text !== null && !isOwnText(text)) {
    const problem = 'your own file is at this path and stays; agtmux needs the path for its hooks';
    return { state: 'foreign', after: text, problem };
  }
  const state = text === null ? 'absent' : text === file.text ? 'installed' : 'outdated';
  return { state, after: goal === 'install' ? file.text : null, problem: null };
}

function readEntries(file: Of<'entries'>, text: string | null, goal: HookGoal): FileReading {
  const found = text === null ? [] : entriesIn(text);
  const full = withEntries(text, file.wanted, file.format);
  const state = found.length === 0 ? 'absent' : full === text ? 'installed' : 'outdated';
  const bare = text === null ? null : withoutEntries(text);
  return { state, after: goal === 'install' ? full : bare, problem: null };
}

function readNotify({ command }: Of<'notify'>, text: string | null, goal: HookGoal): FileReading {
  const isInstall = goal === 'install';
  if (text === null) {
    return { state: 'absent', after: isInstall ? newNotifyFile(command) : null, problem: null };
  }
  const owner = notifyOwner(text);
  if (owner === 'user') {
    const problem = '`notify` runs your own program and stays; the hooks report the same events';
    return { state: 'foreign', after: text, problem };
  }
  const [full, bare] = [withNotify(text, command), withoutNotify(text)];
  if (full === null || bare === null) {
    throw new EntryError('line 1: `notify` cannot be edited in this layout');
  }
  const state = owner === null ? 'absent' : full === text ? 'installed' : 'outdated';
  // A file that we made holds one line and its end.
  const isMade = owner === 'agtmux' && bare === '' && text.endsWith('\n');
  return { state, after: isInstall ? full : isMade ? null : bare, problem: null };
}

/** Whose program `notify` names; null where it names none. */
function notifyOwner(text: string): 'agtmux' | 'user' | null {
  const reading = readToml(text);
  if (!reading.ok) throw new EntryError(`line ${reading.line}: ${reading.problem}`);
  const present = reading.table['notify'];
  if (present === undefined) return null;
  const program: unknown = Array.isArray(present) ? present[0] : present;
  const isOurs = typeof program === 'string' && /(?:^|\/)agtmux-emit$/.test(program);
  return isOurs ? 'agtmux' : 'user';
}
