// `agtmux log REF`: what an agent said and did, from its own transcript; with --follow also what
// comes.

import { logLines } from '../../../render/conversation/log-lines.ts';
import { markdownLines } from '../../../render/conversation/log-markdown.ts';
import type { ConversationEntry } from '../../../schema/api/conversation.ts';
import { callView } from '../../call-view.ts';
import { type Call, type CommandSpec, isSet, numberOf } from '../../command.ts';
import { socketPathOf, withDaemon } from '../../daemon-link.ts';
import { usageProblem } from '../../exit-codes.ts';
import { count, refArgument } from '../../options.ts';
import { PagedOutput } from '../../output/paged-output.ts';
import { jsonLine } from '../../output/print.ts';
import { type LogPage, readLast } from '../../watch/read-log.ts';

const LAST = 200;
const LAST_MAX = 100_000;

export const logCommand: CommandSpec = {
  name: 'log',
  summary: 'what an agent said and did, from its own transcript',
  examples: [
    'agtmux log %3',
    'agtmux log work:0.1 --last 1000 --no-pager',
    'agtmux log %3 --follow',
    'agtmux log %3 --all --markdown',
  ],
  notes: [
    'It reads the transcripts of claude, codex, gemini, copilot, opencode, kilo and qwen, also of',
    'agents on ssh targets if they are files. Tools are folded to a line each; --full shows what',
    'they got and gave. With --json, one entry is one JSON object. Secrets are hidden.',
    'On a terminal, a text longer than the screen is shown by PAGER, or by less -FRX. PAGER is a',
    'program with its options and no line for a shell. With --follow it is printed as it comes.',
    'Exit codes: 0 shown, with --follow until Ctrl-C (130); 66 no such pane, or no transcript.',
  ],
  args: [refArgument],
  options: [
    { name: 'last', value: count, summary: `the newest so many entries (${LAST})` },
    { name: 'all', summary: 'from the first entry on' },
    { name: 'full', summary: 'tools and thoughts with all that they hold' },
    { name: 'follow', summary: 'go on with what comes' },
    { name: 'markdown', summary: 'print Markdown' },
    { name: 'no-pager', summary: 'print it all, however long it is' },
  ],
  run: runLog,
};

async function runLog(call: Call): Promise<number> {
  const { flags } = call;
  if (isSet(flags, 'markdown') && isSet(flags, 'json')) {
    const hint = 'Leave one of them out.';
    throw usageProblem('--markdown and --json are two formats.', hint);
  }
  const last = isSet(flags, 'all') ? null : Math.min(numberOf(flags, 'last') ?? LAST, LAST_MAX);
  const ref = call.args[0] ?? '';
  if (isSet(flags, 'follow')) return follow(call, ref, last);
  const isPaged = call.io.isTerminal && !isSet(flags, 'json') && !isSet(flags, 'no-pager');
  await using output = new PagedOutput(call.io, isPaged);
  let isEmpty = true;
  const print = (page: LogPage) => {
    if (page.entries.length > 0) isEmpty = false;
    return output.write(pageText(call, page));
  };
  await withDaemon(call, (client) => readLast(client, { ref, last, print }));
  if (isEmpty) call.io.writeErr('The agent has said nothing yet.\n');
  return output.end();
}

async function follow(call: Call, ref: string, last: number | null): Promise<number> {
  const print = async (page: LogPage): Promise<boolean> => {
    call.io.writeOut(pageText(call, page));
    return true;
  };
  const cursor = await withDaemon(call, (client) => readLast(client, { ref, last, print }));
  const { followLog } = await import('../../watch/follow-log.ts');
  const note = (text: string): void => call.io.writeErr(`${text}\n`);
  return followLog({ socketPath: socketPathOf(call), ref, cursor, print, note });
}

function pageText(call: Call, { conversation, entries }: LogPage): string {
  if (isSet(call.flags, 'json')) {
    return entries.map((entry) => jsonLine({ conversation: conversation.id, entry })).join('');
  }
  const draw = drawOf(call);
  const lines = entries.flatMap((entry) => draw(entry));
  return lines.map((line) => `${line}\n`).join('');
}

function drawOf(call: Call): (entry: ConversationEntry) => readonly string[] {
  const view = { ...callView(call, Date.now()), isUnfolded: isSet(call.flags, 'full') };
  return isSet(call.flags, 'markdown')
    ? (entry) => markdownLines(view, entry)
    : (entry) => logLines(view, entry);
}
