// Processes under a pane, and the reader of the `ps --forest` text that recordings keep. The live
// process source makes the same list from /proc or ps; matching it is left to match.ts.

export interface ProcessInfo {
  readonly pid: number;
  readonly ppid: number;
  /** The kernel's name of the process, cut to 15 bytes; a thread name for node programs. */
  readonly comm: string;
  readonly argv: readonly string[];
  /** Path of the executable file, where it can be read. */
  readonly exe?: string | undefined;
  /** ps state letters: Z is dead, T is stopped. */
  readonly stat?: string | undefined;
}

const FOREST = /^[\s|\\_`-]*/;
const ROW = /^\s*(\d{1,10})\s+(\d{1,10})\s+(\S{1,8})\s(.*)$/;
/** More processes than any pane has; a longer text is cut. */
const ROWS_MAX = 2000;
const ROW_LENGTH_MAX = 4000;

/** The processes of a recorded tree, in its order. Lines that are no row are skipped. */
export function parseProcessTree(text: string): readonly ProcessInfo[] {
  const rows = text.split('\n', ROWS_MAX);
  const [header = ''] = rows;
  const commandAt = header.indexOf('COMMAND');
  const argsAt = header.lastIndexOf('COMMAND');
  const width = argsAt > commandAt ? argsAt - commandAt : 0;
  return rows.flatMap((row) => {
    const found = ROW.exec(row.slice(0, ROW_LENGTH_MAX));
    if (found === null) return [];
    const [, pid = '', ppid = '', stat = '', rest = ''] = found;
    const columns = splitColumns(row, rest, commandAt, width);
    return [
      {
        pid: Number(pid),
        ppid: Number(ppid),
        stat,
        comm: columns.comm,
        argv: columns.args.split(/\s+/).filter((word) => word !== ''),
      },
    ];
  });
}

// The two columns stand under their headings; where a wide pid shifted them, the width still holds.
function splitColumns(row: string, rest: string, commandAt: number, width: number) {
  const body =
    rest.length > 0 && row.length - rest.length > commandAt
      ? rest.trimStart()
      : row.slice(commandAt);
  if (width === 0) {
    const args = body.replace(FOREST, '');
    return { comm: args.split(/\s/)[0] ?? '', args };
  }
  return {
    comm: body.slice(0, width).replace(FOREST, '').trim(),
    args: body.slice(width).replace(FOREST, '').trim(),
  };
}

/** Dead but not yet collected by its parent. */
export const isDefunct = (process: ProcessInfo): boolean =>
  (process.stat?.startsWith('Z') ?? false) || process.argv.includes('<defunct>');

/** Stopped by a signal, as with Ctrl-Z. */
export const isStopped = (process: ProcessInfo): boolean => process.stat?.startsWith('T') ?? false;

/** In the foreground of its terminal, or not known. */
export const isForeground = (process: ProcessInfo): boolean => process.stat?.includes('+') ?? true;

/** The processes above this one that are in the list, the nearest first. */
export function ancestorsOf(
  process: ProcessInfo,
  all: ReadonlyMap<number, ProcessInfo>,
): readonly ProcessInfo[] {
  const found = new Set<ProcessInfo>();
  let parent = all.get(process.ppid);
  while (parent !== undefined && !found.has(parent)) {
    found.add(parent);
    parent = all.get(parent.ppid);
  }
  return [...found];
}
