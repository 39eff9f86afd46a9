// The chats of Gemini CLI and Qwen Code: found by the process and the folder, followed for the last
// words, and read once although a conversation is open. The chats are those of the real agents.

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import { AgentFilesStage, startProcessWith } from './agent-files-stage.ts';

const FOLDER = '/home/someone/project';

/** The lines of a recorded talk, as if they were written now, a second apart. */
function talk(agent: string): readonly string[] {
  const file = join(root, 'tests/fixtures/conversations', `${agent}.jsonl`);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const start = Date.now() - lines.length;
  return lines.map((line, index) =>
    line.replaceAll(
      /"timestamp": ?"2026-[^"]+"/g,
      `"timestamp": "${new Date(start + index).toISOString()}"`,
    ),
  );
}

const chats: Readonly<Record<string, (home: string) => string>> = {
  gemini: (home) => {
    const folder = join(home, '.gemini', 'tmp', 'project');
    mkdirSync(join(folder, 'chats'), { recursive: true });
    writeFileSync(join(folder, '.project_root'), FOLDER);
    return join(folder, 'chats', 'session-2026-11-19T02-25-19688765.jsonl');
  },
  qwen: (home) => {
    const folder = join(home, '.qwen', 'projects', FOLDER.replaceAll('/', '-'), 'chats');
    mkdirSync(folder, { recursive: true });
    return join(folder, '0d848fa2-7dbd-496b-b822-c915f6c2966c.jsonl');
  },
};

/** The words of the first prompts, and of the whole talk. */
const words = {
  gemini: [
    { prompt: 'lab-5a2805 go on', message: 'The answer is word-05611d16.' },
    { prompt: 'lab-ba94e4 go on', message: 'The answer is word-d11453c4.' },
  ],
  qwen: [
    { prompt: 'lab-073224 go on', message: 'The answer is word-9b5fe51e.' },
    { prompt: 'lab-d7a4a5 go on', message: 'The answer is word-afdafe82.' },
  ],
} as const;

describe.each(['gemini', 'qwen'] as const)('the chat of %s', (agent) => {
  it('gives the last words at once and as they change, and claims nothing', async () => {
    const stage = new AgentFilesStage(agent);
    const source = `${agent}-chat`;
    const chat = chats[agent]?.(stage.folder) ?? '';
    const lines = talk(agent);
    const isPrompt = (line: string): boolean =>
      /"type": ?"user"/.test(line) && /(?<!<)word-|"text": ?"[A-Za-z]/.test(line);
    const second = lines.findIndex((line, index) => index > 3 && isPrompt(line));
    writeFileSync(chat, `${lines.slice(0, second).join('\n')}\n`);
    const { pid } = startProcessWith({ HOME: stage.folder }, 'sleep', '1000');
    stage.live('%1', pid, { path: FOLDER });
    const current = () => {
      const all = stage.evidence('%1', source).map(({ activity }) => activity ?? {});
      return Object.assign({}, ...all) as { prompt?: string; message?: string };
    };
    await stage.until(() => current().prompt !== undefined, 'the first words');
    const first = current();
    expect(first).toEqual(words[agent][0]);
    const transcript = await stage.until(() => stage.transcripts[0], 'the conversation');
    const read: string[] = [];
    using _listener = transcript.records.watch({
      onChange: () => {},
      onRecords: (records) => void read.push(...records.map(({ text }) => text ?? '')),
    });
    appendFileSync(chat, `${lines.slice(second).join('\n')}\n`);
    await stage.until(() => read.length === lines.length - second, 'all lines');
    await stage.until(() => current().prompt !== first.prompt, 'the last words');
    expect(current()).toEqual(words[agent][1]);
    const count = stage.evidence('%1', source).length;
    // The same words under another id are no news, nor are lines without words.
    const last = lines.findLast((line) => line.includes(current().message ?? '?')) ?? '';
    appendFileSync(chat, `${last}\n{"type":"other"}\nbroken\n`);
    await stage.until(() => read.at(-1) === 'broken', 'the lines after it');
    expect(stage.evidence('%1', source)).toHaveLength(count);
    expect(stage.claimsOf('%1', source)).toEqual([]);
    expect(count).toBeLessThan(8);
  });

  it('does not show what was written before the agent began', async () => {
    const stage = new AgentFilesStage(agent);
    const chat = chats[agent]?.(stage.folder) ?? '';
    const old = talk(agent).map((line) => line.replaceAll(/("timestamp": ")20../g, '$12025'));
    writeFileSync(chat, `${old.join('\n')}\n`);
    const { pid } = startProcessWith({ HOME: stage.folder }, 'sleep', '1000');
    stage.live('%1', pid, { path: FOLDER });
    await stage.until(() => stage.transcripts[0], 'the conversation');
    const read: string[] = [];
    using _listener = stage.transcripts[0]?.records.watch({
      onChange: () => {},
      onRecords: (records) => void read.push(...records.map(({ text }) => text ?? '')),
    });
    // Until it is followed, what is added is history too.
    const isFollowed = () => {
      appendFileSync(chat, '{"type":"other"}\n');
      return read.length > 0;
    };
    await stage.until(isFollowed, 'the line');
    expect(stage.evidence('%1')).toEqual([]);
  });
});
