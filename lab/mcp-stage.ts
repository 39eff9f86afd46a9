// An agent CLI in the lab that has our MCP server, as `agtmux mcp install` adds it, and whose user
// has allowed its tools: nobody is there to be asked.

import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DaemonClient } from '../src/client/client.ts';
import { type Trial, untilState } from './acting-trial.ts';
import type { AgentRecipe, LabPlace } from './agent.ts';
import { recipes } from './agents/all.ts';
import { Drive } from './drive.ts';
import { EffectTimes } from './effect.ts';
import type { Stage } from './stage.ts';

type Json = Record<string, unknown>;

function editJson(file: string, edit: (content: Json) => void): void {
  const content = JSON.parse(readFileSync(file, 'utf8')) as Json;
  edit(content);
  writeFileSync(file, JSON.stringify(content, null, 2));
}

/** What a user of each agent sets so that it does not ask for each call. */
const allow: Readonly<Record<string, (place: LabPlace) => void>> = {
  claude: ({ home }) =>
    editJson(join(home, '.claude', 'settings.json'), (settings) => {
      const permissions = settings['permissions'] as { allow: string[] };
      permissions.allow.push('mcp__agtmux');
    }),
  codex: ({ home }) => {
    const file = join(home, '.codex', 'config.toml');
    const header = '[mcp_servers.agtmux]\n';
    const allowed = `${header}default_tools_approval_mode = "approve"\n`;
    writeFileSync(file, readFileSync(file, 'utf8').replace(header, allowed));
  },
  gemini: ({ home }) =>
    editJson(join(home, '.gemini', 'settings.json'), (settings) => {
      const servers = settings['mcpServers'] as Record<string, Json>;
      Object.assign(servers['agtmux'] ?? {}, { trust: true });
    }),
  copilot: () => {},
};

const options: Readonly<Record<string, readonly string[]>> = {
  copilot: ['--allow-tool=agtmux'],
};

/** The recipe of an agent that finds the daemon of this world. */
export function mcpRecipe(name: string, runFolder: () => string): AgentRecipe {
  const recipe = recipes.find((each) => each.name === name);
  if (!recipe) throw new Error(`no recipe of ${name}`);
  return {
    ...recipe,
    start: (place) => {
      const { argv, env } = recipe.start(place);
      return {
        argv: [...argv, ...(options[name] ?? [])],
        env: { ...env, XDG_RUNTIME_DIR: runFolder() },
      };
    },
  };
}

/** Starts the agent of a stage with our server, and waits until it rests. */
export async function openHost(stage: Stage, client: DaemonClient): Promise<Trial> {
  const { name } = stage.recipe;
  const { code, out, err } = await stage.live.cli('mcp', 'install', name);
  if (code !== 0) throw new Error(`no MCP server for ${name}: ${out}${err}`);
  allow[name]?.(stage.place);
  const pane = await stage.openPane(`mcp-${randomBytes(2).toString('hex')}`);
  const mismatches = mkdtempSync(join(tmpdir(), 'agtmux-lab-wrong-'));
  const drive = new Drive(stage, pane, { scenario: 'mcp', mismatches });
  await drive.start();
  const trial = { drive, client, ref: pane.paneId, isServed: false, effects: new EffectTimes() };
  await untilState(trial, 'idle', 'completed');
  return trial;
}

export async function partyOf({ client, ref }: Trial): Promise<string> {
  const { panes } = await client.call('list_panes', {});
  const item = panes.find(({ identity }) => identity?.pane_id === ref);
  if (!item?.runtime_id) throw new Error(`no agent is in ${ref}`);
  return `runtime:${item.runtime_id}`;
}
