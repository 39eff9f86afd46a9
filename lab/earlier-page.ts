// What the scoreboard said before, of runs that are not in the cache of this machine: a run of a
// part renews that part, and the rest of the page stays with its days. Pure.

import type { RunLabel } from './figures.ts';

export class EarlierPage {
  readonly #lines: readonly string[];
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    this.#lines = text.split('\n');
  }

  /** Its row in the table of scores; another version of the agent has none. */
  row({ agent, version, mode }: RunLabel): string | null {
    return (
      this.#lines.find((line) => line.startsWith(`| ${agent} | ${version} | ${mode} |`)) ?? null
    );
  }

  section({ agent, mode }: RunLabel): string | null {
    const title = `## ${agent} ${mode}`;
    const [, rest] = `${this.#text}\n`.split(`\n${title}\n`);
    return rest === undefined ? null : `${title}\n${rest.split('\n## ')[0]?.trimEnd()}`;
  }

  /** Rows of the signals, by their sources. */
  lagRows(): ReadonlyMap<string, string> {
    const head = this.#lines.indexOf('| source | n | p50 ms | p95 ms |');
    const rows = head < 0 ? [] : this.#lines.slice(head + 2);
    const end = rows.findIndex((line) => !line.startsWith('| '));
    const own = end < 0 ? rows : rows.slice(0, end);
    return new Map(own.map((line) => [line.split(' | ')[0]?.slice(2) ?? '', line]));
  }
}
