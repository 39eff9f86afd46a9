// The shape of a command: what a file under commands/ exports, parse.ts reads, help and completion
// print. Also the call that a command is run with.

/**
 * What an option takes. `choices` is a list of words with commas; `moment` is a time, or a duration
 * that counts back from now.
 */
export type ValueKind = 'text' | 'choice' | 'choices' | 'count' | 'duration' | 'moment' | 'size';

/** What a running daemon knows words for. */
export const valueSources = [
  'refs',
  'targets',
  'sessions',
  'agents',
  'alerts',
  'deliveries',
  'channels',
  'mutes',
] as const;
export type ValueSource = (typeof valueSources)[number];

export interface ValueSpec {
  readonly kind: ValueKind;
  /** Its name in help: `PATH`, `DURATION`. */
  readonly label: string;
  /** The allowed words of a `choice` or of `choices`. */
  readonly choices?: readonly string[];
  /** Where completion finds words for it. */
  readonly source?: ValueSource;
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
  /** The last argument may take all remaining words. */
  readonly repeated?: boolean;
}

export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  /** More lines for its own help page: exit codes, what it does not do. */
  readonly notes?: readonly string[];
  /** Whole command lines, for help and the reference page; a test parses each of them. */
  readonly examples?: readonly string[];
  readonly options?: readonly OptionSpec[];
  readonly args?: readonly ArgumentSpec[];
  readonly commands?: readonly CommandSpec[];
  /** The one of `commands` that is meant where none is named: `list` is `list panes`. */
  readonly defaultCommand?: string;
  /** Returns the exit code. Absent: it only groups others. */
  readonly run?: RunCommand;
}

/** The program: its commands by name, each with what loads it. */
export interface Program extends CommandSpec {
  readonly lazyCommands: Readonly<Record<string, () => Promise<CommandSpec>>>;
  /** Other names of commands: `list-panes` is `list panes`. */
  readonly aliases: Readonly<Record<string, readonly string[]>>;
}

export const loadCommands = ({ lazyCommands }: Program): Promise<readonly CommandSpec[]> =>
  Promise.all(Object.values(lazyCommands).map((load) => load()));

export type RunCommand = (call: Call) => Promise<number>;

export type FlagValue = true | string | number | readonly (string | number)[];
export type Flags = Readonly<Record<string, FlagValue>>;

/** One call of a command, with what it may use of the process that it runs in. */
export interface Call {
  readonly args: readonly string[];
  readonly flags: Flags;
  readonly io: CliIo;
  /** The program itself, for commands that print the others. */
  readonly program: Program;
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

/** The text of an option; undefined when it is not given. */
export function textOf(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

/** The count, or milliseconds of a duration; undefined when it is not given. */
export function numberOf(flags: Flags, name: string): number | undefined {
  const value = flags[name];
  return typeof value === 'number' ? value : undefined;
}

/** Every value of a repeated option. */
export function listOf(flags: Flags, name: string): readonly string[] {
  const value = flags[name];
  return Array.isArray(value) ? value.map(String) : [];
}
