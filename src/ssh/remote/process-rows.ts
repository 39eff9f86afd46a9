// Processes of a host, read out of what its probe printed: lines of /proc/<pid>/stat, or columns of
// ps where there is no /proc. Foreign text: what cannot be read is left out. Pure.

import type { ProbeSection } from '../probe/probe-frames.ts';

export interface ProcessRow {
  readonly pid: number;
  readonly ppid: number;
  readonly comm: string;
  /** As ps writes it: the state letter, and `+` in the foreground of its terminal. */
  readonly stat: string;
  /** Since the host booted; null where ps printed the time itself. */
  readonly startTicks: number | null;
  /** From ps. */
  readonly startedAtMs: number | null;
  /** Another after the process became another program, or gave itself another name. */
  readonly image: string;
}

export interface ProcessDetail {
  readonly exe: string | undefined;
  readonly argv: readonly string[];
}

/** Bytes, one a character, as the UTF-8 that they are meant to be. */
const textOf = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');

/** Reads stat lines: `pid (comm) S ppid pgrp session tty tpgid ...`. */
export function readStatLines(body: string): readonly ProcessRow[] {
  return body.split('\n').flatMap((line) => readStatLine(line) ?? []);
}

function readStatLine(line: string): ProcessRow | null {
  const open = line.indexOf(' (');
  // The name may hold blanks and brackets.
  const close = line.lastIndexOf(') ');
  if (open < 0 || close < open) return null;
  const fields = line.slice(close + 2).split(' ');
  const [state = '', ppid, group, , , terminalGroup] = fields;
  const pid = wholeNumber(line.slice(0, open));
  const parent = wholeNumber(ppid);
  const startTicks = wholeNumber(fields[19]);
  if (pid === null || parent === null || startTicks === null || state.length !== 1) return null;
  const comm = textOf(line.slice(open + 2, close));
  // Where its stack and its arguments lie: new after each exec.
  const image = [comm, fields[25], fields[45], fields[46]].join(' ');
  const stat = terminalGroup === group ? `${state}+` : state;
  return { pid, ppid: parent, comm, stat, startTicks, startedAtMs: null, image };
}

/** Reads the columns pid, ppid, stat, lstart (in UTC) and ucomm of ps. */
export function readPsRows(body: string): readonly ProcessRow[] {
  return body.split('\n').flatMap((line) => {
    const [, pid, ppid, stat, started, comm] =
      /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\w{3}\s+\w{3}\s+\d+\s+[\d:]{8}\s+\d{4})\s+(.*)$/.exec(line) ??
      [];
    const startedAtMs = Date.parse(`${started?.replace(/\s+/g, ' ')} UTC`);
    if (stat === undefined || comm === undefined || Number.isNaN(startedAtMs)) return [];
    const name = textOf(comm.trimEnd());
    const row = { pid: Number(pid), ppid: Number(ppid), comm: name, stat };
    return [{ ...row, startTicks: null, startedAtMs, image: name }];
  });
}

/** Reads the columns pid and args of ps, which does not tell where an argument ends. */
export function readPsArguments(body: string): ReadonlyMap<number, ProcessDetail> {
  const rows = body.split('\n').flatMap((line) => {
    const [, pid, words] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
    if (words === undefined) return [];
    const argv = textOf(words).split(/\s+/).filter(Boolean);
    return [[Number(pid), { exe: undefined, argv }] as const];
  });
  return new Map(rows);
}

/**
 * A spelling of /proc that nobody can guess: `head` and `ls` write it before what they found, and
 * no argument of a process can pass for it.
 */
export function secretProcRoot(bytes: Uint8Array): string {
  const bits = [...bytes].flatMap((byte) => [...byte.toString(2).padStart(8, '0')]);
  return `/proc${bits.map((bit) => (bit === '1' ? '/.' : '/')).join('')}`;
}

/** Reads the sections of `agtmux_details` that was given this root. */
export function readDetails(
  root: string,
  sections: readonly ProbeSection[],
): ReadonlyMap<number, ProcessDetail> {
  const part = (name: string): string => sections.find((each) => each.name === name)?.body ?? '';
  const exes = new Map(
    part('exes')
      .split('\n')
      .flatMap((line): readonly (readonly [number, string])[] => {
        const [, pid, exe] =
          /^(\d{1,10})\/exe -> (.*)$/.exec(line.split(` ${root}/`)[1] ?? '') ?? [];
        return exe === undefined ? [] : [[Number(pid), textOf(exe)]];
      }),
  );
  const [, ...entries] = part('arguments').split(`==> ${root}/`);
  const rows = entries.flatMap((entry, index): readonly (readonly [number, ProcessDetail])[] => {
    const [head, pid] = /^(\d{1,10})\/cmdline <==/.exec(entry) ?? [];
    if (head === undefined) return [];
    // A newline follows, and another stands before the next one; both have become \x01.
    const end = index < entries.length - 1 ? -1 : entry.length;
    const words = entry.slice(head.length + 1, end).split('\n');
    // The end of an argument was a NUL, and there is nothing after the last.
    if (words.at(-1) === '') words.pop();
    const argv = words.map((word) => textOf(word.replaceAll('\x01', '\n')));
    return [[Number(pid), { exe: exes.get(Number(pid)), argv }]];
  });
  return new Map(rows);
}

function wholeNumber(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
