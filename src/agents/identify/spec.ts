// What identifies an agent besides its screen, compiled from the [identify] table of its file.

export interface IdentifySpec {
  /** Lower is tried first, where two agents could match. */
  readonly priority: number;
  /** Names of the program itself: `claude`, `codex`. */
  readonly executables: ReadonlySet<string>;
  /** npm packages; a script inside one of them is the agent. */
  readonly packages: readonly string[];
  /** Parts of an executable's path, such as `/claude/versions/`. */
  readonly paths: readonly string[];
  /** The agent renames its process to its bare version (`2.1.325`). */
  readonly versionArgv0: boolean;
  /** Arguments that make the same program something else: a shared daemon, an MCP server. */
  readonly notArgv: readonly RegExp[];
  /** Titles the agent sets. They add weight and never promote alone. */
  readonly titles: readonly RegExp[];
}
