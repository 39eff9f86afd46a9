// The rows of docs/agentmux-scenarios.md: each scenario once, each with tests that exist.

/** How many scenarios each group has. */
export const scenarioCounts: Readonly<Record<string, number>> = {
  ...{ A: 18, B: 3, C: 10, D: 7, E: 6, F: 3 },
};

export interface ScenarioRow {
  readonly id: string;
  readonly asks: string;
  readonly tests: readonly { readonly file: string; readonly title: string }[];
  readonly differs: string;
}

const COLUMNS = 4;

export function scenarioRows(page: string): readonly ScenarioRow[] {
  return page.split('\n').flatMap((line): readonly ScenarioRow[] => {
    const cells = line.split('|').slice(1, -1);
    const [id = '', asks = '', tests = '', differs = ''] = cells.map((cell) => cell.trim());
    if (!/^[A-F]\d+$/.test(id) || cells.length !== COLUMNS) return [];
    return [{ id, asks, tests: testsOf(tests), differs }];
  });
}

/** A file stands for all titles up to the next file. */
function testsOf(cell: string): ScenarioRow['tests'] {
  let file = '';
  return [...cell.matchAll(/`(tests\/\S+)`(?= ")|"([^"]+)"/g)].flatMap(([, path, title]) => {
    file = path ?? file;
    return title === undefined ? [] : [{ file, title }];
  });
}

/** One sentence for each problem. `sourceOf` returns null for a file that does not exist. */
export function scenarioProblems(
  page: string,
  counts: Readonly<Record<string, number>>,
  sourceOf: (file: string) => string | null,
): readonly string[] {
  const rows = scenarioRows(page);
  const ids = rows.map(({ id }) => id);
  const wanted = Object.entries(counts).flatMap(([group, count]) =>
    Array.from({ length: count }, (_, index) => `${group}${index + 1}`),
  );
  return [
    ...wanted.filter((id) => !ids.includes(id)).map((id) => `${id} has no row`),
    ...ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `${id} has two rows`),
    ...ids.filter((id) => !wanted.includes(id)).map((id) => `${id} is no scenario`),
    ...rows.flatMap((row) => rowProblems(row, sourceOf)),
  ];
}

function rowProblems(
  { id, asks, tests, differs }: ScenarioRow,
  sourceOf: (file: string) => string | null,
): readonly string[] {
  const isDropped = differs.startsWith('dropped:');
  return [
    ...(asks === '' ? [`${id} does not say what it asks`] : []),
    ...(tests.length === 0 && !isDropped ? [`${id} has no test and is not dropped`] : []),
    ...tests.flatMap(({ file, title }) => {
      const source = sourceOf(file);
      if (source === null) return [`${id} names ${file}, which does not exist`];
      return hasTest(source, title) ? [] : [`${id}: ${file} has no test "${title}"`];
    }),
  ];
}

/** Whether a quoted text of the file is the title, and nothing more. */
const hasTest = (source: string, title: string): boolean =>
  ["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`));
