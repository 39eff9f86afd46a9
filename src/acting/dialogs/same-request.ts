// Whether the dialog on a screen is the request that somebody was shown. Sources word a question
// differently, shorten what they show and cut what is long; what both name must be the same.

import type { DialogDetails } from '../../agents/screen/extract.ts';
import type { Request } from '../../schema/evidence.ts';
import { comparable } from '../typed-text.ts';

/** A row of a dialog that shows less than this has not been cut by the width of the screen. */
const ROW_LENGTH_MIN = 40;
/** No source cuts a text that is shorter. */
const CUT_LENGTH_MIN = 200;

/** Tools that run a command, as agents and the heads of their dialogs call them. */
const SHELL =
  /^(?:bash(?: command)?|powershell|(?:run_|local_)?shell(?:_command)?|exec(?:ute)?_command)$/i;

export function isSameRequest(shown: DialogDetails, expected: Request): boolean {
  if (isOtherTool(shown, expected)) return false;
  // A command is never the answer to a question about a file.
  if (expected.command !== undefined && shown.command === undefined && shown.file !== undefined) {
    return false;
  }
  if (expected.file !== undefined && shown.file === undefined && shown.command !== undefined) {
    return false;
  }
  return (
    agree(shown.command, expected.command, isSameCommand) &&
    agree(shown.file, expected.file, isSameFile) &&
    agree(labelsOf(shown), labelsOf(expected), startsAlike)
  );
}

/**
 * An agent may have several requests open and show one of them; where no command or file can be
 * compared, the tool of the other one gives it away.
 */
function isOtherTool(shown: DialogDetails, { tool, command, file }: Request): boolean {
  const isCompared =
    (shown.command !== undefined && command !== undefined) ||
    (shown.file !== undefined && file !== undefined);
  if (tool === undefined || isCompared) return false;
  if (shown.tool !== undefined) return SHELL.test(shown.tool) !== SHELL.test(tool);
  const [, server, name] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? [];
  if (server === undefined || name === undefined || shown.command === undefined) return false;
  const words = lettersOf([shown.text, shown.command, labelsOf(shown)].join(' '));
  return ![server, name].some((each) => words.includes(lettersOf(each)));
}

const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** What one of them does not say cannot differ. */
function agree(
  shown: string | undefined,
  expected: string | undefined,
  isSame: (shown: string, expected: string) => boolean,
): boolean {
  return shown === undefined || expected === undefined || isSame(shown, expected);
}

/** Whether it shows this command, and no more: the first line or a full row of a long one is it. */
export function showsCommand(shown: string | undefined, command: string): boolean {
  const [here, there] = [comparable(shown ?? ''), comparable(command)];
  if (here === '' || here === there) return here !== '';
  const firstLine = comparable(command.trimStart().split('\n', 1)[0] ?? '');
  return there.startsWith(here) && (here === firstLine || here.length >= ROW_LENGTH_MIN);
}

/** A source may have cut the command that a dialog shows whole. */
function isSameCommand(shown: string, expected: string): boolean {
  const [here, there] = [comparable(shown), comparable(expected)];
  if (here === there || showsCommand(shown, expected)) return true;
  const isCut = expected.trimEnd().endsWith('…') || there.length >= CUT_LENGTH_MIN;
  return isCut && there !== '' && here.startsWith(there);
}

/** A dialog may show the end of a path. */
function isSameFile(shown: string, expected: string): boolean {
  const [here, there] = [comparable(shown), comparable(expected)];
  const isEnd = (long: string, short: string): boolean =>
    short !== '' && long.endsWith(`/${short}`);
  if (here === there || isEnd(here, there) || isEnd(there, here)) return true;
  return Math.min(here.length, there.length) >= ROW_LENGTH_MIN && startsAlike(here, there);
}

/** An agent adds options of its own below those of a question. */
function startsAlike(shown: string, expected: string): boolean {
  const [here, there] = [comparable(shown), comparable(expected)];
  return here.startsWith(there) || there.startsWith(here);
}

const labelsOf = ({ options }: DialogDetails | Request): string | undefined =>
  options?.map(({ label }) => label).join('\n');
