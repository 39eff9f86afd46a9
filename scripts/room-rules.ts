// The tidy rules inside a layer: its folders ("rooms") import one way, every folder is listed in
// import-table.ts and small enough to overlook, and no files import each other in a cycle. Pure.

import { posix } from 'node:path';
import { importTable } from './import-table.ts';
import { importsOf } from './source-text.ts';
import type { Rule, TreeFile, Violation } from './tidy-types.ts';

const FOLDER_FILES_MAX = 15;

/** The root files of a layer, unless they are listed one by one. */
const ROOT = '.';

const isSource = (path: string): boolean =>
  path.startsWith('src/') && path.endsWith('.ts') && !path.endsWith('.test.ts');
const layerOf = (path: string): string => path.split('/')[1] ?? '';
const folderOf = (path: string): string => path.split('/').slice(2, -1).join('/') || ROOT;

// The rooms of a layer, the lowest first. What is not listed of the root comes last.
function roomsOf(layer: string): readonly string[] {
  const rooms = importTable[layer]?.rooms ?? [];
  return rooms.includes(ROOT) ? rooms : [...rooms, ROOT];
}

// The place of a file's room among the rooms of its layer; -1 for a folder that is not listed.
function roomIndex(path: string): number {
  const rooms = roomsOf(layerOf(path));
  const asFile = rooms.indexOf(posix.basename(path));
  return folderOf(path) === ROOT && asFile >= 0 ? asFile : rooms.indexOf(folderOf(path));
}

type Edge = { readonly target: string; readonly line: number };

// The files that a file imports, types included and import() excluded.
function edgesOf({ path, text }: TreeFile): readonly Edge[] {
  return importsOf(text)
    .filter(({ kind, specifier }) => specifier.startsWith('.') && kind !== 'lazy')
    .map(({ specifier, line }) => ({
      target: posix.join(posix.dirname(path), specifier),
      line,
    }))
    .filter(({ target }) => target !== path);
}

const roomFolders: Rule = {
  name: 'room-folder',
  check: (files) =>
    files
      .filter(({ path }) => path.startsWith('src/') && importTable[layerOf(path)] !== undefined)
      .filter(({ path }) => !roomsOf(layerOf(path)).includes(folderOf(path)))
      .map(({ path }) => ({
        rule: 'room-folder',
        path,
        line: 1,
        message: `${posix.dirname(path)} is not a room of its layer in scripts/import-table.ts`,
      })),
};

function roomProblem(path: string, target: string): string | undefined {
  const layer = layerOf(path);
  if (layer !== layerOf(target)) return undefined;
  const [own, other] = [roomIndex(path), roomIndex(target)];
  if (own < 0 || other <= own) return undefined;
  const rooms = roomsOf(layer);
  return `${rooms[own]} may not import ${rooms[other]}, which comes after it in ${layer}`;
}

const roomImports: Rule = {
  name: 'room-import',
  check: (files) =>
    files
      .filter(({ path }) => isSource(path))
      .flatMap((file) =>
        edgesOf(file).flatMap(({ target, line }): Violation[] => {
          const message = roomProblem(file.path, target);
          return message === undefined
            ? []
            : [{ rule: 'room-import', path: file.path, line, message }];
        }),
      ),
};

const folderSize: Rule = {
  name: 'folder-size',
  check: (files) => {
    const folders = Map.groupBy(
      files.filter(({ path }) => isSource(path)),
      ({ path }) => posix.dirname(path),
    );
    return [...folders]
      .filter(([, inside]) => inside.length > FOLDER_FILES_MAX)
      .map(([path, inside]) => ({
        rule: 'folder-size',
        path,
        line: 1,
        message: `${inside.length} source files; the most is ${FOLDER_FILES_MAX}`,
      }));
  },
};

// The import cycle from the last file of `way` back to one of its files, or null.
function findCycle(
  way: readonly string[],
  graph: ReadonlyMap<string, readonly Edge[]>,
  done: Set<string>,
): readonly string[] | null {
  const last = way.at(-1) ?? '';
  for (const { target } of graph.get(last) ?? []) {
    if (way.includes(target)) return [...way.slice(way.indexOf(target)), target];
    if (done.has(target)) continue;
    const cycle = findCycle([...way, target], graph, done);
    if (cycle !== null) return cycle;
  }
  done.add(last);
  return null;
}

const importCycles: Rule = {
  name: 'import-cycle',
  check: (files) => {
    const graph = new Map(
      files.filter(({ path }) => isSource(path)).map((file) => [file.path, edgesOf(file)]),
    );
    const done = new Set<string>();
    return [...graph.keys()].flatMap((path): Violation[] => {
      const cycle = done.has(path) ? null : findCycle([path], graph, done);
      for (const each of cycle ?? []) done.add(each);
      if (cycle === null) return [];
      return [
        { rule: 'import-cycle', path: cycle[0] ?? path, line: 1, message: cycle.join(' -> ') },
      ];
    });
  },
};

export const roomRules: readonly Rule[] = [roomFolders, roomImports, folderSize, importCycles];
