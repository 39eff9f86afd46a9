// `npm run lab:mcp`: Claude Code, Codex, Gemini CLI and Copilot as MCP hosts of our server: they
// list and call every tool. Then two of them exchange messages through it with nobody's help.
// `-- --inspector` has the official inspector do the same, and nothing else.
//   --agent claude,codex,gemini,copilot --between claude,codex --messages 10

import { parseArgs } from 'node:util';
import { mcpTools } from '../src/mcp/mcp-server.ts';
import { tryExchange } from './mcp-exchange.ts';
import { type HostResult, tryHost } from './mcp-hosts.ts';
import { tryInspector } from './mcp-inspector.ts';
import { closeAllStages } from './stage.ts';

const { values: flags } = parseArgs({
  options: {
    agent: { type: 'string', default: 'claude,codex,gemini,copilot' },
    between: { type: 'string', default: 'claude,codex' },
    messages: { type: 'string', default: '10' },
    inspector: { type: 'boolean', default: false },
  },
});

const say = (text: string): boolean => process.stdout.write(`${text}\n`);
const namesOf = (list: string): readonly string[] => list.split(',').filter((name) => name !== '');

async function report(name: string, trying: Promise<HostResult>): Promise<readonly string[]> {
  const result = await trying.catch((error: unknown) => ({
    ...{ listed: 0, called: 0, problems: [String(error)] },
  }));
  const { listed, called, problems } = result;
  say(`${name}: ${listed} of ${mcpTools.length} tools listed, ${called} called`);
  return problems.map((problem) => `${name}: ${problem}`);
}

async function run(): Promise<readonly string[]> {
  if (flags.inspector) return report('inspector', tryInspector());
  const problems: string[] = [];
  for (const name of namesOf(flags.agent)) problems.push(...(await report(name, tryHost(name))));
  const [one, other] = namesOf(flags.between);
  if (one === undefined || other === undefined) return problems;
  const count = Number(flags.messages);
  const wrong = await tryExchange([one, other], count).catch((error: unknown) => [
    error instanceof Error ? `${error.stack}` : String(error),
  ]);
  say(`${one} and ${other}: ${count} messages each way at once, ${count} questions and answers`);
  return [...problems, ...wrong];
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void closeAllStages().finally(() => process.exit(1)));
}
const problems = await run();
for (const problem of problems) say(`WRONG: ${problem}`);
say(problems.length === 0 ? 'nothing is wrong' : 'failed');
process.exitCode = problems.length === 0 ? 0 : 1;
