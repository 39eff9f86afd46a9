// Hooks of agents on the machines that the daemon reaches. The emitter of this version comes from
// our own package; a copy that hooks run is brought up to date at each start.

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FileEditError } from '../../hooks/edited-files.ts';
import { upgradeEmitter } from '../../hooks/emitter-file.ts';
import { localEdits } from '../../hooks/local-edits.ts';
import { emitterOn, type HookMachine, hooksOn, unknownAgents } from '../../hooks/machine.ts';
import type { Context } from '../../operations/context.ts';
import type { TargetId } from '../../schema/ids.ts';
import { ok, refuse } from '../../schema/outcome.ts';
import { LOCAL } from '../daemon-core.ts';

/** Sources and bundle lie equally deep under the package. */
const emitterFile = fileURLToPath(new URL('../../../emitter/agtmux-emit', import.meta.url));

const localMachine = (): HookMachine => ({
  files: localEdits,
  home: homedir(),
  env: process.env,
});

/** What the operation does. `machineOf` finds machines other than this one. */
export function hooksOfTargets(
  machineOf: (targetId: TargetId) => Promise<HookMachine | null>,
  nowMs: () => number,
): Context['hooks'] {
  return async (targetId, input) => {
    const unknown = unknownAgents(input.agents ?? []);
    if (unknown.length > 0) {
      return refuse('E_AGENT_UNKNOWN', `no hooks are known of ${unknown.join(', ')}`);
    }
    const machine = targetId === LOCAL ? localMachine() : await machineOf(targetId);
    if (machine === null) return refuse('E_TARGET_UNREACHABLE', `${targetId} cannot be reached`);
    const { project = machine.home, ...asked } = input;
    if (!isAbsolute(project)) {
      return refuse('E_INPUT_INVALID', `${project} is not an absolute path`);
    }
    try {
      const emitterText = readFileSync(emitterFile, 'utf8');
      return ok(
        await hooksOn(machine, { ...asked, project, emitterText, nowMs: nowMs() }, targetId),
      );
    } catch (error) {
      if (!(error instanceof FileEditError)) throw error;
      return refuse('E_HOOKS_FAILED', error.message);
    }
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
