// The house rules as a pure function over { path, text }[]: checkTree returns every violation.
// Rules about imports are in import-rules.ts and room-rules.ts; here are names, sizes, words and
// dependencies.
// tests/tidy.test.ts runs it over planted violations first and over the real tree second.

import { importRules } from './import-rules.ts';
import { forbiddenPackages, importTable } from './import-table.ts';
import { roomRules } from './room-rules.ts';
import { codeOnly, commentsOnly, lineOf } from './source-text.ts';
import type { Rule, TreeFile, Violation } from './tidy-types.ts';
import { wordRules } from './word-rules.ts';

const LINE_LENGTH_MAX = 100;
const FILE_LINES_MAX = 400;
const TEST_LINES_MAX = 600;
const OPENING_COMMENT_LINES_MAX = 8;

const isCode = (path: string): boolean => /\.(?:ts|mjs|js)$/.test(path);
const isTest = (path: string): boolean => /\.test\.ts$/.test(path) || path.startsWith('tests/');
const isUnitTest = (path: string): boolean => /\.test\.ts$/.test(path);
const inSource = (path: string): boolean => path.startsWith('src/');

function isPure(path: string): boolean {
  const row = importTable[path.split('/')[1] ?? ''];
  return inSource(path) && row?.pure === true && !isUnitTest(path);
}

// Makes a rule that looks at one file at a time.
function fileRule(
  name: string,
  applies: (path: string) => boolean,
  check: (file: TreeFile) => readonly { readonly line: number; readonly message: string }[],
): Rule {
  return {
    name,
    check: (files) =>
      files
        .filter(({ path }) => applies(path))
        .flatMap((file) => check(file).map((found) => ({ rule: name, path: file.path, ...found }))),
  };
}

// Makes a rule that finds a pattern in one view of the text.
function patternRule(
  name: string,
  applies: (path: string) => boolean,
  view: (text: string) => string,
  patterns: readonly (readonly [RegExp, string])[],
): Rule {
  return fileRule(name, applies, ({ text }) => {
    const viewed = view(text);
    return patterns.flatMap(([pattern, message]) =>
      [...viewed.matchAll(pattern)].map((found) => ({
        line: lineOf(text, found.index),
        message: `${found[0].trim()}: ${message}`,
      })),
    );
  });
}

const nameWords = /^(?:utils?|helpers?|common|managers?|services?)$/;
const kebabName = /^\.?[a-z0-9]+(?:[-.][a-z0-9]+)*$/;

// Names that other programs or readers expect as they are.
const fixedNames = new Set(['README.md']);

const fileNames = fileRule(
  'file-name',
  (path) => /^(?:src|tests|scripts|bench|bin)\//.test(path),
  (file) =>
    file.path.split('/').flatMap((name) => {
      if (fixedNames.has(name)) return [];
      if (!kebabName.test(name)) return [{ line: 1, message: `${name} is not kebab-case` }];
      const word = name.split(/[-.]/).find((part) => nameWords.test(part));
      return word === undefined ? [] : [{ line: 1, message: `"${word}" in a name says nothing` }];
    }),
);

const fileLength = fileRule('file-length', isCode, ({ path, text }) => {
  const lines = text.trimEnd().split('\n').length;
  const max = isTest(path) ? TEST_LINES_MAX : FILE_LINES_MAX;
  return lines > max ? [{ line: lines, message: `${lines} lines; the most is ${max}` }] : [];
});

const lineLength = fileRule(
  'line-length',
  (path) => /\.(?:ts|mjs|js|sql|sh|css|html)$/.test(path),
  ({ text }) =>
    text.split('\n').flatMap((line, index) => {
      const length = [...line].length;
      if (length <= LINE_LENGTH_MAX || /https?:\/\//.test(line)) return [];
      return [{ line: index + 1, message: `${length} columns; the most is ${LINE_LENGTH_MAX}` }];
    }),
);

const openingComment = fileRule(
  'opening-comment',
  (path) => isCode(path) && !isUnitTest(path),
  ({ text }) => {
    const comments = commentsOnly(text).split('\n');
    const lines = text.split('\n');
    const first = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('#!'));
    let count = 0;
    while (comments[first + count]?.trim()) count += 1;
    if (count === 0) return [{ line: 1, message: 'the file does not open with a comment' }];
    if (count <= OPENING_COMMENT_LINES_MAX) return [];
    return [{ line: 1, message: `its opening comment has ${count} lines; say it in 8` }];
  },
);

const pureCode = patternRule('pure-code', isPure, codeOnly, [
  [/\bDate\.now\b/g, 'pure code takes nowMs as an argument'],
  [/\bnew Date\b/g, 'pure code takes nowMs as an argument'],
  [/\bMath\.random\b/g, 'pure code takes what it needs as an argument'],
  [/\bawait\b/g, 'pure code waits for nothing'],
  [/\basync\b/g, 'pure code waits for nothing'],
  [/\bPromise\b/g, 'pure code waits for nothing'],
  [/\bset(?:Timeout|Interval|Immediate)\b/g, 'timers are data in pure code'],
]);

// `process` is also our word for an agent's process: a file that binds the name itself means that.
// The compiler holds such files too, as pure folders compile without Node's types.
const bindsProcess =
  /\b(?:const|let|of)\s+process\b|[({,[]\s*process\s*(?:[?:,)}\]=]|\bof\b)|\bprocess\s*=>/;

const pureProcess = fileRule('pure-process', isPure, ({ text }) => {
  const code = codeOnly(text);
  if (bindsProcess.test(code)) return [];
  return [...code.matchAll(/(?<![.\w])process\./g)].map((found) => ({
    line: lineOf(text, found.index),
    message: 'pure code does not see the process it runs in',
  }));
});

const leftOvers = patternRule('left-over', isCode, commentsOnly, [
  [/\b(?:TODO|FIXME|XXX)\b/g, 'finish it, or write it down in docs/status.md'],
]);

const testModifiers = patternRule('test-modifier', isCode, codeOnly, [
  [
    /\b(?:it|test|describe|suite)(?:\.\w+)*\.(?:only|skip|todo)\b/g,
    'every test runs; use skipIf with a reason where the machine lacks something',
  ],
]);

// Sources (src/<layer>/) and bundle (dist/<folder>/) lie equally deep; files further down do not.
const packagePaths = patternRule(
  'package-path',
  (path) => inSource(path) && path.split('/').length > 3 && !isUnitTest(path),
  codeOnly,
  [[/\bimport\.meta\.(?:url|dirname|filename)\b/g, 'use platform/package-files.ts']],
);

const isViteConfig = (path: string): boolean => path.endsWith('.config.ts');

const defaultExports = patternRule(
  'default-export',
  (path) => isCode(path) && !isViteConfig(path),
  codeOnly,
  [
    [/\bexport\s+default\b/g, 'exports have names'],
    [/\bas\s+default\b/g, 'exports have names'],
  ],
);

const enums = patternRule('enum', isCode, codeOnly, [
  [/\benum\s+\w+/g, 'use a union of string literals'],
]);

// A file that only passes on other files hides where things are; these two are lists on purpose.
const allowedBarrels = new Set(['src/operations/table.ts', 'src/agents/registry.ts']);

const barrels = fileRule(
  'barrel',
  (path) => inSource(path) && isCode(path) && !allowedBarrels.has(path),
  ({ path, text }) => {
    const found = /\bexport\s*\*/.exec(codeOnly(text));
    if (found !== null)
      return [{ line: lineOf(text, found.index), message: 'name what you export' }];
    const isIndex = /\/index\.ts$/.test(path);
    return isIndex ? [{ line: 1, message: 'import the file that has the thing' }] : [];
  },
);

type Manifest = {
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly scripts?: Record<string, string>;
};

const installScripts = ['preinstall', 'install', 'postinstall', 'prepare'];

function manifestProblems(manifest: Manifest, decisions: string): readonly string[] {
  const shipped = { ...manifest.dependencies, ...manifest.optionalDependencies };
  const all = Object.keys({ ...shipped, ...manifest.devDependencies });
  return [
    ...Object.keys(shipped).map((name) => `${name}: the published package has no dependencies`),
    ...installScripts
      .filter((name) => manifest.scripts?.[name] !== undefined)
      .map((name) => `${name}: the published package runs nothing when it is installed`),
    ...all
      .filter((name) => forbiddenPackages[name] !== undefined)
      .map((name) => `${name}: ${forbiddenPackages[name]}`),
    ...all
      .filter((name) => !decisions.includes(`\`${name}\``))
      .map((name) => `${name}: no page in docs/decisions says what it saves`),
  ];
}

const dependencies: Rule = {
  name: 'dependency',
  check: (files) => {
    const decisions = files
      .filter(({ path }) => path.startsWith('docs/decisions/'))
      .map(({ text }) => text)
      .join('\n');
    return files
      .filter(({ path }) => path === 'package.json')
      .flatMap(({ path, text }) =>
        manifestProblems(JSON.parse(text) as Manifest, decisions).map((message) => ({
          rule: 'dependency',
          path,
          line: 1,
          message,
        })),
      );
  },
};

export const rules: readonly Rule[] = [
  fileNames,
  fileLength,
  lineLength,
  openingComment,
  pureCode,
  pureProcess,
  leftOvers,
  testModifiers,
  defaultExports,
  enums,
  packagePaths,
  barrels,
  dependencies,
  ...importRules,
  ...roomRules,
  ...wordRules,
];

// Returns all violations, in the order of the rules.
export function checkTree(files: readonly TreeFile[]): readonly Violation[] {
  return rules.flatMap((rule) => rule.check(files));
}
