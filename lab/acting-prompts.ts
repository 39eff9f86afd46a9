// Prompts that are hard to type, and what each agent makes of them on the way to its model.

const LONG_LENGTH = 20_000;

/** Each has the token of its script in it, so that the fake model knows the conversation. */
export const promptTexts = (token: string): readonly string[] => [
  `# ${token} a heading first\n! and & and ? as lines`,
  `${token} what is in notes.txt? Say it, then stop!`,
  `${token} first line\nsecond line with "quotes" and 'more' & $HOME; #{pane_id}\n\nlast line`,
  `${token} either/or, #4 and /etc/hosts; a trailing semicolon;`,
  `${token} emoji 🚀👩‍💻🇯🇵, CJK 日本語, é and \\n as text`,
  `${token} ${'The quick brown fox jumps over the lazy dog. '.repeat(LONG_LENGTH / 45)}end`,
  `${token} many lines\n${Array.from({ length: 40 }, (_, at) => `line ${at + 1}`).join('\n')}`,
];

/** The prompt as the model got it, without what the agent wraps around it. */
export function receivedText(agent: string, userTexts: readonly string[]): string {
  // Kilo adds a text of its own to each prompt.
  const own = userTexts.filter((text) => !text.trimStart().startsWith('<environment_details>'));
  const last = (agent === 'kilo' ? own : userTexts).at(-1) ?? '';
  if (agent === 'copilot')
    return last.replace(/^<current_datetime>[^<]*<\/current_datetime>\s*/, '').trim();
  return last.trim();
}
