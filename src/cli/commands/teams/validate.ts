// `agtmux bundle validate`: the files of teams, checked with the daemon's own code. No daemon is
// needed, and nothing is started.

import { safeText } from '../../../render/safe-text.ts';
import type { TeamProblem } from '../../../schema/relay/team.ts';
import { type Call, type CommandSpec, isSet } from '../../command.ts';
import { pathsOf } from '../../daemon-link.ts';
import { CliProblem, EXIT_CONFIG, EXIT_NO_INPUT } from '../../exit-codes.ts';
import { text } from '../../options.ts';
import { printJson } from '../../output/print.ts';

export const validateCommand: CommandSpec = {
  name: 'validate',
  summary: 'report errors in the files of teams, with file, line and key',
  notes: [
    'Checks coders.toml, policies.toml, tui.toml and all of bundles/ in the folder of config.toml.',
    'Exit codes: 0 all is valid, 66 there is no such bundle, 78 something is not valid.',
  ],
  examples: ['agtmux bundle validate', 'agtmux bundle validate review --json'],
  args: [{ value: text('NAME'), optional: true, summary: 'only what this bundle needs' }],
  run: runValidate,
};

async function runValidate(call: Call): Promise<number> {
  const { bundleFolder, readTeamTexts } = await import('../../../relay/config/team-folder.ts');
  const { emptyTeamState, nextTeamState } = await import('../../../relay/config/team-state.ts');
  const { configDir } = pathsOf(call);
  const texts = readTeamTexts(configDir);
  const { team, problems } = nextTeamState(texts, emptyTeamState);
  const [name] = call.args;
  const file = name === undefined ? undefined : texts.bundles.get(name)?.file;
  if (name !== undefined && file === undefined) {
    const where = safeText(bundleFolder(configDir));
    throw new CliProblem('E_BUNDLE_UNKNOWN', `There is no ${safeText(name)}.toml in ${where}.`, {
      exitCode: EXIT_NO_INPUT,
    });
  }
  const others = [...texts.bundles.values()]
    .map((each) => each.file)
    .filter((each) => each !== file);
  const found =
    file === undefined ? problems : problems.filter((each) => !others.includes(each.file));
  const bundles = [...team.bundles.keys()];
  if (isSet(call.flags, 'json')) {
    const ok = found.length === 0;
    printJson(call, { schema_version: 1, folder: configDir, ok, bundles, problems: found });
  } else if (found.length === 0) {
    const names = name ?? (bundles.join(', ') || 'there is no bundle with a member');
    call.io.writeOut(`${safeText(configDir)} is valid: ${safeText(names)}\n`);
  }
  if (found.length === 0) return 0;
  for (const problem of found) call.io.writeErr(`${safeText(problemLine(problem))}\n`);
  return EXIT_CONFIG;
}

/** `bundles/review.toml:12:sessions[1].coder: no coder "x" is declared` */
const problemLine = ({ file, line, key, message }: TeamProblem): string =>
  `E_BUNDLE_INVALID: ${[file, line, key].filter((each) => each !== '').join(':')}: ${message}`;
