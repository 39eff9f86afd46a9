// The shape of a command: what table.ts lists, parse.ts reads, help and completion print, and a
// command's own file is called with. Data only; nothing here looks at the world.

/** What an option takes. `moment` is a time, or a duration that counts back from now. */
export type ValueKind = 'text' | 'choice' | 'count' | 'duration' | 'moment' | 'size';

export interface ValueSpec {
  readonly kind: ValueKind;
  /** How help names it: `PATH`, `10s`. */
  readonly label: string;
  /** The allowed words of a `choice`. */
  readonly choices?: readonly string[];
}

export interface OptionSpec {
  /** Without the dashes: `socket-path`. */
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  readonly summary: string;
  /** Absent: a switch. */
  readonly value?: ValueSpec;
  readonly repeated?: boolean;
  readonly required?: boolean;
}

export interface ArgumentSpec {
  readonly value: ValueSpec;
  readonly summary: string;
  readonly optional?: boolean;
  /** The last argument may take all that is left. */
  readonly repeated?: boolean;
}

export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  /** More for its own help page: exit codes, what it does not do. */
  readonly notes?: readonly string[];
  readonly options?: readonly OptionSpec[];
  readonly args?: readonly ArgumentSpec[];
  readonly commands?: readonly CommandSpec[];
  /** The command under its usual name; an alias is not listed on its own. */
  readonly aliasOf?: readonly string[];
  /** Returns the exit code. Absent: it only groups others. */
  readonly run?: RunCommand;
}

export type RunCommand = (call: Call) => Promise<number>;

export type FlagValue = true | string | number | readonly (string | number)[];
export type Flags = Readonly<Record<string, FlagValue>>;

/** One call of a command, with all it may know of the process that it runs in. */
export interface Call {
  /** The names of the command, without `agtmux`: `['list', 'panes']`. */
  readonly path: readonly string[];
  readonly args: readonly string[];
  readonly flags: Flags;
  readonly io: CliIo;
  /** The table, for commands that speak of the others. */
  readonly program: CommandSpec;
}

export interface CliOutput {
  readonly writeOut: (text: string) => void;
  readonly writeErr: (text: string) => void;
}

export interface CliIo extends CliOutput {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
  /** Columns and rows of the terminal, as of now; undefined where there is none. */
  readonly size: () => { readonly columns: number; readonly rows: number } | undefined;
}

export const isSet = (flags: Flags, name: string): boolean => flags[name] === true;

/** The text of an option; undefined where it was not given. */
export function textOf(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

/** The count, or milliseconds of a duration; undefined where it was not given. */
export function numberOf(flags: Flags, name: string): number | undefined {
  const value = flags[name];
  return typeof value === 'number' ? value : undefined;
}

/** Every value of a repeated option. */
export function listOf(flags: Flags, name: string): readonly string[] {
  const value = flags[name];
  return Array.isArray(value) ? value.map(String) : [];
}
