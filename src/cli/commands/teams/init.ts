// `agtmux bundle init`: writes files to start from, each only where there is none. No daemon is
// needed, and nothing is started.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { findProgram } from '../../../platform/files/find-program.ts';
import { safeText } from '../../../render/safe-text.ts';
import { type Call, type CommandSpec, isSet, listOf, textOf } from '../../command.ts';
import { pathsOf } from '../../daemon-link.ts';
import { CliProblem, EXIT_CANNOT_CREATE, usageProblem } from '../../exit-codes.ts';
import { text } from '../../options.ts';
import { printJson } from '../../output/print.ts';

const STANDARD_NAME = 'team';
/** What the first members are called, in this order. */
const ROLES = ['author', 'reviewer', 'tester', 'writer', 'helper'] as const;
/** Of the agents that are installed, where none is named. */
const MEMBERS_UNASKED = 2;

export const initCommand: CommandSpec = {
  name: 'init',
  summary: 'write files to start from: coders, policies, yourself, and a bundle',
  notes: [
    'Writes coders.toml, policies.toml, tui.toml and bundles/NAME.toml into the folder of',
    'config.toml, each only if it is not there. Nothing is started.',
    'Without --coder: up to two of the agents that are in PATH.',
  ],
  examples: ['agtmux bundle init', 'agtmux bundle init review --coder claude --coder codex'],
  args: [{ value: text('NAME'), optional: true, summary: `the bundle (${STANDARD_NAME})` }],
  options: [
    {
      name: 'coder',
      value: text('AGENT'),
      repeated: true,
      summary: 'a member: claude, codex, gemini, copilot or opencode',
    },
    { name: 'dir', value: text('PATH'), summary: 'where the members work (this folder)' },
  ],
  run: runInit,
};

interface WrittenFile {
  readonly file: string;
  readonly isWritten: boolean;
}

async function runInit(call: Call): Promise<number> {
  const starter = await import('../../../relay/config/starter-files.ts');
  const { bundleFolder, loadTeam } = await import('../../../relay/config/team-folder.ts');
  const { configDir } = pathsOf(call);
  const [name = STANDARD_NAME] = call.args;
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    throw usageProblem(
      `"${safeText(name)}" is no name of a bundle.`,
      'Letters, digits, "_", "-" and "." make one.',
    );
  }
  const known = Object.keys(starter.starterCoders) as (keyof typeof starter.starterCoders)[];
  const coders = chosenCoders(call, known);
  const folder = resolve(textOf(call.flags, 'dir') ?? process.cwd());
  const members = coders.map((coder, index) => ({ id: ROLES[index] ?? `m${index}`, coder }));
  const texts: readonly (readonly [string, string])[] = [
    [join(configDir, 'coders.toml'), starter.codersText()],
    [join(configDir, 'policies.toml'), starter.policiesText()],
    [join(configDir, 'tui.toml'), starter.operatorsText(name)],
    [join(bundleFolder(configDir), `${name}.toml`), starter.bundleText(folder, members)],
  ];
  const files = texts.map(([file, content]) => ({ file, isWritten: writeNew(file, content) }));
  const { problems } = loadTeam(configDir);
  printFiles(call, { name, files, problemCount: problems.length });
  return 0;
}

function printFiles(
  call: Call,
  found: {
    readonly name: string;
    readonly files: readonly WrittenFile[];
    readonly problemCount: number;
  },
): void {
  const { name, files, problemCount } = found;
  if (isSet(call.flags, 'json')) {
    const items = files.map(({ file, isWritten }) => ({ file, written: isWritten }));
    printJson(call, { schema_version: 1, bundle: name, files: items });
    return;
  }
  const lines = files.map(
    ({ file, isWritten }) => `${isWritten ? 'wrote' : 'kept '}  ${safeText(file)}\n`,
  );
  const next =
    problemCount === 0
      ? `agtmux bundle up ${name} starts it.`
      : 'Files that were there are not valid: agtmux bundle validate says why.';
  call.io.writeOut(`${lines.join('')}${next}\n`);
}

function chosenCoders<T extends string>(call: Call, known: readonly T[]): readonly T[] {
  const named = listOf(call.flags, 'coder');
  const unknown = named.find((each) => !known.some((coder) => coder === each));
  if (unknown !== undefined || named.length > ROLES.length) {
    const what =
      unknown === undefined
        ? `At most ${ROLES.length} members are written.`
        : `"${safeText(unknown)}" is no coder that is known.`;
    throw usageProblem(what, `There are ${known.join(', ')}. Others can be added to coders.toml.`);
  }
  if (named.length > 0) return named.flatMap((each) => known.find((coder) => coder === each) ?? []);
  const path = call.io.env['PATH'];
  const installed = known.filter((coder) => findProgram(coder, path) !== null);
  return (installed.length > 0 ? installed : known).slice(0, MEMBERS_UNASKED);
}

/** False where there is such a file. */
function writeNew(file: string, content: string): boolean {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'EEXIST') return false;
    const why = error instanceof Error ? error.message : String(error);
    throw new CliProblem('E_CONFIG_INVALID', `${safeText(file)} cannot be written.`, {
      exitCode: EXIT_CANNOT_CREATE,
      hint: safeText(why),
    });
  }
}
