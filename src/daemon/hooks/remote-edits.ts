// Edited files of another machine, by the probe of its connection. Nothing is written there but
// when a person has hooks installed on that machine.

import {
  decodeFileText,
  type EditedFacts,
  type EditedFiles,
  FileEditError,
  type NewText,
} from '../../hooks/edited-files.ts';
import { Fault } from '../../platform/fault.ts';
import { escapedText } from '../../ssh/probe/edit-script.ts';
import type { ProbeClient, ProbeCommand } from '../../ssh/probe/probe.ts';

const DEADLINE_MS = 10_000;
/** Sent as one line of shell input, with four characters for each escaped byte. */
const FILE_BYTES_MAX = 262_144;

export function remoteEdits(probe: ProbeClient): EditedFiles {
  const ask = (command: ProbeCommand, words: readonly string[]): Promise<string> =>
    request(probe, command, words);
  return {
    facts: async (path) => factsIn(path, await ask('agtmux_edit_facts', [path])).facts,
    realPath: async (path) => factsIn(path, await ask('agtmux_edit_facts', [path])).realPath,
    read: async (path) => {
      const answer = await ask('agtmux_edit_read', [path, String(FILE_BYTES_MAX + 1)]);
      if (answer.startsWith('none')) return null;
      if (!answer.startsWith('bytes\n')) throw new FileEditError(`${path} is not a plain file`);
      const bytes = Buffer.from(answer.slice('bytes\n'.length), 'latin1');
      if (bytes.length > FILE_BYTES_MAX) throw new FileEditError(`${path} is larger than 256 KB`);
      return decodeFileText(path, bytes);
    },
    writeAtomically: async (path, { text, mode, expected }: NewText) => {
      const words = [path, mode.toString(8), expectedWord(path, expected), word(path, text)];
      return isDone(path, await ask('agtmux_edit_write', words));
    },
    remove: async (path, expected) =>
      isDone(path, await ask('agtmux_edit_remove', [path, expectedWord(path, expected)])),
    makeFolder: async (path, mode) => {
      isDone(path, await ask('agtmux_edit_folder', [path, mode.toString(8)]));
    },
    list: async (path) => {
      const answer = await ask('agtmux_folder_list', [path, '1000']);
      const [head, ...names] = Buffer.from(answer, 'latin1').toString('utf8').split('\n');
      return head === 'names' ? names.filter(Boolean).sort() : [];
    },
  };
}

async function request(
  probe: ProbeClient,
  command: ProbeCommand,
  words: readonly string[],
): Promise<string> {
  try {
    return await probe.ask({ command, words, deadlineMs: DEADLINE_MS });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new FileEditError(error.message);
  }
}

interface Seen {
  readonly facts: EditedFacts | null;
  readonly realPath: string;
}

function factsIn(path: string, answer: string): Seen {
  const text = Buffer.from(answer, 'latin1').toString('utf8');
  const [, kind, mode, real] = /^(file|folder|other) ([0-7]{1,4})\n([\s\S]+)$/.exec(text) ?? [];
  if (kind === undefined || mode === undefined) {
    if (text.startsWith('none')) return { facts: null, realPath: path };
    throw new FileEditError(`${path} cannot be read`);
  }
  const facts = { kind: kind as EditedFacts['kind'], mode: Number.parseInt(mode, 8) };
  return { facts, realPath: real?.startsWith('/') ? real : path };
}

/** Shells cannot hold a NUL. */
function word(path: string, text: string): string {
  if (text.includes('\0')) throw new FileEditError(`${path} holds a NUL`);
  if (Buffer.byteLength(text) > FILE_BYTES_MAX) throw new FileEditError(`${path} is too large`);
  return escapedText(text);
}

const expectedWord = (path: string, expected: string | null): string =>
  expected === null ? 'none' : `=${word(path, expected)}`;

function isDone(path: string, answer: string): boolean {
  const outcome = answer.trim();
  if (outcome === 'refused') throw new FileEditError(`${path} cannot be written`);
  return outcome === 'done';
}
