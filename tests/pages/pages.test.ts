// The pages as text: every link leads to a file and a heading that exist, every command line of
// agtmux parses, and every TOML block is one that agtmux accepts. Running the commands is left to
// tests/daemon-live/pages.test.ts.

import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import { buildRegistry } from '../../src/agents/registry.ts';
import { parse } from '../../src/cli/parse.ts';
import { program } from '../../src/cli/table.ts';
import { checkConfig } from '../../src/config/config-check.ts';
import { STATUS_OFF } from '../../src/daemon/publishing/status-value.ts';
import { DOUBT } from '../../src/platform/text/status-counts.ts';
import { checkTomlFile } from '../../src/relay/config/checked-file.ts';
import {
  bundleFileSchema,
  codersFileSchema,
  policiesFileSchema,
} from '../../src/schema/relay/team-files.ts';
import {
  agtmuxCalls,
  commandsOf,
  inlineCalls,
  linksOf,
  type Page,
  readPage,
  readPages,
} from './read-pages.ts';

const pages = readPages();
const byPath = new Map(pages.map((page) => [page.path, page]));

/** What is wrong with a link, or null. Addresses of the web are not checked. */
function linkFault(page: Page, link: string, others = byPath): string | null {
  if (/^[a-z]+:/.test(link)) return null;
  const [file = '', anchor] = link.split('#');
  const path = file === '' ? page.path : relative('.', join(dirname(page.path), file));
  if (path !== page.path && !existsSync(join(root, path)))
    return `${page.path}: ${link}: no such file`;
  if (anchor === undefined) return null;
  const target = path === page.path ? page : others.get(path);
  return target?.anchors.has(anchor) ? null : `${page.path}: ${link}: no such heading`;
}

/** What the parser says about the words of a call, or null. */
async function callFault(words: readonly string[]): Promise<string | null> {
  const parsed = await parse(program, words);
  return parsed.kind === 'usage' ? parsed.problem : null;
}

/** In a sentence a command may be named without its arguments. */
async function mentionFault(words: readonly string[]): Promise<string | null> {
  const fault = await callFault(words);
  return fault !== null && /^\S+ needs /.test(fault) ? null : fault;
}

/** Texts of the status line, which are no commands. */
const statusTexts: ReadonlySet<string> = new Set([DOUBT, STATUS_OFF]);

/** Pages about commands that are generated, or not built yet. */
const isChecked = ({ path }: Page): boolean =>
  !path.startsWith('docs/reference/') && path !== 'docs/status.md' && path !== 'CHANGELOG.md';

/** Placeholders such as NAME stand for a value, and an ellipsis for more of them. */
const withValues = (words: readonly string[]): readonly string[] =>
  words.filter((word) => word !== '...').map((word) => word.replace(/^\[(.*)\]$/, '$1'));

/** The files of bundles, by a key that no other file has. */
const teamFiles = [
  ['coders', codersFileSchema],
  ['policies', policiesFileSchema],
  ['sessions', bundleFileSchema],
] as const;

function tomlFaults(where: string, text: string): readonly string[] {
  const content = parseToml(text);
  const teamFile = teamFiles.find(([key]) => key in content);
  if (teamFile) {
    const checked = checkTomlFile<unknown>(teamFile[1], where, text);
    return checked.ok ? [] : checked.problems.map(({ message }) => message);
  }
  if ('contract_version' in content) {
    return buildRegistry([{ file: where, content }]).problems.map(({ problem }) => problem);
  }
  const checked = checkConfig(where, text);
  return checked.ok ? [] : checked.problems.map(({ message }) => message);
}

describe('the pages', () => {
  it('link to files and headings that exist', () => {
    const faults = pages.flatMap((page) => linksOf(page).map((link) => linkFault(page, link)));
    expect(faults.filter((fault) => fault !== null)).toEqual([]);
  });

  it('show only command lines that the parser accepts', async () => {
    const faults: string[] = [];
    const check = async (
      where: string,
      command: string,
      fault: typeof callFault,
    ): Promise<void> => {
      for (const words of agtmuxCalls(command)) {
        const problem = await fault(withValues(words));
        if (problem !== null) faults.push(`${where}: ${command}: ${problem}`);
      }
    };
    for (const page of pages.filter(isChecked)) {
      for (const { where, command } of commandsOf(page)) await check(where, command, callFault);
      for (const mention of inlineCalls(page)) {
        if (!statusTexts.has(mention)) await check(page.path, mention, mentionFault);
      }
    }
    expect(faults).toEqual([]);
  });

  it('show only TOML that agtmux accepts', () => {
    const faults = pages.flatMap((page) =>
      page.blocks
        .filter(({ language }) => language === 'toml')
        .flatMap(({ text, line }) => {
          const where = `${page.path}:${line}`;
          return tomlFaults(where, text).map((fault) => `${where}: ${fault}`);
        }),
    );
    expect(faults).toEqual([]);
  });

  it('keep the commands of agtmux in console blocks, where they are tested', () => {
    const bare = pages.flatMap(({ path, blocks }) =>
      blocks
        .filter(({ language, text }) => language !== 'console' && /^agtmux /m.test(text))
        .filter(() => !path.startsWith('docs/reference/'))
        .map(({ line }) => `${path}:${line}: agtmux commands belong into a console block`),
    );
    expect(bare).toEqual([]);
  });
});

describe('the checks of the pages', () => {
  const page = readPage(
    'docs/x.md',
    [
      '# The `page`, again',
      '# Twice',
      '# Twice',
      'See [here](#twice-1), [there](#three), [a file](../README.md) and [none](none.md).',
      'Run `agtmux list panes --no-such` or `agtmux daemon`.',
      '```console',
      '$ agtmux list panes  # exit code 3',
      'output',
      "$ echo a | agtmux emit --type 'x y'   # needs a pane",
      '```',
    ].join('\n'),
  );

  it('name headings as GitHub does', () => {
    expect([...page.anchors]).toEqual(['the-page-again', 'twice', 'twice-1']);
  });

  it('find a link to a heading or a file that does not exist', () => {
    const faults = linksOf(page).map((link) => linkFault(page, link));
    expect(faults).toEqual([
      null,
      'docs/x.md: #three: no such heading',
      null,
      'docs/x.md: none.md: no such file',
    ]);
  });

  it('find an option that does not exist, and accept a group that is named alone', async () => {
    const [wrong = [], group = []] = inlineCalls(page).map((text) => agtmuxCalls(text)[0]);
    expect(await mentionFault(wrong)).toContain('--no-such');
    expect(await mentionFault(group)).toBeNull();
    expect(await callFault(group)).not.toBeNull();
  });

  it('read commands with what they need and their exit codes', () => {
    expect(commandsOf(page)).toEqual([
      { where: 'docs/x.md:7', command: 'agtmux list panes', needs: null, exitCodes: [3] },
      {
        where: 'docs/x.md:9',
        command: "echo a | agtmux emit --type 'x y'",
        needs: 'a pane',
        exitCodes: [0],
      },
    ]);
    expect(agtmuxCalls("echo a | agtmux emit --type 'x y' && agtmux status")).toEqual([
      ['emit', '--type', 'x y'],
      ['status'],
    ]);
  });
});
