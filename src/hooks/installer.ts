// Installs, removes and shows hooks on one machine: for each agent its files, for each file its
// state and its change. A file is written only if it is still as it was read, and a backup is kept.
// One file that cannot be edited does not stop the others.

import { join } from 'node:path';
import type { HooksAnswer, HooksInput } from '../schema/api/hooks.ts';
import { type AgentHooks, agentHooks, type HookFile, type HookSetup } from './agent-hooks.ts';
import { keepBackup } from './backups.ts';
import { codexTrust } from './codex-trust.ts';
import { type EditedFiles, FileEditError } from './edited-files.ts';
import { type EmitterCopy, installEmitter, readEmitter } from './emitter-file.ts';
import { type HookGoal, readHookFile } from './file-change.ts';
import { lineDiff } from './text/line-diff.ts';

export interface InstallerOptions {
  readonly files: EditedFiles;
  readonly setup: HookSetup;
  /** Where copies of changed files go. */
  readonly backupFolder: string;
  readonly emitter: EmitterCopy;
  readonly nowMs: number;
}

export type HooksWork = Pick<HooksAnswer, 'emitter' | 'agents' | 'skipped'>;
type AgentAnswer = HooksAnswer['agents'][number];
type FileAnswer = AgentAnswer['files'][number];

/** Installs, removes or checks hooks. Without names: of all agents found on the machine. */
export async function workOnHooks(
  { action, agents: named, scope = 'user' }: Pick<HooksInput, 'action' | 'agents' | 'scope'>,
  options: InstallerOptions,
): Promise<HooksWork> {
  const chosen = await chosenAgents(named ?? [], options);
  const emitter =
    action === 'install' && chosen.found.length > 0
      ? await installEmitter(options.files, options.emitter)
      : await readEmitter(options.files, options.emitter);
  const answers: AgentAnswer[] = [];
  const skipped = [...chosen.skipped];
  for (const each of chosen.found) {
    const files = each.files(options.setup, scope);
    if (files === null) skipped.push({ agent: each.agent, why: `has no ${scope} hooks` });
    else answers.push(await workOnAgent(each, files, action, options));
  }
  return { emitter, agents: answers, skipped };
}

interface Chosen {
  readonly found: readonly AgentHooks[];
  readonly skipped: HooksAnswer['skipped'];
}

async function chosenAgents(named: readonly string[], options: InstallerOptions): Promise<Chosen> {
  if (named.length > 0) {
    const found = agentHooks.filter(({ agent }) => named.includes(agent));
    return { found, skipped: [] };
  }
  const found: AgentHooks[] = [];
  const skipped: { agent: string; why: string }[] = [];
  for (const each of agentHooks) {
    if (await isOnMachine(each, options)) found.push(each);
    else skipped.push({ agent: each.agent, why: 'not on this machine' });
  }
  return { found, skipped };
}

async function isOnMachine(each: AgentHooks, { files, setup }: InstallerOptions): Promise<boolean> {
  if ((await files.facts(each.folder(setup)))?.kind === 'folder') return true;
  const folders = (setup.env['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'));
  for (const folder of folders) {
    for (const program of each.programs) {
      const facts = await files.facts(join(folder, program)).catch(() => null);
      if (facts?.kind === 'file' && (facts.mode & 0o111) !== 0) return true;
    }
  }
  return false;
}

async function workOnAgent(
  each: AgentHooks,
  files: readonly HookFile[],
  action: HooksInput['action'],
  options: InstallerOptions,
): Promise<AgentAnswer> {
  const answers: FileAnswer[] = [];
  for (const file of files) answers.push(await workOnFile(file, action, options));
  const state = stateOf(answers);
  const isPresent = state === 'installed' || state === 'outdated' || state === 'partial';
  const trust = each.agent === 'codex' && isPresent ? await codexTrust(options.files, files) : null;
  const needsNote = isPresent && action !== 'uninstall' && trust !== 'trusted';
  return {
    agent: each.agent,
    state,
    trust,
    files: answers,
    note: needsNote ? (each.note ?? null) : null,
  };
}

/** The state of all files together; a file of another program does not count. */
function stateOf(files: readonly FileAnswer[]): AgentAnswer['state'] {
  const states = new Set(files.map(({ state }) => state).filter((state) => state !== 'foreign'));
  if (states.has('unreadable')) return 'unreadable';
  if (states.has('outdated')) return 'outdated';
  if (!states.has('installed')) return 'absent';
  return states.size === 1 ? 'installed' : 'partial';
}

async function workOnFile(
  file: HookFile,
  action: HooksInput['action'],
  options: InstallerOptions,
): Promise<FileAnswer> {
  const { path, isShared: shared } = file;
  const unchanged = { path, change: 'none', backup: null, diff: null, shared } as const;
  try {
    const goal = action === 'uninstall' ? 'uninstall' : 'install';
    const text = await options.files.read(file.path);
    const { state, after, problem } = readHookFile(file, text, goal);
    if (problem !== null) return { ...unchanged, state, problem };
    if (action === 'status' || after === text) return { ...unchanged, state, problem };
    if (action === 'diff') {
      return { ...unchanged, state, problem, diff: lineDiff(text ?? '', after ?? '') };
    }
    return await changeFile(file, { text, after, goal }, options);
  } catch (error) {
    if (!(error instanceof FileEditError)) throw error;
    return { ...unchanged, state: 'unreadable', problem: error.message };
  }
}

interface FileChange {
  readonly text: string | null;
  readonly after: string | null;
  readonly goal: HookGoal;
}

async function changeFile(
  file: HookFile,
  { text, after, goal }: FileChange,
  options: InstallerOptions,
): Promise<FileAnswer> {
  const { files, backupFolder, nowMs } = options;
  const { path, isShared: shared } = file;
  const backup =
    text === null ? null : await keepBackup(files, backupFolder, { path, text, nowMs });
  const isDone = await writeFile(file, { text, after, goal }, files);
  if (!isDone) {
    const problem = 'another program has just changed it, so nothing is written; try again';
    return { path, state: 'unreadable', change: 'none', backup: null, diff: null, problem, shared };
  }
  const change = after === null ? 'removed' : text === null ? 'created' : 'changed';
  const state = goal === 'install' ? 'installed' : 'absent';
  return { path, state, change, backup, diff: null, problem: null, shared };
}

async function writeFile(
  file: HookFile,
  { text, after }: FileChange,
  files: EditedFiles,
): Promise<boolean> {
  const { path } = file;
  if (after === null) return text === null || files.remove(path, text);
  if (text === null) await files.makeFolder(join(path, '..'), 0o755);
  const mode = file.kind === 'own' ? file.mode : 0o600;
  return files.writeAtomically(path, { text: after, mode, expected: text });
}
