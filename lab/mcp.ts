// `npm run lab:mcp`: Claude Code, Codex, Gemini CLI and Copilot as MCP hosts of our server: they
// list and call every tool. Then two of them exchange messages through it with nobody's help.
//   --agent claude,codex,gemini,copilot --between claude,codex --messages 10

import { parseArgs } from 'node:util';
import { mcpTools } from '../src/mcp/serve-mcp.ts';
import { tryExchange } from './mcp-exchange.ts';
import { tryHost } from './mcp-hosts.ts';
import { closeAllStages } from './stage.ts';

const { values: flags } = parseArgs({
  options: {
    agent: { type: 'string', default: 'claude,codex,gemini,copilot' },
    between: { type: 'string', default: 'claude,codex' },
    messages: { type: 'string', default: '10' },
  },
});

const say = (text: string): boolean => process.stdout.write(`${text}\n`);
const namesOf = (list: string): readonly string[] => list.split(',').filter((name) => name !== '');

async function run(): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const name of namesOf(flags.agent)) {
    const result = await tryHost(name).catch((error: unknown) => ({
      ...{ listed: 0, called: 0, problems: [String(error)] },
    }));
    const { listed, called } = result;
    say(`${name}: ${listed} of ${mcpTools.length} tools listed, ${called} called`);
    problems.push(...result.problems.map((problem) => `${name}: ${problem}`));
  }
  const [one, other] = namesOf(flags.between);
  if (one === undefined || other === undefined) return problems;
  const count = Number(flags.messages);
  const wrong = await tryExchange([one, other], count);
  say(`${one} and ${other}: ${count} messages each way at once, ${count} questions and answers`);
  return [...problems, ...wrong];
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void closeAllStages().finally(() => process.exit(1)));
}
const problems = await run();
for (const problem of problems) say(`WRONG: ${problem}`);
say(problems.length === 0 ? 'every tool, none lost, none twice, in order' : 'failed');
process.exitCode = problems.length === 0 ? 0 : 1;
