// Reads the Markdown pages of the repository: their headings, links, code blocks and commands. The
// convention for commands is in CONTRIBUTING.md ("Pages").

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/script-entry.ts';

export interface Page {
  /** From the root of the repository. */
  readonly path: string;
  /** Without the code blocks. */
  readonly prose: string;
  readonly anchors: ReadonlySet<string>;
  readonly blocks: readonly CodeBlock[];
}

export interface CodeBlock {
  readonly language: string;
  readonly text: string;
  /** The line of its fence, from 1. */
  readonly line: number;
}

export interface PageCommand {
  /** `docs/install.md:12`. */
  readonly where: string;
  readonly command: string;
  /** What it needs that a test does not have; null: it is run. */
  readonly needs: string | null;
  /** Zero, unless the page says otherwise: `# exit code 1`, `# exit code 0 or 1`. */
  readonly exitCodes: readonly number[];
}

/** Every page of the repository; recordings and packages are not pages. */
export function readPages(): readonly Page[] {
  return globSync(['*.md', 'docs/**/*.md', '{lab,corpus,bench,emitter}/*.md'], { cwd: root })
    .sort()
    .map((path) => readPage(path, readFileSync(join(root, path), 'utf8')));
}

export function readPage(path: string, text: string): Page {
  const prose: string[] = [];
  const blocks: CodeBlock[] = [];
  let open: { language: string; lines: string[]; line: number } | null = null;
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^```(\w*)/.exec(line);
    if (open !== null && fence) {
      blocks.push({ language: open.language, text: open.lines.join('\n'), line: open.line });
      open = null;
    } else if (open !== null) open.lines.push(line);
    else if (fence) open = { language: fence[1] ?? '', lines: [], line: index + 1 };
    else prose.push(line);
  }
  return { path, prose: prose.join('\n'), anchors: anchorsOf(prose), blocks };
}

/** As GitHub names them: lower case, without punctuation, blanks as dashes, repeats counted. */
function anchorsOf(lines: readonly string[]): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const line of lines) {
    const heading = /^#{1,6} (.+)$/.exec(line)?.[1];
    if (heading === undefined) continue;
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = plain.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-');
    let name = slug;
    for (let count = 1; anchors.has(name); count += 1) name = `${slug}-${count}`;
    anchors.add(name);
  }
  return anchors;
}

/** The destinations of links and images in a page's prose. */
export function linksOf({ prose }: Page): readonly string[] {
  const withoutCode = prose.replaceAll(/`[^`\n]*`/g, '');
  return [...withoutCode.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
}

/** The commands of the `console` blocks: the lines that begin with a prompt. */
export function commandsOf({ path, blocks }: Page): readonly PageCommand[] {
  return blocks
    .filter(({ language }) => language === 'console')
    .flatMap(({ text, line }) =>
      text.split('\n').flatMap((each, index) => {
        if (!each.startsWith('$ ')) return [];
        const [command = '', comment = ''] = each.slice(2).split(/\s{2,}# /);
        const codes = /^exit code ([\d or]+)/.exec(comment)?.[1]?.match(/\d+/g) ?? ['0'];
        return [
          {
            where: `${path}:${line + 1 + index}`,
            command: command.trim(),
            needs: /^needs (.+)$/.exec(comment)?.[1] ?? null,
            exitCodes: codes.map(Number),
          },
        ];
      }),
    );
}

/** The words of the agtmux calls in a command line: without what a shell does around them. */
export function agtmuxCalls(command: string): readonly (readonly string[])[] {
  const words = [...command.matchAll(/'([^']*)'|"([^"]*)"|([|;&<>()]+)|([^\s'"|;&<>()]+)/g)];
  const calls: string[][] = [];
  let current: string[] | null = null;
  for (const [, single, double, operator, plain] of words) {
    const word = single ?? double ?? plain;
    if (operator !== undefined) current = null;
    else if (current !== null) current.push(word ?? '');
    else if (plain === 'agtmux') {
      current = [];
      calls.push(current);
    }
  }
  return calls;
}

/** What stands in backquotes in the prose and calls agtmux. */
export function inlineCalls({ prose }: Page): readonly string[] {
  const spans = [...prose.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span);
  return spans
    .map((span) => span.replaceAll(/\s+/g, ' '))
    .filter((span) => /^agtmux( |$)/.test(span));
}
