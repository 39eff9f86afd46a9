// The tidy rules about words: one exported name has one definition, GLOSSARY.md says which words
// are not used for names, and every word that it explains is one that the sources use. Pure.

import { codeOnly, commentsOnly, lineOf } from './source-text.ts';
import type { Rule, TreeFile, Violation } from './tidy-types.ts';

const isSource = (path: string): boolean =>
  path.startsWith('src/') && path.endsWith('.ts') && !path.endsWith('.test.ts');

const declaration = new RegExp(
  [
    String.raw`\bexport\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?`,
    String.raw`(?:function\*?|class|const|let|type|interface)\s+([\w$]+)`,
  ].join(''),
  'g',
);

type Definition = { readonly name: string; readonly path: string; readonly line: number };

function definitionsIn({ path, text }: TreeFile): readonly Definition[] {
  return [...codeOnly(text).matchAll(declaration)].map((found) => ({
    name: found[1] ?? '',
    path,
    line: lineOf(text, found.index),
  }));
}

const oneDefinition: Rule = {
  name: 'one-definition',
  check: (files) => {
    const definitions = files.filter(({ path }) => isSource(path)).flatMap(definitionsIn);
    return [...Map.groupBy(definitions, ({ name }) => name)].flatMap(([name, all]) => {
      const first = all[0]?.path;
      return all
        .filter(({ path }) => path !== first)
        .map(({ path, line }) => ({
          rule: 'one-definition',
          path,
          line,
          message: `${name} is exported by ${first} too: one of them is badly named`,
        }));
    });
  },
};

type Glossary = {
  readonly entries: readonly { readonly word: string; readonly line: number }[];
  // Words that no identifier and no comment holds.
  readonly avoided: ReadonlySet<string>;
  // Words that no identifier holds; sentences may.
  readonly notNames: ReadonlySet<string>;
};

const NOT_NAMES = '## Words that are not names';

// `- **Word**: meaning.` is an entry, with `Avoid: word, word.` in its lines; below the heading
// above each item is one word.
export function readGlossary(text: string): Glossary {
  const at = text.indexOf(NOT_NAMES);
  const section = at < 0 ? '' : (text.slice(at + NOT_NAMES.length).split('\n## ')[0] ?? '');
  const avoided = [...text.matchAll(/\bAvoid: ([^.]*)\./g)].flatMap(([, list = '']) =>
    list.split(',').map((word) => word.trim().toLowerCase()),
  );
  return {
    entries: [...text.matchAll(/^- \*\*([^*]+)\*\*/gm)].map((found) => ({
      word: found[1] ?? '',
      line: lineOf(text, found.index),
    })),
    avoided: new Set(avoided),
    notNames: new Set([...section.matchAll(/^- `(\w+)`/gm)].map(([, word = '']) => word)),
  };
}

const glossaryOf = (files: readonly TreeFile[]): Glossary =>
  readGlossary(files.find(({ path }) => path === 'GLOSSARY.md')?.text ?? '');

// `waitForAPIReply` gives wait, for, api, reply. Names like `last_heard_at` are wire fields or
// columns, which are contracts, so they give no words; nor do names of the browser.
const wordsOf = (identifier: string): readonly string[] =>
  /^[a-z]+_|^querySelector(?:All)?$/.test(identifier)
    ? []
    : identifier
        .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
        .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
        .toLowerCase()
        .split(/[\s_$]+/);

function wordProblems({ path, text }: TreeFile, { avoided, notNames }: Glossary): Violation[] {
  const names = [...codeOnly(text).matchAll(/[A-Za-z_$][\w$]*/g)].flatMap((found) =>
    wordsOf(found[0])
      .filter((word) => avoided.has(word) || notNames.has(word))
      .map((word) => ({ index: found.index, message: `${found[0]}: "${word}" is not a name` })),
  );
  const comments = [...commentsOnly(text).matchAll(/[A-Za-z]+/g)]
    .filter(([word]) => avoided.has(word.toLowerCase()))
    .map((found) => ({
      index: found.index,
      message: `"${found[0]}": GLOSSARY.md has another word`,
    }));
  return [...names, ...comments].map(({ index, message }) => ({
    rule: 'avoided-word',
    path,
    line: lineOf(text, index),
    message,
  }));
}

const avoidedWords: Rule = {
  name: 'avoided-word',
  check: (files) => {
    const glossary = glossaryOf(files);
    return files
      .filter(({ path }) => isSource(path))
      .flatMap((file) => wordProblems(file, glossary));
  },
};

const unusedWords: Rule = {
  name: 'unused-word',
  check: (files) => {
    const sources = files
      .filter(({ path }) => isSource(path))
      .map(({ text }) => text.toLowerCase());
    return glossaryOf(files)
      .entries.filter(({ word }) => {
        const pattern = new RegExp(word.toLowerCase().split(/[ _]/).join('[ _-]?'));
        return !sources.some((text) => pattern.test(text));
      })
      .map(({ word, line }) => ({
        rule: 'unused-word',
        path: 'GLOSSARY.md',
        line,
        message: `nothing in src is called ${word}`,
      }));
  },
};

export const wordRules: readonly Rule[] = [oneDefinition, avoidedWords, unusedWords];
