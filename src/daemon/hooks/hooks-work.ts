// Hooks of agents on the machines that the daemon reaches. The emitter of this version comes from
// our own package; a copy that hooks run is brought up to date at each start.

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import { type EditedFiles, FileEditError } from '../../hooks/edited-files.ts';
import { upgradeEmitter } from '../../hooks/emitter-file.ts';
import { localEdits } from '../../hooks/local-edits.ts';
import { emitterOn, type HookMachine, runHooksJob, unknownAgents } from '../../hooks/machine.ts';
import type { Cancellation, HooksPort } from '../../operations/ports/ports.ts';
import { packageFile } from '../../platform/package-files.ts';
import { untilAborted } from '../../platform/until-aborted.ts';
import type { TargetId } from '../../schema/ids.ts';
import { ok, refuse } from '../../schema/outcome.ts';
import { LOCAL } from '../daemon-core.ts';

const emitterFile = packageFile('emitter/agtmux-emit');

const localMachine = (): HookMachine => ({
  files: localEdits,
  home: homedir(),
  env: process.env,
});

/** The port of hooks. `machineOf` finds machines other than this one. */
export function hooksPort(
  machineOf: (targetId: TargetId, signal: AbortSignal) => Promise<HookMachine | null>,
  nowMs: () => number,
): HooksPort {
  const run: HooksPort['run'] = async (targetId, input, cancellation) => {
    const { signal } = cancellation;
    const unknown = unknownAgents(input.agents ?? []);
    if (unknown.length > 0) {
      return refuse('E_AGENT_UNKNOWN', `agtmux has no hooks for ${unknown.join(', ')}`);
    }
    const machine = targetId === LOCAL ? localMachine() : await machineOf(targetId, signal);
    if (machine === null) return refuse('E_TARGET_UNREACHABLE', `${targetId} cannot be reached`);
    const { project = machine.home, ...rest } = input;
    if (!isAbsolute(project)) {
      return refuse('E_INPUT_INVALID', `${project} is not an absolute path`);
    }
    try {
      const emitterText = readFileSync(emitterFile, 'utf8');
      const job = { ...rest, project, emitterText, nowMs: nowMs() };
      const files = cancellableFiles(machine.files, cancellation);
      return ok(await runHooksJob({ ...machine, files }, job, targetId));
    } catch (error) {
      if (!(error instanceof FileEditError)) throw error;
      return refuse('E_HOOKS_FAILED', error.message);
    }
  };
  return { run };
}

/** Reading stops when the caller is gone; from the first write on the whole job is done. */
function cancellableFiles(files: EditedFiles, { signal, commit }: Cancellation): EditedFiles {
  const reading =
    <Args extends unknown[], T>(read: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      signal.throwIfAborted();
      return untilAborted(read(...args), signal);
    };
  const writing =
    <Args extends unknown[], T>(write: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      commit();
      return write(...args);
    };
  return {
    facts: reading(files.facts),
    realPath: reading(files.realPath),
    read: reading(files.read),
    list: reading(files.list),
    writeAtomically: writing(files.writeAtomically),
    remove: writing(files.remove),
    makeFolder: writing(files.makeFolder),
  };
}

/** Brings the emitter that hooks of this machine run up to date; hooks stay as they are. */
export async function upgradeLocalEmitter(onProblem: (problem: string) => void): Promise<void> {
  try {
    const copy = emitterOn(localMachine(), readFileSync(emitterFile, 'utf8'));
    await upgradeEmitter(localEdits, copy);
  } catch (error) {
    onProblem(error instanceof Error ? error.message : String(error));
  }
}
