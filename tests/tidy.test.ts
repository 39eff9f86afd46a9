import { describe, expect, it } from 'vitest';
import { importTable } from '../scripts/import-table.ts';
import { readTree } from '../scripts/read-tree.ts';
import { root } from '../scripts/script-entry.ts';
import { codeOnly, commentsOnly, importsOf } from '../scripts/source-text.ts';
import { checkTree, rules } from '../scripts/tidy-rules.ts';
import type { TreeFile } from '../scripts/tidy-types.ts';

const opening = '// What this is.\n';

function file(path: string, body = ''): TreeFile {
  return { path, text: `${opening}${body}\n` };
}

// A file that imports the given ones, so that they do not count as dead.
function using(...paths: readonly string[]): TreeFile {
  return file('tests/use.test.ts', paths.map((path) => `import '../${path}';`).join('\n'));
}

function broken(files: readonly TreeFile[]): readonly string[] {
  return [...new Set(checkTree(files).map(({ rule }) => rule))];
}

// Checks one file with everything around it in order, and returns the rules that it breaks.
function brokenBy(path: string, body: string): readonly string[] {
  return broken([file(path, body), using(path)]);
}

const manifest = (fields: object): TreeFile => ({
  path: 'package.json',
  text: JSON.stringify(fields),
});

const sixteenPaths = Array.from({ length: 16 }, (_, index) => `src/platform/a${index}.ts`);
const sixteen = [...sixteenPaths.map((path) => file(path)), using(...sixteenPaths)];

const glossary: TreeFile = {
  path: 'GLOSSARY.md',
  text: [
    '- **What**: a word of every file in this',
    '  test. Avoid: executor, runner.',
    '## Words that are not names',
    '- `told`',
    '## Other',
    '- `word`',
  ].join('\n'),
};

// At least one violation for each rule: a rule that cannot fail is not a rule.
const planted: Readonly<Record<string, readonly (readonly TreeFile[])[]>> = {
  'file-name': [
    [file('scripts/readTree.ts')],
    [file('scripts/text-utils.ts')],
    [file('tests/sim/helpers.ts')],
    [file('scripts/Big/a.ts')],
    [file('scripts/common.ts')],
    [file('scripts/session-manager.ts')],
    [file('scripts/service.ts')],
  ],
  'file-length': [
    [file('scripts/long.ts', 'x();\n'.repeat(400))],
    [file('tests/long.test.ts', 'x();\n'.repeat(600))],
  ],
  'line-length': [[file('scripts/wide.ts', `// ${'word '.repeat(20)}`)]],
  'opening-comment': [
    [{ path: 'scripts/bare.ts', text: 'export const a = 1;\n' }],
    [{ path: 'scripts/bare.mjs', text: '#!/usr/bin/env node\nrun();\n' }],
    [{ path: 'scripts/chatty.ts', text: '// word\n'.repeat(9) }],
  ],
  'pure-code': [
    'Date.now()',
    'new Date()',
    'Math.random()',
    'await x',
    'async () => x',
    'Promise.all([])',
    'setTimeout(x)',
  ].map((text) => [file('src/core/a.ts', `use(${text});`), using('src/core/a.ts')]),
  'pure-process': [
    [file('src/core/a.ts', 'use(process.env);'), using('src/core/a.ts')],
    [file('src/core/a.ts', 'use(row.process, process.pid);'), using('src/core/a.ts')],
  ],
  'left-over': [[file('scripts/a.ts', '// TODO later')], [file('scripts/a.ts', '/* FIXME */')]],
  'test-modifier': [
    [file('tests/a.test.ts', "it.only('x', f);")],
    [file('tests/a.test.ts', "describe.skip('x', f);")],
    [file('tests/a.test.ts', "test.concurrent.only('x', f);")],
  ],
  'default-export': [
    [file('scripts/a.ts', 'export default 1;')],
    [file('scripts/a.ts', 'export { a as default };')],
  ],
  enum: [[file('scripts/a.ts', 'export enum A { B }')]],
  'package-path': [
    [
      file('src/platform/files/a.ts', 'use(import.meta.dirname);'),
      using('src/platform/files/a.ts'),
    ],
  ],
  barrel: [
    [file('src/core/all.ts', "export * from './a.ts';"), using('src/core/all.ts')],
    [file('src/core/index.ts'), using('src/core/index.ts')],
  ],
  dependency: [
    [manifest({ dependencies: { zod: '4' } }), file('docs/decisions/1.md', '`zod`')],
    [manifest({ scripts: { postinstall: 'x' } })],
    [manifest({ devDependencies: { execa: '10' } }), file('docs/decisions/1.md', '`execa`')],
    [manifest({ devDependencies: { unargued: '1' } })],
  ],
  'layer-folder': [
    [file('src/misc/a.ts'), using('src/misc/a.ts')],
    [file('src/a.ts'), using('src/a.ts')],
  ],
  import: [
    [file('src/schema/a.ts', "import { b } from '../core/b.ts';"), using('src/schema/a.ts')],
  ],
  'computed-import': [[file('src/cli/a.ts', 'import(name);'), using('src/cli/a.ts')]],
  'room-folder': [
    [file('src/platform/other/a.ts'), using('src/platform/other/a.ts')],
    [file('src/tmux/taps/deep/a.ts'), using('src/tmux/taps/deep/a.ts')],
  ],
  'room-import': [
    [
      file('src/platform/text/a.ts', "import { b } from '../process/b.ts';"),
      using('src/platform/text/a.ts'),
    ],
    [file('src/tmux/taps/a.ts', "import type { b } from '../b.ts';"), using('src/tmux/taps/a.ts')],
    [file('src/schema/a.ts', "import { b } from './api/b.ts';"), using('src/schema/a.ts')],
  ],
  'folder-size': [sixteen, [...sixteen, file('src/platform/b.test.ts')]],
  'import-cycle': [
    [
      file('src/platform/a.ts', "import type { b } from './b.ts';"),
      file('src/platform/b.ts', "import { c } from './c.ts';"),
      file('src/platform/c.ts', "import { a } from './a.ts';"),
    ],
  ],
  'one-definition': [
    [
      file('src/platform/a.ts', 'export type Same = 1;'),
      file('src/schema/a.ts', 'export const Same = 1;'),
      using('src/platform/a.ts', 'src/schema/a.ts'),
    ],
  ],
  'avoided-word': [
    'const told = 1;',
    'f({ toldEvent });',
    'const TOLD_MAX = 1;',
    'class ToldEvent {}',
    'use(anExecutor);',
    '// An executor runs it.',
  ].map((body) => [glossary, file('src/core/a.ts', body), using('src/core/a.ts')]),
  'unused-word': [
    [
      { path: 'GLOSSARY.md', text: '- **World**: all.\n- **Draft world**: one that changes.\n' },
      file('src/core/a.ts', 'const world = 1;'),
      using('src/core/a.ts'),
    ],
  ],
  'dead-file': [[file('src/core/alone.ts')], [file('src/core/self.ts', "import './self.ts';")]],
};

describe('each tidy rule', () => {
  it('has planted violations', () => {
    expect(Object.keys(planted).sort()).toEqual(rules.map(({ name }) => name).sort());
  });

  const cases = Object.entries(planted).flatMap(([rule, trees]) =>
    trees.map((tree, index) => ({ rule, tree, number: index + 1 })),
  );

  it.each(cases)('$rule finds planted violation $number and nothing else', ({ rule, tree }) => {
    expect(broken(tree)).toEqual([rule]);
  });

  it('names the file, the line and what to do', () => {
    const tree = [file('src/core/a.ts', '\nuse(Date.now());'), using('src/core/a.ts')];
    expect(checkTree(tree)).toEqual([
      {
        rule: 'pure-code',
        path: 'src/core/a.ts',
        line: 3,
        message: 'Date.now: pure code takes nowMs as an argument',
      },
    ]);
  });
});

describe('what the rules leave alone', () => {
  it.each([
    ['words in comments', 'src/core/a.ts', '// The process. We await a Promise; Date.now is out.'],
    ['words in strings', 'src/core/a.ts', "use('await process.exit new Date', `Math.random()`);"],
    ['words in patterns', 'src/core/a.ts', 'use(/await process.x/);'],
    ['a field called process', 'src/core/a.ts', 'use(row.process.pid);'],
    ['an argument called process', 'src/core/a.ts', 'map((process) => process.argv);'],
    ['a parameter called process', 'src/core/a.ts', 'f(process: Process): x { process.pid }'],
    ['a variable called process', 'src/core/a.ts', 'for (const process of all) process.pid;'],
    ['shells with a clock', 'src/platform/a.ts', 'use(Date.now());'],
    ['a long line with an address', 'scripts/a.ts', `// https://example.org/${'x'.repeat(100)}`],
    ['a skip with a reason', 'tests/a.test.ts', "it.skipIf(missing)('x', f);"],
    ['import words in strings', 'src/core/a.ts', 'use("import { x } from \'../cli/a.ts\'");'],
  ])('%s', (_name, path, body) => {
    expect(brokenBy(path, body)).toEqual([]);
  });

  it.each([
    ['a verb in a comment', '// The use of it is told to subscribers.'],
    ['a word inside a word', 'use(untoldable, retold);'],
    ['a field on the wire', 'use(row.last_told_at);'],
    ['a word of another list', 'use(word);'],
  ])('%s, whatever the glossary lists', (_name, body) => {
    const tree = [glossary, file('src/core/a.ts', body), using('src/core/a.ts')];
    expect(broken(tree)).toEqual([]);
  });

  it('lets a type and its value share a name in one file', () => {
    const body = 'export const Same = 1;\nexport type Same = 1;';
    expect(brokenBy('src/core/a.ts', body)).toEqual([]);
  });

  it('lets the two lists re-export', () => {
    expect(brokenBy('src/agents/registry.ts', "export * from './claude.ts';")).toEqual([]);
  });

  it('counts a worker reached by its URL as used', () => {
    const body = "start(new URL('./worker.ts', import.meta.url));";
    const tree = [file('src/sources/worker.ts'), file('src/sources/a.ts', body)];
    expect(broken([...tree, using('src/sources/a.ts')])).toEqual([]);
  });
});

describe('the import table', () => {
  it('lists every folder of the map', () => {
    expect(Object.keys(importTable).sort()).toEqual(
      [
        ...[
          'acting',
          'agents',
          'cli',
          'client',
          'core',
          'daemon',
          'mcp',
          'notify',
          'operations',
          'platform',
        ],
        ...[
          'config',
          'doctor',
          'recording',
          'relay',
          'schema',
          'servers',
          'sources',
          'store',
          'tmux',
          'tmux-wire',
        ],
        ...['demo', 'hooks', 'render', 'ssh', 'text', 'tui', 'agent-files', 'web', 'web-client'],
      ].sort(),
    );
  });

  it('has no way back: layers that import each other would be one layer', () => {
    const reaches = (from: string, to: string, seen: readonly string[] = []): boolean =>
      (importTable[from]?.imports ?? []).some(
        (next) => next === to || (!seen.includes(next) && reaches(next, to, [...seen, next])),
      );
    expect(Object.keys(importTable).filter((layer) => reaches(layer, layer))).toEqual([]);
  });

  it.each([
    ['src/core/a.ts', "import { b } from '../schema/b.ts';"],
    ['src/platform/a.ts', "import { b } from './files/b.ts';"],
    ['src/platform/process/a.ts', "import { b } from '../files/b.ts';"],
    ['src/platform/process/a.ts', "import { b } from '../../schema/b.ts';"],
    ['src/platform/text/a.test.ts', "import { b } from '../process/b.ts';"],
    ['src/schema/api/a.ts', "import { b } from '../b.ts';"],
    ['src/schema/a.ts', "import { z } from 'zod';\nimport * as m from 'zod/mini';"],
    ['src/store/a.ts', "import { DatabaseSync } from 'node:sqlite';"],
    ['src/platform/a.ts', "import { spawn } from 'node:child_process';"],
    ['src/daemon/a.ts', "import { b } from '../servers/b.ts';"],
    ['src/cli/a.ts', "import type { b } from '../schema/b.ts';"],
    ['src/cli/a.ts', "const { run } = await import('../daemon/main.ts');"],
    ['src/cli/a.ts', "import type { run } from '../daemon/main.ts';"],
    ['src/cli/commands/panes/classify.ts', "await import('../../../agents/registry.ts');"],
    ['src/client/a.ts', "export type { b } from '../schema/b.ts';"],
    ['src/web/components/a.ts', "import { LitElement } from 'lit';"],
    ['src/core/a.test.ts', "import { it } from 'vitest';\nimport fc from 'fast-check';"],
    ['src/core/a.test.ts', "import { stream } from '../../tests/sim/stream.ts';"],
    ['src/cli/a.test.ts', "import { b } from '../schema/b.ts';"],
  ])('allows %s: %s', (path, body) => {
    expect(brokenBy(path, body)).toEqual([]);
  });

  it.each([
    ['src/schema/a.ts', "import { b } from '../core/b.ts';"],
    ['src/schema/a.ts', "import type { b } from '../core/b.ts';"],
    ['src/core/a.ts', "import { b } from '../store/b.ts';"],
    ['src/core/a.ts', "export { b } from '../agents/b.ts';"],
    ['src/core/a.ts', "import '../platform/b.ts';"],
    ['src/core/a.ts', "import { readFile } from 'node:fs';"],
    ['src/core/a.ts', "import { z } from 'zod';"],
    ['src/schema/api/a.ts', "import { b } from '../../core/b.ts';"],
    ['src/core/a.ts', "import {\n  b,\n  c,\n} from '../daemon/b.ts';"],
    ['src/core/a.test.ts', "import { b } from '../store/b.ts';"],
    ['src/agents/a.ts', "import { b } from '../core/b.ts';"],
    ['src/store/a.ts', "import { b } from '../core/b.ts';"],
    ['src/store/a.ts', "import { spawn } from 'node:child_process';"],
    ['src/platform/a.ts', "import { DatabaseSync } from 'node:sqlite';"],
    ['src/operations/a.ts', "import { b } from '../daemon/b.ts';"],
    ['src/servers/a.ts', "import { b } from '../core/b.ts';"],
    ['src/cli/a.ts', "import { b } from '../schema/b.ts';"],
    ['src/cli/a.ts', "import { type b } from '../schema/b.ts';"],
    ['src/cli/a.ts', "import { run } from '../daemon/main.ts';"],
    ['src/cli/a.ts', "await import('../core/reduce.ts');"],
    ['src/cli/commands/panes/list.ts', "await import('../../../core/reduce.ts');"],
    ['src/cli/a.ts', "await import('../store/open.ts');"],
    ['src/cli/a.ts', "import { z } from 'zod';"],
    ['src/client/a.ts', "import { b } from '../daemon/b.ts';"],
    ['src/tui/a.ts', "import { b } from '../core/b.ts';"],
    ['src/web/a.ts', "import { readFile } from 'node:fs';"],
    ['src/notify/a.ts', "import { b } from '../core/b.ts';"],
    ['src/relay/a.ts', "import { b } from '../store/b.ts';"],
    ['src/core/a.ts', "import { b } from '../../scripts/b.ts';"],
  ])('forbids %s: %s', (path, body) => {
    expect(brokenBy(path, body)).toEqual(['import']);
  });
});

describe('the scanner under the rules', () => {
  it('keeps places and lines while it blanks', () => {
    const template = ['`f$', '{g({ h: "i" })}j`'].join('');
    const text = `a(); // one\nb("two\\"", /th[/]ree/g, ${template});\n/* k\n */ l / m / n;`;
    expect(codeOnly(text)).toHaveLength(text.length);
    expect(codeOnly(text).split('\n')).toHaveLength(4);
    expect(codeOnly(text).replace(/\s+/g, ' ').trim()).toBe(
      'a(); b(" ", , ` {g({ h: " " })} `); l / m / n;',
    );
    expect(commentsOnly(text).replace(/\s+/g, ' ').trim()).toBe('// one /* k */');
  });

  it('distinguishes value, type and dynamic imports', () => {
    const text = [
      "import a from './a.ts';",
      "import type { b } from './b.ts';",
      "import './c.ts';",
      "export { d } from './d.ts';",
      "export type { e } from './e.ts';",
      "const f = await import('./f.ts');",
      "// import './g.ts';",
      'const g = "import \'./h.ts\'";',
    ].join('\n');
    const found = importsOf(text).map(({ kind, specifier, line }) => [line, kind, specifier]);
    expect(found.sort()).toEqual([
      [1, 'value', './a.ts'],
      [2, 'type', './b.ts'],
      [3, 'value', './c.ts'],
      [4, 'value', './d.ts'],
      [5, 'type', './e.ts'],
      [6, 'lazy', './f.ts'],
    ]);
  });
});

describe('this repository', () => {
  const tree = readTree(root);

  it('is read: the rules see the sources, the tests and the scripts', () => {
    const paths = tree.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining(['package.json', 'src/cli/main.ts', 'tests/tidy.test.ts']),
    );
  });

  it('keeps every rule', () => {
    const lines = checkTree(tree).map(
      ({ rule, path, line, message }) => `${path}:${line} ${rule}: ${message}`,
    );
    expect(lines).toEqual([]);
  });
});
