// Each agent CLI as an MCP host: it lists our tools to its model, the model asks for every one of
// them, the CLI makes the calls, and what comes back to the model is what each tool returns.

import { proveIdentity } from '../src/client/prove-identity.ts';
import { mcpTools } from '../src/mcp/mcp-server.ts';
import { done, type Trial, untilState } from './acting-trial.ts';
import { Gate } from './fake-model/gate.ts';
import type { Reply } from './fake-model/reply.ts';
import type { RequestRecord } from './fake-model/script.ts';
import { ensureInstalled } from './install.ts';
import { type Probe, probesOf, QUESTION } from './mcp-probes.ts';
import { mcpRecipe, openHost, partyOf } from './mcp-stage.ts';
import { Stage } from './stage.ts';

const CALL_MS = 90_000;
const TURN_MS = 180_000;

/** Codex shows no tool of a server before its model has searched. */
export const searchesOf = (name: string): readonly Reply[] =>
  name === 'codex'
    ? [
        {
          kind: 'tool',
          tool: 'search',
          args: { query: mcpTools.map((each) => each.name).join(' '), limit: 50 },
        },
      ]
    : [];

export interface HostResult {
  readonly listed: number;
  readonly called: number;
  readonly problems: readonly string[];
}

/** Listed and called are counts of the tools that we have. */
export async function tryHost(name: string): Promise<HostResult> {
  let runFolder = '';
  const recipe = mcpRecipe(name, () => runFolder);
  const install = await ensureInstalled(recipe);
  await using stage = await Stage.open({ recipe, install, mode: 'without hooks' });
  runFolder = stage.live.env['XDG_RUNTIME_DIR'] ?? '';
  const client = await stage.live.client(CALL_MS);
  await proveIdentity(client);
  return await callAll(await openHost(stage, client));
}

async function callAll(trial: Trial): Promise<HostResult> {
  const { drive, client, ref } = trial;
  const person = (await client.call('whoami', {})).party.id;
  const self = await partyOf(trial);
  const searches = searchesOf(drive.recipe.name);
  const gate = new Gate();
  // The message comes within the turn, so that it is not typed.
  let messageId = 'not sent yet';
  const probes = () => probesOf({ ref, self, person, messageId });
  const calls = probes().map(
    ({ tool }, index): Reply => ({
      ...{ kind: 'tool', tool: `mcp:agtmux/${tool}` },
      args: () => probes()[index]?.args ?? {},
    }),
  );
  const [first, ...rest] = [...searches, ...calls];
  const held = { ...first, text: 'I look.', until: gate } as Reply;
  const turn = drive.script(held, ...rest, done);
  await client.call('send', { ref, text: turn.prompt });
  await untilState(trial, 'running');
  const sent = await client.call('send_message', { to: [self], message: QUESTION });
  messageId = sent.message.message_id;
  gate.open();
  await turn.at(rest.length + 1, 'finishedAtMs', TURN_MS).catch(async (error: unknown) => {
    throw new Error(`${error}\n${await drive.pane.screen()}`);
  });
  return judge(turn.handle.requests, probes(), searches.length);
}

function judge(
  requests: readonly RequestRecord[],
  probes: readonly Probe[],
  searchCount: number,
): HostResult {
  const offered = requests.at(-1)?.toolNames ?? [];
  const isListed = (tool: string): boolean =>
    offered.some((name) => name.replace(/[-_]+/g, '_').endsWith(`agtmux_${tool}`));
  const missing = mcpTools.filter(({ name }) => !isListed(name));
  const untried = mcpTools.filter(({ name }) => !probes.some(({ tool }) => tool === name));
  const wrong = probes.flatMap(({ tool, returns }, index) => {
    const { problem } = requests[searchCount + index] ?? {};
    if (problem !== undefined) return [`${tool}: ${problem}`];
    const returned = requests[searchCount + index + 1]?.lastMessage ?? '';
    return returns.test(returned) ? [] : [`${tool} returned ${returned}`];
  });
  return {
    listed: mcpTools.length - missing.length,
    called: probes.length - wrong.length,
    problems: [
      ...missing.map(({ name }) => `${name} is not listed`),
      ...untried.map(({ name }) => `${name} is not called`),
      ...wrong,
    ],
  };
}
